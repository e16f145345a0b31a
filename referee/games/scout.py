"""SCOUT for two to five seats; the rulebook beside this file (scout.md) explains the ids cited here.

Theory of operation. A card is an int, `16 * visible + hidden`, so `7/2` is 0x72. An action is an int too, built so
that the documented order of the legal actions is the order of the ints:

    keep 0, turn 1
    show:I-J         SHOW + 128 * I + J
    scout:EPf        SCOUT + 256 * end + 2 * P + turned        end: L 0, R 1
    scoutshow:EPf    SCOUTSHOW + the same

The strength of a set is one int, `32 * count + 16 * same + smallest` (C14), 0 for what is no set, so that "beats" is
`>` and an empty table is beaten by any set (C22). A Scout & Show is two actions of one seat: in between the phase is
SHOW and `half` remembers what the others must not see yet (R29).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar, Final, NamedTuple, TypeAlias

from referee.cards import Stream, shuffled
from referee.games._base import (
    BadOption,
    Event,
    Game,
    IllegalAction,
    MalformedAction,
    Option,
    Outcome,
    Seat,
    Value,
    places,
)

Card: TypeAlias = int
Cards: TypeAlias = tuple[int, ...]
Action: TypeAlias = int

ORIENT, MOVE, SHOWING, OVER = range(4)
PHASE: Final = ("orient", "move", "show", "over")
NOBODY: Final = -1

KEEP: Final = 0
TURN: Final = 1
SHOW: Final = 1 << 14
SCOUT: Final = 2 << 14
SCOUTSHOW: Final = 3 << 14
END: Final = "LR"
PLACES: Final = 46  # the whole deck in one hand, and the place after its last card

# C4: each pair of numbers once. Both ways up of every card have a text and a card turned over.
PAIRS: Final = tuple(combinations(range(1, 11), 2))
TEXT: Final[dict[Card, str]] = {16 * a + b: f"{a}/{b}" for pair in PAIRS for a, b in (pair, pair[::-1])}
CARD: Final[dict[str, Card]] = {text: card for card, text in TEXT.items()}
TURNED: Final[dict[Card, Card]] = {card: (card & 15) << 4 | card >> 4 for card in TEXT}

# C5 C6 C7: the cards in use, in the order in which the shuffle numbers them.
DECK: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    2: tuple(pair for pair in PAIRS if pair != (9, 10)),
    3: tuple(pair for pair in PAIRS if pair[1] != 10),
    4: tuple(pair for pair in PAIRS if pair != (9, 10)),
    5: PAIRS,
}
HAND: Final = {2: 11, 3: 12, 4: 11, 5: 9}  # C8
START_TOKENS: Final = 3  # C33, two players


def show(first: int, last: int) -> Action:
    """Return the Show of the places first .. last of the hand."""
    return SHOW + 128 * first + last


def scout(end: int, place: int, turned: bool = False, and_show: bool = False) -> Action:
    """Return the Scout, or the first half of a Scout & Show.

    end    -- 0 for the leftmost card of the active Show, 1 for the rightmost
    place  -- the place that the card will have in the hand
    turned -- whether it is turned over on the way
    """
    return (SCOUTSHOW if and_show else SCOUT) + 256 * end + 2 * place + turned


def _spellings() -> Iterator[tuple[Action, str]]:
    yield from ((KEEP, "keep"), (TURN, "turn"))
    for first in range(PLACES):
        yield show(first, first), f"show:{first}"
        yield from ((show(first, last), f"show:{first}-{last}") for last in range(first + 1, PLACES))
    for verb, and_show in (("scout", False), ("scoutshow", True)):
        for end, place in ((end, place) for end in (0, 1) for place in range(PLACES)):
            yield scout(end, place, False, and_show), f"{verb}:{END[end]}{place}"
            yield scout(end, place, True, and_show), f"{verb}:{END[end]}{place}f"


WORD: Final[dict[Action, str]] = dict(_spellings())
ACTION: Final[dict[str, Action]] = {word: action for action, word in WORD.items()}


class Match(NamedTuple):
    """What stays the same while a round is played.

    seed    -- bytes, all the randomness of the match
    seats   -- int, 2 to 5
    number  -- int, the round being played, from 0
    starter -- the seat that starts this round
    scores  -- points per seat of the rounds that are over
    results -- per round that is over: points per seat
    """

    seed: bytes
    seats: int
    number: int
    starter: Seat
    scores: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]


class State(NamedTuple):
    """The whole truth of a match.

    match   -- what stays the same in this round
    phase   -- ORIENT, MOVE, SHOWING (the second half of a Scout & Show) or OVER
    mover   -- the seat to act; NOBODY when the match is over
    turn    -- turns finished in this round (R24: the move has passed on)
    hands   -- per seat the cards from left to right
    active  -- the active Show from left to right, as far as it is left
    owner   -- the seat whose Show it is; NOBODY when the table is empty (R25)
    taken   -- won cards per seat
    tokens  -- tokens per seat
    markers -- per seat whether its Scout & Show of the round is unspent; all False with two players
    scouts  -- Scouts since the latest Show, the Scout half of a Scout & Show left out (B.3)
    asked   -- bit set of the seats that have chosen keep or turn
    half    -- () or, in phase SHOWING, (first half, scouted card as it lay on the table, owner before it)
    """

    match: Match
    phase: int
    mover: Seat
    turn: int
    hands: tuple[Cards, ...]
    active: Cards
    owner: Seat
    taken: tuple[int, ...]
    tokens: tuple[int, ...]
    markers: tuple[bool, ...]
    scouts: int
    asked: int
    half: tuple[int, ...]


# --- cards and sets -------------------------------------------------------------------------------------------------


def cards(text: str) -> Cards:
    """Return the cards that `6/1,6/9` stands for; `-` is none. Raises ValueError."""
    try:
        return () if text == "-" else tuple(CARD[word] for word in text.split(","))
    except KeyError as wrong:
        raise ValueError(f"{wrong.args[0]!r} is no SCOUT card; one looks like 7/2, visible number first") from None


def text_of(hand: Cards) -> str:
    """Return cards as the wire spells them; none is `-`."""
    return ",".join([TEXT[card] for card in hand]) or "-"


def strength(shown: Cards) -> int:
    """Return the strength of adjacent cards as one comparable int, 0 if they are no set (C13 C14 C15, Q36).

    More cards win, then one number over a run, then the greater smallest number. A single counts as one number.
    """
    count = len(shown)
    if count < 2:
        return 48 + (shown[0] >> 4) if count else 0
    first = number = shown[0] >> 4
    step = (shown[1] >> 4) - first
    if not -1 <= step <= 1:
        return 0
    for card in shown[1:]:
        number += step
        if card >> 4 != number:  # C13: no zig-zag, and 10 and 1 are no neighbours
            return 0
    return _chain(count, step, first)


def _chain(count: int, step: int, first: int) -> int:
    """Return the strength of `count` >= 2 cards that start at number `first` and go on by `step` (C14)."""
    if step == 0:
        return 32 * count + 16 + first
    return 32 * count + (first if step > 0 else first - count + 1)


def shows(hand: Cards, bar: int) -> Iterator[Action]:
    """Yield the Shows of a hand that are stronger than `bar`, by first place, then by length (C13 C14)."""
    numbers = [card >> 4 for card in hand]
    size = len(numbers)
    for first, number in enumerate(numbers):
        if number + 48 > bar:
            yield SHOW + 129 * first
        last = first + 1
        if last == size:
            return
        step = numbers[last] - number
        if -1 <= step <= 1:
            word = SHOW + 128 * first
            # the least strength of two cards of this kind; each card more adds 32, less one when the run falls
            value, more = (80 + number, 32) if step == 0 else (64 + number, 32) if step > 0 else (63 + number, 31)
            while True:
                if value > bar:
                    yield word + last
                following = numbers[last] + step
                last += 1
                if last == size or numbers[last] != following:
                    break
                value += more


def first_halves(hand: Cards, active: Cards) -> Iterator[Action]:
    """Yield the Scouts after which some Show is legal, as first halves of a Scout & Show (C23 C24, Q27).

    A card that goes to place p leaves the sets of hand[:p] and hand[p:] as they are, and makes new sets only with
    the chains that end before p and start at p. So those are compared with what is left of the active Show.
    """
    gaps = len(hand) + 1
    if len(active) == 1:
        yield from range(SCOUTSHOW, SCOUTSHOW + 2 * gaps)  # C22: the table will be empty
        return
    numbers = [card >> 4 for card in hand]
    before, best_before = _chains(numbers)
    after, best_after = _chains(numbers[::-1])
    for end, card, left in ((0, active[0], active[1:]), (1, active[-1], active[:-1])):
        bar = strength(left)
        word = SCOUTSHOW + 256 * end
        for place in range(gaps):
            if best_before[place] > bar or best_after[gaps - 1 - place] > bar:
                yield word
                yield word + 1
            else:
                if _joined(card >> 4, before[place], after[gaps - 1 - place]) > bar:
                    yield word
                if _joined(card & 15, before[place], after[gaps - 1 - place]) > bar:
                    yield word + 1
            word += 2


def _chains(numbers: list[int]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return, for every k, of the first k numbers: the chain that ends them, and the strength of their best set.

    A chain is (last number, step towards it, count); the step of a chain of one is 9, which no other step equals.
    """
    chains = [(99, 9, 0)]
    best = [0]
    last, step, count, top = 99, 9, 0, 0
    for number in numbers:
        towards = number - last
        if not -1 <= towards <= 1:
            step, count, value = 9, 1, 48 + number
        else:
            count = count + 1 if towards == step else 2
            step = towards
            value = _chain(count, step, number - step * (count - 1))
        last = number
        top = max(top, value)
        chains.append((last, step, count))
        best.append(top)
    return chains, best


def _joined(number: int, before: tuple[int, int, int], after: tuple[int, int, int]) -> int:
    """Return the strength of the best set that a number makes between two chains.

    before -- the chain that ends left of it, read rightwards
    after  -- the chain that starts right of it, read leftwards, so towards the number as well
    """
    last, step, count = before
    rising = number - last
    left = 0 if not -1 <= rising <= 1 else count if rising == step else 1
    last, step, count = after
    falling = number - last
    right = 0 if not -1 <= falling <= 1 else count if falling == step else 1
    if left and right and rising == -falling:
        return _chain(left + 1 + right, rising, number - rising * left)
    value = 48 + number
    if left:
        value = _chain(left + 1, rising, number - rising * left)
    if right:
        value = max(value, _chain(right + 1, -falling, number))
    return value


def _put(values: tuple[int, ...], seat: Seat, more: int) -> tuple[int, ...]:
    return (*values[:seat], values[seat] + more, *values[seat + 1 :])


# --- the game -------------------------------------------------------------------------------------------------------


class Scout(Game[State, Action]):
    """SCOUT under one set of options."""

    name: ClassVar[str] = "scout"
    title: ClassVar[str] = "SCOUT"
    seats: ClassVar[range] = range(2, 6)
    declared: ClassVar[tuple[Option, ...]] = (
        Option("unbeaten_exempt", False, "the owner of an unbeaten Show pays nothing for the cards in hand", "C30 Q20"),
        Option(
            "orientation",
            "sealed",
            "when a hand is kept or turned: by all in secret before the first move, or before each own first move",
            "C9 C12 Q21 R22",
            choices=("sealed", "until_own_move"),
        ),
        Option(
            "two_player_token_to",
            "bank",
            "who gets the token that a Scout costs with two players",
            "C34 Q29 R27",
            choices=("bank", "owner"),
        ),
        Option(
            "first_player",
            "seat0",
            "who starts the first round: seat 0, the holder of the 1/2, or a seat drawn by the match's seed",
            "C26 C32 Q33 R23",
            choices=("seat0", "holder12", "random"),
        ),
        Option("tie", "share", "equal totals share the better place", "C26 Q33", choices=("share",)),
        Option(
            "turn_cap", 1000, "a round ends after this many turns, and every hand counts", "Q34 R24", (), 1, 1000000
        ),
        Option(
            "scout_insert_public", False, "all hear where a scouted card goes and whether it is turned", "C19 Q35 R26"
        ),
    )
    presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {"seed": {}, "official": {"unbeaten_exempt": True}}
    unit: ClassVar[str] = "points"
    more_is_better: ClassVar[bool] = True

    def __init__(self, options: Mapping[str, Value]) -> None:
        super().__init__(options)
        self._exempt = bool(self.options["unbeaten_exempt"])
        self._sealed = self.options["orientation"] == "sealed"
        self._token_to_owner = self.options["two_player_token_to"] == "owner"
        self._turn_cap = int(self.options["turn_cap"])
        self._insert_public = bool(self.options["scout_insert_public"])

    # --- dealing ---

    def deal(self, seats: int, seed: bytes) -> tuple[State, tuple[Event, ...]]:
        """Return the first state of a match and what each seat hears of it (C3 C26, Q33 R23)."""
        if seats not in self.seats:
            raise BadOption(f"SCOUT is for 2 to 5 seats, not {seats}.")
        hands = _hands(seats, seed, 0)
        starter = 0
        if self.options["first_player"] == "holder12":
            holders = [seat for seat, hand in enumerate(hands) if CARD["1/2"] in hand or CARD["2/1"] in hand]
            starter = holders[0] if holders else 0
        elif self.options["first_player"] == "random":
            starter = Stream(seed, "scout-starter").below(seats)
        return self._start(Match(seed, seats, 0, starter, (0,) * seats, ()), hands)

    def _start(self, match: Match, hands: tuple[Cards, ...]) -> tuple[State, tuple[Event, ...]]:
        """Return a round's first state (B.3: 1; C9 Q21 R22; C33 three tokens each, C36 no Scout & Show)."""
        seats = match.seats
        state = State(
            match=match,
            phase=ORIENT,
            mover=match.starter,
            turn=0,
            hands=hands,
            active=(),
            owner=NOBODY,
            taken=(0,) * seats,
            tokens=(START_TOKENS if seats == 2 else 0,) * seats,
            markers=(seats > 2,) * seats,
            scouts=0,
            asked=0,
            half=(),
        )
        line = f"deal n={match.number} starter={match.starter}"
        return state, (Event(line, {seat: f"{line} hand={text_of(hand)}" for seat, hand in enumerate(hands)}),)

    # --- what is so ---

    def to_act(self, state: State) -> Seat | None:
        """Return the seat that must act, or None when the match is over."""
        return None if state.phase == OVER else state.mover

    def deal_number(self, state: State) -> int:
        """Return the number of the round being played, from 0; at the end that of the last one."""
        return state.match.number

    def legal_actions(self, state: State) -> Iterator[Action]:
        """Yield the legal actions: keep, turn; Shows; Scouts; first halves of a Scout & Show (B.3: 1, 2; C35 C36)."""
        phase, mover, active = state.phase, state.mover, state.active
        if phase == ORIENT:
            yield KEEP
            yield TURN
            return
        if phase == OVER:
            return
        hand = state.hands[mover]
        yield from shows(hand, strength(active))
        if phase == SHOWING or not self._may_scout(state):
            return
        span = 2 * len(hand) + 2
        yield from range(SCOUT, SCOUT + span)
        if len(active) > 1:  # with one card left both ends are the same: only L, one spelling (B.4)
            yield from range(SCOUT + 256, SCOUT + 256 + span)
        if state.markers[mover]:
            yield from first_halves(hand, active)

    def _may_scout(self, state: State) -> bool:
        """Return whether there is a card to scout (C22) and, with two players, a token to pay for it (C35)."""
        return bool(state.active) and (state.match.seats > 2 or state.tokens[state.mover] > 0)

    def caretaker(self, state: State) -> Action:
        """Return keep; else scout the left card to the end of the hand; else, or in phase show, the first Show."""
        if state.phase == ORIENT:
            return KEEP
        hand = state.hands[state.mover]
        if state.phase == MOVE and self._may_scout(state):
            return scout(0, len(hand))
        return next(shows(hand, strength(state.active)))

    def scout_and_shows(self, state: State) -> Iterator[tuple[Action, Action]]:
        """Yield every complete Scout & Show as (first half, Show). There can be over a thousand of them."""
        mover, active = state.mover, state.active
        if state.phase != MOVE or not state.markers[mover] or not active:
            return
        for half in first_halves(state.hands[mover], active):
            hand, left, _ = _after_scout(state.hands[mover], active, half)
            for second in shows(hand, strength(left)):
                yield half, second

    def scout_and_show_results(self, state: State) -> Mapping[tuple[Cards, Cards], tuple[Action, Action]]:
        """Return the different results of a Scout & Show, (hand, active Show) -> its first spelling (R28)."""
        results: dict[tuple[Cards, Cards], tuple[Action, Action]] = {}
        for half, second in self.scout_and_shows(state):
            hand, _, _ = _after_scout(state.hands[state.mover], state.active, half)
            first, last = second >> 7 & 127, second & 127
            results.setdefault((hand[:first] + hand[last + 1 :], hand[first : last + 1]), (half, second))
        return results

    def results(self, state: State) -> tuple[tuple[int | None, ...], ...]:
        """Return the points of each finished round per seat."""
        return state.match.results

    def outcome(self, state: State) -> Outcome:
        """Return the totals and the places; equal totals share a place (C26 Q33, tie=share)."""
        return Outcome(state.match.scores, places(state.match.scores))

    # --- text ---

    def view(self, state: State, seat: Seat) -> Mapping[str, str]:
        """Return everything that `seat` may know (Q35 R26); within a Scout & Show, what it saw before it (R29)."""
        match, phase, mover, turn, hands, active, owner, taken, tokens, markers, scouts, _, half = state
        sizes = tuple([len(hand) for hand in hands])
        if half and seat != mover:
            action, card, owner = half
            active = (*active, card) if action >> 8 & 1 else (card, *active)
            phase, sizes, tokens = MOVE, _put(sizes, mover, -1), _put(tokens, owner, -1)
            markers = (*markers[:mover], True, *markers[mover + 1 :])
        return {
            "deal": str(match.number),
            "turn": str(turn),
            "phase": PHASE[phase],
            "hand": text_of(hands[seat]),
            **_table(active, owner),
            "cards": _list(sizes),
            **_counts(taken, tokens, markers, scouts, match),
        }

    def truth(self, state: State) -> Mapping[str, str]:
        """Return the whole truth as wire words.

        Beside the words of a view: `seat` to act; all `hands`; `asked`, per seat whether it has chosen keep or turn;
        `half`, the first half of a Scout & Show that is being played.
        """
        return {
            "deal": str(state.match.number),
            "turn": str(state.turn),
            "phase": PHASE[state.phase],
            "seat": "-" if state.mover == NOBODY else str(state.mover),
            "hands": ";".join(text_of(hand) for hand in state.hands),
            **_table(state.active, state.owner),
            **_counts(state.taken, state.tokens, state.markers, state.scouts, state.match),
            "asked": _flags(tuple(bool(state.asked >> seat & 1) for seat in range(state.match.seats))),
            "half": WORD[state.half[0]] if state.half else "-",
        }

    def format(self, action: Action) -> str:
        """Return the one spelling of an action (B.4)."""
        return WORD[action]

    def parse(self, word: str) -> Action:
        """Return the action that one word spells (B.4); raise MalformedAction with what would do."""
        action = ACTION.get(word)
        if action is None:
            raise MalformedAction(_why_malformed(word))
        return action

    # --- moves ---

    def apply(self, state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
        """Return the state after an action of the seat to act, and what happened (B.3).

        An event with an empty line is one of which that seat hears nothing now: between the halves of a Scout & Show
        the others hear nothing (R29), and the mover does not hear its own first half twice.
        """
        kind = action >> 14
        if state.phase == MOVE:
            if kind == 1:
                return self._show(state, action)
            if kind == 2 or kind == 3:
                return self._scout(state, action)
        elif state.phase == ORIENT:
            if action == KEEP or action == TURN:
                return self._orient(state, action)
        elif state.phase == SHOWING and kind == 1:
            return self._show(state, action)
        raise IllegalAction(_why_not_now(state, action))

    def _orient(self, state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
        """Keep or turn the whole hand, once; every card keeps its place (C9 C10 C11 C12, Q21 Q22 R22)."""
        mover, hands, seats = state.mover, state.hands, state.match.seats
        hand = hands[mover]
        if action == TURN:
            hand = tuple([TURNED[card] for card in hand])
            hands = (*hands[:mover], hand, *hands[mover + 1 :])
        event = Event(
            f"did seat={mover} move=orient", {mover: f"did seat={mover} move={WORD[action]} hand={text_of(hand)}"}
        )
        asked = state.asked | 1 << mover
        if not self._sealed:
            phase = MOVE
        else:
            phase = MOVE if asked == (1 << seats) - 1 else ORIENT
            mover = (mover + 1) % seats  # back at the starter when all have chosen
        return state._replace(phase=phase, mover=mover, hands=hands, asked=asked), (event,)

    def _show(self, state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
        """Show a set that beats the active one and take what is left of that (C13-C15, C17, C22, C24, C27)."""
        match, _, mover, turn, hands, active, _, taken, tokens, markers, _, asked, half = state
        hand = hands[mover]
        first, last = action >> 7 & 127, action & 127
        shown = hand[first : last + 1]
        if last >= len(hand) or strength(shown) <= strength(active):
            raise IllegalAction(_why_no_show(state, first, last))
        hand = hand[:first] + hand[last + 1 :]
        hands = (*hands[:mover], hand, *hands[mover + 1 :])
        took = len(active)
        if took:
            taken = _put(taken, mover, took)

        tail = f" cards={text_of(shown)} took={took}"
        events: tuple[Event, ...] = (
            Event(f"did seat={mover} move=show{tail}", {mover: f"did seat={mover} move={WORD[action]}{tail}"}),
        )
        if half:  # R29: now the others hear of the first half too
            events = (Event(self._scout_line(mover, half[0], half[1]), {mover: ""}), *events)
        after = State(
            match, MOVE, (mover + 1) % match.seats, turn + 1, hands, shown, mover, taken, tokens, markers, 0, asked, ()
        )
        if not hand:
            return self._score(after, events, "empty", mover)
        return self._go_on(after, events)

    def _scout(self, state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
        """Scout, or the first half of a Scout & Show (C18-C21, C23, C28, C34, C35, C36, Q23, Q29, R25)."""
        match, _, mover, turn, hands, active, owner, taken, tokens, markers, scouts, asked, _ = state
        seats = match.seats
        hand = hands[mover]
        end, place = (action & 0x3FFF) >> 8, action >> 1 & 127
        and_show = action >= SCOUTSHOW
        if (
            end >= (1 if len(active) == 1 else 2)
            or place > len(hand)
            or not self._may_scout(state)
            or (and_show and not markers[mover])
        ):
            raise IllegalAction(_why_no_scout(state, action))
        before = owner
        hand, active, card = _after_scout(hand, active, action)
        if and_show and next(shows(hand, strength(active)), None) is None:
            raise IllegalAction(_why_no_show_follows(hand, active, action))
        hands = (*hands[:mover], hand, *hands[mover + 1 :])
        if seats > 2:
            tokens = _put(tokens, owner, 1)  # C20, without limit (Q28)
        else:
            tokens = _put(tokens, mover, -1)  # C34
            if self._token_to_owner:
                tokens = _put(tokens, owner, 1)  # Q29
        if not active:
            owner = NOBODY

        own = f"did seat={mover} move={WORD[action]} card={TEXT[card]}"
        if and_show:
            markers = (*markers[:mover], False, *markers[mover + 1 :])
            half = (action, card, before)
            after = State(
                match, SHOWING, mover, turn, hands, active, owner, taken, tokens, markers, scouts, asked, half
            )
            return after, (Event("", {mover: own}),)
        scouts += 1
        events = (Event(self._scout_line(mover, action, card), {mover: own}),)
        if seats == 2:  # C34: the same seat goes on, and C28 never fires (Q31)
            after = State(match, MOVE, mover, turn, hands, active, owner, taken, tokens, markers, scouts, asked, ())
            return self._go_on(after, events)
        after = State(
            match, MOVE, (mover + 1) % seats, turn + 1, hands, active, owner, taken, tokens, markers, scouts, asked, ()
        )
        if scouts == seats - 1:  # C28, also when the last Scout empties the table (Q23)
            return self._score(after, events, "unbeaten", before)
        return self._go_on(after, events)

    def _scout_line(self, mover: Seat, action: Action, card: Card) -> str:
        """Return how the others hear of a Scout: the end, not the place or the way up (Q35)."""
        word = WORD[action]
        if not self._insert_public:
            word = word[: word.index(":") + 2]
        return f"did seat={mover} move={word} card={TEXT[card]}"

    def _go_on(self, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
        """Go on to the next decision, or end a round in which nothing more can or may be done (C37 Q30, Q34 R24)."""
        if state.match.seats == 2 and state.active and not state.tokens[state.mover]:
            if next(shows(state.hands[state.mover], strength(state.active)), None) is None:
                return self._score(state, events, "stuck", state.owner)
        if state.turn >= self._turn_cap:
            return self._score(state, events, "cap", NOBODY)
        if not state.asked >> state.mover & 1:  # until_own_move: before this seat's first move (R22)
            state = state._replace(phase=ORIENT)
        return state, events

    def _score(
        self, state: State, events: tuple[Event, ...], reason: str, ender: Seat
    ) -> tuple[State, tuple[Event, ...]]:
        """Score a round and deal the next one, if there is one (C29-C32, C3, Q20 Q33 Q34).

        ender -- the seat that emptied its hand or whose Show is unbeaten; NOBODY at the cap
        """
        match, hands, taken, tokens = state.match, state.hands, state.taken, state.tokens
        points = [won + held - len(hand) for won, held, hand in zip(taken, tokens, hands, strict=True)]
        if self._exempt and ender != NOBODY:
            points[ender] += len(hands[ender])
        scores = tuple([score + point for score, point in zip(match.scores, points, strict=True)])
        line = (
            f"over deal={match.number} reason={reason} hands={';'.join(text_of(hand) for hand in hands)}"
            f" taken={_list(taken)} tokens={_list(tokens)} points={_list(points)} scores={_list(scores)}"
        )
        events = (*events, Event(line))
        ended = match._replace(scores=scores, results=(*match.results, tuple(points)))
        if match.number + 1 == match.seats:  # C3; C38 says the same of two players
            return state._replace(match=ended, phase=OVER, mover=NOBODY), events
        following = ended._replace(number=match.number + 1, starter=(match.starter + 1) % match.seats)
        state, dealt = self._start(following, _hands(match.seats, match.seed, following.number))
        return state, events + dealt


GAME = Scout


def _hands(seats: int, seed: bytes, number: int) -> tuple[Cards, ...]:
    """Return the hands of a round as dealt (C4-C8, C38, Q22, R21).

    The k-th card goes to seat k mod seats. Two players share one shuffle: its first 22 cards are the first round.
    """
    shuffle = 0 if seats == 2 else number
    deck = DECK[seats]
    turn = Stream(seed, f"scout-turn-{shuffle}")
    pile: list[Card] = []
    for k in shuffled(seed, f"scout-deck-{shuffle}", len(deck)):
        low, high = deck[k]
        pile.append(16 * high + low if turn.below(2) else 16 * low + high)
    dealt = seats * HAND[seats]
    pile = pile[dealt * number : dealt * (number + 1)] if seats == 2 else pile
    return tuple(tuple(pile[seat::seats]) for seat in range(seats))


def _after_scout(hand: Cards, active: Cards, action: Action) -> tuple[Cards, Cards, Card]:
    """Return the hand and the active Show after a legal Scout, and the card as it lay on the table (C18 C19 C21)."""
    place = action >> 1 & 127
    if action >> 8 & 1:
        card, active = active[-1], active[:-1]
    else:
        card, active = active[0], active[1:]
    return (*hand[:place], TURNED[card] if action & 1 else card, *hand[place:]), active, card


def position(
    hands: tuple[Cards, ...],
    active: Cards = (),
    owner: Seat = NOBODY,
    mover: Seat = 0,
    *,
    taken: tuple[int, ...] | None = None,
    tokens: tuple[int, ...] | None = None,
    markers: tuple[bool, ...] | None = None,
    scouts: int = 0,
    turn: int = 0,
    match: Match | None = None,
) -> State:
    """Return a state in phase MOVE with these cards: for search players, who fill in what they cannot see, and tests.

    hands, active, owner, mover -- as in State; what is left out is as at the start of a round
    match -- by default the first round, seat 0 starting, with a seed of zeros for the deals to come
    """
    seats = len(hands)
    return State(
        match or Match(bytes(32), seats, 0, 0, (0,) * seats, ()),
        MOVE,
        mover,
        turn,
        hands,
        active,
        owner,
        taken or (0,) * seats,
        tokens or (START_TOKENS if seats == 2 else 0,) * seats,
        markers or (seats > 2,) * seats,
        scouts,
        (1 << seats) - 1,
        (),
    )


# --- words for views ------------------------------------------------------------------------------------------------


def _list(values: tuple[int, ...] | list[int]) -> str:
    return ",".join([str(value) for value in values])


def _flags(values: tuple[bool, ...]) -> str:
    return ",".join(["true" if value else "false" for value in values])


def _table(active: Cards, owner: Seat) -> dict[str, str]:
    return {"active": text_of(active), "owner": "-" if owner == NOBODY else str(owner)}


def _counts(
    taken: tuple[int, ...], tokens: tuple[int, ...], markers: tuple[bool, ...], scouts: int, match: Match
) -> dict[str, str]:
    return {
        "taken": _list(taken),
        "tokens": _list(tokens),
        "marker": _flags(markers),
        "scouts": str(scouts),
        "starter": str(match.starter),
        "scores": _list(match.scores),
    }


# --- sentences for the authors of players ---------------------------------------------------------------------------


def describe(shown: Cards) -> str:
    """Return a set in words: `single 7`, `set of 2 (7s)`, `run of 2 (6-7)`."""
    numbers = [card >> 4 for card in shown]
    if len(numbers) == 1:
        return f"single {numbers[0]}"
    if numbers[0] == numbers[1]:
        return f"set of {len(numbers)} ({numbers[0]}s)"
    return f"run of {len(numbers)} ({min(numbers)}-{max(numbers)})"


def _what_beats(active: Cards) -> str:
    """Return what beats the active Show, in words (C14)."""
    count, low = len(active), min(card >> 4 for card in active)
    ways = []
    if count == 1:
        if low < 10:
            ways.append(f"one card above {low}")
    elif active[0] >> 4 == active[1] >> 4:
        if low < 10:
            ways.append(f"{count} cards of one number above {low}")
    else:
        if low + count <= 10:
            ways.append(f"a run of {count} from {low + 1} or higher")
        ways.append(f"{count} cards of one number")
    return " or ".join([*ways, f"a set of {count + 1} or more"])


def _legal_shows(hand: Cards, active: Cards, otherwise: str) -> str:
    """Return a clause that names up to three legal Shows, or says what else there is to do."""
    words = [WORD[action] for action in shows(hand, strength(active))]
    if not words:
        return otherwise
    return f"{', '.join(words[:3])} would do" if len(words) <= 3 else f"{', '.join(words[:3])} and others would do"


def _why_not_now(state: State, action: Action) -> str:
    """Return why an action does not fit the phase."""
    word = WORD.get(action, "that")
    if state.phase == OVER:
        return f"{word} comes too late: the match is over"
    if state.phase == ORIENT:
        return f"{word} comes too early: first choose keep or turn for your whole hand (C9)"
    if action not in WORD:
        return "that is no action of SCOUT; take one of legal="
    hand, active = state.hands[state.mover], state.active
    if state.phase == SHOWING:
        would = _legal_shows(hand, active, "")
        return f"{word} is no Show, and your {WORD[state.half[0]]} is finished by a Show (C23); {would}"
    would = _legal_shows(hand, active, "scout a card instead")
    return f"{word} comes too late: a hand is kept or turned once, before its first move (C12); {would}"


def _why_no_show(state: State, first: int, last: int) -> str:
    """Return why a Show is not legal (C13 C14 C15)."""
    hand, active = state.hands[state.mover], state.active
    size = len(hand)
    shown = hand[first : last + 1]
    shifted = hand[first - 1 : last] if first else ()
    hint = ""
    if shifted and last <= size and strength(shifted) > strength(active):
        hint = f"; places count from 0: {WORD[show(first - 1, last - 1)]} is legal"
    if first > last:
        return "that is no action of SCOUT; a Show names its first place, then its last, as in show:2-4"
    where = f"places {first}-{last} show" if last > first else f"place {first} shows"
    if last >= size:
        have = f"places 0 to {size - 1}" if size > 1 else "place 0 only"
        return f"a hand of {size} has {have}, and the Show reaches place {last}{hint}"
    would = hint or "; " + _legal_shows(hand, active, "you hold no set that does: scout a card")
    if not strength(shown):
        return f"{where} {_list([card >> 4 for card in shown])}: neither one number nor a run (C13){would}"
    return f"{describe(shown)} does not beat {describe(active)}; it takes {_what_beats(active)} (C14){would}"


def _why_no_scout(state: State, action: Action) -> str:
    """Return why a Scout, or the first half of a Scout & Show, is not legal (C18 C22 C23 C35 C36)."""
    word = WORD.get(action)
    if word is None:
        return "that is no action of SCOUT; a Scout names L or R and a place, as in scout:L5 or scout:R0f"
    hand, active = state.hands[state.mover], state.active
    verb, tail = word.split(":")
    size = len(hand)
    if not active:
        return f"{word}: the table is empty, so there is nothing to scout; {_legal_shows(hand, active, '')} (C22)"
    if verb == "scoutshow" and state.match.seats == 2:
        return f"{word}: there is no Scout & Show with 2 players (C36); after scout:{tail} the turn goes on"
    if state.match.seats == 2 and not state.tokens[state.mover]:
        return f"{word}: a Scout costs a token and you have none (C35); {_legal_shows(hand, active, '')}"
    if verb == "scoutshow" and not state.markers[state.mover]:
        return f"{word}: your Scout & Show of this round is spent (C23); scout:{tail} or a Show is left"
    if int(tail[1:].rstrip("f")) > size:
        last = f"{size} is after the last card" if size else "the hand is empty"
        return f"{word}: a card can go to places 0 to {size} of a hand of {size} (0 is before the first card, {last})"
    return f"{word}: only one card is left of the active Show; take it as {verb}:L{tail[1:]} (C18)"


def _why_no_show_follows(hand: Cards, active: Cards, action: Action) -> str:
    """Return why a Scout & Show is not legal (C24 Q27).

    hand, active -- as they would be after its Scout
    """
    word = WORD[action]
    return (
        f"no Show follows {word}: in a hand {_list([card >> 4 for card in hand])} nothing beats the"
        f" {describe(active)} that is left, which takes {_what_beats(active)} (C24); {word.replace('show', '', 1)}"
        " alone is legal"
    )


def _why_malformed(word: str) -> str:
    """Return why a word is no action, with the nearest one that is (B.4)."""
    seen = ascii(word if len(word) <= 40 else word[:37] + "...")
    if word.lower() == "pass":
        return "'pass': nobody can pass in SCOUT; show a set or scout a card"
    verb, _, tail = word.partition(":")
    if verb.lower() in ("keep", "turn"):
        return f"{seen}: this action is one word, {verb.lower()}"
    if verb.lower() == "show":
        return f"{seen}: {_malformed_show(tail)}"
    if verb.lower() in ("scout", "scoutshow"):
        return f"{seen}: {_malformed_scout(verb.lower(), tail)}"
    close = difflib.get_close_matches(verb.lower()[:40], ("keep", "turn", "show", "scout", "scoutshow"), n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{seen} is no action; expected keep, turn, show:2-4, show:3, scout:L5, scout:R0f or scoutshow:L5{hint}"


def _number(text: str) -> int | None:
    """Return the small number that digits spell; None if they are none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _malformed_show(tail: str) -> str:
    low, dash, high = tail.partition("-")
    first, last = _number(low), _number(high) if dash else _number(low)
    if first is None or last is None:
        return "a Show is show:FIRST-LAST or show:PLACE, with places of your hand from 0, as in show:2-4 or show:3"
    if max(first, last) >= PLACES:
        return f"no hand has a place {max(first, last)}: the whole deck has 45 cards, and places count from 0"
    return f"write it {WORD[show(min(first, last), max(first, last))]}"


def _malformed_scout(verb: str, tail: str) -> str:
    end, turned = tail[:1].upper(), tail[-1:].lower() == "f"
    place = _number(tail[1:-1] if turned else tail[1:])
    if end not in ("L", "R"):
        return f"only the leftmost (L) or the rightmost (R) card can be scouted (C18), as in {verb}:L5 or {verb}:R0f"
    if place is None:
        return (
            f"after L or R comes the place the card will have in your hand, then f if turned over, as in {verb}:{end}5f"
        )
    if place >= PLACES:
        return f"no hand has a place {place}: the whole deck has 45 cards, and places count from 0"
    return f"write it {verb}:{end}{place}{'f' if turned else ''}"
