"""The clock: a player pays for its own time, and not for a busy machine."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.match import Answer
from referee.wire import Fault

from .conftest import Bench

pytestmark = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Waiting cannot be measured here.")


@contextmanager
def one_busy_core(spinners: int) -> Iterator[None]:
    """Have this process, and the players that it starts meanwhile, share one core with so many that compute."""
    cores = os.sched_getaffinity(0)
    core = max(cores)
    os.sched_setaffinity(0, {core})
    processes = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(spinners)]
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        for process in processes:
            process.kill()
            process.wait()


def test_waiting_for_a_cpu_is_not_charged(bench: Bench) -> None:
    """20 ms of work take far longer on a core shared with four others, and are charged as 20 ms or little more."""
    with one_busy_core(4):
        process = bench.greeted("thinks")
        answers = [process.ask("ms=-", lambda: "a", 60, 20) for _ in range(5)]

    assert all(isinstance(answer, Answer) for answer in answers), answers
    charges = sorted(answer.charge_ms for answer in answers if isinstance(answer, Answer))
    walls = sorted(answer.wall_ms for answer in answers if isinstance(answer, Answer))
    assert 19 <= charges[2] < 60
    assert walls[2] > 1.5 * charges[2]


def test_a_player_that_sleeps_is_charged_on_a_busy_machine_too(bench: Bench) -> None:
    with one_busy_core(2):
        process = bench.greeted("sleeps")
        start = time.monotonic()
        fault = process.ask("ms=-", lambda: "a", 60, 20)
        took = time.monotonic() - start

    assert isinstance(fault, Fault) and fault.code == "timeout"
    assert took < 5 * 0.08 + 1 + 1


def test_the_hard_cap_holds_whatever_the_machine_does(bench: Bench) -> None:
    """One that computes for ever is late at 5 limits + 1 s, although most of that was spent waiting."""
    with one_busy_core(8):
        process = bench.greeted("spins")
        start = time.monotonic()
        fault = process.ask("ms=-", lambda: "a", 150, 0)
        took = time.monotonic() - start

    assert isinstance(fault, Fault) and fault.code == "timeout"
    assert 0.15 <= took < 5 * 0.15 + 1 + 1


def test_a_quick_answer_is_charged_its_wall_time(bench: Bench) -> None:
    process = bench.greeted("honest")
    answers = [process.ask("ms=-", lambda: "a", 20_000, 0) for _ in range(50)]

    quickest = min((answer for answer in answers if isinstance(answer, Answer)), key=lambda answer: answer.wall_ms)
    assert 0 < quickest.charge_ms <= quickest.wall_ms
