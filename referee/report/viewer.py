"""A match to look at, moment by moment: what the moments are, what a key does, what the screen and the sentences say.

Theory of operation. `open_replay` replays a record into frames, one for everything that can be looked at: a deal, a
move, a fault, the end of a deal, the end of the match. A `Model` is a place among the frames and how they are looked
at; `key(model, name)` returns the model after a key and `screen(model, width, height, charset)` its lines. Nothing
here knows a terminal; report/theatre.py paints it.

A frame that ends a deal shows the hands and what they cost; the frame after it shows the next deal. Whoever looks
through one seat's eyes reads the lines that this seat heard and its own view of the state, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from referee.games import scat
from referee.games._base import AnyGame, Event
from referee.match import Faulted, Move, Record, Step
from referee.record import BadRecord, Moment, game_of
from referee.record import replay as moments_of
from referee.report import narrate
from referee.report.embed import times
from referee.report.narrate import Narrator
from referee.wire import safe, words

ALL, TABLE = -1, -2  # views beside those of the seats, 0 ..
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
NORMAL_SPEED = SPEEDS.index(1.0)
SECONDS = 0.6  # for one move at speed 1; long enough to read a line
LEAST_WIDTH, LEAST_HEIGHT = 60, 12  # below it there are sentences
WIDE = 80
WIDEST = 120
LEAST_MOVES = 3  # rows of the list of moves

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_CARD = re.compile(r"(?<![A-Za-z0-9_-])(10|[2-9JQKA])([SHDC])(?![A-Za-z0-9_-])")
_GLYPH_CARD = re.compile("(10|[2-9JQKA])([♠♥♦♣])")
_ASCII = str.maketrans(
    {
        "─": "-",
        "━": "=",
        "►": ">",
        "●": "*",
        "○": "-",
        "·": "-",
        "✗": "x",
        "…": "~",
        "←": "<",
        "→": ">",
        "↑": "^",
        "↓": "v",
        "±": "+-",
    }
)


class Row(NamedTuple):
    """One line of a screen and what it is: `head`, `now`, `later`, `fault`, `plain`. The text says it all too."""

    text: str
    role: str = "plain"


# -- the match as frames


class Frame(NamedTuple):
    """One thing to look at.

    kind   -- deal, move, fault, over, end or void
    number -- of the latest step, from 1; 0 before the first
    step   -- the step taken, None for what happened by itself
    state  -- the state after it; None within a chain of deals that ended by themselves
    before -- the state before the step, None for a deal
    events -- what was heard of it
    truth  -- the lines that say all of it
    ms     -- charged for the answer, None where nobody answered or it was not kept
    """

    kind: str
    number: int
    step: Step | None
    state: Any
    before: Any
    events: tuple[Event, ...]
    truth: tuple[str, ...]
    ms: float | None = None

    def keys(self, verb: str) -> Mapping[str, str]:
        """Return the words of the line with this verb, none when there is no such line."""
        line = next((line for line in self.truth if line.startswith(verb + " ")), verb)
        return words(line)[2]


@dataclass(frozen=True)
class Replay:
    """A match as frames.

    title  -- what the match is called on the screen, such as results/cup#318
    faults -- (index of the frame, seat, code, whether it was a tolerated strike)
    """

    title: str
    game: AnyGame
    names: tuple[str, ...]
    frames: tuple[Frame, ...]
    faults: tuple[tuple[int, int, str, bool], ...]
    timed: bool

    @property
    def seats(self) -> int:
        return len(self.names)

    @property
    def moves(self) -> int:
        """The number of the last move."""
        return self.frames[-1].number

    @property
    def narrator(self) -> Narrator:
        return Narrator(self.game.name, self.names)

    def frame_of(self, number: int) -> int | None:
        """Return the index of the first frame of a move, as people number moves, or None."""
        return next((at for at, frame in enumerate(self.frames) if frame.number == number), None)


def open_replay(record: Record, title: str, timings: Sequence[Sequence[float]] = ()) -> Replay:
    """Return the frames of a match. A void record gives as many as can be replayed.

    timings -- [seat, wall, cpu, wait, charge] per answer, ms, where a run kept them
    """
    game = game_of(record)
    frames: list[Frame] = []
    before: Any = None
    spent = iter(list(times(record.steps, timings)))
    try:
        for number, moment in enumerate(moments_of(record)):
            ms = next(spent, None)
            for at, group in enumerate(_groups(moment.events)):
                first = at == 0
                truth = tuple(_truth(game, moment, group, first))
                step = moment.step if first else None
                kind = _kind(step, group)
                last = kind != "over" or _is_over(game, moment.state)
                state = moment.state if last else None
                frames.append(Frame(kind, number, step, state, before, group, truth, ms if first else None))
            before = moment.state
    except BadRecord:
        if not record.void:
            raise
    number = frames[-1].number if frames else 0
    if record.void:
        frames.append(Frame("void", number, None, before, before, (), (f"void text={safe(record.void)}",)))
    else:
        ranks, scores = (",".join(map(str, column)) for column in (record.outcome.ranks, record.outcome.scores))
        line = f"end ranks={ranks} scores={scores}"
        frames.append(Frame("end", number, None, before, before, (Event(line),), (line,)))
    faults = tuple(
        (at, frame.step.seat, frame.step.code, frame.step.struck)
        for at, frame in enumerate(frames)
        if isinstance(frame.step, Faulted)
    )
    timed = any(frame.ms is not None for frame in frames)
    return Replay(title, game, record.names, tuple(frames), faults, timed)


def _is_over(game: AnyGame, state: Any) -> bool:
    return game.to_act(state) is None


def _groups(events: Sequence[Event]) -> list[tuple[Event, ...]]:
    """Return the events cut into frames: up to the end of a deal, and from each deal on."""
    groups: list[list[Event]] = [[]]
    for event in events:
        if event.public.startswith("deal ") and groups[-1]:
            groups.append([])
        groups[-1].append(event)
    return [tuple(group) for group in groups]


def _kind(step: Step | None, group: Sequence[Event]) -> str:
    if isinstance(step, Faulted):
        return "fault"
    if any(event.public.startswith("over ") for event in group):
        return "over"
    return "deal" if step is None else "move"


def _truth(game: AnyGame, moment: Moment, group: Sequence[Event], first: bool) -> Iterator[str]:
    """Yield the lines of a group as a record has them: what the mover heard, and every hand of the latest deal."""
    step = moment.step
    if first and isinstance(step, Faulted):
        yield f"{'strike' if step.struck else 'fault'} seat={step.seat} code={step.code} text={step.text}"
        return
    if first and isinstance(step, Move):
        heard = (event.heard_by(step.seat) for event in group)
        line = next((line for line in heard if line.startswith("did ")), f"did seat={step.seat} move={step.word}")
        yield line + (f" by={step.by}" if step.by != "player" else "") + (f" text={step.remark}" if step.remark else "")
    deals = [event for event in moment.events if event.public.startswith("deal ")]
    for event in group:
        if deals and event is deals[-1] and not any(other.public.startswith("over ") for other in group):
            yield "deal " + " ".join(f"{key}={value}" for key, value in game.truth(moment.state).items())
        elif event.public and not event.public.startswith("did "):
            yield event.public


def heard(frame: Frame, view: int) -> tuple[str, ...]:
    """Return the lines of a frame as one hears them: all of the truth, or what a seat or a spectator heard."""
    if view == ALL or frame.kind in ("end", "void"):
        return frame.truth
    if isinstance(frame.step, Faulted):
        step = frame.step
        # What a fault was may name cards: only the culprit hears it, and of a strike only the culprit hears.
        if view == step.seat:
            return frame.truth
        return () if step.struck else (f"fault seat={step.seat} code={step.code}",)
    seat = None if view == TABLE else view
    lines = [line for event in frame.events if (line := event.heard_by(seat))]
    if isinstance(frame.step, Move) and frame.step.seat == view:
        # Its own remark, and whether it still was the one who chose, a seat knows too.
        lines = [frame.truth[0] if line.startswith("did ") else line for line in lines]
    return tuple(lines)


def told(replay: Replay, frame: Frame, view: int) -> list[str]:
    """Return the sentences of a frame for one who looks through `view`, the first with the number of its move."""
    listener = view if view >= 0 else None
    sentences = [said for line in heard(frame, view) if (said := replay.narrator.sentence(line, listener))]
    if frame.step is not None and sentences:
        sentences[0] = f"{frame.number}. {sentences[0]}"
    return sentences


# -- what is on the table


class Seen(NamedTuple):
    """The table as one sees it.

    words -- the words of a view, or of the whole truth
    hands -- per seat the cards as the wire spells them; None for a hand that is not seen
    act   -- the seat to act, or None
    """

    words: Mapping[str, str]
    hands: tuple[str | None, ...]
    act: int | None


def seen(replay: Replay, frame: Frame, view: int) -> Seen:
    """Return the table at a frame as `view` sees it."""
    game, state = replay.game, frame.state if frame.state is not None else frame.before
    if frame.state is None and frame.step is None:  # a deal that ended by itself: only its lines are left
        return Seen({}, _shown_hands(replay, frame, _dealt_hands(replay, frame, view)), None)
    act = game.to_act(state)
    truth = game.truth(state)
    hands: tuple[str | None, ...] = tuple(truth["hands"].split(";"))
    table: Mapping[str, str] = truth
    if view != ALL:
        # A spectator knows what every seat knows: take one that is not to act, for it may know more than the others.
        table = game.view(state, view if view >= 0 else 1 if act == 0 else 0)
        hands = tuple(table["hand"] if seat == view else None for seat in range(replay.seats))
    return Seen(table, _shown_hands(replay, frame, hands), act if frame.state is not None else None)


def _dealt_hands(replay: Replay, frame: Frame, view: int) -> tuple[str | None, ...]:
    dealt = frame.events[0].private
    return tuple(
        words(dealt[seat])[2].get("hand") if seat in dealt and view in (ALL, seat) else None
        for seat in range(replay.seats)
    )


def _shown_hands(replay: Replay, frame: Frame, hands: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Return the hands, with those that the end of a deal showed to everybody."""
    shown = frame.keys("over").get("hands")
    if shown is None:
        return hands
    empty = replay.game.name == "scout"  # there every hand is shown, and `-` is an empty one
    return tuple(hand if hand != "-" or empty else old for hand, old in zip(shown.split(";"), hands, strict=True))


# -- the model and its keys


@dataclass(frozen=True)
class Model:
    """Somebody looking at a replay.

    at     -- index of the frame looked at
    view   -- ALL, TABLE or a seat
    wire   -- whether the lines of the wire are shown; both -- whether SCOUT cards show both numbers
    speed  -- index into SPEEDS
    typing -- what is typed after `g` or `/`, that sign first; `` while nothing is
    sought -- the text looked for last
    note   -- a sentence about the latest key
    done   -- the viewer is to be left
    """

    replay: Replay
    at: int = 0
    view: int = ALL
    wire: bool = True
    both: bool = False
    playing: bool = False
    speed: int = NORMAL_SPEED
    help: bool = False
    typing: str = ""
    sought: str = ""
    note: str = ""
    done: bool = False

    @property
    def frame(self) -> Frame:
        return self.replay.frames[self.at]

    @property
    def last(self) -> int:
        """The index of the last frame."""
        return len(self.replay.frames) - 1


def tick(model: Model) -> Model:
    """Return the model one frame on while it plays; it stops at the end."""
    if not model.playing:
        return model
    at = min(model.at + 1, model.last)
    return replace(model, at=at, playing=at < model.last)


def seconds(model: Model) -> float:
    """Return how long the frame is looked at while playing; hands that are shown take longer to read."""
    return SECONDS / SPEEDS[model.speed] * (3 if model.frame.kind in ("over", "end") else 1)


def key(model: Model, name: str) -> Model:
    """Return the model after a key; unknown keys change nothing.

    name -- left, right, up, down, pageup, pagedown, home, end, space, enter, escape, backspace, c-c, c-d, or what
            was typed, one character
    """
    if name in ("c-c", "c-d"):
        return replace(model, done=True)
    if model.typing:
        return _type(model, name)
    if model.help:
        return replace(model, help=False, done=name == "q")
    action = _KEYS.get(name)
    return action(replace(model, note="")) if action else model


def go(model: Model, at: int) -> Model:
    """Return the model at another frame, paused."""
    return replace(model, at=max(0, min(at, model.last)), playing=False)


def _play(model: Model) -> Model:
    if model.playing:
        return replace(model, playing=False)
    return replace(model, playing=True, at=0 if model.at == model.last else model.at)


def _speed(model: Model, more: int) -> Model:
    return replace(model, speed=max(0, min(model.speed + more, len(SPEEDS) - 1)))


def _deal(model: Model, way: int) -> Model:
    """Return the model at the next deal, or at the beginning of this one or the one before."""
    frames = model.replay.frames
    at = model.at + way
    while 0 < at < model.last and frames[at].kind != "deal":
        at += way
    return go(model, at)


def _fault(model: Model) -> Model:
    faults = [at for at, *_ in model.replay.faults]
    if not faults:
        return replace(model, note="There is no fault in this match.")
    later = [at for at in faults if at > model.at]
    found = go(model, later[0] if later else faults[0])
    return found if later else replace(found, note="There is no fault after that: this is the first one.")


def _next_view(model: Model) -> Model:
    order = [ALL, *range(model.replay.seats), TABLE]
    return replace(model, view=order[(order.index(model.view) + 1) % len(order)])


def _find(model: Model, text: str) -> Model:
    """Return the model at the next frame whose sentences hold the text, from the start again after the last."""
    if not text:
        return model
    model = replace(model, sought=text)
    count = len(model.replay.frames)
    for step in range(1, count + 1):
        at = (model.at + step) % count
        if text.lower() in "\n".join(told(model.replay, model.replay.frames[at], model.view)).lower():
            note = "" if at > model.at else f"Found {text!r} from the beginning again."
            return replace(go(model, at), note=note)
    return replace(model, note=f"{text!r} is nowhere in what this view tells.")


def _to_move(model: Model, text: str) -> Model:
    if not text:
        return model
    at = model.replay.frame_of(int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else None
    if at is None:
        return replace(model, note=f"There is no move {text}; they go from 1 to {model.replay.moves}.")
    return go(model, at)


def _type(model: Model, name: str) -> Model:
    sign, text = model.typing[0], model.typing[1:]
    if name == "enter":
        model = replace(model, typing="", note="")
        return _to_move(model, text) if sign == "g" else _find(model, text or model.sought)
    if name == "escape" or (name == "backspace" and not text):
        return replace(model, typing="")
    if name == "backspace":
        return replace(model, typing=sign + text[:-1])
    if name == "space" or (len(name) == 1 and name.isprintable() and len(text) < 40):
        return replace(model, typing=sign + text + (" " if name == "space" else name))
    return model


_KEYS: Mapping[str, Callable[[Model], Model]] = {
    "left": lambda model: go(model, model.at - 1),
    "up": lambda model: go(model, model.at - 1),
    "right": lambda model: go(model, model.at + 1),
    "down": lambda model: go(model, model.at + 1),
    "pageup": lambda model: _deal(model, -1),
    "pagedown": lambda model: _deal(model, 1),
    "home": lambda model: go(model, 0),
    "end": lambda model: go(model, model.last),
    "space": _play,
    "+": lambda model: _speed(model, 1),
    "=": lambda model: _speed(model, 1),
    "-": lambda model: _speed(model, -1),
    "e": _fault,
    "g": lambda model: replace(model, typing="g", playing=False),
    "/": lambda model: replace(model, typing="/", playing=False),
    "n": lambda model: _find(model, model.sought),
    "v": _next_view,
    "w": lambda model: replace(model, wire=not model.wire),
    "b": lambda model: replace(model, both=not model.both),
    "?": lambda model: replace(model, help=True, playing=False),
    "escape": lambda model: replace(model, playing=False),
    "q": lambda model: replace(model, done=True),
}

HELP = (
    ("left right", "one move back, one on"),
    ("PgUp PgDn", "the deal before, the next deal"),
    ("Home End", "the beginning, the end"),
    ("Space", "play, pause"),
    ("+ -", "faster, slower"),
    ("e", "the next fault"),
    ("g 34 Enter", "go to move 34"),
    ("/ text Enter", "find text in the sentences; n finds it again"),
    ("v", "view: all hands, what one seat knew, the table only"),
    ("w", "show or hide what the referee and the player said"),
    ("b", "SCOUT: both numbers of each card, or the upper ones"),
    ("q", "quit"),
)


# -- the screen


def screen(model: Model, width: int, height: int, charset: str = "unicode") -> list[str]:
    """Return the lines that somebody sees, `height` of them, none longer than `width`.

    charset -- unicode, or ascii: letters for suits, no glyph at all
    """
    return [row.text for row in rows(model, width, height, charset)]


def rows(model: Model, width: int, height: int, charset: str = "unicode") -> list[Row]:
    """Return the screen with what each line is, for whoever paints it."""
    width = min(width, WIDEST)
    found = _help(model, width) if model.help else _table(model, width, height) if width >= LEAST_WIDTH else None
    if found is None or len(found) > height:
        found = _sentences(model, width, height)
    found = [row._replace(text=dress(row.text, charset)[:width].rstrip()) for row in found[:height]]
    return found + [Row("")] * (height - len(found))


def dress(text: str, charset: str) -> str:
    """Return the text in the characters that the terminal has."""
    if charset != "ascii":
        return text
    letters = {glyph: letter for letter, glyph in _SUITS.items()}
    return _GLYPH_CARD.sub(lambda card: card[1] + letters[card[2]], text).translate(_ASCII)


def glyphs(text: str) -> str:
    """Return text without names in it with suits for the letters of cards: `drop 10♥` for `drop 10H`."""
    return _CARD.sub(lambda card: card[1] + _SUITS[card[2]], text)


def rule(width: int) -> Row:
    """Return a line across the screen."""
    return Row("─" * width)


def spread(left: str, right: str, width: int) -> str:
    """Return two texts at the two ends of a line, the left one cut when they do not fit."""
    return clip(left, width - len(right) - 1).ljust(width - len(right)) + right if len(right) < width else right[:width]


def clip(text: str, width: int, tail: int = 0) -> str:
    """Return the text cut to a width, its last `tail` characters kept: `scat_thre…-2` is told from `scat_thre…-3`."""
    if len(text) <= width:
        return text
    return text[: max(width - tail - 1, 0)] + "…" + (text[-tail:] if tail else "")


def wrap(text: str, width: int, most: int = 99) -> list[str]:
    """Return the text in at most `most` lines of at most `width` characters, broken at blanks where there are any."""
    lines, width = [""], max(width, 1)
    for word in text.split(" "):
        while len(word) > width:
            lines, word = [*lines, word[:width]], word[width:]
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    lines = lines if lines[0] or len(lines) == 1 else lines[1:]
    return [*lines[: most - 1], clip(" ".join(lines[most - 1 :]), width)] if len(lines) > most else lines


def key_bar(entries: Sequence[str], width: int) -> Row:
    """Return the bar of keys; what does not fit is left out from the right, but never the last two, help and quit."""
    kept = list(entries)
    while len("  ".join(kept)) + 1 > width and len(kept) > 2:
        kept.pop(-3)
    return Row(" " + "  ".join(kept), "head")


def _table(model: Model, width: int, height: int) -> list[Row] | None:
    """Return the screen with the table, or None when it does not fit the height."""
    if height < LEAST_HEIGHT:
        return None
    bottom = [_bar(model, width), _keys(model, width)]
    for both, extras in ((model.both, 9), (model.both, 0), (False, 0)):
        shown = replace(model, both=both)
        top = [*_header(shown, width), rule(width), *_seat_rows(shown, width), rule(width), *_body(shown, width)]
        room = height - len(top) - len(bottom)
        said = _said(shown, width, max(0, min(extras, room - LEAST_MOVES - 2)))
        moves = room - len(said)
        if moves >= LEAST_MOVES:
            gap = [Row("")] if moves > LEAST_MOVES + 3 else []
            listed = _list(shown, width, moves - 2 * len(gap))
            space = [Row("")] * (moves - len(listed) - 2 * len(gap))
            if model.note and not said:
                bottom[0] = Row(clip(f" {model.note}", width), "head")  # for one look the bar can be missed
            return [*top, *gap, *listed, *space, *gap, *said, *bottom]
    return None


def _header(model: Model, width: int) -> list[Row]:
    replay, frame = model.replay, model.frame
    deal, turn = _deal_and_turn(replay, frame)
    name = "deal" if replay.game.name == "scat" else "round"
    of = f" of {replay.seats}" if replay.game.name == "scout" else ""
    where = f"{name} {deal + 1}{of} · turn {turn + 1}" + (f" · move {frame.number}" if width >= WIDE else "")
    left = f" REPLAY  {clip(replay.title, 40, 12)}  {replay.game.name.upper()}"
    state = "playing" if model.playing else "paused"
    view = f" view: {view_name(replay, model.view)} (v)"
    how = f"{view}   speed {SPEEDS[model.speed]:g}x (+ -)   {state}"
    if len(how) + 14 > width:
        how = f"{view}   {SPEEDS[model.speed]:g}x   {state}"
    return [
        Row(spread(left, where + " ", width), "head"),
        Row(spread(how, f"{frame.number} of {replay.moves} ", width)),
    ]


def _deal_and_turn(replay: Replay, frame: Frame) -> tuple[int, int]:
    if frame.state is None and frame.step is None:
        return int(frame.keys("over").get("deal", "0")), 0
    truth = replay.game.truth(frame.before if frame.step is not None else frame.state)
    return int(truth["deal"]), int(truth["turn"])


def view_name(replay: Replay, view: int) -> str:
    """Return what a view is called."""
    return {ALL: "all hands", TABLE: "the table only"}.get(view) or f"seat {view + 1}, {replay.names[view]}"


def _keys(model: Model, width: int) -> Row:
    if model.typing:
        asked = "Go to move" if model.typing[0] == "g" else "Find"
        return Row(f" {asked}: {model.typing[1:]}_   Enter = do it, Esc = back", "head")
    entries = ["←→ step", "PgUp PgDn deal", "Space play", "e fault", "g go", "/ find", "Home End"]
    entries = ["←→ step", "Space play", "e fault", "g go", "/ find"] if width < WIDE else entries
    return key_bar([*entries, "? help", "q quit"], width)


def _bar(model: Model, width: int) -> Row:
    span = width - 3
    at = round(model.at / max(1, model.last) * span)
    return Row(f" {'━' * at}●{'─' * (span - at)}")


def _help(model: Model, width: int) -> list[Row]:
    lines = [Row(f"   {keys:<14}{what}") for keys, what in HELP]
    marks = [
        Row(""),
        Row("   ► now   ✗ a fault   ! a fault that was tolerated, a strike"),
        Row("   SCOUT cards: 7/2 shows 7, with 2 below. Seats, places and moves count from 1."),
    ]
    return [Row(" Keys", "head"), *lines, *marks, Row(""), Row(" Any key goes back.  q quit", "head")]


# -- the seats


def _seat_rows(model: Model, width: int) -> list[Row]:
    replay, frame = model.replay, model.frame
    now = seen(replay, frame, model.view)
    name_width = _name_width(replay, (16 if replay.game.name == "scat" else 14) if width >= WIDE else 9)
    timed = replay.timed and width >= WIDE
    scat_ = replay.game.name == "scat"
    heads = ("coins", "value", "lost", "hand") if scat_ else ("cards", "round", "total", "hand, upper numbers")
    if frame.kind == "end":
        heads = ("coins", "value", "place", "hand") if scat_ else ("cards", "place", "total", heads[3])
    heads = (*heads[:3], "hand") if model.both else heads
    lines = [Row(_columns("seat", "player".ljust(name_width), heads[:3], "ms" if timed else None) + heads[3])]
    faulted = _faulted(model)
    mover = now.act if frame.step is None else frame.step.seat
    for seat, name in enumerate(replay.names):
        cells, hand = (_scat_cells if scat_ else _scout_cells)(replay, frame, now, seat, model.both)
        mark = "►" if seat == mover else " "
        ms = None if not timed else "" if model.view >= 0 and model.view != seat else _ms(model, seat)
        start = _columns(f"{mark}{seat + 1:>3}", clip(name, name_width, 3).ljust(name_width), cells, ms)
        tail = f"  fault:\0{faulted[seat]}" if seat in faulted else ""  # not to be broken there
        folded = [line.replace("\0", " ") for line in wrap(hand + tail, width - len(start) - 1)]
        lines.append(Row(start + folded[0], "now" if mark == "►" else "plain"))
        lines += [Row(" " * len(start) + more) for more in folded[1:]]
    return lines


def _name_width(replay: Replay, most: int) -> int:
    return min(max(len("player"), *(len(name) for name in replay.names)), most)


def _columns(seat: str, name: str, cells: Sequence[str], ms: str | None) -> str:
    time = f" {ms:>7}" if ms is not None else ""
    return f" {seat} {name} {''.join(f' {cell:>5}' for cell in cells)}{time}  "


def _faulted(model: Model) -> dict[int, str]:
    """Return seat -> code of the players that are out of the match at this moment."""
    return {seat: code for at, seat, code, struck in model.replay.faults if at <= model.at and not struck}


def _ms(model: Model, seat: int) -> str:
    """Return the time of a seat's latest answer, as far as it lies within the last few hundred moves."""
    for frame in reversed(model.replay.frames[max(0, model.at - 400) : model.at + 1]):
        if frame.step is not None and frame.step.seat == seat and frame.ms is not None:
            return f"{frame.ms:.1f}"
    return ""


def _item(keys: Mapping[str, str], name: str, seat: int) -> str:
    """Return a seat's item of a list of the wire, `` when there is no such list."""
    items = keys.get(name, "").split(",")
    return items[seat] if seat < len(items) else ""


Cells: TypeAlias = tuple[tuple[str, str, str], str]


def _scat_cells(replay: Replay, frame: Frame, now: Seen, seat: int, both: bool) -> Cells:
    """Return coins, value and the lives lost when a deal is over; and the hand."""
    over = frame.keys("over")
    coins = _item(over or now.words, "coins", seat)
    lost = _item(over, "lost", seat)
    out = coins == "-"
    if out and lost in ("", "-"):
        return ("out", "", _place(frame, seat)), ""
    purse = "out" if out else "dole" if coins == "0" else "●" * int(coins) if int(coins) <= 5 else coins
    hand = now.hands[seat]
    shown = "? ? ?" if hand is None else "not looked at" if hand == "-" else glyphs(narrate.cards(hand))
    knocked = "  knocked" if now.words.get("knocker") == str(seat) else ""
    cost = _place(frame, seat) or (f"-{lost}" if lost not in ("", "0") else "")
    return (purse, _worth(replay, hand), cost), shown + knocked


def _place(frame: Frame, seat: int) -> str:
    """Return the place of a seat at the end of the match, `` before it."""
    rank = _item(frame.keys("end"), "ranks", seat)
    return narrate.ordinal(rank) if rank else ""


def _worth(replay: Replay, hand: str | None) -> str:
    """Return the points of a SCAT hand, the best three of four; `` when it is not seen."""
    game = replay.game
    if not isinstance(game, scat.Scat) or hand is None or hand == "-":
        return ""
    return scat.points_text(game.best(tuple(scat.ACTION[card] for card in hand.split(","))))


def _scout_cells(replay: Replay, frame: Frame, now: Seen, seat: int, both: bool) -> Cells:
    """Return cards in hand, what the round is worth now and the points so far; and the hand."""
    over, hand = frame.keys("over"), now.hands[seat]
    held = "0" if hand in (None, "-") else str(len(str(hand).split(",")))
    if hand is None:
        faces = "?"
    else:
        faces = "-" if hand == "-" else hand.replace(",", " ") if both else narrate.up_numbers(hand)
    if over:
        return (held, f"{int(_item(over, 'points', seat)):+d}", _item(over, "scores", seat)), faces
    held = _item(now.words, "cards", seat) or held
    worth = sum(int(_item(now.words, key, seat)) for key in ("taken", "tokens")) - int(held)
    return (held, _place(frame, seat) or f"{worth:+d}", _item(now.words, "scores", seat)), faces


# -- the middle of the table


def _body(model: Model, width: int) -> list[Row]:
    replay, frame = model.replay, model.frame
    if frame.kind == "over":
        over = frame.keys("over")
        name = replay.narrator.deal
        return [Row(f" {name} {int(over['deal']) + 1} is over: {replay.narrator.reason(over['reason'])}.", "now")]
    if frame.kind == "void":
        return [Row(f" {line}", "now") for line in wrap(replay.narrator.sentence(frame.truth[0]), width - 2, 2)]
    if frame.kind == "end":
        ranks = frame.keys("end")["ranks"].split(",")
        winners = [name for name, rank in zip(replay.names, ranks, strict=True) if rank == "1"]
        won = "wins" if len(winners) == 1 else "share the first place"
        return [Row(clip(f" The match is over: {' and '.join(winners)} {won}.", width), "now")]
    now = seen(replay, frame, model.view)
    return [Row(clip(_scat_body(model, now) if replay.game.name == "scat" else _scout_body(replay, now), width))]


def _scat_body(model: Model, now: Seen) -> str:
    stock, pile = now.words["stock"], now.words["pile"].split(",")
    top = f"[{glyphs(narrate.card(pile[-1]))}]" if pile[-1] != "-" else "[empty]"
    if model.view != ALL:
        return f" Stock {stock}   Discard {top}"
    coming = [] if stock == "-" else stock.split(",")
    below = f"  below it {glyphs(narrate.cards(','.join(pile[-2:-5:-1])))}" if len(pile) > 1 else ""
    following = f"   next {glyphs(narrate.cards(','.join(coming[:5])))}" if coming else ""
    return f" Stock {len(coming) or 'empty'}   Discard {top}{below}{following}"


def _scout_body(replay: Replay, now: Seen) -> str:
    phase = now.words["phase"]
    if phase == "orient" and now.act is not None:
        return f" {replay.names[now.act]} is to choose which way up to hold its hand."
    active, owner = now.words["active"], now.words["owner"]
    if active == "-":
        return " The table is empty: any Show will do."
    scouts = {"0": "", "1": "; 1 Scout since"}.get(now.words["scouts"], f"; {now.words['scouts']} Scouts since")
    by = f" by {replay.names[int(owner)]}" if owner != "-" else ""
    return f" Active Show{by}: {active.replace(',', ' ')}   {narrate.set_name(active)}{scouts}"


# -- the list of moves


def _list(model: Model, width: int, height: int) -> list[Row]:
    """Return the rows around the frame looked at, which is marked."""
    frames = model.replay.frames
    first = max(0, model.at - height)
    listed: list[Row] = []
    current = 0
    for at in range(first, min(len(frames), model.at + height + 1)):
        role = "now" if at == model.at else "later" if at > model.at else "plain"
        if at == model.at:
            current = len(listed)
        listed += _frame_rows(model, at, role, width)
    start = max(0, min(current - (height - 1) // 2, len(listed) - height))
    return listed[start : start + height]


def _frame_rows(model: Model, at: int, role: str, width: int) -> list[Row]:
    replay, frame = model.replay, model.replay.frames[at]
    mark = "►" if at == model.at else " "
    found: list[Row] = []
    if frame.step is not None:
        name_width = _name_width(replay, 14 if width >= WIDE else 9)
        name = clip(replay.names[frame.step.seat], name_width, 3).ljust(name_width)
        sign = " " if isinstance(frame.step, Move) else "!" if frame.step.struck else "✗"
        text = f" {mark}{sign}{frame.number:>4}  {name}  {_brief(model, at, width)}"
        found.append(Row(clip(text, width), "fault" if sign != " " else role))
    if frame.step is None or frame.kind == "over":
        lines = [line for line in frame.truth if not line.startswith(("did ", "fault ", "strike "))]
        mark = " " if found else mark
        for line in lines:
            text = replay.narrator.sentence(line).split("\n")[0]
            found.append(Row(clip(f" {mark}       {text}", width), role))
            mark = " "
    return found


def _brief(model: Model, at: int, width: int) -> str:
    """Return a step in a few words, as far as the view heard of it."""
    replay, frame = model.replay, model.replay.frames[at]
    step = frame.step
    lines = heard(frame, model.view)
    if isinstance(step, Faulted):
        text = f": {safe(step.text)}" if model.view in (ALL, step.seat) else ""
        return f"{step.code.upper()}{text}" if lines else "(a strike, and only the player hears of it)"
    assert isinstance(step, Move)
    dids = [line for line in lines if line.startswith("did ")]
    if not dids:
        return "... (the others hear of it after the Show)"
    narrator = replay.narrator
    what = " then ".join(narrator.brief(line) for line in dids)
    by = f"  ({step.by})" if step.by != "player" else ""
    if replay.game.name == "scat":
        return f"{glyphs(what):<12}{_scat_detail(model, frame, step)}{by}".rstrip()
    return f"{what:<22} {_scout_detail(replay, frame, words(dids[-1])[2], 9 if width >= WIDE else 0)}{by}".rstrip()


def _scat_detail(model: Model, frame: Frame, step: Move) -> str:
    if model.view not in (ALL, step.seat) or frame.before is None:
        return ""
    replay = model.replay
    if step.word == "knock":
        return f"with {_worth(replay, replay.game.truth(frame.before)['hands'].split(';')[step.seat])}"
    if len(step.word) != 2:
        return ""
    hand = replay.game.truth(frame.before)["hands"].split(";")[step.seat].split(",")
    return f"leaves {_worth(replay, ','.join(card for card in hand if card != step.word))}"


def _scout_detail(replay: Replay, frame: Frame, keys: Mapping[str, str], pad: int) -> str:
    before = replay.game.truth(frame.before) if frame.before is not None else {}
    if "cards" in keys:
        active = before.get("active", "-")
        beats = f", beats {narrate.up_numbers(active)}" if active != "-" else ""
        kind = narrate.set_name(keys["cards"]).partition(" (")[0]
        return f"{narrate.up_numbers(keys['cards']):<{pad}} {kind}{beats}"
    if "card" not in keys:
        return ""
    owner = before.get("owner", "-")
    tokens = "a token is paid" if replay.seats == 2 else f"{replay.names[int(owner)]} +1" if owner != "-" else ""
    return f"{keys['card']:<{pad}} {tokens}"


# -- what is said below the list


def _said(model: Model, width: int, most: int) -> list[Row]:
    """Return the note, the fault in full, the remark and the wire, at most so many rows, the note first."""
    step = model.frame.step
    parts: list[Row] = [Row(f" {line}", "head") for line in wrap(model.note, width - 2, 2)] if model.note else []
    mine = step is not None and model.view in (ALL, step.seat)
    if isinstance(step, Faulted) and mine:
        parts += [Row(f" {line}", "fault") for line in wrap(f"{step.code}: {safe(step.text)}", width - 2, 3)]
    if isinstance(step, Move) and mine and step.remark and not model.wire:
        parts += [Row(f" {line}") for line in wrap(f'remark  "{safe(step.remark)}"', width - 2, 2)]
    if model.wire:
        lines = _wire(model)
        room = max(1, min(2, most - len(parts) - len(lines) + 1))  # the request may be cut, the answer never
        lines = [part for line in lines for part in wrap(line, width - 8, room)]
        parts += [Row(f" {'' if at else 'wire':<5} {line}") for at, line in enumerate(lines)]
    return parts[:most]


def _wire(model: Model) -> list[str]:
    """Return what went over the wire at this step, as the view could see it: > to the player, < from it."""
    replay, frame, step = model.replay, model.frame, model.frame.step
    if isinstance(step, Move) and step.by == "player" and model.view in (ALL, step.seat):
        remark = f" # {safe(step.remark)}" if step.remark else ""
        return [_request(replay, frame.before, step.seat), f"< move {step.word}{remark}"]
    if isinstance(step, Faulted):
        asked = frame.before is not None and replay.game.to_act(frame.before) == step.seat
        return [_request(replay, frame.before, step.seat)] if asked and model.view in (ALL, step.seat) else []
    return [f"> {line}" for line in heard(frame, model.view)]


def _request(replay: Replay, state: Any, seat: int) -> str:
    """Return the request that a seat was given, without its id and the clock, which a record does not keep."""
    game = replay.game
    view = " ".join(f"{key}={value}" for key, value in game.view(state, seat).items())
    return f"> act {view} legal={','.join(map(game.format, game.legal_actions(state)))}"


# -- sentences: small windows, pipes, screen readers


def _sentences(model: Model, width: int, height: int) -> list[Row]:
    """Return the latest sentences up to the frame looked at, for a window too small for the table."""
    replay = model.replay
    why = f"This window has {width}x{height} characters; the table needs {LEAST_WIDTH}x20."
    why = why if width < LEAST_WIDTH or height < 20 else "The table does not fit this window."
    top = [Row(line) for line in wrap(f"{why} q quits.", max(width, 1))][: max(1, height // 3)]
    bottom = [_keys(model, width)] if height > len(top) + 2 else []
    room = height - len(top) - len(bottom)
    note = [Row(line, "head") for line in wrap(model.note, width)] if model.note else []
    lines: list[Row] = []
    at = model.at
    while at >= 0 and len(lines) < room:
        role = "now" if at == model.at else "plain"
        said = [line for sentence in told(replay, replay.frames[at], model.view) for line in sentence.split("\n")]
        lines = [Row(part, role) for line in said for part in wrap(line, max(width, 1))] + lines
        at -= 1
    return [*top, *[*lines, *note][max(0, len(lines) + len(note) - room) :], *bottom]


def linear(replay: Replay, view: int = ALL, at: int = 0) -> Iterator[str]:
    """Yield a match in sentences, one event each, from the frame `at` on; numbered by move."""
    seats = "; ".join(f"seat {seat + 1} {name}" for seat, name in enumerate(replay.names))
    yield f"{replay.game.title} with {replay.seats} seats: {seats}."
    if view == TABLE:
        yield "Told is what everybody at the table heard."
    elif view != ALL:
        yield f"Told is what seat {view + 1}, {replay.names[view]}, heard."
    for number, frame in enumerate(replay.frames[at:]):
        yield from told(replay, frame, view)
        if number == 0 and at and frame.kind in ("move", "fault"):
            yield position(replay, frame, view)


def position(replay: Replay, frame: Frame, view: int) -> str:
    """Return the table at a frame in sentences, indented; for whoever starts to read in the middle of a match."""
    now = seen(replay, frame, view)
    deal, turn = _deal_and_turn(replay, frame)
    lines = [f"The table after move {frame.number}, {replay.narrator.deal.lower()} {deal + 1}, turn {turn + 1}:"]
    for seat, name in enumerate(replay.names):
        hand = now.hands[seat]
        holds = f" and holds {narrate.cards(hand)}" if hand is not None and hand != "-" else ""
        if replay.game.name == "scat":
            coins = _item(now.words, "coins", seat)
            has = "is out of the match" if coins == "-" else f"has {narrate.count(coins, 'coin')}"
        else:
            (cards, worth, total), _ = _scout_cells(replay, frame, now, seat, False)
            has = f"has {narrate.count(cards, 'card')}, {worth} in this round, {total} before it,"
        lines.append(f"    {name} {has}{holds}.".replace(",.", "."))
    return "\n".join([*lines, f"    {_middle(replay, now, view)}"])


def _middle(replay: Replay, now: Seen, view: int) -> str:
    if replay.game.name == "scout":
        return f"{_scout_body(replay, now).strip().rstrip('.').replace('   ', ', ')}."
    stock, top = now.words["stock"], now.words["pile"].split(",")[-1]
    size = stock if view != ALL else "0" if stock == "-" else str(len(stock.split(",")))
    return f"The stock has {narrate.count(size, 'card')}; the top discard is {narrate.cards(top)}."
