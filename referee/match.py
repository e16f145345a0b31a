"""One match as a generator of requests: who is asked what, what everybody hears, who is out.

Theory of operation. `play` knows the rules of the match but no process, pipe or clock. It yields requests and is sent
replies; `worker.drive` answers them with real players, a test with scripted ones:

    Ask      -> Answer or Fault    a decision; `events` happened since the last request and are told first
    Tell     -> None               the last events of the match
    Strike   -> None               a tolerated fault: the culprit is told, the caretaker moved for it
    Dismiss  -> None               a fault that ends a player's part: it is told and killed

A fault ends a player's part in the match: the game's caretaker plays its seat on, so that the match of the others
stands. When fewer than two players are left the match stops. Who faulted ranks below all who did not, an earlier
fault below a later one, and the deals from the first fault on do not count in anyone's mean per deal.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from referee.games import option_lines
from referee.games._base import AnyGame, Event, IllegalAction, MalformedAction, Outcome, Seat, Value, places
from referee.wire import Fault, safe

LATE_MS = 1000.0  # with strikes left: how late an answer may come beyond the grace; at most as long as it had


class Limits(NamedTuple):
    """What a player is given, in milliseconds.

    move_ms      -- for each answer; None is no clock
    bank_ms      -- for the whole match beyond move_ms
    increment_ms -- added to the bank after each answer
    start_ms     -- from the start of the process to its `ready`
    grace_ms     -- an overrun by this much is forgiven
    strikes      -- how many malformed, illegal or late answers a player may give in a match
    ponder       -- whether players may think while others move; else they are stopped meanwhile
    """

    move_ms: int | None = 1000
    bank_ms: int = 0
    increment_ms: int = 0
    start_ms: int = 10_000
    grace_ms: int = 50
    strikes: int = 0
    ponder: bool = True


class Ask(NamedTuple):
    """A decision that `seat` must make.

    ms       -- time for the answer, bank included; None is no clock
    words    -- everything of the `act` line between the id and `legal=`
    legal    -- makes the text of the legal list, for players that want it
    events   -- what happened since the last request
    grace_ms -- by how much an answer may be late and still be wanted: for the grace, or for a strike
    """

    seat: Seat
    ms: float | None
    words: str
    legal: Callable[[], str]
    events: tuple[Event, ...]
    grace_ms: float


class Tell(NamedTuple):
    """Events that no further decision follows."""

    events: tuple[Event, ...]


class Strike(NamedTuple):
    """A fault of `seat` that was tolerated; `left` more will be."""

    seat: Seat
    code: str
    left: int
    text: str


class Dismiss(NamedTuple):
    """A fault that ends the part of the player at `seat`."""

    seat: Seat
    code: str
    text: str


class Answer(NamedTuple):
    """A player's answer: one word, a remark for the record, and the time it took in milliseconds."""

    action: str
    remark: str = ""
    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    wait_ms: float = 0.0
    charge_ms: float = 0.0


class Move(NamedTuple):
    """A move of the record; `by` says who chose it: the player, or the caretaker for it."""

    seat: Seat
    word: str
    by: str = "player"
    remark: str = ""


class Faulted(NamedTuple):
    """A fault of the record; `struck` when it was tolerated."""

    seat: Seat
    code: str
    text: str
    struck: bool = False


Step: TypeAlias = Move | Faulted
Request: TypeAlias = Ask | Tell | Strike | Dismiss
Reply: TypeAlias = Answer | Fault | None


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that happened in a match, and nothing that varies from run to run.

    results -- per finished deal, per seat: what the game counts (`Game.unit`); None where the seat was out
    counted -- how many of these deals came before the first fault
    void    -- a sentence when the referee itself failed; such a match counts for nobody
    timings -- (seat, wall, cpu, wait, charge) per answer, in ms; kept beside the record, never in it
    overran -- per seat, how many answers were late and forgiven by the grace; beside the record, too
    """

    game: str
    preset: str
    options: Mapping[str, Value]
    names: tuple[str, ...]
    seed: bytes
    steps: tuple[Step, ...]
    results: tuple[tuple[int | None, ...], ...]
    counted: int
    outcome: Outcome
    void: str = ""
    timings: tuple[tuple[int, float, float, float, float], ...] = field(default=(), compare=False)
    overran: tuple[int, ...] = field(default=(), compare=False)

    @property
    def seats(self) -> int:
        return len(self.names)

    @property
    def faults(self) -> tuple[Faulted, ...]:
        """The faults that ended a player's part, in order."""
        return tuple(step for step in self.steps if isinstance(step, Faulted) and not step.struck)


def greeting_of_match(
    game: AnyGame, names: tuple[str, ...], seat: Seat, identity: str, rng: str, limits: Limits, preset: str
) -> tuple[str, str]:
    """Return the `match` and `options` lines that open a match for one seat."""
    move_ms = "-" if limits.move_ms is None else limits.move_ms
    return (
        f"match id={identity} game={game.name} seats={len(names)} seat={seat} names={','.join(names)} rng={rng}"
        f" move_ms={move_ms} bank_ms={limits.bank_ms} increment_ms={limits.increment_ms} strikes={limits.strikes}",
        f"options preset={preset} {option_lines(game.options)}",
    )


def end_line(outcome: Outcome) -> str:
    """Return the `end` line: places and scores per seat."""
    return f"end ranks={','.join(map(str, outcome.ranks))} scores={','.join(map(str, outcome.scores))}"


class _Clock:
    """The banks of one match; spends what the process layer measured."""

    def __init__(self, limits: Limits, seats: int) -> None:
        self.move_ms = limits.move_ms
        self.increment = limits.increment_ms
        self.grace = float(limits.grace_ms)
        self.used = bool(limits.bank_ms or limits.increment_ms)
        self.banks = [float(limits.bank_ms)] * seats

    def allowance(self, seat: Seat) -> float | None:
        return None if self.move_ms is None else self.move_ms + self.banks[seat]

    def patience(self, ms: float | None, strikes_left: int) -> float:
        """Return by how much an answer may be late and still be wanted; as late as this it costs a strike."""
        return self.grace + (min(ms, LATE_MS) if ms is not None and strikes_left else 0.0)

    def too_late(self, ms: float | None, charge: float) -> str:
        """Return a sentence when an answer came later than the grace forgives, else ""."""
        if ms is None or charge <= ms + self.grace:
            return ""
        return f"expected an answer within {ms:g} ms (+{self.grace:g} ms of grace), got it after {charge:.0f} ms"

    def words(self, seat: Seat, view: Mapping[str, str]) -> str:
        if self.move_ms is None:
            head = "ms=-"
        elif self.used:
            head = f"ms={int(self.move_ms + self.banks[seat])} bank_ms={int(self.banks[seat])}"
        else:
            head = f"ms={self.move_ms}"
        return f"{head} {' '.join([f'{key}={value}' for key, value in view.items()])}"

    def charge(self, seat: Seat, ms: float) -> None:
        if self.used and self.move_ms is not None:
            self.banks[seat] = max(0.0, self.banks[seat] - max(0.0, ms - self.move_ms)) + self.increment


def play(
    game: AnyGame,
    seed: bytes,
    names: tuple[str, ...],
    limits: Limits,
    preset: str = "seed",
    absent: Mapping[Seat, Fault] = MappingProxyType({}),
) -> Generator[Request, Reply, Record]:
    """Play one match; see the top of this module for the requests and replies.

    seed   -- bytes, all the randomness of the deals
    names  -- what the seats are called; their number is the number of seats
    absent -- seats whose players faulted before the match, in the order of their faults
    Raises BadOption when the options do not fit the number of seats. Any other exception is a bug of ours.
    """
    seats = len(names)
    clock = _Clock(limits, seats)
    left = [limits.strikes] * seats
    gone: list[Seat] = list(absent)  # in the order of the faults
    steps: list[Step] = [Faulted(seat, fault.code, fault.text) for seat, fault in absent.items()]
    timings: list[tuple[int, float, float, float, float]] = []
    overran = [0] * seats
    counted: int | None = 0 if absent else None
    state, dealt = game.deal(seats, seed)
    events = tuple(Event(f"fault seat={seat} code={fault.code}") for seat, fault in absent.items()) + dealt

    while (seat := game.to_act(state)) is not None and seats - len(gone) > 1:
        if seat in gone:
            action = game.caretaker(state)
            steps.append(Move(seat, game.format(action), "caretaker"))
            state, more = game.apply(state, action)
            events += more
            continue

        ms = clock.allowance(seat)
        request = clock.words(seat, game.view(state, seat))
        reply = yield Ask(seat, ms, request, _Legal(game, state), events, clock.patience(ms, left[seat]))
        events = ()
        late = ""
        if type(reply) is Answer:
            timings.append((seat, reply.wall_ms, reply.cpu_ms, reply.wait_ms, reply.charge_ms))
            clock.charge(seat, reply.charge_ms)
            late = clock.too_late(ms, reply.charge_ms)
            fault = Fault("timeout", late)
            if not late:
                overran[seat] += ms is not None and reply.charge_ms > ms
                try:
                    action = game.parse(reply.action)
                    state, events = game.apply(state, action)
                except MalformedAction as error:
                    fault = Fault("malformed", safe(str(error)))
                except IllegalAction as error:
                    fault = Fault("illegal", safe(str(error)))
                else:
                    steps.append(Move(seat, game.format(action), "player", reply.remark))
                    continue
        else:
            assert type(reply) is Fault, f"an Ask was answered with {reply!r}"
            fault = reply

        if left[seat] > 0 and (late or fault.code in ("malformed", "illegal")):
            left[seat] -= 1
            steps.append(Faulted(seat, fault.code, fault.text, struck=True))
            yield Strike(seat, fault.code, left[seat], fault.text)
            action = game.caretaker(state)
            steps.append(Move(seat, game.format(action), "caretaker"))
            state, events = game.apply(state, action)
            continue

        if counted is None:
            counted = len(game.results(state))
        gone.append(seat)
        steps.append(Faulted(seat, fault.code, fault.text))
        yield Dismiss(seat, fault.code, fault.text)
        events = (Event(f"fault seat={seat} code={fault.code}"),)

    results = game.results(state)
    outcome = rank_faulted(game.outcome(state), gone)
    yield Tell((*events, Event(end_line(outcome))))
    return Record(
        game.name,
        preset,
        game.options,
        names,
        seed,
        tuple(steps),
        results,
        len(results) if counted is None else counted,
        outcome,
        timings=tuple(timings),
        overran=tuple(overran),
    )


class _Legal:
    """The text of the legal list, made only when a player wants it."""

    __slots__ = ("game", "state")

    def __init__(self, game: AnyGame, state: object) -> None:
        self.game = game
        self.state = state

    def __call__(self) -> str:
        return ",".join(map(self.game.format, self.game.legal_actions(self.state)))


def rank_faulted(outcome: Outcome, gone: list[Seat]) -> Outcome:
    """Return the outcome with the seats in `gone` (in the order of their faults) below all others."""
    if not gone:
        return outcome
    keys = tuple((0, gone.index(seat)) if seat in gone else (1, -rank) for seat, rank in enumerate(outcome.ranks))
    return Outcome(outcome.scores, places(keys))
