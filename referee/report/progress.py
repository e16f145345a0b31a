"""How a run tells how far it is, on standard error: a live bar at a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.store import Row, Store
from referee.tournament import Plan, Watcher

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_EVERY = 30.0  # seconds between plain lines, unless 5 % took longer


class _Count:
    """What both ways of telling count."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.total = plan.size().matches
        self.done = self.begun = store.count()
        self.faults = 0
        self.started = time.monotonic()

    def take(self, rows: Sequence[Row]) -> None:
        self.done += len(rows)
        self.faults += sum(len(row.result["faults"]) for row in rows)

    def rate(self) -> float:
        return (self.done - self.begun) / max(1e-3, time.monotonic() - self.started)

    def left(self) -> float:
        return (self.total - self.done) / max(1e-3, self.rate())


class Plain:
    """Whole lines, ASCII, on a clock: at 5 % marks or every half minute, whichever is later."""

    def __init__(self, plan: Plan, store: Store, note: Callable[[str], None]) -> None:
        self.note = note
        self.count = _Count(plan, store)
        self.told_at = time.monotonic()
        self.told = self.count.done

    def committed(self, rows: Sequence[Row]) -> None:
        count = self.count
        count.take(rows)
        now = time.monotonic()
        if count.done == count.total or (
            now - self.told_at >= PLAIN_EVERY and count.done - self.told >= count.total / 20
        ):
            self.told_at, self.told = now, count.done
            self.note(
                f"{count.done}/{count.total} matches {100 * count.done // max(1, count.total)}%"
                f" {count.rate():.1f}/s left {count.left():.0f}s faults {count.faults}"
            )


class Silent:
    """Notes only."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note

    def committed(self, rows: Sequence[Row]) -> None:
        pass


class Live:
    """A bar with the time left, repainted at most four times a second."""

    def __init__(self, plan: Plan, store: Store, bar: Progress, task: TaskID) -> None:
        self.count = _Count(plan, store)
        self.bar = bar
        self.task = task
        bar.update(task, total=self.count.total, completed=self.count.done)

    def committed(self, rows: Sequence[Row]) -> None:
        self.count.take(rows)
        self.bar.update(self.task, completed=self.count.done, faults=self.count.faults)

    def note(self, sentence: str) -> None:
        self.bar.console.print(sentence, markup=False, highlight=False)


@contextmanager
def watcher(how: str, plan: Plan, store: Store, note: Callable[[str], None]) -> Iterator[Watcher]:
    """Yield who is told of a run's progress.

    how  -- auto, live, plain or none
    note -- writes a line to standard error
    """
    if how == "auto":
        how = "live" if sys.stderr.isatty() and not os.environ.get("CI") else "plain"
    if how == "none":
        yield Silent(note)
    elif how == "plain":
        yield Plain(plan, store, note)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            MofNCompleteColumn(),
            TextColumn("matches"),
            BarColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("faults {task.fields[faults]}"),
        )
        with Progress(*columns, console=Console(stderr=True), refresh_per_second=4) as bar:
            yield Live(plan, store, bar, bar.add_task("matches", faults=0))
