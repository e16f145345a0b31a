"""It answers the second request with the number of the first."""

from _kit import requests, say

for _number, legal in requests():
    say(f"move 0 {legal[0]}")
