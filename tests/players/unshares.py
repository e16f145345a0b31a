"""It makes a user namespace, where it has every capability."""

import ctypes

from _attack import attack, check

attack(lambda: check(ctypes.CDLL(None, use_errno=True).unshare(0x10000000)))
