"""SCAT, also called 31 or Blitz: the rules, for 2 to 9 seats and whole matches.

Theory of operation. A match is a chain of deals. A deal runs through phases: THROW (only with `throw_down`, each seat
asked before it sees its hand), then turns, each DRAW followed by FROM_STOCK or FROM_PILE (a card is drawn, one must
go). `apply` plays one action and then everything that needs no decision: a showdown, a declared 31, coins, the next
deal, a dealt 31 in it, and so on to the next decision or OVER.

Cards are the ints of `referee.cards`. An action is an int too: a card of 0 .. 51 is its discard, the others are named
below. Hand values are doubled points, so that 30.5 fits. Rule ids (S.., Q.., R..) are those of scat.md.
"""

import difflib
import enum
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple, TypeAlias

from referee.cards import RANKS, TEXT, Stream, shuffled
from referee.games._base import BadOption, Event, Game, IllegalAction, MalformedAction, Option, Outcome, Value, places

Hand: TypeAlias = tuple[int, ...]
Lost: TypeAlias = tuple[int | None, ...]

STOCK: Final = 52
PILE: Final = 53
KNOCK: Final = 54
STAND: Final = 55
THROWDOWN: Final = 56
LOOK: Final = 57
WORDS: Final[tuple[str, ...]] = (*TEXT, "stock", "pile", "knock", "stand", "throwdown", "look")
ACTION: Final[Mapping[str, int]] = MappingProxyType({word: action for action, word in enumerate(WORDS)})

THROW: Final = 0
DRAW: Final = 1
FROM_STOCK: Final = 2
FROM_PILE: Final = 3
OVER: Final = 4
PHASES: Final = ("throw", "draw", "discard", "discard", "over")

NOBODY: Final = -1
SEATS: Final = 9

# S35, S36, S37: ace 11, court cards 10, the others their pips; doubled.
SUIT: Final = tuple(card // 13 for card in range(52))
RANK: Final = tuple(card % 13 for card in range(52))
DOUBLED: Final = tuple(
    2 * (11 if rank == "A" else 10 if rank in "TJQK" else int(rank)) for _ in range(4) for rank in RANKS
)
FULL: Final = 62

# 31 on three cards is an ace and two tens of one suit, the only way there (S29, S39). Each card adds to four bits of
# its suit, 8 for the ace and 1 for a ten, so that the sum over three or four cards is in ALL_31 if three make 31.
MARK: Final = tuple(
    (8 if points == 22 else 1 if points == 20 else 0) << 4 * suit for points, suit in zip(DOUBLED, SUIT, strict=True)
)
ALL_31: Final = frozenset((10 << 4 * suit) + mark for suit in range(4) for mark in {0, *MARK} - {8 << 4 * suit})


class Ending(enum.Enum):
    """Why a deal ended, with its word on the `over` line."""

    KNOCK = "knock"
    THIRTY_ONE = "31"
    STOCK = "stock"
    CAP = "cap"
    VOID = "void"
    THROWDOWN = "throwdown"


class Table(NamedTuple):
    """What does not change while a deal is played.

    seed    -- bytes, all the randomness of the match
    number  -- int, the deal's number, from 0
    dealer  -- the dealer's seat
    order   -- the living seats in playing order; the dealer is the last
    after   -- seat -> the next living seat clockwise
    coins   -- seat -> coins held; 0 for a seat that is out
    gone    -- seat -> the number of the deal that put it out, or -1
    results -- for each finished deal, the lives lost per seat
    """

    seed: bytes
    number: int
    dealer: int
    order: tuple[int, ...]
    after: tuple[int, ...]
    coins: tuple[int, ...]
    gone: tuple[int, ...]
    results: tuple[Lost, ...]


class State(NamedTuple):
    """The whole truth of a match.

    table      -- the Table
    turn       -- int, turns of this deal before this one
    phase      -- THROW, DRAW, FROM_STOCK, FROM_PILE or OVER
    seat       -- the seat to act, -1 when the match is over
    hands      -- seat -> its cards, in the order in which they came; empty for a seat that is out
    stock      -- the stock, the next card first
    pile       -- the discard pile, its top last
    knocker    -- the seat that knocked (or threw down), or -1
    reshuffles -- int, times that the stock was made anew in this deal
    """

    table: Table
    turn: int
    phase: int
    seat: int
    hands: tuple[Hand, ...]
    stock: tuple[int, ...]
    pile: tuple[int, ...]
    knocker: int
    reshuffles: int


class Payment(NamedTuple):
    """What a deal cost: the coins left per seat, the coins that went to the kitty, the seats put out by it."""

    coins: tuple[int, ...]
    kitty: int
    out: tuple[int, ...]


# --- what happened, as lines: made once, for no line of a turn depends on more than a seat and an action


def _said(seat: int, action: int) -> tuple[Event, ...]:
    return (Event(f"did seat={seat} move={WORDS[action]}"),)


def _drew(seat: int, card: int) -> tuple[Event, ...]:
    line = f"did seat={seat} move=stock"
    return (Event(line, MappingProxyType({seat: f"{line} card={TEXT[card]}"})),)  # Q19d: a stock draw is hidden


def _took(seat: int, card: int) -> tuple[Event, ...]:
    return (Event(f"did seat={seat} move=pile card={TEXT[card]}"),)


SAID: Final = tuple(tuple(_said(seat, action) for action in range(len(WORDS))) for seat in range(SEATS))
DREW: Final = tuple(tuple(_drew(seat, card) for card in range(52)) for seat in range(SEATS))
TOOK: Final = tuple(tuple(_took(seat, card) for card in range(52)) for seat in range(SEATS))


# --- the rules that need no state


def plain_value(hand: Hand) -> int:
    """Return the doubled points of three cards: the best sum within one suit (S24, S38, Q4)."""
    a, b, c = hand
    suit_a, suit_b, suit_c = SUIT[a], SUIT[b], SUIT[c]
    a, b, c = DOUBLED[a], DOUBLED[b], DOUBLED[c]
    if suit_a == suit_b:
        if suit_a == suit_c:
            return a + b + c
        a += b
        return a if a > c else c
    if suit_a == suit_c:
        a += c
        return a if a > b else b
    if suit_b == suit_c:
        b += c
        return a if a > b else b
    return a if a >= b and a >= c else b if b >= c else c


def makes_31(cards: Hand) -> bool:
    """Return whether three of these three or four cards make 31 (S29, S30)."""
    return sum(MARK[card] for card in cards) in ALL_31


def is_run(hand: Hand, ace_low: bool) -> bool:
    """Return whether three cards of one suit are in sequence, the ace high, and low too if `ace_low` (S47, Q18)."""
    low, middle, high = sorted(RANK[card] for card in hand)
    return middle == low + 1 and high in ((low + 2, 12) if ace_low and low == 0 else (low + 2,))


def showdown(values: Sequence[int | None], knocker: int | None, knocker_tie: str = "safe") -> Lost:
    """Return the lives lost at a showdown (S25 to S28, Q19a).

    values      -- seat -> value in any one unit, None for a seat that is out
    knocker     -- the seat that knocked or threw down, or None
    knocker_tie -- "safe" or "pays_two": what a knocker pays who ties with others for lowest
    """
    lowest = min(value for value in values if value is not None)
    losers = [seat for seat, value in enumerate(values) if value == lowest]
    lost = [None if value is None else int(value == lowest) for value in values]
    if knocker in losers:
        lost[knocker] = 2 if losers == [knocker] or knocker_tie == "pays_two" else 0
    return tuple(lost)


def declaration(
    holders: Sequence[bool | None], knocker: int | None, knocker_pays: int = 1, declarer_pays: bool = False
) -> Lost:
    """Return the lives lost when a 31 is declared (S31, S43, Q9 to Q11, R1, R15).

    holders       -- seat -> whether it holds 31, None for a seat that is out
    knocker       -- the seat with a knock pending, or None
    knocker_pays  -- 1 or 2, what that seat pays if it holds no 31
    declarer_pays -- whether those who hold 31 pay one as well
    """
    lost = [None if holds is None else int(declarer_pays or not holds) for holds in holders]
    if knocker is not None and not holders[knocker]:
        lost[knocker] = knocker_pays
    return tuple(lost)


def pay(coins: Sequence[int], lost: Lost, dole: bool = True, double_loss: str = "out") -> Payment:
    """Return what the lives lost cost (S33, S42, S44, Q12, Q16, R11).

    coins       -- seat -> coins held before
    lost        -- seat -> lives lost, None for a seat that was out already
    dole        -- whether a seat may play on without a coin
    double_loss -- "out", or "floor": with the dole, a seat with a coin is not put out by a loss of two
    """
    left = tuple(max(0, held - (loss or 0)) for held, loss in zip(coins, lost, strict=True))
    out = []
    for seat, (held, loss) in enumerate(zip(coins, lost, strict=True)):
        short = loss is not None and loss > 0 and (loss > held if dole else loss >= held)
        spared = dole and double_loss == "floor" and held > 0
        if short and not spared:
            out.append(seat)
    return Payment(left, sum(coins) - sum(left), tuple(out))


def next_living(seat: int, living: Sequence[bool]) -> int:
    """Return the next living seat clockwise after `seat`, itself if no other lives (S12, S17, Q13)."""
    seats = len(living)
    return next(place % seats for place in range(seat + 1, seat + seats + 1) if living[place % seats])


def open_table(
    seed: bytes, number: int, dealer: int, coins: tuple[int, ...], gone: tuple[int, ...], results: tuple[Lost, ...]
) -> Table:
    """Return the table of one deal; the first to play is the next living seat after the dealer (S17, Q13).

    number  -- the deal's number, from 0
    dealer  -- a living seat
    coins   -- seat -> coins held
    gone    -- seat -> the number of the deal that put it out, or -1
    results -- the lives lost per seat in each deal before this one
    """
    living = [out < 0 for out in gone]
    seats = len(coins)
    after = tuple([next_living(seat, living) for seat in range(seats)])
    order = tuple([seat % seats for seat in range(dealer + 1, dealer + seats + 1) if living[seat % seats]])
    return Table(seed, number, dealer, order, after, coins, gone, results)


# --- text


def cards_text(cards: Sequence[int]) -> str:
    """Return cards as the wire spells them, `-` for none."""
    return ",".join([TEXT[card] for card in cards]) or "-"


def points_text(value: int) -> str:
    """Return a doubled value as plain points, such as 25 or 30.5."""
    return f"{value // 2}.5" if value % 2 else str(value // 2)


def _per_seat(items: Sequence[object], separator: str = ",") -> str:
    return separator.join(["-" if item is None else str(item) for item in items])


def _coins_text(coins: Sequence[int], gone: Sequence[int]) -> str:
    return ",".join(["-" if out >= 0 else str(held) for held, out in zip(coins, gone, strict=True)])


def _seat_text(seat: int) -> str:
    return "-" if seat == NOBODY else str(seat)


class Scat(Game[State, int]):
    """SCAT under one set of options; scat.md is its rulebook."""

    name: ClassVar[str] = "scat"
    title: ClassVar[str] = "SCAT"
    seats: ClassVar[range] = range(2, SEATS + 1)
    unit: ClassVar[str] = "lives lost"
    more_is_better: ClassVar[bool] = False
    presets: ClassVar[Mapping[str, Mapping[str, Value]]] = MappingProxyType({"seed": MappingProxyType({})})
    declared: ClassVar[tuple[Option, ...]] = (
        Option("start_coins", 3, "coins of each seat at the start", "S41 R9", low=1, high=100),
        Option("dole", True, "a seat without coins plays on until it loses once more", "S33 S44 Q16"),
        Option(
            "double_loss",
            "out",
            "a seat with one coin that loses two is out, or stays in without coins",
            "Q12 R11",
            choices=("out", "floor"),
        ),
        Option(
            "all_out",
            "share",
            "when all go out at once they share the place, or the hand costs nothing",
            "Q15 R10",
            choices=("share", "replay"),
        ),
        Option(
            "first_dealer",
            "0",
            "the seat that deals first, or random",
            "S12 R9",
            choices=("random", *map(str, range(SEATS))),
        ),
        Option(
            "dealt31",
            "immediate",
            "a dealt 31 is declared after the deal, in its holder's own first turn, or not at all",
            "S30 Q8 R2",
            choices=("immediate", "own_turn", "off"),
        ),
        Option("knocker_pays_on_31", 1, "lives the knocker loses when another declares 31", "Q10 R15", low=1, high=2),
        Option("declarer_pays", False, "a seat that shows 31 pays one as well", "S43 Q11"),
        Option("first_turn_knock", True, "a seat may knock in its own first turn", "Q5"),
        Option("min_knock", 0, "the least hand value for a knock", "S48 Q19 R14", low=0, high=31),
        Option(
            "knocker_tie",
            "safe",
            "a knocker who ties for lowest is safe, or pays two",
            "S26 Q19a",
            choices=("safe", "pays_two"),
        ),
        Option("final_stand", False, "after a knock the others may stand instead of drawing", "Q6 R4"),
        Option(
            "stock_out",
            "showdown",
            "what follows when the stock is out and nobody has knocked",
            "Q14 R5 R6",
            choices=("showdown", "void", "reshuffle"),
        ),
        Option("trips", "0", "what three of a kind counts at least", "S46 Q17", choices=("0", "30", "30.5")),
        Option("straight_flush", "0", "what a straight flush counts at least", "S47 Q18", choices=("0", "30")),
        Option("ace_low_straight", False, "A-2-3 of a suit is a straight flush too", "Q18"),
        Option(
            "throw_down",
            "off",
            "who may expose an unseen hand before the first turn",
            "S49 Q19 R3",
            choices=("off", "eldest", "any"),
        ),
        Option(
            "turn_cap",
            500,
            "turns of a hand, after which it ends as if the stock were out",
            "Q19b R7",
            low=1,
            high=100_000,
        ),
        Option("hand_cap", 1000, "hands of a match, after which it ends", "Q19b R8", low=1, high=100_000),
    )

    def __init__(self, options: Mapping[str, Value]) -> None:
        super().__init__(options)
        # Read once: a playout looks at them in every turn.
        self._dole = bool(options["dole"])
        self._double_loss = str(options["double_loss"])
        self._immediate = options["dealt31"] == "immediate"
        self._own_turn = options["dealt31"] == "own_turn"
        self._knocker_pays = int(options["knocker_pays_on_31"])
        self._declarer_pays = bool(options["declarer_pays"])
        self._first_turn_knock = bool(options["first_turn_knock"])
        self._min_knock = 2 * int(options["min_knock"])
        self._knocker_tie = str(options["knocker_tie"])
        self._final_stand = bool(options["final_stand"])
        self._stock_out = str(options["stock_out"])
        self._trips = int(2 * float(options["trips"]))
        self._straight_flush = int(2 * float(options["straight_flush"]))
        self._ace_low = bool(options["ace_low_straight"])
        self._variants = bool(self._trips or self._straight_flush)
        self._throw_down = str(options["throw_down"])
        self._turn_cap = int(options["turn_cap"])
        self._hand_cap = int(options["hand_cap"])

    @classmethod
    def contradiction(cls, options: Mapping[str, Value]) -> str | None:
        """Return a sentence when one option takes away all that another could mean."""
        if options["ace_low_straight"] is True and options["straight_flush"] == "0":
            return (
                "ace_low_straight=true means nothing with straight_flush=0, which counts no straight flush at all; "
                "set straight_flush=30 too, or leave ace_low_straight=false."
            )
        if options["double_loss"] == "floor" and options["dole"] is False:
            return (
                "double_loss=floor means nothing with dole=false, where a seat without coins is out; "
                "leave dole=true, or double_loss=out."
            )
        return None

    # --- values

    def value(self, hand: Hand) -> int:
        """Return the doubled value of three cards with the variants in force (S38, S46, S47, Q17, Q18)."""
        value = plain_value(hand)
        if not self._variants:
            return value
        a, b, c = hand
        if RANK[a] == RANK[b] == RANK[c]:
            return max(value, self._trips)
        if self._straight_flush and SUIT[a] == SUIT[b] == SUIT[c] and is_run(hand, self._ace_low):
            return max(value, self._straight_flush)
        return value

    def best(self, cards: Hand) -> int:
        """Return the doubled value of the best three of three or four cards."""
        if len(cards) == 3:
            return self.value(cards)
        return max(self.value(cards[:at] + cards[at + 1 :]) for at in range(len(cards)))

    # --- a match and its deals

    def deal(self, seats: int, seed: bytes) -> tuple[State, tuple[Event, ...]]:
        """Return the first state of a match, run on to its first decision, and what each seat hears (S2, S12, R9)."""
        if seats not in self.seats:
            raise BadOption(f"Scat is for 2 to {SEATS} seats, not {seats}.")
        first = str(self.options["first_dealer"])
        dealer = Stream(seed, "scat-dealer").below(seats) if first == "random" else int(first)
        if dealer >= seats:
            raise BadOption(
                f"first_dealer={first} is no seat of a match with {seats} seats; "
                f"name one from 0 to {seats - 1}, or random."
            )
        coins = (int(self.options["start_coins"]),) * seats
        heard: list[Event] = []
        state, ending = self._open(open_table(seed, 0, dealer, coins, (-1,) * seats, ()), heard)
        return self._run_on(state, ending, heard)

    def _open(self, table: Table, heard: list[Event]) -> tuple[State, Ending | None]:
        """Deal the cards (S13 to S15) and tell it; return the state, and an ending if a dealt 31 is one (S30, R2)."""
        deck = shuffled(table.seed, f"scat-deck-{table.number}", 52)
        order = table.order
        living = len(order)
        hands: list[Hand] = [()] * len(table.coins)
        for place, seat in enumerate(order):
            hands[seat] = (deck[place], deck[place + living], deck[place + 2 * living])
        upcard = deck[3 * living]
        state = State(
            table,
            0,
            DRAW if self._throw_down == "off" else THROW,
            order[0],
            tuple(hands),
            tuple(deck[3 * living + 1 :]),
            (upcard,),
            NOBODY,
            0,
        )
        heard.append(self._deal_event(state))
        if self._immediate and any([makes_31(hand) for hand in hands]):
            return state, Ending.THIRTY_ONE
        if self._own_turn and state.phase == DRAW and makes_31(hands[order[0]]):
            return state, Ending.THIRTY_ONE
        return state, None

    def _deal_event(self, state: State) -> Event:
        """Return the deal as each seat hears it; a hand that may be thrown down stays hidden (R3)."""
        table = state.table
        head = f"deal n={table.number} dealer={table.dealer}"
        tail = f"pile={TEXT[state.pile[0]]} coins={_coins_text(table.coins, table.gone)}"
        private = {seat: f"{head} hand={self._hand_text(state, seat)} {tail}" for seat in table.order}
        return Event(f"{head} {tail}", private)

    def _run_on(self, state: State, ending: Ending | None, heard: Sequence[Event]) -> tuple[State, tuple[Event, ...]]:
        """Close the deal that `ending` ends and open the next, until there is a decision or the match is over."""
        heard = list(heard)
        while ending is not None:
            table, event = self._close(state, ending)
            heard.append(event)
            living = [gone < 0 for gone in table.gone]
            if sum(living) <= 1 or len(table.results) >= self._hand_cap:  # S34, S45, Q15, R8
                state = state._replace(table=table, phase=OVER, seat=NOBODY)
                break
            dealer = next_living(table.dealer, living)  # S12, Q13: after a void or replayed hand too (R9)
            state, ending = self._open(
                open_table(table.seed, table.number + 1, dealer, table.coins, table.gone, table.results), heard
            )
        return state, tuple(heard)

    def _close(self, state: State, ending: Ending) -> tuple[Table, Event]:
        """Count the lives lost, pay them, and return the table after it and the `over` line (R5, R10, R12, R13)."""
        table = state.table
        lost, shown = self._count(state, ending)
        payment = pay(table.coins, lost, self._dole, self._double_loss)
        if len(payment.out) == len(table.order) and self.options["all_out"] == "replay":  # R10: costs nothing
            lost = tuple([None if loss is None else 0 for loss in lost])
            payment = Payment(table.coins, 0, ())
        gone = tuple([table.number if seat in payment.out else out for seat, out in enumerate(table.gone)])
        hands = [cards_text(hand) if show is not None else "-" for hand, show in zip(state.hands, shown, strict=True)]
        values = [None if show is None else points_text(show) for show in shown]
        event = Event(
            f"over deal={table.number} reason={ending.value} hands={';'.join(hands)} values={_per_seat(values)} "
            f"lost={_per_seat(lost)} coins={_coins_text(payment.coins, gone)}"
        )
        return table._replace(coins=payment.coins, gone=gone, results=(*table.results, lost)), event

    def _count(self, state: State, ending: Ending) -> tuple[Lost, list[int | None]]:
        """Return the lives lost per seat and the values shown: all at a showdown, the 31s, or none (R13)."""
        knocker = None if state.knocker == NOBODY else state.knocker
        values = [self.best(hand) if hand else None for hand in state.hands]
        if ending is Ending.VOID:
            return tuple([None if value is None else 0 for value in values]), [None] * len(values)
        if ending is Ending.THIRTY_ONE:
            holders = [None if value is None else value >= FULL for value in values]
            lost = declaration(holders, knocker, self._knocker_pays, self._declarer_pays)
            return lost, [value if holds else None for value, holds in zip(values, holders, strict=True)]
        return showdown(values, knocker, self._knocker_tie), values

    # --- what may be done

    def to_act(self, state: State) -> int | None:
        """Return the seat to act, or None when the match is over (S17, S34)."""
        return None if state.seat < 0 else state.seat

    def deal_number(self, state: State) -> int:
        """Return the number of the deal being played, or of the last one."""
        return state.table.number

    def _stock_open(self, state: State) -> bool:
        """Return whether a card can be drawn from the stock (S18, Q14, R7)."""
        return bool(state.stock) and state.turn < self._turn_cap

    def _may_knock(self, state: State) -> bool:
        """Return whether the seat to draw may knock instead (S21, S48, Q5, Q6, R14)."""
        return (
            state.knocker == NOBODY
            and (self._first_turn_knock or state.turn >= len(state.table.order))
            and (not self._min_knock or self.value(state.hands[state.seat]) >= self._min_knock)
        )

    def _may_stand(self, state: State) -> bool:
        """Return whether the seat to draw may stand instead (Q6, Q14, R4)."""
        return state.knocker != NOBODY and (self._final_stand or not self._stock_open(state))

    def legal_actions(self, state: State) -> Iterator[int]:
        """Yield the legal actions: stock, pile, knock, stand; or the discards in hand order; or throwdown, look."""
        if state.phase == DRAW:
            if self._stock_open(state):
                yield STOCK
            yield PILE
            if self._may_knock(state):
                yield KNOCK
            if self._may_stand(state):
                yield STAND
        elif state.phase == FROM_STOCK:
            yield from state.hands[state.seat]  # S20: the card just drawn as well
        elif state.phase == FROM_PILE:
            yield from state.hands[state.seat][:3]  # S19: not the card just taken
        elif state.phase == THROW:
            yield THROWDOWN
            yield LOOK

    def parse(self, word: str) -> int:
        """Return the action that a word spells. Raises MalformedAction."""
        if word in ACTION:
            return ACTION[word]
        seen = ascii(word if len(word) <= 40 else word[:40] + "...")
        close = [known for known in WORDS if known.lower() == word.lower()] or difflib.get_close_matches(
            word[:40].lower(), WORDS[STOCK:], n=1
        )
        hint = f" Did you mean {close[0]}?" if close else ""
        raise MalformedAction(
            f"{seen} is no action of SCAT; an action is {', '.join(WORDS[STOCK:])}, "
            f"or a card to discard, rank then suit, such as 5C or TH.{hint}"
        )

    def format(self, action: int) -> str:
        """Return the one spelling of an action."""
        return WORDS[action]

    # --- playing

    def apply(self, state: State, action: int) -> tuple[State, tuple[Event, ...]]:
        """Return the state after one action, run on to the next decision, and what happened. Raises IllegalAction."""
        phase = state.phase
        if phase == DRAW:
            return self._apply_draw(state, action)
        if phase == FROM_STOCK or phase == FROM_PILE:
            return self._apply_discard(state, action)
        if phase == THROW:
            return self._apply_throw(state, action)
        raise IllegalAction("The match is over; there is nothing left to play.")

    def _apply_draw(self, state: State, action: int) -> tuple[State, tuple[Event, ...]]:
        """Draw from the stock or the pile (S16, S18); a 31 among the four cards ends the deal (S29, S32)."""
        table, turn, _, seat, hands, stock, pile, knocker, reshuffles = state
        if action == STOCK:
            if not stock or turn >= self._turn_cap:
                raise self._refusal(state, action)
            card = stock[0]
            stock = stock[1:]
            phase = FROM_STOCK
            heard = DREW[seat][card]
        elif action == PILE:
            card = pile[-1]
            pile = pile[:-1]
            phase = FROM_PILE
            heard = TOOK[seat][card]
        else:
            return self._apply_stay(state, action)
        a, b, c = hands[seat]
        hands = (*hands[:seat], (a, b, c, card), *hands[seat + 1 :])
        after = _state((table, turn, phase, seat, hands, stock, pile, knocker, reshuffles))
        if MARK[a] + MARK[b] + MARK[c] + MARK[card] in ALL_31:
            return self._run_on(after, Ending.THIRTY_ONE, heard)
        return after, heard

    def _apply_stay(self, state: State, action: int) -> tuple[State, tuple[Event, ...]]:
        """Knock (S21, S22) or stand (R4): the turn is over and the hand stays as it is."""
        table, turn, _, seat, hands, stock, pile, knocker, reshuffles = state
        if action == KNOCK and self._may_knock(state):
            knocker = seat
        elif action != STAND or not self._may_stand(state):
            raise self._refusal(state, action)
        after = _state((table, turn + 1, DRAW, table.after[seat], hands, stock, pile, knocker, reshuffles))
        return self._begin_turn(after, SAID[seat][action])

    def _apply_discard(self, state: State, action: int) -> tuple[State, tuple[Event, ...]]:
        """Discard one of four cards, but not the one just taken from the pile (S18 to S20, Q2, Q7)."""
        table, turn, phase, seat, hands, stock, pile, knocker, reshuffles = state
        hand = hands[seat]
        if action not in hand or (phase == FROM_PILE and action == hand[3]):
            raise self._refusal(state, action)
        at = hand.index(action)
        hands = (*hands[:seat], hand[:at] + hand[at + 1 :], *hands[seat + 1 :])
        after = _state((table, turn + 1, DRAW, table.after[seat], hands, stock, (*pile, action), knocker, reshuffles))
        return self._begin_turn(after, SAID[seat][action])

    def _apply_throw(self, state: State, action: int) -> tuple[State, tuple[Event, ...]]:
        """Throw the unseen hand down, which is a knock that nobody answers, or look at it (S49 to S51, R3)."""
        table, seat = state.table, state.seat
        if action == THROWDOWN:
            return self._run_on(state._replace(knocker=seat), Ending.THROWDOWN, SAID[seat][action])
        if action != LOOK:
            raise self._refusal(state, action)
        line = f"did seat={seat} move=look"
        heard = (Event(line, {seat: f"{line} hand={cards_text(state.hands[seat])}"}),)
        if self._throw_down == "any" and seat != table.dealer:
            return state._replace(seat=table.after[seat]), heard
        return self._begin_turn(state._replace(phase=DRAW, seat=table.order[0]), heard)

    def _begin_turn(self, state: State, heard: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
        """Return the state whose seat is to draw, unless the deal is over before it (S23, Q14, R2, R7)."""
        if state.seat == state.knocker:  # S23: each other seat has had its turn
            return self._run_on(state, Ending.KNOCK, heard)
        if not state.stock or state.turn >= self._turn_cap:
            if self._stock_out == "reshuffle" and state.turn < self._turn_cap:
                state = _reshuffle(state)
                heard = (*heard, Event(f"reshuffle stock={len(state.stock)}"))
            elif state.knocker == NOBODY:
                return self._run_on(state, self._stock_ending(state), heard)
        if self._own_turn and state.turn < len(state.table.order) and makes_31(state.hands[state.seat]):
            return self._run_on(state, Ending.THIRTY_ONE, heard)
        return state, heard

    def _stock_ending(self, state: State) -> Ending:
        """Return how a deal without a knock ends when nobody can draw from the stock any more (Q14, R5, R7)."""
        if self._stock_out == "void":
            return Ending.VOID
        return Ending.CAP if state.stock else Ending.STOCK

    def caretaker(self, state: State) -> int:
        """Return the action for a seat whose player is gone.

        It looks at its hand, draws from the stock, else stands, else takes the discard; and it discards the card that
        it drew from the stock, or the first that it may.
        """
        if state.phase == THROW:
            return LOOK
        if state.phase == DRAW:
            return STOCK if self._stock_open(state) else STAND if self._may_stand(state) else PILE
        hand = state.hands[state.seat]
        return hand[3] if state.phase == FROM_STOCK else hand[0]

    # --- what may be known

    def _hand_text(self, state: State, seat: int) -> str:
        """Return the seat's own hand, `-` while a throw down hides it (R3) and for a seat that is out."""
        if state.phase == THROW:
            order = state.table.order
            hidden = order[order.index(state.seat) :] if self._throw_down == "any" else (state.seat,)
            if seat in hidden:
                return "-"
        return cards_text(state.hands[seat])

    def view(self, state: State, seat: int) -> Mapping[str, str]:
        """Return what a seat may know: its own hand, the top discard, the counts, all that was public (S16, Q19d)."""
        words = {
            "deal": str(state.table.number),
            "turn": str(state.turn),
            "phase": PHASES[state.phase],
            "hand": self._hand_text(state, seat),
        }
        if seat == state.seat and state.phase in (FROM_STOCK, FROM_PILE):
            words["drawn"] = TEXT[state.hands[seat][3]]
            words["from"] = "stock" if state.phase == FROM_STOCK else "pile"
        words["pile"] = cards_text(state.pile[-1:])
        words["stock"] = str(len(state.stock))
        words["coins"] = _coins_text(state.table.coins, state.table.gone)
        words["knocker"] = _seat_text(state.knocker)
        words["dealer"] = str(state.table.dealer)
        return words

    def truth(self, state: State) -> Mapping[str, str]:
        """Return the whole truth: every hand, the stock from its next card on, the pile from its bottom up."""
        return {
            "deal": str(state.table.number),
            "turn": str(state.turn),
            "phase": PHASES[state.phase],
            "seat": _seat_text(state.seat),
            "hands": ";".join([cards_text(hand) for hand in state.hands]),
            "stock": cards_text(state.stock),
            "pile": cards_text(state.pile),
            "coins": _coins_text(state.table.coins, state.table.gone),
            "knocker": _seat_text(state.knocker),
            "dealer": str(state.table.dealer),
        }

    def results(self, state: State) -> tuple[Lost, ...]:
        """Return the lives lost per seat in each finished deal, before the limit of the coins held."""
        return state.table.results

    def outcome(self, state: State) -> Outcome:
        """Return the coins left and the places: the later out the better, those still in by coins (R8, R12)."""
        table = state.table
        last = len(table.results)  # greater than the number of any deal that put a seat out
        keys = tuple((out if out >= 0 else last, held) for out, held in zip(table.gone, table.coins, strict=True))
        return Outcome(table.coins, places(keys))

    # --- refusals

    def _refusal(self, state: State, action: int) -> IllegalAction:
        """Return the refusal of an illegal action: what was wrong, what was seen, what would do."""
        legal = _either([WORDS[other] for other in self.legal_actions(state)])
        if not 0 <= action < len(WORDS):
            return IllegalAction(f"{action!r} is no action of SCAT; play {legal}.")
        word = WORDS[action]
        if state.phase == THROW:
            return IllegalAction(f"{word} must wait: you have not seen your hand yet; play {legal}.")
        if state.phase == DRAW:
            return IllegalAction(f"{self._why_no_draw(state, action)}; play {legal}.")
        hand = state.hands[state.seat]
        drawn = TEXT[hand[3]]
        if action >= STOCK:
            return IllegalAction(f"{word} must wait: you have drawn {drawn} and hold four cards; discard {legal}.")
        if action in hand:
            return IllegalAction(
                f"{drawn} was taken from the discard pile in this turn and may not go back at once; discard {legal}."
            )
        return IllegalAction(f"{word} is not in your hand ({cards_text(hand)}); discard {legal}.")

    def _why_no_draw(self, state: State, action: int) -> str:
        """Return why the seat that is to draw may not do this, without the full stop."""
        hand = state.hands[state.seat]
        if action < STOCK:
            return f"{TEXT[action]} cannot be discarded before a card is drawn"
        if action in (THROWDOWN, LOOK):
            return f"{WORDS[action]} is only for a seat that has not seen its hand; you have seen yours"
        if action == STOCK:
            if not state.stock:
                return "The stock is empty"
            return f"Nobody draws from the stock any more, for the hand has reached its {self._turn_cap} turns"
        if action == STAND:
            if state.knocker == NOBODY:
                return "You can stand only after another seat's knock, and nobody has knocked"
            return f"You cannot stand while the stock has cards ({len(state.stock)} left) and final_stand=false"
        if state.knocker != NOBODY:
            return f"Seat {state.knocker} has knocked, and a hand has one knock"
        if not self._first_turn_knock and state.turn < len(state.table.order):
            return "This is your first turn, and first_turn_knock=false forbids a knock in it"
        return (
            f"A knock needs at least {points_text(self._min_knock)} points (min_knock), "
            f"and your hand {cards_text(hand)} is worth {points_text(self.value(hand))}"
        )


def _either(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]


def _state(fields: tuple[Table, int, int, int, tuple[Hand, ...], tuple[int, ...], tuple[int, ...], int, int]) -> State:
    """Return a State; quicker than its own constructor, which takes each field by name."""
    return tuple.__new__(State, fields)


def _reshuffle(state: State) -> State:
    """Return the state with all discards under the top one shuffled into a new stock (R6)."""
    stock = list(state.pile[:-1])
    Stream(state.table.seed, f"scat-stock-{state.table.number}-{state.reshuffles}").shuffle(stock)
    return state._replace(stock=tuple(stock), pile=state.pile[-1:], reshuffles=state.reshuffles + 1)


GAME = Scat
