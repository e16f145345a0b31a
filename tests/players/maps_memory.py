"""It takes 6 GiB of memory, and does not touch it, for the machine's sake."""

import mmap

from _attack import attack

attack(lambda: mmap.mmap(-1, 6 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))  # MAP_NORESERVE
