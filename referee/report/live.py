"""The table of a run while it goes on: `Board` counts, `screen` is a pure function to lines, `Live` paints them.

Theory of operation. The board takes matches as they are committed and keeps sums only. A `View` is what it shows at
one moment; `screen` fits a view into a width and a height and knows neither time nor terminal. `Live` repaints when
something has come, at most four times a second, and lets the rows of a table keep their order for two seconds, so that
they can be read. It leaves the cursor visible and touches no setting of the terminal: whatever ends the referee, the
terminal is as it was.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from referee.games import game_class
from referee.ratings import Ratings, Standing, Tally, rate
from referee.report.tables import Column, apart_lines, fitted, half_width, listed, percent, rank_text, signed
from referee.store import Row, Store
from referee.tournament import Plan, result_of
from referee.wire import safe

if TYPE_CHECKING:
    from rich.console import Console

REPAINT_S: Final = 0.25  # seconds between two paintings, at least
IDLE_S: Final = 1.0  # seconds after which the clock is painted anew although nothing has come
STEADY_S: Final = 2.0  # seconds for which rows keep their order
RATING_SHARE: Final = 0.1  # of the time that may go into making ratings
RECENT: Final = 4  # faults kept for the screen
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


class Board:
    """What is known of a run that goes on, from matches in whatever order they come."""

    def __init__(self, plan: Plan, stored: Iterable[tuple[int, int, Mapping[str, Any]]]) -> None:
        """stored -- (task, block, result) of the matches that were there before"""
        self.plan = plan
        self.names = [entry.name for entry in plan.players]
        self.total = plan.size().matches
        self.tally = Tally(len(plan.players), {game: game_class(game).more_is_better for game, *_ in plan.contests})
        self.times = [Times() for _ in plan.players]
        self.recent: deque[str] = deque(maxlen=RECENT)
        self.void = self.faults = self.done = 0
        for _, block, result in stored:
            self._count(block, result)
        self.recent.clear()
        self.begun = self.done

    def take(self, rows: Sequence[Row]) -> None:
        """Count matches that were committed."""
        for row in rows:
            self._count(row.block, row.result)
            for seat, _, _, _, charge in row.timings:
                self.times[row.result["players"][int(seat)]].add(charge)

    def _count(self, block: int, result: Mapping[str, Any]) -> None:
        self.done += 1
        if result["void"]:
            self.void += 1
            self._recall(f"void: {safe(result['void'])}")
            return
        self.tally.add(result_of(block, result))
        for seat, code, text in result["faults"]:
            player = result["players"][seat]
            self.faults += 1
            self._recall(f"{self.names[player]}  {code}: {safe(text)}")

    def _recall(self, sentence: str) -> None:
        """Put a sentence at the end of the recent ones, once."""
        if sentence in self.recent:
            self.recent.remove(sentence)
        self.recent.append(sentence)

    def ratings(self) -> list[Ratings]:
        """Return the ratings of each game that has results."""
        played = {game for game, _ in self.tally.groups}
        return [rate(self.tally, game) for game, *_ in self.plan.contests if game in played]

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
    recent  -- the latest faults, one sentence each
    hint    -- str, what the keys do
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


# -- the screen


def screen(view: View, width: int, height: int, plain: bool = False) -> list[str]:
    """Return the lines of a view, none longer than `width` - 1 and no more than `height` - 1 of them.

    plain -- only ASCII
    What matters less gives way: faults, what would separate players, rows from below.
    """
    room = max(20, width - 1)
    head = _head(view, room, plain)
    foot = [f" {view.hint}"]
    tail = _fault_lines(view)
    space = max(0, height - 1 - len(head) - len(foot))
    body: list[str] = []
    for number, rated in enumerate(view.ratings):
        body += _table(view, rated, room, (space - len(body)) // (len(view.ratings) - number))
    for extra in (_status_lines(view, room), tail):
        if len(body) + len(extra) <= space:
            body += extra
    lines = [*head, *body, *foot]
    if plain:
        lines = [line.replace("±", "+-").encode("ascii", "replace").decode() for line in lines]
    return [line[:room].rstrip() for line in lines][: max(1, height - 1)]


def _head(view: View, room: int, plain: bool) -> list[str]:
    most = " at most" if view.cap else ""
    counted = f" {view.done:,} of {view.total:,} matches{most} "
    share = view.done / view.total if view.total else 1.0
    after = f"  {100 * share:3.0f} %  {view.rate:.1f}/s"
    left = "" if view.left is None else f"   left about {_clock(view.left)}{most}"
    level = "" if view.cap else "   intervals at 95 %"
    bar = _bar(share, max(0, room - len(counted) - len(after)), plain)
    return [f" {view.title}", counted + bar + after, f" elapsed {_clock(view.elapsed)}{left}{level}", ""]


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
    game = game_class(rated.games[0])
    rows = _ordered(rated, view.orders.get(rated.games[0], ()))
    # title, head, (rows), blank; and a line for the rows left out
    shown = rows if len(rows) + 3 <= space else rows[: max(0, space - 4)]
    if not shown:
        return []
    standings = [standing for standing, _ in shown]
    paces = [view.paces[standing.player] for standing in standings]
    lines = [f" {game.title}, tables of {'/'.join(map(str, rated.seats))}, {rated.blocks:,} blocks: {game.unit} a deal"]
    lines += fitted(
        ["" if view.cap else rank_text(*row) for row in shown],
        [view.names[standing.player] for standing in standings],
        [
            Column("mean", [signed(standing.rating.mean) for standing in standings], 6),
            *([] if view.cap else [Column("±95%", [half_width(standing.rating) for standing in standings], 6)]),
            Column("matches", [str(standing.matches) for standing in standings], 7, spare=1),
            Column("1st %", [percent(standing.first_share) for standing in standings], 5, spare=2),
            Column("p50 ms", [_ms(pace.p50) for pace in paces], 6, spare=4),
            Column("p99 ms", [_ms(pace.p99) for pace in paces], 6, spare=3),
            Column("faults", [str(sum(count for _, count in standing.faults)) for standing in standings], 6),
        ],
        room,
    )
    if len(rows) > len(shown):
        lines.append(f"       and {len(rows) - len(shown)} more")
    lines.append("")
    apart = [] if view.cap else [*apart_lines(rated, view.names, room), ""]
    return lines + apart if len(lines) + len(apart) <= space else lines


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


# -- the painter


class Live:
    """Paints a run's screen on a terminal, and prints notes above it. A context manager."""

    def __init__(
        self, plan: Plan, store: Store, console: Console, title: str, hint: str, clock: Callable[[], float]
    ) -> None:
        from rich.live import Live as Painter

        self.board = Board(plan, store.results())
        self.cap = bool(plan.anchors)
        self.title, self.hint, self.clock = title, hint, clock
        self.started = self.painted = self.ordered = clock()
        self.status_now = ""
        self.ratings: list[Ratings] = []
        self.rate_at = self.started
        self.orders: dict[str, list[int]] = {}
        self.plain = console.encoding.lower().replace("-", "") != "utf8"
        self.painter = Painter(
            console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False, vertical_overflow="crop"
        )

    def __enter__(self) -> Live:
        self.painter.start()
        self.painter.console.show_cursor(True)  # so that even a kill -9 leaves a terminal with a cursor
        self._paint()
        return self

    def __exit__(self, *_: object) -> None:
        self._paint()
        self.painter.stop()

    def committed(self, rows: Sequence[Row]) -> None:
        self.board.take(rows)
        self._paint(REPAINT_S)

    def note(self, sentence: str) -> None:
        self.painter.console.print(sentence, markup=False, highlight=False)

    def status(self, sentence: str) -> None:
        self.status_now = sentence
        self._paint(REPAINT_S)

    def tick(self) -> None:
        """Let the clock go on when nothing has come for a while."""
        self._paint(IDLE_S)

    def view(self) -> View:
        """Return what is to be seen now."""
        board, now = self.board, self.clock()
        if now >= self.rate_at:
            self.ratings = board.ratings()
            self.rate_at = self.clock() + (self.clock() - now) / RATING_SHARE
        if now - self.ordered >= STEADY_S or len(self.orders) < len(self.ratings):
            self.ordered = now
            self.orders = {rated.games[0]: [row.player for row, _ in listed(rated)] for rated in self.ratings}
        elapsed = now - self.started
        rate = (board.done - board.begun) / elapsed if elapsed else 0.0
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
            board.paces(),
            self.status_now,
            board.faults,
            board.void,
            tuple(board.recent),
            self.hint,
        )

    def _paint(self, after: float = 0.0) -> None:
        from rich.text import Text

        if self.clock() - self.painted < after:
            return
        width, height = self.painter.console.size
        lines = screen(self.view(), width, height, self.plain)
        self.painted = self.clock()
        self.painter.update(Text("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)


def live(plan: Plan, store: Store, title: str, hint: str) -> Live:
    """Return the painter for standard error."""
    from rich.console import Console

    return Live(plan, store, Console(stderr=True, highlight=False), title, hint, time.monotonic)
