"""The files that a player's command names, and whether they are still what they were when the run began.

A table compares programs, so a program that is replaced in mid-run makes two of one player. Each file's size, time and
place are compared whenever a player is started, and its content only when those differ. What a program loads from
elsewhere is not seen.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

HASH_MOST: Final = 256 * 1024 * 1024  # bytes; of a larger file only size and time are compared

# path -> (size in bytes, modification time in ns, inode, SHA-256 in hex; "" when it is too large)
Files: TypeAlias = dict[str, tuple[int, int, int, str]]


def files_of(argv: Sequence[str], cwd: str, seen: Files | None = None) -> Files:
    """Return the program and every other word of a command that names a file, as they are now.

    seen -- files known already; an interpreter that many players share is read once
    """
    known = {} if seen is None else seen
    found: Files = {}
    program = shutil.which(argv[0], path=os.environ.get("PATH")) if argv and os.sep not in argv[0] else None
    for word in (program or argv[0], *argv[1:]) if argv else ():
        path = os.path.abspath(os.path.join(cwd, word))
        if path not in known and (file := _look(path)) is not None:
            known[path] = file
        if path in known:
            found[path] = known[path]
    return found


def changed_files(files: Mapping[str, Sequence[int | str]]) -> list[str]:
    """Return the paths of those files that are gone, or hold something else by now."""
    return [path for path, (size, time, place, digest) in files.items() if _differs(path, size, time, place, digest)]


class Watched:
    """The files of one player, as they were when the run began."""

    def __init__(self, files: Mapping[str, Sequence[int | str]]) -> None:
        self._files = {path: tuple(file) for path, file in files.items()}

    def changed(self) -> bool:
        """Return whether any of them differs; cheap while nothing was touched."""
        if changed_files(self._files):
            return True
        for path, (*_, digest) in list(self._files.items()):  # touched only: not to be read again
            with contextlib.suppress(OSError):
                status = os.stat(path)
                self._files[path] = (status.st_size, status.st_mtime_ns, status.st_ino, digest)
        return False


def _look(path: str) -> tuple[int, int, int, str] | None:
    try:
        if not os.path.isfile(path):
            return None
        status = os.stat(path)
        digest = _digest(path) if status.st_size <= HASH_MOST else ""
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino, digest


def _differs(path: str, size: int | str, time: int | str, place: int | str, digest: int | str) -> bool:
    try:
        status = os.stat(path)
        if (status.st_size, status.st_mtime_ns, status.st_ino) == (size, time, place):
            return False
        return status.st_size != size or (digest != "" and _digest(path) != digest)
    except OSError:
        return True


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
