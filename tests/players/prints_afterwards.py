"""It prints how it stands to standard output, behind its answers."""

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}\neval = {len(legal)}")
