"""A conversation with the player under test that keeps everything that was said, for evidence.

A `Talk` starts the player's program as often as it takes, one process at a time, on a table of its own. It is a player
in the sense of `worker.drive`, so whole matches are played exactly as in a tournament.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from referee import confine
from referee.check.positions import NAMES, Position, seed_of
from referee.games._base import AnyGame
from referee.match import Answer, Limits, greeting_of_match
from referee.process import Command, Meter, Process, Table, Trace
from referee.wire import Fault, safe

KEPT: Final = 2000  # lines of a conversation that are kept
LEAVE_S: Final = 0.5  # how long a player may take to exit, by protocol.md
STAY_S: Final = 1.0  # how long it is watched when it does not
LATE_S: Final = 0.7  # how long the answer of a player whose input was closed is waited for


class Line(NamedTuple):
    """A line of the conversation.

    number -- among the lines sent to this process, from 1; of what came back, that of the line sent before
    way    -- ">" sent, "<" came back
    """

    number: int
    way: str
    data: bytes


class Asked(NamedTuple):
    """A request that was made, and what it came to.

    where -- which probe's position or match it belongs to, for a person
    legal -- makes the legal list
    """

    where: str
    words: str
    legal: Callable[[], str]
    outcome: Answer | Fault


class Leaving(NamedTuple):
    """How a player left.

    ms   -- from being told to its exit; None when it was still there after STAY_S
    code -- its exit code, or minus the signal that ended it; None when it stayed, or where that cannot be seen
    left -- what still ran STAY_S later of this process and of what it had started, each as "PID COMMAND"
    """

    ms: float | None
    code: int | None
    left: tuple[str, ...]


class Talk:
    """The player's processes, one after another, and what they said. A context manager: nothing survives it.

    lines    -- the latest lines of the present process
    asked    -- every request of this talk, in order
    start_ms -- how long each process took from its start to its `ready`
    matches  -- matches that the present process has heard of
    comments -- the most comment lines that came for one request
    crs      -- whether a line ended with CR LF
    stderr   -- the most bytes that a process wrote to standard error; at 64 KiB the count ends
    """

    def __init__(
        self,
        command: Command,
        name: str,
        limits: Limits,
        trace: Trace | None = None,
        sandbox: confine.Sandbox = confine.NO_SANDBOX,
        told: Callable[[str], object] = lambda where: None,
    ) -> None:
        self.command = command
        self.name = name
        self.limits = limits
        self._where, self._told = "", told
        self.lines: deque[Line] = deque(maxlen=KEPT)
        self.asked: list[Asked] = []
        self.start_ms: list[float] = []
        self.matches = 0
        self.comments = 0
        self.crs = False
        self.stderr = 0
        self._trace = trace
        self._table = Table(trace=self._note, sandbox=sandbox)
        self._process: Process | None = None
        self._sent = 0
        self._comments = 0
        self._came: deque[bytes] = deque(maxlen=100)  # what came back since somebody began to wait for it
        self._strangers: set[int] = set()

    def __enter__(self) -> Talk:
        self._strangers = _children()
        self._table.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._count_stderr()
        self._table.__exit__(kind, error, where)

    @property
    def where(self) -> str:
        """What is asked now, such as "position 3 of scat"; whoever waits for the check is told."""
        return self._where

    @where.setter
    def where(self, where: str) -> None:
        self._where = where
        self._told(where)

    @property
    def process(self) -> Process:
        """The present process."""
        assert self._process is not None, "the player was not started"
        return self._process

    # -- the life of a process ------------------------------------------------------------------------------------

    def start(self, games: Sequence[str]) -> Fault | None:
        """Start the program anew and greet it; return the fault when that fails. Raises CannotStart."""
        self.stop()
        self._strangers |= _children()  # what was left behind by one that was killed is no fault of the next
        self.lines.clear()
        self._sent = self.matches = 0
        start = time.monotonic()
        self._process = self._table.start(self.command, self.name)
        outcome = self._process.greet(games, self.limits.start_ms)
        if isinstance(outcome, Fault):
            return outcome
        self.start_ms.append((time.monotonic() - start) * 1000)
        return None

    def usable(self) -> bool:
        """Return whether there is a process to be asked."""
        return self._process is not None and not self._process.closed and self._process.alive()

    def vanished(self) -> bool:
        """Return whether the present process has ended by itself, without a fault that would have said so."""
        return self._process is not None and not self._process.closed and not self._process.alive()

    def stop(self) -> None:
        """Kill the present process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._count_stderr()

    def leave(self, how: str) -> Leaving:
        """Have the present process leave, and watch it go.

        how -- "bye", "end of input" or "SIGTERM"
        """
        process, start = self.process, time.monotonic()
        if how == "bye":
            process.say_bye()
        elif how == "SIGTERM":
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        else:
            self._end_input()
        while process.alive() and time.monotonic() - start < STAY_S:
            self._table.serve(20)
        took = (time.monotonic() - start) * 1000
        gone = not process.alive()
        code = _exit_code(process.pid) if gone else None
        while (left := self._left(process.pid)) and time.monotonic() - start < STAY_S:
            self._table.serve(0)
            time.sleep(0.02)
        self.stop()
        return Leaving(took if gone else None, code, left)

    def late_output(self) -> bytes:
        """Close the input of a process that has not answered; return what it then writes, and kill it."""
        self._came.clear()
        self._end_input()
        end = time.monotonic() + LATE_S
        while self.process.alive() and time.monotonic() < end:
            self._table.serve(20)
        while self._table.serve(0):
            pass
        self.stop()
        return b"\n".join(self._came)

    # -- what is said ---------------------------------------------------------------------------------------------

    @property
    def id(self) -> int | None:
        """The id of the latest request, None before the first."""
        return self.process.id

    def tell(self, line: str) -> None:
        """Let the player hear a line, as it chose."""
        self.process.tell(line)

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | Fault:
        """Send a request and return the answer, or the fault that came instead."""
        self._comments = 0
        outcome = self.process.ask(words, legal, ms, grace_ms)
        self.asked.append(Asked(self.where, words, legal, outcome))
        return outcome

    def dismiss(self, line: str) -> None:
        """Tell the player that it is out, and end it."""
        self.process.dismiss(line)

    def new_match(self) -> str:
        """Return an id for one more match of the present process."""
        self.matches += 1
        return f"m{self.matches - 1}"

    def open(self, game: AnyGame, seats: int, seat: int, heard: Sequence[str] = (), keys: str = "") -> None:
        """Open a match of this game and tell what has happened in it so far.

        keys -- words to be added to each line
        """
        identity = self.new_match()
        names = (*NAMES[:seat], self.name, *NAMES[seat : seats - 1])
        rng = seed_of(f"{game.name} {seats} {seat}").hex()[:16]
        for line in (*greeting_of_match(game, names, seat, identity, rng, self.limits, "seed"), *heard):
            self.tell(line + keys)

    def pose(
        self, position: Position, *, history: bool = True, before: Sequence[str] = (), keys: str = ""
    ) -> Answer | Fault:
        """Open a match, ask for one decision in it, and break the match off.

        history -- whether the player hears what has happened before
        before  -- lines to be sent just before the request
        keys    -- words to be added to every line
        """
        self.open(position.game, position.seats, position.seat, position.heard if history else (), keys)
        for line in before:
            self.tell(line)
        outcome = self.request(position, keys)
        if not isinstance(outcome, Fault):
            self.tell("void text=this was a single question")
        return outcome

    def request(self, position: Position, keys: str = "") -> Answer | Fault:
        """Ask for the decision of a position in the match that is open."""
        ms = self.limits.move_ms
        view = " ".join(f"{key}={value}" for key, value in position.view.items())
        words = f"ms={'-' if ms is None else ms} {view}{keys}"
        return self.ask(words, lambda: ",".join(position.legal), ms, self.limits.grace_ms)

    def listen(self, ms: float) -> list[bytes]:
        """Send what is waiting, and return the lines that come unasked within so long, comments left out."""
        self._came.clear()
        self._comments = 0
        self.process.flush()
        self._table.listen(self.process)
        end = time.monotonic() + ms / 1000
        while self.process.alive() and (left := end - time.monotonic()) > 0:
            self._table.serve(left * 1000)
        return [data for data in self._came if not data.startswith(b"#")]

    def unasked(self) -> Fault | None:
        """Return what the process has done wrong since it answered, as far as it was seen; the next request tells."""
        outcome = self.process._outcome
        return outcome if isinstance(outcome, Fault) else None

    def busy(self, ms: float) -> float:
        """Return which part of a CPU the process used, or would have used, while it was left alone for so long."""
        meter = Meter(self.process.pid, -1)
        meter.start()
        waited = _waited_ms(self.process.pid)
        self.listen(ms)
        cpu, _ = meter.read()
        meter.close()
        return (cpu + _waited_ms(self.process.pid) - waited) / ms

    def memory(self) -> int | None:
        """Return how many bytes of memory the process has; None where that cannot be seen."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = Path(f"/proc/{self.process.pid}/statm").read_bytes().split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return None

    # -- evidence -------------------------------------------------------------------------------------------------

    def said(self) -> list[Line]:
        """Return what came since the latest request was sent; when there was none, since the start."""
        lines = list(self.lines)
        last = max((n for n, line in enumerate(lines) if line.way == ">" and line.data.startswith(b"act ")), default=-1)
        return [line for line in lines[last + 1 :] if line.way == "<"]

    def stderr_lines(self) -> tuple[str, ...]:
        """Return the first five lines that the process wrote to standard error, and the last three."""
        lines = [safe(line) for line in self.process.stderr_head[:20_000].split(b"\n") if line.strip()]
        return tuple(lines if len(lines) <= 8 else [*lines[:5], "...", *lines[-3:]])

    # -- inside ---------------------------------------------------------------------------------------------------

    def _note(self, name: str, way: str, data: bytes) -> None:
        if self._trace:
            self._trace(name, way, data)
        if way == ">":
            self._sent += 1
        else:
            self._came.append(data)
            self.crs = self.crs or data.endswith(b"\r")
            if data.startswith(b"#"):
                self._comments += 1
                self.comments = max(self.comments, self._comments)
        self.lines.append(Line(self._sent, way, data))

    def _end_input(self) -> None:
        process = self.process
        if process._stdin >= 0:
            self._table.unwatch(process._stdin)
            os.close(process._stdin)
            process._stdin = -1

    def _count_stderr(self) -> None:
        if self._process is not None:
            self.stderr = max(self.stderr, len(self._process.stderr_head))

    def _left(self, pid: int) -> tuple[str, ...]:
        """Return what lives of the player: its process, and the orphans that this process has inherited from it."""
        found = _children() - self._strangers
        alive = [child for child in sorted(found, reverse=True) if self._lives(child, pid)]
        return tuple(f"{child} {_command_of(child)}" for child in reversed(alive))

    def _lives(self, child: int, pid: int) -> bool:
        """Return whether a child has not died; an orphan that has is buried."""
        with contextlib.suppress(OSError, IndexError):
            if Path(f"/proc/{child}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX":
                return True
        if child != pid:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        return False


def _waited_ms(pid: int) -> float:
    """Return how long the main thread of a process has waited for a CPU, in milliseconds."""
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e6
    return 0.0


def _exit_code(pid: int) -> int | None:
    """Return the exit code of a dead child, or minus the signal that ended it, and leave it to be reaped."""
    if not hasattr(os, "waitid"):
        return None
    try:
        result = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    if result is None:
        return None
    return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status


def _children() -> set[int]:
    """Return the pids of this process's children, the dead ones too; empty where it cannot be told.

    The kernel's own list is taken, as looking through /proc takes longer than some processes live that fork on and on.
    """
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found.update(map(int, (task / "children").read_bytes().split()))
    return found


def _command_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return safe(b" ".join(words)[:120]) or "?"
    return "?"
