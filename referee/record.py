"""A match as text that anyone can read, replay and verify.

The text is in the wire's grammar, one message a line, and a pure function of the match: it holds no time, date or
path. A reader needs the seed, the options and the moves alone; all else (`deal`, `over`, the cards of a `did`) is
there for people and other programs, and `verify` derives it anew and compares:

    record 1 version=0.1.0
    match game=scat preset=seed seats=2 names=greedy,tortoise
    options start_coins=3 ...
    seed 5c6f...
    deal n=0 ...                         the whole truth of a deal
    did seat=1 move=stock card=5S        as the mover heard it; `by=caretaker` and `text=REMARK` at the end
    fault seat=1 code=timeout text=...   or `strike`, when it was tolerated
    over deal=0 ...
    end ranks=2,1 scores=0,3             or `void text=...`
    check sha256=...                     of all bytes above it
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from referee import __version__
from referee.games import BadOption, load
from referee.games._base import AnyGame, Event, IllegalAction, MalformedAction, Outcome, show_value
from referee.match import Faulted, Move, Record, Step, end_line, rank_faulted
from referee.wire import words

VERSION = 1


class BadRecord(ValueError):
    """The text is not a record, or not one that this version reads. Its text is a sentence."""


class Moment(NamedTuple):
    """One moment of a replay: the step taken, the state after it, and what was heard of it.

    step -- None for the opening, whose events are the first deal's
    """

    step: Step | None
    state: Any
    events: tuple[Event, ...]


def game_of(record: Record) -> AnyGame:
    """Return the game of a record, with its options."""
    return load(record.game, "seed", **record.options)


def replay(record: Record) -> Iterator[Moment]:
    """Yield every moment of a match, from the seed and the moves alone.

    Raises BadRecord for what the game is not for, and at the first move that its state does not allow.
    """
    game = game_of(record)
    try:
        state, events = game.deal(record.seats, record.seed)
    except BadOption as error:
        raise BadRecord(str(error)) from None
    yield Moment(None, state, events)
    for number, step in enumerate(record.steps):
        if isinstance(step, Move):
            if (seat := game.to_act(state)) != step.seat:
                turn = "the match is over" if seat is None else f"it is seat {seat}'s turn"
                raise BadRecord(f"move {number} is by seat {step.seat}, but {turn}")
            try:
                state, events = game.apply(state, game.parse(step.word))
            except (IllegalAction, MalformedAction) as error:
                raise BadRecord(f"move {number}, {step.word} by seat {step.seat}, cannot be: {error}") from None
        else:
            events = (Event(f"fault seat={step.seat} code={step.code}"),)
        yield Moment(step, state, events)


def to_text(record: Record, version: str = __version__) -> str:
    """Return the record's text; the same match gives the same bytes on any machine at any time."""
    return _text(record, version, () if record.void else replay(record))


def _text(record: Record, version: str, moments: Iterable[Moment]) -> str:
    body = "".join(line + "\n" for line in _lines(record, version, moments))
    return f"{body}check sha256={hashlib.sha256(body.encode()).hexdigest()}\n"


def _lines(record: Record, version: str, moments: Iterable[Moment]) -> Iterator[str]:
    yield f"record {VERSION} version={version}"
    yield f"match game={record.game} preset={record.preset} seats={record.seats} names={','.join(record.names)}"
    yield "options " + " ".join(f"{key}={show_value(value)}" for key, value in record.options.items())
    yield f"seed {record.seed.hex()}"
    if record.void:
        yield from (_step_line(step, ()) for step in record.steps)
        yield f"void text={record.void}"
        return
    game = game_of(record)
    for step, state, events in moments:
        if step is not None:
            yield _step_line(step, events)
        yield from _table_lines(game, state, events)
    yield end_line(record.outcome)


def _step_line(step: Step, events: tuple[Event, ...]) -> str:
    if isinstance(step, Faulted):
        return f"{'strike' if step.struck else 'fault'} seat={step.seat} code={step.code} text={step.text}"
    heard = (event.heard_by(step.seat) for event in events)
    line = next((line for line in heard if line.startswith("did ")), f"did seat={step.seat} move={step.word}")
    by = "" if step.by == "player" else f" by={step.by}"
    remark = f" text={step.remark}" if step.remark else ""
    return line + by + remark


def _table_lines(game: AnyGame, state: Any, events: tuple[Event, ...]) -> Iterator[str]:
    """Yield the lines of what happened by itself: deals ended and dealt, with the whole truth of the latest."""
    deals = [number for number, event in enumerate(events) if event.public.startswith("deal ")]
    for number, event in enumerate(events):
        if deals and number == deals[-1]:
            yield "deal " + " ".join(f"{key}={value}" for key, value in game.truth(state).items())
        elif event.public and not event.public.startswith("did ") and not event.public.startswith("fault "):
            yield event.public


def from_text(text: str) -> Record:
    """Return the record that a text holds. Derived lines are not compared here; `verify` does that.

    Raises BadRecord, with the line's number, when the text is no record or a move in it cannot be.
    """
    record = _read(text)
    return record if record.void else derive(record)


def _read(text: str) -> Record:
    """Return what a text says of a match, nothing of which was derived: without results and outcome.

    Raises BadRecord, with the line's number, when the text is no record.
    """
    lines = text.split("\n")
    head = _Head()
    steps: list[Step] = []
    void = ""
    for number, line in enumerate(lines, 1):
        try:
            verb, args, keys = words(line)
            match verb:
                case "record":
                    if args[:1] != (str(VERSION),):
                        raise BadRecord(f"this program reads records of version {VERSION}, not {' '.join(args)}")
                case "match":
                    head.game, head.preset = keys["game"], keys["preset"]
                    head.names = tuple(keys["names"].split(","))
                case "options":
                    head.options = keys
                case "seed":
                    head.seed = bytes.fromhex(args[0])
                case "did":
                    move = Move(int(keys["seat"]), keys["move"], keys.get("by", "player"), keys.get("text", ""))
                    steps.append(move)
                case "fault" | "strike":
                    steps.append(Faulted(int(keys["seat"]), keys["code"], keys["text"], verb == "strike"))
                case "void":
                    void = keys["text"]
                case "deal" | "reshuffle" | "over" | "end" | "check" | "":
                    pass
                case _:
                    raise BadRecord(f"a record has no line {verb!r}")
        except (KeyError, ValueError, IndexError) as error:
            raise BadRecord(f"line {number}: {_sentence(error)}") from None
    return head.finish(tuple(steps), void)


def _sentence(error: Exception) -> str:
    return f"the word {error} is missing" if isinstance(error, KeyError) else str(error)


class _Head:
    """The opening lines of a record, as they are read."""

    def __init__(self) -> None:
        self.game = self.preset = ""
        self.names: tuple[str, ...] = ()
        self.options: dict[str, str] = {}
        self.seed = b""

    def finish(self, steps: tuple[Step, ...], void: str) -> Record:
        if not self.game or not self.seed:
            raise BadRecord("this is no record: it has no `match` or no `seed` line")
        try:
            options = load(self.game, "seed", **self.options).options
        except BadOption as error:
            raise BadRecord(str(error)) from None
        return Record(self.game, self.preset, options, self.names, self.seed, steps, (), 0, Outcome((), ()), void)


def derive(record: Record, moments: Iterable[Moment] | None = None) -> Record:
    """Return the record with its results and outcome derived anew from the seed and the steps.

    moments -- those of `replay`, when they are known already
    """
    game = game_of(record)
    counted: int | None = None
    state: Any = None
    for step, state, _ in moments or replay(record):
        if counted is None and isinstance(step, Faulted) and not step.struck:
            counted = len(game.results(state))
    results = game.results(state)
    gone = [step.seat for step in record.faults]
    outcome = rank_faulted(game.outcome(state), gone)
    if game.to_act(state) is not None and record.seats - len(gone) > 1:
        raise BadRecord("the record ends before the match does")
    return Record(
        record.game,
        record.preset,
        record.options,
        record.names,
        record.seed,
        record.steps,
        results,
        len(results) if counted is None else counted,
        outcome,
    )


def verify(text: str) -> str | None:
    """Derive a record anew and return a sentence on the first thing that differs, or None when nothing does."""
    try:
        verified(text)
    except BadRecord as error:
        return str(error)
    return None


def verified(text: str) -> Record:
    """Return the record that a text holds, each line of which was derived anew and is the same.

    Raises BadRecord with a sentence on the first thing that differs.
    """
    if "\r" in text:
        raise BadRecord("the record has Windows line ends; its lines end in LF alone")
    if not text.endswith("\n") or not text.rstrip("\n").rpartition("\n")[2].startswith("check sha256="):
        raise BadRecord("the record is cut short: its last line is not `check sha256=...`")
    version = words(text.split("\n", 1)[0])[2].get("version", "")
    record, moments = _read(text), []
    if not record.void:
        moments = list(replay(record))
        record = derive(record, moments)
    if text != (derived := _text(record, version, moments)):
        raise BadRecord(_first_difference(text.split("\n"), derived.split("\n")))
    return record


def _first_difference(theirs: list[str], ours: list[str]) -> str:
    for number, (seen, expected) in enumerate(zip(theirs, ours, strict=False), 1):
        if seen != expected:
            return f"line {number} differs: the record says {seen!r}, the rules give {expected!r}"
    return f"the record has {len(theirs)} lines, the rules give {len(ours)}"
