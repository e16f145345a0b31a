"""A run as it was asked for, and the plan that it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.cli.options import USUAL, Deals, Running, Style, Telling, Terms
from referee.cli.output import UsageProblem, note
from referee.cli.reading import Field, settings_for
from referee.words import counted

if TYPE_CHECKING:
    from referee.compare import Question
    from referee.launch import Player
    from referee.schedule import Contest
    from referee.tournament import Entry, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of many matches, whichever command asks for it.

    field    -- who plays, and who cannot be had
    games    -- the games to play; none: all that are played by enough of the field
    seats    -- numbers of seats of the tables, ascending
    tables   -- as --tables
    strict   -- whether a player that cannot start stops it
    dry      -- whether it is only described
    cluster  -- the address of the scheduler whose workers play; None: it is played here
    question -- what is asked of the first two players, when they are to be compared
    """

    field: Field
    games: Sequence[str]
    seats: Sequence[int]
    deals: Deals
    terms: Terms
    running: Running
    telling: Telling
    style: Style = USUAL
    tables: str = "all"
    strict: bool = True
    anonymous: bool = False
    dry: bool = False
    cluster: str | None = None
    question: Question | None = None


class Started(NamedTuple):
    """A player that could be started, and the games that it plays."""

    player: Player
    games: tuple[str, ...]


def plan_of(run: Run, started: Sequence[Started], absent: Sequence[tuple[str, str]]) -> Plan:
    """Return the plan of a run. What is left out of it, or played otherwise than was asked for, is noted.

    absent -- (name, reason) of those that could not be had or started
    Raises TooFewPlayers when a game that was asked for, or all of them, is played by too few; BadOption for options
    and presets, UsageProblem for --tables.
    """
    from referee.compare import slice_for
    from referee.games import names
    from referee.tournament import SLICE, Plan, TooFewPlayers, default_blocks

    wanted = run.games or names()
    options = _options_of(wanted, run.terms)
    contests = [contest for game in wanted if (contest := _contest(run, game, started))]
    if not contests:
        raise TooFewPlayers("no game is played by enough of these players for one table")
    preset = run.terms.rules.preset
    _mind_presets([contest.game for contest in contests], preset)
    plan = Plan(
        players=_entries(started),
        contests=tuple(
            (game, _preset_of(game, preset), options[game], seats, indices) for game, indices, seats, *_ in contests
        ),
        blocks=1,
        slice_blocks=slice_for(run.seats[0]) if run.question else SLICE,
        limits=run.terms.clock.limits(),
        fresh=run.running.fresh,
        anonymous=run.anonymous,
        not_started=tuple(absent),
        anchors=(0, 1) if run.question else (),
        notes=run.question.notes() if run.question else {},
        sandbox=run.terms.sandbox.planned(),
        few=_few_tables(contests, run),
    )
    return replace(plan, blocks=run.deals.blocks or default_blocks(plan.schedulable()))


def describe(plan: Plan) -> str:
    """Return the sentence of --dry-run: who, what, and how much of it."""
    size = plan.size()
    games = ", ".join(f"{game} at tables of {'/'.join(map(str, seats))}" for game, _, _, seats, _ in plan.contests)
    most = " at most" if plan.anchors else ""
    counts = f"{counted(size.tables, 'table')}, {counted(plan.blocks, 'block')}, {counted(size.matches, 'match')}{most}"
    evenly = "".join(f"; {sentence}" for sentence in plan.meetings())
    return f"{counted(len(plan.players), 'player')}; {games}: {counts}{evenly}"


def _entries(started: Iterable[Started]) -> tuple[Entry, ...]:
    from referee.programs import Files, files_of
    from referee.tournament import Entry

    seen: Files = {}
    return tuple(
        Entry(
            player.name,
            player.command.argv,
            player.command.cwd,
            dict(player.command.env),
            games,
            player.source,
            files_of(player.command.argv, player.command.cwd, seen),
        )
        for player, games in started
    )


# -- options and presets


def _options_of(games: Sequence[str], terms: Terms) -> dict[str, dict[str, Any]]:
    """Return the options of each game, as its preset and --set have them."""
    from referee.games import load

    chosen = settings_for(games, terms.rules.settings or [])
    return {game: dict(load(game, _preset_of(game, terms.rules.preset), **chosen[game]).options) for game in games}


def _preset_of(game: str, preset: str) -> str:
    """Return the preset that a game plays: the one that was asked for, or `seed` when it has none of that name."""
    from referee.games import game_class

    return preset if preset in game_class(game).presets else "seed"


def _mind_presets(games: Sequence[str], preset: str) -> None:
    """Note which games do not have a preset and play `seed`. Raises BadOption when none of them has it."""
    from referee.games import BadOption, game_class, nearest

    presets = {game: tuple(game_class(game).presets) for game in games}
    without = [game for game in games if preset not in presets[game]]
    if without == list(games):
        known = "; ".join(f"{game} has {', '.join(presets[game])}" for game in games)
        names = tuple(name for game in games for name in presets[game])
        raise BadOption(f"no game that is played here has a preset {preset!r}: {known}.{nearest(preset, names)}")
    for game in without:
        note(f"{game} has no preset {preset!r} and plays seed")


# -- tables


def _contest(run: Run, game: str, started: Sequence[Started]) -> Contest | None:
    """Return who plays a game at tables of which sizes; None when too few do, of a game that nobody asked for.

    Tables that were asked for and are not played are noted. Raises TooFewPlayers when a game was asked for in vain.
    """
    from referee.games import game_class
    from referee.schedule import Contest
    from referee.tournament import TooFewPlayers

    indices = tuple(index for index, player in enumerate(started) if game in player.games)
    if run.question and not {0, 1} <= set(indices):
        if run.games:
            other = next(player.name for player, games in started[:2] if game not in games)
            raise TooFewPlayers(f"{other} does not play {game}")
        return None
    known = game_class(game).seats
    counts = tuple(count for count in run.seats if count in known and count <= len(indices))
    missing = _missing_tables(game, known, run.seats, len(indices))
    if run.games and not counts:
        raise TooFewPlayers(missing)
    if missing and len(indices) > 1:
        note(missing)
    return Contest(game, indices, counts) if counts else None


def _missing_tables(game: str, known: range, wanted: Sequence[int], players: int) -> str:
    """Return why tables of some of the sizes that are wanted cannot be: too few play it, say; or ""."""
    foreign = [count for count in wanted if count not in known]
    unfilled = [count for count in wanted if count in known and count > players]
    sentences = []
    if foreign:
        sentences.append(f"{game} has no tables of {_span(foreign)}, only of {_span(known)}")
    if unfilled:
        few = "1 player plays" if players == 1 else f"{counted(players, 'player')} play"
        sentences.append(f"no tables of {_span(unfilled)} of {game}: {few} it")
    return "; ".join(sentences)


def _span(counts: Sequence[int]) -> str:
    """Return successive numbers in words: "4", "2 or 3", "2 to 5"."""
    first, last = counts[0], counts[-1]
    return f"{first}" if first == last else f"{first} or {last}" if last == first + 1 else f"{first} to {last}"


def _few_tables(contests: list[Contest], run: Run) -> dict[str, int]:
    """Return what --tables says of the contests, or what goes without saying."""
    from referee.tournament import few_tables

    if run.question or run.tables == "all":
        return {}
    if run.tables and not (run.tables.isascii() and run.tables.isdigit() and int(run.tables) > 0):
        raise UsageProblem(f"--tables takes a number from 1, or all, not {run.tables!r}")
    try:
        return few_tables(contests, int(run.tables) if run.tables else None)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
