"""It opens the referee's memory."""

from pathlib import Path

from _attack import AIMS, attack


def peek() -> bytes:
    """Read from the first mapping of the referee."""
    start = int(Path(f"/proc/{AIMS['referee']}/maps").read_text().split("-")[0], 16)
    with open(f"/proc/{AIMS['referee']}/mem", "rb") as memory:
        memory.seek(start)
        return memory.read(4)


attack(peek)
