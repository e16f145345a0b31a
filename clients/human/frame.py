"""Pieces of a screen that both games use: columns of text, boxes, the rows that say what can be done."""

from collections.abc import Sequence
from typing import NamedTuple

from human import play
from human.look import Look, Row, wrap
from human.model import Model

BOLD = "bold"
REVERSE = "reverse"
TABLE_WIDTH = 60  # columns from which on the table is shown
LABELS = 7  # columns for the labels before the cards of a hand


class Size(NamedTuple):
    """What a screen has to fit: its width, and how tight it must be, 0 (roomy) to 3 (tightest)."""

    width: int
    dense: int

    @property
    def narrow(self) -> bool:
        """Return whether columns must be left out."""
        return self.width < 80


def rule(width: int) -> Row:
    """Return a line across the screen."""
    return Row("─" * width)


def spread(left: str, right: str, width: int) -> str:
    """Return two texts at the two ends of a line."""
    return left + right.rjust(width - len(left)) if len(left) + len(right) < width else left[:width]


def put_at(text: str, column: int, more: str) -> str:
    """Return the text with more text at a column, or one blank after its end if that lies further right."""
    return text.ljust(max(column, len(text) + 1 if text else 0)) + more


def status(model: Model, width: int, fallback: Sequence[str]) -> list[Row]:
    """Return the rows that say what is chosen, refused or asked."""
    look = model.settings.look
    if model.gone:
        lines = [model.gone.partition("\n")[0], model.gone.rpartition("\n")[2]] if "\n" in model.gone else [model.gone]
        return [row for line in lines for row in _rows(line, width, look, BOLD)]
    if model.overlay == "leave":
        return _rows(play.leave_question(model), width, look, BOLD)
    if model.confirm is not None:
        narrow = width < 80 and model.confirm.short
        shown = model.confirm.short if narrow else model.confirm.lines
        return [row for line in shown if line for row in _rows(line, width, look, BOLD)]
    lines = [model.note] if model.note else [model.hint] if model.hint else list(fallback)
    return [row for line in lines for row in _rows(line, width, look)]


def _rows(text: str, width: int, look: Look, style: str = "") -> list[Row]:
    return [Row(" " + line, style) for line in wrap(look.dress(text), width - 2)]


def waiting(model: Model) -> list[str]:
    """Return the line shown while others move."""
    table = model.table
    if table is None or table.mover is None or table.mover == table.me:
        return []
    key = model.settings.key("confirm")
    return [f"Waiting for {table.names[table.mover]}. {key} shows at once what the others do."]


def bar(entries: Sequence[tuple[str, str]], width: int) -> Row:
    """Return the key bar: (key, what it does). What does not fit is left out from the right, but never a safe one."""
    kept: set[int] = set()
    room = width - 1
    order = sorted(range(len(entries)), key=lambda at: (not _safe(*entries[at]), at))
    for at in order:
        needs = len(entries[at][0]) + len(entries[at][1]) + 3
        if needs > room and not _safe(*entries[at]):
            break
        kept.add(at)
        room -= needs
    text = ""
    marks = []
    for key, what in (entry for at, entry in enumerate(entries) if at in kept):
        entry = f"{key} {what}".lstrip()
        start = len(text) + (2 if text else 1)
        text = f"{text}  {entry}" if text else f" {entry}"
        marks.append((start, start + len(key), BOLD))
    return Row(text, "", tuple(marks))


def _safe(key: str, what: str) -> bool:
    """Return whether a person would be lost without this entry."""
    return key in ("Enter", "Esc") or what == "help"


class Grid(NamedTuple):
    """How the cards of a hand are set: columns per card, whether they are boxed, cards per row."""

    cell: int
    boxed: bool
    per_row: int

    def right(self, at: int) -> int:
        """Return the column of the last digit of the at-th card of a row."""
        return LABELS + at * self.cell + (3 if self.cell == 5 else 2)

    def left(self, at: int) -> int:
        """Return the first column that belongs to the at-th card of a row."""
        return LABELS + at * self.cell + self.boxed

    def end(self, at: int) -> int:
        """Return the last column that belongs to the at-th card of a row."""
        return LABELS + (at + 1) * self.cell - 1


def grid(cards: int, width: int, boxes: bool = True) -> Grid:
    """Return the widest setting in which a hand of this size fits the width."""
    room = width - LABELS - 1
    if boxes and 5 * cards + 1 <= room + 1:
        return Grid(5, True, max(cards, 1))
    if boxes and 4 * cards + 1 <= room + 1:
        return Grid(4, True, max(cards, 1))
    return Grid(3, False, max(min(cards, room // 3), 1))


def numbers_row(label: str, numbers: Sequence[int], shape: Grid) -> str:
    """Return a row of numbers under their columns."""
    text = f"  {label}".ljust(LABELS)
    if shape.boxed:
        inner = [f" {number:>2} " if shape.cell == 5 else f"{number:>2} " for number in numbers]
        return text + "│" + "│".join(inner) + "│"
    return text + "".join(f"{number:>3}" for number in numbers)


def places_row(first: int, cards: int, shape: Grid) -> str:
    """Return the row of places above a row of a hand; first: the place of its first card, as people count."""
    text = "  pos"
    for at in range(cards):
        text = text.ljust(shape.right(at) - 1) + f"{first + at:>2}"
    return text


def edge(cards: int, shape: Grid, top: bool) -> str:
    """Return the upper or lower edge of a boxed row."""
    left, middle, right = "┌┬┐" if top else "└┴┘"
    return " " * LABELS + left + middle.join(["─" * (shape.cell - 1)] * cards) + right


def bracket(first: int, last: int, text: str, shape: Grid, width: int) -> str:
    """Return the row that marks cards first .. last of a row and names them, on whichever side there is room."""
    start, end = shape.left(first), shape.end(last) - (0 if not shape.boxed else 1)
    mark = "╘" + "═" * (end - start) + "╛"
    if end + 3 + len(text) <= width:
        return " " * start + mark + (f" {text}" if text else "")
    return f"{text} ".rjust(start) + mark if len(text) + 1 <= start else " " * start + mark
