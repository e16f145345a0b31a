"""How lucky each seat was in a match: what the cards gave, beyond what was to be expected when they fell.

Theory of operation. `compare` takes known luck out of its differences (control variates), which is honest only when
that luck is 0 on average whoever plays and however well. Each term here is a martingale difference: a quantity, less
its expectation given all that had happened before it, and no player can know more than that.

    hand   of a deal: the value of the hand dealt to a seat, less the mean over all hands. That a seat is still in the
           match depends on the play before the deal, what it is dealt does not
    stock  of a draw from the stock: the value of the best three of the four cards, less its mean over the cards that
           the stock holds. Given everything but its order, each of them is as likely to be on top

Terms are summed up to the first fault and not divided by anything that the play decides (such as the number of deals):
a sum that stops when the play says so is still 0 on average, a mean need not be.

SCOUT has no stock, and as each player of a block gets each hand of each deal once, the luck of the deal cancels within
the block. So nothing is left to take out, and SCOUT has no terms.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Final, NamedTuple

from referee.cards import CARD
from referee.games._base import Event, Value
from referee.games.scat import STOCK, WORDS, Scat, State
from referee.match import Faulted, Move, Record
from referee.record import replay
from referee.wire import words

GAMES: Final = ("scat",)  # of which the luck is known


class Luck(NamedTuple):
    """The luck of each seat over a match, in points of a hand: see the top of this module. 0 on average."""

    hand: tuple[float, ...]
    stock: tuple[float, ...]


def luck(record: Record) -> Luck:
    """Return how lucky each seat was. Raises ValueError for a game that is not among GAMES."""
    if record.game not in GAMES:
        raise ValueError(f"nothing is known of the luck in {record.game}")
    game = Scat(record.options)
    expected = _mean_hand(tuple(record.options.items()))
    hand, stock = [0.0] * record.seats, [0.0] * record.seats
    before: State | None = None
    for step, state, events in replay(record):
        if isinstance(step, Faulted) and not step.struck:
            break
        if isinstance(step, Move) and step.word == WORDS[STOCK] and before is not None:
            stock[step.seat] += drawn(game, before)
        for seat, value in _dealt(game, events):
            hand[seat] += value - expected
        before = state
    return Luck(tuple(hand), tuple(stock))


@functools.lru_cache(maxsize=8)
def _mean_hand(options: tuple[tuple[str, Value], ...]) -> float:
    """Return the mean value of three cards of the 52 under these options, in points."""
    game = Scat(dict(options))
    hands = [game.value(hand) for hand in itertools.combinations(range(52), 3)]
    return sum(hands) / len(hands) / 2


def _dealt(game: Scat, events: tuple[Event, ...]) -> Iterator[tuple[int, float]]:
    """Yield (seat, value of its hand in points) for each deal among the events; hands dealt unseen are left out."""
    for public, private in events:
        if public.startswith("deal "):
            for seat, line in private.items():
                if (cards := words(line)[2]["hand"]) != "-":
                    yield seat, game.value(tuple([CARD[card] for card in cards.split(",")])) / 2


def drawn(game: Scat, state: State) -> float:
    """Return the luck of the seat to act when it draws the top of the stock, in points."""
    hand = state.hands[state.seat]
    worth = [game.best((*hand, card)) for card in state.stock]
    return (worth[0] - sum(worth) / len(worth)) / 2
