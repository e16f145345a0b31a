"""Single decisions for a player to be asked, sampled from random play so that every kind of situation is met.

Everything here is a pure function of the game's name: position 118 of a game is the same on every machine and in every
run of this version, which is what makes its number worth noting.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from referee.games import load
from referee.games._base import AnyGame, Event, Seat
from referee.match import Answer

SAMPLE: Final = 240  # positions of a game
MATCHES_MOST: Final = 250  # random matches that a sample may take
HEARD_MOST: Final = 250  # lines of history that a position may have
TAKEN: Final = 0.25  # of the positions of a kind that is still wanted, so that few come from the same match
BIG_HAND: Final = 15  # cards of a SCOUT hand that is called big: more than are ever dealt
NAMES: Final = ("ann", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ivy")

# How often a verb is played beside the others: for quick games, for long ones, and for big hands.
_STYLES: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "brisk": {"knock": 0.3, "show": 3.0, "scoutshow": 0.5},
        "long": {"knock": 0.02, "show": 1.0, "scoutshow": 1.0},
        "hoard": {"knock": 0.02, "show": 0.05, "scoutshow": 0.05},
    }
)


class Position(NamedTuple):
    """One decision of one seat, with what it takes to ask for it and to judge the answer.

    number -- int from 1: its place in the sample of its game
    kind   -- what is special about it, in a few words
    heard  -- the events that the seat has heard since the match began
    view   -- key -> value, as in the `act` line
    legal  -- the legal actions, as words
    """

    number: int
    kind: str
    game: AnyGame
    state: Any
    seats: int
    seat: Seat
    heard: tuple[str, ...]
    view: Mapping[str, str]
    legal: tuple[str, ...]


class StandIn:
    """Who plays the other seats: at random, in one of the styles, and the same way again with the same seed."""

    id: int | None = None

    def __init__(self, seed: str, style: str = "brisk") -> None:
        self._rng = random.Random(seed)
        self._weights = _STYLES[style]

    def choose(self, legal: tuple[str, ...]) -> str:
        """Return one of the legal words: first its verb is drawn, then one of that verb."""
        verbs: dict[str, list[str]] = {}
        for word in legal:
            verbs.setdefault(word.partition(":")[0], []).append(word)
        if len(verbs) == len(legal):
            return self._rng.choices(legal, [self._weights.get(word, 1.0) for word in legal])[0]
        (verb,) = self._rng.choices(list(verbs), [self._weights.get(verb, 1.0) for verb in verbs])
        return self._rng.choice(verbs[verb])

    def tell(self, line: str) -> None:
        """Hear a line; a stand-in needs no memory."""

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer:
        """Return an answer, as a player at a table does."""
        return Answer(self.choose(tuple(legal().split(","))))

    def dismiss(self, line: str) -> None:
        """Leave the table, which never happens: a stand-in plays legally."""


@cache
def sample(name: str) -> tuple[Position, ...]:
    """Return the positions of a game, SAMPLE or a few less, with kinds taking turns so that any part has them all."""
    game = load(name)
    kinds: dict[str, list[Position]] = {}
    for n in range(MATCHES_MOST):
        for position in _walk(game, n):
            taken = kinds.setdefault(position.kind, [])
            if len(taken) < SAMPLE // 6:
                taken.append(position)
        if n >= 60 and sum(map(len, kinds.values())) >= SAMPLE:
            break
    rows = [kinds[kind] for kind in sorted(kinds)]
    turns = [row[k] for k in range(max(map(len, rows))) for row in rows if k < len(row)]
    return tuple(position._replace(number=number) for number, position in enumerate(turns[:SAMPLE], 1))


def _walk(game: AnyGame, n: int) -> Iterator[Position]:
    """Yield some of the positions of one match of stand-ins."""
    seats = game.seats[n % len(game.seats)]
    rng = random.Random(f"{game.name} {n}")
    styles = ("hoard", *("brisk",) * 8) if n % 3 == 2 else ("long",) * 9 if n % 3 else ("brisk",) * 9
    players = [StandIn(f"{game.name} {n} {seat}", styles[seat]) for seat in range(seats)]
    state, events = game.deal(seats, seed_of(f"{game.name} position {n}"))
    heard = list(events)
    while (seat := game.to_act(state)) is not None and len(heard) <= HEARD_MOST:
        legal = tuple(map(game.format, game.legal_actions(state)))
        if rng.random() < TAKEN:
            view = game.view(state, seat)
            lines = tuple(line for event in heard if (line := event.heard_by(seat)))
            yield Position(0, kind_of(game.name, view, seat, legal), game, state, seats, seat, lines, view, legal)
        state, events = game.apply(state, game.parse(players[seat].choose(legal)))
        heard.extend(events)


def seed_of(text: str) -> bytes:
    """Return the 32 bytes that a text stands for."""
    return hashlib.sha256(text.encode()).digest()


def later(position: Position, word: str) -> Position | None:
    """Return the same seat's next decision after this action, the others played by stand-ins; None when none comes.

    `heard` of what is returned holds only what has happened in between.
    """
    game, seat = position.game, position.seat
    others = StandIn(f"{position.number}")
    heard: list[Event] = []
    state, events = game.apply(position.state, game.parse(word))
    heard.extend(events)
    while (mover := game.to_act(state)) is not None and mover != seat and len(heard) <= HEARD_MOST:
        legal = tuple(map(game.format, game.legal_actions(state)))
        state, events = game.apply(state, game.parse(others.choose(legal)))
        heard.extend(events)
    if mover != seat:
        return None
    lines = tuple(line for event in heard if (line := event.heard_by(seat)))
    legal = tuple(map(game.format, game.legal_actions(state)))
    return position._replace(state=state, heard=lines, view=game.view(state, seat), legal=legal)


def kind_of(name: str, view: Mapping[str, str], seat: Seat, legal: tuple[str, ...]) -> str:
    """Return what is special about a request. A game that is not known here has its phases for kinds."""
    phase = view.get("phase", "a move")
    if name == "scat" and phase in ("draw", "discard"):
        return _kind_of_scat(view, seat, phase)
    if name == "scout" and phase == "move":
        return _kind_of_scout(view, seat, legal)
    return {"show": "the Show of a Scout & Show", "orient": "keep or turn"}.get(phase, phase)


def _kind_of_scat(view: Mapping[str, str], seat: Seat, phase: str) -> str:
    coins = view["coins"].split(",")
    if phase == "discard":
        last = " in the last turn" if view["knocker"] != "-" else ""
        return f"the discard after {view['from']}{last}"
    if view["stock"] == "0":
        return "a draw without a stock"
    if view["knocker"] != "-":
        return "the last turn after a knock"
    if coins[seat] == "0":
        return "a draw on the dole"
    if "-" in coins:
        return "a draw with seats out"
    return "the first turn" if int(view["turn"]) < len(coins) else "a draw"


def _kind_of_scout(view: Mapping[str, str], seat: Seat, legal: tuple[str, ...]) -> str:
    cards = int(view["cards"].split(",")[seat])
    if cards >= BIG_HAND:
        return "a big hand"
    if cards <= 2:
        return "a small hand"
    if view["active"] == "-":
        return "a Show with nothing to beat"
    if not any(word.startswith("show:") for word in legal):
        return "no Show is legal"
    if not any(word.startswith("scout:") for word in legal):
        return "no Scout is legal"
    return "a move against a single card" if "," not in view["active"] else "a move against a set"
