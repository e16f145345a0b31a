"""The final tables: what fits, and that nothing is lost for want of room."""

import itertools
import random
import re
from types import SimpleNamespace
from typing import Any

import pytest

from referee.ratings import Ratings, Tally, rate
from referee.report import tables
from referee.words import counted
from tests.test_ratings import result


def crosstable(players: int) -> list[str]:
    """Return the table of pairs of players who always finish in the order of their numbers."""
    tally = Tally(players, {"scout": True})
    for a in range(players):
        for b in range(a):
            tally.add(result((a, b), (-a, -b)))
    plan: Any = SimpleNamespace(players=[SimpleNamespace(name=f"a-player-with-number-{n}") for n in range(players)])
    return tables._crosstable(plan, rate(tally, "scout"), list(range(players)))


@pytest.mark.parametrize(("players", "full"), [(3, "100"), (15, "100"), (16, "++"), (20, "++"), (25, "++")])
def test_up_to_twenty_players_fit_into_the_table_of_pairs(players: int, full: str) -> None:
    lines = crosstable(players)

    assert max(map(len, lines)) <= 80
    shown = min(players, 20)
    rows = lines[3 : 3 + shown]
    assert ["-", *[full] * (shown - 1)] == rows[0].split()[2:]
    assert [*["0"] * (shown - 1), "-"] == rows[-1].split()[2:]
    assert ("++ is 100" in lines[1]) == (full == "++")
    assert ("and 5 more, for whom there is no room" in lines[-1]) == (players == 25)


def rated_of(*strengths: int, blocks: int = 12, noise: int = 40, faulty: int | None = None) -> Ratings:
    """Return the ratings of players of these strengths, every two of whom meet twice a block; one may always fault."""
    source = random.Random(3)
    tally = Tally(len(strengths), {"scout": True})
    for block, a, b in itertools.product(range(blocks), range(len(strengths)), range(len(strengths))):
        if a != b:
            deal = tuple(strengths[player] + source.randint(-noise, noise) for player in (a, b))
            faults = ((0, "exit"),) if a == faulty else ()
            tally.add(result((a, b), deal, block=block, faults=faults))
    return rate(tally, "scout")


NAMES = ("ann", "bob", "cid", "dee")


def test_equal_rank_ranges_are_explained_where_there_are_any() -> None:
    same = " Same rank range = not separated at 95 % over the whole table."

    assert same == tables.apart_lines(rated_of(50, 0, 0), NAMES)[0]
    assert [] == tables.apart_lines(rated_of(900, 0, -900), NAMES)
    assert [] == tables.apart_lines(rated_of(0, 0, blocks=0), NAMES)


def test_what_would_separate_neighbours_is_said_in_a_sentence() -> None:
    one, several = (tables._further_text(rated_of(*strengths), NAMES) for strengths in ((8, 0), (12, 6, 0)))

    assert re.fullmatch(r"About [\d,]+ more blocks would separate ann and bob\.", one)
    each = r"[\d,]+ for \w+ and \w+"
    assert re.fullmatch(rf"About so many more blocks would separate neighbours: {each}; {each}\.", several)


def test_blocks_are_counted_at_each_number_of_seats() -> None:
    tally = Tally(3, {"scout": True})
    for block in range(2):
        tally.add(result((0, 1), (1, 0), block=block))
        tally.add(result((0, 1, 2), (1, 0, 0), block=block))
    both, two = rate(tally, "scout"), rate(tally, "scout", 2)
    tally.add(result((0, 1, 2), (1, 0, 0), block=2))

    assert "2 blocks at each number of seats" == tables.blocks_text(both)
    assert "2 blocks" == tables.blocks_text(two)
    assert "5 blocks over 2 numbers of seats" == tables.blocks_text(rate(tally, "scout"))


def test_who_forfeits_too_often_is_in_no_claim_about_the_others() -> None:
    rated = rated_of(9, 6, 0, 3, faulty=2)

    rows = tables.listed(rated)

    assert "*" == tables.rank_text(*rows[-1]) and 2 == rows[-1][0].player
    assert {1, 2, 3} >= {rank for standing, _ in rows[:-1] for rank in standing.ranks or ()}
    assert 3 == len(rated.pairs)
    assert "cid" not in " ".join(tables.apart_lines(rated, NAMES))


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "match", "0 matches"), (1, "match", "1 match"), (1200, "block", "1,200 blocks"), (1, "time", "1 time")],
)
def test_numbers_agree_with_their_nouns(number: int, noun: str, text: str) -> None:
    assert text == counted(number, noun)
