"""Daemons of it, whose parents have died, compute while others move and crowd it out when it is asked."""

import os
import time

from _kit import requests, say

if os.fork() == 0:
    os.setsid()
    for _ in range(3):
        if os.fork() == 0:
            os.closerange(0, 3)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                pass
            os._exit(0)
    os._exit(0)
os.wait()
for number, legal in requests():
    until = time.process_time() + 0.04
    while time.process_time() < until:
        pass
    say(f"move {number} {legal[0]}")
