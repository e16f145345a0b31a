"""SCOUT as one seat knows it: the table built from the referee's lines, what sets beat, and the words for it.

A card is its text on the wire, visible number first: `7/2`. Places in a hand count from 0 here.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from human import grammar
from human.grammar import Scouting, plural, shown
from human.table import Over, Table, Told, joined, put
from human.wire import Message, listed


@dataclass(frozen=True)
class Scout(Table):
    """A SCOUT table.

    active -- the active set, left to right; owner -- whose it is, None for none
    cards, taken, tokens, marker -- per seat: cards held, cards won, tokens, Scout & Show unspent
    totals -- per seat, points of the rounds that are over
    scouts -- Scouts since the latest Show
    known  -- per seat, cards it scouted in this round and may still hold
    gone   -- cards seen in Shows of this round
    """

    starter: int = 0
    active: tuple[str, ...] = ()
    owner: int | None = None
    cards: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()
    marker: tuple[bool, ...] = ()
    totals: tuple[int, ...] = ()
    scouts: int = 0
    known: tuple[tuple[str, ...], ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def rounds(self) -> int:
        """Return the rounds of the match, as many as players (C3, C38)."""
        return self.seats

    def standing(self, seat: int) -> int:
        """Return what the round is worth to a seat now: cards won and tokens, less the hand (C29, C30)."""
        return self.taken[seat] + self.tokens[seat] - self.cards[seat]

    def closing(self) -> bool:
        """Return whether a Scout alone by the seat to move ends the round (C28)."""
        return self.seats > 2 and bool(self.active) and self.scouts == self.seats - 2


# --- cards and sets --------------------------------------------------------------------------------------------


def up(card: str) -> int:
    """Return the visible number."""
    return int(card.partition("/")[0])


def down(card: str) -> int:
    """Return the hidden number."""
    return int(card.partition("/")[2])


def turned(card: str) -> str:
    """Return the card turned over."""
    return f"{down(card)}/{up(card)}"


def numbers(cards: tuple[str, ...]) -> str:
    """Return the visible numbers, `7 7 7`."""
    return " ".join(str(up(card)) for card in cards)


class Strength(NamedTuple):
    """What decides between two sets, in this order (C14): cards, same before run, the smallest number."""

    size: int
    same: bool
    low: int

    @property
    def high(self) -> int:
        """Return the greatest number."""
        return self.low if self.same else self.low + self.size - 1

    def name(self) -> str:
        """Return `set of 2 (7s)`, `run of 3 (3-5)` or `a single 7`."""
        if self.size == 1:
            return f"a single {self.low}"
        return f"set of {self.size} ({self.low}s)" if self.same else f"run of {self.size} ({self.low}-{self.high})"

    def aloud(self) -> str:
        """Return `a set of two sevens`, as linear mode says it."""
        if self.size == 1:
            return f"a single {self.low}"
        if self.same:
            return f"a set of {grammar.count(self.size)} {_MANY[self.low]}"
        return f"a run of {grammar.count(self.size)}, {self.low} to {self.high}"


_MANY = "- ones twos threes fours fives sixes sevens eights nines tens".split()


@lru_cache(maxsize=1 << 15)
def strength(cards: tuple[str, ...]) -> Strength | None:
    """Return the strength of adjacent cards, None when they are neither a set nor a run (C13)."""
    seen = [up(card) for card in cards]
    if not seen:
        return None
    steps = {after - before for before, after in pairwise(seen)}
    if steps <= {0}:
        return Strength(len(seen), True, seen[0])
    return Strength(len(seen), False, min(seen)) if steps in ({1}, {-1}) else None


def shows(hand: tuple[str, ...], active: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the slices of a hand that beat the active set, strongest first."""
    bar = strength(active) or Strength(0, False, 0)
    found = []
    for first in range(len(hand)):
        for last in range(first, len(hand)):
            power = strength(hand[first : last + 1])
            if power is None:
                break
            if power > bar:
                found.append((power, first, last))
    return tuple(
        (first, last)
        for power, first, last in sorted(found, key=lambda one: (-one[0].size, -one[0].same, -one[0].low, one[1]))
    )


def inserted(
    hand: tuple[str, ...], active: tuple[str, ...], scout: Scouting
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the hand and the active set after a Scout."""
    card, rest = (active[0], active[1:]) if scout.end == "L" else (active[-1], active[:-1])
    card = turned(card) if scout.flip else card
    return (*hand[: scout.place], card, *hand[scout.place :]), rest


def group_at(hand: tuple[str, ...], place: int) -> tuple[int, int]:
    """Return the strongest set of the hand that holds a place, as first and last place."""
    best, bar = (place, place), strength(hand[place : place + 1])
    for first in range(place, -1, -1):
        # A part of a set is a set and a part of a run a run, so what fails cannot be mended by more cards.
        if strength(hand[first : place + 1]) is None:
            break
        for last in range(place, len(hand)):
            power = strength(hand[first : last + 1])
            if power is None:
                break
            if bar is None or power > bar:
                best, bar = (first, last), power
    return best


def groups(hand: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the sets and runs of two and more cards that no longer one of the same kind holds, strongest first."""
    found = [
        (first, last)
        for first in range(len(hand))
        for last in range(first + 1, len(hand))
        if strength(hand[first : last + 1]) is not None
    ]
    longest = [
        (first, last)
        for first, last in found
        if (first == 0 or strength(hand[first - 1 : last + 1]) is None)
        and (last == len(hand) - 1 or strength(hand[first : last + 2]) is None)
    ]
    power = {one: strength(hand[one[0] : one[1] + 1]) or Strength(0, False, 0) for one in longest}
    return tuple(sorted(longest, key=lambda one: (-power[one].size, -power[one].same, -power[one].low, one)))


def useful(hand: tuple[str, ...], active: tuple[str, ...], end: str, flip: bool) -> tuple[int, ...]:
    """Return the places where the scouted card makes or lengthens a group, best first."""
    found = []
    for at in range(len(hand) + 1):
        after, _ = inserted(hand, active, Scouting(end, at, flip))
        first, last = group_at(after, at)
        power = strength(after[first : last + 1])
        if power is not None and power.size > 1:
            found.append((-power.size, -power.same, -power.low, at))
    return tuple(one[-1] for one in sorted(found))


def to_beat(active: tuple[str, ...], short: bool = False) -> str:
    """Return what beats the active set, in words; short: in as few as will do."""
    bar = strength(active)
    if bar is None:
        return "anything may be shown"
    if short:
        if bar.size == 1:
            equal = f"one card {bar.low + 1} up" if bar.low < 10 else ""
        elif bar.same:
            equal = f"set of {bar.size} {bar.low + 1}s up" if bar.low < 10 else ""
        else:
            equal = f"set of {bar.size}" + (f", run of {bar.size} from {bar.low + 1}" if bar.high < 10 else "")
        return ", ".join(part for part in (f"{bar.size + 1}+ cards", equal) if part)
    more = f"any {bar.size + 1} or more cards"
    if bar.size == 1:
        return f"{more}, or a single {bar.low + 1} or up" if bar.low < 10 else more
    if bar.same:
        return f"{more}, or a set of {bar.size}, {bar.low + 1}s or up" if bar.low < 10 else more
    higher = f", or a run of {bar.size} from {bar.low + 1} up" if bar.high < 10 else ""
    return f"{more}, any set of {bar.size}{higher}"


def judged(cards: tuple[str, ...], active: tuple[str, ...]) -> tuple[bool, str]:
    """Return whether the cards may be shown over the active set, and the reason in words."""
    power, bar = strength(cards), strength(active)
    if power is None:
        return False, f"{numbers(cards)} is neither a set nor a run"
    if bar is None:
        return True, power.name()
    if power > bar:
        how = "longer" if power.size > bar.size else "a set beats a run" if power.same > bar.same else "higher"
        return True, f"{power.name()} beats it, {how}"
    if power == bar:
        return False, f"{power.name()} does not beat {bar.name()}: they are equal"
    why = "fewer cards" if power.size < bar.size else "a set beats a run" if power.same < bar.same else "lower"
    return False, f"{power.name()} does not beat {bar.name()}: {why}"


def outdoes(cards: tuple[str, ...], active: tuple[str, ...]) -> str:
    """Return a legal Show in few words: `8 8, set of 2, beats 7 7 (higher)`."""
    power, bar = strength(cards), strength(active)
    kind = power.name().partition(" (")[0] if power is not None and power.size > 1 else ""
    start = f"{numbers(cards)}, {kind}" if kind else numbers(cards)
    if power is None or bar is None:
        return start
    how = "longer" if power.size > bar.size else "a set beats a run" if power.same > bar.same else "higher"
    return f"{start}, beats {numbers(active)} ({how})"


def joins(hand: tuple[str, ...], first: int, last: int) -> str:
    """Return what the hand looks like once a slice has left it: which cards become neighbours, what they form."""
    rest = hand[:first] + hand[last + 1 :]
    if not rest:
        return "Your hand is empty: the round ends."
    if first == 0 or last == len(hand) - 1:
        return "Nothing joins up."
    left, right = up(hand[first - 1]), up(hand[last + 1])
    start, end = group_at(rest, first - 1)
    power = strength(rest[start : end + 1])
    formed = power.name() if power is not None and end >= first else "nothing formed"
    return f"{left} and {right} join up: {formed}."


# --- lines of the referee --------------------------------------------------------------------------------------


def counts(message: Message, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    """Return numbers per seat, 0 where the wire has `-`."""
    return tuple(number or 0 for number in message.numbers(key)) or default


def view(table: Scout, message: Message) -> Scout:
    """Return the table as a request states it."""
    marker = tuple(word == "true" for word in message.items("marker")) or table.marker
    return replace(
        table,
        deal=message.number("deal") or 0,
        turn=message.number("turn") or 0,
        phase=message.fields.get("phase", "move"),
        mover=table.me,
        hand=message.items("hand"),
        active=message.items("active"),
        owner=message.number("owner"),
        cards=counts(message, "cards", table.cards),
        taken=counts(message, "taken", table.taken),
        tokens=counts(message, "tokens", table.tokens),
        marker=marker,
        scouts=message.number("scouts") or 0,
        starter=message.number("starter") or 0,
        totals=counts(message, "scores", table.totals),
    )


def hear(table: Scout, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    """Return the table after one event, and the event in words."""
    match message.verb:
        case "deal":
            return _deal(table, message)
        case "did":
            return _did(table, message)
        case "over":
            return _over(table, message)
    return table, ()


def _deal(table: Scout, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    hand = message.items("hand")
    seats = table.seats
    size = len(hand) or {2: 11, 3: 12, 4: 11, 5: 9}.get(seats, 0)
    table = replace(
        table,
        deal=message.number("n") or 0,
        turn=0,
        phase="orient",
        starter=message.number("starter") or 0,
        mover=message.number("starter"),
        hand=hand,
        active=(),
        owner=None,
        cards=(size,) * seats,
        taken=(0,) * seats,
        tokens=(3 if seats == 2 else 0,) * seats,
        marker=(seats > 2,) * seats,
        totals=table.totals or (0,) * seats,
        scouts=0,
        known=((),) * seats,
        gone=(),
        last=("",) * seats,
    )
    held = f" You hold {plural(len(hand), 'card')}: {numbers(hand)}." if hand else ""
    speech = f"Round {shown(table.deal)} of {table.rounds}. {table.does(table.starter, 'start')}.{held}"
    return table, (Told(None, f"round {shown(table.deal)} dealt, {table.called(table.starter)} to start", speech),)


def _did(table: Scout, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    seat, move = message.number("seat") or 0, message.fields.get("move", "")
    verb = move.partition(":")[0]
    if verb in ("orient", "keep", "turn"):
        hand = message.items("hand") or table.hand if seat == table.me else table.hand
        what = {"orient": "chose a way up", "keep": "kept the hand", "turn": "turned the hand"}[verb]
        rest = {"orient": "a way up", "keep": "the hand as dealt", "turn": "the whole hand over"}[verb]
        speech = f"{table.does(seat, {'orient': 'choose'}.get(verb, verb), rest)}."
        table = replace(table, hand=hand, last=put(table.last, seat, what), mover=_next(table, seat))
        return table, (Told(seat, what, speech),)
    if verb == "show":
        return _show(table, seat, move, message)
    return _scout(table, seat, move, message)


def _next(table: Scout, seat: int) -> int:
    return (seat + 1) % table.seats


def _show(table: Scout, seat: int, move: str, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    cards, took = message.items("cards"), message.number("took") or 0
    power = strength(cards)
    before = strength(table.active)
    hand = table.hand
    if seat == table.me and ":" in move:
        first, last = grammar.slice_of(move)
        hand = hand[:first] + hand[last + 1 :]
    known = tuple(
        tuple(card for card in held if at != seat or not {card, turned(card)} & set(cards))
        for at, held in enumerate(table.known)
    )
    name = power.name() if power else numbers(cards)
    beats = f", beats {numbers(table.active)}" if before else ""
    text = f"showed {numbers(cards)}" + (f", {name}{beats}" if len(cards) > 1 or before else "")
    scouted = table.last[seat].startswith("scouted") and table.phase == "show"
    latest = f"{table.last[seat]}, showed {numbers(cards)}" if scouted else f"showed {numbers(cards)}"
    table = replace(
        table,
        hand=hand,
        active=cards,
        owner=seat,
        cards=_add(table.cards, seat, -len(cards)),
        taken=_add(table.taken, seat, took),
        scouts=0,
        known=known,
        gone=(*table.gone, *cards),
        last=put(table.last, seat, latest),
        phase="move",
        turn=table.turn + 1,
        mover=_next(table, seat),
    )
    wins = f", and takes {plural(took, 'card')}" if took and seat != table.me else ""
    wins = f", and take {plural(took, 'card')}" if took and seat == table.me else wins
    speech = f"{table.does(seat, 'show', power.aloud() if power else numbers(cards))}{wins}."
    return table, (Told(seat, text, speech, joins=scouted),)


def _add(items: tuple[int, ...], seat: int, amount: int) -> tuple[int, ...]:
    return (*items[:seat], items[seat] + amount, *items[seat + 1 :])


def _scout(table: Scout, seat: int, move: str, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    scout, card = grammar.scouting(move), message.fields.get("card", "")
    with_show = move.startswith("scoutshow")
    active = table.active[1:] if scout.end == "L" else table.active[:-1]
    hand = table.hand
    if seat == table.me:
        hand, _ = inserted(table.hand, table.active or (card,), scout)
    tokens = table.tokens
    if table.seats == 2:
        tokens = _add(tokens, seat, -1)
    if table.owner is not None and (table.seats > 2 or table.options.get("two_player_token_to") == "owner"):
        tokens = _add(tokens, table.owner, 1)
    side = "left" if scout.end == "L" else "right"
    if len(table.active) == 1:
        side = "only"
    text = f"scouted {up(card)} ({down(card)}) {side}".replace(" only", "")
    owner = table.owner
    known = tuple((*held, card) if at == seat else held for at, held in enumerate(table.known))
    marker = tuple(unspent and not (with_show and at == seat) for at, unspent in enumerate(table.marker))
    table = replace(
        table,
        hand=hand,
        active=active,
        owner=owner if active else None,
        cards=_add(table.cards, seat, 1),
        tokens=tokens,
        marker=marker,
        scouts=table.scouts + (not with_show),
        known=known,
        last=put(table.last, seat, text),
        phase="show" if with_show else "move",
        turn=table.turn + (not with_show and table.seats > 2),
        mover=seat if with_show or table.seats == 2 else _next(table, seat),
    )
    gets = ""
    if owner is not None and table.seats > 2:
        gets = f" {table.does(owner, 'get', 'a token')}."
    which = {"left": "the left", "right": "the right", "only": "the last"}[side]
    speech = f"{table.does(seat, 'scout', f'{which} {up(card)}, other side {down(card)}')}.{gets}"
    return table, (Told(seat, text, speech),)


def _over(table: Scout, message: Message) -> tuple[Scout, tuple[Told, ...]]:
    over = Over(message.number("deal") or 0, message.fields.get("reason", ""), message.fields)
    over = over._replace(lines=explain(table, over))
    totals = counts(message, "scores", table.totals)
    ended = replace(table, over=over, totals=totals, mover=None, phase="over", turn=table.turn)
    text = f"round {shown(over.deal)} over: {_reason(table, over)}"
    return ended, (Told(None, text, "\n".join(over.lines)),)


# --- the scoring, line by line ---------------------------------------------------------------------------------


def _reason(table: Scout, over: Over) -> str:
    """Return why a round ended, without a full stop."""
    if over.reason == "empty":
        hands = over.per_seat("hands", ";")
        empty = [table.called(seat) for seat in range(table.seats) if hands[seat] == "-"]
        return f"{joined(empty)} played the last card"
    if over.reason in ("unbeaten", "stuck"):
        whose = "your Show" if table.owner == table.me else f"the Show of {table.called(table.owner or 0)}"
        whose = whose if table.owner is not None else "the latest Show"
        why = "nobody beat" if over.reason == "unbeaten" else "no move was left against"
        return f"{why} {whose}"
    return "the limit of turns was reached" if over.reason == "cap" else over.reason


def scoring(table: Scout, over: Over) -> list[tuple[int, int, int, int, int, int]]:
    """Return per seat: cards won, tokens, cards in hand, hand penalty paid, points, total."""
    rows = []
    for seat in range(table.seats):
        held = len(listed(over.per_seat("hands", ";")[seat]))
        taken, tokens, points, total = (
            int(over.per_seat(key)[seat]) for key in ("taken", "tokens", "points", "scores")
        )
        rows.append((taken, tokens, held, taken + tokens - points, points, total))
    return rows


def explain(table: Scout, over: Over) -> tuple[str, ...]:
    """Return sentences that add up each seat's points."""
    lines = [f"Round {shown(over.deal)} of {table.rounds} is over: {_reason(table, over)}."]
    for seat, (taken, tokens, held, penalty, points, total) in enumerate(scoring(table, over)):
        spared = " (spared)" if held and not penalty else ""
        minus = f" minus {plural(held, 'card')} in hand{spared}"
        adds = f"{plural(taken, 'card')} won plus {plural(tokens, 'token')}{minus}"
        lines.append(f"{table.does(seat, 'score', f'{points}: {adds}. Total {total}')}.")
    return tuple(lines)


# --- advice, only when asked ----------------------------------------------------------------------------------


def advice(table: Scout, legal: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the words of the wire of a sound move, and why, as a sentence.

    Each move is judged by what it leaves: cards that go together in hand, cards held, cards won, tokens given.
    """
    if "keep" in legal:
        other = tuple(map(turned, table.hand))
        turn = shape(other) > shape(table.hand)
        best = groups(other if turn else table.hand)
        word = "turn" if turn else "keep"
        return (
            word,
        ), f"{word.capitalize()} the hand: that way it has {plural(len(best), 'group')}, which go together better."
    best_words: tuple[str, ...] = (legal[0],)
    best_score = float("-inf")
    for words, score in _judged_moves(table, legal):
        if score > best_score:
            best_words, best_score = words, score
    return best_words, f"{grammar.typed_all(best_words).capitalize()}: it leaves the best hand for what it costs."


def _judged_moves(table: Scout, legal: tuple[str, ...]) -> list[tuple[tuple[str, ...], float]]:
    found: list[tuple[tuple[str, ...], float]] = []
    bonus = {True: 0.0, False: 0.0}
    for word in legal:
        if word.startswith("show"):
            first, last = grammar.slice_of(word)
            found.append(((word,), _after_show(table.hand, first, last, len(table.active))))
            bonus[True] = 1.0
        elif word.startswith("scout:"):
            hand, _ = inserted(table.hand, table.active, grammar.scouting(word))
            risk = 4.0 if table.closing() and table.standing(table.me or 0) < 0 else 0.0
            found.append(((word,), _worth(hand) - 1.0 - risk))
    for end in ("L", "R"):
        for flip in (False, True):
            for at in useful(table.hand, table.active, end, flip)[:4] if table.active else ():
                scout = Scouting(end, at, flip)
                if scout.wire("scoutshow") in legal:
                    hand, rest = inserted(table.hand, table.active, scout)
                    # The marker is worth keeping for a better moment: 2 points.
                    for first, last in shows(hand, rest)[:3]:
                        words = (scout.wire("scoutshow"), grammar.show_word(first, last))
                        found.append((words, _after_show(hand, first, last, len(rest)) - 3.0))
    return found


def _after_show(hand: tuple[str, ...], first: int, last: int, won: int) -> float:
    rest = hand[:first] + hand[last + 1 :]
    power = strength(hand[first : last + 1]) or Strength(0, False, 0)
    stays = 0.15 * power.size * power.size + 0.02 * power.low
    return _worth(rest) + won + stays + (3.0 if not rest else 0.0)


def _worth(hand: tuple[str, ...]) -> float:
    return 0.25 * shape(hand) - len(hand)


def shape(hand: tuple[str, ...]) -> int:
    """Return how well a hand goes together: the best sum of squared sizes over ways to cut it into sets and runs."""
    best = [0]
    for end in range(1, len(hand) + 1):
        most = 0
        for start in range(end - 1, -1, -1):
            if strength(hand[start:end]) is None:
                break
            most = max(most, best[start] + (end - start) ** 2)
        best.append(most)
    return best[-1]
