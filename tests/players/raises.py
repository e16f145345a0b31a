"""It has a bug that shows at the second request."""

import sys

from _kit import requests, say

for number, legal in requests():
    print(1 / (1 - number), file=sys.stderr)
    say(f"move {number} {legal[0]}")
