"""The rows of a SCAT screen: seats, the two piles, the hand, the choices, the end of a deal."""

from human import scat_flow
from human.frame import BOLD, TABLE_WIDTH, Size, put_at, waiting
from human.grammar import shown
from human.look import Row
from human.model import Model
from human.scat import Scat, counted, drops, face, faces, figure, purse, result_rows, without, worth
from human.table import Over


def heading(model: Model) -> tuple[str, str]:
    """Return the two ends of the first line."""
    table = scat_flow.table_of(model)
    if not table.coins:
        return "SCAT", ""
    alive = f"{len(table.living())} of {table.seats} alive"
    return "SCAT", f"round {shown(table.deal)} · turn {shown(table.turn)} · {alive}"


def seats(model: Model, size: Size) -> list[Row]:
    """Return one row per seat, and the head of the columns."""
    table = scat_flow.table_of(model)
    wide = min(max(len(name) for name in (*table.names, "player")), 12 if size.narrow else 14)
    known = model.show_seen or model.settings.assist in ("seen", "advice")
    seen_width = 0 if not known or size.narrow else 9
    seen_head = "seen".ljust(seen_width) + "  " if seen_width else ""
    purses = [purse(table, seat) if table.coins else "" for seat in range(table.seats)]
    coins_width = max(5, *map(len, purses))
    rows = [Row(f"   seat  {'player':<{wide}}  {'coins':<{coins_width}}  {seen_head}last action")]
    for seat in range(table.seats):
        seen = faces(table.known[seat] if table.known else ())
        seen = seen.ljust(seen_width)[:seen_width] + "  " if seen_width else ""
        mark = "►" if seat == table.mover else " "
        name = table.name(seat)[:wide]
        last = _last(model, table, seat)
        text = f" {mark}  {shown(seat):>3}  {name:<{wide}}  {purses[seat]:<{coins_width}}  {seen}{last}"
        rows.append(Row(text, BOLD if seat == table.mover else ""))
    return rows


def _last(model: Model, table: Scat, seat: int) -> str:
    if table.faults[seat]:
        return f"fault: {table.faults[seat]}; played by the caretaker"
    if table.coins and table.coins[seat] is None:
        left = table.left[seat]
        return "out of the match" if left is None else f"left in round {shown(left)}"
    if seat == table.me and model.request is not None:
        if scat_flow.dropping(model):
            return "choose a card to drop"
        if table.knocker is not None:
            return f"your last turn (seat {shown(table.knocker)} knocked)"
        return "your turn"
    return table.last[seat]


def body(model: Model, size: Size) -> list[Row]:
    """Return the piles, the hand and the choices."""
    table = scat_flow.table_of(model)
    pile = table.pile[:-1] if model.pick_scat.taking else table.pile
    top = f"[{face(pile[-1])}]" if pile else "[empty]"
    below = f"  below it {faces(tuple(reversed(pile[-4:-1])))}" if len(pile) > 1 else ""
    rows = [Row(f" Stock {table.stock or 'empty':<8}  Discard {top}{below}")]
    rows += _hand(model, table, size)
    if model.request is None:
        return rows
    return rows + (_drop_rows(model, table, size) if scat_flow.dropping(model) else _choice_rows(model))


def _hand(model: Model, table: Scat, size: Size) -> list[Row]:
    hand = scat_flow.cards(model)
    if not hand:
        hidden = "not looked at yet" if table.phase == "throw" else "none"
        return [Row(f" Your hand      {hidden}")]
    new = model.pick_scat.taking or bool(table.drawn)
    chosen = model.pick_scat.place
    counts = f"counts {worth(hand, table.options)}" if len(hand) == 3 and model.settings.assist != "off" else ""
    side = counts or ("new" if new and len(hand) == 4 else "")
    if size.dense >= 2:
        listed = "   ".join(f"{shown(at)} {face(card)}" for at, card in enumerate(hand))
        return [Row(f" Your hand      {listed}   {side}")]
    middle, top, bottom, places = " Your hand".ljust(16), " " * 16, " " * 16, " " * 16
    marks = []
    hits = tuple((len(middle) + 7 * at, len(middle) + 7 * at + 6, f"place:{at}") for at in range(len(hand)))
    for at, card in enumerate(hand):
        heavy = new and at == 3
        corner = "┏┓┗┛━┃" if heavy else "┌┐└┘─│"
        if chosen == at:
            marks.append((len(middle), len(middle) + 6, BOLD))
        top += f"{corner[0]}{corner[4] * 4}{corner[1]} "
        middle += f"{corner[5]}{face(card):>3} {corner[5]} "
        bottom += f"{corner[2]}{corner[4] * 4}{corner[3]} "
        places += f"  {shown(at)}    "
    if side:
        middle = put_at(middle.rstrip(), len(middle) + (4 if len(hand) == 3 else 1), side)
    return [Row(top, hits=hits), Row(middle, "", tuple(marks), hits), Row(bottom, hits=hits), Row(places, hits=hits)]


def _choice_names(table: Scat) -> dict[str, str]:
    return {
        "take": f"take {face(table.pile[-1])}" if table.pile else "take",
        "draw": "draw stock",
        "knock": "knock",
        "stand": "stand",
        "throw": "throw down",
        "look": "look",
    }


def _choice_rows(model: Model) -> list[Row]:
    table = scat_flow.table_of(model)
    names = _choice_names(table)
    always = ("take", "draw", "knock") if table.phase != "throw" else ()
    rows = []
    for verb in names:
        if verb in always or scat_flow.WORDS[verb] in model.legal:
            chosen = model.pick_scat.choice == verb
            start = f"{'►' if chosen else ' '}{model.settings.key(verb)}  {names[verb]:<12} "
            text = start + scat_flow.consequence(model, verb)
            rows.append(Row(text, BOLD if chosen else "", ((1, 2, BOLD),), ((0, len(text), f"choose:{verb}"),)))
    return rows


def _drop_rows(model: Model, table: Scat, size: Size) -> list[Row]:
    hand, kept = scat_flow.cards(model), scat_flow.kept(model)
    best = drops(hand, kept, table.options)[0]
    if size.dense >= 3:
        return [Row(_drop_line(model, table, hand, kept, best))]
    rows = []
    for at, card in enumerate(hand):
        chosen = model.pick_scat.place == at
        text = f"{'►' if chosen else ' '}drop {shown(at)}  "
        if card == kept:
            text += f"{face(card)} was taken this turn: it stays"
        elif model.settings.assist == "off":
            text += face(card)
        else:
            text += f"leaves {worth(without(hand, at), table.options)}{'   best' if at == best else ''}"
        rows.append(Row(text, BOLD if chosen else "", hits=((0, len(text), f"place:{at}"),)))
    return rows


def _drop_line(model: Model, table: Scat, hand: tuple[str, ...], kept: str, best: int) -> str:
    """Return what each drop leaves, in one line."""
    parts = []
    for at, card in enumerate(hand):
        chosen = "►" if model.pick_scat.place == at else ""
        left = figure(counted(without(hand, at), table.options)[0]) if model.settings.assist != "off" else face(card)
        parts.append(f"{chosen}{shown(at)}: {'stays' if card == kept else left}{' best' if at == best else ''}")
    return f" drop leaves  {'   '.join(parts)}"


def fallback(model: Model, width: int) -> list[str]:
    """Return the lines above the key bar when nothing else is to be said."""
    table = scat_flow.table_of(model)
    if model.request is None:
        out = bool(table.coins) and table.me is not None and table.coins[table.me] is None
        return [f"{'You are out; the others play on. ' if out else ''}{line}" for line in waiting(model)]
    if scat_flow.dropping(model):
        drew = f"You drew {face(table.drawn)}." if table.drawn else f"Taking {face(table.pile[-1])}: not sent yet."
        how = "← → or Tab choose a drop." if width < 80 else "← → or Tab (best first) choose a card to drop."
        chosen = model.pick_scat.place
        if width < TABLE_WIDTH and chosen is not None:
            return [_drop_told(model, table, chosen)]
        return [f"{drew} {how}"]
    return ["Choose with a letter or Tab."] if width >= TABLE_WIDTH else [_choice_told(model)]


def _drop_told(model: Model, table: Scat, place: int) -> str:
    """Return the drop chosen as a sentence, for windows without room for the cards."""
    hand = scat_flow.cards(model)
    leaves = "" if model.settings.assist == "off" else f": leaves {worth(without(hand, place), table.options)}"
    return f"►drop {shown(place)}, {face(hand[place])}{leaves}."


def _choice_told(model: Model) -> str:
    """Return the choices, or the one that is chosen, as a sentence, for windows without room for their rows."""
    names = _choice_names(scat_flow.table_of(model))
    chosen = model.pick_scat.choice
    if chosen:
        return f"►{model.settings.key(chosen)}  {names[chosen]}: {scat_flow.consequence(model, chosen)}."
    listed = ", ".join(f"{model.settings.key(verb)} {names[verb]}" for verb in scat_flow.choices(model))
    return f"Choose with a letter or Tab: {listed}."


def keys(model: Model) -> list[tuple[str, str]]:
    """Return the entries of the key bar, most needed first."""
    key = model.settings.key
    steps = [("Enter", "preview"), ("Esc", "back"), ("Tab", "next")] if scat_flow.depth(model) else []
    entries = [*steps, (key("help"), "help"), (key("hint"), "hint"), (key("log"), "log")]
    entries += [
        (key("seen"), "seen cards"),
        (key("pace"), "pace"),
        (key("command"), "command"),
        (key("leave"), "leave"),
    ]
    return entries


def over(model: Model, table: Scat, ended: Over, size: Size) -> list[Row]:
    """Return the end of a deal: every hand, and the scoring line by line."""
    wide = min(max(len(name) for name in (*table.names, "player")), 10 if size.narrow else 14)
    rows = [Row(f" {ended.lines[0]}", BOLD), Row("")]
    if size.width < TABLE_WIDTH:
        return [*rows, *(Row(f" {line}") for line in ended.lines[1:])]
    rows.append(Row(f"   seat  {'player':<{wide}}  {'hand':<12}  {'value':<10}  loses  coins"))
    for seat, name, hand, value, loses, coins in result_rows(table, ended):
        text = f"   {seat:>4}  {name[:wide]:<{wide}}  {hand:<12}  {value:<10}  {loses:>5}  {coins}"
        rows.append(Row(text, BOLD if name == "YOU" else ""))
    # What a row of the table says already is not said again.
    told = [line for line in ended.lines[1:] if not line.endswith(" left.")]
    return [*rows, Row(""), *(Row(f" {line}") for line in told)]
