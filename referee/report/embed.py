"""Replays for the page: a match as a list of moments that a viewer can show without knowing any rules.

Theory of operation. `moments` replays a record and writes down, for every moment, the whole table as a flat map of
words, what each listener heard as sentences, the record's own lines, and the time the answer took. Only what changed
since the moment before is kept. Matches are packed by PACK into gzip and base64, so that the page opens at once and a
match is unpacked when somebody looks at it.

A move that ends a deal also deals the next, and a deal may end as soon as it is dealt: then there is more than one
thing to look at in a moment. Each deal that ended in it is a part of its own, with the hands that were shown.

A table's words:

    deal, turn, phase, ...   what everybody at the table may know, as in a seat's view
    act                      the seat to act, or -
    hand0, hand1, ...        the true hand of each seat
    0.phase, 1.hand, ...     what a seat's own view says otherwise, or beside it
    *.stock, *.pile, ...     what only the referee knows
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from referee.games._base import AnyGame, Event
from referee.match import Faulted, Move, Record, Step
from referee.record import Moment, game_of, replay
from referee.report.narrate import Narrator
from referee.wire import safe, words

T = TypeVar("T")

OWN = ("hand", "drawn", "from")  # words of a view that are the seat's alone
PACK = 12  # matches unpacked together; gzip looks back 32 KB, so more would save little


class Packed(NamedTuple):
    """Some matches, packed.

    text    -- gzip in base64: JSON, the match's number -> its replay
    numbers -- the matches in it
    """

    text: str
    numbers: tuple[int, ...]


def pack(replays: Mapping[int, Any]) -> Packed:
    """Return matches packed; the same matches give the same text."""
    return Packed(packed_json(replays), tuple(replays))


def packed_json(value: Any) -> str:
    """Return a JSON value as gzip in base64, the same value as the same text."""
    data = json.dumps(value, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def replay_of(
    record: Record, text: str, timings: Sequence[Sequence[float]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a match's moments for the viewer, as JSON values.

    record  -- what `text` holds
    text    -- the record's text, of which each moment gets its lines
    timings -- [seat, wall, cpu, wait, charge] per answer, ms
    names   -- what the seats are called in sentences

    moments -- per moment: d, the table's words that changed, null when gone; s, who did the step; a, what one hears
               who sees all; p, what a spectator hears, when it differs; 0, 1, ..., what that seat hears, when it
               differs from p, 1 for what `a` says; l, the record's lines; t, ms charged for the answer; r, its
               remark; f, the fault's code, x, its sentence, and k, 1 when it was tolerated; c, 1 when the caretaker
               chose; o, the deals that ended in it, see `endings`: what is heard of them begins what is heard of it
    Raises BadRecord when the record cannot be replayed.
    """
    game = game_of(record)
    hear = functools.cache(Narrator(record.game, names).sentence)  # the same line is heard by many
    table: dict[str, str] = {}
    moments: list[dict[str, Any]] = []
    lines = lines_by_moment(text)
    for moment, own, ms in zip(replay(record), lines, times(record.steps, timings), strict=False):
        now = words_of(game, moment.state, record.seats)
        told: dict[str, Any] = {"d": changes(table, now), "l": "\n".join(own)}
        told |= sentences(hear, moment, own, record.seats)
        told |= about_step(moment.step, ms)
        if ended := list(endings(hear, moment, own, record.seats, table)):
            told["o"] = ended
        moments.append(told)
        table = now
    moments[-1]["d"]["act"] = "-"  # a match may stop because its players are gone
    return moments


def words_of(game: AnyGame, state: Any, seats: int) -> dict[str, str]:
    """Return the whole table at one moment; the top of this module says how it is spelled."""
    actor = game.to_act(state)
    views = [game.view(state, seat) for seat in range(seats)]
    public = {key: value for key, value in views[1 if actor == 0 else 0].items() if key not in OWN}
    truth = dict(game.truth(state))
    truth.pop("seat", None)
    hands = truth.pop("hands").split(";")
    table = {**public, "act": "-" if actor is None else str(actor)}
    table.update((f"hand{seat}", hand) for seat, hand in enumerate(hands))
    for seat, view in enumerate(views):
        for key, value in view.items():
            if value != (hands[seat] if key == "hand" else public.get(key)):
                table[f"{seat}.{key}"] = value
    table.update((f"*.{key}", value) for key, value in truth.items() if public.get(key) != value)
    return table


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str | None]:
    """Return the words of `now` that differ from `before`; None for a word that is gone."""
    gone = {key: None for key in before if key not in now}
    return gone | {key: value for key, value in now.items() if before.get(key) != value}


def endings(
    hear: Callable[[str, int | None], str], moment: Moment, lines: Sequence[str], seats: int, before: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the deals that ended in a moment: n, how many of its lines each has; d, its whole table; a, p, 0, ...

    before -- the table before the moment
    """
    events_of, lines_of = cut(moment.events, lambda event: event.public), cut(lines, str)
    if len(events_of) != len(lines_of):  # a record without the lines that follow from its moves
        return
    for events, own in zip(events_of[:-1], lines_of[:-1], strict=True):
        told = sentences(hear, moment._replace(events=tuple(events)), own, seats)
        before = showdown(events, before, seats)
        yield {"n": len(own), "d": before, **told}


def cut(items: Iterable[T], line: Callable[[T], str]) -> list[list[T]]:
    """Return the items cut after each that ends a deal; the last part, of what follows, may be empty."""
    parts: list[list[T]] = [[]]
    for item in items:
        parts[-1].append(item)
        if line(item).startswith("over "):
            parts.append([])
    return parts


def showdown(events: Sequence[Event], before: Mapping[str, str], seats: int) -> dict[str, str]:
    """Return the table at the end of a deal: the hands, who showed theirs to all, and what it cost.

    events -- of that deal, the last of them its end
    """
    over = words(events[-1].public)[2]
    dealt = next((event for event in events if event.public.startswith("deal ")), None)
    table = {key: value for key, value in over.items() if key != "hands"} | {"act": "-"}
    shown = over["hands"].split(";")
    if "cards" in before:
        table["cards"] = ",".join(str(0 if hand == "-" else hand.count(",") + 1) for hand in shown)
    for seat, hand in enumerate(shown[:seats]):
        if hand != "-" or "cards" in before:  # where cards are counted every hand is shown, and that is an empty one
            table[f"hand{seat}"] = table[f"shown{seat}"] = hand
        elif dealt is not None:
            table[f"hand{seat}"] = words(dealt.private[seat])[2].get("hand", "-") if seat in dealt.private else "-"
        else:
            table |= {key: before[key] for key in (f"hand{seat}", f"{seat}.hand") if key in before}
    return table


def lines_by_moment(text: str) -> list[list[str]]:
    """Return the lines of a record, those of the opening first, then those of each step."""
    moments: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith(("did ", "fault ", "strike ")):
            moments.append([])
        moments[-1].append(line)
    return moments


def fault_moments(text: str) -> dict[int, int]:
    """Return the seat -> the moment of each fault of a record that ended a player's part."""
    firsts = (own[0] for own in lines_by_moment(text) if own)
    return {
        int(line.split()[1].removeprefix("seat=")): at for at, line in enumerate(firsts) if line.startswith("fault ")
    }


def sentences(
    hear: Callable[[str, int | None], str], moment: Moment, lines: Sequence[str], seats: int
) -> dict[str, Any]:
    """Return what is heard of a moment: by one who sees all (a), a spectator (p), each seat; equal ones once.

    hear -- a line and who listens (None: a spectator, or who sees all) -> the sentence
    """
    everything = _joined(hear(line, None) for line in lines)
    if isinstance(moment.step, Faulted):
        # What a fault was may name cards; only the culprit hears it.
        verb = "strike" if moment.step.struck else "fault"
        public = hear(f"{verb} seat={moment.step.seat} code={moment.step.code}", None)
        return {"a": everything, "p": public, str(moment.step.seat): 1}
    public = _joined(hear(event.public, None) for event in moment.events)
    told: dict[str, Any] = {"a": everything}
    if public != everything:
        told["p"] = public
    for seat in {seat for event in moment.events for seat in event.private if seat < seats}:
        own = _joined(hear(event.heard_by(seat), seat) for event in moment.events)
        if own != public:
            told[str(seat)] = 1 if own == everything else own
    return told


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part)


def about_step(step: Step | None, ms: float | None) -> dict[str, Any]:
    """Return who did the step, its time, remark and fault."""
    match step:
        case None:
            return {}
        case Move(seat, _, by, remark):
            told: dict[str, Any] = {"s": seat}
            told |= {"t": ms} if ms is not None else {}
            told |= {"c": 1} if by != "player" else {}
            return told | ({"r": safe(remark)} if remark else {})
        case Faulted(seat, code, text, struck):
            fault: dict[str, Any] = {"s": seat, "f": code, "x": safe(text)} | ({"k": 1} if struck else {})
            return fault | ({"t": ms} if ms is not None else {})


def times(steps: Sequence[Step], timings: Sequence[Sequence[float]]) -> Iterator[float | None]:
    """Yield the time charged for each moment's answer in ms, None for the opening and where nobody answered.

    A refused answer has its time too; a player that ran out of time, or died, gave none.
    """
    left: dict[int, list[float]] = {}
    for seat, _, _, _, charge in reversed(timings):
        left.setdefault(int(seat), []).append(round(charge, 2))
    moves: dict[int, int] = {}
    for step in steps:
        if isinstance(step, Move) and step.by == "player":
            moves[step.seat] = moves.get(step.seat, 0) + 1
    yield None
    for step in steps:
        own = left.get(step.seat, [])
        if isinstance(step, Move):
            answered = step.by == "player"
            moves[step.seat] = moves.get(step.seat, 0) - answered
        else:
            answered = len(own) > moves.get(step.seat, 0)
        yield own.pop() if answered and own else None
