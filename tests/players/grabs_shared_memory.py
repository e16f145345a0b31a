"""It uses memory that no limit of one process counts; here it ends at 192 MiB, for the machine's sake."""

import mmap

from _attack import attack


def grab() -> int:
    taken = []
    while len(taken) < 24:
        taken.append(mmap.mmap(-1, 8 << 20))
        taken[-1].write(b"x" * (8 << 20))
    return len(taken) * 8


attack(grab)
