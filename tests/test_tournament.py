"""Round robins of real programs, end to end through the command line: the same bytes whatever happens on the way."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
QUICK = [f"{name}={ROOT}/tests/players/{file}" for name, file in (("one", "honest.py"), ("two", "honest.py"))]
BOTS = ["scat_random", "scat_greedy", "scout_random", "scout_greedy"]


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "referee", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        env={**os.environ, "CI": "true", "NO_COLOR": "1"},
    )


def referee(*words: object, code: int = 0) -> tuple[str, str]:
    """Run the command line to its end and return what it printed; it must exit with `code`."""
    process = start(*words)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
    return out, err


def export(folder: Path) -> str:
    return referee("export", folder, "--format", "jsonl", "--records")[0]


def tournament(folder: Path, *more: object) -> list[object]:
    return ["tournament", *BOTS, "--seed", "7", "--blocks", "3", "--out", folder, *more]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The export of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    referee(*tournament(folder, "--jobs", "1"))
    return export(folder)


def count(folder: Path) -> int:
    """How many matches are in the store now; 0 before there is one."""
    try:
        with sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True) as database:
            found: int = database.execute("SELECT count(*) FROM match").fetchone()[0]
        return found
    except sqlite3.Error:
        return 0
    finally:
        if "database" in locals():
            database.close()


def wait_for(folder: Path, matches: int) -> None:
    deadline = time.monotonic() + 60
    while count(folder) < matches:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.02)


def workers_of(folder: Path, pid: int) -> list[int]:
    """The pids of the workers of a coordinator."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text().rpartition(")")[2].split()
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(status[1]) == pid and b"referee.worker" in line:
                found.append(int(entry.name))
    return found


def alive(marker: str) -> list[str]:
    """Command lines of running processes that have `marker` in them."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in line:
                found.append(line.decode(errors="replace"))
    return found


def test_two_jobs_give_the_bytes_of_one(tmp_path, unbroken):
    referee(*tournament(tmp_path / "run", "--jobs", "2"))

    assert export(tmp_path / "run") == unbroken


def test_every_match_of_a_run_verifies_and_the_seed_is_published(tmp_path, unbroken):
    referee(*tournament(tmp_path / "run"))

    out, _ = referee("verify", tmp_path / "run")
    assert "12 matches verify" in out
    rows = [json.loads(line) for line in unbroken.splitlines()]
    assert len(rows) == 12
    assert {row["game"] for row in rows} == {"scat", "scout"}


def test_a_killed_coordinator_resumes_to_the_same_bytes(tmp_path, unbroken):
    run = start(*tournament(tmp_path / "run", "--jobs", "1", "--blocks", "3"))
    wait_for(tmp_path / "run", 1)
    run.kill()
    run.communicate()

    referee("resume", tmp_path / "run")

    assert export(tmp_path / "run") == unbroken


def test_a_killed_worker_costs_nothing_but_time(tmp_path, unbroken):
    folder = tmp_path / "run"
    run = start(*tournament(folder, "--jobs", "1"))
    killed = 0
    while run.poll() is None and killed < 2:
        for pid in workers_of(folder, run.pid):
            if (folder / "run.sqlite").exists():
                os.kill(pid, signal.SIGKILL)
                killed += 1
                time.sleep(0.3)
        time.sleep(0.005)
    _, err = run.communicate(timeout=120)

    assert run.returncode == 0, err
    assert "is played again" in err
    assert export(folder) == unbroken


def test_ctrl_c_finishes_what_runs_and_says_how_to_resume(tmp_path, unbroken):
    folder = tmp_path / "run"
    run = start(*tournament(folder, "--jobs", "1"))
    wait_for(folder, 1)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)

    assert run.returncode == 130, err
    assert f"Resume with: referee resume {folder}" in err
    referee("resume", folder)
    assert export(folder) == unbroken


def test_a_second_referee_on_a_run_is_refused(tmp_path):
    folder = tmp_path / "run"
    run = start(*tournament(folder))
    wait_for(folder, 1)
    _, err = referee("resume", folder, code=74)
    run.communicate(timeout=120)

    assert "another referee is writing" in err


def test_misbehaving_players_end_last_each_with_its_reason_and_none_stays(tmp_path):
    sins = [
        "silent",
        "exits_mid_game",
        "exits_at_start",
        "floods_no_newline",
        "malformed",
        "illegal",
        "leaves_children",
    ]
    marker = f"{tmp_path}/sinners"
    Path(marker).mkdir()
    words = []
    for sin in sins:
        target = Path(marker, f"{sin}.py")
        target.write_bytes((ROOT / "tests" / "players" / f"{sin}.py").read_bytes())
        words.append(str(target))
    Path(marker, "no_exec").write_bytes(b"\x7fELF broken")
    Path(marker, "no_exec").chmod(0o755)
    words.append(f"{marker}/no_exec")

    out, err = referee(
        "tournament", "scat_greedy", "scat_random", *words, "--game", "scat", "--blocks", "1",
        "--move-time", "300", "--start-time", "1500", "--out", tmp_path / "run",
    )  # fmt: skip

    assert "not started: no_exec: " in err
    table = [line.split() for line in out.splitlines()]
    order = [words[1] for words in table if len(words) == 9 and words[1] in ("scat_greedy", "scat_random", *sins)]
    assert order[:2] in (["scat_greedy", "scat_random"], ["scat_random", "scat_greedy"])
    assert "not started" in out
    assert alive(marker) == []


def test_tables_of_several_sizes_and_options_reach_the_players(tmp_path):
    referee(
        "tournament", "a=scat_random", "b=scat_random", "c=scat_random", "--seats", "2-3", "--set", "start_coins=1",
        "--blocks", "2", "--anonymous", "--out", tmp_path / "run",
    )  # fmt: skip
    rows = [json.loads(line) for line in export(tmp_path / "run").splitlines()]

    assert [row["seats"] for row in rows].count(2) == 3 * 2 * 2
    assert [row["seats"] for row in rows].count(3) == 3 * 2
    assert all("start_coins=1 " in row["record"] for row in rows)
    assert all("names=player-" in row["record"] for row in rows)
    assert {name for row in rows for name in row["players"]} == {"a", "b", "c"}


def test_a_few_tables_of_many_are_played_and_said_and_resumed(tmp_path):
    field = [f"{letter}=scat_random" for letter in "abcdefg"]
    _, err = referee(
        "tournament", *field, "--seats", "3", "--tables", "5", "--blocks", "1", "--set", "hand_cap=1", "--jobs", "2",
        "--out", tmp_path / "run",
    )  # fmt: skip
    rows = [json.loads(line) for line in export(tmp_path / "run").splitlines()]

    assert "scat has 7 of 35 possible tables of 3, at which each two players meet 1 time" in err
    assert len(rows) == 21 and {len(row["players"]) for row in rows} == {3}
    assert len({frozenset(row["players"]) for row in rows}) == 7
    referee("verify", tmp_path / "run")
    referee("resume", tmp_path / "run")
    assert "7 of 35 possible tables" in (
        referee("report", tmp_path / "run") and (tmp_path / "run/report.html").read_text()
    )


def test_fresh_players_give_the_same_bytes_as_kept_ones(tmp_path, unbroken):
    referee(*tournament(tmp_path / "run", "--fresh"))

    assert export(tmp_path / "run") == unbroken


def test_a_record_of_a_run_is_named_by_its_number(tmp_path):
    referee(*tournament(tmp_path / "run"))

    out, _ = referee("replay", f"{tmp_path / 'run'}#3")
    assert "The match is over." in out
    _, err = referee("replay", f"{tmp_path / 'run'}#99", code=2)
    assert "holds 12 matches" in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["tournament", "gredy", "scat_random"], 2, 'No player "gredy"'),
        (["tournament", "scat_random"], 3, "a match needs two"),
        (["tournament", "scat_random", "scout_random"], 3, "no game is played by enough"),
        (["tournament", "scat_random", "scat_greedy", "--set", "dol=true"], 2, "Did you mean dole?"),
        (["tournament", "scat_random", "scat_greedy", "--seats", "x"], 2, "--seats is a number or a range"),
        (["tournament", "scat_random", "scat_greedy", "--tables", "0"], 2, "--tables takes a number from 1, or all"),
        (["tournament", "scat_random", "scat_greedy", "--game", "chess"], 2, "There is no game 'chess'"),
        (["match", "scat", "scat_random"], 2, "2 to 9 seats"),
        (["show", "/nowhere"], 2, "is no run directory"),
        (["tournament", "scat_random", "scat_greedy", "--out", str(ROOT)], 2, "is no folder for a run"),
        (["tournament", str(ROOT / "tests")], 3, "tests/*"),
        (["match", "scat", "scat_random", "README.md", "scat_random"], 2, "README"),
        (["match", "scat", "scat_random", "scat_random", "--out", str(ROOT / "README.md")], 2, "is there already"),
        (["match", "scat", "scat_random", "scat_random", "--out", "/nowhere/x"], 2, "there is no folder /nowhere"),
        (["replay", "/nowhere"], 2, "cannot be read"),
        (["nonsense"], 2, "No such command"),
        (["rules", "scot"], 2, "Did you mean scout?"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_a_code(words, code, says, tmp_path):
    _, err = referee(*words, code=code)

    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv"])
def test_one_match_is_written_as_its_export_would_be(form):
    out, err = referee("match", "scout", f"a={ROOT}/tests/players/exits_mid_game.py", "scout_random", "--format", form)

    if form in ("json", "jsonl"):
        result = json.loads(out)
        assert result["players"] == ["a", "scout_random"] and result["ranks"] == [2, 1]
        assert [(0, "exit")] == [(fault["seat"], fault["code"]) for fault in result["faults"]]
    else:
        head, *rows = [line.split("," if form == "csv" else "\t") for line in out.splitlines()]
        assert [["a", "2", "exit"], ["scout_random", "1", ""]] == [
            [dict(zip(head, row, strict=False))[column] for column in ("player", "place", "fault")] for row in rows
        ]
    assert "plays" not in out and "a: " in err


def test_alone_it_says_what_it_is_and_what_to_type():
    out, _ = referee()

    assert "Start here" in out


COMMANDS = [
    ["protocol"],
    ["--help"],
    ["bots"],
    ["rules", "scout"],
    ["match", "scat", "scat_random", "scat_random", "--seed", "1"],
]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_reader_that_goes_away_is_met_with_141_and_no_word(words):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [sys.executable, "-m", "referee", *words], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60
    )
    os.close(writing)

    assert process.returncode == 141, process.stderr
    assert "Traceback" not in process.stderr
    assert "bug" not in process.stderr


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(("way", "code"), [(">&- 2>&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 74)])
def test_an_output_that_is_closed_or_full_is_no_bug(words, way, code):
    command = f'"{sys.executable}" -m referee {" ".join(words)} {way}'
    process = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, timeout=60, cwd=ROOT)

    assert process.returncode == code, process.stderr
    assert "bug" not in process.stderr


def test_the_trace_shows_whole_lines(tmp_path):
    bot = tmp_path / "drips.py"
    bot.write_text(
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('referee'):\n"
        "        for char in 'ready games=scat\\n':\n"
        "            os.write(1, char.encode())\n"
        "    else:\n"
        "        break\n"
    )
    _, err = referee("match", "scat", bot, "scat_random", "--trace")

    assert "drips < ready games=scat\n" in err


def test_a_compiler_keeps_its_lines_in_the_table(tmp_path):
    bad = tmp_path / "bad.c"
    bad.write_text("int main(void) { return nothing; }\n")
    out, _ = referee("tournament", bad, "scat_random", "scat_greedy", "--blocks", "1", "--out", tmp_path / "run")

    assert "not started" in out
    assert "\\x0a" not in out
