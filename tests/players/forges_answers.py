"""It writes into its opponent's standard output."""

import os

from _attack import AIMS, attack


def forge() -> int:
    pipe = os.open(f"/proc/{AIMS['opponent']}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
    return os.write(pipe, b"# forged\n")


attack(forge)
