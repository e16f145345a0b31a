"""What an unfinished run may claim: only what rests on blocks that everybody has played."""

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match import Limits
from referee.ratings import UNITS, Result, Tally, Unit, rate
from referee.report.ledger import Ledger, caution
from referee.schedule import seating
from referee.tournament import Entry, Plan
from tests.test_ratings import places

MORE = {"scat": False, "scout": True}
A_BLOCK = 12  # matches of a block: two rotations of the six tables of two of four players


def plan_of(blocks: int = 6, seats: tuple[int, ...] = (2,), games: tuple[str, ...] = ("scat",)) -> Plan:
    """Return a plan of four players whose slices have three blocks."""
    entries = tuple(Entry(f"p{at}", ("true",), "", {}, games) for at in range(4))
    contests = tuple((game, "seed", {}, seats, (0, 1, 2, 3)) for game in games)
    return Plan(entries, contests, blocks, 3, Limits())


def results_of(plan: Plan) -> list[Result]:
    """Return all matches of a plan in schedule order; players differ, the last one faults at times."""
    source = random.Random(1)
    found = []
    for task in plan.schedule():
        for block in range(task.first_block, task.first_block + task.blocks):
            players = seating(task, block)
            deals = tuple(tuple(source.randint(0, 9) + 3 * player for player in players) for _ in range(2))
            ranks = places([-sum(column) for column in zip(*deals, strict=True)])
            faults = ((0, "exit"),) if players[0] == 3 and source.random() < 0.2 else ()
            found.append(
                Result(
                    task.game, task.seats, task.table, block, task.rotation, players, ranks, deals[-1], deals, 2, faults
                )
            )  # fmt: skip
    return found


def ledger_of(plan: Plan, results: Iterable[Result]) -> Ledger:
    ledger = Ledger(plan)
    for result in results:
        ledger.add(result)
    return ledger


def tally_of(results: Iterable[Result]) -> Tally:
    tally = Tally(4, MORE)
    for result in results:
        tally.add(result)
    return tally


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seats", [(2,), (2, 3)])
def test_a_finished_run_is_rated_as_if_there_were_no_blocks_to_wait_for(seats: tuple[int, ...], unit: Unit) -> None:
    plan = plan_of(seats=seats, games=("scat", "scout"))
    results = results_of(plan)

    rated = ledger_of(plan, results).ratings(unit)

    assert [rate(tally_of(results), game, unit=unit) for game in ("scat", "scout")] == rated
    assert ["", ""] == [caution(one) for one in rated]


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 6), st.integers(0, 3 * A_BLOCK))
def test_whole_blocks_alone_are_rated_whatever_came_first(source: random.Random, blocks: int, more: int) -> None:
    plan = plan_of()
    results = results_of(plan)
    later = [one for one in results if one.block >= blocks]
    source.shuffle(later)
    played = [one for one in results if one.block < blocks] + later[:more]
    source.shuffle(played)
    whole = [one for one in played if sum(other.block == one.block for other in played) == A_BLOCK]

    rated = ledger_of(plan, played).rated("scat")

    if not played:
        assert rated is None
        return
    assert rated is not None
    if len(whole) >= 2 * A_BLOCK or len(whole) == len(played):
        assert rate(tally_of(whole), "scat") == rated._replace(left_out=0)
        assert len(played) - len(whole) == rated.left_out
    else:
        assert rate(tally_of(played), "scat", claims=False) == rated


def test_players_who_met_different_opponents_are_not_told_apart() -> None:
    """Tables play one after another: early in a slice there is much of some players and little of others."""
    plan = plan_of()
    played = results_of(plan)[:20]
    assert {0, 1, 2, 3} == {player for result in played for player in result.players}

    rated = ledger_of(plan, played).rated("scat")

    assert rated is not None and not rated.claims
    assert () == rated.pairs == rated.groups == rated.neighbours()
    assert {None} == {standing.ranks for standing in rated.standings}
    assert {None} == {standing.rating.low for standing in rated.standings}
    assert (None, 20) == (rated.seat_effects[0].p, rated.matches)
    assert caution(rated) == "SCAT: players have not met the same opponents yet, so nobody is ranked."


def test_the_caution_counts_the_matches_left_out() -> None:
    plan = plan_of()
    results = results_of(plan)

    one, two = (ledger_of(plan, results[: 3 * A_BLOCK + more]).rated("scat") for more in (1, 2))

    assert one and caution(one) == "1 match of unfinished blocks is not in the table of SCAT."
    assert two and caution(two) == "2 matches of unfinished blocks are not in the table of SCAT."


def test_a_void_match_counts_as_played() -> None:
    plan = plan_of()
    results = results_of(plan)
    ledger = ledger_of(plan, results[1:])
    ledger.add_void("scat", 2, results[0].block)

    assert ledger.rated("scat") == rate(tally_of(results[1:]), "scat")


def test_each_game_waits_for_its_own_blocks() -> None:
    plan = plan_of(games=("scat", "scout"))
    played = [result for result in results_of(plan) if result.game == "scat" or result.rotation == 0]

    scat, scout = ledger_of(plan, played).ratings()

    assert rate(tally_of(played), "scat") == scat
    assert rate(tally_of(played), "scout", claims=False) == scout


def test_a_comparison_waits_for_no_block() -> None:
    plan = replace(plan_of(), anchors=(0, 1))
    played = results_of(plan)[:7]

    assert ledger_of(plan, played).rated("scat") == rate(tally_of(played), "scat")


def test_it_keeps_few_results_of_a_block_and_sums_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.report.ledger.KEPT", 5)
    plan = plan_of()
    played = results_of(plan)[: 6 * A_BLOCK - 2]
    ledger = Ledger(plan)
    for at, result in enumerate(played, 1):
        ledger.add(result)
        assert all(len(opened.results) < 5 for opened in ledger._open.values())
        assert ledger.rated("scat") == ledger_of(plan, reversed(played[:at])).rated("scat")

    rated = ledger.rated("scat")
    whole = [result for result in played if sum(other.block == result.block for other in played) == A_BLOCK]
    assert rated is not None and rated._replace(left_out=0) == rate(tally_of(whole), "scat")


def test_it_keeps_nothing_of_a_block_that_is_whole() -> None:
    plan = plan_of(blocks=30)
    ledger = Ledger(plan)
    most = 0
    for result in results_of(plan):
        ledger.add(result)
        most = max(most, len(ledger._open))

    assert (3, 0) == (most, len(ledger._open)), "a slice has three blocks"
