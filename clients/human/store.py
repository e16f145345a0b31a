"""Saved matches and what was seen before: small files under `$XDG_STATE_HOME/referee/play`.

A match is saved as what makes it again: the referee's arguments, the folder that they were given in, the seed in
them, and the person's own moves. To
resume is to start the same referee and send the moves again; each carries a mark of the request that it answered,
so a replay that departs is noticed.
"""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from human.model import Planned

KEEP = 20
FORMAT = 1


class Saved(NamedTuple):
    """A saved match: path of the file, game, words that start the referee, the seed, own moves, where to start it."""

    path: Path
    game: str
    words: tuple[str, ...]
    seed: str
    moves: tuple[Planned, ...]
    folder: str = ""


class BadSave(Exception):
    """A file is no saved match; the text is a sentence."""


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the saved matches."""
    state = environment.get("XDG_STATE_HOME") or str(Path(environment.get("HOME", "~")).expanduser() / ".local/state")
    return Path(state) / "referee" / "play"


def new_path(environment: Mapping[str, str], game: str) -> Path:
    """Return a path for a match that begins now."""
    return folder(environment) / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{game or 'match'}.json"


def write(saved: Saved) -> None:
    """Write a match whole or not at all; raises OSError."""
    saved.path.parent.mkdir(parents=True, exist_ok=True)
    body = {"format": FORMAT, "game": saved.game, "words": saved.words, "seed": saved.seed, "folder": saved.folder}
    draft = saved.path.with_name(f"{saved.path.name}.{os.getpid()}.new")
    draft.write_text(json.dumps({**body, "moves": saved.moves}, indent=1) + "\n")
    draft.replace(saved.path)


def prune(environment: Mapping[str, str]) -> None:
    """Remove all but the latest of our own saved matches; a file that somebody put elsewhere is never touched."""
    for old in _latest_first(environment)[KEEP:]:
        old.unlink(missing_ok=True)


def is_own(path: Path, environment: Mapping[str, str]) -> bool:
    """Return whether a file lies where matches are saved, so that it may go when its match is over."""
    return path.parent.absolute() == folder(environment).absolute()


def touch(path: Path) -> None:
    """Make a saved match the newest, if it is there."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _latest_first(environment: Mapping[str, str]) -> list[Path]:
    """Return the saved matches, the one played last first."""
    found = []
    for path in folder(environment).glob("*.json"):
        with contextlib.suppress(OSError):  # gone since: another client runs
            found.append((path.stat().st_mtime, path.name, path))
    return [path for _, _, path in sorted(found, reverse=True)]


def read(path: Path) -> Saved:
    """Return the match saved in a file; raises BadSave."""
    try:
        body = json.loads(path.read_text())
        if body["format"] != FORMAT:
            raise BadSave(f"{path} was saved by another version of this client.")
        moves = tuple(Planned(str(word), str(mark)) for word, mark in body["moves"])
        words = tuple(map(str, body["words"]))
        return Saved(path, str(body["game"]), words, str(body["seed"]), moves, str(body.get("folder", "")))
    except OSError as error:
        raise BadSave(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadSave(f"{path} is no saved match.") from error


def newest(environment: Mapping[str, str], game: str = "") -> Saved | None:
    """Return the match played last, of one game if it is named, None when there is none."""
    for path in _latest_first(environment):
        try:
            saved = read(path)
        except BadSave:
            continue
        if game in ("", saved.game):
            return saved
    return None


def first_visit(environment: Mapping[str, str], game: str) -> bool:
    """Return whether this game was never played here, and remember that it is now."""
    mark = folder(environment) / f"played-{game}"
    if mark.exists():
        return False
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False  # nothing can be remembered here: do not greet at every start
    return True
