"""It reads its opponent's memory, cards and all."""

from pathlib import Path

from _attack import AIMS, attack


def peek() -> bytes:
    start = int(Path(f"/proc/{AIMS['opponent']}/maps").read_text().split("-")[0], 16)
    with open(f"/proc/{AIMS['opponent']}/mem", "rb") as memory:
        memory.seek(start)
        return memory.read(4)


attack(peek)
