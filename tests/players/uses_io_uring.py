"""It asks for a ring, by which system calls are made that no filter sees."""

import ctypes

from _attack import attack, check

attack(lambda: check(ctypes.CDLL(None, use_errno=True).syscall(425, 4, ctypes.create_string_buffer(120))))
