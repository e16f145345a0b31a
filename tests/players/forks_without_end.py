"""It starts processes as long as it can; here it ends at 300, for the machine's sake."""

import os
import time

from _attack import attack


def fork() -> int:
    """Return how many processes there were in the end; raise OSError when it could not have them all."""
    children: list[int] = []
    try:
        while len(children) < 300:
            child = os.fork()
            if child == 0:
                time.sleep(10)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
    return len(children)


attack(fork)
