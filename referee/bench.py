"""How fast the referee is on this machine: `referee bench`.

Figures of a shared machine vary by a factor of two from run to run, so each is also given as a ratio to a fixed piece
of pure Python that is timed in between. The targets of the project are kept by the scripts in tests/bench.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee.games import load, names
from referee.launch import resolve
from referee.match import Limits
from referee.process import Table
from referee.worker import Seats, drive

SECONDS = 0.7  # for each measurement
ROUNDS = 3  # the best of so many is reported


class Figure(NamedTuple):
    """One measurement: what, how many a second, and how many in the time that the calibration takes once."""

    what: str
    per_second: float
    per_calibration: float


def calibrate() -> float:
    """Return the seconds that a fixed piece of pure Python takes now: about 5 ms on a machine of 2024."""
    start = time.perf_counter()
    table: dict[int, int] = {}
    for n in range(20_000):
        table[n & 1023] = table.get(n & 1023, 0) + (n ^ 5)
    return time.perf_counter() - start


def figures() -> Iterator[Figure]:
    """Yield the measurements, each as soon as it is made."""
    for name in names():
        for seats in (2, 4):
            yield _best(f"{name}, {seats} seats: deals by the rules alone, random moves", _deals(name, seats))
    for name in names():
        with Table() as table:
            yield _best(f"{name}, 2 seats: decisions of programs in Python", _decisions(name, table))
            table.bye()


def _best(what: str, run: Callable[[], int]) -> Figure:
    rates = []
    for _ in range(ROUNDS):
        unit = calibrate()
        start = time.perf_counter()
        done = 0
        while (took := time.perf_counter() - start) < SECONDS:
            done += run()
        rates.append((done / took, done / took * min(unit, calibrate())))
    return Figure(what, max(rate for rate, _ in rates), max(ratio for _, ratio in rates))


def _deals(name: str, seats: int) -> Callable[[], int]:
    game = load(name)
    rng = random.Random(1)

    def run() -> int:
        state, _ = game.deal(seats, rng.randbytes(32))
        while game.to_act(state) is not None:
            state, _ = game.apply(state, rng.choice(list(game.legal_actions(state))))
        return len(game.results(state))

    return run


def _decisions(name: str, table: Table) -> Callable[[], int]:
    game = load(name)
    players = [table.start(resolve(f"{name}_random").command, f"p{n}") for n in range(2)]
    for player in players:
        player.greet((name,), 10_000)
    rng = random.Random(1)
    played = 0

    def run() -> int:
        nonlocal played
        played += 1
        rngs = (rng.randbytes(8).hex(), rng.randbytes(8).hex())
        seats = Seats(("p0", "p1"), rngs, players, {})
        return len(drive(game, rng.randbytes(32), seats, Limits(), identity=f"m{played}").timings)

    return run
