"""The table of a run while it goes on: `Board` counts, `screen` is a pure function to lines, `Live` paints them.

Theory of operation. The board takes matches as they are committed and keeps sums and the latest faults only. A `View`
is what it shows at one moment; `screen` fits a view into a width and a height and knows neither time nor terminal.
`Live` repaints when something has come, at most four times a second, and lets the rows of a table keep their order for
two seconds, so that they can be read; a key is answered at once. Keys come from another thread (see keys), so whatever
changes what is shown does so under one lock. The cursor stays visible and there is no second screen, so that even
`kill -9` leaves little to mend; what keys need of the terminal is theirs to take and to give back.
"""

from __future__ import annotations

import math
import shlex
import sys
import textwrap
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from referee.games import game_class
from referee.ratings import Ratings, Standing
from referee.report.keys import Control, Keyboard, Page, Sort, State, press
from referee.report.ledger import Ledger, cautions
from referee.report.tables import (
    Column,
    apart_lines,
    blocks_text,
    fitted,
    half_width,
    listed,
    percent,
    rank_text,
    signed,
)
from referee.store import Row, Store
from referee.tournament import Plan, result_of
from referee.wire import safe
from referee.words import counted

if TYPE_CHECKING:
    from rich.console import Console

REPAINT_S: Final = 0.25  # seconds between two paintings, at least
IDLE_S: Final = 1.0  # seconds after which the clock is painted anew although nothing has come
STEADY_S: Final = 2.0  # seconds for which rows keep their order
RATING_SHARE: Final = 0.1  # of the time that may go into making ratings
RECENT: Final = 4  # kinds of faults shown below the table
FAULTS_KEPT: Final = 200  # faults kept for the list of them
BASE: Final = 1.05  # times are counted in classes this far apart


class Times:
    """How long a player's answers took, as counts of classes: percentiles exact to 5 %."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, ms: float) -> None:
        """Count one answer."""
        self._counts[math.ceil(math.log(max(ms, 0.001), BASE))] += 1

    def percentile(self, share: float) -> float | None:
        """Return the ms that this share of the answers did not exceed, None without any."""
        wanted = share * self._counts.total()
        for kind in sorted(self._counts):
            wanted -= self._counts[kind]
            if wanted <= 0:
                return float(BASE**kind)
        return None


class Pace(NamedTuple):
    """How long a player thinks: ms of its own time an answer, by percentile.

    Both are None when no answer has come since the run was last begun.
    """

    p50: float | None
    p99: float | None


class Fault(NamedTuple):
    """A fault, or a void match, in the list.

    number -- int, of the match, as in DIR#318
    player -- index of the one at fault; None: the match is void
    text   -- what happened, printable
    """

    number: int
    player: int | None
    text: str


class Board:
    """What is known of a run that goes on, from matches in whatever order they come."""

    def __init__(self, plan: Plan, stored: Iterable[tuple[int, int, Mapping[str, Any]]]) -> None:
        """stored -- (task, block, result) of the matches that were there before"""
        self.plan = plan
        self.numbers = plan.numbers()
        self.names = [entry.name for entry in plan.players]
        self.total = plan.size().matches
        self.ledger = Ledger(plan)
        self.times = [Times() for _ in plan.players]
        self.recent: deque[str] = deque(maxlen=RECENT)
        self.latest: deque[Fault] = deque(maxlen=FAULTS_KEPT)
        self.void = self.faults = self.done = 0
        for task, block, result in stored:
            self._count(task, block, result)
        self.recent.clear()
        self.begun = self.done

    def take(self, rows: Sequence[Row]) -> None:
        """Count matches that were committed."""
        for row in rows:
            self._count(row.task, row.block, row.result)
            for seat, _, _, _, charge in row.timings:
                self.times[row.result["players"][int(seat)]].add(charge)

    def _count(self, task: int, block: int, result: Mapping[str, Any]) -> None:
        self.done += 1
        if result["void"]:
            self.void += 1
            self.ledger.add_void(result["game"], result["seats"], block)
            self._recall(Fault(self.numbers.of(task, block), None, f"void: {safe(result['void'])}"))
            return
        self.ledger.add(result_of(block, result))
        for seat, code, text in result["faults"]:
            self.faults += 1
            number, player = self.numbers.of(task, block), result["players"][seat]
            self._recall(Fault(number, player, f"{code}: {safe(text)}"))

    def _recall(self, fault: Fault) -> None:
        """Put a fault at the end of the list, and its sentence at the end of the recent ones, once."""
        self.latest.append(fault)
        sentence = fault.text if fault.player is None else f"{self.names[fault.player]}  {fault.text}"
        if sentence in self.recent:
            self.recent.remove(sentence)
        self.recent.append(sentence)

    def ratings(self) -> list[Ratings]:
        """Return the ratings of each game that has results."""
        return self.ledger.ratings()

    def paces(self) -> list[Pace]:
        """Return the pace of each player."""
        return [Pace(times.percentile(0.5), times.percentile(0.99)) for times in self.times]


class View(NamedTuple):
    """What the screen shows at one moment.

    title   -- str, what is played
    done, total -- ints, matches
    cap     -- bool: it is a comparison. The total is a limit, and no interval holds that is looked at again and again
               but that of `status`
    elapsed, left -- float seconds; left is None when it cannot be said
    rate    -- float, matches a second
    names   -- of the players
    ratings -- a table each
    orders  -- game -> the players in the order of the rows; others come below
    paces   -- by player
    status  -- str, how it stands; may be empty
    faults, void -- ints
    recent  -- the latest faults, one sentence each, none twice
    hint    -- str, what can be done where no keys are read; may be empty
    state   -- what the keys have brought about; None: no keys are read
    running -- int, jobs that are being played
    job     -- int, matches that a job has at most
    latest  -- the latest faults, the newest last
    folder  -- str, of the run
    """

    title: str
    done: int
    total: int
    cap: bool
    elapsed: float
    left: float | None
    rate: float
    names: Sequence[str]
    ratings: Sequence[Ratings]
    orders: Mapping[str, Sequence[int]]
    paces: Sequence[Pace]
    status: str
    faults: int
    void: int
    recent: Sequence[str]
    hint: str
    state: State | None = None
    running: int = 0
    job: int = 1
    latest: Sequence[Fault] = ()
    folder: str = "DIR"


# -- the screen


def screen(view: View, width: int, height: int, plain: bool = False) -> list[str]:
    """Return the lines of a view, none longer than `width` - 1 and no more than `height` - 1 of them.

    plain -- only ASCII
    What matters less gives way: faults, what would separate players, rows from below.
    """
    room, page, space = _layout(view, width, height)
    if page is None:
        body, foot = _table_body(view, room, space), _key_line(view, room)
    else:
        start = min(view.state.scroll if view.state else 0, max(0, len(page) - space))
        body = page[start : start + space]
        where = f"Up/Down lines {start + 1}-{start + len(body)} of {len(page)}" if len(body) < len(page) else ""
        foot = _page_keys(view, where, room)
    lines = [*_head(view, room, plain), *body, *foot]
    if plain:
        lines = [line.replace("±", "+-").encode("ascii", "replace").decode() for line in lines]
    return [line[:room].rstrip() for line in lines][: max(1, height - 1)]


def beyond(view: View, width: int, height: int) -> int:
    """Return how many lines of the page shown find no room: how far it can be scrolled. Of the table, 0."""
    _, page, space = _layout(view, width, height)
    return max(0, len(page or ()) - space)


def rows_shown(view: View) -> list[int]:
    """Return the players of the tables from above, each once."""
    rows = [row.player for rated in view.ratings for row, _ in _ordered(rated, view.orders.get(rated.games[0], ()))]
    return list(dict.fromkeys(rows))


def arranged(rated: Ratings, sort: Sort, names: Sequence[str], paces: Sequence[Pace]) -> list[int]:
    """Return the players of a table in an order; those that are equal in it stay as the means have them."""
    rows = [row for row, _ in listed(rated)]
    match sort:
        case Sort.NAME:
            rows.sort(key=lambda row: names[row.player].casefold())
        case Sort.FAULTS:
            rows.sort(key=lambda row: -_faults_of(row))
        case Sort.P99:
            rows.sort(key=lambda row: -(paces[row.player].p99 or 0.0))
        case Sort.FIRST:
            rows.sort(key=lambda row: -(row.first_share or 0.0))
    return [row.player for row in rows]


def _layout(view: View, width: int, height: int) -> tuple[int, list[str] | None, int]:
    """Return the columns that a line may have, the page instead of the table, and the lines that either may have."""
    room = max(20, width - 1)
    page = None
    if view.state and view.state.page is not Page.TABLE:
        page = _PAGES[view.state.page](view, room)
    return room, page, max(0, height - 1 - len(_head(view, room, True)) - 1)


def _head(view: View, room: int, plain: bool) -> list[str]:
    most = " at most" if view.cap else ""
    counted = f" {view.done:,} of {view.total:,} matches{most} "
    share = view.done / view.total if view.total else 1.0
    after = f"  {100 * share:3.0f} %  {view.rate:.1f}/s"
    left = "" if view.left is None else f"   left about {_clock(view.left)}{most}"
    level = "" if view.cap else "   intervals at 95 %"
    bar = _bar(share, max(0, room - len(counted) - len(after)), plain)
    return [
        f" {view.title}",
        counted + bar + after,
        f" elapsed {_clock(view.elapsed)}{left}{level}",
        *_held_lines(view, room),
        *(f" {line}" for sentence in cautions(view.ratings) for line in textwrap.wrap(sentence, room - 1)),
        "",
    ]


def _held_lines(view: View, room: int) -> list[str]:
    """Return the lines that say that nothing new begins, and what goes on until then; none when all runs."""
    if view.state is None or not (view.state.paused or view.state.stopping):
        return []
    rest = f"{view.running} still {'runs' if view.running == 1 else 'run'} (up to {counted(view.job, 'match')} each)"
    held = "STOPPING" if view.state.stopping else "PAUSED, Space goes on"
    sentence = f"{held}. No job begins; {rest if view.running else 'none runs'}."
    return [f" {line}" for line in textwrap.wrap(sentence, room - 1)]


def _key_line(view: View, room: int) -> list[str]:
    """Return the line of what can be done, in the longest words that find room."""
    if view.state is None:
        return [f" {view.hint}"] if view.hint else []
    stop = ("Ctrl-C stop now",) * 4 if view.state.stopping else ("q stop (finish running)", "q stop", "q stop", "q")
    hold = "Space go on" if view.state.paused else "Space pause"
    wordings = [
        stop,
        *([(hold, hold, hold, "Space")] if view.state.pausable and not view.state.stopping else []),
        ("s sort", "s sort", "s sort", "s"),
        ("f faults", "f faults", "f faults", "f"),
        ("Enter player", "Enter player", "Enter", "Enter"),
        ("? help", "? help", "? help", "?"),
    ]
    lines = [" " + "  ".join(words) for words in zip(*wordings, strict=True)]
    return [next((line for line in lines if len(line) <= room), lines[-1])]


def _page_keys(view: View, where: str, room: int) -> list[str]:
    """Return the line of what can be done on another page than the table; `where` says what part of it is seen."""
    stop = "Ctrl-C stop now" if view.state and view.state.stopping else "q stop"
    words = [word for word in ("Esc back", where, "? help", stop) if word]
    while len(words) > 1 and len("  ".join(words)) >= room:
        words.pop()
    return [" " + "  ".join(words)]


def _table_body(view: View, room: int, space: int) -> list[str]:
    """Return the tables and what is said below them, in at most `space` lines."""
    body: list[str] = []
    for number, rated in enumerate(view.ratings):
        body += _table(view, rated, room, (space - len(body)) // (len(view.ratings) - number))
    for extra in (_status_lines(view, room), _fault_lines(view)):
        if len(body) + len(extra) <= space:
            body += extra
    return body


def _bar(share: float, width: int, plain: bool) -> str:
    full, empty = ("#", ".") if plain else ("━", "─")
    done = round(share * width)
    return full * done + empty * (width - done)


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _table(view: View, rated: Ratings, room: int, space: int) -> list[str]:
    """Return the table of one game in at most `space` lines; none when not even one row fits."""
    rows = _ordered(rated, view.orders.get(rated.games[0], ()))
    chosen = view.state.chosen if view.state else None
    # title, head, (rows), blank; and a line for the rows left out
    shown = rows if len(rows) + 3 <= space else _around(rows, chosen, max(0, space - 4))
    if not shown:
        return []
    standings = [standing for standing, _ in shown]
    paces = [view.paces[standing.player] for standing in standings]
    table = fitted(
        ["" if view.cap else rank_text(*row) for row in shown],
        [view.names[standing.player] for standing in standings],
        [
            Column("mean", [signed(standing.rating.mean) for standing in standings], 6),
            *([] if view.cap else [Column("±95%", [half_width(standing.rating) for standing in standings], 6)]),
            Column("matches", [str(standing.matches) for standing in standings], 7, spare=1),
            Column("1st %", [percent(standing.first_share) for standing in standings], 5, spare=2),
            Column("p50 ms", [_ms(pace.p50) for pace in paces], 6, spare=4),
            Column("p99 ms", [_ms(pace.p99) for pace in paces], 6, spare=3),
            Column("faults", [str(_faults_of(standing)) for standing in standings], 6),
        ],
        room,
    )
    lines = [_title(view, rated, room), table[0]]
    lines += [
        _marked(line) if standing.player == chosen else line
        for line, standing in zip(table[1:], standings, strict=True)
    ]
    if len(rows) > len(shown):
        lines.append(f"       and {len(rows) - len(shown)} more")
    lines.append("")
    apart = [] if view.cap else [*apart_lines(rated, view.names, room), ""]
    return lines + apart if len(lines) + len(apart) <= space else lines


def _title(view: View, rated: Ratings, room: int) -> str:
    """Return the line above a table, without the number of blocks where there is no room for it."""
    what = f"{game_class(rated.games[0]).unit} a deal" + (f", sorted by {view.state.sort}" if view.state else "")
    title = f" {_played(rated)}, {blocks_text(rated)}: {what}"
    return title if len(title) <= room else f" {_played(rated)}: {what}"


def _played(rated: Ratings) -> str:
    return f"{game_class(rated.games[0]).title}, tables of {'/'.join(map(str, rated.seats))}"


def _faults_of(standing: Standing) -> int:
    return sum(count for _, count in standing.faults)


def _marked(line: str) -> str:
    """Return a row of a table with a mark in the gap between rank and name."""
    return f"{line[:6]}>{line[7:]}"


def _around(rows: list[tuple[Standing, bool]], chosen: int | None, count: int) -> list[tuple[Standing, bool]]:
    """Return `count` of the rows: the first ones, or those that end with the chosen one when it is further below."""
    place = next((place for place, (row, _) in enumerate(rows) if row.player == chosen), 0)
    start = max(0, place + 1 - count)
    return rows[start : start + count]


def _ordered(rated: Ratings, order: Sequence[int]) -> list[tuple[Standing, bool]]:
    """Return the rows of a table in an order given; players that it does not name come below."""
    places = {player: place for place, player in enumerate(order)}
    return sorted(listed(rated), key=lambda row: places.get(row[0].player, len(places)))


def _ms(ms: float | None) -> str:
    return "-" if ms is None else f"{ms:.1f}" if ms < 1000 else f"{ms:.0f}"


def _status_lines(view: View, room: int) -> list[str]:
    return [*(f" {line}" for line in textwrap.wrap(view.status, room - 1)), ""] if view.status else []


def _fault_lines(view: View) -> list[str]:
    if not view.faults and not view.void:
        return []
    void = f", {view.void} void" if view.void else ""
    return [f" faults {view.faults}{void}, the latest:", *(f"   {sentence}" for sentence in view.recent), ""]


# -- the pages


def _faults_page(view: View, room: int) -> list[str]:
    """Return the list of faults, the newest first, and how to see their matches."""
    if not view.latest:
        return [" No faults so far."]
    void = f", {view.void} void" if view.void else ""
    kept = f", the latest {len(view.latest)}" if view.faults + view.void > len(view.latest) else ""
    lines = [f" faults {view.faults}{void}{kept}; the newest first", *_how_to_see(view, room), ""]
    for fault in reversed(view.latest):
        who = "" if fault.player is None else f"{view.names[fault.player]}  "
        lines += _wrapped(f"#{fault.number}  {who}{fault.text}", room, "   ", "      ")
    return lines


def _how_to_see(view: View, room: int) -> list[str]:
    folder = shlex.quote(view.folder)
    lines = _wrapped(f"From another terminal, now: referee watch {folder}", room, " ", "   ")
    if not view.cap:  # a comparison ends early, and then counts only what was played
        lines += _wrapped(f"At any time: referee replay {folder}#{view.latest[-1].number}", room, " ", "   ")
    return lines


def _player_page(view: View, room: int) -> list[str]:
    """Return all that is known of the chosen player."""
    chosen = view.state.chosen if view.state else None
    if chosen is None:
        return [" No player is chosen."]
    pace = view.paces[chosen]
    lines = [f" player {view.names[chosen]}", ""]
    for rated in view.ratings:
        for standing, forfeits in listed(rated):
            if standing.player == chosen:
                lines += [*_game_lines(view, rated, standing, forfeits, room), ""]
    lines += [
        *_wrapped(f"its time for an answer: p50 {_ms(pace.p50)} ms, p99 {_ms(pace.p99)} ms", room, " ", "   "),
        *(_own_faults(view, chosen, room)),
    ]
    return lines


def _game_lines(view: View, rated: Ratings, standing: Standing, forfeits: bool, room: int) -> list[str]:
    """Return a player's figures in one game."""
    unit, ranked = game_class(rated.games[0]).unit, sum(row.ranks is not None for row in rated.standings)
    rank = rank_text(standing, forfeits) + (f" of {ranked}" if standing.ranks else "")
    mean, reach = signed(standing.rating.mean), half_width(standing.rating)
    places = ", ".join(f"{place}. {times}" for place, times in enumerate(standing.places, 1) if times)
    mean_place = "-" if standing.mean_place is None else f"{standing.mean_place:.2f}"
    facts = [
        ("mean", f"{mean} {unit} a deal" if view.cap else f"{mean} ±{reach} {unit} a deal"),
        *([] if view.cap else [("rank", rank)]),
        ("played", f"{counted(standing.matches, 'match')}, {standing.deals} deals that count"),
        ("places", f"{places or '-'}; mean {mean_place}, {percent(standing.first_share)} % first"),
        ("ahead", f"of {percent(standing.points)} % of the others (ties half)"),
        ("faults", ", ".join(f"{code} {times}" for code, times in standing.faults) or "none"),
    ]
    lines = [f" {_played(rated)}"]
    for name, fact in facts:
        lines += _wrapped(f"{name:<8}{fact}", room, "   ", " " * 11)
    return lines + _against(view, rated, standing.player, room)


def _against(view: View, rated: Ratings, player: int, room: int) -> list[str]:
    """Return a player's head to head with each of the others that it met, in the order of the table."""
    met = [row.player for row, _ in listed(rated) if row.player != player and rated.shared[player][row.player]]
    apart = {frozenset((pair.a, pair.b)) for pair in rated.pairs if pair.apart}
    width = min(max([7, *(len(view.names[other]) for other in met)]), max(7, room - 40))
    lines = [f"   {'against':<{width}}  ahead %  matches"]
    for other in met:
        name = view.names[other]
        shown = name if len(name) <= width else f"{name[: width - 1]}~"
        told = "  told apart" if frozenset((player, other)) in apart and not view.cap else ""
        share, shared = percent(rated.ahead[player][other]), rated.shared[player][other]
        lines.append(f"   {shown:<{width}}  {share:>7}  {shared:>7}{told}")
    return lines if met else []


def _own_faults(view: View, player: int, room: int) -> list[str]:
    own = [fault for fault in reversed(view.latest) if fault.player == player][:RECENT]
    lines = ["", " its latest faults"] if own else []
    for fault in own:
        lines += _wrapped(f"#{fault.number}  {fault.text}", room, "   ", "      ")
    return lines


def _help_page(view: View, room: int) -> list[str]:
    job = f"a job is up to {counted(view.job, 'match')} at one table"
    pause = f"no job begins until Space is pressed again; those that run are finished ({job})"
    if view.state and not view.state.pausable:
        pause = "not on a cluster"
    keys = [
        ("q", "stop: what runs is finished, and the run can be resumed; as Ctrl-C, which after that stops at once"),
        ("Space", f"pause: {pause}"),
        ("s", f"sort the rows by {', '.join(Sort)}"),
        ("f", "the list of faults, and how to see the matches they are in"),
        ("Up Down", "choose a row, marked >; scroll a page that is too long (also k j, PageUp PageDown)"),
        ("Enter", "all figures of the chosen player"),
        ("Esc", "back"),
    ]
    columns = [
        ("rank", "places that cannot be excluded at 95 %; the same range is not told apart"),
        ("mean", "the result of a deal against the rest of the table; more is better"),
        ("1st %", "matches won; a shared first place is split"),
        ("p50 p99", "ms of a player's own time in which half, and 99 %, of its answers came, since the run was begun"),
        ("faults", "matches forfeited; forfeiters of many come last, without a rank (*)"),
    ]
    lines = []
    for name, meaning in [*keys, ("", ""), *columns]:
        lines += _wrapped(f"{name:<8} {meaning}", room, " ", " " * 10) if name else [""]
    return lines


def _wrapped(text: str, room: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, room, initial_indent=first, subsequent_indent=rest)


_PAGES: Final[Mapping[Page, Callable[[View, int], list[str]]]] = MappingProxyType(
    {Page.FAULTS: _faults_page, Page.PLAYER: _player_page, Page.HELP: _help_page}
)


# -- the painter


class Live:
    """Paints a run's screen on a terminal, and prints notes above it. A context manager.

    hint    -- str, what can be done where no keys are read
    control -- what the keys ask of the run; once this is left it begins nothing more
    stdin   -- the terminal from which keys are read; None: there are none
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        console: Console,
        title: str,
        hint: str,
        clock: Callable[[], float],
        control: Control | None = None,
        stdin: TextIO | None = None,
    ) -> None:
        from rich.live import Live as Painter

        self.board = Board(plan, store.results())
        self.cap = bool(plan.anchors)
        self.title, self.hint, self.clock = title, hint, clock
        self.folder = str(store.folder)
        self.control = control or Control()
        self.keyboard = Keyboard(stdin, self.pressed, self.resumed) if stdin else None
        self.state = State() if stdin else None
        self.started = self.painted = self.ordered = self.looked = clock()
        self.held = 0.0  # seconds of pauses
        self.status_now = ""
        self.ratings: list[Ratings] = []
        self.rate_at = self.started
        self.orders: dict[str, list[int]] = {}
        self.lines = 0  # of the latest painting
        self.elsewhere = False  # whether the cursor has been moved since
        self.lock = threading.RLock()
        self.plain = console.encoding.lower().replace("-", "") != "utf8"
        self.painter = Painter(
            console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False, vertical_overflow="crop"
        )

    def __enter__(self) -> Live:
        self.painter.start()
        self.painter.console.show_cursor(True)  # so that even a kill -9 leaves a terminal with a cursor
        self._paint()
        if self.keyboard:
            self.keyboard.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.control.ended = True
        if self.keyboard:
            self.keyboard.__exit__()
        with self.lock:
            self.state, self.hint, self.orders = None, "", {}  # what stays on the terminal is the table
            self._return()
            self._paint()
            self.painter.stop()

    def committed(self, rows: Sequence[Row]) -> None:
        with self.lock:
            self.board.take(rows)
            self._paint(REPAINT_S)

    def note(self, sentence: str) -> None:
        with self.lock:
            self._return()
            self.painter.console.print(sentence, markup=False, highlight=False)

    def status(self, sentence: str) -> None:
        with self.lock:
            self.status_now = sentence
            self._paint(REPAINT_S)

    def tick(self) -> None:
        """Let the clock go on when nothing has come for a while."""
        self._paint(IDLE_S)

    def pressed(self, key: str) -> None:
        """Do what a key means, and show it."""
        with self.lock:
            view = self.view()
            if view.state is None:  # the run is over, or the terminal another's
                return
            state = press(view.state, key, rows_shown(view), beyond(view, *self.painter.console.size))
            if state.sort is not view.state.sort:
                self.orders = {}
            self.state = state
            self.control.paused = state.paused
            if state.stopping:
                self.control.stop()
            self._paint()

    def resumed(self) -> None:
        """Know that the process was stopped, and that the terminal shows other things since."""
        self.elsewhere = True

    def view(self) -> View:
        """Return what is to be seen now."""
        board, now = self.board, self.clock()
        self.held += (now - self.looked) if self.control.paused else 0.0
        self.looked = now
        if now >= self.rate_at:
            self.ratings = board.ratings()
            self.rate_at = self.clock() + (self.clock() - now) / RATING_SHARE
        paces = board.paces()
        if now - self.ordered >= STEADY_S or len(self.orders) < len(self.ratings):
            self.ordered = now
            sort = self.state.sort if self.state else Sort.MEAN
            self.orders = {rated.games[0]: arranged(rated, sort, board.names, paces) for rated in self.ratings}
        elapsed = now - self.started
        played = elapsed - self.held
        rate = (board.done - board.begun) / played if played > 0 else 0.0
        control = self.control
        state = self.state if self._in_foreground() else None
        return View(
            self.title,
            board.done,
            board.total,
            self.cap,
            elapsed,
            (board.total - board.done) / rate if rate else None,
            rate,
            board.names,
            self.ratings,
            self.orders,
            paces,
            self.status_now,
            board.faults,
            board.void,
            tuple(board.recent),
            self.hint,
            state and state._replace(stopping=control.stopping, pausable=control.pausable),
            control.running,
            board.plan.slice_blocks,
            tuple(board.latest),
            self.folder,
        )

    def _paint(self, after: float = 0.0) -> None:
        from rich.text import Text

        with self.lock:
            if self.clock() - self.painted < after or (self.elsewhere and not self._in_foreground()):
                return
            self._return()
            width, height = self.painter.console.size
            lines = screen(self.view(), width, height, self.plain)
            self.painted = self.clock()
            self.lines = len(lines)
            self.painter.update(Text("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)

    def _return(self) -> None:
        """Leave alone what others have written since the process was stopped, if it was.

        The painter goes up by the lines that it painted last: as many empty ones bring it back to where it is now.
        """
        if self.elsewhere:
            self.painter.console.file.write("\n" * (self.lines - 1))
            self.elsewhere = not self._in_foreground()  # else more will be written

    def _in_foreground(self) -> bool:
        return self.keyboard is not None and self.keyboard.in_foreground()


def live(plan: Plan, store: Store, title: str, hint: str, control: Control | None = None) -> Live:
    """Return the painter for standard error; with keys when standard input is a terminal, too.

    control -- what the keys ask of the run; None: no keys are read
    """
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    keyed = control and sys.stdin.isatty() and sys.stderr.isatty() and not console.is_dumb_terminal
    return Live(plan, store, console, title, hint, time.monotonic, control, sys.stdin if keyed else None)
