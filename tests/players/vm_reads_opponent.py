"""It reads its opponent's memory by process_vm_readv, at an address of its own: forks share the layout."""

import ctypes

from _attack import AIMS, attack, check


class Piece(ctypes.Structure):
    """struct iovec"""

    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def peek() -> bytes:
    """Read; an address that is not mapped there (EFAULT) shows as well that it is allowed."""
    buffer = ctypes.create_string_buffer(4)
    here = Piece(ctypes.addressof(buffer), 4)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.process_vm_readv(AIMS["opponent"], ctypes.byref(here), 1, ctypes.byref(here), 1, 0) == -1:
        if ctypes.get_errno() == 14:
            return b"EFAULT"
        check(-1)
    return buffer.raw


attack(peek)
