"""Does `referee compare` keep its word when it looks after every block? Simulated comparisons with known truth.

    ./run python tests/bench/compare.py            2,000 comparisons in each row, some minutes
    ./run python tests/bench/compare.py --small    150 in each row, wide limits, for every run of CI

First the false claims between equals, for block differences of many shapes, each comparison running to a cap of 3,000
blocks with a look after every one; beside them those of a 95 % t interval that is looked at in the same way. Then the
blocks until a true difference is found, against the test of fixed size that finds it equally often. Then how often the
margin is claimed when the truth lies just outside it. Last, what control variates save.

Ends with exit code 1 when false claims exceed 5 % by more than two standard errors in a row that must hold. Rows
marked * are stress: shapes far more skewed than sums of deals are, where no method without known bounds can hold.
"""

import argparse
import math
import random
import statistics
import sys
from collections.abc import Callable
from statistics import NormalDist
from typing import TypeAlias

from referee.ratings import t_quantile
from referee.sequential import MIN_BLOCKS, Seen, Verdict, adjust, decide, variance_ratio

Draw: TypeAlias = Callable[[random.Random], float]

CAP = 3000


def normal(source: random.Random) -> float:
    return source.gauss(0, 1)


def won_or_lost(source: random.Random) -> float:
    return source.choice((-1.0, 1.0))


def lives(source: random.Random) -> float:
    """Two matches of two seats with about four deals each, a life lost in most: the blocks of a small SCAT game."""
    return sum(source.choice((-1, -1, 0, 1, 1)) for _ in range(8)) / 8


def rarely(share: float) -> Draw:
    """Two versions of one player that decide differently in a share of the blocks only."""
    return lambda source: source.gauss(0, 1) if source.random() < share else 0.0


def heavy(source: random.Random) -> float:
    """Student's t with 3 degrees of freedom: no fourth moment."""
    return source.gauss(0, 1) / math.sqrt(source.gammavariate(1.5, 2) / 3)


def gamma(skew: float) -> Draw:
    """A gamma distribution of the skewness given, mean 0, sd 1."""
    shape = 4 / skew**2
    return lambda source: (source.gammavariate(shape, 1) - shape) / math.sqrt(shape)


def steady_with_disasters(source: random.Random) -> float:
    """One in ten blocks goes badly wrong, the others are all alike."""
    return 0.1 if source.random() < 0.9 else -0.9


SHAPES: list[tuple[str, Draw, bool]] = [
    ("normal", normal, True),
    ("won or lost", won_or_lost, True),
    ("sums of lives", lives, True),
    ("different in 20 % of blocks", rarely(0.2), True),
    ("different in 2 % of blocks", rarely(0.02), True),
    ("heavy tails (t, 3 df)", heavy, True),
    ("skewness 0.5", gamma(0.5), True),
    ("skewness 1", gamma(1), True),
    ("skewness 2 (exponential)", gamma(2), True),
    ("skewness 4", gamma(4), False),
    ("one disaster in ten", steady_with_disasters, False),
]


def compare(
    draw: Draw, shift: float, source: random.Random, cap: int, margin: float | None = None
) -> tuple[Verdict, int]:
    """Return the verdict of one comparison, and after how many blocks."""
    now = Seen()
    while True:
        now = now.add(shift + draw(source))
        decision = decide(now, cap, margin)
        if decision is not None:
            return decision.verdict, decision.interval.blocks


def peeking_t(draw: Draw, source: random.Random, quantiles: list[float]) -> bool:
    """Return whether a usual 95 % t interval, looked at after every block, ever excludes 0."""
    now = Seen()
    for blocks in range(1, CAP + 1):
        now = now.add(draw(source))
        if blocks >= MIN_BLOCKS and now.squares > 0:
            error = math.sqrt(now.squares / (blocks - 1) / blocks)
            if abs(now.mean) > quantiles[blocks] * error:
                return True
    return False


def false_claims(count: int) -> list[str]:
    """Print the false claims between equals; return what failed."""
    quantiles = [math.inf] * MIN_BLOCKS + [t_quantile(0.975, blocks - 1) for blocks in range(MIN_BLOCKS, CAP + 1)]
    failed = []
    print(f"False claims between equals, {count} comparisons a row, a look after each of {CAP:,} blocks")
    print(f"{'block differences':32}{'ours':>7}{'+-':>8}{'t interval':>12}")
    for name, draw, must in SHAPES:
        source = random.Random(f"equals {name}")
        wrong = sum(compare(draw, 0, source, CAP)[0] is not Verdict.OPEN for _ in range(count)) / count
        few = max(20, count // 10)
        peeked = sum(peeking_t(draw, source, quantiles) for _ in range(few)) / few
        error = math.sqrt(0.05 * 0.95 / count)
        print(f"{name + ('' if must else ' *'):32}{wrong:7.3f}{error:8.3f}{peeked:12.2f}", flush=True)
        if must and wrong > 0.05 + 2 * error:
            failed.append(f"{name}: {wrong:.3f} false claims")
    return failed


def blocks_to_decision(count: int) -> None:
    """Print how many blocks a true difference takes, against the fixed size that finds it equally often."""
    print("\nBlocks until a true difference is found (in sd of a block difference; normal; no cap), and the test of")
    print("fixed size that finds it in 80 %, and in 95 %, of all comparisons")
    heads = ("difference", "mean", "median", "80 % by", "95 % by", "fixed 80 %", "fixed 95 %", "wrong")
    print("".join(f"{head:>12}" for head in heads))
    for shift, share in ((1.0, 1.0), (0.5, 1.0), (0.2, 0.5), (0.1, 0.2)):
        source = random.Random(f"true {shift}")
        ends = [compare(normal, shift, source, 10**9) for _ in range(max(20, round(count * share / 4)))]
        blocks = sorted(after for _, after in ends)
        fixed = [((NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(power)) / shift) ** 2 for power in (0.8, 0.95)]
        ends_by = [
            statistics.mean(blocks),
            statistics.median(blocks),
            *(blocks[int(p * len(blocks))] for p in (0.8, 0.95)),
        ]
        counts = "".join(f"{value:12,.0f}" for value in (*ends_by, *map(math.ceil, fixed)))
        wrong = sum(verdict is not Verdict.A for verdict, _ in ends) / len(ends)
        print(f"{shift:12.2f}{counts}{wrong:12.3f}", flush=True)


def margins(count: int) -> list[str]:
    """Print how the margin is claimed when the truth is 0, and when it lies just outside; return what failed."""
    margin = 0.2
    print(f"\nA margin of {margin} sd, cap {CAP:,}: verdicts and mean blocks")
    failed = []
    for shift in (0.0, 0.5 * margin, margin):
        source = random.Random(f"margin {shift}")
        runs = max(40, count // 4)
        ends = [compare(normal, shift, source, CAP, margin) for _ in range(runs)]
        shares = {verdict: sum(found is verdict for found, _ in ends) / runs for verdict in Verdict}
        text = ", ".join(f"{verdict.name} {share:.3f}" for verdict, share in shares.items())
        print(f"  truth {shift:.2f}: {text}; {statistics.mean(after for _, after in ends):,.0f} blocks")
        if shift >= margin and shares[Verdict.SAME] > 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs):
            failed.append(f"within the margin was claimed in {shares[Verdict.SAME]:.3f} of the runs outside it")
    return failed


def variates(count: int) -> None:
    """Print what a control variate that explains a share of the variance saves, with its coefficient known before."""
    print("\nControl variate, true difference 0.2 sd: variance ratio, mean blocks raw and adjusted")
    for share in (0.1, 0.3, 0.5):
        source = random.Random(f"variate {share}")
        raw_ends, ends, ratios = [], [], []
        for _ in range(max(15, count // 20)):
            luck = [source.gauss(0, 1) for _ in range(CAP)]
            raw = [0.2 + math.sqrt(share) * x + math.sqrt(1 - share) * source.gauss(0, 1) for x in luck]
            adjusted = [adjust(value, (x,), (math.sqrt(share),)) for value, x in zip(raw, luck, strict=True)]
            ratios.append(variance_ratio(raw, adjusted) or 1.0)
            raw_ends.append(first_decision(raw))
            ends.append(first_decision(adjusted))
        print(
            f"  explains {share:.0%}: ratio {statistics.mean(ratios):.2f},"
            f" {statistics.mean(raw_ends):.0f} -> {statistics.mean(ends):.0f} blocks"
        )


def first_decision(values: list[float]) -> int:
    """Return after how many blocks a comparison of these differences ends."""
    now = Seen()
    for value in values:
        now = now.add(value)
        if decide(now, len(values)) is not None:
            break
    return now.blocks


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--small", action="store_true", help="150 comparisons a row")
    options.add_argument("--comparisons", type=int, default=0, help="how many a row")
    chosen = options.parse_args()
    count = chosen.comparisons or (150 if chosen.small else 2000)
    failed = false_claims(count)
    blocks_to_decision(count)
    failed += margins(count)
    variates(count)
    for sentence in failed:
        print("FAILED", sentence)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
