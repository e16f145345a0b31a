"""It meets an accomplice in System V shared memory, which outlives them both."""

import ctypes

from _attack import AIMS, attack, check

attack(lambda: check(ctypes.CDLL(None, use_errno=True).shmget(AIMS["key"], 4096, 0o1666)))
