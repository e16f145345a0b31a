"""It exits with code 3 when all is well."""

import sys

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}")
sys.exit(3)
