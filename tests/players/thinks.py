"""It computes for 20 ms of CPU time, then answers."""

import time

from _kit import requests, say

for number, legal in requests():
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass
    say(f"move {number} {legal[0]}")
