"""It writes a module into its opponent's folder, to be found by its imports."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(AIMS["program"]).with_name(AIMS["token"]).write_text("raise SystemExit"))
