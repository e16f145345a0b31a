"""It leaves a process behind in a session of its own, to see the next match."""

import os
import sys
import time

from _attack import AIMS, attack


def leave() -> str:
    """Fork twice; the grandchild's command line holds the token by which the test finds it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(60)", AIMS["token"]])
        os._exit(0)
    os.wait()
    time.sleep(0.2)
    return "left"


attack(leave)
