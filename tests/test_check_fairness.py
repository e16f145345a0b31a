"""The check accuses of one sin once: what follows from it, and what goes wrong anyway, is held against nobody."""

import pytest

from referee.check import FAIL, PASS, SKIP, WARN

from .test_check import SHORT, checked, found, text_of

pytestmark = pytest.mark.process
STRANGE = ("verbs", "keys", "fault", "strike", "long-lines", "memoryless", "again", "options", "forgets", "repeats")


def test_an_answer_that_is_bad_wherever_it_comes_is_not_put_down_to_what_was_strange() -> None:
    """The fourth answer of each process is bad; which probe hears it is chance."""
    report = checked("slips_once")

    results = report.by_key()
    assert FAIL in {results["scat-positions"].verdict, results["scat-matches"].verdict}
    assert [] == [key for key in STRANGE if results[key].verdict in (FAIL, WARN)], found(report, FAIL, WARN)


def test_who_speaks_at_the_end_of_a_match_is_told_that_and_nothing_else() -> None:
    report = checked("speaks_at_the_end")

    (told,) = found(report, FAIL, WARN)
    assert told == "scout-matches: It spoke after the line 'end', when nobody had asked it: 'move 0 stock'."
    assert "'move 0 stock'" == report.by_key()["scout-matches"].came[-1]
    assert SKIP == report.by_key()["again"].verdict
    assert PASS == report.by_key()["scat-matches"].verdict


@pytest.mark.slow
def test_what_is_left_behind_in_a_long_conversation_is_found() -> None:
    report = checked("leaves_children_later")

    result = report.by_key()["orphans"]
    assert FAIL == result.verdict
    assert "a process of its own still ran 1 s after the end of its input" in result.problem
    assert "still running: " in text_of(report, "orphans")
    assert ["orphans"] == [line.partition(":")[0] for line in found(report, FAIL, WARN)]


@pytest.mark.parametrize(
    ("player", "text"),
    [
        ("closes_stdin_when_asked", "It closed its standard input before it answered request 1."),
        ("exits_in_mid_line", "It exited with code 0 before it answered request 0; it has written 'move 0"),
    ],
)
def test_how_it_left_is_said(player: str, text: str) -> None:
    assert text in text_of(checked(player, SHORT), "first")


def test_who_closes_a_pipe_at_the_end_of_a_match_is_told_that_and_nothing_else() -> None:
    told = found(checked("closes_stdout_at_the_end"), FAIL, WARN)

    assert ["again: It closed its standard output while nobody asked it, after the line 'end'."] == told
