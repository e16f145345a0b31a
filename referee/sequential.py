"""Is A stronger than B? An interval that holds however often one looks, and the verdict that follows from it.

Theory of operation. `compare` plays block after block and looks after each. A usual 95 % interval, looked at again
and again until it excludes 0, is wrong far more often than 5 %. A confidence sequence is a row of intervals, one
after each block, that contain the true mean ALL at once with a chance of 95 %: so one may stop at any block, for any
reason, and the interval of that block holds.

The sequence here is the t-test confidence sequence with a Gaussian mixture over the effect size: the interval is the
set of means that the martingale

    E(mean) = (1 + n g) ** -1/2 * ((1 + x) / (1 + x / (1 + n g))) ** (n / 2),      x = t(mean) ** 2 / (n - 1)

has not yet refuted by reaching 1 / 5 %. It is exact at every n for normal block differences of unknown variance, and
for large n it is the asymptotic confidence sequence, which asks for finite variance only. `g` sets the number of
blocks (AIM) at which the interval is at its tightest relative to others; it is fixed, as it may not depend on the data.

Block differences are sums over matches, rotations and deals, hence not far from normal, and between equal players
they are symmetric. tests/bench/compare.py measures the false claims for normal, two-valued, rarely different,
heavy-tailed and skewed differences: at most 5 % up to the skewness of an exponential distribution (2), about 10 %
when one block in ten is a disaster and the others are all alike. Before MIN_BLOCKS nothing is decided, and AIM is
late rather than early, because a few skewed differences can look certain.

Where no block differs at all there is no spread to judge by; then what is judged is the share of blocks that differ.
The martingale that stakes everything on "this block does not" has refuted a share s after n blocks without a
difference when (1 - s) ** n <= 5 %, and that, too, holds however often one looks.

Sources: Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance",
Sequential Analysis 44 (2025), arXiv 2310.03722; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central
limit theory and asymptotic confidence sequences", Ann. Statist. 52 (2024), arXiv 2103.06476.
"""

import enum
import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

LEVEL: Final = 0.95
AIM: Final = 500
MIN_BLOCKS: Final = 30
ALIKE: Final = (
    0.01  # who surely differs in fewer blocks than this plays alike; with a margin, a comparison is content ...
)
ALIKE_ENOUGH: Final = 0.05  # ... is content with this

# The mixture is at its tightest at n blocks when n g = a + ln(1 + a) with a = -2 ln(5 %), to second order.
_A: Final = -2 * math.log(1 - LEVEL)
_G: Final = (_A + math.log1p(_A)) / AIM


class Interval(NamedTuple):
    """What is known of the mean difference A - B after some blocks.

    blocks -- int
    mean   -- float; None before the first block
    low, high -- the interval, valid at any time; None while nothing can be excluded
    p      -- float, 1 at first: the anytime-valid p-value of "no difference"; a false claim is at most that likely
    """

    blocks: int
    mean: float | None
    low: float | None
    high: float | None
    p: float


class Seen(NamedTuple):
    """The block differences seen so far: how many, their mean, and the sum of squares about it."""

    blocks: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, difference: float) -> "Seen":
        """Return what is seen after one more block. Blocks are added in the order of their numbers (Welford)."""
        blocks = self.blocks + 1
        mean = self.mean + (difference - self.mean) / blocks
        return Seen(blocks, mean, self.squares + (difference - self.mean) * (difference - mean))


class Verdict(enum.Enum):
    A = "A is stronger"
    B = "B is stronger"
    SAME = "the difference lies within the margin, or none is to be seen"
    OPEN = "undecided when the last block was played"


class Decision(NamedTuple):
    """How a comparison ended: the verdict, the interval on which it rests and the margin that was asked for."""

    verdict: Verdict
    interval: Interval
    margin: float | None


def seen(differences: Iterable[float]) -> Seen:
    """Return what is seen after these block differences, in order."""
    result = Seen()
    for difference in differences:
        result = result.add(difference)
    return result


def interval(seen: Seen) -> Interval:
    """Return the interval after the blocks seen; any number of looks leaves it valid."""
    n, mean, squares = seen
    if n < 2:
        return Interval(n, mean if n else None, None, None, 1.0)
    spread = squares > 1e-18 * n * mean * mean  # else it is rounding
    if not spread and mean == 0:
        return Interval(n, mean, None, None, 1.0)  # no block differed: that proves nothing about the next
    growth = 1 + n * _G
    threshold = math.exp((_A + math.log(growth)) / n)
    p = min(1.0, math.exp(-_log_evidence(n, mean, squares if spread else 0.0, growth)))
    if threshold >= growth:
        return Interval(n, mean, None, None, p)
    reach = math.sqrt((threshold - 1) / (1 - threshold / growth) * squares / n) if spread else 0.0
    return Interval(n, mean, mean - reach, mean + reach, p)


def _log_evidence(n: int, mean: float, squares: float, growth: float) -> float:
    """Return the logarithm of E(0), the martingale against "no difference"."""
    between = n * mean * mean
    return n / 2 * math.log((squares + between) / (squares + between / growth)) - math.log(growth) / 2


def decide(seen: Seen, cap: int, margin: float | None = None) -> Decision | None:
    """Return the decision after the blocks seen, or None to play on.

    cap    -- int, the number of blocks after which the comparison ends undecided
    margin -- float > 0, a difference too small to matter, in the unit of the differences; None: only a winner
              or the cap ends the comparison
    A or B is named when the interval excludes 0, SAME when it lies inside -margin .. margin, or when no block differed
    in so many that few can.
    """
    now = interval(seen)
    if (share := share_differing(now)) is not None and share < (ALIKE if margin is None else ALIKE_ENOUGH):
        return Decision(Verdict.SAME, now, margin)
    if now.low is not None and now.high is not None and now.blocks >= MIN_BLOCKS:
        if now.low > 0:
            return Decision(Verdict.A, now, margin)
        if now.high < 0:
            return Decision(Verdict.B, now, margin)
        if margin is not None and -margin < now.low and now.high < margin:
            return Decision(Verdict.SAME, now, margin)
    return Decision(Verdict.OPEN, now, margin) if now.blocks >= cap else None


def share_differing(now: Interval) -> float | None:
    """Return the share of blocks that differ at most, valid at any time, when none has; None when one has."""
    if now.mean != 0 or now.low is not None or now.blocks < 1:
        return None
    return float(1 - (1 - LEVEL) ** (1 / now.blocks))


def sentence(decision: Decision, a: str, b: str, unit: str, deals: int) -> str:
    """Return a decision as one sentence for a person.

    a, b  -- the names of the players
    unit  -- what the difference counts, such as "points a deal"
    deals -- int, how many deals were played
    """
    verdict, now, margin = decision
    after = f"after {now.blocks:,} blocks ({deals:,} deals)"
    if (share := share_differing(now)) is not None:
        alike = f"no block differed (95 % sure: fewer than {share:.1%} of all do, however often one looked)"
        return f"{a} and {b} played alike {after}: {alike}."
    if now.mean is None or now.low is None or now.high is None:
        return f"Undecided between {a} and {b} {after}: too few blocks to say anything."
    low, high = now.low, now.high
    if verdict is Verdict.B:
        a, b, low, high = b, a, -high, -low
    if verdict in (Verdict.A, Verdict.B):
        between = f"95 % sure: between {low:.3g} and {high:.3g}, however often one looked"
        return f"{a} is stronger than {b} by {abs(now.mean):.3g} {unit} ({between}), {after}."
    between = f"{now.mean:+.3g} {unit} (95 % sure: between {low:+.3g} and {high:+.3g}, however often one looked)"
    if verdict is Verdict.SAME:
        return f"{a} and {b} differ by less than {margin:g} {unit}: {a} - {b} is {between}, {after}."
    return f"Undecided between {a} and {b}: {a} - {b} is {between}, {after}."


def adjust(
    raw: float, covariates: Sequence[float], coefficients: Sequence[float], means: Sequence[float] | None = None
) -> float:
    """Return a block difference with known luck taken out: raw - sum of c (x - mean x). Control variates.

    covariates   -- the luck of the block, such as the value of the hands dealt to A less that of those dealt to B
    coefficients -- fixed before the comparison: fitted on the same blocks they would bias it
    means        -- the exact expectations of the covariates; None: all 0
    Whatever the coefficients, the mean is not changed; good ones make the spread smaller.
    """
    expected = means if means is not None else [0.0] * len(covariates)
    return raw - math.fsum(c * (x - mean) for c, x, mean in zip(coefficients, covariates, expected, strict=True))


def variance_ratio(raw: Sequence[float], adjusted: Sequence[float]) -> float | None:
    """Return the variance of the raw differences over that of the adjusted: how many times fewer blocks are needed.

    None when there are fewer than two, or the adjusted do not vary.
    """
    before, after = seen(raw), seen(adjusted)
    return before.squares / after.squares if len(raw) > 1 and after.squares > 0 else None
