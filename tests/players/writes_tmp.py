"""It leaves a note for its next match in /tmp."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path("/tmp", AIMS["token"]).write_text("seen this deal before"))
