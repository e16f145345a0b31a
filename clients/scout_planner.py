"""A SCOUT player that tries every move and keeps the best hand: one step ahead, no guess about the others.

A move is worth a quarter of the structure of the hand it leaves, less the cards in it, plus the cards it wins, less one
for a Scout. It works out the legal moves itself, so it asks the referee to leave them out.
"""

from __future__ import annotations

import kit
from scout_greedy import numbers, scouts, sets, structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Strength = tuple[int, bool, int]


def strength(cards: list[int]) -> Strength:
    """Return what decides between two sets: more cards, equal numbers before a run, the smallest number."""
    return len(cards), cards[0] == cards[-1], min(cards, default=0)


def shows(hand: list[int], active: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield every Show that beats the active set, as `2-4` or `3` and the hand that it leaves."""
    to_beat = strength(active) if active else (0, False, 0)
    for first, last in sets(hand):
        if last - first + 1 >= to_beat[0] and strength(hand[first : last + 1]) > to_beat:
            yield f"{first}-{last}" if last > first else f"{first}", hand[:first] + hand[last + 1 :]


def worth(hand: list[int]) -> float:
    """Return what a hand is worth to its holder, in points."""
    return 0.25 * structure(hand) - len(hand)


def moves(request: kit.Request) -> Iterator[tuple[float, str]]:
    """Yield every legal move with its worth; the second half of a Scout & Show is foreseen."""
    cards, hand = request.list("active"), numbers(request.list("hand"))
    active, me, pair = numbers(cards), request.match.seat, request.match.seats == 2
    for show, left in shows(hand, active):
        yield worth(left) + len(active), f"show:{show}"
    if not cards or request["phase"] == "show":
        return
    may_scout = not pair or request.list("tokens")[me] != "0"
    may_scout_and_show = request.list("marker")[me] == "true"
    for scout, grown in scouts(hand, cards):
        if may_scout:
            yield worth(grown) - 1, f"scout:{scout}"
        if may_scout_and_show:
            rest = active[1:] if scout[0] == "L" else active[:-1]
            after = [worth(left) for _, left in shows(grown, rest)]
            if after:
                yield max(after) + len(rest) - 1, f"scoutshow:{scout}"


def choose(request: kit.Request) -> str:
    """Return the action for one request; of equally good moves the first."""
    if request["phase"] == "orient":
        cards = request.list("hand")
        turned = [int(card.split("/")[1]) for card in cards]
        return "turn" if structure(turned) > structure(numbers(cards)) else "keep"
    return max(moves(request), key=lambda move: move[0])[1]


if __name__ == "__main__":
    kit.run(choose, games="scout", legal=False)
