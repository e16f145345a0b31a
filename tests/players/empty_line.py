"""It ends its answers with two line ends."""

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}\n")
