"""Designs for large fields: everybody sits equally often, everybody meets everybody, nothing is played twice."""

import collections
import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import designs, schedule
from referee.ratings import Tally, rate
from referee.schedule import Contest
from referee.tournament import MATCH_BUDGET, default_blocks, few_tables
from tests.test_ratings import result


def tables_of(players: int, seats: int, tables: int = 0) -> list[tuple[int, ...]]:
    base = designs.base_tables(players, seats, tables)
    assert base is not None
    return list(designs.turned(base, players))


@pytest.mark.parametrize(
    ("players", "seats", "tables", "met"), [(7, 3, 7, (1, 1)), (13, 4, 13, (1, 1)), (40, 4, 280, (2, 3))]
)
def test_known_designs(players: int, seats: int, tables: int, met: tuple[int, int]) -> None:
    """7 by 3 is the plane of order 2, 13 by 4 that of order 3: each two players meet exactly once."""
    base = designs.base_tables(players, seats)

    assert base is not None
    assert tables == len(base) * players
    assert met == designs.meetings(base, players)


@given(st.integers(3, 40), st.integers(3, 9), st.integers(0, 200))
def test_a_design_is_even(players: int, seats: int, wanted: int) -> None:
    seats = min(seats, players)
    base = designs.base_tables(players, seats, wanted)
    everything = math.comb(players, seats)
    if base is None:  # a few more tables are all there are, or those that are left cannot be turned all the way round
        assert everything < wanted + 2 * players if wanted else everything < 3 * players**2
        return
    tables = list(designs.turned(base, players))

    assert len(tables) == len(set(tables)) < math.comb(players, seats)
    assert all(list(table) == sorted(set(table)) and set(table) <= set(range(players)) for table in tables)
    assert {len(base) * seats} == set(collections.Counter(itertools.chain(*tables)).values())
    met = collections.Counter(pair for table in tables for pair in itertools.combinations(table, 2))
    counts = [met[pair] for pair in itertools.combinations(range(players), 2)]
    assert (min(counts), max(counts)) == designs.meetings(base, players)
    if wanted:
        assert wanted <= len(tables) < wanted + players
    else:
        assert min(counts) >= 1


@pytest.mark.parametrize(("players", "seats"), [(20, 3), (20, 4), (40, 4), (40, 5), (60, 3), (150, 4), (150, 9)])
def test_few_tables_are_few(players: int, seats: int) -> None:
    """Within three times the bound that each two players meet, and far from uneven."""
    least = math.ceil(Fraction(math.comb(players, 2), math.comb(seats, 2)))
    base = designs.base_tables(players, seats)

    assert base is not None
    assert len(base) * players <= 3 * least
    assert designs.meetings(base, players)[1] <= 3


@pytest.mark.parametrize("seats", [1, 6])
def test_a_table_has_two_to_all_players(seats: int) -> None:
    with pytest.raises(ValueError, match=f"{seats} of 5 players"):
        designs.base_tables(5, seats)


def test_a_field_beyond_all_bounds_is_refused_with_what_would_do() -> None:
    with pytest.raises(ValueError, match="at most 500 players, not 501; play --tables all"):
        designs.base_tables(501, 4)


def test_two_seats_are_a_round_robin_unless_fewer_tables_are_asked_for() -> None:
    assert designs.base_tables(30, 2) is None
    assert ((0, 1), (0, 2)) == designs.base_tables(30, 2, 45)


def test_the_schedule_plays_the_design_with_the_players_that_it_has() -> None:
    contest = Contest("scout", (2, 3, 5, 7, 11, 13, 17), (3, 2), few={3: 0})
    tasks = list(schedule.tables([contest], 2, 2))

    threes = [task.players for task in tasks if task.seats == 3 and task.rotation == 0]
    assert {(2, 3, 7), (2, 5, 17)} < set(threes) and 7 == len(threes)
    assert 21 == len([task for task in tasks if task.seats == 2 and task.rotation == 0])
    assert schedule.Size(28, len(tasks), 2 * len(tasks)) == schedule.size([contest], 2, 2)
    assert list(range(7)) == [task.table for task in tasks if task.seats == 3 and task.rotation == 0]


def test_unsaid_a_large_field_plays_few_tables_and_a_small_one_all() -> None:
    large, small = Contest("scout", tuple(range(40)), (2, 4)), Contest("scat", tuple(range(8)), (2, 4))

    assert {"scout/2": 0, "scout/4": 0} == few_tables([large, small])
    assert {"scout/2": 9, "scout/4": 9, "scat/2": 9, "scat/4": 9} == few_tables([large, small], 9)
    played = large._replace(seats=(4,), few={4: 0})
    assert MATCH_BUDGET / 2 < schedule.size([played], default_blocks([played]), 1).matches <= MATCH_BUDGET


def test_players_that_never_meet_are_rated_and_their_cell_is_empty() -> None:
    tally = Tally(5, {"scout": True})
    for task in schedule.tables([Contest("scout", tuple(range(5)), (2,), few={2: 5})], 4, 4):
        for block in range(4):
            players = schedule.seating(task, block)
            tally.add(result(players, tuple(3 * (4 - who) + block % (who + 2) for who in players), block=block))
    rated = rate(tally, "scout")

    assert rated.ahead[0][2] is None and rated.ahead[0][1] is not None
    assert all(standing.rating.mean is not None for standing in rated.standings)
    assert all(math.isfinite(standing.strength) for standing in rated.standings)
