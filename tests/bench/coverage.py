"""Do the intervals of `referee.ratings` hold what they say? Simulated tournaments with known strengths.

    ./run python tests/bench/coverage.py            400 tournaments of each design, some minutes
    ./run python tests/bench/coverage.py --small    40 of each, wide limits, for every run of CI

Six players, two of them the same player under two names, at tables of four. A deal's result for player p in seat s is

    strength[p] + seat[s] + gift[who sits before p] + feel[p] * cards[block, s] + taste[p] * mood[block] + noise

Cards and mood belong to the block: every table and rotation that plays the block shares them. Noise is the match's
own, and skewed. Results are rounded to whole points. The truth is the expectation over line-ups, seats and neighbours.

Four designs: 60 blocks or 600 blocks, each played by one table in every rotation; 30 blocks shared by all 15 tables,
in one random rotation, or in all four. For each: how often the 95 % interval of a rating and of a difference holds the
truth; how often the two names of one player are told apart, by the interval of that one pair, and by the table as a
whole; how often the table makes any false claim (a pair apart in the wrong direction, a rank range without the true
rank); and what the interval of a difference would hold if matches were taken as independent, to show that the
benchmark can tell good intervals from bad ones. Ends with exit code 1 when a limit is missed.
"""

import argparse
import itertools
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee import schedule
from referee.games._base import places
from referee.ratings import Estimate, Ratings, Result, Tally, rate
from referee.schedule import Contest, Task

PLAYERS = range(6)
CLONES = (2, 3)
SEATS = 4
STRENGTH = (0.0, 5.0, 11.0, 11.0, 14.0, 24.0)
GIFT = (9.0, -4.0, 2.0, 2.0, -6.0, 0.0)
FEEL = (6.0, 10.0, 9.0, 9.0, 12.0, 9.0)
TASTE = (8.0, -6.0, 3.0, 3.0, 0.0, -7.0)
SEAT = (6.0, 2.0, -2.0, -6.0)
NOISE = 24.0
TABLES = tuple(itertools.combinations(PLAYERS, SEATS))


class Design(NamedTuple):
    """A tournament: its name, and who plays which block (task, block of the table, number of the block's seed)."""

    name: str
    matches: Callable[[random.Random], Iterator[tuple[Task, int, int]]]


def apart(per_table: int) -> Callable[[random.Random], Iterator[tuple[Task, int, int]]]:
    """Every table has blocks of its own."""

    def matches(_: random.Random) -> Iterator[tuple[Task, int, int]]:
        for task in schedule.tables([Contest("scout", tuple(PLAYERS), (SEATS,))], per_table, per_table):
            for block in range(per_table):
                yield task, block, block * len(TABLES) + task.table

    return matches


def shared(blocks: int, rotations: int) -> Callable[[random.Random], Iterator[tuple[Task, int, int]]]:
    """All tables share the blocks: what a schedule does, here with all rotations or with one at random."""

    def matches(source: random.Random) -> Iterator[tuple[Task, int, int]]:
        for task in schedule.tables([Contest("scout", tuple(PLAYERS), (SEATS,))], blocks, blocks):
            for block in range(blocks):
                if rotations == SEATS:
                    yield task, block, block
                elif task.rotation == 0:
                    yield task._replace(rotation=source.randrange(SEATS)), block, block

    return matches


DESIGNS = (
    Design("60 blocks apart, 240 matches", apart(4)),
    Design("600 blocks apart, 2,400 matches", apart(40)),
    Design("30 blocks shared, 450 matches", shared(30, 1)),
    Design("30 blocks shared, 1,800 matches", shared(30, SEATS)),
)


class Luck(NamedTuple):
    """What a block deals: cards for each seat, and a mood that suits some players and not others."""

    cards: tuple[float, ...]
    mood: float


def luck(source: random.Random) -> Luck:
    return Luck(tuple(source.gauss(0, 1) for _ in range(SEATS)), source.gauss(0, 1))


def deal(seated: tuple[int, ...], block: Luck, source: random.Random) -> tuple[int, ...]:
    """Return the points of each seat."""
    return tuple(
        round(
            STRENGTH[player]
            + SEAT[seat]
            + GIFT[seated[seat - 1]]
            + FEEL[player] * block.cards[seat]
            + TASTE[player] * block.mood
            + NOISE * (0.8 * source.gauss(0, 1) + 0.6 * (source.expovariate(1) - 1))
        )
        for seat, player in enumerate(seated)
    )


def truth() -> list[float]:
    """Return the true rating of each player: its expected result relative to the others, over all line-ups."""
    ratings = []
    for player in PLAYERS:
        relative = []
        for table in TABLES:
            if player in table:
                expected = {
                    one: STRENGTH[one] + statistics.mean(GIFT[other] for other in table if other != one)
                    for one in table
                }
                others = [value for one, value in expected.items() if one != player]
                relative.append(expected[player] - statistics.mean(others))
        ratings.append(statistics.mean(relative))
    return ratings


def play(design: Design, source: random.Random) -> tuple[Ratings, Ratings]:
    """Return the ratings of one simulated tournament, and those that take each match for a block of its own."""
    dealt: dict[int, Luck] = {}
    honest, naive = (Tally(len(PLAYERS), {"scout": True}) for _ in range(2))
    for number, (task, block, seed) in enumerate(design.matches(source)):
        if seed not in dealt:
            dealt[seed] = luck(source)
        seated = schedule.seating(task, block)
        points = deal(seated, dealt[seed], source)
        result = Result("scout", SEATS, task.table, seed, task.rotation, seated, places(points), points, (points,), 1)
        honest.add(result)
        naive.add(result._replace(block=number))
    return rate(honest), rate(naive)


def holds(estimate: Estimate, true: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= true <= estimate.high


class Score(NamedTuple):
    """What one tournament showed: shares of intervals that held, and claims that were false (0 or 1)."""

    rating: float
    difference: float
    clones: float
    clones_table: float
    false_claim: float
    naive: float
    width: float
    clone_difference: float


def score(rated: Ratings, naive: Ratings, true: list[float]) -> Score:
    differences = {(pair.a, pair.b): pair for pair in rated.pairs}
    pair = differences.get(CLONES) or differences[CLONES[1], CLONES[0]]
    wrong = any(pair.apart and true[pair.a] <= true[pair.b] + 1e-9 for pair in rated.pairs)
    for standing in rated.standings:
        better = sum(other > true[standing.player] + 1e-9 for other in true)
        level = sum(abs(other - true[standing.player]) < 1e-9 for other in true)
        # One of two equals stands above the other by chance alone: any of the places that they share is true.
        wrong |= standing.ranks is None or standing.ranks[0] > better + level or standing.ranks[1] < better + 1
    held = [holds(pair.difference, true[pair.a] - true[pair.b]) for pair in rated.pairs]
    widths = [(pair.difference.high or 0) - (pair.difference.low or 0) for pair in rated.pairs]
    sign = 1 if pair.a == CLONES[0] else -1
    return Score(
        statistics.mean(holds(standing.rating, true[standing.player]) for standing in rated.standings),
        statistics.mean(held),
        not holds(pair.difference, 0),
        pair.apart,
        wrong,
        statistics.mean(holds(pair.difference, true[pair.a] - true[pair.b]) for pair in naive.pairs),
        statistics.mean(widths) / statistics.mean(abs(a - b) for a, b in itertools.combinations(true, 2)),
        sign * (pair.difference.mean or 0),
    )


def clone_bias(design: Design) -> float:
    """Return the expected difference of the clones in a design: what luck and noise do not explain, so neighbours."""
    total, count = [0.0, 0.0], [0, 0]
    for task, block, _ in design.matches(random.Random(0)):
        seated = schedule.seating(task, block)
        points = [STRENGTH[player] + GIFT[seated[seat - 1]] for seat, player in enumerate(seated)]
        for at, clone in enumerate(CLONES):
            if clone in seated:
                own = points[seated.index(clone)]
                total[at] += own - (sum(points) - own) / (SEATS - 1)
                count[at] += 1
    return total[0] / count[0] - total[1] / count[1]


def order_bias(seats: int, orders: tuple[tuple[int, ...], ...], source: random.Random) -> float:
    """Return the greatest difference that neighbours make between two equal players at a table, over random tables.

    What a player gets depends on who sits before it and on who sits after it, arbitrarily; both are the same for the
    two equals, players 0 and 1, and what these two leave to each other is the same as well.
    """
    greatest = 0.0
    for _ in range(20):
        before = [1.0, 1.0, *(source.gauss(0, 1) for _ in range(seats - 2))]
        after = [1.0, 1.0, *(source.gauss(0, 1) for _ in range(seats - 2))]
        bias = 0.0
        for order in orders:
            for player, sign in ((0, 1), (1, -1)):
                at = order.index(player)
                bias += sign * (before[order[at - 1]] + after[order[(at + 1) % seats]])
        greatest = max(greatest, abs(bias) / len(orders))
    return greatest


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--small", action="store_true", help="40 tournaments of each design, wide limits")
    options.add_argument("--tournaments", type=int, default=0, help="how many of each design")
    options.add_argument("--seed", type=int, default=1, help="of the simulation")
    chosen = options.parse_args()
    count = chosen.tournaments or (40 if chosen.small else 400)
    low, high, clones_most, claims_most = (0.90, 0.99, 0.2, 0.2) if chosen.small else (0.93, 0.97, 0.07, 0.07)
    true = truth()
    failed = []

    print(f"{count} tournaments of each design; +- is one standard error")
    print(f"{'design':34}{'rating':>14}{'difference':>14}{'clones':>8}{'table':>7}{'false':>7}{'naive':>7}{'width':>7}")
    bias: list[str] = []
    for design in DESIGNS:
        if chosen.small and design is DESIGNS[1]:
            continue  # ten times the first, and the same kind
        source = random.Random(f"{chosen.seed} {design.name}")
        scores = [score(*play(design, source), true) for _ in range(count)]
        means = Score(*(statistics.mean(column) for column in zip(*scores, strict=True)))
        errors = Score(*(statistics.stdev(column) / math.sqrt(count) for column in zip(*scores, strict=True)))
        print(
            f"{design.name:34}{means.rating:8.3f}+-{errors.rating:.3f}{means.difference:8.3f}+-{errors.difference:.3f}"
            f"{means.clones:8.3f}{means.clones_table:7.3f}{means.false_claim:7.3f}{means.naive:7.3f}{means.width:7.2f}",
            flush=True,
        )
        expected = clone_bias(design)
        away = (means.clone_difference - expected) / errors.clone_difference
        bias.append(f"{expected:+.3f} ({away:+.1f} errors)")
        if abs(away) > 4 or (design in DESIGNS[2:] and abs(expected) > 1e-9):
            failed.append(f"{design.name}: the clones differ on average")
        if not (low <= means.rating <= high and low <= means.difference <= high):
            failed.append(f"{design.name}: coverage outside {low:.2f} .. {high:.2f}")
        if means.clones > clones_most or means.false_claim > claims_most:
            failed.append(f"{design.name}: clones told apart, or false claims, too often")
    print("rating, difference: share of 95 % intervals that hold the truth. clones: share of tournaments in which")
    print("the interval of the clones' difference excludes 0. table: clones told apart by the table. false: any")
    print("false claim of the table. naive: as difference, matches taken as independent. width: / mean difference.")
    print("Clones, expected difference (and how far the mean of the tournaments is from it):", ", ".join(bias) + ".")
    print("It is 0 where tables play whole rounds of the cyclic orders: 30 blocks are 5 rounds, 4 and 40 are none.")

    print("\nGreatest difference that neighbours make between clones (spread of a neighbour's gift: 1)")
    source = random.Random(chosen.seed)
    for seats in range(3, schedule.MAX_SEATS + 1):
        orders = schedule.cyclic_orders(seats)
        balanced, fixed = (order_bias(seats, some, source) for some in (orders, orders[:1]))
        print(
            f"  {seats} seats: {balanced:.6f} over the {len(orders):2} orders of the schedule, {fixed:.2f} in one order"
        )
        if balanced > 1e-9:
            failed.append(f"{seats} seats: the orders are biased")
    for sentence in failed:
        print("FAILED", sentence)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
