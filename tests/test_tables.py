"""The final tables: what fits, and that nothing is lost for want of room."""

from types import SimpleNamespace
from typing import Any

import pytest

from referee.ratings import Tally, rate
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


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "match", "0 matches"), (1, "match", "1 match"), (1200, "block", "1,200 blocks"), (1, "time", "1 time")],
)
def test_numbers_agree_with_their_nouns(number: int, noun: str, text: str) -> None:
    assert text == counted(number, noun)
