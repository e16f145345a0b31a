"""It has a child do the work, which is allowed."""

import os

from _kit import requests, say

if os.fork() == 0:
    for number, legal in requests():
        say(f"move {number} {legal[0]}")
    os._exit(0)
os.wait()
