"""It tries to leave its group and its session, and has a child do so."""

import os
import time

from _kit import requests, say

for number, legal in requests():
    for leave in (os.setsid, lambda: os.setpgid(0, os.getppid())):
        try:
            leave()
            os._exit(9)
        except OSError:
            pass
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    say(f"move {number} {legal[0]}")
