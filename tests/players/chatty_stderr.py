"""It writes half a megabyte to standard error before each answer."""

import os

from _kit import requests, say

for number, legal in requests():
    os.write(2, b"d" * 500_000 + b"\n")
    say(f"move {number} {legal[0]}")
