"""The confidence sequence: it holds at every look, and the verdicts follow from it."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import sequential
from referee.sequential import Decision, Interval, Seen, Verdict, adjust, decide, interval, seen, sentence

SOME = [0.5, -1.0, 2.0, 0.25, 1.5, -0.5, 3.0, 1.0, 0.0, 2.5] * 6
differences = st.lists(st.floats(-100, 100), max_size=40)


@given(differences)
def test_what_is_seen_is_the_mean_and_the_squares_about_it(values: list[float]) -> None:
    found = seen(values)

    mean = math.fsum(values) / max(1, len(values))
    assert len(values) == found.blocks
    assert mean == pytest.approx(found.mean, abs=1e-9)
    assert math.fsum((value - mean) ** 2 for value in values) == pytest.approx(found.squares, abs=1e-6)


def test_the_interval_holds_exactly_the_means_that_the_martingale_has_not_refuted() -> None:
    """The ends are where the martingale, computed from its definition, reaches 20."""
    now = interval(seen(SOME))

    def evidence(mean: float) -> float:
        n = len(SOME)
        total = sum(value - mean for value in SOME)
        squares = sum((value - mean) ** 2 for value in SOME)
        precision = 1 / sequential._G
        growth = math.sqrt(precision / (n + precision))
        return growth * (squares / (squares - total**2 / (n + precision))) ** (n / 2)

    assert 20 == pytest.approx(evidence(now.low))
    assert 20 == pytest.approx(evidence(now.high))
    assert 1 / evidence(0) == pytest.approx(now.p)
    assert now.low < now.mean < now.high


def test_the_interval_tends_to_the_asymptotic_confidence_sequence() -> None:
    """For many blocks its reach is the closed form of Waudby-Smith et al. (2024), Theorem 2.2."""
    n, g = 40_000, sequential._G
    now = interval(Seen(n, 0.0, float(n - 1)))

    asymptotic = math.sqrt(2 * (n * g + 1) / (n**2 * g) * math.log(math.sqrt(n * g + 1) / 0.05))
    assert asymptotic == pytest.approx(now.high, rel=1e-3)


def test_few_blocks_exclude_nothing() -> None:
    assert Interval(0, None, None, None, 1.0) == interval(Seen())
    assert Interval(1, 7.0, None, None, 1.0) == interval(seen([7.0]))
    assert interval(seen([7.0, 7.5, 8.0])).low is None


def test_blocks_that_never_differ_prove_nothing() -> None:
    assert Interval(500, 0.0, None, None, 1.0) == interval(seen([0.0] * 500))


def test_blocks_that_always_differ_alike_decide() -> None:
    decision = decide(seen([0.1] * 30), cap=100)

    assert decision is not None and Verdict.A is decision.verdict
    assert 0.01 > decision.interval.p > 0


@given(differences, st.floats(0.1, 10))
def test_the_interval_has_the_unit_of_the_differences(values: list[float], unit: float) -> None:
    """Nothing depends on the scale: lives or points."""
    here, there = interval(seen(values)), interval(seen([unit * value for value in values]))

    if here.low is not None and there.low is not None:
        assert unit * here.low == pytest.approx(there.low, abs=1e-6)
        assert unit * here.high == pytest.approx(there.high, abs=1e-6)


@given(differences)
def test_swapping_the_players_turns_the_interval_round(values: list[float]) -> None:
    here, there = interval(seen(values)), interval(seen([-value for value in values]))

    assert here.p == pytest.approx(there.p)
    if here.low is not None and there.high is not None:
        assert here.low == pytest.approx(-there.high)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=40))
def test_no_input_gives_a_nan(values: list[float]) -> None:
    now = interval(seen(values))

    assert 0 <= now.p <= 1
    assert all(number is None or math.isfinite(number) for number in now)


NORMAL = ("normal", lambda source: source.gauss(0, 1))
SHAPES: list[tuple[str, Callable[[random.Random], float]]] = [
    NORMAL,
    ("won or lost", lambda source: source.choice((-1.0, 1.0))),
    ("rarely different", lambda source: source.choice((-1.0, 1.0)) if source.random() < 0.05 else 0.0),
]


@pytest.mark.parametrize(("name", "draw"), SHAPES)
def test_peeking_after_every_block_seldom_deceives(name: str, draw: Callable[[random.Random], float]) -> None:
    """150 comparisons of equals, 400 looks each; a t interval looked at so often is wrong in about half of them."""
    source = random.Random(name)
    wrong = 0
    for _ in range(150):
        now = Seen()
        for _ in range(400):
            now = now.add(draw(source))
            decision = decide(now, cap=10_000)
            if decision is not None:
                wrong += 1
                break

    assert wrong <= 11  # 5 % is 7.5


def test_a_real_difference_is_found() -> None:
    source = random.Random(1)
    now = Seen()
    while (decision := decide(now, cap=5000)) is None:
        now = now.add(source.gauss(-0.3, 1))

    assert Verdict.B is decision.verdict
    assert 30 < decision.interval.blocks < 400


def test_equals_end_within_the_margin_or_at_the_cap() -> None:
    source = random.Random(2)
    values = [source.gauss(0, 1) for _ in range(5000)]
    ends = []
    for margin, cap in ((0.2, 5000), (0.2, 100), (None, 3000)):
        now = Seen()
        for value in values:
            now = now.add(value)
            if (decision := decide(now, cap, margin)) is not None:
                ends.append((decision.verdict, decision.interval.blocks))
                break

    assert [Verdict.SAME, Verdict.OPEN, Verdict.OPEN] == [verdict for verdict, _ in ends]
    assert [100, 3000] == [blocks for _, blocks in ends[1:]]
    assert 300 < ends[0][1] < 1500


def test_who_differs_in_two_blocks_of_a_hundred_is_seldom_called_alike() -> None:
    """The chance that the first 299 blocks do not differ, though one in a hundred does, is just below 5 %."""
    source = random.Random(7)
    called = 0
    for _ in range(400):
        now = Seen()
        while (decision := decide(now, cap=400)) is None:
            now = now.add(source.choice((-1.0, 1.0)) if source.random() < 0.01 else 0.0)
        called += decision.verdict is Verdict.SAME

    assert called <= 33  # 5 % is 20


def test_nothing_is_decided_on_fewer_blocks_than_the_minimum() -> None:
    values = [10.0, 10.1] * 15

    assert all(decide(seen(values[:n]), cap=1000) is None for n in range(sequential.MIN_BLOCKS))
    assert decide(seen(values), cap=1000) is not None


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (
            Decision(Verdict.A, Interval(340, 0.1214, 0.034, 0.2088, 0.01), None),
            "new is stronger than old by 0.121 lives a deal (95 % sure: between 0.034 and 0.209, however often one "
            "looked), after 340 blocks (2,712 deals).",
        ),
        (
            Decision(Verdict.B, Interval(340, -0.1214, -0.2088, -0.034, 0.01), None),
            "old is stronger than new by 0.121 lives a deal (95 % sure: between 0.034 and 0.209, however often one "
            "looked), after 340 blocks (2,712 deals).",
        ),
        (
            Decision(Verdict.SAME, Interval(1340, 0.01, -0.02, 0.04, 1.0), 0.05),
            "new and old differ by less than 0.05 lives a deal: new - old is +0.01 lives a deal (95 % sure: between "
            "-0.02 and +0.04, however often one looked), after 1,340 blocks (2,712 deals).",
        ),
        (
            Decision(Verdict.OPEN, Interval(90, 0.01, -0.2, 0.22, 1.0), None),
            "Undecided between new and old: new - old is +0.01 lives a deal (95 % sure: between -0.2 and +0.22, "
            "however often one looked), after 90 blocks (2,712 deals).",
        ),
        (
            Decision(Verdict.OPEN, Interval(90, 0.0, None, None, 1.0), None),
            "new and old played alike after 90 blocks (2,712 deals): no block differed (95 % sure: fewer than 3.3% "
            "of all do, however often one looked).",
        ),
        (
            Decision(Verdict.OPEN, Interval(2, 0.5, None, None, 1.0), None),
            "Undecided between new and old after 2 blocks (2,712 deals): too few blocks to say anything.",
        ),
    ],
)
def test_a_decision_is_one_sentence(decision: Decision, text: str) -> None:
    assert text == sentence(decision, "new", "old", "lives a deal", 2712)


def test_known_luck_is_taken_out_with_fixed_coefficients() -> None:
    assert 10 - 0.5 * (4 - 1) - -2 * (3 - 0) == adjust(10, (4, 3), (0.5, -2), (1, 0))
    assert 10 - 0.5 * 4 == adjust(10, (4,), (0.5,))
    with pytest.raises(ValueError):
        adjust(10, (4, 3), (0.5,))


def test_good_coefficients_shrink_the_variance_and_keep_the_mean() -> None:
    source = random.Random(7)
    luck = [source.gauss(0, 2) for _ in range(4000)]
    raw = [0.3 + one + source.gauss(0, 1) for one in luck]
    adjusted = [adjust(value, (one,), (1.0,)) for value, one in zip(raw, luck, strict=True)]

    assert 5 == pytest.approx(sequential.variance_ratio(raw, adjusted), rel=0.1)
    assert 0.3 == pytest.approx(seen(adjusted).mean, abs=0.06)
    assert sequential.variance_ratio([1.0], [1.0]) is None
    assert sequential.variance_ratio([1.0, 2.0], [1.0, 1.0]) is None
