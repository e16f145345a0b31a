"""What anybody at the table knows: the part that both games share. Built from the referee's lines only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from human import grammar


class Told(NamedTuple):
    """One thing that happened, in words.

    seat   -- who did it, or None for what the game itself did
    text   -- the words of the log, without the name: `took 10♥, dropped 2♠`
    speech -- a whole sentence for linear mode
    joins  -- it ends the move that the same seat's latest entry began, and takes that entry's place in the log
    """

    seat: int | None
    text: str
    speech: str
    joins: bool = False


class Over(NamedTuple):
    """The end of a deal, as the referee counted it; every list is per seat, `-` for a seat out of the match.

    lines -- sentences that explain the scoring
    """

    deal: int
    reason: str
    fields: Mapping[str, str]
    lines: tuple[str, ...] = ()

    def per_seat(self, key: str, separator: str = ",") -> tuple[str, ...]:
        """Return the words of one list of the line."""
        return tuple(self.fields.get(key, "").split(separator))


@dataclass(frozen=True)
class Table:
    """The public facts of a match and one seat's own cards; numbers are the wire's, from 0.

    names   -- per seat
    me      -- the seat that the person plays, None for a spectator
    options -- the game's options as the referee told them
    deal, turn -- numbers of the deal and of the turn in it
    phase   -- the phase of the seat to act
    mover   -- the seat whose turn it is thought to be, None between deals
    hand    -- the person's cards as the wire spells them
    last    -- per seat, the latest action in this deal
    faults  -- per seat, the code of its fault, `` for none
    over    -- how the latest deal ended, None before the first end
    ranks, scores -- per seat, once the match is over
    """

    names: tuple[str, ...] = ()
    me: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    deal: int = 0
    turn: int = 0
    phase: str = ""
    mover: int | None = None
    hand: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    over: Over | None = None
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()

    @property
    def seats(self) -> int:
        """Return the number of seats."""
        return len(self.names)

    def name(self, seat: int) -> str:
        """Return a seat's name on a screen."""
        return "YOU" if seat == self.me else self.names[seat]

    def called(self, seat: int) -> str:
        """Return a seat's name inside a sentence."""
        return "you" if seat == self.me else self.names[seat]

    def does(self, seat: int, verb: str, rest: str = "") -> str:
        """Return `You draw ...` or `Seat 2, rusty, draws ...`, the start of a sentence."""
        tail = f" {rest}" if rest else ""
        if seat == self.me:
            return f"You {verb}{tail}"
        return f"Seat {grammar.shown(seat)}, {self.names[seat]}, {third(verb)}{tail}"


def third(verb: str) -> str:
    """Return the third person of a verb in its first word: `show` is `shows`, `have` is `has`."""
    return {"have": "has", "are": "is", "do": "does", "pass": "passes"}.get(verb, verb + "s")


def put(items: tuple[str, ...], seat: int, item: str) -> tuple[str, ...]:
    """Return the tuple with one seat's item exchanged."""
    return (*items[:seat], item, *items[seat + 1 :])


def joined(words: list[str], last: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else "nobody"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, ..."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number if number < 20 else number % 10, 'th') }"
