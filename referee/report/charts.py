"""Positions for the page's drawings. Everything across is in percent of the drawing's width, so that text keeps its
size on any screen; everything down is in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

MARGIN = 3.0  # percent kept free at either end, so that a dot at the end is whole
WIDEST = 4.0  # an interval may reach this many times the range of the means beyond them; then it is cut


class Tick(NamedTuple):
    """A labelled place on a scale."""

    x: float
    label: str


class Scale(NamedTuple):
    """A scale from low to high, linear, or logarithmic when `log`."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value stands, in percent; values beyond the ends stand at the ends."""
        low, high, value = (math.log10(v) if self.log else v for v in (self.low, self.high, max(value, self.low)))
        share = min(1.0, (value - low) / (high - low))
        return round(MARGIN + share * (100 - 2 * MARGIN), 2)

    def inside(self, value: float) -> bool:
        """Return whether a value lies on the scale."""
        return self.low <= value <= self.high

    def ticks(self, most: int = 5) -> list[Tick]:
        """Return round values on the scale, at most about `most`."""
        if self.log:
            least, greatest = round(math.log10(self.low)), round(math.log10(self.high))
            stride = max(1, math.ceil((greatest - least) / most))
            return [Tick(self.at(10.0**power), _plain(10.0**power)) for power in range(least, greatest + 1, stride)]
        step = round_step((self.high - self.low) / most)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return [
            Tick(self.at(n * step), f"{n * step:+.{digits}f}".replace("-", "−") if n else "0")
            for n in range(first, last + 1)
        ]


class Heights(NamedTuple):
    """A vertical scale in pixels: `low` lies at the bottom, `high` at the top."""

    low: float
    high: float
    top: float = 12.0
    bottom: float = 228.0

    def at(self, value: float) -> float:
        """Return how far down a value lies."""
        return round(self.bottom - (value - self.low) / ((self.high - self.low) or 1.0) * (self.bottom - self.top), 1)

    def grid(self) -> list[Tick]:
        """Return lines at round values, four or so of them; `x` is how far down they lie."""
        step = round_step(((self.high - self.low) or 1.0) / 4)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return [
            Tick(self.at(n * step), f"{n * step:+.{digits}f}".replace("-", "−") if n else "0")
            for n in range(first, last + 1)
        ]


class Dot(NamedTuple):
    """A mean and its interval on a scale; the ends are None when there is no interval, `cut` ends go on beyond."""

    x: float
    low: float | None
    high: float | None
    cut_low: bool
    cut_high: bool


def dots(values: Sequence[tuple[float | None, float | None, float | None]]) -> tuple[Scale, list[Dot | None]]:
    """Return a scale that holds 0 and these (mean, low, high), and each of them on it; None for no mean."""
    means = [mean for mean, _, _ in values if mean is not None] + [0.0]
    ends = [end for _, *both in values for end in both if end is not None] + means
    spread = (max(means) - min(means)) or max(map(abs, ends)) or 1.0
    low = max(min(ends), min(means) - WIDEST * spread)
    high = min(max(ends), max(means) + WIDEST * spread)
    scale = Scale(low, high) if high > low else Scale(-1.0, 1.0)
    return scale, [_dot(scale, *value) for value in values]


def _dot(scale: Scale, mean: float | None, low: float | None, high: float | None) -> Dot | None:
    if mean is None:
        return None
    if low is None or high is None:
        return Dot(scale.at(mean), None, None, False, False)
    return Dot(scale.at(mean), scale.at(low), scale.at(high), not scale.inside(low), not scale.inside(high))


class Bar(NamedTuple):
    """A column of a histogram: its left edge and width in percent, its height in pixels."""

    x: float
    width: float
    height: float
    label: str


class Bins(NamedTuple):
    """How results of one game are put together: `columns` of them from `low` on, each `width` whole numbers wide."""

    low: int
    width: int
    columns: int

    def bars(self, counts: Mapping[int, int], tallest: float, height: float) -> list[Bar]:
        """Return the columns of one histogram.

        counts  -- result -> how often
        tallest -- the share that is drawn `height` pixels high
        """
        total = sum(counts.values()) or 1
        each = [0] * self.columns
        for value, often in counts.items():
            each[(value - self.low) // self.width] += often
        column = 100 / self.columns
        return [
            Bar(
                round(at * column + 0.06 * column, 2),
                round(0.88 * column, 2),
                round(height * often / total / tallest, 1),
                self.label(at),
            )
            for at, often in enumerate(each)
        ]

    def tallest(self, counts: Mapping[int, int]) -> float:
        """Return the share of the results in the fullest column."""
        return max(bar.height for bar in self.bars(counts, 1.0, 1000.0)) / 1000.0

    def label(self, at: int) -> str:
        """Return what column `at` holds."""
        first = self.low + at * self.width
        return str(first) if self.width == 1 else f"{first} to {first + self.width - 1}"


def bins(values: Iterable[int], most: int = 24) -> Bins:
    """Return columns, at most about `most`, that hold all these results."""
    values = list(values)
    low, high = min(values), max(values)
    width = max(1, math.ceil(round_step((high - low + 1) / most)))
    first = math.floor(low / width) * width
    return Bins(first, width, (high - first) // width + 1)


def quantile(counts: Mapping[int, int], share: float) -> int:
    """Return the least result that at least `share` of the results do not exceed."""
    wanted = share * sum(counts.values())
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= wanted:
            return value
    return max(counts)


def round_step(step: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten that is not below `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next((power * n for n in (1, 2, 5) if power * n >= step * (1 - 1e-9)), power * 10)


def _plain(value: float) -> str:
    return f"{value:g}" if value < 1000 else f"{value:,.0f}"


def apart(wanted: Sequence[float], distance: float, top: float, bottom: float) -> list[float]:
    """Return heights near the wanted ones, in the same order, at least `distance` apart where there is room."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    placed = [0.0] * len(wanted)
    last = top - distance
    for at in order:
        last = placed[at] = max(wanted[at], last + distance)
    limit = bottom
    for at in reversed(order):
        placed[at] = min(placed[at], limit)
        limit = placed[at] - distance
    return placed
