"""It looks for a seed on the referee's command line, which the system shows to everybody."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(f"/proc/{AIMS['referee']}/cmdline").read_bytes())
