"""It exits with code 7 when it is asked the second time."""

import sys

from _kit import requests, say

for number, legal in requests():
    if number == 1:
        sys.exit(7)
    say(f"move {number} {legal[0]}")
