"""It leaves a daemon behind that has left its session and its pipes."""

import os
import time

from _kit import requests, say


def daemon() -> None:
    """Fork twice, in a session of its own, and close all: no group and no pipe leads to the grandchild."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            time.sleep(60)
        os._exit(0)
    os.wait()


for number, legal in requests():
    daemon()
    say(f"move {number} {legal[0]}")
