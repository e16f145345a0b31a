"""It looks for descriptors that the referee forgot to close."""

import os

from _attack import attack


def look() -> list[int]:
    """Return the open ones; raise OSError when there are but three."""
    found = []
    for number in range(3, 256):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    if not found:
        raise FileNotFoundError("only three")
    return found


attack(look)
