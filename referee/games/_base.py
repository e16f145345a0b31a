"""The Game contract: what the referee, a record, a search player and the tests may ask of any game.

A game is a value: its options are fixed when it is made and never change. A state is an immutable, hashable
value that holds the whole truth; `deal` makes the first one and `apply` each next one. Nothing here does I/O or
keeps time, and all randomness comes from the seed given to `deal`.

A new game is one file in this folder with a class `GAME` that derives from `Game`; `games.names()` finds it.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

Seat: TypeAlias = int
Value: TypeAlias = bool | int | str
State = TypeVar("State")
Action = TypeVar("Action")


class IllegalAction(Exception):
    """The word is an action of this game, but not legal now. Its text goes to the player."""


class MalformedAction(Exception):
    """The word is no action of this game. Its text goes to the player."""


class BadOption(ValueError):
    """An option is unknown, out of range, or contradicts another. Its text is a sentence for a person."""


class Option(NamedTuple):
    """One declared option of a game.

    name    -- the word used by `--set NAME=VALUE`, the `options` line and records
    default -- bool, int or str; its type is the option's type
    help    -- one line for a person
    rules   -- the rule ids that it decides, as in the rulebook
    choices -- for str: the words allowed
    low, high -- for int: the range allowed, both included
    """

    name: str
    default: Value
    help: str
    rules: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    def parse(self, given: object) -> Value:
        """Return the value that `given` (a bool, a number, or text as on the wire) stands for; raise BadOption."""
        text = str(given).lower() if isinstance(given, bool) else str(given)
        if isinstance(self.default, bool):
            if text in ("true", "false"):
                return text == "true"
            raise BadOption(f"{self.name} is true or false, not {text!r}")
        if isinstance(self.default, int):
            if text.isascii() and text.isdigit() and len(text) <= 9 and self.low <= int(text) <= self.high:
                return int(text)
            raise BadOption(f"{self.name} is a whole number from {self.low} to {self.high}, not {text!r}")
        if text in self.choices:
            return text
        raise BadOption(f"{self.name} is one of {', '.join(self.choices)}, not {text!r}")


def show_value(value: Value) -> str:
    """Return an option's value as the wire and `--set` spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Event(NamedTuple):
    """What happened, as the lines that those at the table hear.

    public  -- the line for all who are not in `private`, spectators included
    private -- seat -> the line that this seat hears instead
    """

    public: str
    private: Mapping[Seat, str] = MappingProxyType({})

    def heard_by(self, seat: Seat | None) -> str:
        """Return the line that `seat` hears; None is a spectator."""
        return self.public if seat is None else self.private.get(seat, self.public)


class Outcome(NamedTuple):
    """How a match ended: scores per seat, and places from 1, where equals share the better place (1-2-2-4)."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]


def places(keys: tuple[Any, ...]) -> tuple[int, ...]:
    """Return each seat's place, 1 for the greatest key; equal keys share a place (1-2-2-4)."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


class Game(abc.ABC, Generic[State, Action]):
    """One game under one set of options.

    name    -- the word for the game on the wire and the command line
    title   -- the name of the game for a person
    seats   -- the numbers of seats it can be played with
    declared -- its options, in the order of the rulebook
    presets -- preset name -> the options that it changes; "seed" changes none
    unit    -- what one deal's result counts, for a person, such as "lives lost"
    more_is_better -- whether a greater result of a deal is the better one
    """

    name: ClassVar[str]
    title: ClassVar[str]
    seats: ClassVar[range]
    declared: ClassVar[tuple[Option, ...]]
    presets: ClassVar[Mapping[str, Mapping[str, Value]]]
    unit: ClassVar[str]
    more_is_better: ClassVar[bool]

    def __init__(self, options: Mapping[str, Value]) -> None:
        self.options: Mapping[str, Value] = MappingProxyType(dict(options))

    @classmethod
    def contradiction(cls, options: Mapping[str, Value]) -> str | None:
        """Return a sentence when these options (all of them, valid one by one) contradict each other."""
        return None

    @abc.abstractmethod
    def deal(self, seats: int, seed: bytes) -> tuple[State, tuple[Event, ...]]:
        """Return the first state of a match and what each seat hears of it.

        seats -- int, one of `self.seats`
        seed  -- bytes, all the randomness of the match
        Raises BadOption when an option does not fit this number of seats.
        """

    @abc.abstractmethod
    def to_act(self, state: State) -> Seat | None:
        """Return the seat that must act, or None when the match is over."""

    @abc.abstractmethod
    def deal_number(self, state: State) -> int:
        """Return the number of the deal being played, from 0."""

    @abc.abstractmethod
    def view(self, state: State, seat: Seat) -> Mapping[str, str]:
        """Return everything that `seat` may know now as wire words, key -> value, in wire order.

        The first two keys are `deal` and `turn`; the legal actions are not among them.
        """

    @abc.abstractmethod
    def legal_actions(self, state: State) -> Iterator[Action]:
        """Yield every legal action of the seat to act, each once, in the documented order, lazily."""

    @abc.abstractmethod
    def parse(self, word: str) -> Action:
        """Return the action that one word of text spells; raise MalformedAction. Inverse of `format`."""

    @abc.abstractmethod
    def format(self, action: Action) -> str:
        """Return the one spelling of an action."""

    @abc.abstractmethod
    def apply(self, state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
        """Return the state after the action, and what happened, up to the next decision or the end of the match.

        Raises IllegalAction for exactly the actions that `legal_actions` does not yield.
        """

    @abc.abstractmethod
    def caretaker(self, state: State) -> Action:
        """Return the documented legal action for a seat whose player is gone."""

    @abc.abstractmethod
    def results(self, state: State) -> tuple[tuple[int | None, ...], ...]:
        """Return each finished deal's result per seat, in `unit`; None for a seat that was out of the match."""

    @abc.abstractmethod
    def truth(self, state: State) -> Mapping[str, str]:
        """Return the whole truth as wire words, for a record's reader and for replays: every hand, the stock."""

    @abc.abstractmethod
    def outcome(self, state: State) -> Outcome:
        """Return the outcome of a match; once `to_act` is None it is final."""


AnyGame: TypeAlias = Game[Any, Any]
