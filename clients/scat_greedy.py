"""A SCAT player that always takes the most points now, and knocks at 27.

It takes the discard when that improves the best suit, else draws from the stock; it discards whatever leaves the most.
"""

from __future__ import annotations

import kit

KNOCK_AT = 27
RANKS = {"A": 11, "K": 10, "Q": 10, "J": 10, "T": 10} | {str(pips): pips for pips in range(2, 10)}
VALUE = {rank + suit: points for suit in "CDHS" for rank, points in RANKS.items()}


def suit_sums(hand: list[str]) -> dict[str, int]:
    """Return suit -> the points held in it."""
    sums = {"C": 0, "D": 0, "H": 0, "S": 0}
    for card in hand:
        sums[card[1]] += VALUE[card]
    return sums


def points(hand: list[str]) -> int:
    """Return the value of a hand: its best suit."""
    return max(suit_sums(hand).values())


def without(hand: list[str], card: str) -> list[str]:
    """Return the hand without one card."""
    return [held for held in hand if held != card]


def choose(request: kit.Request) -> str:
    """Return the action for one request."""
    hand, legal = request.list("hand"), request.legal
    if request["phase"] == "throw":
        return "look"
    if request["phase"] == "discard":
        # Of the cards that leave equally much, the lowest goes.
        return max(legal, key=lambda card: (points(without(hand, card)), -VALUE[card]))
    if "knock" in legal and points(hand) >= KNOCK_AT:
        return "knock"
    top = request["pile"]
    if "pile" in legal and max(points([*without(hand, card), top]) for card in hand) > points(hand):
        return "pile"
    return next(action for action in ("stock", "stand", "pile") if action in legal)


if __name__ == "__main__":
    kit.run(choose, games="scat")
