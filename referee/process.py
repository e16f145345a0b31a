"""Players as processes: start (by `confine`), ask by a deadline, kill, reap. Workers and helpers, too.

Theory of operation. A `Table` belongs to one worker, which is small and single-threaded (what runs between fork and
exec, and the death signal of the players, need that). It has ONE poll object over everything that its players can do:

    stdout      only of the player that is asked; the others fill their pipes and wait
    stderr      of all; the first 64 KiB are kept, and the latest 4 KiB; after 4 MiB nobody reads on
    stdin       of those that have not yet taken what was written; of the player that is asked, that it has closed it
    pidfd       of all: a death is seen even while a grandchild holds the pipes open

A request has one absolute deadline on the monotonic clock, which covers writing it, too; no read starts a new one.
Nothing is read or written that could block, and a wake-up reads at most 64 KiB.

A player pays for its own time, not for time that it or the referee waited for a CPU; `clock` says how. Wall time runs
from the first byte written to the read that has the answer's LF. CPU and waiting time are read at the start of every
request (through descriptors kept open, 3 microseconds) and, unless the answer came within a millisecond, at its end: no
guess is needed of which request will turn out slow. When the deadline passes and the charge is below the limit, the
deadline moves on by what is left, up to 5 limits + 1 s.

A fault is returned, never raised. Whoever drives the match then calls `dismiss`, which sends one last line and kills
the player's process group; only a malformed answer leaves the conversation open, for tables with strikes. When the
table closes, whatever its players have started and left behind is found (all of it descends from this process) and
killed. What fails for want of the referee's own means (descriptors, memory, processes) is an OSError, no fault.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import math
import os
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Final, NamedTuple, TypeAlias

from referee import clock, confine
from referee.clock import Meter as Meter
from referee.clock import Vigil
from referee.crashes import last_words
from referee.match import LATE_MS, Answer
from referee.unstartable import why_not
from referee.wire import Channel, Fault, Move, Phase, Ready, quote

READ: Final = 65536  # bytes read at most per wake-up
STDERR_KEPT: Final = 65536  # bytes kept of the beginning of standard error
STDERR_TAIL: Final = 4096  # bytes kept of its end
STDERR_READ: Final = 4 * 1024 * 1024  # bytes after which a player's standard error is not read any more
UNREAD_MOST: Final = 1024 * 1024  # bytes that may wait for a player that hears events live
BYE_S: Final = 0.5  # how long a player may take to exit after `bye`
DEATH_S: Final = 0.05  # how long after a pipe was closed a player's death, or its answer, may take to be seen
KILL_S: Final = 2.0  # how long a killed process may take to be gone
BURY_MOST_S: Final = 60.0  # how long those may be hunted that fork as fast as they are killed
UNMEASURED_MS: Final = 1.0  # an answer within this is charged its wall time, without a look at CPU and waiting time
PROMPT_S: Final = 0.02  # an answer that comes sooner costs no look at whether the player has closed its input
TIDY_S: Final = 1.0  # how often orphans of players that have died are reaped
HEARD_KEPT: Final = 1024  # bytes kept of what a player wrote since the latest request, as evidence

Trace: TypeAlias = Callable[[str, str, bytes], None]

_LAST_LINE: Final = 160  # characters that a sentence quotes of a player's last words
_BLIND_MS: Final = 20.0  # where the system has no pidfds: how often a death is looked for
_OURS: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)  # want of the referee's own means


class Command(NamedTuple):
    """How to start a player.

    argv -- the program and its arguments; no shell reads them
    cwd  -- the folder that it starts in; a program given as a relative path is found from there
    env  -- variables beside those that every player gets
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = MappingProxyType({})


class CannotStart(Exception):
    """A player could not be started. Its text is a sentence that says why, and what would do."""


class WorkerDied(Exception):
    """A worker ended otherwise than by finishing its job. Its text is a sentence."""


# -- the table ----------------------------------------------------------------------------------------------------


class Table:
    """All the players of one worker and the one poll object that serves them.

    A context manager: when it is left, no process of any player is alive. It belongs to the main thread of a process:
    signals are set, and players die with the thread that started them. All children that the process gets while the
    table is open count as its players' and are reaped or killed with them.

    trace   -- called as trace(player's name, ">" or "<", line) for each line that is sent or read, without its LF; of
               what a player writes in pieces, for each piece
    sandbox -- what its players are kept from. Raises confine.SandboxMissing where that cannot be had
    vigil   -- is told when a wait ended later than it should have
    """

    def __init__(self, trace: Trace | None = None, sandbox: confine.Sandbox = confine.NO_SANDBOX) -> None:
        self.trace = trace
        self.vigil = Vigil()
        self.own_wait = clock.open_schedstat("thread-self")
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[int], object]] = {}
        self._processes: list[Process] = []
        self._listening: Seated | None = None
        self._confinement = confine.Confinement(sandbox)
        self._not_ours: set[int] = set()
        self._adopted_before = False
        self._tidied = 0.0  # monotonic seconds
        self._blind = False  # whether there is a process without a pidfd

    def __enter__(self) -> Table:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would have the system reap our children
        self._not_ours = _children()
        self._adopted_before = confine.adopts_orphans()
        confine.adopt_orphans(True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for process in list(self._processes):
            process.kill()
        self._sweep()
        confine.adopt_orphans(self._adopted_before)
        if self.own_wait >= 0:
            os.close(self.own_wait)
            self.own_wait = -1

    def start(self, command: Command, name: str) -> Process:
        """Start a player's program. Raises CannotStart."""
        environment = _environment(command)
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for writes in (True, False, False):
                reading, writing = os.pipe()  # both ends close on exec
                theirs.append(reading if writes else writing)
                ours.append(writing if writes else reading)
            started = self._confinement.start(command.argv, command.cwd, environment, *theirs)
        except confine.Obstacle as error:
            _close_all(ours)
            raise CannotStart(str(error)) from error
        except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
            said = _first_words(ours[2]) if isinstance(error, subprocess.SubprocessError) else b""
            _close_all(ours)
            if isinstance(error, OSError) and error.errno in _OURS:
                raise
            why = why_not(command.argv, command.cwd, environment, error)
            raise CannotStart(why + (f": {quote(said)}" if said else "") + self._confinement.hint(error)) from error
        finally:
            _close_all(theirs)
        process = Process(self, name, started, ours)
        self._processes.append(process)
        self._blind = self._blind or process.blind
        return process

    @property
    def isolation(self) -> str:
        """What keeps the players apart, in a sentence."""
        return self._confinement.layers.summary()

    def stdio(self, name: str = "stdio", stdin: int = 0, stdout: int = 1) -> Stdio:
        """Return the player that sits at the referee's own standard input and output."""
        return Stdio(self, name, stdin, stdout)

    def bye(self, processes: Iterable[Process] | None = None) -> None:
        """End these players, or all, in peace: `bye`, the end of their input, half a second, then the kill."""
        leaving = list(self._processes if processes is None else processes)
        told = [process for process in leaving if process.say_bye()]
        deadline = time.monotonic() + BYE_S
        while any(process.alive() for process in told) and (left := deadline - time.monotonic()) > 0:
            self.serve(left * 1000)
        for process in leaving:
            process.kill()

    # -- for the players ----------------------------------------------------------------------------------------

    def serve(self, timeout_ms: float) -> bool:
        """Wait until a player has done something, or for so long, and see to it. Returns whether one had."""
        if self._blind:
            timeout_ms = min(timeout_ms, _BLIND_MS)
        due = time.monotonic() + timeout_ms / 1000
        events = self._poll.poll(timeout_ms)
        if (late := time.monotonic() - due) > clock.LATE_S:
            self.vigil.late_by(late)
        for fd, event in events:
            if (handler := self._handlers.get(fd)) is not None:  # an earlier one may have closed it
                handler(event)
        if self._blind:
            for process in list(self._processes):
                process.on_death(0)
        return bool(events)

    def watch(self, fd: int, events: int, handler: Callable[[int], object]) -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, events)

    def unwatch(self, fd: int) -> None:
        if self._handlers.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def listen(self, player: Seated) -> None:
        """Read this player's standard output from now on, and no other's."""
        if self._listening is not player:
            if self._listening is not None:
                self.unwatch(self._listening.stdout)
            self.watch(player.stdout, select.POLLIN, player.on_stdout)
            self._listening = player

    def forget(self, player: Seated) -> None:
        if self._listening is player:
            self.unwatch(player.stdout)
            self._listening = None
        if isinstance(player, Process) and player in self._processes:
            self._processes.remove(player)

    def tidy(self, now: float) -> None:
        """Reap, every TIDY_S, the orphans that have died: a player may make as many as it likes in a long match."""
        if now - self._tidied >= TIDY_S:
            self._tidied = now
            for pid in _children() - self._not_ours - {process.pid for process in self._processes}:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _sweep(self) -> None:
        """Kill and reap all that the players have left behind: as a subreaper we are the parent of what is left."""
        _bury(lambda: _children() - self._not_ours)


# -- the players --------------------------------------------------------------------------------------------------


class Seated:
    """A player behind two descriptors: the conversation that `Process` and `Stdio` have in common.

    name   -- what the organiser calls it
    closed -- whether it is out: after a fault, or once it was dismissed
    stdout -- the descriptor that its answers are read from
    asked  -- the bytes of the latest request, and of what it was told with it
    heard  -- the first HEARD_KEPT bytes, or a few more, that it wrote since
    rests  -- whether it is stopped while nobody asks it; has no effect on one that hears events live
    """

    def __init__(self, table: Table, name: str, stdin: int, stdout: int, meter: Meter) -> None:
        self.name = name
        self.closed = False
        self.stdout = stdout
        self.asked = b""
        self.heard = b""
        self.rests = False
        self._table = table
        self._stdin = stdin  # the descriptor that is written to; -1 once it is closed
        self._meter = meter
        self._channel = Channel()
        self._pending = b""  # sent, and not taken by the pipe yet
        self._begun: dict[str, bytes] = {}  # for the trace: the line that is not ended yet, by its way
        self._outcome: Ready | Move | Fault | None = None
        self._read_at = 0.0  # monotonic seconds at which the outcome came
        self._given_up = math.inf  # monotonic seconds at which a player that has closed its input is out

    @property
    def id(self) -> int | None:
        """The id of the latest request, None before the first."""
        return None if self._channel.id < 0 else self._channel.id

    @property
    def ready(self) -> Ready:
        """The player's greeting; before it has come, that of a player without wishes."""
        return self._channel.ready

    def greet(self, games: Sequence[str], start_ms: float | None) -> Ready | Fault:
        """Greet the player and return what it is ready for.

        games    -- the games that this referee knows
        start_ms -- how long `ready` may take from now; None is no limit
        """
        self._meter.start()
        self.asked, self.heard = self._channel.greet(games), b""
        outcome, _ = self._converse(self.asked, start_ms, 0.0)
        assert not isinstance(outcome, Move), "a greeting was answered by a move"
        self._meter.find_helpers()  # such as the interpreter that a shell script has started
        return outcome

    def tell(self, line: str) -> None:
        """Let the player hear a line: at once if it said `events=live`, else with its next request."""
        if not self.closed:
            self._channel.tell(line)
            if self._channel.ready.live:
                self.flush()

    def flush(self) -> None:
        """Send what the player has been told; what its pipe does not take now is sent when there is room."""
        if not self.closed and (data := self._channel.take()):
            self._send(data)
            if len(self._pending) > UNREAD_MOST and self._outcome is None:
                self._outcome = Fault("blocked", f"it has left more than {UNREAD_MOST} bytes of its input unread")

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | Fault:
        """Ask the player for a move and return its answer, or the fault that came instead.

        words    -- everything of the `act` line between the id and `legal=`
        legal    -- makes the legal list; called before the clock starts, and only if the player wants the list
        ms       -- time for the answer; None is no clock
        grace_ms -- an overrun by this much is waited for; `charge_ms - ms` of the answer says how much it was
        """
        outcome = self._ask(words, legal, ms, grace_ms)
        if self.rests:
            self._rest()
        return outcome

    def _ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | Fault:
        channel = self._channel
        if channel.fault is not None:
            return channel.fault
        self._table.listen(self)
        if early := channel.receive(b"") or self._idle():
            assert type(early) is Fault, "an answer came of a player that was not asked"
            return self._fail(early)
        self.asked, self.heard = channel.ask(words, legal), b""
        self._wake()
        self._meter.start()
        outcome, start = self._converse(self.asked, ms, grace_ms)
        if type(outcome) is not Move:
            assert type(outcome) is Fault, "a request was answered by a greeting"
            return outcome
        wall = (self._read_at - start) * 1000
        if wall < UNMEASURED_MS:
            return Answer(outcome.action, outcome.remark, wall, 0.0, 0.0, wall)
        cpu, wait = self._meter.read()
        charge = clock.charge(wall, cpu, wait)
        if ms is not None and charge > ms + grace_ms:
            due = f"expected the answer to request {outcome.id} within {self._allowed(ms, grace_ms)}"
            return self._fail(Fault("timeout", f"{due}, got it after {charge:.0f} ms"))
        return Answer(outcome.action, outcome.remark, wall, cpu, wait, charge)

    def dismiss(self, line: str) -> None:
        """Send a last line, if it can be sent at once, and end the player."""
        self.closed = True
        if self._stdin >= 0 and not self._pending:
            # Most faults have closed the channel by now, and what else it was to be told went with it.
            data = self._channel.take() + line.encode("ascii", "replace") + b"\n"
            if self._table.trace:
                self._trace(">", data)
            with contextlib.suppress(OSError):
                self._write(data)

    def bye(self) -> None:
        """End the player in peace."""
        self.say_bye()

    def say_bye(self) -> bool:
        """Send `bye`, unless the player is out. Returns whether it was sent."""
        if self.closed or self._channel.phase is not Phase.IDLE:
            return False
        self._channel.tell("bye")
        self.flush()
        self._channel.close()
        self.closed = True
        return True

    # -- inside -------------------------------------------------------------------------------------------------

    def _rest(self) -> None:
        """Keep the player from computing until it is asked again, if that is in our power."""

    def _wake(self) -> None:
        """End its rest."""

    def _idle(self) -> Fault | None:
        """Return the fault that the player has committed unasked, after seeing to all that is there now."""
        while self._outcome is None and self._table.serve(0):
            pass
        outcome, self._outcome = self._outcome, None
        assert outcome is None or type(outcome) is Fault
        return outcome

    def _converse(self, data: bytes, ms: float | None, grace_ms: float) -> tuple[Ready | Move | Fault, float]:
        """Send `data`; return what the player answers, and when its clock started (monotonic seconds)."""
        table = self._table
        table.listen(self)
        start = time.monotonic()
        limit = math.inf if ms is None else (ms + grace_ms) / 1000
        deadline = start + limit
        self._given_up = math.inf
        watched = False
        self._send(data)
        while self._outcome is None:
            now = time.monotonic()
            table.tidy(now)
            if now >= self._given_up:
                self._outcome = self._ending("its standard input")
                break
            if now >= deadline:
                # What the player wrote in time is read before it is called late.
                if table.serve(0) and self._outcome is not None:
                    break
                if (left := self._left(now - start, limit)) <= 0:
                    self._outcome = self._late(now - start, ms or 0.0, grace_ms)
                    break
                deadline = now + left
            table.serve(min(deadline - now, self._given_up - now, TIDY_S if watched else PROMPT_S) * 1000)
            if not (watched or self._pending) and self._outcome is None:
                table.watch(self._stdin, 0, self._on_stdin)  # poll(2) tells POLLERR unasked
                watched = True
        outcome, self._outcome = self._outcome, None
        if watched and not self._pending:
            table.unwatch(self._stdin)
        return self._fail(outcome) if type(outcome) is Fault else outcome, start

    def _left(self, wall: float, limit: float) -> float:
        """Return the seconds that remain after `wall` to a player with a charge below its limit; else 0."""
        cpu, wait = self._meter.read()
        charge = clock.charge(wall * 1000, cpu, wait)
        settled = charge < limit * 1000 or self._meter.settled()
        return clock.time_left(wall * 1000, charge, limit * 1000, settled) / 1000

    def _fail(self, fault: Fault) -> Fault:
        """Return a fault, after ending the conversation unless it may go on."""
        if fault.code != "malformed" or self._channel.phase is not Phase.IDLE:
            self._channel.fail(fault)
            self.closed = True
        return fault

    def _late(self, wall: float, ms: float, grace_ms: float) -> Fault:
        """Return the fault of a player whose time is up, with what can be seen of the reason."""
        cpu, wait = self._meter.read()
        greeting = self._channel.phase is Phase.GREETING
        due = "'ready'" if greeting else f"an answer to request {self._channel.id}"
        text = f"expected {due} within {self._allowed(ms, grace_ms)}, got none in {wall * 1000:.0f} ms"
        if wait > 100:
            text += f" ({wait:.0f} ms of them spent waiting for a CPU)"
        text += f": {self._plight(cpu, wall * 1000)}"
        text += self._begun_line()
        if self._channel.comments:
            text += f"; comment lines came ({self._channel.comments}), and no answer"
        if self._pending:
            return Fault("blocked", f"{text}; {len(self._pending)} bytes did not fit into its full pipe")
        return Fault("handshake" if greeting else "timeout", text)

    def _allowed(self, ms: float, grace_ms: float) -> str:
        """Return how long an answer was waited for, with strikes left for longer than the grace (`match._Clock`)."""
        struck = min(ms, LATE_MS) if self._channel.strikes and self._channel.phase is not Phase.GREETING else 0.0
        more = [f"+{grace_ms - struck:g} ms of grace"] if grace_ms > struck else []
        more += [f"+{struck:g} ms that a strike buys"] if struck else []
        return f"{ms:g} ms ({', '.join(more)})" if more else f"{ms:g} ms"

    def _plight(self, cpu: float, wall: float) -> str:
        """Return a clause on what the player does instead of answering, after milliseconds of CPU and wall time."""
        return "nothing came"

    def _begun_line(self) -> str:
        """Return a clause on the line that the player has begun and not ended; empty when there is none."""
        if not (begun := self._channel.partial):
            return ""
        hint = "; only LF ends a line, not CR" if b"\r" in begun else ""
        return f"; it has written {quote(begun)} without a line end{hint}"

    def _ending(self, what: str) -> Fault:
        """Return the fault of a player that has closed one of its ends."""
        return self._channel.closed(what)

    def _trace(self, way: str, data: bytes) -> None:
        """Tell the trace of whole lines; what is begun waits for its end."""
        assert self._table.trace is not None
        *lines, self._begun[way] = (self._begun.get(way, b"") + data).split(b"\n")
        for line in lines:
            self._table.trace(self.name, way, line)

    def _send(self, data: bytes) -> None:
        """Write what the pipe takes now; the rest follows whenever the table is served."""
        if self._table.trace:
            self._trace(">", data)
        if self._pending:
            self._pending += data
            return
        self._pending = data
        self._on_stdin(0)
        if self._pending:
            self._table.watch(self._stdin, select.POLLOUT, self._on_stdin)

    def _on_stdin(self, event: int) -> None:
        """Write what is pending. Who has closed its input may have answered, or died, and then that is what counts."""
        if not self._pending:
            if event:
                self._table.unwatch(self._stdin)
                self._given_up = time.monotonic() + DEATH_S
            return
        try:
            written = self._write(self._pending)
        except BlockingIOError:
            return
        except OSError:  # nobody holds the reading end
            self._pending = b""
            if self._channel.phase in (Phase.ASKED, Phase.GREETING):
                self._settle(self._ending("its standard input"))
        else:
            self._pending = self._pending[written:]
        if not self._pending:
            self._table.unwatch(self._stdin)

    def _write(self, data: bytes) -> int:
        """Write without blocking; return how many bytes were taken. Raises OSError."""
        return os.write(self._stdin, data)

    def on_stdout(self, _event: int) -> bool:
        """Read once and judge what came. Returns whether something came."""
        try:
            data = os.read(self.stdout, READ)
        except BlockingIOError:
            return False
        except OSError:  # a terminal that was hung up
            data = b""
        if not data:
            self._table.unwatch(self.stdout)
            if self._channel.phase is not Phase.CLOSED:
                self._settle(self._ending("its standard output"))
            return False
        if self._table.trace:
            self._trace("<", data)
        if len(self.heard) < HEARD_KEPT:
            self.heard += data[:HEARD_KEPT]
        if (outcome := self._channel.receive(data)) is not None:
            self._settle(outcome)
        return True

    def _settle(self, outcome: Ready | Move | Fault) -> None:
        if self._outcome is None:
            self._read_at = time.monotonic()
            self._outcome = outcome


class Process(Seated):
    """A player that is a program of ours to start and to kill.

    pid         -- its process id, which is that of its group and session, too
    blind       -- whether its death has to be looked for, as the system has no pidfds
    stderr_head -- the first 64 KiB that it wrote to standard error
    stderr_tail -- the latest 4 KiB
    """

    def __init__(self, table: Table, name: str, started: confine.Started, pipes: Sequence[int]) -> None:
        super().__init__(table, name, pipes[0], pipes[1], Meter(started.inside, table.own_wait))
        child = started.child
        self.pid = child.pid
        self._started = started
        self.stderr_head = b""
        self.stderr_tail = b""
        self._child = child
        self._stderr = pipes[2]
        self._stderr_count = 0
        self._discarded = 0
        self._death: int | None = None  # once it has died, its exit code, or minus the signal that ended it
        self._released = False
        self._resting = False
        self._unsure = False  # whether it may as well have exited with the code that stands for that signal
        self._inner = _open_pidfd(started.inside) if started.boxed and not _is_init(started.inside) else -1
        self._pidfd = _open_pidfd(child.pid)
        self.blind = self._pidfd < 0
        for fd in pipes:
            os.set_blocking(fd, False)
        table.watch(self._stderr, select.POLLIN, self._on_stderr)
        if self._pidfd >= 0:
            table.watch(self._pidfd, select.POLLIN, self.on_death)

    def alive(self) -> bool:
        """Return whether the process runs. One that left between two matches may be started afresh."""
        if self._death is None and not self._released:
            self._death = _exit_code(self.pid, self._started.boxed)
            if self._started.boxed and self._death is not None and self._death < 0:
                known = _kept_exit_code(self._inner)
                self._death, self._unsure = (self._death, True) if known is None else (known, False)
        return self._death is None and not self._released

    def dismiss(self, line: str) -> None:
        if not self._released:
            super().dismiss(line)
            self.kill()

    def bye(self) -> None:
        self._table.bye([self])

    def greet(self, games: Sequence[str], start_ms: float | None) -> Ready | Fault:
        outcome = super().greet(games, start_ms)
        if self.rests:
            self._rest()
        return outcome

    def cpu_ms(self) -> float:
        """Return the CPU time that the player has used in its life."""
        return self._meter.cpu_ms()

    def say_bye(self) -> bool:
        self._wake()
        if not self.alive() or not super().say_bye():
            return False
        self._table.unwatch(self.stdout)
        self._table.watch(self.stdout, select.POLLIN, self._discard)
        if not self._pending:
            os.close(self._stdin)
            self._stdin = -1
        return True

    def kill(self) -> None:
        """Kill the process group, reap its leader, and close all; does nothing the second time."""
        self.closed = True
        if self._released:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._wait_for_death(KILL_S):
            self._read_last_words()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
        if self._started.group is not None:
            self._started.group.close()
        # One that does not die is stuck in the kernel; the sweep of the table tries once more.
        self._child.returncode = -signal.SIGKILL
        self._release()

    # -- inside -------------------------------------------------------------------------------------------------

    def _rest(self) -> None:
        if not self.closed and not self._resting and not self._channel.ready.live:
            self._resting = True
            self._signal_all(signal.SIGSTOP)

    def _wake(self) -> None:
        if self._resting:
            self._resting = False
            self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        """Send a signal to the player's group, and to those of its helpers that have left it."""
        if self._released:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)
        for pid in clock.descendants(self.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) != self.pid:
                    os.kill(pid, number)

    def _idle(self) -> Fault | None:
        fault = super()._idle() if self._death is None else None
        return fault if self._death is None else self._died()

    def _ending(self, what: str) -> Fault:
        return self._died() if self._wait_for_death(DEATH_S) else self._channel.closed(what)

    def on_death(self, _event: int) -> None:
        """Note the death. What the player wrote before it counts; what only a grandchild may still write does not."""
        if self.alive():
            return
        self._table.unwatch(self._pidfd)
        if self._channel.phase in (Phase.ASKED, Phase.GREETING):
            while self._outcome is None and self.on_stdout(0):
                pass
            self._settle(self._died())

    def _wait_for_death(self, seconds: float) -> bool:
        """Return whether the process is dead, after waiting for that at most so long."""
        deadline = time.monotonic() + seconds
        while self.alive():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._pidfd >= 0:
                poll = select.poll()
                poll.register(self._pidfd, select.POLLIN)
                poll.poll(left * 1000)
            else:
                time.sleep(min(left, 0.001))
        return True

    def _died(self) -> Fault:
        """Return the fault of a process that has died, with its last words."""
        assert self._death is not None
        self._read_last_words()
        code, moment = self._death, self._channel.moment
        if code >= 0:
            text = f"it exited with code {code}{_about_exit(code)} {moment}"
        else:
            how = f", or exited with code {128 - code}, which the sandbox tells alike," if self._unsure else ""
            text = f"it was ended by {_signal_name(-code)}{how} {moment}{_SIGNAL_HINTS.get(-code, '')}"
        text += self._begun_line()
        whole = self._stderr_count <= STDERR_KEPT
        line, is_last = last_words(self.stderr_head if whole else self.stderr_tail)
        if line:
            said = "its last line on standard error" if is_last else "it said on standard error"
            text += f"; {said}: {quote(line, _LAST_LINE)}"
        return self._channel.fail(Fault("exit" if code >= 0 else "signal", text))

    def _plight(self, cpu: float, wall: float) -> str:
        state, where = _process_state(self._started.inside)
        unread = _unread(self._stdin)
        used = f"{cpu:.0f} ms of CPU used"
        if state in "Tt":
            return f"it is stopped (state {state})"
        if cpu > wall / 2 or (state == "R" and cpu > wall / 10):
            return f"it is still computing ({used})"
        if unread:
            return f"it does not read: {unread} bytes of its input are unread ({used})"
        if "pipe_write" in where:
            full = " (of its standard error, 4 MiB were read, and no more)" if self._stderr_count >= STDERR_READ else ""
            return f"it writes to a pipe that is full{full}"
        if state == "D":
            what = "a disk, another device, or a program that it has started by vfork"
            if "vfork" in where or "clone" in where:
                what = "a program that it has started by vfork and that has not begun"
            return f"it is waiting for {what} ({used})"
        if "pipe_read" in where:
            return f"it is waiting for input ({used}): the answer was not flushed, or it expects more lines"
        if "nanosleep" in where:
            return f"it is asleep ({used})"
        if state == "R":
            return f"it runs, if little ({used})"
        if "do_wait" in where:
            return f"it is waiting for a program that it has started ({used})"
        return (
            f"it is waiting for something ({used}); if for input, the answer was not flushed, or it expects more lines"
        )

    def _discard(self, _event: int) -> None:
        """Read what comes after `bye`, up to a bound, so that a talkative player can exit."""
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(self.stdout, READ)
        self._discarded += len(data)
        if not data or self._discarded >= READ:
            self._table.unwatch(self.stdout)

    def _on_stderr(self, _event: int) -> bool:
        """Read once from standard error. Returns whether there may be more."""
        try:
            data = os.read(self._stderr, READ)
        except BlockingIOError:
            return False
        self._stderr_count += len(data)
        if len(self.stderr_head) < STDERR_KEPT:
            self.stderr_head += data[: STDERR_KEPT - len(self.stderr_head)]
        self.stderr_tail = (self.stderr_tail + data)[-STDERR_TAIL:]
        if data and self._stderr_count < STDERR_READ:
            return True
        self._table.unwatch(self._stderr)
        return False

    def _read_last_words(self) -> None:
        while self._stderr_count < STDERR_READ and self._on_stderr(0):
            pass

    def _release(self) -> None:
        self._released = True
        self._table.forget(self)
        self._meter.close()
        for fd in (self._stdin, self.stdout, self._stderr, self._pidfd, self._inner):
            if fd >= 0:
                self._table.unwatch(fd)
                os.close(fd)
        self._stdin = -1


class Stdio(Seated):
    """The player that sits at the referee's own standard input and output: nothing of ours to start or to kill.

    The descriptors belong to whoever started the referee, a shell perhaps, and so are not made non-blocking: a read
    follows a poll, and a write is no longer than what a pipe that polls writable is bound to take.
    """

    def __init__(self, table: Table, name: str = "stdio", stdin: int = 0, stdout: int = 1) -> None:
        super().__init__(table, name, stdout, stdin, Meter(None, table.own_wait))
        self._writable = select.poll()
        self._writable.register(stdout, select.POLLOUT)

    def dismiss(self, line: str) -> None:
        super().dismiss(line)
        self._table.forget(self)

    def bye(self) -> None:
        super().bye()
        self._table.forget(self)

    def _write(self, data: bytes) -> int:
        if not self._writable.poll(0):
            raise BlockingIOError
        return os.write(self._stdin, data[: select.PIPE_BUF])

    def _plight(self, cpu: float, wall: float) -> str:
        return "nothing came on the referee's standard input"


# -- what can be seen of a process --------------------------------------------------------------------------------

_SIGNAL_HINTS: Final[Mapping[int, str]] = MappingProxyType(
    {
        signal.SIGXFSZ: " (it wrote a file of more than 64 MiB)",
        signal.SIGKILL: " (not by the referee; perhaps the system was out of memory)",
        signal.SIGPIPE: " (it wrote to a pipe that nobody reads)",
    }
)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _about_exit(code: int) -> str:
    """Return what a shell means by an exit code above 125."""
    if code == 126:
        return " (as a shell says of a program that it may not run)"
    if code == 127:
        return " (as a shell says of a program that it cannot find)"
    if code > 128 and code - 128 in signal.valid_signals():
        return f" (as a shell says of {_signal_name(code - 128)})"
    return ""


def _open_pidfd(pid: int) -> int:
    """Return a descriptor that polls readable once a process has died; -1 where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux; an old kernel, or a container that forbids it
        return -1


_PIDFD_GET_INFO: Final = 3 << 30 | 64 << 16 | 0xFF << 8 | 11
_PIDFD_INFO_EXIT: Final = 8


def _kept_exit_code(pidfd: int) -> int | None:
    """Return the exit code of a process that somebody else has reaped, or minus the signal that ended it.

    None where that cannot be known: the kernel keeps it since Linux 6.15. Source: include/uapi/linux/pidfd.h.
    """
    info = bytearray(struct.pack("@Q", _PIDFD_INFO_EXIT).ljust(64, b"\0"))
    try:
        fcntl.ioctl(pidfd, _PIDFD_GET_INFO, info)
    except (OSError, ValueError):  # no such descriptor, or an old kernel
        return None
    known = struct.unpack_from("@Q", info)[0] & _PIDFD_INFO_EXIT
    return os.waitstatus_to_exitcode(struct.unpack_from("@i", info, 60)[0]) if known else None


def _is_init(pid: int) -> bool:
    """Return whether a process is the first of its namespace, such as the one of bubblewrap; so when it is gone."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/status", "rb") as file:
        return file.read().partition(b"\nNSpid:")[2].split(b"\n")[0].split()[-1] == b"1"
    return True


def _close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _first_words(pipe: int) -> bytes:
    """Return the last line that is in a pipe now."""
    os.set_blocking(pipe, False)
    with contextlib.suppress(OSError):
        return os.read(pipe, STDERR_TAIL).strip().rpartition(b"\n")[2]
    return b""


def _exit_code(pid: int, boxed: bool = False) -> int | None:
    """Return the exit code of a child, or minus the signal that ended it; None while it lives.

    boxed -- the child tells a signal that ended what it has started as a shell does, as 128 and its number
    The child is not reaped, so that its number, which is that of its group, stays taken; where it can be helped.
    """
    if hasattr(os, "waitid"):
        result = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if result is None:
            return None
        code = result.si_status if result.si_code == os.CLD_EXITED else -result.si_status
    else:
        reaped, status = os.waitpid(pid, os.WNOHANG)
        if not reaped:
            return None
        code = os.waitstatus_to_exitcode(status)
    return 128 - code if boxed and code - 128 in signal.valid_signals() else code


def _process_state(pid: int) -> tuple[str, str]:
    """Return the state letter of a process and the kernel function that it sleeps in; "?" and "" if unknown."""
    state, where = "?", ""
    with contextlib.suppress(OSError, IndexError):
        with open(f"/proc/{pid}/stat", "rb") as file:
            state = chr(file.read().rpartition(b")")[2].split()[0][0])
        with open(f"/proc/{pid}/wchan", "rb") as file:
            where = file.read().decode("ascii", "replace")
    return state, where


def _unread(fd: int) -> int:
    """Return how many bytes wait in a pipe, of which we hold the writing end."""
    if fd < 0:
        return 0
    try:
        return int(struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))[0])
    except OSError:
        return 0


def _children() -> set[int]:
    """Return the pids of this process's children, the dead and unreaped among them; empty where it cannot be told."""
    found: set[int] = set()
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                found.update(map(int, file.read().split()))
    except FileNotFoundError:  # a kernel without that file, or a thread that has just ended
        me = os.getpid()
        for entry in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{int(entry)}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == me:
                        found.add(int(entry))
    return found


def _bury(strays: Callable[[], set[int]]) -> None:
    """Kill and reap children until there are none of these left.

    After KILL_S those that have been there before are left: the kernel does not let go of them. While new ones come,
    somebody still forks, and that goes on until BURY_MOST_S: on a busy machine it is a race.
    """
    start = time.monotonic()
    before: set[int] = set()
    while found := strays():
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _reap(found)
        passed = time.monotonic() - start
        if (passed > KILL_S and found <= before) or passed > BURY_MOST_S:
            return
        before = found
        time.sleep(0.0005)


def _reap(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _environment(command: Command) -> dict[str, str]:
    """Return all the variables that a player gets; what else the referee's environment holds is not its business."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    if "HOME" in os.environ:
        environment["HOME"] = os.environ["HOME"]
    # Python players: what they print is not held back, they do not vary, they leave no files.
    environment.update(PYTHONUNBUFFERED="1", PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
    environment.update(command.env)
    return environment


# -- workers ------------------------------------------------------------------------------------------------------


class Orphanage:
    """What is left of players whose worker was killed, for a coordinator that starts no other programs meanwhile.

    The players die with their worker, but not what they have started themselves. While this context manager is open
    such processes come to this one, where they are killed: a worker that lives adopts its own, so any child that is
    neither a worker nor older than this is such an orphan.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: set[int] = set()
        self._adopted_before = False

    def __enter__(self) -> Orphanage:
        self._known = _children()
        self._adopted_before = confine.adopts_orphans()
        confine.adopt_orphans(True)
        return self

    def __exit__(self, *_: object) -> None:
        self.sweep()
        confine.adopt_orphans(self._adopted_before)

    def start(self, worker: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Start a worker; it is no orphan until `ended`."""
        with self._lock:
            started = worker()
            self._known.add(started.pid)
        return started

    def ended(self, worker: subprocess.Popen[bytes]) -> None:
        """Forget a worker that has been reaped; kill what it left behind if it could not do so itself."""
        with self._lock:
            self._known.discard(worker.pid)
        if worker.returncode != 0:
            self.sweep()

    def sweep(self) -> None:
        with self._lock:
            _bury(lambda: _children() - self._known)


def run_job(
    argv: Sequence[str],
    job: str,
    timeout: float,
    stop: threading.Event | None = None,
    orphanage: Orphanage | None = None,
) -> str:
    """Run a worker: give it `job` on standard input and return what it writes to standard output.

    timeout   -- seconds
    stop      -- when it is set by another thread, the worker is ended
    orphanage -- sees to what a worker that was killed leaves behind
    May be called from a thread, which the worker then does not outlive. Raises WorkerDied when the worker does not
    exit with code 0 in time; its players are dead then, too.
    """

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # ^C is for the coordinator, which lets its workers finish or ends them
            env={**os.environ, confine.PARENT: str(os.getpid())},
        )

    worker = start() if orphanage is None else orphanage.start(start)
    try:
        return _converse_with(worker, job, timeout, stop)
    finally:
        if orphanage is not None:
            orphanage.ended(worker)


def _converse_with(worker: subprocess.Popen[bytes], job: str, timeout: float, stop: threading.Event | None) -> str:
    deadline = time.monotonic() + timeout
    given: bytes | None = job.encode()
    try:
        while True:
            try:
                output, errors = worker.communicate(given, min(0.2, max(0.0, deadline - time.monotonic())))
                break
            except subprocess.TimeoutExpired:
                given = None
            if stop is not None and stop.is_set():
                raise WorkerDied("the worker was stopped")
            if time.monotonic() >= deadline:
                raise WorkerDied(f"the worker did not finish within {timeout:g} s")
    except BaseException:
        _end_worker(worker)
        raise
    if worker.returncode:
        how = f"exited with code {worker.returncode}"
        if worker.returncode < 0:
            how = f"was ended by {_signal_name(-worker.returncode)}"
        last = next((line for line in reversed(errors.splitlines()) if line.strip()), b"")
        raise WorkerDied(f"the worker {how}" + (f"; its last line on standard error: {quote(last)}" if last else ""))
    return output.decode()


def _end_worker(worker: subprocess.Popen[bytes]) -> None:
    """End a worker, in order if it can (it kills its players), else at once (their death signal does)."""
    worker.terminate()
    try:
        worker.communicate(timeout=2 * KILL_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            worker.communicate(timeout=KILL_S)


# -- helpers ------------------------------------------------------------------------------------------------------


class Finished(NamedTuple):
    """How a helper ended.

    code        -- its exit status, minus the signal that ended it, or None when its time was up
    output      -- the first bytes of its standard output and error, in the order in which they came
    unreachable -- paths that it missed for its sandbox alone; "" is one that it did not name
    """

    code: int | None
    output: bytes
    unreachable: tuple[str, ...] = ()


def run_command(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    limit: int,
    confinement: confine.Confinement | None = None,
) -> Finished:
    """Run a program that is no player, such as a compiler, and return how it ended.

    env         -- its whole environment
    timeout     -- seconds; then it and its process group are killed
    limit       -- bytes of output that are kept; the rest is read and dropped
    confinement -- what it goes through first. Raises confine.Obstacle and subprocess.SubprocessError, too, then
    Its standard input is empty. Raises OSError when it cannot be started.
    """
    deadline = time.monotonic() + timeout
    pipe, writing = os.pipe()
    empty = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if confinement is None:
            child = subprocess.Popen(
                list(argv), cwd=cwd, env=dict(env), stdin=empty, stdout=writing, stderr=writing, start_new_session=True
            )
            boxed, group = False, None
        else:
            child, _, boxed, group = confinement.start(argv, cwd, env, empty, writing, writing)
    except BaseException as error:
        said = _first_words(pipe) if isinstance(error, subprocess.SubprocessError) else b""
        os.close(pipe)
        if said:
            raise subprocess.SubprocessError(quote(said)) from error
        raise
    finally:
        _close_all((empty, writing))
    exited = os.pidfd_open(child.pid)
    os.set_blocking(pipe, False)
    output = bytearray()
    try:
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        poll.register(exited, select.POLLIN)
        # The exit ends the wait, never the end of the pipe: a grandchild may hold that open.
        over = False
        while not over and (left := deadline - time.monotonic()) > 0:
            ready = {fd for fd, _ in poll.poll(left * 1000 + 1)}
            over = exited in ready
            if pipe in ready and not _drain(pipe, output, limit):
                poll.unregister(pipe)
        return Finished(_exit_code(child.pid, boxed) if over else None, bytes(output))
    finally:
        os.close(exited)
        os.killpg(child.pid, signal.SIGKILL)  # not reaped yet, its number is its own
        child.wait()
        if group is not None:
            group.close()
        os.close(pipe)


def _drain(pipe: int, output: bytearray, limit: int) -> bool:
    """Read what is there, at most 1 MiB, so that the clock is served; return False at the end of the pipe."""
    for _ in range(16):
        try:
            data = os.read(pipe, 65536)
        except BlockingIOError:
            return True
        if not data:
            return False
        output += data[: limit - len(output)]
    return True
