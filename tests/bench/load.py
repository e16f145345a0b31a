"""Do players keep their time on a busy machine? Hogs compute beside matches of players that need 20 ms an answer.

    python tests/bench/load.py [HOGS] [MOVE_MS] [MATCHES]      8, 100 and 20 unless said

It prints what the answers took on the wall, what they were charged, and how many were called late.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
THINKS = f"{sys.executable} -S {ROOT}/tests/players/thinks.py"


class Measured(NamedTuple):
    """What came of it: counts, and sorted times of the answers in ms."""

    hogs: int
    move_ms: int
    matches: int
    timeouts: int
    answers: int
    walls: Sequence[float]
    charges: Sequence[float]

    def sentence(self) -> str:
        wall, charge = (
            f"p50 {times[len(times) // 2]:.0f} p99 {times[len(times) * 99 // 100]:.0f} max {times[-1]:.0f}"
            for times in (self.walls, self.charges)
        )
        beyond = sum(ms > self.move_ms + 50 for ms in self.walls)
        return (
            f"{self.hogs} hogs, limit {self.move_ms} ms, {self.matches} matches, {self.answers} answers of 20 ms:"
            f" wall {wall} ms, {beyond} of them beyond limit and grace; charge {charge} ms; {self.timeouts} timeouts"
        )


@contextmanager
def hogs(count: int) -> Iterator[None]:
    """Have so many processes compute meanwhile."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def measure(hogs: int, move_ms: int, matches: int) -> Measured:
    """Play a tournament of two players beside so many hogs; `matches` is even."""
    with tempfile.TemporaryDirectory() as folder, globals()["hogs"](hogs):
        words = ["--game", "scat", "--set", "hand_cap=1", "--set", "turn_cap=20", "--blocks", str(matches // 2)]
        words += ["--move-time", str(move_ms), "--start-time", "60000", "--out", f"{folder}/run", "--progress", "none"]
        run = [sys.executable, "-m", "referee"]
        subprocess.run(
            [*run, "tournament", f"a={THINKS}", f"b={THINKS}", *words], cwd=ROOT, check=True, capture_output=True
        )
        export = [*run, "export", f"{folder}/run", "--timings"]
        lines = subprocess.run(export, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    timings = [timing for row in rows for timing in row["timings"]]
    timeouts = sum(fault["code"] == "timeout" for row in rows for fault in row["faults"])
    walls, charges = sorted(wall for _, wall, *_ in timings), sorted(timing[4] for timing in timings)
    return Measured(hogs, move_ms, len(rows), timeouts, len(timings), walls, charges)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    print(measure(*(given + [8, 100, 20][len(given) :])).sentence())
