"""The rows of a SCOUT screen: seats, the active set, the hand with what is marked, the Scout being built, scoring."""

from human import grammar, scout_flow
from human.frame import (
    BOLD,
    LABELS,
    TABLE_WIDTH,
    Grid,
    Size,
    bracket,
    edge,
    grid,
    numbers_row,
    places_row,
    put_at,
    waiting,
)
from human.grammar import plural, shown, span
from human.look import Row, wrap
from human.model import Model
from human.scout import (
    Scout,
    down,
    group_at,
    groups,
    joins,
    judged,
    numbers,
    scoring,
    strength,
    to_beat,
    turned,
    up,
    useful,
)
from human.table import Over
from human.wire import listed

NOTES = 42  # column of the notes beside the active set


def heading(model: Model) -> tuple[str, str]:
    """Return the two ends of the first line."""
    table = scout_flow.table_of(model)
    return "SCOUT", f"round {shown(table.deal)} of {table.rounds} · turn {shown(table.turn)}"


def seats(model: Model, size: Size) -> list[Row]:
    """Return one row per seat, and the head of the columns."""
    table = scout_flow.table_of(model)
    if not table.cards:
        return []
    wide = min(max(len(name) for name in (*table.names, "player")), 8 if size.narrow else 10)
    rows = [Row(_head(wide, size))]
    for seat in range(table.seats):
        mark = "►" if seat == table.mover else " "
        name = table.name(seat)[:wide]
        both = "-" if table.seats == 2 else "yes" if table.marker[seat] else "used"
        last = table.last[seat]
        if table.faults[seat]:
            last = f"fault: {table.faults[seat]}"
        if size.narrow:
            text = (
                f" {mark} {shown(seat):>2} {name:<{wide}} {table.cards[seat]:>5} {table.taken[seat]:>5} "
                f"{table.tokens[seat]:>3} {both:<4} {table.standing(seat):>5} {table.totals[seat]:>5}  "
                f"{_short(last)}"
            )
        else:
            text = (
                f" {mark}  {shown(seat):>3}  {name:<{wide}}  {table.cards[seat]:>5}  {table.taken[seat]:>5}  "
                f"{table.tokens[seat]:>6}  {both:<4}  {table.standing(seat):>5}  {table.totals[seat]:>5}  {last}"
            )
        rows.append(Row(text, BOLD if seat == table.mover else ""))
    return rows


def _short(last: str) -> str:
    """Return an action for a column of a dozen characters."""
    last = last.rpartition(", showed")[2] if ", showed" in last else last
    for long, short in (("scouted", "scout"), ("showed", "show"), (" a way up", ""), (" the hand", "")):
        last = last.replace(long, short)
    return last


def _head(wide: int, size: Size) -> str:
    if size.narrow:
        return f" seat {'player':<{wide}} cards taken tok S&S  round total"
    return f"   seat  {'player':<{wide}}  cards  taken  tokens  S&S   round  total  last action"


def body(model: Model, size: Size) -> list[Row]:
    """Return the active set and the hand, or the two readings of the hand at the start of a round."""
    table = scout_flow.table_of(model)
    if scout_flow.orienting(model):
        return _readings(model, table, size)
    if model.pick_scout.stage == "scout":
        return _scouting(model, table, size)
    return [*_active(model, table, size), *_holding(model, size)]


# --- the active set --------------------------------------------------------------------------------------------


def _active(model: Model, table: Scout, size: Size) -> list[Row]:
    active = scout_flow.active_of(model)
    power = strength(active)
    if power is None:
        wins = "  You win no cards by it." if model.request and not size.narrow else ""
        return [Row(f" Active show: empty. Anything may be shown.{wins}")]
    owner = table.name(table.owner) if table.owner is not None else "nobody"
    after = " after your Scout" if model.pick_scout.stage == "then" else ""
    title = f" Active show by {owner}{after}: {power.name()}"
    notes = [f"to beat: {to_beat(active, short=True)}" if size.narrow else f"to beat it: {to_beat(active)}"]
    if table.closing() and model.request and not after:
        full = "! If you only scout, the round ends: all others have scouted."
        notes.append("! A Scout alone ends the round." if size.narrow else full)
    return beside(title, cards_box(active, size), notes, size)


def cards_box(active: tuple[str, ...], size: Size) -> list[str]:
    """Return the active set in a box, or unboxed where lines are short."""
    ups, downs = [up(card) for card in active], [down(card) for card in active]
    label = "     left "
    if size.narrow or size.dense >= 2 or len(active) > 12:
        rows = [label + " ".join(f"{number:>2}" for number in ups) + "  right"]
        return [*rows, " " * len(label) + " ".join(f"{number:>2}" for number in downs)]
    first = label + "│" + "│".join(f" {number:>2} " for number in ups) + "│ right"
    second = " " * len(label) + "│" + "│".join(f" {number:>2} " for number in downs) + "│"
    top = " " * len(label) + "┌" + "┬".join(["────"] * len(ups)) + "┐"
    bottom = " " * len(label) + "└" + "┴".join(["────"] * len(ups)) + "┘"
    return [top, first, second, bottom]


def beside(title: str, box: list[str], notes: list[str], size: Size) -> list[Row]:
    """Return a titled box with notes on its right where there is room, else with the notes under its title."""
    width = max(map(len, box))
    column = NOTES if not size.narrow else max(width + 3, 24)
    room = size.width - column - 1
    if width + 2 > column or room < 18:
        under = [line for note in notes for line in wrap(note, size.width - 2)]
        return [Row(title, BOLD), *(Row(f" {line}") for line in under), *(Row(line) for line in box)]
    lines = [line for note in notes for line in _hang(note, room)]
    left = [title, *box]
    start = 0 if len(title) + 2 <= column else 1
    rows = []
    for at in range(max(len(left), start + len(lines))):
        text = left[at] if at < len(left) else ""
        note = lines[at - start] if 0 <= at - start < len(lines) else ""
        rows.append(Row(put_at(text, column, note) if note else text, "", ((0, len(text), BOLD),) if at == 0 else ()))
    return rows


def _hang(note: str, room: int) -> list[str]:
    first, *rest = wrap(note, room)
    if not rest:
        return [first]
    more = wrap(note[len(first) :].strip(), room - 2)
    return [first, *(f"  {line}" for line in more)]


# --- the hand --------------------------------------------------------------------------------------------------


def _holding(model: Model, size: Size) -> list[Row]:
    hand = scout_flow.hand_of(model)
    chosen = scout_flow.chosen(model) if model.request else None
    would = "would be " if model.pick_scout.stage == "then" else ""
    rows = [Row(f" Your hand{' ' + would.strip() if would else ''}: {plural(len(hand), 'card')}, order fixed", BOLD)]
    if not hand:
        return rows
    name = ""
    if chosen is not None:
        cards = hand[chosen[0] : chosen[1] + 1]
        power = strength(cards)
        name = power.name() if power else "no set, no run"
    return [*([] if size.dense >= 1 else rows), *hand_rows(hand, chosen, name, size)]


def hand_rows(
    hand: tuple[str, ...], chosen: tuple[int, int] | None, name: str, size: Size, new: int | None = None
) -> list[Row]:
    """Return the hand in as many rows as it needs, with a bracket under what is chosen.

    new -- the place of a card that is only being tried out
    """
    shape = grid(len(hand), size.width, boxes=not size.narrow and size.dense < 2)
    rows: list[Row] = []
    for first in range(0, len(hand), shape.per_row):
        part = hand[first : first + shape.per_row]
        rows += _hand_part(part, first, chosen, name, size, shape, new)
    return rows


def _hand_part(
    part: tuple[str, ...],
    first: int,
    chosen: tuple[int, int] | None,
    name: str,
    size: Size,
    shape: Grid,
    new: int | None,
) -> list[Row]:
    last = first + len(part) - 1
    inside = chosen is not None and chosen[0] <= last and chosen[1] >= first
    start, end = (max(chosen[0], first) - first, min(chosen[1], last) - first) if chosen and inside else (0, -1)
    marks = tuple((shape.left(at), shape.end(at), BOLD) for at in range(start, end + 1))
    rows = []
    if new is not None and first <= new <= last and size.dense < 3:
        rows.append(Row(" " * (shape.right(new - first) - 2) + "▼▼▼ new"))
    rows.append(Row(places_row(shown(first), len(part), shape)))
    if shape.boxed:
        rows.append(Row(edge(len(part), shape, top=True)))
    hits = tuple((shape.left(at), shape.end(at) + 1, f"place:{first + at}") for at in range(len(part)))
    rows.append(Row(numbers_row("up", [up(card) for card in part], shape), "", marks, hits))
    rows.append(Row(numbers_row("down", [down(card) for card in part], shape), "", (), hits))
    if shape.boxed:
        rows.append(Row(edge(len(part), shape, top=False)))
    rows.append(Row(bracket(start, end, name, shape, size.width) if inside else "", BOLD))
    return rows


# --- the Scout being built -------------------------------------------------------------------------------------


def _scouting(model: Model, table: Scout, size: Size) -> list[Row]:
    pick = model.pick_scout
    active = table.active
    card = active[0] if pick.end == "L" else active[-1]
    rest = scout_flow.active_of(model)
    stays = f"{numbers(rest)} {'stays' if len(rest) == 1 else 'stay'}" if rest else "nothing stays"
    owner = table.name(table.owner) if table.owner is not None else "nobody"
    whose = "your" if table.owner == table.me else f"{owner}'s"
    costs = scout_flow.costs(model).rstrip(".")
    title = f" SCOUT{' + SHOW' if pick.both else ''} from {whose} show ({costs}; {stays} as the active show)"
    if len(title) > size.width:
        title = f" SCOUT{' + SHOW' if pick.both else ''} from {whose} show ({stays} on the table)"
    other = active[-1] if pick.end == "L" else active[0]
    key = model.settings.key
    notes = []
    if len(active) > 1:
        take = "other end" if size.narrow else "take the other end"
        notes.append(f"{key('other-end')}  {take}: {up(other)} ({down(other)})")
    flipped = up(card) if pick.flip else down(card), down(card) if pick.flip else up(card)
    notes.append(f"{key('flip')}  flip: insert as {flipped[0]} ({flipped[1]})")
    if table.closing() and not pick.both:
        notes.append("!  this ends the round")
    rows = beside(title, _split_box(active, pick.end, size), notes, size)
    hand = scout_flow.hand_of(model)
    first, last = group_at(hand, pick.place)
    power = strength(hand[first : last + 1])
    chosen = (first, last)
    name = power.name() if power is not None and last > first else "alone, new"
    preview = Row(f" PREVIEW  your hand would be {plural(len(hand), 'card')}", BOLD)
    held = hand_rows(hand, chosen, name, size, new=pick.place)
    if size.dense >= 1 and len(preview.text) + 2 < len(held[0].text) - len(held[0].text.lstrip()):
        # The marker of the new card shares the line of the title.
        held[0] = Row(put_at(preview.text, len(held[0].text) - len("▼▼▼ new"), "▼▼▼ new"), BOLD)
        return [*rows, *held]
    return [*rows, *([] if size.dense >= 2 else [preview]), *held]


def _split_box(active: tuple[str, ...], end: str, size: Size) -> list[str]:
    """Return the active set with the card that is being taken set apart and named."""
    if len(active) == 1 or size.narrow or size.dense >= 2 or len(active) > 6:
        rows = cards_box(active, size)
        if len(rows) == 2:
            return rows
        if end == "R" or len(active) == 1:
            rows[1] += " ◄ taking"
        else:
            rows[1] = "taking ► " + rows[1][9:]
        return rows
    cut = 1 if end == "L" else len(active) - 1
    parts = [box for box in (active[:cut], active[cut:]) if box]
    top = "".join("┌" + "┬".join(["────"] * len(part)) + "┐" for part in parts)
    bottom = "".join("└" + "┴".join(["────"] * len(part)) + "┘" for part in parts)
    ups = "".join("│" + "│".join(f" {up(card):>2} " for card in part) + "│" for part in parts)
    downs = "".join("│" + "│".join(f" {down(card):>2} " for card in part) + "│" for part in parts)
    left = "taking ►  " if end == "L" else "     left "
    right = " right  ◄ taking" if end == "R" else " right"
    blank = " " * len(left)
    return [blank + top, left + ups + right, blank + downs, blank + bottom]


# --- which way up ----------------------------------------------------------------------------------------------


def _readings(model: Model, table: Scout, size: Size) -> list[Row]:
    turn = model.pick_scout.turn
    rows = [Row(" Which way up? Your hand stays so for the whole round.", BOLD)]
    shape = grid(len(table.hand), size.width, boxes=not size.narrow and size.dense == 0)
    for name, hand, mine in (("as dealt", table.hand, not turn), ("turned", tuple(map(turned, table.hand)), turn)):
        rows.append(Row(f" {'►' if mine else ' '} {name}", BOLD if mine else ""))
        for first in range(0, len(hand), shape.per_row):
            part = hand[first : first + shape.per_row]
            if size.dense < 3 or name == "as dealt":
                rows.append(Row(places_row(shown(first), len(part), shape)))
            ups = Row(numbers_row("up", [up(card) for card in part], shape), BOLD if mine else "")
            edges = [Row(edge(len(part), shape, top)) for top in (True, False)] if shape.boxed else []
            rows += [*edges[:1], ups, *edges[1:]]
        rows += [Row(f"{'':<{LABELS}} {line}") for line in wrap(_groups(hand), size.width - LABELS - 2)[:2]]
    return rows


def _groups(hand: tuple[str, ...]) -> str:
    found = [
        f"{power.name()} at {span(*one)}"
        for one in groups(hand)[:4]
        if (power := strength(hand[one[0] : one[1] + 1])) is not None
    ]
    return "; ".join(found) if found else "no set, no run"


# --- the lines above the key bar -------------------------------------------------------------------------------


def fallback(model: Model, width: int) -> list[str]:
    """Return the lines above the key bar when nothing else is to be said."""
    table = scout_flow.table_of(model)
    if model.request is None:
        return waiting(model)
    key = model.settings.key
    if scout_flow.orienting(model):
        way = "Turned" if model.pick_scout.turn else "As dealt"
        return [f"{way}. {key('flip')} or ← → turns the hand over, Enter goes on."]
    if model.pick_scout.stage == "scout":
        return _scouting_lines(model, table, width)
    return _showing_lines(model, table, width)


def _showing_lines(model: Model, table: Scout, width: int) -> list[str]:
    legal, chosen = scout_flow.legal_shows(model), scout_flow.chosen(model)
    hand, active = scout_flow.hand_of(model), scout_flow.active_of(model)
    then = model.pick_scout.stage == "then" or table.phase == "show"
    if chosen is None:
        if not legal:
            return ["You have no legal Show: scout with s." if not then else "No Show is legal after this Scout."]
        count = f"{plural(len(legal), 'legal Show')}: Tab goes through them, strongest first."
        return [("Now the Show of your Scout & Show. " if then else "") + count]
    first, last = chosen
    cards = hand[first : last + 1]
    _, why = judged(cards, active)
    command = grammar.typed(grammar.show_word(first, last))
    if chosen not in legal:
        return [f"{command}: {why}."]
    tab = f"Tab {shown(legal.index(chosen))} of {len(legal)}   "
    wins = f"  Takes {len(active)}: +{len(active)}" if active else ""
    if width < 80:
        tab, wins = f"Tab {shown(legal.index(chosen))}/{len(legal)}  ", ""
    return [f"{tab}{command}: {why}.{wins}", f"After it  hand {len(hand) - len(cards)}.  {joins(hand, first, last)}"]


def _scouting_lines(model: Model, table: Scout, width: int) -> list[str]:
    pick = model.pick_scout
    places = useful(table.hand, table.active, pick.end, pick.flip)
    which = (
        f"Tab {shown(places.index(pick.place))} of {plural(len(places), 'useful place')}."
        if pick.place in places
        else ""
    )
    if not which:
        which = f"Tab: {plural(len(places), 'useful place')}."
    where = f"Place {shown(pick.place)}, {scout_flow.between(pick.place, len(table.hand))}.  {which}"
    hand, rest = scout_flow.hand_of(model), scout_flow.active_of(model)
    if width < TABLE_WIDTH:
        # No room for the cards: the end and the side are told in words.
        card = hand[pick.place]
        where = f"{grammar.typed(scout_flow.scout_of(model).wire())}: {up(card)} ({down(card)}).  {which}"
    first, last = group_at(hand, pick.place)
    formed = scout_flow.makes(hand, pick.place)
    if not formed:
        return [where, "Makes no group."]
    would, _ = judged(hand[first : last + 1], rest)
    if not rest:
        return [where, f"Makes {formed}."]
    verb = "would beat" if would else "would not beat"
    return [where, f"Makes {formed}: {verb} the {numbers(rest)} left."]


def keys(model: Model) -> list[tuple[str, str]]:
    """Return the entries of the key bar, most needed first."""
    key = model.settings.key
    shared = [(key("help"), "help"), (key("leave"), "leave")]
    if model.request is None:
        return [
            (key("help"), "help"),
            ("←", "look back"),
            (key("log"), "log"),
            (key("pace"), "pace"),
            (key("leave"), "leave"),
        ]
    if scout_flow.orienting(model):
        return [("Enter", "preview"), (key("flip"), "turn over"), (key("hint"), "hint"), *shared]
    if model.pick_scout.stage == "scout":
        enter = "go on to the show" if model.pick_scout.both else "preview"
        both = [] if model.pick_scout.both else [(key("scout-show"), "then show")]
        moves = [("←→", "move"), ("Tab", "next useful"), (key("flip"), "flip"), (key("other-end"), "end")]
        return [("Enter", enter), ("Esc", "back"), *moves[:2], *both, *moves[2:], *shared[:1]]
    entries = [("Enter", "preview"), ("Tab", "next"), ("←→", "move"), ("Space", "mark")]
    if model.pick_scout.stage == "then":
        return [*entries[:1], ("Esc", "back"), *entries[1:], *shared]
    more = [(key("scout"), "scout"), (key("scout-show"), "scout+show"), (key("help"), "help")]
    return [*entries, *more, (key("leave"), "leave")]


def over(model: Model, table: Scout, ended: Over, size: Size) -> list[Row]:
    """Return the end of a round: the sum of every seat, column by column."""
    wide = min(max(len(name) for name in (*table.names, "player")), 8 if size.narrow else 12)
    rows = [Row(f" {ended.lines[0]}", BOLD), Row("")]
    if size.width < TABLE_WIDTH:
        return [*rows, *(Row(f" {line}") for line in ended.lines[1:])]
    rows.append(Row(f"   seat  {'player':<{wide}}  won  + tokens  - in hand  = points  total"))
    hands = ended.per_seat("hands", ";")
    for seat, (taken, tokens, held, penalty, points, total) in enumerate(scoring(table, ended)):
        minus = f"{penalty}" if penalty or not held else f"0 of {held}"
        start = f"   {shown(seat):>4}  {table.name(seat)[:wide]:<{wide}}"
        text = f"{start}  {taken:>3}  {tokens:>8}  {minus:>9}  {points:>8}  {total:>5}"
        rows.append(Row(text, BOLD if seat == table.me else ""))
    rows += [Row(""), Row(" Each card won and each token counts +1, each card left in hand -1.")]
    if any(held and not penalty for _, _, held, penalty, _, _ in scoring(table, ended)):
        rows.append(Row(" A hand marked 0 is spared: its owner's Show ended the round."))
    rows.append(Row(""))
    for seat in range(table.seats):
        left = numbers(listed(hands[seat])) or "nothing"
        rows.append(Row(f" {table.name(seat)[:wide]:<{wide}}  held {left}"))
    return rows
