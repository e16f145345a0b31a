"""What the words of a command line mean: players, games, seats, settings, seeds, matches of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.cli.output import UsageProblem, note
from referee.words import counted

if TYPE_CHECKING:
    from referee.launch import Player
    from referee.store import Row, Store


# -- players


class Field(NamedTuple):
    """Who plays.

    players -- in the order in which they were named
    absent  -- (name, reason) of those that cannot be had here
    """

    players: list[Player]
    absent: list[tuple[str, str]]


def field_of(words: list[str], *, all_play: bool = False, sandbox: Mapping[str, Any] | None = None) -> Field:
    """Return the players that the words name; source files have been built then.

    all_play -- whether a file that is no player is an error; else it is noted and left out
    sandbox  -- as in a Plan; what builds are kept from
    Raises UsageProblem for a word that names nothing, and for `human`; SandboxMissing.
    """
    from referee.confine import Sandbox
    from referee.launch import HUMAN, resolve_all

    players, skipped = resolve_all(words, config=configuration(), note=note, sandbox=Sandbox.from_json(sandbox))
    absent = []
    for skip in skipped:
        if skip.kind == "not-a-player" and not all_play:
            note(f"skipped: {skip.word}: {skip.sentence}")
        elif skip.kind != "not-started":
            raise UsageProblem(skip.sentence)
        else:
            absent.append((skip.word, skip.sentence))
    if any(player.source == HUMAN for player in players):
        raise UsageProblem(
            "human is you and needs a terminal: referee play scat --vs PLAYER (or scout) seats you at one"
        )
    return Field(players, absent)


def configuration() -> dict[str, Any]:
    """Return ./referee.toml, or nothing when there is none. Raises UsageProblem when it cannot be read."""
    import tomllib

    path = Path(os.environ.get("REFEREE_CONFIG") or "referee.toml")
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if "REFEREE_CONFIG" in os.environ:
            raise UsageProblem(f"REFEREE_CONFIG names {path}, which is not there") from None
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageProblem(f"{path} cannot be read: {error}") from None


# -- games


def check_games(games: Sequence[str]) -> None:
    """Raise BadOption for a word that is no game."""
    from referee.games import game_class

    for name in games:
        game_class(name)


def seat_counts(text: str) -> list[int]:
    """Return the numbers of seats that --seats names, ascending. Raises UsageProblem."""
    low, _, high = text.partition("-")
    if not (low.isascii() and low.isdigit()) or (high and not (high.isascii() and high.isdigit())):
        raise UsageProblem(f"--seats is a number or a range such as 2-4, not {text!r}")
    counts = list(range(int(low), int(high or low) + 1))
    if not counts or counts[0] < 2 or counts[-1] > 9:
        raise UsageProblem(f"--seats lies between 2 and 9, not {text!r}")
    return counts


def settings_for(games: Sequence[str], settings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return for each game the options that --set gave it.

    settings -- NAME=VALUE reaches every game that declares NAME, GAME.NAME=VALUE only that game
    Raises BadOption for a name that none declares.
    """
    from referee.games import BadOption, game_class, nearest

    declared = {game: {option.name for option in game_class(game).declared} for game in games}
    chosen: dict[str, dict[str, str]] = {game: {} for game in games}
    for setting in settings:
        name, mark, value = setting.partition("=")
        if not mark:
            raise BadOption(f"--set takes NAME=VALUE, not {setting!r}")
        only, dot, bare = name.rpartition(".")
        takers = [game for game in games if bare in declared[game] and (not dot or only == game)]
        if not takers:
            known = tuple(sorted({option for options in declared.values() for option in options}))
            raise BadOption(f"no game that is played here has an option {bare!r}.{nearest(bare, known)}")
        for game in takers:
            chosen[game][bare] = value
    return chosen


def master_seed(text: str | None) -> bytes:
    """Return the master seed: random, or the one that a text stands for (protocol.md, Reproducing a deal)."""
    import hashlib

    return os.urandom(32) if text is None else hashlib.sha256(f"referee-master-v1\n{text}".encode()).digest()


# -- runs and records


def run_and_number(word: str) -> tuple[Path, int | None]:
    """Return the run directory and the match that DIR or DIR#N names.

    Raises UsageProblem when what follows the # of a run is no number, and when a file stands before it.
    """
    head, mark, number = word.rpartition("#")
    if not mark or Path(word).is_dir():
        return Path(word), None
    if number.isascii() and number.isdigit() and not Path(head).is_file():
        return Path(head), int(number)
    if not Path(head).exists() or Path(word).exists():
        return Path(word), None
    if Path(head).is_file():
        raise UsageProblem(f"{head} is a file, which holds one match: name it without #{number}")
    raise UsageProblem(f"{word}: {number!r} is no number; {head}#0 is the first match of that run")


def match_of(opened: Store, number: int) -> Row:
    """Return a match of a run by its number in the schedule. Raises UsageProblem when there is none."""
    from referee.tournament import Plan

    plan = Plan.from_json(opened.meta("plan"))
    key = plan.numbers().key(number)
    if key is None:
        count, total = opened.count(), plan.size().matches
        held = counted(total, "match") if count == total else f"{count:,} of {counted(total, 'match')}"
        raise UsageProblem(f"{opened.folder} holds {held}, counted from 0; there is no match {number}")
    if (row := opened.row_of(*key)) is None:
        raise UsageProblem(f"match {number} of {opened.folder} has not been played: referee export has those that are")
    return row


def record_and_timings(word: str) -> tuple[str, list[list[float]]]:
    """Return the text of the record that a word names, and the times of the answers where a run kept them.

    word -- a file, DIR#N, or - for standard input
    Raises UsageProblem when it cannot be read.
    """
    if word == "-":
        return sys.stdin.read(), []
    folder, number = run_and_number(word)
    if number is not None and folder.is_dir():
        from referee import store

        with store.read(folder) as opened:
            row = match_of(opened, number)
            return row.record, row.timings
    if folder.is_dir():
        raise UsageProblem(f"{folder} is a folder: name a match of a run, such as {folder}#0, or a record's file")
    try:
        # newline="": a changed line end is a changed record, not one to be forgiven
        with Path(word).open(encoding="ascii", errors="backslashreplace", newline="") as file:
            return file.read(), []
    except OSError as error:
        raise UsageProblem(f"the record {word} cannot be read: {error.strerror}") from None
