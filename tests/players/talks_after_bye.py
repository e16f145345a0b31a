"""It goes on talking when the match is over."""

import sys

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}")
for _ in range(20_000):
    sys.stdout.write("good game! good game! good game!\n")
