"""A SCOUT player that shows its largest set whenever it can, and else scouts what makes its hand hold together best."""

from __future__ import annotations

from itertools import pairwise

import kit


def numbers(cards: list[str]) -> list[int]:
    """Return the visible numbers: `7/2` shows 7."""
    return [int(card.split("/")[0]) for card in cards]


def sets(hand: list[int]) -> list[tuple[int, int]]:
    """Return the first and last place of every set of neighbours: one card, equal numbers, or a run."""
    found = []
    for first in range(len(hand)):
        found.append((first, first))
        for last in range(first + 1, len(hand)):
            step = hand[first + 1] - hand[first]
            if abs(step) > 1 or hand[last] - hand[last - 1] != step:
                break
            found.append((first, last))
    return found


def structure(hand: list[int]) -> float:
    """Return how well a hand holds together: the square of the length of each set that is not part of a longer one."""
    total, length, before = 0, 1, 9
    for left, right in pairwise(hand):
        step = right - left
        if abs(step) > 1:
            total, length = total + length * length, 1
        elif step == before or length == 1:
            length += 1
        else:
            total, length = total + length * length, 2  # the card where two sets meet counts in both
        before = step
    return total + length * length if hand else 0


def scouts(hand: list[int], active: list[str]) -> list[tuple[str, list[int]]]:
    """Return every way to scout, as `L5f` and the hand that it makes."""
    ends = {"L": active[0]} | ({"R": active[-1]} if len(active) > 1 else {})
    return [
        (f"{end}{place}{flip}", [*hand[:place], int(number), *hand[place:]])
        for end, card in ends.items()
        for place in range(len(hand) + 1)
        for number, flip in zip(card.split("/"), ("", "f"), strict=True)
    ]


def size(action: str) -> int:
    """Return how many cards `show:2-4` or `show:3` shows."""
    first, _, last = action.removeprefix("show:").partition("-")
    return int(last or first) - int(first) + 1


def choose(request: kit.Request) -> str:
    """Return the action for one request."""
    cards = request.list("hand")
    hand = numbers(cards)
    if request["phase"] == "orient":
        turned = [int(card.split("/")[1]) for card in cards]
        return "turn" if structure(turned) > structure(hand) else "keep"
    shows = [action for action in request.legal if action.startswith("show:")]
    if shows:
        return max(shows, key=size)
    best = max(scouts(hand, request.list("active")), key=lambda scout: structure(scout[1]))
    return f"scout:{best[0]}"


if __name__ == "__main__":
    kit.run(choose, games="scout")
