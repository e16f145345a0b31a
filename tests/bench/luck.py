"""What is a point of luck worth in SCAT? Least squares over the blocks of finished runs; see compare.COEFFICIENTS.

    referee tournament scat_greedy scat_threshold bot=./bot.py --game scat --seats 2 --blocks 500 --seed fit --out DIR
    ./run python tests/bench/luck.py DIR...

For every pair of players at every table: the mean of each luck in standard errors (0 is right: 2 or 3 is chance), the
coefficients that fit best, and by how much the variance falls with those and with the ones that `compare` uses. Last,
the means over all pairs. Fit on one seed, judge on another.
"""

import argparse
import collections
import math
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from referee import store
from referee.compare import COEFFICIENTS
from referee.luck import luck
from referee.record import from_text
from referee.sequential import variance_ratio
from referee.tournament import Plan


class Block(NamedTuple):
    """One block of a pair: difference of the means per deal, and of the luck of hands and draws per match and coin."""

    difference: float
    hand: float
    stock: float


def blocks_of(folder: Path) -> tuple[Plan, int, dict[tuple[int, int, int], list[Block]]]:
    """Return the plan, the number of seats and, by (a, b, table), the blocks of a run of SCAT."""
    deals: dict[tuple[int, int, int, int], list[int]] = collections.defaultdict(list)
    lucky: dict[tuple[int, int, int, int], list[tuple[float, float]]] = collections.defaultdict(list)
    with store.read(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        (_, _, options, (seats,), _), *_ = plan.contests
        for row in opened.rows():
            players, found = row.result["players"], luck(from_text(row.record))
            for i, a in enumerate(players):
                for j, b in enumerate(players):
                    if a < b:
                        key = (a, b, row.result["table"], row.block)
                        lucky[key].append((found.hand[i] - found.hand[j], found.stock[i] - found.stock[j]))
                        counted = row.result["deals"][: row.result["counted"]]
                        deals[key] += [deal[j] - deal[i] for deal in counted if None not in (deal[i], deal[j])]
    coins = float(options["start_coins"])
    blocks: dict[tuple[int, int, int], list[Block]] = collections.defaultdict(list)
    for key, values in deals.items():
        hand, stock = (sum(column) / len(lucky[key]) / coins for column in zip(*lucky[key], strict=True))
        if values:
            blocks[key[:3]].append(Block(statistics.fmean(values), hand, stock))
    return plan, seats, blocks


def fit(blocks: list[Block]) -> tuple[float, float]:
    """Return the coefficients of hand and stock that leave the least variance."""
    difference, hand, stock = zip(*blocks, strict=True)
    hh, ss, hs = (statistics.covariance(x, y) for x, y in ((hand, hand), (stock, stock), (hand, stock)))
    dh, ds = statistics.covariance(difference, hand), statistics.covariance(difference, stock)
    determinant = hh * ss - hs * hs
    return (dh * ss - ds * hs) / determinant, (ds * hh - dh * hs) / determinant


def ratio(blocks: list[Block], coefficients: tuple[float, float]) -> float:
    """Return how many times less variance is left."""
    c, d = coefficients
    left = [block.difference - c * block.hand - d * block.stock for block in blocks]
    return variance_ratio([block.difference for block in blocks], left) or math.nan


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("runs", nargs="+", type=Path, metavar="DIR")
    for folder in options.parse_args().runs:
        plan, seats, pairs = blocks_of(folder)
        used = COEFFICIENTS.get(("scat", seats), (0.0, 0.0))
        print(f"{folder}: {seats} seats, in use {used}")
        print(f"{'pair':40}{'blocks':>7}{'A - B':>8}{'hand/se':>8}{'stock/se':>9}{'fit':>17}{'ratio':>7}{'in use':>7}")
        found = []
        for (a, b, table), blocks in sorted(pairs.items()):
            if len(blocks) < 20:
                continue
            best = fit(blocks)
            means = [
                statistics.fmean(column) / (statistics.stdev(column) / math.sqrt(len(column)))
                for column in list(zip(*blocks, strict=True))[1:]
            ]
            pair = f"{plan.players[a].name} - {plan.players[b].name}, table {table}"
            mean = statistics.fmean(block.difference for block in blocks)
            print(
                f"{pair[:39]:40}{len(blocks):7}{mean:+8.3f}{means[0]:8.1f}{means[1]:9.1f}"
                f"{best[0]:9.4f}{best[1]:8.4f}{ratio(blocks, best):7.2f}{ratio(blocks, used):7.2f}"
            )
            if abs(mean) < 0.2:  # of like strength: there is hardly a question between the others
                found.append((*best, ratio(blocks, best), ratio(blocks, used)))
        columns = zip(*found, strict=True)
        print("mean, pairs of like strength: ", " ".join(f"{statistics.fmean(column):.4f}" for column in columns), "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
