"""An independent judge of SCOUT: slow, mutable and plain, written from the rulebook alone.

It shares the shuffle with the referee and nothing else. A card is a pair of text numbers inside one string, `7/2`:
the visible number first. Hands and the active set are lists from left to right, places count from 0, and each method
is a sentence or two of the rulebook, named by its ids.
"""

from itertools import pairwise

from referee.cards import Stream, shuffled


def visible(card):
    return int(card.split("/")[0])


def turned(card):
    """Return the card with its other number up."""
    up, down = card.split("/")
    return f"{down}/{up}"


def deck_in_use(seats):
    """C4-C7: each pair of different numbers once; without the tens (3 players), without 9/10 (2 and 4 players)."""
    cards = [f"{low}/{high}" for low in range(1, 11) for high in range(low + 1, 11)]
    if seats == 3:
        cards = [card for card in cards if not card.endswith("/10")]
    if seats in (2, 4):
        cards.remove("9/10")
    return cards


def cards_each(seats):
    """C8."""
    return {2: 11, 3: 12, 4: 11, 5: 9}[seats]


def kind(cards):
    """C13, Q36: "same", "run" or None. A single card is a set; no wrap, no zig-zag."""
    numbers = [visible(card) for card in cards]
    if len(numbers) == 0:
        return None
    if len(numbers) == 1:
        return "same"
    steps = [b - a for a, b in pairwise(numbers)]
    if all(step == 0 for step in steps):
        return "same"
    if all(step == 1 for step in steps) or all(step == -1 for step in steps):
        return "run"
    return None


def beats(new, active):
    """C14, C15: more cards, then same over run, then the smallest number. Both are sets; `active` may be empty."""
    if len(new) != len(active):
        return len(new) > len(active)
    if kind(new) != kind(active):
        return kind(new) == "same"
    return min(visible(card) for card in new) > min(visible(card) for card in active)


def shows(hand, active):
    """Yield the Shows (first place, last place) that are legal against `active`, by first place, then length."""
    for first in range(len(hand)):
        for last in range(first, len(hand)):
            cards = hand[first : last + 1]
            if not kind(cards):
                break  # nor is it one with more cards behind
            if beats(cards, active):
                yield first, last


def scouts(hand, active):
    """Return the Scouts (end, place, flip) of C18, C19; with one active card only L (one spelling for each move)."""
    ends = [] if not active else ["L"] if len(active) == 1 else ["L", "R"]
    return [(end, place, flip) for end in ends for place in range(len(hand) + 1) for flip in (False, True)]


def after_scout(hand, active, scout):
    """Return (hand, active, the card as it lay) after a Scout."""
    end, place, flip = scout
    card = active[0] if end == "L" else active[-1]
    rest = active[1:] if end == "L" else active[:-1]
    return [*hand[:place], turned(card) if flip else card, *hand[place:]], rest, card


def show_word(show):
    first, last = show
    return f"show:{first}" if first == last else f"show:{first}-{last}"


def scout_word(verb, scout):
    end, place, flip = scout
    return f"{verb}:{end}{place}{'f' if flip else ''}"


def read_show(word):
    places = [int(place) for place in word.split(":")[1].split("-")]
    return places[0], places[-1]


def read_scout(word):
    spelled = word.split(":")[1]
    return spelled[0], int(spelled[1:].rstrip("f")), spelled.endswith("f")


class ScoutOracle:
    """One match: `play(word)` until `over`; `heard[seat]` are the lines of a seat, `heard[None]` a spectator's."""

    def __init__(self, seats, options, seed):
        self.seats = seats
        self.options = options
        self.seed = seed
        self.scores_so_far = [0] * seats
        self.results = []
        self.reasons = []
        self.heard = {seat: [] for seat in [*range(seats), None]}
        self.over = False
        self.deal_number = 0
        self.deal()

    def tell(self, public, private=None):
        for seat in self.heard:
            self.heard[seat].append((private or {}).get(seat, public))

    # -- the start of a round

    def shuffled_deck(self, shuffle):
        """R21: the shuffled deck, each card with its orientation."""
        cards = deck_in_use(self.seats)
        turn = Stream(self.seed, f"scout-turn-{shuffle}")
        deck = []
        for index in shuffled(self.seed, f"scout-deck-{shuffle}", len(cards)):
            card = cards[index]
            deck.append(turned(card) if turn.below(2) == 1 else card)
        return deck

    def deal(self):
        """C8, C38, R21: the k-th card goes to seat k mod players; 2 players play the other half in the second round."""
        if self.seats == 2:
            deck = self.shuffled_deck(0)
            deck = deck[:22] if self.deal_number == 0 else deck[22:]
        else:
            deck = self.shuffled_deck(self.deal_number)
        self.hands = [[] for _ in range(self.seats)]
        for k in range(self.seats * cards_each(self.seats)):
            self.hands[k % self.seats].append(deck[k])
        if self.deal_number == 0:
            self.starter = self.first_starter()
        else:
            self.starter = (self.starter + 1) % self.seats  # C32, Q33
        self.active = []
        self.owner = None
        self.taken = [0] * self.seats
        self.tokens = [3 if self.seats == 2 else 0] * self.seats  # C33
        self.marker = [self.seats > 2] * self.seats  # C23, C36
        self.scouts_since_show = 0
        self.turns_done = 0
        self.half_done = None  # the first half of a Scout & Show: (word for the others, the card)
        self.views_before = {}  # during a Scout & Show: what each seat saw before it
        self.oriented = [False] * self.seats
        self.to_act = self.starter
        head = f"deal n={self.deal_number} starter={self.starter}"
        self.tell(head, {seat: f"{head} hand={','.join(self.hands[seat])}" for seat in range(self.seats)})

    def first_starter(self):
        """Q33, R23."""
        if self.options["first_player"] == "random":
            return Stream(self.seed, "scout-starter").below(self.seats)
        if self.options["first_player"] == "holder12":
            for seat in range(self.seats):
                if "1/2" in self.hands[seat] or "2/1" in self.hands[seat]:
                    return seat
        return 0

    # -- a decision

    def phase(self):
        if self.half_done:
            return "show"
        return "move" if self.oriented[self.to_act] else "orient"

    def may_scout(self):
        """C18, C34, C35."""
        return len(self.active) > 0 and (self.seats > 2 or self.tokens[self.to_act] > 0)

    def may_scout_and_show(self, scout):
        """C23, C24, Q27: legal only if some Show is legal after it."""
        if self.seats == 2 or not self.marker[self.to_act]:
            return False
        hand, rest, _ = after_scout(self.hands[self.to_act], self.active, scout)
        return any(True for _ in shows(hand, rest))

    def legal(self):
        """Return the legal words in the order of the protocol."""
        if self.over:
            return []
        if self.phase() == "orient":
            return ["keep", "turn"]
        hand = self.hands[self.to_act]
        words = [show_word(show) for show in shows(hand, self.active)]
        if self.phase() == "show":
            return words
        found = scouts(hand, self.active)
        if self.may_scout():
            words += [scout_word("scout", scout) for scout in found]
            words += [scout_word("scoutshow", scout) for scout in found if self.may_scout_and_show(scout)]
        return words

    def caretaker(self):
        """The documented move of a seat whose player is gone."""
        legal = self.legal()
        at_the_end = f"scout:L{len(self.hands[self.to_act])}"
        for word in ["keep", at_the_end]:
            if word in legal:
                return word
        return legal[0]

    def play(self, word):
        assert word in self.legal()
        verb = word.split(":")[0]
        if verb in ("keep", "turn"):
            self.orient(word)
        elif verb == "show":
            self.show(word)
        elif verb == "scout":
            self.scout(word)
        else:
            self.scout_and_show(word)

    def orient(self, word):
        """C9-C11, Q21, Q22, R22: each card turns in its place."""
        seat = self.to_act
        if word == "turn":
            self.hands[seat] = [turned(card) for card in self.hands[seat]]
        self.oriented[seat] = True
        self.tell(
            f"did seat={seat} move=orient", {seat: f"did seat={seat} move={word} hand={','.join(self.hands[seat])}"}
        )
        if self.options["orientation"] == "sealed":
            self.to_act = (seat + 1) % self.seats  # back at the starter when all have chosen

    def show(self, word):
        """C13, C17, C27."""
        seat = self.to_act
        first, last = read_show(word)
        cards = self.hands[seat][first : last + 1]
        self.hands[seat] = self.hands[seat][:first] + self.hands[seat][last + 1 :]
        if self.half_done:
            spelled, card = self.half_done
            # R29: only now do the others hear of the first half; the mover has heard of it
            for listener in self.heard:
                if listener != seat:
                    self.heard[listener].append(f"did seat={seat} move={spelled} card={card}")
            self.half_done = None
        took = len(self.active)
        tail = f"cards={','.join(cards)} took={took}"
        self.tell(f"did seat={seat} move=show {tail}", {seat: f"did seat={seat} move={word} {tail}"})
        self.taken[seat] += took
        self.active = cards
        self.owner = seat
        self.scouts_since_show = 0
        if not self.hands[seat]:
            self.end_round("empty")
        else:
            self.pass_on()

    def spelled_for_others(self, word):
        """Q35: where the card goes and which way up is hidden, unless the option says otherwise."""
        return word if self.options["scout_insert_public"] else word[: word.index(":") + 2]

    def take_end_card(self, word):
        """C18-C21, Q29: move the card; pay the token."""
        seat = self.to_act
        self.hands[seat], self.active, card = after_scout(self.hands[seat], self.active, read_scout(word))
        if self.seats > 2:
            self.tokens[self.owner] += 1
        else:
            self.tokens[seat] -= 1
            if self.options["two_player_token_to"] == "owner":
                self.tokens[self.owner] += 1
        return card

    def scout(self, word):
        seat = self.to_act
        card = self.take_end_card(word)
        self.tell(
            f"did seat={seat} move={self.spelled_for_others(word)} card={card}",
            {seat: f"did seat={seat} move={word} card={card}"},
        )
        self.scouts_since_show += 1
        latest_show_by = self.owner
        if not self.active:
            self.owner = None  # R25
        if self.seats == 2:
            if not self.legal():
                self.end_round("stuck", unbeaten=latest_show_by)  # Q30
        elif self.scouts_since_show == self.seats - 1:
            self.end_round("unbeaten", unbeaten=latest_show_by)  # C28, Q23
        else:
            self.pass_on()

    def scout_and_show(self, word):
        """C23, R29: the first half; the same seat must then Show. It adds nothing to the count of C28."""
        seat = self.to_act
        self.views_before = {other: self.view(other) for other in range(self.seats)}
        card = self.take_end_card(word)
        self.marker[seat] = False
        if not self.active:
            self.owner = None
        self.half_done = (self.spelled_for_others(word), card)
        self.heard[seat].append(f"did seat={seat} move={word} card={card}")

    def pass_on(self):
        """The move goes clockwise. Q30: a player of two who has no move is stuck. Q34, R24: too many turns."""
        self.turns_done += 1
        self.to_act = (self.to_act + 1) % self.seats
        if self.seats == 2 and not self.legal():
            self.end_round("stuck", unbeaten=self.owner)
        elif self.turns_done >= self.options["turn_cap"]:
            self.end_round("cap")

    # -- the end of a round

    def end_round(self, reason, unbeaten=None):
        """C29-C31, C33, Q20, Q32: won cards and tokens count for, cards in hand against."""
        points = []
        for seat in range(self.seats):
            penalty = len(self.hands[seat])
            if self.options["unbeaten_exempt"] and seat == unbeaten:
                penalty = 0
            points.append(self.taken[seat] + self.tokens[seat] - penalty)
        self.results.append(tuple(points))
        self.reasons.append(reason)
        self.scores_so_far = [a + b for a, b in zip(self.scores_so_far, points, strict=True)]
        self.tell(
            f"over deal={self.deal_number} reason={reason}"
            f" hands={';'.join(','.join(hand) or '-' for hand in self.hands)}"
            f" taken={','.join(map(str, self.taken))} tokens={','.join(map(str, self.tokens))}"
            f" points={','.join(map(str, points))} scores={','.join(map(str, self.scores_so_far))}"
        )
        self.half_done = None
        if self.deal_number + 1 == self.seats:  # C3; C38: two rounds for two
            self.over = True
            self.to_act = None
            return
        self.deal_number += 1
        self.deal()

    # -- what a seat sees, and the end of the match

    def view(self, seat):
        """Q35, R26: what `seat` may know now, as the words of the protocol."""
        if self.half_done and seat != self.to_act:
            return self.views_before[seat]  # R29
        return {
            "deal": str(self.deal_number),
            "turn": str(self.turns_done),
            "phase": self.phase(),
            "hand": ",".join(self.hands[seat]) or "-",
            "active": ",".join(self.active) or "-",
            "owner": "-" if self.owner is None else str(self.owner),
            "cards": ",".join(str(len(hand)) for hand in self.hands),
            "taken": ",".join(map(str, self.taken)),
            "tokens": ",".join(map(str, self.tokens)),
            "marker": ",".join("true" if unspent else "false" for unspent in self.marker),
            "scouts": str(self.scouts_since_show),
            "starter": str(self.starter),
            "scores": ",".join(map(str, self.scores_so_far)),
        }

    def scores(self):
        return tuple(self.scores_so_far)

    def ranks(self):
        """C26, Q33: highest sum first, equals share."""
        return tuple(1 + sum(other > score for other in self.scores_so_far) for score in self.scores_so_far)
