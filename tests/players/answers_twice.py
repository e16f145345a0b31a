"""It answers each request twice."""

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}\nmove {number} {legal[0]}")
