"""One match, played in this process and told as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.cli.options import Terms
from referee.cli.output import UsageProblem, note, say, trace
from referee.cli.reading import master_seed, match_of, settings_for
from referee.words import counted

if TYPE_CHECKING:
    from referee.games._base import AnyGame
    from referee.launch import Player
    from referee.match import Answer, Limits, Record
    from referee.process import Seated, Table
    from referee.report.narrate import Narrator
    from referee.store import Store
    from referee.wire import Fault


class Sitting(NamedTuple):
    """A match to be played.

    names   -- what the players hear each other called
    seed    -- all the randomness of the deals
    rngs    -- a seed for each player's own randomness
    sandbox -- as in a Plan
    """

    game: AnyGame
    preset: str
    players: Sequence[Player]
    names: tuple[str, ...]
    limits: Limits
    seed: bytes
    rngs: tuple[str, ...]
    sandbox: Mapping[str, Any]


def new_sitting(game: str, players: Sequence[Player], terms: Terms, seed: str | None, anonymous: bool) -> Sitting:
    """Return the first match of a run of these players alone, seated as they were named.

    Raises BadOption for the game and its options, UsageProblem when it is not for so many.
    """
    from referee.games import load
    from referee.schedule import Task, block_seed, player_seed

    chosen = load(game, terms.rules.preset, **settings_for([game], terms.rules.settings or [])[game])
    count = len(players)
    if count not in chosen.seats:
        raise UsageProblem(
            f"{chosen.title} has {chosen.seats[0]} to {chosen.seats[-1]} seats; you named {counted(count, 'player')}"
        )
    master = master_seed(seed)
    task = Task(0, game, count, 0, tuple(range(count)), 0, 0, 1)
    return Sitting(
        game=chosen,
        preset=terms.rules.preset,
        players=players,
        names=tuple(f"player-{n}" if anonymous else player.name for n, player in enumerate(players, 1)),
        limits=terms.clock.limits(),
        seed=block_seed(master, game, count, 0),
        rngs=tuple(player_seed(master, task, 0, seat) for seat in range(count)),
        sandbox=terms.sandbox.planned(),
    )


def stored_sitting(opened: Store, number: int) -> Sitting:
    """Return a match of a run as it was played. Raises UsageProblem when there is none of that number."""
    from referee.launch import Player
    from referee.process import Command
    from referee.schedule import block_seed, player_seed, seating
    from referee.tournament import Plan

    plan = Plan.from_json(opened.meta("plan"))
    row = match_of(opened, number)
    task = next(task for task in plan.schedule() if task.index == row.task)
    master, seats = opened.master_seed(), seating(task, row.block)
    entries = [plan.players[index] for index in seats]
    game, preset = plan.game(task.game)
    return Sitting(
        game=game,
        preset=preset,
        players=[
            Player(each.name, Command(each.argv, each.cwd, each.env), each.games, each.source) for each in entries
        ],
        names=tuple(map(plan.shown, seats)),
        limits=plan.limits,
        seed=block_seed(master, task.game, task.seats, row.block),
        rngs=tuple(player_seed(master, task, row.block, seat) for seat in range(task.seats)),
        sandbox={**plan.sandbox, "hidden": [str(opened.folder.absolute())]} if plan.sandbox else {},
    )


def play_here(sitting: Sitting, *, traced: bool, quiet: bool = False, mute: bool = False) -> Record:
    """Play a match in this process, telling it as it goes, and return its record.

    traced -- whether every line is shown, both ways
    quiet  -- whether only its end and its faults are told
    mute   -- whether nothing is told on standard output
    Raises UsageProblem when somebody plays there who would hear it.
    """
    from referee import confine
    from referee.launch import STDIO
    from referee.process import Process, Table
    from referee.report.narrate import Narrator
    from referee.wire import Fault
    from referee.worker import Seats, drive

    game, limits = sitting.game, sitting.limits
    at_stdio = any(player.source == STDIO for player in sitting.players)
    commentary = _Commentary(Narrator(game.name, sitting.names), note if at_stdio or mute else say, quiet)
    confine.referee_start()
    with Table(trace=trace if traced else None, sandbox=confine.Sandbox.from_json(sitting.sandbox)) as table:
        if sitting.sandbox or not (quiet or at_stdio):
            note(table.isolation)
        met = [_met(table, seat, player, game.name, limits) for seat, player in enumerate(sitting.players)]
        seated = [None if isinstance(each, Fault) else each for each in met]
        absent = {seat: each for seat, each in enumerate(met) if isinstance(each, Fault)}
        table.vigil.begin()
        overheard = [each and _Overheard(each, seat, commentary) for seat, each in enumerate(seated)]
        seats = Seats(sitting.names, sitting.rngs, overheard, absent)
        record = drive(game, sitting.seed, seats, limits, preset=sitting.preset, observe=commentary.observe)
        if limits.move_ms is not None and (trouble := table.vigil.trouble()):
            note(f"do not trust the clock of this match: {trouble}")
        for fault in record.faults:
            note(f"{sitting.names[fault.seat]}: {fault.text}")
        for sat in seated:
            if sat is not None and not isinstance(sat, Process):
                sat.bye()
        table.bye()
    return record


class _Commentary:
    """Tells a match to a person: what a spectator hears, and beside it who was struck and whom the caretaker plays for.

    tell  -- called with each sentence
    quiet -- whether only the end and faults are told
    """

    def __init__(self, narrator: Narrator, tell: Callable[[str], object], quiet: bool) -> None:
        self._narrator = narrator
        self._tell = tell
        self._quiet = quiet
        self._out: set[int] = set()  # seats whose player is gone
        self._struck: set[int] = set()  # seats whose next move is the caretaker's

    def observe(self, _: int | None, line: str) -> None:
        """Hear a line of the match; a strike names its seat, as it does in a record."""
        from referee.wire import words

        verb, _bare, keys = words(line)
        seat = int(keys.get("seat", "-1"))
        match verb:
            case "fault":
                self._out.add(seat)
            case "strike":
                self._struck.add(seat)
            case "did" if seat in self._out or seat in self._struck:
                self._struck.discard(seat)
                line += " by=caretaker"
        if (not self._quiet or verb in ("end", "void", "fault")) and (sentence := self._narrator.sentence(line)):
            self._tell(sentence)


class _Overheard:
    """A player of whose strikes whoever watches hears as well."""

    def __init__(self, player: Seated, seat: int, commentary: _Commentary) -> None:
        self._player = player
        self._seat = seat
        self._commentary = commentary

    @property
    def id(self) -> int | None:
        return self._player.id

    def tell(self, line: str) -> None:
        self._player.tell(line)
        if line.startswith("strike "):
            self._commentary.observe(None, line.replace("strike ", f"strike seat={self._seat} ", 1))

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | Fault:
        return self._player.ask(words, legal, ms, grace_ms)

    def dismiss(self, line: str) -> None:
        self._player.dismiss(line)


def result_of_match(sitting: Sitting, record: Record, form: str) -> str:
    """Return the result of a match as json, jsonl, csv or tsv."""
    from referee.report.tables import exported_match
    from referee.schedule import Task
    from referee.tournament import row_of
    from referee.worker import told

    alone = Task(0, sitting.game.name, record.seats, 0, tuple(range(record.seats)), 0, 0, 1)
    return exported_match(sitting.names, row_of(alone, told(0, record, {})), form)


def _met(table: Table, seat: int, player: Player, game: str, limits: Limits) -> Seated | Fault:
    """Start a player and greet it; return who sits there now, or why nobody does."""
    from referee.launch import STDIO
    from referee.process import CannotStart
    from referee.wire import Fault

    at_stdio = player.source == STDIO
    try:
        process: Seated = table.stdio(player.name) if at_stdio else table.start(player.command, player.name)
    except CannotStart as error:
        return Fault("start", str(error))
    process.rests = not limits.ponder
    unhurried = at_stdio and limits.move_ms is None
    ready = process.greet((game,), None if unhurried else limits.start_ms)
    if not isinstance(ready, Fault) and ready.games is not None and game not in ready.games:
        ready = _plays_no_such(game, ready.games)
    if isinstance(ready, Fault):
        process.dismiss(f"fault seat={seat} code={ready.code} id=- text={ready.text}")
        return ready
    return process


def _plays_no_such(game: str, games: Sequence[str]) -> Fault:
    """Return why a player is not seated that has listed other games."""
    from referee.wire import Fault, quote

    listed = quote(f"games={','.join(games) or '-'}")
    text = f"it is not seated, as it said {listed}, which is without {game}; 'ready' alone plays any game that is asked"
    return Fault("handshake", text)
