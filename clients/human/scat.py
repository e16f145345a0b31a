"""SCAT as one seat knows it: the table built from the referee's lines, what hands count, and the words for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from human import grammar
from human.grammar import RANK_NAMES, plural, shown
from human.look import SUIT_NAME, SUIT_OF_LETTER
from human.table import Over, Table, Told, joined, put
from human.wire import Message

RANKS = "23456789TJQKA"
MOVES = ("stock", "pile", "knock", "stand", "throwdown", "look")
DECK = 52


@dataclass(frozen=True)
class Scat(Table):
    """A SCAT table.

    dealer  -- the seat that dealt
    pile    -- the discard pile, top last, as far back as it is known
    stock   -- cards left in the stock
    coins   -- per seat; None once out
    knocker -- the seat that knocked or threw down
    drawn, source -- the card drawn this turn and `stock` or `pile`, `` before a draw
    known   -- per seat, the cards that it took from the discard pile and still holds
    thrown  -- every card seen in the discard pile in this deal, oldest first
    left    -- per seat, the deal in which it went out of the match, None while in it
    """

    dealer: int = 0
    pile: tuple[str, ...] = ()
    stock: int = 0
    coins: tuple[int | None, ...] = ()
    knocker: int | None = None
    drawn: str = ""
    source: str = ""
    known: tuple[tuple[str, ...], ...] = ()
    thrown: tuple[str, ...] = ()
    left: tuple[int | None, ...] = ()

    def living(self) -> tuple[int, ...]:
        """Return the seats still in the match."""
        return tuple(seat for seat, coins in enumerate(self.coins) if coins is not None)

    def after(self, seat: int) -> int | None:
        """Return the next living seat clockwise."""
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        return next((other for other in order if self.coins[other] is not None), None)


# --- what cards are and what a hand counts ---------------------------------------------------------------------


def face(card: str) -> str:
    """Return a card as a screen shows it: `TH` is `10♥`."""
    return card[0].replace("T", "10") + SUIT_OF_LETTER[card[1]]


def faces(cards: tuple[str, ...]) -> str:
    """Return several cards as a screen shows them."""
    return " ".join(map(face, cards))


def aloud(card: str) -> str:
    """Return a card in words: `KH` is `king of hearts`."""
    return f"{RANK_NAMES.get(card[0], card[0])} of {SUIT_NAME[SUIT_OF_LETTER[card[1]]]}"


def aloud_all(cards: tuple[str, ...]) -> str:
    """Return several cards in words."""
    return joined([f"the {aloud(card)}" for card in cards])


def points(card: str) -> int:
    """Return what a card counts (S35-S37)."""
    return 11 if card[0] == "A" else min(RANKS.index(card[0]) + 2, 10)


def counted(hand: tuple[str, ...], options: Mapping[str, str]) -> tuple[float, str]:
    """Return what up to three cards count and in what: a suit's glyph, `trips` or `straight flush` (S24, S46, S47)."""
    best: tuple[float, str] = (0, "")
    for suit in dict.fromkeys(card[1] for card in hand):
        total = sum(points(card) for card in hand if card[1] == suit)
        best = max(best, (total, SUIT_OF_LETTER[suit]), key=lambda pair: pair[0])
    if len(hand) == 3 and len({card[0] for card in hand}) == 1:
        best = max(best, (float(options.get("trips", 0)), "trips"), key=lambda pair: pair[0])
    if len(hand) == 3 and len({card[1] for card in hand}) == 1:
        low, middle, high = sorted(RANKS.index(card[0]) for card in hand)
        low_ace = (low, middle, high) == (0, 1, 12) and options.get("ace_low_straight") == "true"
        if (low + 1, middle + 1) == (middle, high) or low_ace:
            flush = (float(options.get("straight_flush", 0)), "straight flush")
            best = max(best, flush, key=lambda pair: pair[0])
    return best


def value(hand: tuple[str, ...], options: Mapping[str, str]) -> float:
    """Return what a hand of three counts."""
    return counted(hand, options)[0]


def figure(points: float) -> str:
    """Return points as a person writes them: `30.5`, but `19`."""
    return f"{points:g}"


def worth(hand: tuple[str, ...], options: Mapping[str, str]) -> str:
    """Return `19 in ♥` or `30, three of a kind`."""
    total, how = counted(hand, options)
    return (
        f"{figure(total)}, {how.replace('trips', 'three of a kind')}" if len(how) > 1 else f"{figure(total)} in {how}"
    )


def makes31(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Return three of the cards that make 31 in one suit, or none (S29)."""
    for three in combinations(cards, 3):
        if len({card[1] for card in three}) == 1 and sum(map(points, three)) == 31:
            return three
    return ()


def without(hand: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Return the hand less the card at a place."""
    return hand[:place] + hand[place + 1 :]


def drops(cards: tuple[str, ...], kept: str, options: Mapping[str, str]) -> tuple[int, ...]:
    """Return the places of four cards that may be dropped, best first; `kept` may not be (S19).

    What is kept counts first; among equals the card that counts least goes, since others may take it.
    """
    places = [at for at, card in enumerate(cards) if card != kept]
    return tuple(sorted(places, key=lambda at: (-value(without(cards, at), options), points(cards[at]), at)))


# --- lines of the referee --------------------------------------------------------------------------------------


def view(table: Scat, message: Message) -> Scat:
    """Return the table as a request states it; a request carries everything that the seat may know."""
    fields = message.fields
    top = fields.get("pile", "-")
    pile = table.pile
    if top != "-" and pile[-1:] != (top,):
        pile = (*pile, top)
    return replace(
        table,
        deal=message.number("deal") or 0,
        turn=message.number("turn") or 0,
        phase=fields.get("phase", "draw"),
        mover=table.me,
        hand=message.items("hand"),
        pile=pile,
        stock=message.number("stock") or 0,
        coins=message.numbers("coins") or table.coins,
        knocker=message.number("knocker"),
        dealer=message.number("dealer") or 0,
        drawn=fields.get("drawn", ""),
        source=fields.get("from", ""),
    )


def hear(table: Scat, message: Message) -> tuple[Scat, tuple[Told, ...]]:
    """Return the table after one event, and the event in words."""
    match message.verb:
        case "deal":
            return _deal(table, message)
        case "did":
            return _did(table, message)
        case "reshuffle":
            stock = message.number("stock") or 0
            told = Told(
                None,
                f"discards shuffled into a new stock of {stock}",
                f"The discards are the new stock: {stock} cards.",
            )
            return replace(table, stock=stock, pile=table.pile[-1:]), (told,)
        case "over":
            return _over(table, message)
    return table, ()


def _deal(table: Scat, message: Message) -> tuple[Scat, tuple[Told, ...]]:
    coins = message.numbers("coins")
    living = sum(one is not None for one in coins)
    pile = message.items("pile")
    blank = tuple("" for _ in table.names)
    table = replace(
        table,
        deal=message.number("n") or 0,
        turn=0,
        phase="draw",
        dealer=message.number("dealer") or 0,
        hand=message.items("hand"),
        pile=pile,
        stock=DECK - 3 * living - len(pile),
        coins=coins,
        knocker=None,
        drawn="",
        source="",
        known=tuple(() for _ in table.names),
        thrown=pile,
        last=blank,
        left=table.left or tuple(None for _ in table.names),
    )
    table = replace(table, mover=table.after(table.dealer))
    start = f"Round {shown(table.deal)}. {table.does(table.dealer, 'deal')}. "
    card = f"The discard pile starts with the {aloud(pile[-1])}. " if pile else ""
    held = f"You hold {aloud_all(table.hand)}: {spoken_worth(table.hand, table)}." if table.hand else ""
    told = Told(None, f"round {shown(table.deal)} dealt by {table.called(table.dealer)}", (start + card + held).strip())
    return table, (told,)


def spoken_worth(hand: tuple[str, ...], table: Scat) -> str:
    """Return `19 in hearts`."""
    text = worth(hand, table.options)
    for glyph, name in SUIT_NAME.items():
        text = text.replace(glyph, name)
    return text


def _did(table: Scat, message: Message) -> tuple[Scat, tuple[Told, ...]]:
    seat, move = message.number("seat") or 0, message.fields.get("move", "")
    mine = seat == table.me
    card = message.fields.get("card", "")
    if move == "stock":
        drawn = f"drew stock: {face(card)}" if card else "drew stock"
        table = replace(table, stock=max(table.stock - 1, 0), mover=seat, last=put(table.last, seat, drawn))
        if mine and card:
            table = replace(table, hand=(*table.hand, card), drawn=card, source="stock", phase="discard")
        what = f"the {aloud(card)} from the stock" if card else "from the stock"
        return table, (Told(seat, drawn, f"{table.does(seat, 'draw', what)}."),)
    if move == "pile":
        known = tuple((*held, card) if at == seat else held for at, held in enumerate(table.known))
        text = f"took {face(card)}"
        table = replace(table, pile=table.pile[:-1], known=known, mover=seat, last=put(table.last, seat, text))
        if mine:
            table = replace(table, hand=(*table.hand, card), drawn=card, source="pile", phase="discard")
        what = f"the {aloud(card)} from the discard pile"
        return table, (Told(seat, text, f"{table.does(seat, 'take', what)}."),)
    if move in MOVES:
        return _turn_without_draw(table, seat, move, message)
    return _drop(table, seat, move)


def _turn_without_draw(table: Scat, seat: int, move: str, message: Message) -> tuple[Scat, tuple[Told, ...]]:
    text, verb, rest = {
        "knock": ("KNOCKED", "knock", ""),
        "stand": ("stood pat", "stand", "pat"),
        "throwdown": ("THREW DOWN", "throw", "down the hand, unseen"),
        "look": ("looked at the hand", "look", "at the hand"),
    }[move]
    table = replace(
        table, last=put(table.last, seat, text), turn=table.turn + (move != "look"), mover=table.after(seat)
    )
    if move in ("knock", "throwdown"):
        table = replace(table, knocker=seat)
    if move == "look" and seat == table.me:
        table = replace(table, hand=message.items("hand"))
        rest = f"at your hand: {aloud_all(table.hand)}, {spoken_worth(table.hand, table)}"
    last_turn = " Every other player has one more turn." if move == "knock" else ""
    return table, (Told(seat, text, f"{table.does(seat, verb, rest)}.{last_turn}"),)


def _drop(table: Scat, seat: int, card: str) -> tuple[Scat, tuple[Told, ...]]:
    known = tuple(tuple(held for held in cards if at != seat or held != card) for at, cards in enumerate(table.known))
    before = table.last[seat].partition(":")[0]
    text = f"{before}, dropped {face(card)}" if before.startswith(("drew", "took")) else f"dropped {face(card)}"
    hand = tuple(held for held in table.hand if held != card) if seat == table.me else table.hand
    table = replace(
        table,
        hand=hand,
        pile=(*table.pile, card),
        thrown=(*table.thrown, card),
        known=known,
        drawn="" if seat == table.me else table.drawn,
        source="" if seat == table.me else table.source,
        phase="draw",
        turn=table.turn + 1,
        mover=table.after(seat),
        last=put(table.last, seat, text),
    )
    return table, (Told(seat, text, f"{table.does(seat, 'drop', f'the {aloud(card)}')}.", joins=True),)


def _over(table: Scat, message: Message) -> tuple[Scat, tuple[Told, ...]]:
    over = Over(message.number("deal") or 0, message.fields.get("reason", ""), message.fields)
    over = over._replace(lines=explain(table, over))
    coins = message.numbers("coins")
    left = tuple(
        over.deal if now is None and before is not None else then
        for now, before, then in zip(coins, table.coins, table.left, strict=True)
    )
    ended = replace(table, over=over, coins=coins, left=left, mover=None, drawn="", source="", phase="over")
    text = f"round {shown(over.deal)} over: {_reason(table, over)}"
    return ended, (Told(None, text, "\n".join(over.lines)),)


# --- the scoring, line by line ---------------------------------------------------------------------------------

_REASONS = {
    "knock": "the showdown after a knock",
    "31": "31",
    "stock": "the stock ran out",
    "cap": "the limit of turns was reached",
    "void": "the stock ran out; nobody pays",
    "throwdown": "the showdown after a throw down",
}


def _reason(table: Scat, over: Over) -> str:
    reason = _REASONS.get(over.reason, over.reason)
    if over.reason == "31":
        who = [table.called(seat) for seat, points in enumerate(over.per_seat("values")) if points == "31"]
        return f"{joined(who)} showed 31"
    return f"{table.called(table.knocker)} knocked" if over.reason == "knock" and table.knocker is not None else reason


def losses(over: Over) -> tuple[int | None, ...]:
    """Return the coins each seat lost, None for a seat out of the match."""
    return tuple(None if one == "-" else int(one) for one in over.per_seat("lost"))


def explain(table: Scat, over: Over) -> tuple[str, ...]:
    """Return sentences that say why each seat pays what it pays.

    table -- the table just before the end, with the coins not yet paid
    """
    values = over.per_seat("values")
    lost = losses(over)
    shown_hands = {seat: float(one) for seat, one in enumerate(values) if one != "-"}
    lines = [f"Round {shown(over.deal)} is over: {_reason(table, over)}."]
    if over.reason == "31":
        declarers = [seat for seat, points in enumerate(values) if points == "31"]
        who = "all pay" if any(lost[seat] for seat in declarers) else "all others pay"
        lines.append(f"31 ends the round at once: {who}.")
    elif shown_hands:
        lowest = min(shown_hands.values())
        holders = [seat for seat, points in shown_hands.items() if points == lowest]
        who = joined([table.called(seat) for seat in holders])
        lines.append(f"The lowest hand counts {figure(lowest)}: {who}.")
        if table.knocker in holders:
            rule = (
                "The knocker alone is lowest and pays double."
                if len(holders) == 1
                else "The knocker ties for lowest and is safe; the others pay."
                if lost[table.knocker or 0] == 0
                else "The knocker ties for lowest and pays too."
            )
            lines.append(rule)
        elif len(holders) > 1:
            lines.append("All who tie for lowest pay.")
    coins = over.per_seat("coins")
    paying = [seat for seat, amount in enumerate(lost) if amount]
    for seat in paying:
        before, amount = table.coins[seat] or 0, lost[seat] or 0
        pay = table.does(seat, "lose", plural(amount, "coin"))
        be = "are" if seat == table.me else "is"
        if coins[seat] == "-":
            lines.append(f"{pay} with {plural(before, 'coin')} left, and {be} out of the match.")
        elif coins[seat] == "0":
            lines.append(f"{pay} and {be} on the dole: the next loss is the last.")
        else:
            lines.append(f"{pay}: {coins[seat]} left.")
    return (*lines, *([] if paying else ["Nobody pays."]))


def result_rows(table: Scat, over: Over) -> list[tuple[str, ...]]:
    """Return one row per seat for the end of a deal: seat, name, hand, value, loses, coins."""
    hands = over.per_seat("hands", ";")
    values = over.per_seat("values")
    rows: list[tuple[str, ...]] = []
    for seat in range(table.seats):
        cards = tuple(hands[seat].split(",")) if hands[seat] != "-" else ()
        shows = faces(cards) if cards else "not shown" if over.per_seat("lost")[seat] != "-" else "out"
        count = worth(cards, table.options) if cards else values[seat]
        loses = over.per_seat("lost")[seat].replace("-", "").replace("0", "")
        rows.append((str(shown(seat)), table.name(seat), shows, count.replace("-", ""), loses, purse(table, seat)))
    return rows


def purse(table: Scat, seat: int) -> str:
    """Return a seat's coins as a screen shows them: `●●○`, `7`, `dole` or `out`."""
    coins = table.coins[seat]
    start = int(table.options.get("start_coins", 3))
    if coins is None:
        return "out"
    if coins == 0:
        return "dole"
    return f"{coins} of {start}" if start > 5 else "●" * coins + "○" * (start - coins)


# --- advice, only when asked ----------------------------------------------------------------------------------

# Least first-turn knock that about breaks even, by number of living players; rises as the deal goes on,
# since the others' hands improve with every turn.
FIRST_KNOCK = {2: 19, 3: 18, 4: 17}


def advice(table: Scat, legal: tuple[str, ...]) -> tuple[str, str]:
    """Return the word of the wire that a careful player would send, and why, as a sentence."""
    hand = table.hand
    if "look" in legal:
        return "look", "Look at your hand; an unseen hand counts 13 on average."
    if table.drawn and len(hand) == 4:
        best = drops(hand, table.drawn if table.source == "pile" else "", table.options)[0]
        return hand[best], f"Drop {face(hand[best])}: that leaves {worth(without(hand, best), table.options)}."
    now = value(hand, table.options)
    living = len(table.living())
    rounds = table.turn // max(living, 1)
    threshold = min(FIRST_KNOCK.get(living, 16) + 2 * rounds, 26)
    if "knock" in legal and now >= threshold:
        return "knock", f"Knock: {figure(now)} is likely to beat at least one hand by now ({threshold} is enough)."
    gain = taken_value(table) - now if "pile" in legal and table.pile else 0.0
    if gain >= 3 or (gain > 0 and "stock" not in legal):
        return "pile", f"Take {face(table.pile[-1])}: it makes {figure(now + gain)}."
    if "stock" in legal:
        return "stock", "Draw from the stock: the discard pile helps too little."
    if "stand" in legal:
        return "stand", "Stand: the discard pile does not help."
    return legal[0], f"{grammar.typed(legal[0]).capitalize()}: nothing else is open to you."


def taken_value(table: Scat) -> float:
    """Return the best value after taking the top discard."""
    cards = (*table.hand, table.pile[-1])
    if makes31(cards):
        return 31.0
    return value(without(cards, drops(cards, table.pile[-1], table.options)[0]), table.options)
