"""How a run tells how far it is: a live table at a terminal, plain lines elsewhere, and a stream for programs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from referee.compare import question_of
from referee.report.keys import Control
from referee.report.live import Board, live
from referee.report.tables import EXPORT_VERSION, half_width, signed
from referee.store import Row, Store
from referee.tournament import Plan, Watcher

PLAIN_EVERY = 30.0  # seconds between plain lines, unless 5 % took longer
PLAIN_LATEST = 60.0  # seconds after which there is a line although 5 % are not done, if anything has come
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
    """Whole lines, ASCII, on a clock: at exact 5 % marks or every half minute, whichever is later; or after a minute.

    Of a comparison the total is a limit that it seldom reaches: its lines have no share of it, but how it stands.
    """

    def __init__(self, board: Board, note: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(note)
        self.board, self.clock = board, clock
        self.started = self.told_at = clock()
        self.told_mark, self.told_done = self._mark(), board.done
        self.status_now = ""
        self.cap = question_of(board.plan) is not None

    def status(self, sentence: str) -> None:
        self.status_now = sentence

    def committed(self, rows: Sequence[Row]) -> None:
        self.board.take(rows)
        self.tick()

    def tick(self) -> None:
        """Say a line when it is time for one; none when nothing has come since the last."""
        board, now, mark = self.board, self.clock(), self._mark()
        if board.done == self.told_done:
            return
        since = now - self.told_at
        due = since >= PLAIN_LATEST or (since >= PLAIN_EVERY and mark > self.told_mark)
        if due or board.done == board.total:
            self.told_at, self.told_mark, self.told_done = now, mark, board.done
            self.note(self._line(now))

    def _mark(self) -> int:
        """Return how many twentieths of the run are done."""
        return 20 * self.board.done // max(1, self.board.total)

    def _line(self, now: float) -> str:
        board = self.board
        rate = (board.done - board.begun) / max(1e-3, now - self.started)
        left = (board.total - board.done) / max(1e-3, rate)
        if self.cap:
            line = f"{board.done} of at most {board.total} matches {rate:.1f}/s faults {board.faults}"
        else:
            line = (
                f"{board.done}/{board.total} matches {100 * board.done // max(1, board.total)}%"
                f" {rate:.1f}/s left {left:.0f}s faults {board.faults}"
            )
        if self.status_now or self.cap:
            return f"{line}\n{_shortened(self.status_now) or 'Nothing is judged yet.'}"
        for rated in board.ratings():
            best = rated.standings[0]
            if best.ranks is None:
                continue
            where = f" {rated.games[0]}" if len(board.plan.contests) > 1 else ""
            reach = "" if best.rating.high is None else f" +-{half_width(best.rating)}"
            line += f" lead{where} {board.names[best.player]} {signed(best.rating.mean)}{reach}"
        return line


def _shortened(status: str) -> str:
    """Return a sentence on a comparison up to its interval: after how many blocks it was is said elsewhere."""
    told, bracket, _ = status.partition("), ")
    return f"{told})." if bracket else told


class Stream:
    """A line of JSON for the start, each match and each fault, in the order in which they come; then as another tells.

    write -- writes a whole line and flushes it
    """

    def __init__(self, plan: Plan, store: Store, write: Callable[[str], None], other: Teller) -> None:
        self.plan, self.write, self.other = plan, write, other
        self.numbers = plan.numbers()
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
            number = self.numbers.of(row.task, row.block)
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
