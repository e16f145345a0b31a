"""It reads the file that holds the master seed of the run."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(AIMS["seed"]).read_bytes())
