"""Ratings: exact sums, known quantiles, honest claims, never a NaN."""

import json
import math
import random
import statistics
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import ratings
from referee.games._base import places
from referee.ratings import Ratings, Result, Tally, rate

MORE = {"scat": False, "scout": True}


def result(
    players: Sequence[int],
    *deals: tuple[int | None, ...],
    game: str = "scout",
    block: int = 0,
    ranks: tuple[int, ...] | None = None,
    counted: int | None = None,
    faults: tuple[tuple[int, str], ...] = (),
) -> Result:
    scores = tuple(sum(deal[seat] or 0 for deal in deals) for seat in range(len(players)))
    found = ranks or places(scores if MORE[game] else tuple(-score for score in scores))
    count = len(deals) if counted is None else counted
    return Result(game, len(players), 0, block, 0, tuple(players), found, scores, deals, count, faults)


def tally(results: Iterable[Result], players: int) -> Tally:
    found = Tally(players, MORE)
    for one in results:
        found.add(one)
    return found


def numbers(value: object) -> Iterable[float]:
    """Yield every number inside ratings."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from numbers(part)
    else:
        assert value is None or isinstance(value, str)


# -- quantiles and tails, against printed tables


@pytest.mark.parametrize(
    ("p", "df", "value"),
    [
        (0.975, 1, 12.706205),
        (0.975, 2, 4.302653),
        (0.95, 3, 2.353363),
        (0.975, 5, 2.570582),
        (0.995, 10, 3.169273),
        (0.9995, 7, 5.407883),
        (0.975, 30, 2.042272),
        (0.9, 60, 1.295821),
        (0.975, 120, 1.979930),
        (0.975, 10_000_000, 1.959964),
        (0.5, 4, 0.0),
        (0.025, 5, -2.570582),
    ],
)
def test_t_quantiles_are_those_of_the_tables(p: float, df: float, value: float) -> None:
    assert value == pytest.approx(ratings.t_quantile(p, df), abs=2e-6)


@given(st.floats(1e-9, 1 - 1e-9), st.one_of(st.integers(1, 3000), st.floats(0.5, 50)))
def test_t_quantile_is_the_inverse_of_the_tail(p: float, df: float) -> None:
    t = ratings.t_quantile(p, df)

    assert 1 - p == pytest.approx(ratings.t_tail(t, df), rel=1e-6)


@pytest.mark.parametrize(
    ("f", "df1", "df2", "p"), [(3.098391, 3, 20, 0.05), (5.786135, 2, 5, 0.05), (4.9646, 1, 10, 0.05), (0, 3, 5, 1)]
)
def test_f_tails_are_those_of_the_tables(f: float, df1: float, df2: float, p: float) -> None:
    assert p == pytest.approx(ratings.f_tail(f, df1, df2), rel=2e-3)


@given(st.floats(0.01, 40), st.integers(1, 400))
def test_f_with_one_contrast_is_t_squared(t: float, df: int) -> None:
    assert 2 * ratings.t_tail(t, df) == pytest.approx(ratings.f_tail(t * t, 1, df), rel=1e-9)


def test_the_incomplete_beta_function_meets_its_closed_forms() -> None:
    for x in (0.01, 0.3, 0.5, 0.77, 0.999):
        assert 2 / math.pi * math.asin(math.sqrt(x)) == pytest.approx(ratings.beta_share(0.5, 0.5, x))
        assert x**3 == pytest.approx(ratings.beta_share(3, 1, x))
        assert 1 - (1 - x) ** 4 == pytest.approx(ratings.beta_share(1, 4, x))
    assert (0.0, 1.0) == (ratings.beta_share(2, 3, 0), ratings.beta_share(2, 3, 1))


def test_a_singular_system_has_no_solution() -> None:
    assert ratings.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]) is None
    assert [2.0, -1.0] == pytest.approx(ratings.solve([[0.0, 1.0], [3.0, 1.0]], [-1.0, 5.0]))


# -- by hand


def test_a_deal_is_rated_against_the_mean_of_the_others_present() -> None:
    rated = rate(tally([result((2, 0, 1), (5, 1, 2), (4, None, 1))], 3))

    by_player = {standing.player: standing for standing in rated.standings}
    assert (3.5 + 3) / 2 == by_player[2].rating.mean
    assert -2.5 == by_player[0].rating.mean
    assert (-1 - 3) / 2 == by_player[1].rating.mean
    assert [2, 1, 2] == [by_player[player].deals for player in (2, 0, 1)]
    assert (4.5, 1.0, 1.5) == tuple(by_player[player].result for player in (2, 0, 1))
    assert (9.0, 1.0, 3.0) == tuple(by_player[player].score for player in (2, 0, 1))


def test_more_is_better_whatever_the_game_counts() -> None:
    rated = rate(tally([result((0, 1), (1, 0), (2, 0), game="scat")], 2))

    assert [1, 0] == [standing.player for standing in rated.standings]
    assert 1.5 == rated.standings[0].rating.mean
    assert 0.0 == rated.standings[0].result


def test_deals_from_a_fault_on_do_not_count_but_the_place_does() -> None:
    rated = rate(tally([result((0, 1), (9, 1), (9, 1), ranks=(2, 1), counted=1, faults=((0, "timeout"),))], 2))

    faulty = next(standing for standing in rated.standings if standing.player == 0)
    assert (8.0, 1) == (faulty.rating.mean, faulty.deals)
    assert (("timeout", 1),) == faulty.faults
    assert (0, 1) == faulty.places
    assert 0.0 == rated.ahead[0][1]


def test_places_are_shared_and_first_places_split() -> None:
    rated = rate(tally([result((0, 1, 2, 3), (5, 3, 3, 1)), result((0, 1, 2, 3), (2, 2, 2, 0))], 4), unit="match")

    by_player = {standing.player: standing for standing in rated.standings}
    assert (1, 1, 0, 0) == by_player[1].places
    assert (0, 0, 0, 2) == by_player[3].places
    assert (1 + 1 / 3) / 2 == pytest.approx(by_player[0].first_share)
    assert 1.5 == by_player[2].mean_place
    assert (1 + 2 / 3) / 2 == pytest.approx(by_player[0].points)
    assert by_player[0].points - 0.5 == pytest.approx(by_player[0].rating.mean)
    assert [1, 2, 2, 4] == [standing.place for standing in rated.standings]


def test_ahead_counts_ties_half() -> None:
    rated = rate(tally([result((0, 1), (1, 0)), result((1, 0), (1, 1)), result((0, 2), (0, 1))], 4))

    assert (None, 0.75, 0.0, None) == rated.ahead[0]
    assert (0.25, None, None, None) == rated.ahead[1]
    assert (0, 2, 1, 0) == rated.shared[0]


def test_the_interval_is_the_clustered_t_interval() -> None:
    """Against the textbook formula on blocks of unequal sizes, in plain floating point."""
    source = random.Random(3)
    blocks = [[source.gauss(1, 4) for _ in range(source.randint(1, 4))] for _ in range(12)]
    blocks = [[round(value) for value in block] for block in blocks]
    results = [result((0, 1), *((value, 0) for value in block), block=at) for at, block in enumerate(blocks)]

    rating = next(s.rating for s in rate(tally(results, 2)).standings if s.player == 0)

    mean = statistics.mean(value for block in blocks for value in block)
    deals = sum(map(len, blocks))
    error = math.sqrt(12 / 11 * sum((sum(block) - mean * len(block)) ** 2 for block in blocks)) / deals
    assert (mean, error) == pytest.approx((rating.mean, rating.error))
    assert (mean - 2.200985 * error, mean + 2.200985 * error) == pytest.approx((rating.low, rating.high), abs=1e-5)
    assert 12 == rating.blocks


def test_a_pair_is_compared_block_by_block() -> None:
    """Luck that a block gives to two players alike cancels from their difference."""
    source = random.Random(4)
    luck = [source.randint(-50, 50) for _ in range(20)]
    results = [
        result((a, 2), (luck[block] + 2 * (a == 0) + source.randint(0, 1), 0), block=block)
        for block in range(20)
        for a in (0, 1)
    ]

    rated = rate(tally(results, 3))

    pair = next(pair for pair in rated.pairs if (pair.a, pair.b) == (0, 1))
    assert pair.difference.error < 0.3 < 3 < rated.standings[0].rating.error
    assert pair.apart and 0 == pair.further


def test_uneven_players_are_compared_by_the_same_formula() -> None:
    source = random.Random(8)
    results = [
        result((who, 2), *((source.randint(0, 9), 5) for _ in range(1 + who)), block=block)
        for block in range(9)
        for who in ((0, 1) if block % 3 else (0,))
    ]
    rated = rate(tally(results, 3))
    pair = next(pair for pair in rated.pairs if {pair.a, pair.b} == {0, 1})

    sums = {who: [0.0] * 9 for who in (0, 1)}
    counts = {who: [0] * 9 for who in (0, 1)}
    for one in results:
        who = one.players[0]
        sums[who][one.block] += sum(deal[0] - deal[1] for deal in one.deals)
        counts[who][one.block] += len(one.deals)
    means = {who: sum(sums[who]) / sum(counts[who]) for who in (0, 1)}
    moved = [
        sum(
            sign * (sums[who][block] - means[who] * counts[who][block]) / sum(counts[who])
            for who, sign in ((pair.a, 1), (pair.b, -1))
        )
        for block in range(9)
    ]
    assert means[pair.a] - means[pair.b] == pytest.approx(pair.difference.mean)
    assert math.sqrt(9 / 8 * sum(one * one for one in moved)) == pytest.approx(pair.difference.error)


# -- claims


def sampled(strengths: Sequence[float], blocks: int, seed: int) -> Tally:
    """Return a tally of two-seat matches, every pair in both rotations of every block."""
    source = random.Random(seed)
    results = []
    for block in range(blocks):
        for a in range(len(strengths)):
            for b in range(a):
                for pair in ((a, b), (b, a)):
                    results.append(
                        result(pair, tuple(round(source.gauss(10 * strengths[p], 30)) for p in pair), block=block)
                    )
    return tally(results, len(strengths))


def test_rank_ranges_and_groups_follow_from_the_pairs_that_are_apart() -> None:
    rated = rate(sampled((9, 3, 3.05, 3, -4), 60, 1))

    assert [(1, 1), (2, 4), (2, 4), (2, 4), (5, 5)] == [standing.ranks for standing in rated.standings]
    assert ((1, 2, 3),) == tuple(tuple(sorted(group)) for group in rated.groups)
    assert [0, 4] == [rated.standings[0].player, rated.standings[-1].player]
    assert [True, False, False, True] == [pair.apart for pair in rated.neighbours()]


def forfeiting(unit: ratings.Unit) -> Ratings:
    """Three fair players and two that fault in all, or in a tenth, of their matches; the last one would be the best."""
    source = random.Random(6)
    results = [
        result(
            (a, b),
            tuple(round(source.gauss(9 * player, 9)) for player in (a, b)),
            block=block,
            faults=((0, "exit"),) if a == 4 or (a == 3 and block % 5 == 0) else (),
        )
        for block in range(30)
        for a in range(5)
        for b in range(5)
        if a != b
    ]
    return rate(tally(results, 5), unit=unit)


def test_who_forfeits_too_often_is_neither_ranked_nor_compared() -> None:
    rated = forfeiting("deal")

    assert [2, 1, 0, 4, 3] == [standing.player for standing in rated.standings]
    assert [(1, 1), (2, 2), (3, 3), None, None] == [standing.ranks for standing in rated.standings]
    assert [1, 2, 3, 4, 5] == [standing.place for standing in rated.standings]
    assert [False, False, False, True, True] == [standing.forfeits for standing in rated.standings]
    assert {(2, 1), (2, 0), (1, 0)} == {(pair.a, pair.b) for pair in rated.pairs} > set(rated.groups)
    raw = max(ratings._p_value(pair.difference) for pair in rated.pairs)
    assert max(pair.p for pair in rated.pairs) <= 3 * raw, "Holm's procedure is over three pairs, not ten"


def test_of_matches_a_forfeit_is_just_a_lost_one() -> None:
    rated = forfeiting("match")

    assert {False} == {standing.forfeits for standing in rated.standings}
    assert None not in {standing.ranks for standing in rated.standings}
    assert 10 == len(rated.pairs)


def test_ratings_that_claim_nothing_have_the_same_figures() -> None:
    claiming, plain = (rate(sampled((2, 1, 0), 10, 1), claims=claims) for claims in (True, False))

    assert [standing.rating.mean for standing in claiming.standings] == [one.rating.mean for one in plain.standings]
    assert claiming.ahead == plain.ahead
    assert {(None, None, None, None)} == {(one.ranks, *one.rating[1:4]) for one in plain.standings}
    assert ((), (), None) == (plain.pairs, plain.groups, plain.seat_effects[0].p)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_merged_tallies_are_one(data: st.DataObject) -> None:
    results = data.draw(st.lists(matches(4), max_size=10))
    cut = data.draw(st.integers(0, len(results)))
    merged, part = tally(results[:cut], 4), tally(results[cut:], 4)
    before = rate(part)
    merged.merge(part)

    assert rate(tally(results, 4)) == rate(merged)
    assert before == rate(part)
    assert len(results) == merged.matches


def test_overlapping_groups_are_both_told() -> None:
    assert [(0, 1, 2), (1, 2, 3)] == list(ratings._groups([0, 1, 2, 3, 4], {(0, 3), (0, 4), (1, 4), (2, 4), (3, 4)}))


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs() -> None:
    rated = rate(sampled((1, 0.6, 0), 40, 2))

    raw = sorted(ratings._p_value(pair.difference) for pair in rated.pairs)
    first = min(1, 3 * raw[0])
    second = max(first, min(1, 2 * raw[1]))
    assert [first, second, max(second, raw[2])] == pytest.approx(sorted(pair.p for pair in rated.pairs))


@pytest.mark.parametrize(("blocks", "said"), [(2, False), (5, False), (6, True), (40, True)])
def test_nothing_is_foretold_from_a_few_blocks(blocks: int, said: bool) -> None:
    pair = rate(sampled((0.4, -0.4), blocks, 1)).pairs[0]

    assert not pair.apart
    assert (pair.further is not None) == said


def test_further_blocks_would_indeed_separate() -> None:
    """With the number of blocks named, about four of five repetitions tell the pair apart."""
    rated = rate(sampled((1, 0), 40, 2))
    pair = rated.pairs[0]
    assert not pair.apart and pair.further is not None

    truth = abs(pair.difference.mean) / 40  # the difference is twice 10 x (truth - -truth)
    apart = sum(rate(sampled((truth, 0 - truth), 40 + pair.further, seed)).pairs[0].apart for seed in range(60))
    assert 38 <= apart <= 58


def test_one_block_claims_nothing() -> None:
    rated = rate(sampled((9, 0, -9), 1, 1))

    assert all(standing.rating.low is None and standing.rating.mean is not None for standing in rated.standings)
    assert all(not pair.apart and pair.p is None for pair in rated.pairs)
    assert {(1, 3)} == {standing.ranks for standing in rated.standings}


@pytest.mark.parametrize(("blocks", "apart"), [(2, False), (5, False), (6, True)])
def test_a_few_equal_blocks_are_no_certainty(blocks: int, apart: bool) -> None:
    rated = rate(tally([result((0, 1), (1, 0), block=block) for block in range(blocks)], 2))

    assert apart == rated.pairs[0].apart
    assert apart == (rated.standings[0].rating.error is not None)


def test_two_games_pool_by_matches_only() -> None:
    both = tally([result((0, 1), (1, 0)), result((0, 1), (1, 0), game="scat")], 2)

    with pytest.raises(ValueError, match="scat and scout have different units"):
        rate(both)
    rated = rate(both, unit="match")
    assert (("scat", "scout"), 2, 2) == (rated.games, rated.matches, rated.blocks)
    assert {0.0} == {standing.rating.mean for standing in rated.standings}
    assert 1 == rate(both, "scat").matches


def test_blocks_of_other_seats_are_other_blocks() -> None:
    both = tally([result((0, 1), (1, 0), block=7), result((0, 1, 2), (1, 0, 0), block=7)], 3)

    assert 2 == rate(both).blocks
    assert ((("scout", 2), ("scout", 3)), (3,)) == (both.groups, rate(both, seats=3).seats)


def test_the_seat_effect_is_found() -> None:
    source = random.Random(5)
    results = [
        result(
            tuple((seat + rotation) % 3 for seat in range(3)),
            tuple(round(source.gauss(40 - 4 * seat, 20)) for seat in range(3)),
            block=block,
        )
        for block in range(80)
        for rotation in range(3)
    ]

    (effect,) = rate(tally(results, 3)).seat_effects

    assert (0, 2) == (effect.best, effect.worst)
    assert effect.p < 0.01 < effect.spread
    assert effect.means[0].low > 0 > effect.means[2].high


def test_no_seat_effect_is_claimed_where_there_is_none() -> None:
    effects = [rate(sampled((3, 0, -3), 30, seed)).seat_effects[0].p for seat, seed in enumerate(range(100))]

    assert sum(p < 0.05 for p in effects) <= 12


def test_strengths_are_plackett_luce_for_two_and_finite_for_the_winner_of_everything() -> None:
    even = rate(tally([result((0, 1), (one, 1 - one)) for one in [1] * 3000 + [0] * 1000], 2))
    won = rate(tally([result((0, 1), (1, 0))] * 50, 3))

    assert 400 * math.log10(3) == pytest.approx(even.standings[0].strength - even.standings[1].strength, abs=1)
    strengths = {standing.player: standing.strength for standing in won.standings}
    assert strengths[0] > strengths[2] > strengths[1] and abs(strengths[2]) < 1e-6


def test_strengths_recover_those_of_a_plackett_luce_model() -> None:
    source = random.Random(6)
    logs = (1.0, 0.5, 0.0, -0.5, -1.0)
    results = []
    for at in range(6000):
        table = source.sample(range(5), 4)
        keys = [logs[player] - math.log(-math.log(source.random())) for player in table]
        results.append(result(table, (0, 0, 0, 0), block=at, ranks=places(tuple(keys))))

    found = {standing.player: standing.strength for standing in rate(tally(results, 5)).standings}

    assert [ratings.ELO * one for one in logs] == pytest.approx([found[player] for player in range(5)], abs=12)


def test_block_differences_are_what_the_sequence_looks_at() -> None:
    results = [
        result((0, 1), (3, 1), (2, 2), block=4),
        result((1, 0), (0, 1), block=4),
        result((0, 1), (5, 0), block=2),
        result((0, 1), (5, 0), block=9, counted=0),
    ]

    found = list(ratings.block_differences(tally(results, 2), 0, 1, "scout", 2))

    assert [(2, 5.0, 1), (4, 1.0, 3), (9, None, 0)] == found
    assert [(2, 1.0), (4, 1.0), (9, 1.0)] == [
        (block, difference)
        for block, difference, _ in ratings.block_differences(tally(results, 2), 0, 1, "scout", 2, "match")
    ]
    assert [] == list(ratings.block_differences(tally(results, 2), 0, 1, "scat", 2))


def test_a_block_in_which_one_has_nothing_that_counts_has_no_difference() -> None:
    found = ratings.block_differences(tally([result((0, 2), (3, 1), block=1)], 3), 0, 1, "scout", 2)

    assert [(1, None, 1)] == list(found)


# -- properties


@st.composite
def matches(draw: st.DrawFn, players: int, game: str = "scout") -> Result:
    table = draw(st.permutations(range(players)))[: draw(st.integers(2, players))]
    values = st.one_of(st.none(), st.integers(-30, 60))
    deals = tuple(draw(st.lists(st.tuples(*[values] * len(table)), max_size=3)))
    keys = draw(st.tuples(*[st.integers(0, 3)] * len(table)))
    faults = tuple(
        draw(st.lists(st.tuples(st.integers(0, len(table) - 1), st.sampled_from(("exit", "illegal"))), max_size=2))
    )
    return result(
        table,
        *deals,
        game=game,
        block=draw(st.integers(0, 3)),
        ranks=places(keys),
        counted=draw(st.integers(0, len(deals))),
        faults=faults,
    )


def check(rated: Ratings, players: int) -> None:
    """What holds for every rating: complete, finite, JSON-able, consistent."""
    assert all(math.isfinite(number) for number in numbers(rated))
    json.dumps(rated, allow_nan=False)
    assert list(range(players)) == sorted(standing.player for standing in rated.standings)
    assert sorted(standing.place for standing in rated.standings) == [standing.place for standing in rated.standings]
    ranked = [standing for standing in rated.standings if standing.rating.mean is not None and not standing.forfeits]
    assert ranked == list(rated.standings[: len(ranked)])
    assert len(ranked) * (len(ranked) - 1) // 2 == len(rated.pairs)
    for at, standing in enumerate(ranked, 1):
        assert standing.ranks is not None and 1 <= standing.ranks[0] <= at <= standing.ranks[1] <= len(ranked)
    assert all(standing.ranks is None for standing in rated.standings[len(ranked) :])
    assert len(rated.seat_effects) == len(rated.blocks_each) and rated.blocks == sum(rated.blocks_each)
    for standing in rated.standings:
        assert sum(standing.places) == standing.matches
        if standing.rating.low is not None:
            assert standing.rating.low <= standing.rating.mean <= standing.rating.high
    assert 0 == pytest.approx(sum(standing.strength for standing in rated.standings), abs=1e-6)
    for a, row in enumerate(rated.ahead):
        for b, share in enumerate(row):
            assert (share is None) == (rated.shared[a][b] == 0)
            assert share is None or 1 == pytest.approx(share + rated.ahead[b][a])
    if any(standing.matches for standing in rated.standings):
        assert 1 == pytest.approx(sum((s.first_share or 0) * s.matches for s in rated.standings) / rated.matches)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.integers(2, 5), st.sampled_from(ratings.UNITS))
def test_anything_rates_without_a_nan(data: st.DataObject, players: int, unit: ratings.Unit) -> None:
    """One player more than ever plays; no result at all; ties; forfeits; one block."""
    results = data.draw(st.lists(matches(players), max_size=12))

    check(rate(tally(results, players + 1), unit=unit), players + 1)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(ratings.UNITS))
def test_the_order_of_results_changes_nothing(data: st.DataObject, unit: ratings.Unit) -> None:
    results = data.draw(st.lists(matches(4), max_size=10))
    other = data.draw(st.permutations(results))

    assert rate(tally(results, 4), unit=unit) == rate(tally(other, 4), unit=unit)


@given(st.integers(2, 5), st.integers(1, 12), st.sampled_from(ratings.UNITS))
def test_all_ties_leave_everyone_level(players: int, blocks: int, unit: ratings.Unit) -> None:
    results = [result(tuple(range(players)), (3,) * players, block=block) for block in range(blocks)]

    rated = rate(tally(results, players), unit=unit)

    check(rated, players)
    assert {1} == {standing.place for standing in rated.standings}
    assert {(1, players)} == {standing.ranks for standing in rated.standings}
    assert (tuple(range(players)),) == rated.groups
    assert {0.0} == {standing.strength for standing in rated.standings}


@given(st.integers(2, 5), st.integers(0, 12), st.sampled_from(ratings.UNITS))
def test_all_forfeits_rate_matches_but_no_deals(players: int, count: int, unit: ratings.Unit) -> None:
    results = [
        result(tuple(range(players)), block=at, ranks=tuple(range(1, players + 1)), faults=((players - 1, "start"),))
        for at in range(count)
    ]

    rated = rate(tally(results, players), unit=unit)

    check(rated, players)
    assert (unit == "match" and count > 0) == bool(rated.pairs)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_one_game_rates(a: int, b: int) -> None:
    for unit in ratings.UNITS:
        check(rate(tally([result((0, 1), (a, b))], 2), unit=unit), 2)


def test_swapping_names_swaps_the_table() -> None:
    first = rate(sampled((2, 0, 1), 10, 3))
    results = [
        result((2 - a, 2 - b), (a * 3 + at % 4, b), block=at) for at in range(8) for a, b in ((0, 1), (1, 2), (0, 2))
    ]
    mirrored = [one._replace(players=tuple(2 - player for player in one.players)) for one in results]

    check(first, 3)
    ours, theirs = rate(tally(results, 3)), rate(tally(mirrored, 3))
    assert [2 - s.player for s in ours.standings] == [s.player for s in theirs.standings]
    assert [s.rating for s in ours.standings] == [s.rating for s in theirs.standings]


def test_a_tally_grows_with_blocks_not_with_matches() -> None:
    found = Tally(2, MORE)
    for at in range(500):
        found.add(result((0, 1), (at, 1), block=at % 5))

    assert 5 == len(found._groups["scout", 2].blocks["deal"])
