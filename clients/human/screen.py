"""`screen(model, width, height)`: everything a person sees, as rows of text, without a terminal.

Three sizes. From 60 columns on there is the table with its hand; between 40 and 60, or when the table does not fit
the height, the sentences of linear mode scroll in the window; below 40x12 there is only the reason and `q`.
"""

import re
from dataclasses import replace
from types import ModuleType

from human import play, scat_screen, scout_screen, words
from human.frame import BOLD, REVERSE, TABLE_WIDTH, Size, bar, rule, spread, status
from human.grammar import plural
from human.look import Look, Row, dressed, wrap
from human.model import Model
from human.table import ordinal

LEAST_WIDTH, LEAST_HEIGHT = 40, 12
TIGHTEST = 3
USUAL_STATUS = {"scat": 1, "scout": 2}  # rows above the key bar
LEAST_STATUS = 2


def screen(model: Model, width: int, height: int, look: Look | None = None) -> list[Row]:
    """Return exactly `height` rows of at most `width` columns.

    look -- how text is dressed; the model's own settings unless given
    """
    look = look or model.settings.look
    model = replace(model, settings=replace(model.settings, look=look))
    rows = _fit(model, width, height)
    rows = [dressed(row, look, width) for row in rows[:height]]
    return rows + [Row("")] * (height - len(rows))


def _fit(model: Model, width: int, height: int) -> list[Row]:
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return _too_small(model, width, height)
    if model.table is None:
        return _before(model, width, height)
    if width >= TABLE_WIDTH:
        for dense in range(TIGHTEST + 1):
            size = Size(width if width < 80 else min(width, 100), dense)
            rows = _table_screen(model, size, height)
            if len(rows) <= height:
                return rows
    return _sentences(model, width, height)


def _too_small(model: Model, width: int, height: int) -> list[Row]:
    text = f"This window has {width}x{height} characters; the game needs {LEAST_WIDTH}x{LEAST_HEIGHT}."
    leave = "q leaves." if model.overlay != "leave" else "Leave? q = leave, Esc = stay."
    return [Row(line) for line in (*wrap(text, max(width, 1)), *wrap(leave, max(width, 1)))]


def _before(model: Model, width: int, height: int) -> list[Row]:
    lines = [model.gone or "Starting the referee ..."]
    rows = [Row(f" {line}") for text in lines for line in wrap(text, width - 2)]
    return _with_bar(
        [Row(" referee", BOLD), rule(width), *rows], status(model, width, []), _plain_bar(model, width), height
    )


def _plain_bar(model: Model, width: int) -> Row:
    return bar([(model.settings.key("leave"), "leave")], width)


def _with_bar(top: list[Row], above: list[Row], keys: Row, height: int) -> list[Row]:
    """Return the rows with the key bar on the last line and what is above it directly on top of it."""
    space = max(height - len(top) - len(above) - 1, 0)
    return [*top, *([Row("")] * space), *above, keys]


def _game(model: Model) -> ModuleType:
    return scout_screen if model.game == "scout" else scat_screen


# --- the table -------------------------------------------------------------------------------------------------


def _table_screen(model: Model, size: Size, height: int) -> list[Row]:
    shown = _reviewed(model)
    if model.overlay not in ("", "leave"):
        return _overlay_screen(model, size, height)
    game = _game(model)
    top = [_header(model, shown, size), rule(size.width), *game.seats(shown, size), rule(size.width)]
    body: list[Row] = game.body(shown, size)
    said = status(model, size.width, [] if model.review is not None else _fallback(model, size.width))
    keys = _bar(model, size)
    # As much room as a choice usually takes, so that nothing moves when something is chosen.
    usual = max(len(said), USUAL_STATUS[model.game])
    spare = height - len(top) - len(body) - usual - 1
    if spare < 0 and size.dense == TIGHTEST and spare + usual >= LEAST_STATUS:
        said = said[: spare + usual]
    elif spare < 0:
        return [*top, *body, *[Row("")] * usual, keys]
    log = _log_tail(model, min(spare - 1, 6)) if spare >= 3 and model.review is None else []
    middle = [*log, rule(size.width)] if log else []
    return _with_bar([*top, *middle, *body], said, keys, height)


def _fallback(model: Model, width: int) -> list[str]:
    if model.line is not None:
        return [play.peek(model)]
    lines: list[str] = _game(model).fallback(model, width)
    return lines


def _reviewed(model: Model) -> Model:
    """Return the model with the table under review in place of the live one."""
    if model.review is None or not model.past:
        return model
    at = min(model.review, len(model.past) - 1)
    return replace(model.cleared(), table=model.past[at].table, request=None)


def _header(model: Model, shown: Model, size: Size) -> Row:
    left, right = _game(shown).heading(shown)
    if model.request is not None and model.request.ms is not None:
        left_of_it = model.request.ms / 1000 if model.left is None else model.left
        right += f" · {left_of_it:g} s to move"
    if model.review is not None:
        behind = len(model.past) - 1 - model.review
        # It is easy to miss that one looks at the past: the banner takes the whole line.
        return Row(spread(f" REVIEW, {plural(behind, 'move')} behind live", right, size.width), REVERSE)
    seed = f"  seed {model.seed}" if model.seed and not (size.narrow and len(model.seed) > 9) else ""
    if len(f" {left}{seed}{right}") >= size.width:
        seed = ""  # the round and the clock are worth more
    return Row(spread(f" {left}{seed}", right, size.width), BOLD)


def _log_tail(model: Model, lines: int) -> list[Row]:
    return _log_rows(model)[-lines:] if lines > 0 else []


def _log_rows(model: Model) -> list[Row]:
    table = model.table
    assert table is not None
    wide = max(len(name) for name in (*table.names, "you"))
    rows = []
    for at, moment in enumerate(model.past, 1):
        seat = moment.told.seat
        name = "" if seat is None else moment.table.called(seat)
        rows.append(Row(f" {at:>3}  {name:<{wide}}  {moment.told.text}"))
    return rows


def _bar(model: Model, size: Size) -> Row:
    key = model.settings.key
    if model.line is not None:
        return Row(f" : {model.line}_", BOLD)
    if model.overlay == "leave":
        return bar([(key("leave"), "= leave"), ("Esc", "= stay")], size.width)
    if model.confirm is not None:
        entries = [("Enter", "= send"), ("Esc", "= back"), ("", "(nothing has been sent yet)")]
        return bar([*entries, (key("help"), "help"), (key("leave"), "leave")], size.width)
    if model.review is not None:
        entries = [("←→", "step"), ("Home", "start"), ("End", "live"), ("Esc", "live"), (key("leave"), "leave")]
        return bar(entries, size.width)
    return bar(_game(model).keys(model), size.width)


# --- overlays --------------------------------------------------------------------------------------------------


def _overlay_screen(model: Model, size: Size, height: int) -> list[Row]:
    top = [_header(model, model, size), rule(size.width)]
    rows = [part for row in _overlay_rows(model, size) for part in _folded(row, size.width, model.settings.look)]
    room = height - len(top) - 2
    # The log opens at its end.
    most = max(len(rows) - room, 0)
    first = max(most - model.scroll, 0) if model.overlay == "log" else min(model.scroll, most)
    part = rows[first : first + room]
    more = [Row(f" {first + 1}-{first + len(part)} of {len(rows)} lines")] if most else []
    return _with_bar([*top, *part], more, _overlay_bar(model, size, most), height)


def _folded(row: Row, width: int, look: Look) -> list[Row]:
    row = row._replace(text=look.dress(row.text))
    if len(row.text) <= width:
        return [row]
    # What follows the first word of a list hangs under its text: `goal      Hold cards ...`.
    lead = re.match(r" *(\S+ {2,}(?! ))?", row.text)
    assert lead is not None
    start = lead.group()
    hang = len(start) if lead[1] else len(start) + 2
    lines = wrap(row.text[len(start) :], width - hang - 1)
    return [row._replace(text=(" " * hang if at else start) + line, marks=()) for at, line in enumerate(lines)]


def _overlay_rows(model: Model, size: Size) -> list[Row]:
    table = model.table
    assert table is not None
    match model.overlay:
        case "over" if table.over is not None:
            rows: list[Row] = _game(model).over(model, table, table.over, size)
            return rows
        case "end":
            return _end_rows(model, size)
        case "help":
            return _help_rows(model)
        case "log":
            return _log_rows(model) or [Row(" Nothing has happened yet.")]
        case "seen":
            lines = play.flow(model).query_seen(model)
            return [Row(" Cards seen in this round", BOLD), *(Row(f" {line}") for line in lines)]
        case "welcome":
            lines = [f"Welcome to {model.game.upper()}.", "", *words.WELCOME[model.game]]
            return [Row(f" {line}") for line in lines]
    return [Row(f" {line}") for line in model.text]


def _overlay_bar(model: Model, size: Size, more: int) -> Row:
    key = model.settings.key
    scroll = [("Up Down", "scroll")] if more else []
    if model.overlay == "end":
        entries = [("Enter", "next match")] if model.next_match else []
        entries += [(key("again"), "play again"), (key("leave"), "leave"), (key("log"), "log and review")]
        return bar([*entries, *scroll], size.width)
    if model.overlay == "log":
        return bar([("Esc", "close"), ("←", "look back from the end"), *scroll, (key("leave"), "leave")], size.width)
    what = {"over": "go on", "welcome": "start"}.get(model.overlay, "close")
    return bar([("Enter", what), *scroll, (key("leave"), "leave")], size.width)


def _help_rows(model: Model) -> list[Row]:
    names = {action: model.settings.key(action) for action in model.settings.keys}
    rows = [Row(" The rules", BOLD)]
    rows += [Row(f"   {word:<9} {text}") for word, text in play.rules(model).items()]
    rows += [Row(" Keys. Nothing is sent but by Enter on a preview.", BOLD)]
    rows += [Row(f" {line}") for line in words.key_rows(model.game, names)]
    rows += [Row(f" Typed commands, after {names['command']}", BOLD)]
    return rows + [Row(f"   {line}") for line in play.help_lines(model)]


def _end_rows(model: Model, size: Size) -> list[Row]:
    table = model.table
    assert table is not None
    if model.void:
        return [Row(f" {model.void}", BOLD)]
    mine = table.ranks[table.me] if table.me is not None and table.ranks else 0
    shared = table.ranks.count(mine) > 1
    won = f" You {'share' if shared else 'are'} {ordinal(mine)} of {table.seats}." if mine else " The match is over."
    if mine == 1 and not shared:
        won = " You win the match."
    rows = [Row(" FINAL TABLE", BOLD), Row("")]
    rows += [
        Row(f"   {place:>4}  {name:<14}  {score}", BOLD if name == "YOU" else "")
        for place, name, score in play.final_places(model)
    ]
    return [*rows, Row(""), Row(won, BOLD)]


# --- small windows ---------------------------------------------------------------------------------------------


def _sentences(model: Model, width: int, height: int) -> list[Row]:
    """Return the sentences of linear mode in a window too small for the seats, over the cards where they fit."""
    size = Size(width, TIGHTEST)
    if model.overlay not in ("", "leave"):
        return _overlay_screen(model, size, height)
    look = model.settings.look
    shown = _reviewed(model)
    above = status(model, width, [] if model.review is not None else _fallback(model, width))[:4]
    top = [_header(model, shown, size), rule(width)]
    body = [part for row in _game(shown).body(shown, size) for part in _folded(row, width, look)]
    room = height - len(top) - len(body) - len(above) - 1
    if room < LEAST_STATUS:
        body, room = [], room + len(body)
    said = [line for text in model.said[-40:] for line in wrap(text, width - 1)]
    if model.review is not None:
        said = [line for line in wrap(play.aloud(model.past[model.review].told.speech), width - 1)]
    return _with_bar([*top, *(Row(line) for line in said[-room:]), *body], above, _bar(model, size), height)
