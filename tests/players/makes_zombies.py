"""It starts processes and never asks how they ended."""

import os

from _kit import requests, say

for number, legal in requests():
    for _ in range(20):
        if os.fork() == 0:
            os._exit(0)
    say(f"move {number} {legal[0]}")
