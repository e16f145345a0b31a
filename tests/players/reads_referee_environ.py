"""It looks for a seed in the referee's environment."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(f"/proc/{AIMS['referee']}/environ").read_bytes())
