"""It opens again what the referee has open."""

import os
from pathlib import Path

from _attack import AIMS, attack


def peek() -> list[bytes]:
    folder = Path(f"/proc/{AIMS['referee']}/fd")
    return [(folder / name).read_bytes()[:100] for name in os.listdir(folder) if (folder / name).is_file()]


attack(peek)
