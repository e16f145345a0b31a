"""It opens files until it may not."""

import os
import sys

from _kit import requests, say

opened = []
for number, legal in requests():
    try:
        while len(opened) < 100_000:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        for descriptor in opened[-3:]:
            os.close(descriptor)
        print("opened", len(opened), file=sys.stderr)
    say(f"move {number} {legal[0]}")
