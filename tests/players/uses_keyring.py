"""It leaves a note in the kernel's keyring of its user."""

import ctypes
import os

from _attack import attack, check

NUMBER = 248 if os.uname().machine == "x86_64" else 217  # add_key


def keep() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.syscall(NUMBER, b"user", b"referee-test", b"note", 4, -2))  # -2: the keyring of this process


attack(keep)
