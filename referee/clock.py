"""What an answer costs its player, and whether time itself could be trusted while it was measured.

Theory of operation. A player pays for its own time, not for time that it or the referee waited for a CPU:

    charge = min(wall, max(cpu, wall - wait))

`cpu` is the CPU time of all the player's threads and of every program that it has started: who computes in helpers
does not hide it. `wait` is time that the player's process and the referee's thread were ready to run and did not; the
kernel counts it, nobody can claim it. Sleeping is neither, so it is charged in full.

A player's helpers are looked for only when waiting was seen, or when it is known to have some: one that has none costs
nothing more. What they did before they were first seen counts against them, never for them. A player adopts its own
orphans (see confine), so a helper whose parents have died is found as well. Where that is not so, on systems other than
Linux, such a helper can stretch a request up to the hard cap.

The arithmetic is pure functions; `Meter` reads the kernel's clocks; `Vigil` notes when the machine was suspended, or
the referee was not run, so that a match's times mean nothing.

Sources: clock_getcpuclockid(3); the second field of /proc/PID/schedstat is documented in the kernel's sched-stats.rst.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import Final

HARD_FACTOR: Final = 5  # an answer takes at most 5 limits + 1 s of wall time, however busy the machine is
HARD_EXTRA_MS: Final = 1000.0
LEAST_MS: Final = 1.0  # waiting below this changes no verdict, and the shortest time that a deadline is put off by
SETTLE_MS: Final = 5.0  # how long to wait until the kernel has counted a wait that is still going on
HELPERS_MOST: Final = 256  # programs of one player that are looked at
SUSPENDED_S: Final = 0.5  # a machine that was suspended for longer makes a match's times void
LATE_S: Final = 1.0  # and so does a referee that was not run for longer, with nothing to do but to wait


# -- arithmetic, in milliseconds ----------------------------------------------------------------------------------


def charge(wall: float, cpu: float, wait: float) -> float:
    """Return what an answer costs that took `wall`, computed for `cpu` and was proven to wait for `wait`."""
    return min(wall, max(cpu, wall - wait))


def time_left(wall: float, charged: float, limit: float, settled: bool = True) -> float:
    """Return how long a player may still take after `wall`; 0 or less: it is late.

    charged -- the charge so far
    limit   -- the most that the answer may be charged
    settled -- False while the player stands in the queue for a CPU: the kernel counts that wait when it is over
    """
    hard = HARD_FACTOR * limit + HARD_EXTRA_MS - wall
    if charged < limit:
        return min(max(limit - charged, LEAST_MS), hard)
    return 0.0 if settled else min(SETTLE_MS, hard)


# -- the kernel's clocks ------------------------------------------------------------------------------------------


class _Part:
    """The clocks of one process: nanoseconds of CPU time and of waiting, from a start on."""

    def __init__(self, pid: int, fresh: bool) -> None:
        # The number is how Linux spells "CPU time of all threads of this process".
        self._clock = ((~pid) << 3) | 2 if sys.platform.startswith("linux") else None
        self._file = open_schedstat(str(pid))
        cpu, wait = self.now() or (0, 0)
        self.start = (0 if fresh else cpu, wait)
        self.last = (cpu, wait)

    def now(self) -> tuple[int, int] | None:
        """Return (cpu, wait), or None when the process is gone."""
        try:
            cpu = 0 if self._clock is None else time.clock_gettime_ns(self._clock)
            wait = int(os.pread(self._file, 64, 0).split()[1]) if self._file >= 0 else 0
        except (OSError, IndexError):
            return None
        self.last = cpu, wait
        return self.last

    def begin(self) -> bool:
        """Count from now on; return whether the process is there."""
        found = self.now()
        self.start = found or self.last
        return found is not None

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Meter:
    """The CPU time of a player, and the time that it and this thread have waited for a CPU, from `start` on.

    pid -- the player's process; None when it is none of ours
    own -- descriptor of this thread's schedstat; -1 where there is none. Without it, waiting counts as 0
    """

    def __init__(self, pid: int | None, own: int) -> None:
        self._pid = pid
        self._main = None if pid is None else _Part(pid, fresh=False)
        self._helpers: dict[int, _Part] = {}
        self._buried = (0.0, 0.0)  # CPU ms of helpers that have died: at the start, and when last looked at
        self._own = own
        self._own_start = 0
        self._seen_cpu = -1  # when it was last looked whether the player is queueing

    def start(self) -> None:
        if self._main is not None:
            self._main.begin()
            self._seen_cpu = -1
            if self._helpers:
                for pid, part in list(self._helpers.items()):
                    if not part.begin():
                        part.close()
                        del self._helpers[pid]
                buried = _buried_cpu(self._pid)
                self._buried = (buried, buried)
        self._own_start = self._own_wait()

    def read(self) -> tuple[float, float]:
        """Return milliseconds (cpu, wait) since the start; zeros once the process is reaped."""
        if self._main is None:
            return 0.0, (self._own_wait() - self._own_start) / 1e6
        if self._main.now() is None:
            return 0.0, 0.0
        wait = self._main.last[1] - self._main.start[1]
        if self._helpers or wait > LEAST_MS * 1e6:
            self.find_helpers()
            wait = max([wait, *(part.last[1] - part.start[1] for part in self._helpers.values())])
        cpu = self._main.last[0] - self._main.start[0]
        cpu += sum(part.last[0] - part.start[0] for part in self._helpers.values())
        return cpu / 1e6 + self._buried[1] - self._buried[0], (wait + self._own_wait() - self._own_start) / 1e6

    def find_helpers(self) -> None:
        """Look for programs that the player has started; count their CPU time from now on, and all that they had."""
        if self._main is None or self._pid is None:
            return
        found = descendants(self._pid)
        for pid in found - self._helpers.keys():
            self._helpers[pid] = _Part(pid, fresh=True)
        for part in self._helpers.values():
            if part.now() is None:
                part.last = part.start  # reaped: its time is among that of the buried
        if self._helpers:
            self._buried = (self._buried[0], _buried_cpu(self._pid))

    def settled(self) -> bool:
        """Return False while the player queues for a CPU and has not run since this was asked last."""
        if self._main is None or self._pid is None or _state(self._pid) != "R":
            return True
        before, self._seen_cpu = self._seen_cpu, self._main.last[0]
        return before not in (-1, self._seen_cpu)

    def cpu_ms(self) -> float:
        """Return all the CPU time that the player has used in its life, as far as it is known."""
        if self._main is None:
            return 0.0
        parts = (self._main, *self._helpers.values())
        return sum((part.now() or part.last)[0] for part in parts) / 1e6

    def close(self) -> None:
        for part in (self._main, *self._helpers.values()):
            if part is not None:
                part.close()
        self._main = None
        self._helpers.clear()

    def _own_wait(self) -> int:
        return int(os.pread(self._own, 64, 0).split()[1]) if self._own >= 0 else 0


def open_schedstat(pid: str) -> int:
    """Return a descriptor of /proc/PID/schedstat, or of thread-self's; -1 where there is none."""
    try:
        return os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def descendants(pid: int) -> set[int]:
    """Return the pids of what a process has started and what that has started, as far as parents live; at most
    HELPERS_MOST. Empty where the kernel does not list children."""
    found: set[int] = set()
    ahead = [pid]
    while ahead and len(found) < HELPERS_MOST:
        parent = ahead.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{task}/children", "rb") as file:
                    children = set(map(int, file.read().split()[: HELPERS_MOST - len(found)])) - found
                    found |= children
                    ahead += children
    return found


def _buried_cpu(pid: int | None) -> float:
    """Return the CPU ms of a process's children that it has reaped; the kernel counts them in ticks of 10 ms."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return (int(fields[13]) + int(fields[14])) * 1000 / os.sysconf("SC_CLK_TCK")
    return 0.0


def _state(pid: int) -> str:
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
        return chr(file.read().rpartition(b")")[2].split()[0][0])
    return "?"


# -- the machine's time -------------------------------------------------------------------------------------------


def _since_boot() -> float:
    """Return seconds since the machine was booted, those in suspension included; where that is unknown, without."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Vigil:
    """Whether the times of a match mean anything. `begin` before it, `late_by` on every wait, `trouble` after it.

    monotonic, since_boot -- clocks, in seconds; the second also runs while the machine is suspended
    """

    def __init__(
        self, monotonic: Callable[[], float] = time.monotonic, since_boot: Callable[[], float] = _since_boot
    ) -> None:
        self._monotonic = monotonic
        self._since_boot = since_boot
        self._latest = 0.0
        self._suspended = since_boot() - monotonic()

    def begin(self) -> None:
        self._latest = 0.0
        self._suspended = self._since_boot() - self._monotonic()

    def late_by(self, seconds: float) -> None:
        """Note that a wait ended so much later than it should have."""
        self._latest = max(self._latest, seconds)

    def trouble(self) -> str:
        """Return a sentence on what spoiled the times since `begin`, or ""."""
        suspended = self._since_boot() - self._monotonic() - self._suspended
        if suspended > SUSPENDED_S:
            return f"the machine was suspended for {suspended:.1f} s during the match"
        if self._latest > LATE_S:
            return f"the referee stood still for {self._latest:.1f} s during the match, so no time in it can be trusted"
        return ""
