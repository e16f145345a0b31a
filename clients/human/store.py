"""Saved matches and what was seen before: small files under `$XDG_STATE_HOME/referee/play`.

A match is saved as what makes it again: the referee's arguments, the seed in them, and the person's own moves. To
resume is to start the same referee and send the moves again; each carries a mark of the request that it answered,
so a replay that departs is noticed.
"""

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
    """A saved match: path of the file, game, words that start the referee, the seed, own moves."""

    path: Path
    game: str
    words: tuple[str, ...]
    seed: str
    moves: tuple[Planned, ...]


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
    body = {"format": FORMAT, "game": saved.game, "words": saved.words, "seed": saved.seed, "moves": saved.moves}
    draft = saved.path.with_suffix(".new")
    draft.write_text(json.dumps(body, indent=1) + "\n")
    draft.replace(saved.path)
    for old in sorted(saved.path.parent.glob("*.json"))[:-KEEP]:
        old.unlink(missing_ok=True)


def read(path: Path) -> Saved:
    """Return the match saved in a file; raises BadSave."""
    try:
        body = json.loads(path.read_text())
        if body["format"] != FORMAT:
            raise BadSave(f"{path} was saved by another version of this client.")
        moves = tuple(Planned(str(word), str(mark)) for word, mark in body["moves"])
        return Saved(path, str(body["game"]), tuple(map(str, body["words"])), str(body["seed"]), moves)
    except OSError as error:
        raise BadSave(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadSave(f"{path} is no saved match.") from error


def newest(environment: Mapping[str, str]) -> Saved | None:
    """Return the match saved last, None when there is none."""
    for path in sorted(folder(environment).glob("*.json"), reverse=True):
        try:
            return read(path)
        except BadSave:
            continue
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
