"""It has children that have children that exit at once: dead orphans, for whoever adopts them to bury."""

import os

from _kit import requests, say

for number, legal in requests():
    for _ in range(5):
        if os.fork() == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(0)
        os.wait()
    say(f"move {number} {legal[0]}")
