"""It studies its opponent's program, which lies in another folder."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(AIMS["program"]).read_bytes()[:30])
