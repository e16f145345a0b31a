"""It leaves a note for its next match in shared memory."""

from pathlib import Path

from _attack import AIMS, attack

attack(lambda: Path("/dev/shm", AIMS["token"]).write_text("seen this deal before"))
