"""The check names each misbehaving player's sin in the probe that is meant for it, and finds none in the honest."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.check import FAIL, FORMATS, PASS, PROBES, SKIP, WARN, Report, check, not_started
from referee.check.patterns import Case, habit_of, late_pattern, pattern_of
from referee.check.positions import SAMPLE, sample
from referee.launch import NotStarted, builtin_players, resolve
from referee.match import Limits
from referee.process import Command
from tests.languages import skip_if_lacking

ROOT = Path(__file__).parent.parent
PLAYERS = ROOT / "tests" / "players"
BOTS = sorted(path for path in (ROOT / "examples" / "bots").iterdir() if not path.name.startswith("."))

LONG = 5000  # ms for answers that come at once: only a very busy machine needs any of it
SHORT = 250  # ms for those that never come

slow = pytest.mark.slow
process = pytest.mark.process


class Sin(NamedTuple):
    """A misbehaving player, the probe that is meant for it, and what its sentence says."""

    player: str
    key: str
    text: str
    verdict: str = FAIL
    ms: int = LONG


def checked(player: str, ms: int = LONG, positions: int = 40, *arguments: str) -> Report:
    """Check a player of tests/players, quickly: few positions, few numbers of seats."""
    argv = (sys.executable, "-S", str(PLAYERS / f"{player}.py"), *arguments)
    limits = Limits(move_ms=ms, start_ms=20_000)
    return check(Command(argv, str(PLAYERS)), player, player, limits=limits, positions=positions, seats=(2, 3))


def text_of(report: Report, key: str) -> str:
    result = report.by_key()[key]
    return "\n".join((result.problem, result.pattern, *result.notes, *result.fix, *result.came, *result.stderr))


QUICK = [
    Sin("answers_twice", "once", "It answered request 0 twice: 'move 0 stock', then 'move 0 stock'."),
    Sin("answers_events", "silent", "It spoke before it was asked: 'ok'."),
    Sin("prints_debug", "first", "'debug: 3 candidates'. Standard output is the wire: use standard error."),
    Sin("empty_line", "once", "An empty line came after its answer 'move 0 stock' to request 0."),
    Sin("no_flush", "first", "The answer came only after we closed your input: it sat in a buffer.", ms=SHORT),
    Sin("silent", "first", "Nothing came after we had closed its input either", ms=SHORT),
    Sin("exits_at_start", "start", "code 3 before it said 'ready'; its last line on standard error: 'no weights"),
    Sin("bom", "first", "byte order mark; write without one. (byte 1 of the line is \\xef)"),
    Sin("stale_id", "ids", "expected id 1, got id 0"),
    Sin("leaves_children", "orphans", "still running: "),
    Sin("counts_from_one", "scout-positions", "failures are places counted from 1; places in a hand count from 0"),
    Sin("knows_no_new_keys", "keys", "It fails when it hears lines with unknown keys"),
    Sin("remembers_the_last_match", "forgets", "by a fresh process and", WARN),
]

THE_REST = [
    Sin("ends_slowly", "bye", "after 'bye' and the end of its input; it has 500 ms."),
    Sin("ansi", "first", "a terminal escape sequence"),
    Sin("answers_early", "once", "It answered out of turn: 'move 1 stock' came after its answer 'move 0 stock'"),
    Sin("answers_late", "once", "It answered request 0 twice"),
    Sin("argues_with_strikes", "strike", "It fails when it is told of a strike"),
    Sin("asks_for_no_list", "legal-off", "does not play legally without one"),
    Sin("bad_utf8", "first", "(byte 10 of the line is \\xff)"),
    Sin("chatty_stderr", "scat-positions", "of its standard error, 4 MiB were read", ms=SHORT),
    Sin("chatty_stderr", "stderr", "64 KiB or more", WARN, ms=SHORT),
    Sin("closes_stdin", "first", "It closed its standard input before it answered request 1."),
    Sin("closes_stdout", "first", "It closed its standard output before it answered request 0."),
    Sin("comment_drip", "first", "comment lines came (", ms=SHORT),
    Sin("counts_its_own_ids", "ids", "expected id 1, got id 0"),
    Sin("crashes_sigsegv", "first", "It was ended by SIGSEGV"),
    Sin("crlf", "line-ends", "CR LF, as Windows does", WARN),
    Sin("double_fork_daemon", "orphans", "double_fork_daemon.py"),
    Sin("exits_after_a_match", "again", "It ended by itself after a match."),
    Sin("exits_mid_game", "first", "It exited with code 7 before it answered request 1."),
    Sin("exits_with_three", "exit-code", "code 3 after 'bye'", WARN),
    Sin("fills_the_disk", "first", "File too large"),
    Sin("floods_comments", "first", "more than 1000 comment lines"),
    Sin("floods_lines", "first", "'info depth 1'. Standard output is the wire: use standard error."),
    Sin("floods_no_newline", "first", "at most 1024 bytes"),
    Sin("floods_stderr", "first", "of its standard error, 4 MiB were read", ms=SHORT),
    Sin("grandchild_holds_pipe", "first", "It exited with code 5"),
    Sin("greets_twice", "ready-once", "It said 'ready' a second time."),
    Sin("half_line", "first", "it has written 'move 0' without a line end", ms=SHORT),
    Sin("hydra", "orphans", "still running: "),
    Sin("ignores_sigterm", "bye", "It was still running 1 s after 'bye'"),
    Sin("ignores_sigterm", "end-of-input", "It was still running after the end of its input"),
    Sin("ignores_sigterm", "sigterm", "still running", WARN),
    Sin("illegal", "scat-positions", "'castle' is no action of SCAT"),
    Sin("kills_its_group", "first", "It was ended by SIGKILL"),
    Sin("knows_another_game", "games", "It says that it plays 'skat'; it was to be checked for scat, scout."),
    Sin("knows_no_new_verbs", "verbs", "what is weather?"),
    Sin("knows_no_other_games", "later", "It fails when the referee knows more games than it does."),
    Sin("knows_the_usual_rules", "options", "With throw_down=any start_coins=1: It exited", WARN),
    Sin("last_gasp", "first", "It exited with code 4"),
    Sin("leaks", "memory", "It grew by", WARN),
    Sin("lone_cr", "first", "only LF ends a line, not CR", ms=SHORT),
    Sin("long_line", "first", "begins 'move 0 xxx"),
    Sin("malformed", "first", "expected 'move ID ACTION'"),
    Sin("never_reads", "first", "bytes of its input are unread", ms=SHORT),
    Sin("nul_byte", "first", "(byte 13 of the line is \\x00)"),
    Sin("padded_id", "first", "the id is a whole number in plain digits"),
    Sin("plays_by_memory", "memoryless", "It plays by what it remembers of the match", WARN),
    Sin("ponders", "rests", "of a CPU while nobody asked it", WARN),
    Sin("prints_afterwards", "once", "after its answer 'move 0 stock' to request 0: 'eval = 3'. Standard output"),
    Sin("puts_it_back", "scat-positions", "failures are discards of the card just taken from the pile"),
    Sin("raises", "first", "ZeroDivisionError: division by zero"),
    Sin("reads_the_hidden_side", "scout-positions", "Shows of the hidden numbers"),
    Sin("short_buffer", "long-lines", "It fails when it is sent a line of 16384 bytes"),
    Sin("sleeps", "first", "ms of CPU used)", ms=SHORT),
    Sin("slow_drip", "first", "it has written 'move 0 x", ms=SHORT),
    Sin("slow_on_big_hands", "time", "it is slow only on big hands", ms=300),
    Sin("spins", "first", "still computing", ms=SHORT),
    Sin("stops_itself", "first", "it is stopped (state T)", ms=SHORT),
    Sin("takes_faults_personally", "fault", "It fails when it hears that another player is out"),
    Sin("thinks_aloud", "comments", "It wrote 200 comments for one request", WARN),
    Sin("throws_dice", "repeats", "Two fresh processes played the same match of scat differently", WARN),
    Sin("unicode_digits", "first", "(byte 6 of the line is \\xd9)"),
    Sin("utf16", "first", "UTF-16"),
    Sin("writes_small", "scat-positions", "failures are legal actions in another spelling"),
]


def judge(sin: Sin, tmp_path: Path) -> None:
    report = checked(sin.player, sin.ms, 40, str(tmp_path / "file"))

    result = report.by_key()[sin.key]
    assert sin.verdict == result.verdict, FORMATS["text"](report)
    assert sin.text in text_of(report, sin.key)
    assert report.failed or sin.verdict == WARN
    assert result.repeat.startswith("referee ")
    for written in FORMATS.values():
        assert written(report).isascii()


@process
@pytest.mark.parametrize("sin", QUICK, ids=lambda sin: f"{sin.player}-{sin.key}")
def test_a_sin_is_named_by_the_probe_that_is_meant_for_it(sin: Sin, tmp_path: Path) -> None:
    judge(sin, tmp_path)


@slow
@process
@pytest.mark.parametrize("sin", THE_REST, ids=lambda sin: f"{sin.player}-{sin.key}")
def test_every_other_sin_is_named_too(sin: Sin, tmp_path: Path) -> None:
    judge(sin, tmp_path)


@slow
@process
def test_a_player_that_is_not_ready_in_time_is_told_what_it_waits_for() -> None:
    argv = (sys.executable, "-S", str(PLAYERS / "silent_at_start.py"))
    report = check(Command(argv, str(PLAYERS)), "it", "it", limits=Limits(start_ms=1000))

    assert "expected 'ready' within 1000 ms" in text_of(report, "greeting")
    assert FAIL == report.by_key()["greeting"].verdict


# -- the honest


def found(report: Report, *verdicts: str) -> list[str]:
    return [f"{result.key}: {result.problem}" for result in report.results if result.verdict in verdicts]


@process
def test_an_honest_player_passes_every_probe() -> None:
    report = checked("honest")

    assert [] == found(report, FAIL, WARN)
    assert {"legal-off", "live"} == {result.key for result in report.results if result.verdict == SKIP}
    assert len(PROBES) == report.count(PASS) + 2


@slow
@process
@pytest.mark.parametrize("player", ["honest", "closes_stderr", "grandchild_answers", "makes_orphans", "thinks"])
def test_what_is_nobodys_business_fails_no_probe(player: str) -> None:
    assert [] == found(checked(player), FAIL)


@slow
@process
@pytest.mark.parametrize("path", BOTS, ids=lambda path: path.name)
def test_no_example_fails_a_probe(path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_CACHE", str(pytestconfig.cache.mkdir("referee-builds")))
    try:
        player = resolve(str(path))
    except NotStarted as error:
        skip_if_lacking(error)
        raise

    assert [] == found(check(player.command, player.name, str(path), limits=Limits(start_ms=60_000)), FAIL)


@slow
@process
@pytest.mark.parametrize("name", [name for name, _ in builtin_players()])
def test_no_builtin_player_fails_a_probe(name: str) -> None:
    player = resolve(name)

    assert [] == found(check(player.command, player.name, name), FAIL)


@slow
@process
@pytest.mark.parametrize(("language", "program"), [("sh", "sh"), ("python", sys.executable)])
def test_the_players_on_the_protocols_first_page_fail_no_probe(language: str, program: str, tmp_path: Path) -> None:
    page = (ROOT / "protocol.md").read_text()
    (tmp_path / "bot").write_text(page.partition(f"```{language} player\n")[2].partition("```")[0])

    assert [] == found(check(Command((program, str(tmp_path / "bot")), str(tmp_path)), "it", "it"), FAIL)


# -- what cannot be started


def script(path: Path, text: str) -> Command:
    path.write_text(text)
    path.chmod(0o755)
    return Command((str(path),), str(path.parent))


@process
@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("#!/nowhere/python3\n", "/nowhere/python3"),
        ("#!/usr/bin/env no-such-interpreter\n", "The interpreter no-such-interpreter, which its first line"),
        ("#!/usr/bin/env sh\r\n", "ends with CR LF, as Windows writes"),
    ],
)
def test_a_missing_interpreter_is_named(first: str, text: str, tmp_path: Path) -> None:
    report = check(script(tmp_path / "bot", first), "bot", "./bot")

    assert text in text_of(report, "start")
    assert [result for result in report.results if result.verdict not in (FAIL, SKIP)] == []


def test_a_player_that_cannot_be_had_is_reported_like_any_other() -> None:
    report = not_started("./bot.c", "bot.c could not be built: cc says:\n    bot.c:1: error", Limits())

    assert report.failed
    assert "bot.c could not be built: cc says:" in text_of(report, "start")
    assert "bot.c:1: error" in text_of(report, "start")


# -- the command


def referee(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "check", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


@process
def test_the_command_exits_with_one_when_a_probe_fails() -> None:
    done = referee(PLAYERS / "exits_at_start.py", "--format", "json")

    value = json.loads(done.stdout)
    assert 1 == done.returncode
    assert value["failed"] is True
    assert "no weights found" in value["probes"][0]["problem"]
    assert ["no weights found"] == value["probes"][0]["stderr"]
    assert list(range(1, len(PROBES) + 1)) == [probe["number"] for probe in value["probes"]]


@process
def test_one_position_can_be_asked_again_alone() -> None:
    failing = checked("counts_from_one").by_key()["scout-positions"]
    number = failing.repeat.split("--position ")[1].split()[0]

    done = referee(PLAYERS / "counts_from_one.py", "--game", "scout", "--position", number, "--trace")

    assert 1 == done.returncode
    assert failing.problem in done.stdout
    assert "counts_from_one < move 0 show:" in done.stderr


@process
def test_what_is_no_program_is_a_wrong_command_line() -> None:
    assert 2 == referee("stdio").returncode
    assert 2 == referee("./nowhere").returncode
    assert 2 == referee(PLAYERS / "honest.py", "--game", "scout", "--seats", "7").returncode
    assert 2 == referee(PLAYERS / "honest.py", "--position", SAMPLE + 1).returncode


@process
def test_junit_counts_what_it_holds() -> None:
    report = checked("prints_debug")

    suite = ElementTree.fromstring(FORMATS["junit"](report))

    assert len(PROBES) == len(suite.findall("testcase")) == int(suite.attrib["tests"])
    assert len(suite.findall("testcase/failure")) == int(suite.attrib["failures"]) == 1
    assert len(suite.findall("testcase/skipped")) == int(suite.attrib["skipped"])


# -- positions and patterns


@pytest.mark.parametrize("game", ["scat", "scout"])
def test_positions_are_many_and_of_every_kind_and_the_first_ones_too(game: str) -> None:
    positions = sample(game)
    kinds = {position.kind for position in positions}

    assert SAMPLE == len(positions)
    assert list(range(1, SAMPLE + 1)) == [position.number for position in positions]
    assert len(kinds) >= 9
    assert kinds == {position.kind for position in positions[: len(kinds)]}
    assert {seats for seats in positions[0].game.seats} == {position.seats for position in positions}
    for position in positions:
        assert position.seat == position.game.to_act(position.state)
        assert position.legal


HAND = "1/2,1/3,5/6,6/7,9/2"


def show(word: str, *legal: str, wrong: str = "no", hand: str = HAND, active: str = "-") -> Case:
    return Case("", "scout", {"phase": "move", "hand": hand, "active": active}, legal, word, wrong)


@pytest.mark.parametrize(
    ("case", "habit"),
    [
        (show("show:3-4", "show:2-3"), "places counted from 1; places in a hand count from 0: show:3-4 for show:2-3"),
        (show("scout:L6", "scout:L5", "scout:L5f"), "places counted from 1"),
        (show("show:1-2", "show:2-3", hand=HAND + ",4/8"), "places that are one too low"),
        (show("show:3-2", "show:2-3"), "places given last first: show:3-2 for show:2-3"),
        (show("show:2-2", "show:2"), "legal actions in another spelling: show:2-2 for show:2"),
        (show("show:1-2", hand="9/8,7/3,9/4,1/9"), "Shows of the hidden numbers"),
        (show("show:1-2", hand="9/8,7/3,4/9,1/9"), "Shows with one card the wrong way up"),
        (
            Case("", "scat", {"phase": "discard", "from": "pile", "drawn": "7D"}, ("2C",), "7D", "no"),
            "discards of the card just taken from the pile",
        ),
        (Case("", "scat", {"phase": "discard"}, ("TH", "2C"), "10h", "no"), "another spelling: 10h for TH"),
        (Case("", "scat", {"phase": "discard"}, ("2C",), "TH", "no", before=("TH",)), "an old hand is remembered"),
    ],
)
def test_a_habit_is_found_behind_one_answer(case: Case, habit: str) -> None:
    assert habit in habit_of(case)


def test_no_habit_is_claimed_where_several_fit_or_none() -> None:
    assert "" == habit_of(show("show:0-2", "show:0-1"))
    assert "" == habit_of(show("show:1", "show:0", "show:2"))


def test_a_pattern_holds_for_nearly_all_failures() -> None:
    good = show("show:0", "show:0", wrong="")
    shifted = [show("show:3-4", "show:2-3"), show("show:4", "show:3", active="8/1")]

    assert "all 2 failures are places counted from 1" in pattern_of([good, *shifted])
    assert pattern_of([good, shifted[0]]).startswith("the one failure is of this kind: places counted from 1")
    assert "" == pattern_of([good])


def test_without_a_habit_the_requests_of_the_failures_are_compared() -> None:
    def draw(word: str, knocker: str, wrong: str = "") -> Case:
        view = {"phase": "draw", "hand": "2C,3C,4C", "knocker": knocker, "coins": "3,3", "pile": "5C"}
        return Case("", "scat", view, ("stock", "pile"), word, wrong)

    cases = [draw("knock", "1", "no"), draw("knock", "0", "no"), *[draw("stock", "-")] * 8]

    assert "after a knock" in pattern_of(cases)
    assert "no other answer there was legal" in pattern_of(cases)


def test_lateness_on_big_hands_alone_is_seen() -> None:
    def move(cards: int, ms: float) -> Case:
        view = {"phase": "move", "hand": ",".join(["1/2"] * cards), "active": "-"}
        return Case("", "scout", view, ("show:0",), "show:0", ms=ms)

    answered = [move(cards, 2.0) for cards in (5, 8, 9, 11, 12)]

    assert "hands of 16 cards or more" in late_pattern([move(16, 0), move(18, 0)], answered)
    assert "it is slow only on big hands" in late_pattern([move(16, 0), move(18, 0)], answered)
    assert "big hands" not in late_pattern([move(4, 0), move(18, 0)], answered)
