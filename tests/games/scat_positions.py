"""Positions of SCAT for tests, from words."""

from referee.cards import CARD
from referee.games.scat import DRAW, NOBODY, State, open_table

SEED = bytes(range(32))


def cards(text: str) -> tuple[int, ...]:
    return tuple(CARD[word] for word in text.split())


def state_of(
    *hands: str,
    seat: int = 0,
    turn: int = 20,
    phase: int = DRAW,
    pile: str = "2C",
    stock: str | None = None,
    knocker: int = NOBODY,
    coins: tuple[int, ...] | None = None,
    dealer: int | None = None,
    gone: tuple[int, ...] | None = None,
    number: int = 0,
) -> State:
    """A state with these hands; `stock` names the next cards, the rest of the deck follows; "" is an empty stock."""
    held = [cards(hand) for hand in hands]
    used = {card for hand in held for card in hand} | {*cards(pile)} | {*cards(stock or "")}
    rest = tuple(card for card in range(52) if card not in used) if stock != "" else ()
    seats = len(hands)
    results = ((0,) * seats,) * number
    table = open_table(
        SEED, number, seats - 1 if dealer is None else dealer, coins or (3,) * seats, gone or (-1,) * seats, results
    )
    return State(table, turn, phase, seat, tuple(held), cards(stock or "") + rest, cards(pile), knocker, 0)
