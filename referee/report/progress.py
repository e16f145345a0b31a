"""How a run tells how far it is: a live table at a terminal, plain lines elsewhere, and a stream for programs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from referee.report.keys import Control
from referee.report.live import Board, live, number_of
from referee.report.tables import EXPORT_VERSION, half_width, signed
from referee.store import Row, Store
from referee.tournament import Plan, Watcher

PLAIN_EVERY = 30.0  # seconds between plain lines, unless 5 % took longer
HINT = "Ctrl-C stops when what runs is finished; Ctrl-C again stops at once"


class Teller(Watcher, Protocol):
    """A watcher that is also called again and again while nothing comes."""

    def tick(self) -> None:
        """Time goes by."""


class Silent:
    """Notes only."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note

    def committed(self, rows: Sequence[Row]) -> None:
        pass

    def status(self, sentence: str) -> None:
        pass

    def tick(self) -> None:
        pass


class Plain(Silent):
    """Whole lines, ASCII, on a clock: at exact 5 % marks or every half minute, whichever is later."""

    def __init__(self, board: Board, note: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(note)
        self.board, self.clock = board, clock
        self.started = self.told_at = clock()
        self.told_mark = self._mark()
        self.status_now = ""

    def status(self, sentence: str) -> None:
        self.status_now = sentence

    def committed(self, rows: Sequence[Row]) -> None:
        self.board.take(rows)
        now, mark = self.clock(), self._mark()
        finished = self.board.done == self.board.total
        if finished or (now - self.told_at >= PLAIN_EVERY and mark > self.told_mark):
            self.told_at, self.told_mark = now, mark
            self.note(self._line(now))

    def _mark(self) -> int:
        """Return how many twentieths of the run are done."""
        return 20 * self.board.done // max(1, self.board.total)

    def _line(self, now: float) -> str:
        board = self.board
        rate = (board.done - board.begun) / max(1e-3, now - self.started)
        left = (board.total - board.done) / max(1e-3, rate)
        line = (
            f"{board.done}/{board.total} matches {100 * board.done // max(1, board.total)}%"
            f" {rate:.1f}/s left {left:.0f}s faults {board.faults}"
        )
        if self.status_now:
            return f"{line}\n{self.status_now}"
        for rated in board.ratings():
            best = rated.standings[0]
            where = f" {rated.games[0]}" if len(board.plan.contests) > 1 else ""
            name, rating = board.names[best.player], best.rating
            line += f" lead{where} {name} {signed(rating.mean)} +-{half_width(rating)}"
        return line


class Stream:
    """A line of JSON for the start, each match and each fault, in the order in which they come; then as another tells.

    write -- writes a whole line and flushes it
    """

    def __init__(self, plan: Plan, store: Store, write: Callable[[str], None], other: Teller) -> None:
        self.plan, self.write, self.other = plan, write, other
        self._say(
            "start",
            matches=plan.size().matches,
            done=store.count(),
            games=[game for game, *_ in plan.contests],
            players=[entry.name for entry in plan.players],
            commitment=store.meta("commitment"),
        )

    def committed(self, rows: Sequence[Row]) -> None:
        for row in rows:
            result = row.result
            number = number_of(self.plan, row.task, row.block)
            self._say(
                "game",
                id=number,
                game=result["game"],
                table=result["table"],
                block=row.block,
                rotation=result["rotation"],
                seats=result["players"],
                ranks=result["ranks"],
                points=result["scores"],
                void=result["void"],
                ms=round(sum(wall for _, wall, *_ in row.timings)),
            )
            for seat, code, text in result["faults"]:
                name = self.plan.players[result["players"][seat]].name
                self._say("fail", id=number, player=name, seat=seat, kind=code, text=text)
        self.other.committed(rows)

    def note(self, sentence: str) -> None:
        self.other.note(sentence)

    def status(self, sentence: str) -> None:
        self.other.status(sentence)

    def tick(self) -> None:
        self.other.tick()

    def _say(self, message: str, **values: object) -> None:
        self.write(json.dumps({"type": message, "v": EXPORT_VERSION, **values}, separators=(",", ":")) + "\n")


@contextmanager
def watcher(
    how: str,
    plan: Plan,
    store: Store,
    note: Callable[[str], None],
    stream: Callable[[str], None] | None = None,
    control: Control | None = None,
) -> Iterator[Teller]:
    """Yield who is told of a run's progress.

    how     -- auto, live, plain or none
    note    -- writes a line to standard error
    stream  -- writes a line to standard output; None: nothing is written there
    control -- what the keys of the live view ask of the run; None: it has no keys
    """
    if how == "auto":
        quiet = os.environ.get("CI") or (stream is not None and sys.stdout.isatty())
        how = "live" if sys.stderr.isatty() and not quiet else "plain"

    def told_by(teller: Teller) -> Teller:
        return Stream(plan, store, stream, teller) if stream else teller

    if how == "none":
        yield told_by(Silent(note))
    elif how == "plain":
        yield told_by(Plain(Board(plan, store.results()), note))
    else:
        with live(plan, store, str(store.folder), HINT, control) as painter:
            yield told_by(painter)
