"""It signals to an accomplice by locking a file that both may only read."""

import fcntl

from _attack import AIMS, attack

held = []


def lock() -> str:
    held.append(open(AIMS["shared"]))
    fcntl.flock(held[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "locked"


attack(lock)
