"""It leaves a note for its next match beside its program."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path(AIMS["token"]).write_text("seen this deal before"))
