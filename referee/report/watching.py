"""Following a run from another terminal: its matches as they are committed, and the standing so far.

Theory of operation. A `Follower` reads the run directory of somebody else's referee, which writes each match whole and
in any order; `news` returns what is new. `Watch` is the list of matches on the screen, newest first, with the replay
that was opened from it; `key` and `screen` are pure, as in report/viewer.py. What needs the store is asked for in
`Watch.wanted` and answered by whoever drives it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from referee.games import game_class
from referee.record import from_text
from referee.report import viewer
from referee.report.ledger import Ledger, caution
from referee.report.narrate import count, ordinal
from referee.report.tables import listed, rank_text, result_of
from referee.report.viewer import Model, Replay, Row, clip, dress, key_bar, open_replay, rule, spread, wrap
from referee.store import Store, being_written
from referee.tournament import Plan
from referee.words import counted

LATEST = 10  # matches that are told of a run before what is new
LEAST_HEIGHT = 8


class Match(NamedTuple):
    """A finished match in the list.

    key    -- (task, block), where it is in the store
    number -- its number in the schedule, from 0, as in DIR#318
    game   -- scat or scout
    told   -- how it ended, without the full stop
    faulty -- whether a player faulted, or the match is void
    """

    key: tuple[int, int]
    number: int
    game: str
    told: str
    faulty: bool

    def sentence(self) -> str:
        """Return the match as a sentence."""
        return f"Match {self.number}, {self.game}: {self.told}."


class Follower:
    """Reads a run while it is written.

    Raises StoreError as `store` does.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.plan = Plan.from_json(store.meta("plan"))
        self.total = self.plan.size().matches
        self.finished = self.stopped = False
        self._numbers = self.plan.numbers()
        self._seen: set[tuple[int, int]] = set()
        self._version = -1
        self._ledger = Ledger(self.plan)

    @property
    def done(self) -> int:
        """How many matches have been read."""
        return len(self._seen)

    def news(self) -> tuple[Match, ...]:
        """Return the matches committed since the last call, in schedule order; `finished` and `stopped` are of now."""
        written = being_written(self.store.folder)  # asked first: who ends says so before the lock is free
        matches = self._committed()
        self.stopped = not (written or self.finished)
        return matches

    def _committed(self) -> tuple[Match, ...]:
        version = self.store.version()
        if version == self._version:
            return ()
        self._version = version
        finished = self.store.meta("state") == "finished"  # asked first: then nothing is missed
        matches = [self._match((task, block), result) for task, block, result in self._fresh()]
        self._seen.update(match.key for match in matches)
        self.finished = finished
        return tuple(matches)

    def _fresh(self) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
        """Yield what has not been read yet: in one sweep at first, later match by match."""
        if not self._seen:
            yield from self.store.results()
            return
        for task, block in sorted(self.store.done() - self._seen):
            if (result := self.store.result_of(task, block)) is not None:
                yield task, block, result

    def _match(self, key: tuple[int, int], result: Mapping[str, Any]) -> Match:
        number = self._numbers.of(*key)
        if result["void"]:
            self._ledger.add_void(result["game"], result["seats"], key[1])
            return Match(key, number, result["game"], f"void: {result['void']}".rstrip("."), True)
        self._ledger.add(result_of(key[1], dict(result)))
        return Match(key, number, result["game"], self._told(result), bool(result["faults"]))

    def _told(self, result: Mapping[str, Any]) -> str:
        names = [self.plan.players[index].name for index in result["players"]]
        unit = "coin" if result["game"] == "scat" else "point"
        order = sorted(range(len(names)), key=lambda seat: (result["ranks"][seat], seat))
        parts = [
            f"{ordinal(str(result['ranks'][seat]))} {names[seat]} with {count(str(result['scores'][seat]), unit)}"
            for seat in order
        ]
        faults = [f"fault of {names[seat]}, {code}" for seat, code, _ in result["faults"]]
        return "; ".join([*faults, ", ".join(parts)])

    def standings(self) -> tuple[str, ...]:
        """Return the standing so far, one line for each game: rank ranges, means and 95 % intervals.

        Before a game whose blocks are not all whole comes a line that says what that means for its standing.
        """
        lines = []
        for rated in self._ledger.ratings():
            if warned := caution(rated):
                lines.append(warned.removesuffix("."))
            entries = []
            for standing, forfeits in listed(rated):
                mean, high = standing.rating.mean, standing.rating.high
                margin = "" if mean is None or high is None else f" ±{high - mean:.2f}"
                value = "" if mean is None else f" {mean:+.2f}{margin}"
                name = self.plan.players[standing.player].name
                entries.append(f"{rank_text(standing, forfeits)} {name}{value}")
            lines.append(f"{game_class(rated.games[0]).title}: {', '.join(entries)}")
        return tuple(lines)

    def replay(self, match: Match) -> Replay | None:
        """Return a match to look at, or None when it is being played again just now."""
        row = self.store.row_of(*match.key)
        if row is None:
            return None
        return open_replay(from_text(row.record), f"{self.store.folder}#{match.number}", row.timings)


def opening(follower: Follower) -> str:
    """Return the first sentence about a run."""
    games = " and ".join(game for game, *_ in follower.plan.contests)
    state = "is over" if follower.finished else "is stopped" if follower.stopped else "goes on"
    return (
        f"{follower.store.folder}: {follower.done:,} of {counted(follower.total, 'match')} of {games} between"
        f" {len(follower.plan.players)} players are finished. The run {state}."
    )


def sentences(follower: Follower) -> Iterator[str]:
    """Yield what there is to say of a run when one begins to watch it."""
    matches = follower.news()
    yield opening(follower)
    if len(matches) > LATEST:
        yield f"The last {LATEST} of the schedule:"
    yield from (match.sentence() for match in matches[-LATEST:])
    if not (follower.finished or follower.stopped):
        yield "What is finished from now on follows; Ctrl-C stops watching."


def ending(follower: Follower) -> Iterator[str]:
    """Yield the last sentences: how it stands."""
    if follower.stopped:
        yield f"{stopped_text(follower.done, follower.total, str(follower.store.folder))}."
    else:
        yield f"The run is over: {counted(follower.done, 'match')}."
    yield from (f"{dress(line, 'ascii')}." for line in follower.standings())


def stopped_text(done: int, total: int, folder: str) -> str:
    """Return the sentence, without its full stop, on a run that nobody plays on."""
    return f"The run is stopped at {done:,} of {counted(total, 'match')}. To go on: referee resume {folder}"


# -- the list on the screen


@dataclass(frozen=True)
class Watch:
    """Somebody watching a run.

    title     -- what the run is called: its folder
    matches   -- newest last
    stopped   -- nobody plays it on; it may be resumed any time
    standings -- lines, see Follower.standings
    at        -- index of the chosen match; None follows the newest
    replay    -- the match that is looked at, None for the list
    wanted    -- the match to open, for whoever drives this
    """

    title: str
    total: int
    matches: tuple[Match, ...] = ()
    standings: tuple[str, ...] = ()
    finished: bool = False
    stopped: bool = False
    at: int | None = None
    replay: Model | None = None
    wanted: Match | None = None
    help: bool = False
    note: str = ""
    done: bool = False

    @property
    def chosen(self) -> int:
        """The index of the chosen match."""
        return len(self.matches) - 1 if self.at is None else self.at


def hear(
    watch: Watch, matches: Sequence[Match], standings: tuple[str, ...], finished: bool, stopped: bool = False
) -> Watch:
    """Return the watch after news; what is chosen stays chosen."""
    found = (*watch.matches, *matches)
    return replace(watch, matches=found, standings=standings, finished=finished, stopped=stopped)


def opened(watch: Watch, found: Replay | None) -> Watch:
    """Return the watch with the match that it wanted."""
    if found is None:
        return replace(watch, wanted=None, note="That match is being played again just now.")
    return replace(watch, wanted=None, replay=Model(found))


def key(watch: Watch, name: str, page: int = 10) -> Watch:
    """Return the watch after a key, in the list or in the replay that is open; `page` is how far PgUp goes."""
    if watch.replay is not None:
        return _key_in_replay(watch, watch.replay, name)
    if name in ("c-c", "c-d", "q"):
        return replace(watch, done=True)
    if watch.help:
        return replace(watch, help=False)
    watch = replace(watch, note="")
    steps = {"up": 1, "down": -1, "pageup": page, "pagedown": -page}
    if name in steps:
        return _choose(watch, watch.chosen + steps[name])
    match name:
        case "enter" | "right" if watch.matches:
            return replace(watch, wanted=watch.matches[watch.chosen])
        case "home" | "escape":
            return replace(watch, at=None)
        case "end":
            return _choose(watch, 0)
        case "e":
            return _next_fault(watch)
        case "?":
            return replace(watch, help=True)
    return watch


def _key_in_replay(watch: Watch, model: Model, name: str) -> Watch:
    idle = not (model.typing or model.help or model.playing)
    if name == "escape" and idle:
        return replace(watch, replay=None)
    after = viewer.key(model, name)
    if after.done:
        return replace(watch, replay=None, done=name == "c-c")
    return replace(watch, replay=after)


def _choose(watch: Watch, at: int) -> Watch:
    last = len(watch.matches) - 1
    return replace(watch, at=None if at >= last else max(0, at))


def _next_fault(watch: Watch) -> Watch:
    """Return the watch at the next older match with a fault, from the newest again after the oldest."""
    older = range(watch.chosen - 1, -1, -1)
    newer = range(len(watch.matches) - 1, watch.chosen - 1, -1)
    for at in itertools.chain(older, newer):
        if watch.matches[at].faulty:
            return _choose(watch, at)
    return replace(watch, note="No match has a fault so far.")


HELP = (
    ("up down", "choose a match; the newest is at the top"),
    ("PgUp PgDn", "a page up or down"),
    ("Enter", "look at it; q or Esc comes back"),
    ("Home Esc", "follow the newest again"),
    ("End", "the oldest"),
    ("e", "the next older match with a fault"),
    ("q", "quit; the run itself goes on"),
)


def screen(watch: Watch, width: int, height: int, charset: str = "unicode") -> list[str]:
    """Return the lines that somebody sees, `height` of them."""
    return [row.text for row in rows(watch, width, height, charset)]


def rows(watch: Watch, width: int, height: int, charset: str = "unicode") -> list[Row]:
    """Return the screen with what each line is: the list, or the replay that is open."""
    if watch.replay is not None:
        return viewer.rows(watch.replay, width, height, charset)
    width = min(width, viewer.WIDEST)
    found = _help(width) if watch.help else _list(watch, width, height)
    found = [row._replace(text=dress(row.text, charset)[:width].rstrip()) for row in found[:height]]
    return found + [Row("")] * (height - len(found))


def _help(width: int) -> list[Row]:
    lines: list[Row] = []
    for keys, what in HELP:
        first, *more = wrap(what, width - 15)
        lines += [Row(f"   {keys:<12}{first}"), *(Row(" " * 15 + line) for line in more)]
    note = "✗ marks a match with a fault. Ranks that overlap are not told apart at 95 %."
    notes = [Row(f"   {line}") for line in wrap(note, width - 3)]
    return [Row(" Keys", "head"), *lines, Row(""), *notes, Row(""), Row(" Any key goes back.  q quit", "head")]


def _list(watch: Watch, width: int, height: int) -> list[Row]:
    state = "over" if watch.finished else "stopped" if watch.stopped else "running"
    done = f"{len(watch.matches):,} of {watch.total:,} matches · {state} "
    top = [Row(spread(f" WATCH  {clip(watch.title, 40, 12)}", done, width), "head")]
    most = 4 if height >= 20 else 1 if height >= LEAST_HEIGHT else 0
    top += [Row(f" {line}") for text in watch.standings for line in wrap(text, width - 2, most)][: 2 * most]
    top.append(rule(width))
    bar = key_bar(["↑↓ choose", "Enter open", "Home newest", "e fault", "End oldest", "? help", "q quit"], width)
    room = max(1, height - len(top) - 2)
    return [*top, *_match_rows(watch, width, room), Row(clip(f" {_state(watch)}", width)), bar]


def _match_rows(watch: Watch, width: int, room: int) -> list[Row]:
    if not watch.matches:
        return [Row(" No match is finished yet."), *[Row("")] * (room - 1)]
    last = len(watch.matches) - 1
    newest = min(last, max(watch.chosen + room // 2, room - 1)) if watch.at is not None else last
    found = []
    for at in range(newest, max(-1, newest - room), -1):
        match = watch.matches[at]
        mark = "►" if at == watch.chosen else " "
        text = f" {mark}{'✗' if match.faulty else ' '} #{match.number:<6} {match.game:<5}  {match.told}"
        role = "now" if mark == "►" else "fault" if match.faulty else "plain"
        found.append(Row(clip(text, width), role))
    return found + [Row("")] * (room - len(found))


def _state(watch: Watch) -> str:
    if watch.note:
        return watch.note
    if watch.at is None:
        if watch.stopped:
            return stopped_text(len(watch.matches), watch.total, watch.title)
        return "The run is over." if watch.finished else "Following: the newest match is at the top."
    behind = len(watch.matches) - 1 - watch.at
    return f"{behind} newer {'match' if behind == 1 else 'matches'} above; Home follows the newest again."
