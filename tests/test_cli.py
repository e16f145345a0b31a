"""The command line: records become options, numbers agree with their nouns, and every refusal is a sentence."""

import ast
import inspect
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from referee.cli import options
from referee.cli.entry import COMMANDS, app, guarded
from referee.cli.options import Clock, Deals, Rules, Running, Sandbox, SandboxLevel, Telling, Terms
from referee.cli.output import Code, UsageProblem
from referee.cli.plans import Run, Started, describe, plan_of
from referee.cli.reading import Field, run_and_number
from referee.cli.unfold import unfolded
from referee.compare import Question
from referee.games import BadOption
from referee.launch import Player
from referee.process import Command
from referee.tournament import Plan, TooFewPlayers
from tests.human.terminal import Terminal

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "referee" / "cli"


# -- records


@dataclass(frozen=True)
class Inner:
    colour: Annotated[str, typer.Option("--colour")] = "red"


@dataclass(frozen=True)
class Outer:
    inner: Inner
    size: Annotated[int, typer.Option("--size")] = 1


def test_a_record_gives_way_to_its_fields_each_in_its_place() -> None:
    def paint(word: str, *, outer: Outer, dry: bool = False) -> None: ...

    assert ["word", "colour", "size", "dry"] == list(inspect.signature(unfolded(paint)).parameters)


def test_the_command_gets_the_records_made_of_what_was_typed() -> None:
    seen: list[Any] = []

    def paint(word: str, *, outer: Outer, dry: bool = False) -> None:
        seen.append((word, outer, dry))

    painter = typer.Typer()
    painter.command()(unfolded(paint))

    assert 0 == CliRunner().invoke(painter, ["wall", "--size", "3", "--colour", "blue"]).exit_code
    assert 0 == CliRunner().invoke(painter, ["wall"]).exit_code
    assert [("wall", Outer(Inner("blue"), 3), False), ("wall", Outer(Inner("red"), 1), False)] == seen


def test_two_fields_of_one_name_are_refused_at_once() -> None:
    def paint(*, first: Inner, second: Inner) -> None: ...

    with pytest.raises(ValueError, match="duplicate"):
        unfolded(paint)


def test_commands_share_the_words_of_an_option_and_each_is_explained() -> None:
    group: Any = typer.main.get_command(app)
    told: dict[str, set[str]] = {}
    for name, command in group.commands.items():
        for parameter in (each for each in command.params if each.param_type_name == "option"):
            assert getattr(parameter, "help", None), f"{name}: {parameter.name} is not explained"
            told.setdefault(parameter.name, set()).add(parameter.help)

    fields = {field for record in (options.Clock, options.Sandbox, options.Rules) for field in record.__slots__}
    assert fields == {name for name in fields if len(told[name]) == 1}


def test_help_lists_the_commands_in_their_order() -> None:
    group: Any = typer.main.get_command(app)

    words = [command.__name__.replace("_", "-") for command in COMMANDS]
    assert [*words, "play", "help"] == list(group.commands)


@pytest.mark.process
def test_help_loads_nothing_that_plays() -> None:
    code = (
        "import sys\nfrom referee.cli.entry import guarded\nguarded(['tournament', '--help'])\n"
        "heavy = 'referee.tournament', 'referee.store', 'referee.cli.running'\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.rstrip().endswith("[]") and "--no-ponder" in done.stdout


def test_contradictions_are_found_before_a_command_begins() -> None:
    with pytest.raises(UsageProblem, match="--no-clock and --bank"):
        Clock(no_clock=True, bank=5)
    with pytest.raises(UsageProblem, match="add --sandbox"):
        Sandbox(user="nobody")

    assert Clock(no_clock=True).limits().move_ms is None
    assert {} == Sandbox().planned()
    assert "strict" == Sandbox(SandboxLevel.STRICT).planned()["level"]


# -- refusals


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, without the settings of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("REFEREE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


REFUSED = [
    ("help nonsense", "no help on 'nonsense', but on exit-codes, environment, accessibility and on every command"),
    ("help environmen", "Did you mean environment?"),
    ("help tournamnet", "Did you mean tournament?"),
    ("tournament a b --sandbox=foo", "--sandbox: 'foo' is not one of 'off', 'on', 'strict'. referee tournament --help"),
    ("check a --sandbox=foo", "--sandbox: 'foo' is not one of"),
    ("show a --format foo", "--format: 'foo' is not one of"),
    ("resume a --progress foo", "--progress: 'foo' is not one of"),
    ("replay a --ui foo", "--ui: 'foo' is not one of"),
    ("export a --format text", "--format: 'text' is not one of 'json', 'jsonl', 'csv', 'tsv'"),
    ("tournament a b --jobs 1025", "--jobs: "),
    ("compare a b --jobs 1025", "--jobs: "),
    ("resume a --jobs -1", "--jobs: "),
    ("tournament a b --blocks 1000001 --dry-run", "--blocks: "),
    ("compare a b --blocks 1000001", "--blocks: "),
    ("match scat a b --blocks 0", "--blocks: "),
    ("nonsense", "No such command 'nonsense'"),
    ("tournament", "Missing argument 'PLAYERS...'"),
    ("tournament a b --nope", "No such option"),
    ("check nope.py", "there is no file 'nope.py'; referee check takes a program"),
    ("check ./nope.py", "there is no file './nope.py'; referee check takes a program"),
    ("check README.md", "README.md is no program: no player; referee check takes a program"),
    ("check notes", "notes is no program and in no language of the table: no player; referee check takes"),
    ("check folder", "without an executable `run`"),
    ("check human", "human is no program that can be started"),
    ("replay README.md#x", "README.md is a file, which holds one match: name it without #x"),
    ("replay README.md#3", "name it without #3"),
    ("replay folder#x", "folder#x: 'x' is no number; folder#0 is the first match"),
    ("rerun folder#-1", "'-1' is no number"),
    ("verify folder#1.5", "'1.5' is no number"),
    ("watch nowhere#x", "the record nowhere#x cannot be read"),
    ("match scat scat_greedy human", "human is you and needs a terminal: referee play scat"),
    ("match scat me=human scat_greedy --blocks 2", "human is you and needs a terminal"),
    ("tournament human scat_greedy scat_random", "human is you and needs a terminal"),
    ("compare scat_greedy human", "human is you and needs a terminal"),
]


@pytest.mark.parametrize(("line", "says"), REFUSED)
def test_what_is_refused_is_refused_in_one_sentence(
    line: str, says: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "README.md").write_text("nothing to run\n")
    (here / "notes").write_text("nothing to run\n")
    (here / "folder").mkdir()

    code = guarded(line.split())

    out, err = capsys.readouterr()
    assert (Code.USAGE, "") == (code, out)
    assert says in err
    assert err.startswith("referee: ") and 1 == err.count("\n")
    assert "Value error" not in err


def test_a_variable_is_refused_like_its_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFEREE_SANDBOX", "foo")

    assert Code.USAGE == guarded(["tournament", "a", "b"])
    assert "--sandbox: 'foo' is not one of 'off', 'on', 'strict'" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["run", "run#7", "run#x", "file#7"])
def test_what_bears_the_name_is_meant_whatever_follows_its_hash(word: str, here: Path) -> None:
    (here / "run").mkdir()
    (here / "run#x").mkdir()
    (here / "file").touch()
    (here / "file#7").touch()

    assert {"run#7": (Path("run"), 7)}.get(word, (Path(word), None)) == run_and_number(word)


def test_a_topic_and_a_command_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == guarded(["help", "exit-codes"])
    assert 0 == guarded(["help", "bots"])

    out = capsys.readouterr().out
    assert "141  the reader" in out and "Usage: referee bots" in out
    assert [f"{code.value}" for code in Code] == re.findall(r"^(\d+) ", out, re.M)[1:]


# -- plans


def started(*games: str) -> list[Started]:
    """Players a, b, c, ... that play the games named, with a blank between two."""
    return [
        Started(Player(name, Command(("true",), "", {}), None, name), tuple(plays.split()))
        for name, plays in zip("abcdefgh", games, strict=False)
    ]


def plan(players: list[Started], seats: list[int], *, preset: str = "seed", **more: Any) -> Plan:
    run = Run(
        field=Field([each.player for each in players], []),
        games=more.pop("games", []),
        seats=seats,
        deals=Deals(blocks=1),
        terms=Terms(Rules(preset=preset), Clock(), Sandbox()),
        running=Running(),
        telling=Telling(),
        **more,
    )
    return plan_of(run, players, [])


@pytest.mark.parametrize(
    ("players", "seats", "games", "noted"),
    [
        (["scat"] * 3, [2, 3, 4], [], "no tables of 4 of scat: 3 players play it\n"),
        (["scat"] * 3, [2, 3], [], ""),
        (["scat"] * 3, [2, 3, 4, 5, 6], ["scat"], "no tables of 4 to 6 of scat: 3 players play it\n"),
        (["scout"] * 6, [5, 6], [], "scout has no tables of 6, only of 2 to 5\n"),
        (
            ["scat scout"] * 3,
            [3, 4],
            [],
            "no tables of 4 of scat: 3 players play it\nno tables of 4 of scout: 3 players play it\n",
        ),
        (["scat", "scat", "scout"], [2], [], ""),
    ],
)
def test_tables_that_are_left_out_are_noted(
    players: list[str], seats: list[int], games: list[str], noted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(started(*players), seats, games=games)

    assert noted == capsys.readouterr().err


@pytest.mark.parametrize(
    ("players", "seats", "says"),
    [
        (["scout"] * 3, [4], "no tables of 4 of scout: 3 players play it"),
        (["scout", "scat"], [2], "no tables of 2 of scout: 1 player plays it"),
        (["scout"] * 8, [6, 7, 8, 9], "scout has no tables of 6 to 9, only of 2 to 5"),
        (["scout"] * 3, [4, 5, 6], "scout has no tables of 6, only of 2 to 5; no tables of 4 or 5 of scout: 3 players"),
    ],
)
def test_a_game_without_a_table_is_refused_in_words(players: list[str], seats: list[int], says: str) -> None:
    with pytest.raises(TooFewPlayers) as refused:
        plan(started(*players), seats, games=["scout"])

    assert says in str(refused.value)
    assert "[" not in str(refused.value)


def test_a_game_without_the_preset_plays_seed_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    made = plan(started("scat scout", "scat scout"), [2], preset="official")

    assert [("scat", "seed"), ("scout", "official")] == [(game, preset) for game, preset, *_ in made.contests]
    assert "scat has no preset 'official' and plays seed\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("plays", "preset", "says"),
    [
        ("scat", "official", "no game that is played here has a preset 'official': scat has seed."),
        ("scat scout", "offical", "scout has seed, official. Did you mean official?"),
    ],
)
def test_a_preset_that_no_game_has_is_refused(plays: str, preset: str, says: str) -> None:
    with pytest.raises(BadOption) as refused:
        plan(started(plays, plays), [2], preset=preset)

    assert says in str(refused.value)


def test_a_comparison_is_planned_with_both_at_every_table() -> None:
    made = plan(started("scat", "scat", "scat"), [2], question=Question(0.1))

    assert (0, 1) == made.anchors
    assert {"compare": {"margin": 0.1}} == made.notes
    assert "1 table, 1 block, 2 matches at most" in describe(made)


# -- numbers and their nouns


def test_no_number_stands_before_a_noun_in_the_plural_by_itself() -> None:
    """`counted` joins a number and its noun; only seats, of which every table has two and more, go without."""
    plural = re.compile(r"^ (matches|tables|blocks|players|deals|games|columns|rows|faults|moves|times)\b")
    found = []
    for path in sorted(PACKAGE.glob("*.py")):
        for text in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.JoinedStr)):
            for left, right in zip(text.values, text.values[1:], strict=False):
                if isinstance(left, ast.FormattedValue) and isinstance(right, ast.Constant):
                    if plural.match(str(right.value)):
                        found.append(f"{path.name}:{text.lineno}:{right.value}")

    assert [] == found


# -- runs that are over


def referee(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)], capture_output=True, text=True, timeout=120, cwd=ROOT
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that is over."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    short = ("--set", "start_coins=1", "--set", "hand_cap=1", "--blocks", 1, "--out", folder)
    done = referee("tournament", "scat_greedy", "scat_random", *short)
    assert 0 == done.returncode, done.stderr
    assert "1 table, 1 block, 2 matches" in done.stderr
    assert "nothing was left" not in done.stderr
    return folder


@pytest.mark.process
def test_resuming_a_finished_run_says_so_and_prints_its_table(finished: Path) -> None:
    done = referee("resume", finished)

    assert 0 == done.returncode
    assert "nothing was left to play" in done.stderr
    assert "scat_greedy" in done.stdout


@pytest.mark.process
def test_rerunning_failed_matches_where_none_failed_says_so(finished: Path) -> None:
    done = referee("rerun", finished, "--failed")

    assert (0, "") == (done.returncode, done.stdout)
    assert "no match failed: there is nothing to play again\n" == done.stderr


@pytest.mark.process
def test_an_export_is_jsonl_unless_said_otherwise(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == guarded(["export", str(finished)])
    assert capsys.readouterr().out.startswith('{"v":1,"match":0')

    assert 0 == guarded(["export", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "json|jsonl|csv|tsv" in told and "default: jsonl" in told


# -- while it works


@pytest.mark.process
@pytest.mark.screen
def test_a_check_says_where_it_is_and_leaves_no_trace_of_it(tmp_path: Path) -> None:
    command = f"{sys.executable} -m referee check tests/players/honest.py --game scat --seats 2"
    with Terminal(tmp_path, program=f"cd {ROOT}; {command}; echo over; read wait") as window:
        text = window.until("over")

    assert b"checking honest: " in window.raw
    assert "checking honest" not in text and "37 probes" in text
