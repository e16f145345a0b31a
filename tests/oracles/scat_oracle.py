"""An independent judge of SCAT: slow, mutable and plain, written from the rulebook alone.

It shares the shuffle with the referee and nothing else. Cards are text (`TH`), hands are lists in order of arrival,
and each method is a sentence or two of the rulebook, named by its ids.
"""

from referee.cards import TEXT, Stream, shuffled

RANKS_LOW_TO_HIGH = "23456789TJQKA"


def points(card):
    """S35: ace 11. S36: king, queen, jack 10. S37: number cards their pips."""
    if card[0] == "A":
        return 11
    if card[0] in "KQJT":
        return 10
    return int(card[0])


def plain_value(hand):
    """S24, S38, Q4: the points of the best suit."""
    return max(sum(points(card) for card in hand if card[1] == suit) for suit in "CDHS")


def is_three_of_a_kind(hand):
    """S46."""
    return len(hand) == 3 and len({card[0] for card in hand}) == 1


def is_straight_flush(hand, ace_low):
    """S47, Q18: three neighbours of one suit; the ace is high, and with `ace_low_straight` low as well."""
    if len(hand) != 3 or len({card[1] for card in hand}) != 1:
        return False
    ranks = sorted(RANKS_LOW_TO_HIGH.index(card[0]) for card in hand)
    if ace_low and ranks == [0, 1, 12]:
        return True
    return ranks[1] == ranks[0] + 1 and ranks[2] == ranks[1] + 1


def value(hand, options):
    """What a hand of three counts at a showdown, the variants in force included (Q17, Q18)."""
    best = plain_value(hand)
    trips = float(options["trips"])
    straight_flush = float(options["straight_flush"])
    if trips and is_three_of_a_kind(hand):
        best = max(best, trips)
    if straight_flush and is_straight_flush(hand, options["ace_low_straight"]):
        best = max(best, straight_flush)
    return best


def is_31(hand):
    """S29: three of the cards make 31. Only an ace with two tens of its suit does."""
    for a in hand:
        for b in hand:
            for c in hand:
                if len({a, b, c}) == 3 and a[1] == b[1] == c[1] and points(a) + points(b) + points(c) == 31:
                    return True
    return False


def lives_lost_at_showdown(values, knocker, options):
    """S25-S28, Q19a. values -- seat -> value of the living seats; knocker -- a seat or None. Return seat -> lives."""
    lowest = min(values.values())
    tied = [seat for seat in values if values[seat] == lowest]
    lost = {seat: 0 for seat in values}
    if knocker in tied:
        if len(tied) == 1:
            lost[knocker] = 2  # S27
        else:
            for seat in tied:
                lost[seat] = 1  # S26: the others lose one
            lost[knocker] = 2 if options["knocker_tie"] == "pays_two" else 0
    else:
        for seat in tied:
            lost[seat] = 1  # S28
    return lost


def lives_lost_by_31(holders, living, knocker, options):
    """S31, S43, Q9-Q11, R1: all who do not hold 31 lose one, the knocker what the option says. Return seat -> lives."""
    lost = {}
    for seat in living:
        if seat in holders:
            lost[seat] = 1 if options["declarer_pays"] else 0
        elif seat == knocker:
            lost[seat] = int(options["knocker_pays_on_31"])
        else:
            lost[seat] = 1
    return lost


def pay(coins, lost, options):
    """S42, S33, S44, Q12, Q16, R11. Return (coins left, whether the seat is out)."""
    left = max(0, coins - lost)
    if lost == 0:
        return left, False
    if not options["dole"]:
        return left, left == 0
    if options["double_loss"] == "floor" and lost == 2 and coins >= 1:
        return left, False
    return left, lost > coins


def number(x):
    """Spell plain points: 30.5, 31."""
    return str(int(x)) if x == int(x) else str(x)


class ScatOracle:
    """One match: `play(word)` until `over`; `heard[seat]` are the lines of a seat, `heard[None]` a spectator's."""

    def __init__(self, seats, options, seed):
        self.seats = seats
        self.options = options
        self.seed = seed
        self.coins = [options["start_coins"] for _ in range(seats)]  # S41, R9
        self.out_in_deal = {}  # seat -> deal in which it went out
        self.results = []  # per deal: lives lost per seat, None for a seat that was out already
        self.reasons = []  # per deal: why it was over
        self.heard = {seat: [] for seat in [*range(seats), None]}
        self.over = False
        self.deal_number = 0
        if str(options["first_dealer"]) == "random":
            self.dealer = Stream(seed, "scat-dealer").below(seats)
        else:
            self.dealer = int(options["first_dealer"])
        self.deal()

    # -- seats

    def living(self):
        return [seat for seat in range(self.seats) if seat not in self.out_in_deal]

    def next_living(self, seat):
        """S17, Q13: clockwise, over the seats that are out."""
        seat = (seat + 1) % self.seats
        while seat not in self.living():
            seat = (seat + 1) % self.seats
        return seat

    def in_playing_order(self):
        """The living seats from the dealer's left round."""
        order = []
        seat = self.next_living(self.dealer)
        while seat not in order:
            order.append(seat)
            seat = self.next_living(seat)
        return order

    # -- what is heard

    def tell(self, public, private=None):
        for seat in self.heard:
            self.heard[seat].append((private or {}).get(seat, public))

    def coins_word(self):
        return ",".join(str(self.coins[s]) if s in self.living() else "-" for s in range(self.seats))

    # -- the deal

    def deal(self):
        """S13-S15: singly from the dealer's left until each has three; the next card is turned up."""
        deck = [TEXT[card] for card in shuffled(self.seed, f"scat-deck-{self.deal_number}", 52)]
        self.hands = {seat: [] for seat in self.living()}
        for _ in range(3):
            for seat in self.in_playing_order():
                self.hands[seat].append(deck.pop(0))
        self.pile = [deck.pop(0)]  # the top is the last
        self.stock = deck  # the top is the first
        self.reshuffles = 0
        self.knocker = None
        self.drawn = None
        self.drawn_from = None
        self.turns_done = 0
        self.turns_done_by = {seat: 0 for seat in self.living()}
        self.to_be_asked = self.asked_for_a_throw_down()
        head = f"deal n={self.deal_number} dealer={self.dealer}"
        tail = f"pile={self.pile[-1]} coins={self.coins_word()}"
        self.tell(
            f"{head} {tail}",
            {
                seat: f"{head} hand={'-' if seat in self.to_be_asked else ','.join(self.hands[seat])} {tail}"
                for seat in self.living()
            },
        )
        if self.options["dealt31"] == "immediate" and any(is_31(hand) for hand in self.hands.values()):
            self.end_by_31()  # S30
        elif self.to_be_asked:
            self.to_act = self.to_be_asked[0]
        else:
            self.begin_turn(self.next_living(self.dealer))

    def asked_for_a_throw_down(self):
        """R3: who is asked, in playing order."""
        if self.options["throw_down"] == "any":
            return self.in_playing_order()
        if self.options["throw_down"] == "eldest":
            return self.in_playing_order()[:1]
        return []

    def begin_turn(self, seat):
        self.to_act = seat
        if self.options["dealt31"] == "own_turn" and self.turns_done_by[seat] == 0 and is_31(self.hands[seat]):
            self.end_by_31()  # R2

    # -- a decision

    def phase(self):
        if self.to_be_asked:
            return "throw"
        return "draw" if self.drawn is None else "discard"

    def capped(self):
        """R7: nobody draws from the stock any more."""
        return self.turns_done >= self.options["turn_cap"]

    def may_knock(self):
        """S21, Q5, Q6, S48, R14."""
        if self.knocker is not None:
            return False
        if not self.options["first_turn_knock"] and self.turns_done_by[self.to_act] == 0:
            return False
        return value(self.hands[self.to_act], self.options) >= self.options["min_knock"]

    def legal(self):
        """Return the legal words in the order of the protocol."""
        if self.over:
            return []
        if self.phase() == "throw":
            return ["throwdown", "look"]
        if self.phase() == "discard":
            # S18, S20; S19: what was taken from the discard pile may not go straight back
            return [card for card in self.hands[self.to_act] if not (self.drawn_from == "pile" and card == self.drawn)]
        words = []
        stock_can_be_drawn = len(self.stock) > 0 and not self.capped()
        if stock_can_be_drawn:
            words.append("stock")
        words.append("pile")
        if self.may_knock():
            words.append("knock")
        if self.knocker is not None and (self.options["final_stand"] or not stock_can_be_drawn):
            words.append("stand")  # R4, Q14
        return words

    def caretaker(self):
        """The documented move of a seat whose player is gone."""
        legal = self.legal()
        for word in ["look", "stock", "stand", "pile"]:
            if word in legal:
                return word
        return self.drawn if self.drawn_from == "stock" else legal[0]

    def play(self, word):
        assert word in self.legal()
        seat = self.to_act
        if word == "throwdown":
            self.tell(f"did seat={seat} move=throwdown")
            self.knocker = seat  # S51
            self.to_be_asked = []
            self.end_by_showdown("throwdown")
        elif word == "look":
            self.tell(
                f"did seat={seat} move=look", {seat: f"did seat={seat} move=look hand={','.join(self.hands[seat])}"}
            )
            self.to_be_asked.pop(0)
            if self.to_be_asked:
                self.to_act = self.to_be_asked[0]
            else:
                self.begin_turn(self.next_living(self.dealer))
        elif word == "knock":
            self.tell(f"did seat={seat} move=knock")
            self.knocker = seat
            self.end_turn()  # S22
        elif word == "stand":
            self.tell(f"did seat={seat} move=stand")
            self.end_turn()  # R4
        elif word == "stock":
            self.draw(self.stock.pop(0), "stock")
        elif word == "pile":
            self.draw(self.pile.pop(), "pile")
        else:
            self.tell(f"did seat={seat} move={word}")
            self.hands[seat].remove(word)
            self.pile.append(word)
            self.end_turn()

    def draw(self, card, place):
        """S18; S29: three of the four cards that make 31 end the hand at once."""
        seat = self.to_act
        self.drawn = card
        self.drawn_from = place
        self.hands[seat].append(card)
        seen = f"did seat={seat} move={place} card={card}"
        self.tell(seen if place == "pile" else f"did seat={seat} move=stock", {seat: seen})
        if is_31(self.hands[seat]):
            self.end_by_31()

    def end_turn(self):
        """S17, S23, Q14, R5-R7: who is next, or why the hand ends."""
        seat = self.to_act
        self.drawn = None
        self.drawn_from = None
        self.turns_done += 1
        self.turns_done_by[seat] += 1
        follower = self.next_living(seat)
        if follower == self.knocker:
            self.end_by_showdown("knock")
            return
        if not self.stock and self.options["stock_out"] == "reshuffle" and not self.capped():
            self.reshuffle()
        if self.knocker is None and (not self.stock or self.capped()):
            if self.options["stock_out"] == "void":
                self.end_void()
            else:
                self.end_by_showdown("cap" if self.stock else "stock")
            return
        self.begin_turn(follower)

    def reshuffle(self):
        """R6: all discards under the top, from bottom to top, make the new stock."""
        self.stock = self.pile[:-1]
        self.pile = self.pile[-1:]
        Stream(self.seed, f"scat-stock-{self.deal_number}-{self.reshuffles}").shuffle(self.stock)
        self.reshuffles += 1
        self.tell(f"reshuffle stock={len(self.stock)}")

    # -- the end of a hand

    def end_by_showdown(self, reason):
        values = {seat: value(self.hands[seat], self.options) for seat in self.living()}
        lost = lives_lost_at_showdown(values, self.knocker, self.options)
        self.settle(reason, lost, shown=self.living())

    def end_by_31(self):
        holders = [seat for seat in self.living() if is_31(self.hands[seat])]
        self.settle("31", lives_lost_by_31(holders, self.living(), self.knocker, self.options), shown=holders)

    def end_void(self):
        """R5: costs nothing."""
        self.settle("void", {seat: 0 for seat in self.living()}, shown=[])

    def settle(self, reason, lost, shown):
        """S42, S34, Q15, R10, R13: coins, who is out, whether the match goes on."""
        before = self.living()
        after = {seat: pay(self.coins[seat], lost[seat], self.options) for seat in before}
        if self.options["all_out"] == "replay" and all(out for _, out in after.values()):
            lost = {seat: 0 for seat in before}  # R10: the hand costs nothing
        else:
            for seat in before:
                self.coins[seat], out = after[seat]
                if out:
                    self.out_in_deal[seat] = self.deal_number
        self.results.append(tuple(lost.get(seat) for seat in range(self.seats)))
        self.reasons.append(reason)
        every = range(self.seats)
        hands = ";".join(",".join(self.hands[seat]) if seat in shown else "-" for seat in every)
        values = ",".join(self.shown_value(reason, seat) if seat in shown else "-" for seat in every)
        lost_word = ",".join(str(lost[seat]) if seat in before else "-" for seat in every)
        self.tell(
            f"over deal={self.deal_number} reason={reason} hands={hands} values={values} lost={lost_word}"
            f" coins={self.coins_word()}"
        )
        if len(self.living()) <= 1 or self.deal_number + 1 >= self.options["hand_cap"]:  # S34, Q15, R8
            self.over = True
            self.to_act = None
            return
        self.deal_number += 1
        self.dealer = self.next_living(self.dealer)  # S12, Q13
        self.deal()

    def shown_value(self, reason, seat):
        return "31" if reason == "31" else number(value(self.hands[seat], self.options))

    # -- what a seat sees, and the end of the match

    def view(self, seat):
        """Q19d: what `seat` may know now, as the words of the protocol."""
        hidden = seat not in self.living() or seat in self.to_be_asked
        words = {
            "deal": str(self.deal_number),
            "turn": str(self.turns_done),
            "phase": self.phase(),
            "hand": "-" if hidden else ",".join(self.hands[seat]),
        }
        if self.phase() == "discard" and seat == self.to_act:
            words["drawn"] = self.drawn
            words["from"] = self.drawn_from
        words["pile"] = self.pile[-1] if self.pile else "-"
        words["stock"] = str(len(self.stock))
        words["coins"] = self.coins_word()
        words["knocker"] = "-" if self.knocker is None else str(self.knocker)
        words["dealer"] = str(self.dealer)
        return words

    def scores(self):
        """R12: coins left."""
        return tuple(self.coins)

    def ranks(self):
        """R12, R8: later out is better, the same hand shares; the living come first, by coins."""

        def better(a, b):
            if a in self.out_in_deal and b in self.out_in_deal:
                return self.out_in_deal[a] > self.out_in_deal[b]
            if a in self.out_in_deal or b in self.out_in_deal:
                return b in self.out_in_deal
            return self.coins[a] > self.coins[b]

        return tuple(1 + sum(better(b, a) for b in range(self.seats)) for a in range(self.seats))
