"""A SCAT player that counts cards, looks one draw ahead, and knocks by the turn.

A hand is worth its points and a share of what one more draw adds on average, over the cards not seen in this deal.
The knocking points per own turn are those against which, in self-play, no other schedule gains.
"""

from __future__ import annotations

import kit
from scat_greedy import VALUE, points, suit_sums, without

LOOK_AHEAD = 0.3  # the share of the next draw's gain that counts; 0.2 to 0.4 play alike, 0 is clearly worse
KNOCK_AT = {2: (22, 24, 25, 26), 3: (21, 23, 24, 25, 25, 26), 4: (21, 22, 23, 24, 24, 26), 5: (22, 23, 24, 25, 25, 27)}
DECK = frozenset(VALUE)


class Prospects:
    """What one more draw from the unseen cards is worth to a hand of three."""

    def __init__(self, unseen: list[str], weight: float) -> None:
        self._scale = weight / max(1, len(unseen))
        # gain[suit][need] = the sum, over the unseen cards of a suit, of what each is worth beyond `need`
        self._gain = {suit: [0] * 32 for suit in "CDHS"}
        for card in unseen:
            for need in range(VALUE[card]):
                self._gain[card[1]][need] += VALUE[card] - need

    def worth(self, hand: list[str]) -> float:
        """Return the points of a hand of three and the weighted mean gain of one more draw."""
        sums = suit_sums(hand)
        now = max(sums.values())
        if hand[0][1] == hand[1][1] == hand[2][1]:  # a fourth card of the suit would drive out the least of the three
            sums[hand[0][1]] -= min(VALUE[card] for card in hand)
        return now + self._scale * sum([self._gain[suit][now - held] for suit, held in sums.items()])

    def best(self, hand: list[str], drawn: str) -> float:
        """Return the worth after `drawn` joins the hand and one of the other cards goes."""
        return max(self.worth([*without(hand, card), drawn]) for card in hand)


class Threshold(kit.Player):
    """Draws and discards by `Prospects`, knocks by `KNOCK_AT`."""

    def __init__(self) -> None:
        self._gone: set[str] = set()  # cards of this deal that have lain on the discard pile

    def heard(self, event: kit.Line) -> None:
        """Count the cards that have been seen on the discard pile."""
        if event.verb == "reshuffle":
            self._gone.clear()
        elif event.verb == "deal":
            self._gone = set(event.list("pile"))
        elif event.get("move") in DECK:
            self._gone.add(event["move"])

    def choose(self, request: kit.Request) -> str:
        """Return the action for one request."""
        if request["phase"] == "throw":
            return "look"
        hand, pile = request.list("hand"), request.list("pile")
        unseen = sorted(DECK - self._gone - set(hand) - set(pile))
        prospects = Prospects(unseen, LOOK_AHEAD if request["knocker"] == "-" else 0)  # after a knock no draw follows
        if request["phase"] == "discard":
            return max(request.legal, key=lambda card: (prospects.worth(without(hand, card)), -VALUE[card]))
        if "knock" in request.legal and points(hand) >= self._knock_at(request):
            return "knock"
        worth = {"stand": prospects.worth(hand), "knock": -1.0}
        if pile:
            worth["pile"] = prospects.best(hand, pile[0])
        stay = prospects.worth(hand)  # the drawn card itself can be discarded
        worth["stock"] = sum(max(stay, prospects.best(hand, card)) for card in unseen) / max(1, len(unseen))
        return max(request.legal, key=lambda action: worth[action])

    def _knock_at(self, request: kit.Request) -> int:
        living = sum(coins != "-" for coins in request.list("coins"))
        schedule = KNOCK_AT[min(living, 5)]
        return schedule[min(int(request["turn"]) // living, len(schedule) - 1)]


if __name__ == "__main__":
    kit.run(Threshold(), games="scat")
