"""What a table says of a player's last words, of who has no deal that counts, and of a machine that was too busy."""

from types import SimpleNamespace
from typing import Any

import pytest

from referee.match import Limits
from referee.process import STDERR_KEPT
from referee.ratings import Tally, rate
from referee.report import tables
from referee.report.tables import cause_of
from tests.test_ratings import result


def said(stderr: str) -> list[str]:
    """Return the lines of evidence on a player that wrote this to standard error; a character is a byte."""
    row = SimpleNamespace(result={"players": [0, 1]}, notes={"stderr": {"0": stderr}})
    plan: Any = SimpleNamespace(numbers=lambda: SimpleNamespace(key=lambda number: (0, number)))
    store: Any = SimpleNamespace(row_of=lambda task, block: row)
    return tables._evidence(plan, store, 0, 0)


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        ("", ""),
        ("reading\nno card\n", "said:  no card   (the last line on standard error)"),
        ("\x1b[2J\r\x00 end\n", "said:  \\x1b[2J\\x0d\\x00 end   (the last line on standard error)"),
        (
            "\x85\xe2\x80\xa8 tr\xc3\xa8s",
            "said:  \\x85\\xe2\\x80\\xa8 tr\\xc3\\xa8s   (the last line on standard error)",
        ),
        ("^\n\nError: no card\n\nNode.js v20\n", "said:  Error: no card   (on standard error)"),
        ("E\n" * (STDERR_KEPT // 2), "said:  E   (the last line kept: of standard error, the first 64 KiB are)"),
    ],
)
def test_the_last_words_are_whole_and_called_what_they_are(stderr: str, line: str) -> None:
    assert ([line] if line else []) == said(stderr)


def test_a_player_without_a_deal_that_counts_is_not_accused() -> None:
    """Its opponent fails before the first deal is over, in every match."""
    tally = Tally(2, {"scat": False})
    for block in range(3):
        tally.add(result((0, 1), (0, 1), game="scat", counted=0, block=block, faults=((1, "exit"),)))
    rows = tables.listed(rate(tally, "scat"))

    told = {standing.player: tables.rank_text(standing, forfeits) for standing, forfeits in rows}
    assert {0: "-", 1: "*"} == told
    sentence = tables.without_deals(rows, ["ann", "bob"])
    assert sentence.startswith("No deal counts of ann, so there is no rank: ")
    assert "bob" not in sentence


def overloaded(measured: float, waited: float, bob_ms: int = 0, ponder: bool = True) -> str:
    found = [(0, {"players": [0, 1]}, [0, bob_ms])]
    store: Any = SimpleNamespace(waited=lambda: (measured, waited), noted=lambda kind: found)
    names = [SimpleNamespace(name="ann"), SimpleNamespace(name="bob")]
    plan: Any = SimpleNamespace(players=names, limits=Limits(ponder=ponder))
    return tables._overloaded(plan, store)


def test_no_more_than_all_the_time_was_spent_waiting() -> None:
    assert "" == overloaded(1000, 100)
    assert "Timing unreliable: 60% of the time of longer answers" in overloaded(1000, 600)
    assert "Timing unreliable: nearly all of the time of longer answers" in overloaded(1000, 8330)


def test_fewer_jobs_are_advised_only_where_there_were_several() -> None:
    assert overloaded(1000, 600).endswith("Where several matches were played at once, fewer --jobs would help.")


def test_who_took_the_machine_from_the_others_is_named() -> None:
    assert "Who computed while others moved took it from them: bob 12.0 s." in overloaded(1000, 8330, 12_000)
    assert "took it" not in overloaded(1000, 8330, 12_000, ponder=False)


def test_the_sandbox_is_among_the_usual_causes_where_there_is_one() -> None:
    assert "sandbox" not in cause_of("exit", False)
    assert "the network" in cause_of("exit", True)
    assert "SIGSYS" in cause_of("signal", True)
    assert cause_of("timeout", True) == cause_of("timeout", False)
