"""It attaches to its opponent as a debugger does."""

import ctypes

from _attack import AIMS, attack, check


def trace() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.ptrace(16, AIMS["opponent"], None, None))  # PTRACE_ATTACH
    libc.waitpid(AIMS["opponent"], None, 0)
    libc.ptrace(17, AIMS["opponent"], None, None)  # PTRACE_DETACH
    return "attached"


attack(trace)
