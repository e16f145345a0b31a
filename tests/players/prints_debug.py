"""It prints what it thinks to standard output, in front of its answers."""

from _kit import requests, say

for number, legal in requests():
    say(f"debug: {len(legal)} candidates")
    say(f"move {number} {legal[0]}")
