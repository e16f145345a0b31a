"""Plain lines of progress: when there is one, and what it says of a comparison."""

import dataclasses
import random

from referee.report.live import Board
from referee.report.progress import Plain
from tests.test_live import Clock, plan_of, rows_of

STATUS = "Not decided yet: a - b is +1.4 points a deal (95 % sure: between +0.8 and +2.1), after 30 blocks."


def plain_of(blocks: int, compared: bool = False) -> tuple[Plain, Clock, list[str]]:
    plan = plan_of(blocks=blocks)
    plan = dataclasses.replace(plan, notes={"compare": {"margin": None}}) if compared else plan
    clock, said = Clock(), []
    return Plain(Board(plan, ()), said.append, clock), clock, said


def test_a_minute_after_the_last_line_there_is_another_if_anything_has_come():
    plain, clock, said = plain_of(2_000)
    rows = rows_of(plain.board.plan, random.Random(5), 10)

    clock.now = 59.0
    plain.committed(rows[:100])
    assert said == [], "a quarter per cent is not 5 %"
    clock.now = 60.0
    plain.tick()
    assert said[0].startswith("100/40000 matches 0% ")
    clock.now = 500.0
    plain.tick()
    assert len(said) == 1, "nothing has come"
    plain.committed(rows[100:101])
    assert said[1].startswith("101/40000 matches 0% ")
    clock.now = 540.0
    plain.committed(rows[101:])
    assert len(said) == 2


def test_a_comparison_says_how_it_stands_and_no_share_of_its_cap():
    plain, clock, said = plain_of(2_000, compared=True)
    rows = rows_of(plain.board.plan, random.Random(5), 10)

    clock.now = 60.0
    plain.committed(rows[:60])
    assert ["60 of at most 40000 matches 1.0/s faults ", "Nothing is judged yet."] == [
        said[0].splitlines()[0].rstrip("0123456789"), *said[0].splitlines()[1:]
    ]  # fmt: skip
    plain.status(STATUS)
    clock.now = 120.0
    plain.committed(rows[60:])
    assert said[1].splitlines()[1:] == [
        "Not decided yet: a - b is +1.4 points a deal (95 % sure: between +0.8 and +2.1)."
    ]
    assert "%" not in said[0]
