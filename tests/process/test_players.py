"""Every common fault of a player, from end to end: the verdict, its sentence, its time, and nothing left behind."""

import os
import signal
import time
from typing import NamedTuple

import pytest

from referee import process as process_module
from referee.match import Answer
from referee.wire import Fault, Ready, safe

from .conftest import START_MS, Bench

LONG = 20_000  # ms for answers that come at once: only a very busy machine needs any of it
SHORT = 150  # ms for those that never come
GRACE = 20
SLACK_S = 3.0  # beyond the limit: a shared machine, and the longer deadline of a player that waits for a CPU
WORDS = "ms=1000 deal=0 turn=0 phase=draw hand=KS,TS,4H"


class Case(NamedTuple):
    """A player, the answers that count before its fault, the code, and what the sentence says."""

    player: str
    answers: int
    code: str
    text: str = ""
    ms: float = LONG


FAULTS = [
    Case("silent", 0, "timeout", "the answer was not flushed, or it expects more lines", SHORT),
    Case("no_flush", 0, "timeout", "the answer was not flushed, or it expects more lines", SHORT),
    Case("never_reads", 0, "timeout", "bytes of its input are unread", SHORT),
    Case("half_line", 0, "timeout", "it has written 'move 0' without a line end", SHORT),
    Case("lone_cr", 0, "timeout", "'move 0 stock\\x0d' without a line end; only LF ends a line, not CR", SHORT),
    Case("slow_drip", 0, "timeout", "it has written 'move 0 x", SHORT),
    Case("comment_drip", 0, "timeout", "comment lines came (", SHORT),
    Case("spins", 0, "timeout", "ms of CPU used)", SHORT),
    Case("sleeps", 0, "timeout", "ms of CPU used)", SHORT),
    Case("stops_itself", 0, "timeout", "it is stopped (state T)", SHORT),
    Case("floods_stderr", 0, "timeout", "got none in", 300),
    Case("exits_mid_game", 1, "exit", "it exited with code 7 before it answered request 1"),
    Case("raises", 1, "exit", "its last line on standard error: 'ZeroDivisionError: division by zero'"),
    Case("last_gasp", 1, "exit", "it exited with code 4"),
    Case("grandchild_holds_pipe", 0, "exit", "it exited with code 5"),
    Case("fills_the_disk", 0, "exit", "File too large"),
    Case("crashes_sigsegv", 0, "signal", "it was ended by SIGSEGV"),
    Case("kills_its_group", 0, "signal", "it was ended by SIGKILL before it answered request 0 (not by the referee"),
    Case("closes_stdout", 0, "closed", "it closed its standard output before it answered request 0"),
    Case("closes_stdin", 1, "closed", "it closed its standard input before it answered request 1"),
    Case("floods_lines", 0, "malformed", "'info depth 1'"),
    Case("floods_comments", 0, "malformed", "more than 1000 comment lines"),
    Case("malformed", 0, "malformed", "expected 'move ID ACTION'"),
    Case("padded_id", 0, "malformed", "the id is a whole number in plain digits"),
    Case("floods_no_newline", 0, "too-long", "at most 1024 bytes"),
    Case("long_line", 0, "too-long", "begins 'move 0 xxx"),
    Case("answers_twice", 1, "unsolicited", "(request 0 is answered), got 'move 0 a'"),
    Case("answers_early", 1, "unsolicited", "(request 0 is answered), got 'move 1 a'"),
    Case("empty_line", 1, "unsolicited", "got ''"),
    Case("stale_id", 1, "unsolicited", "expected id 1, got id 0: a stale answer"),
    Case("bad_utf8", 0, "bad-bytes", "'move 0 st\\xffck'"),
    Case("nul_byte", 0, "bad-bytes", "a NUL byte"),
    Case("bom", 0, "bad-bytes", "byte order mark"),
    Case("utf16", 0, "bad-bytes", "UTF-16"),
    Case("ansi", 0, "bad-bytes", "terminal escape sequence"),
    Case("unicode_digits", 0, "bad-bytes", "\\xd9"),
]


@pytest.mark.parametrize("case", FAULTS, ids=[case.player for case in FAULTS])
def test_a_fault_is_named_in_time_and_its_player_is_gone(bench: Bench, case: Case, tmp_path: object) -> None:
    process = bench.greeted(case.player, f"{tmp_path}/file")

    for _ in range(case.answers):
        answer = process.ask(WORDS, lambda: "a,b", LONG, GRACE)
        assert isinstance(answer, Answer) and answer.action == "a", answer
    start = time.monotonic()
    fault = process.ask(WORDS, lambda: "a,b", case.ms, GRACE)
    took = time.monotonic() - start
    process.dismiss("fault seat=0 code=x text=y")

    assert isinstance(fault, Fault), fault
    assert case.code == fault.code, fault
    assert case.text in fault.text
    assert fault.text == safe(fault.text)
    assert took < case.ms / 1000 + SLACK_S
    assert process.closed
    assert not process.alive()


@pytest.mark.parametrize("case", [case for case in FAULTS if case.code == "timeout"], ids=lambda case: case.player)
def test_no_player_is_called_late_before_its_limit(bench: Bench, case: Case) -> None:
    process = bench.greeted(case.player)

    start = time.monotonic()
    process.ask(WORDS, lambda: "a,b", 40, GRACE)

    assert time.monotonic() - start >= 0.06


HONEST = [
    "honest",
    "crlf",
    "closes_stderr",
    "chatty_stderr",
    "grandchild_answers",
    "leaves_children",
    "double_fork_daemon",
    "hydra",
    "ignores_sigterm",
    "live",
]


@pytest.mark.parametrize("player", HONEST)
def test_an_honest_player_is_left_in_peace_and_leaves_nothing(bench: Bench, player: str) -> None:
    """What it does beside answering is its own business, and swept away in the end."""
    process = bench.greeted(player)

    for number in range(3):
        process.tell("did seat=1 move=stock")
        answer = process.ask(WORDS, lambda: "a,b", LONG, GRACE)
        assert isinstance(answer, Answer) and answer.action == "a", answer
        assert number == process.id
    process.bye()

    assert not process.alive()


@pytest.mark.parametrize(
    ("player", "code", "text"),
    [
        ("silent_at_start", "handshake", "expected 'ready' within 150 ms, got none in"),
        (
            "exits_at_start",
            "exit",
            "code 3 before it said 'ready'; its last line on standard error: 'no weights found'",
        ),
    ],
)
def test_a_player_that_does_not_greet(bench: Bench, player: str, code: str, text: str) -> None:
    process = bench.start(player)

    fault = process.greet(("scat",), 150 if code == "handshake" else START_MS)

    assert isinstance(fault, Fault) and code == fault.code, fault
    assert text in fault.text
    assert process.closed


def test_a_player_that_does_not_read_a_long_request_is_blocked(bench: Bench) -> None:
    process = bench.greeted("never_reads")
    for _ in range(200):
        process.tell("did " + "x" * 2000)

    fault = process.ask(WORDS, lambda: "a", SHORT, GRACE)

    assert isinstance(fault, Fault) and fault.code == "blocked", fault
    assert "did not fit into its full pipe" in fault.text


def test_a_long_request_reaches_a_player_that_reads(bench: Bench) -> None:
    """It is written in the same loop that waits for the answer, pipe by pipe."""
    process = bench.greeted("honest")
    for _ in range(200):
        process.tell("did " + "x" * 2000)

    assert isinstance(process.ask(WORDS, lambda: "a", LONG, GRACE), Answer)


def test_an_answer_after_the_answer_is_seen_before_the_next_request(bench: Bench) -> None:
    process = bench.greeted("answers_late")
    assert isinstance(process.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    while not bench.table.serve(1000):
        pass

    fault = process.ask(WORDS, lambda: "a", LONG, GRACE)

    assert isinstance(fault, Fault) and fault.code == "unsolicited", fault
    assert [b"act 0"] == [line[:5] for _, way, line in bench.lines if way == ">" and line.startswith(b"act")]


def test_a_malformed_answer_is_not_the_end(bench: Bench) -> None:
    """A table with strikes goes on: whoever drives the match decides."""
    process = bench.greeted("malformed")

    for _ in range(3):
        fault = process.ask(WORDS, lambda: "a", LONG, GRACE)
        assert isinstance(fault, Fault) and fault.code == "malformed", fault
        assert not process.closed

    assert process.alive()


def test_a_player_without_a_clock_may_take_its_time(bench: Bench) -> None:
    process = bench.greeted("thinks")

    answer = process.ask(WORDS, lambda: "a", None, GRACE)

    assert isinstance(answer, Answer)
    assert answer.wall_ms >= answer.charge_ms >= 19
    assert answer.cpu_ms >= 19


def test_an_answer_within_the_grace_counts_and_shows_its_overrun(bench: Bench) -> None:
    process = bench.greeted("thinks")

    answer = process.ask(WORDS, lambda: "a", 5, LONG)

    assert isinstance(answer, Answer), answer
    assert answer.charge_ms - 5 > 10


def test_a_fault_stands(bench: Bench) -> None:
    process = bench.greeted("bad_utf8")
    fault = process.ask(WORDS, lambda: "a", LONG, GRACE)

    assert fault == process.ask(WORDS, lambda: "a", LONG, GRACE)


def test_a_dismissed_player_hears_why(bench: Bench) -> None:
    process = bench.greeted("illegal")
    process.ask(WORDS, lambda: "a", LONG, GRACE)

    process.dismiss("fault seat=0 code=illegal id=0 text=castle")

    assert not process.alive()
    assert (">", b"fault seat=0 code=illegal id=0 text=castle") in [line[1:] for line in bench.lines]


def test_a_live_player_hears_what_happens_while_it_happens(bench: Bench) -> None:
    process = bench.greeted("live")
    assert Ready(None, False, True) == process.ready

    process.tell("match id=m0")
    process.tell("did seat=1 move=stock")
    deadline = time.monotonic() + 20
    while process.stderr_head.count(b"\n") < 2 and time.monotonic() < deadline:
        bench.table.serve(100)

    assert b"match id=m0\ndid seat=1 move=stock\n" == process.stderr_head


def test_a_live_player_that_never_reads_is_blocked(bench: Bench) -> None:
    """What waits for it is bounded."""
    process = bench.greeted("live")
    os.kill(process.pid, signal.SIGSTOP)
    for _ in range(600):
        process.tell("did " + "x" * 2000)

    fault = process.ask(WORDS, lambda: "a", SHORT, GRACE)

    assert isinstance(fault, Fault) and fault.code == "blocked", fault


def test_the_others_are_served_while_one_thinks(bench: Bench) -> None:
    """Their deaths are seen, and are not the thinker's fault."""
    first, second = bench.greeted("honest"), bench.greeted("last_gasp")
    assert isinstance(second.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    while second.alive():
        time.sleep(0.001)

    assert isinstance(first.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    fault = second.ask(WORDS, lambda: "a", LONG, GRACE)

    assert isinstance(fault, Fault) and fault.code == "exit", fault
    assert isinstance(first.ask(WORDS, lambda: "a", LONG, GRACE), Answer)


def test_what_the_others_write_waits_until_they_are_asked(bench: Bench) -> None:
    first, second = bench.greeted("honest"), bench.greeted("answers_late")
    assert isinstance(second.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    assert isinstance(first.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    time.sleep(0.2)

    assert isinstance(first.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
    assert 1 == bench.lines.count(("answers_late", "<", b"move 0 a"))
    fault = second.ask(WORDS, lambda: "a", LONG, GRACE)

    assert isinstance(fault, Fault) and fault.code == "unsolicited", fault


@pytest.mark.parametrize("player", ["exits_mid_game", "last_gasp", "grandchild_holds_pipe", "crashes_sigsegv"])
def test_a_death_is_seen_where_there_are_no_pidfds(bench: Bench, player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.delattr(os, "waitid", raising=False)
    process = bench.greeted(player)

    fault: Answer | Fault = Answer("")
    while isinstance(fault, Answer):
        fault = process.ask(WORDS, lambda: "a", LONG, GRACE)

    assert fault.code == ("signal" if player == "crashes_sigsegv" else "exit"), fault


def test_dead_orphans_do_not_pile_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "TIDY_S", 0.01)
    process = bench.greeted("makes_orphans")

    for _ in range(20):
        assert isinstance(process.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
        time.sleep(0.02)

    assert len(process_module._children()) < 20


def test_bye_takes_half_a_second_at_most_for_all_together(bench: Bench) -> None:
    stubborn = [bench.greeted("ignores_sigterm") for _ in range(3)]

    start = time.monotonic()
    bench.table.bye()

    assert time.monotonic() - start < 0.5 + SLACK_S
    assert not any(process.alive() for process in stubborn)


def test_standard_error_is_kept_to_its_bound(bench: Bench) -> None:
    process = bench.greeted("chatty_stderr")
    process.ask(WORDS, lambda: "a", LONG, GRACE)

    process.kill()

    assert b"d" * 65536 == process.stderr_head
    assert len(process.stderr_tail) <= 4096


def test_a_flood_on_standard_error_is_not_read_for_ever(bench: Bench) -> None:
    process = bench.greeted("floods_stderr")

    process.ask(WORDS, lambda: "a", 300, GRACE)

    assert process._stderr_count < 4 * 1024 * 1024 + 65536
