"""What one request costs: `Process.ask` against the barest round trip of the same bytes that still has a deadline.

Both on one core, with the player of echo.c, which is built on the way:

    ./run python tests/bench/round_trip.py [REQUESTS]

Prints microseconds per round trip, the best and the median of several runs, and what `ask` adds.
"""

import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from referee.match import Answer
from referee.process import Command, Process, Table
from referee.wire import Channel

WORDS = "ms=1000 deal=0 turn=7 phase=draw hand=KS,TS,4H pile=7D stock=44 coins=3,3 knocker=- dealer=0"
LEGAL = "stock,pile,knock"
RUNS = 7


def build(folder: str) -> str:
    """Build echo.c and return the program's path."""
    compiler = shutil.which("cc") or sys.exit("round_trip: no C compiler `cc` was found")
    program = f"{folder}/echo"
    subprocess.run([compiler, "-O2", "-o", program, str(Path(__file__).with_name("echo.c"))], check=True)
    return program


def bare(program: str) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return the barest round trip of the bytes of a request: write, poll by a deadline, read; and its end."""
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin and child.stdout
    to, back = child.stdin.fileno(), child.stdout.fileno()
    poll = select.poll()
    poll.register(back, select.POLLIN)
    data = f"act 1234 {WORDS} legal={LEGAL}\n".encode()

    def once() -> None:
        deadline = time.monotonic() + 1.0
        os.write(to, data)
        answer = b""
        while not answer.endswith(b"\n"):
            assert poll.poll((deadline - time.monotonic()) * 1000)
            answer += os.read(back, 65536)

    def end() -> None:
        child.communicate()

    return once, end


def asked(process: Process) -> Callable[[], None]:
    def once() -> None:
        answer = process.ask(WORDS, lambda: LEGAL, 1000, 50)
        assert type(answer) is Answer, answer

    return once


def spoken() -> Callable[[], None]:
    """Return the wire's share of a round trip: the request made, the answer read, no pipe."""
    channel = Channel()
    channel.greet(("scat",))
    channel.receive(b"ready\n")

    def once() -> None:
        channel.receive(b"")
        channel.ask(WORDS, lambda: LEGAL)
        channel.receive(b"move %d stock\n" % channel.id)

    return once


def measure(once: Callable[[], None], count: int) -> float:
    """Return microseconds per call."""
    start = time.perf_counter()
    for _ in range(count):
        once()
    return (time.perf_counter() - start) / count * 1e6


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # players inherit it
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        barest, end = bare(program)
        with Table() as table:
            process = table.start(Command((program,)), "echo")
            process.greet(("scat",), 5000)
            figures: dict[str, list[float]] = {"bare": [], "ask": [], "wire": []}
            ways = {"bare": barest, "ask": asked(process), "wire": spoken()}
            for _ in range(RUNS):  # in turn, so that a busy moment of the machine strikes all alike
                for name, way in ways.items():
                    figures[name].append(measure(way, count))
            process.bye()
        end()
    best = {name: min(values) for name, values in figures.items()}
    for name, text in (
        ("bare", "bare poll with a deadline"),
        ("ask", "Process.ask"),
        ("wire", "of that, the wire alone"),
    ):
        print(f"{text:28} best {best[name]:6.1f} us   median {statistics.median(figures[name]):6.1f} us")
    print(
        f"{'ask costs more by':28} best {best['ask'] - best['bare']:6.1f} us   ratio {best['ask'] / best['bare']:.2f}"
    )


if __name__ == "__main__":
    main()
