"""A match has one number, everywhere and at any time; what is written to a file is written whole."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import store
from referee.cli.output import Code
from referee.report.tables import exported
from referee.report.watching import Follower, Watch, ending, hear, rows, sentences
from referee.schedule import Contest, Numbers, numbers, tables
from referee.tournament import Plan
from tests.test_audit import ILLEGAL, called
from tests.test_tournament import ROOT, referee

FIELD = Contest("scat", (0, 1, 2, 3), (2, 3))


@pytest.mark.parametrize("blocks", [1, 9, 10, 11, 25])
@pytest.mark.parametrize("slice_blocks", [1, 3, 10])
def test_numbers_count_the_matches_of_a_schedule_in_its_order_and_back(blocks: int, slice_blocks: int) -> None:
    of = numbers([FIELD, Contest("scout", (1, 2), (2,))], blocks, slice_blocks)
    schedule = tables([FIELD, Contest("scout", (1, 2), (2,))], blocks, slice_blocks)
    keys = [(task.index, task.first_block + n) for task in schedule for n in range(task.blocks)]

    assert list(range(len(keys))) == [of.of(*key) for key in keys]
    assert keys == [of.key(number) for number in range(len(keys))]
    assert all(of.holds(*key) for key in keys)
    assert [None, None] == [of.key(-1), of.key(len(keys))]


def test_what_is_in_no_schedule_is_not_held() -> None:
    of = Numbers(6, 25, 10)

    assert not any(of.holds(*key) for key in ((0, 10), (6, 9), (12, 25), (18, 0), (-1, 0), (0, -1), (99, 99)))
    assert not Numbers(0, 1, 1).holds(0, 0)


# -- runs that are not over


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve matches that was stopped when five of them were finished, one of them played again."""
    folder = tmp_path_factory.mktemp("runs") / "stopped"
    players = ("scat_greedy", "scat_random", ILLEGAL)
    short = ("--game", "scat", "--set", "start_coins=1", "--blocks", 2, "--seed", "x", "--jobs", 1)
    referee("tournament", *players, *short, "--out", folder)
    referee("rerun", f"{folder}#11")
    with store.read(folder) as opened:
        master = opened.master_seed()
    (folder / "seed").write_text(master.hex())
    with store.resume(folder) as opened:
        opened.set_meta(state="running")
        opened._db.execute("DELETE FROM meta WHERE key = 'seed'")
        opened._db.execute("DELETE FROM match WHERE task IN (0, 1, 4) OR task = 2 AND block = 0")
        opened._db.execute("DELETE FROM checksum WHERE (task, block) NOT IN (SELECT task, block FROM match)")
        sums = opened.meta("checksums")
        del sums["seed"]
        opened._db.execute("UPDATE meta SET value = ? WHERE key = 'checksums'", (json.dumps(sums),))
        opened._db.commit()
    return folder


LEFT = [5, 6, 7, 10, 11]


def test_the_numbers_of_an_unfinished_run_are_those_of_the_finished_one(stopped: Path) -> None:
    with store.read(stopped) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        export = [json.loads(line) for line in exported(plan, opened, "jsonl", records=True, timings=False)]
        cells = [line.split("\t") for line in exported(plan, opened, "tsv", records=False, timings=False)]
        replaced = list(exported(plan, opened, "jsonl", records=False, timings=False, superseded=True))
        watched = [match.number for match in Follower(opened).news()]

    assert LEFT == watched == [match["match"] for match in export]
    assert LEFT == sorted({int(row[1]) for row in cells[1:]})
    assert [11] == [json.loads(line)["match"] for line in replaced]
    for match in export:
        code, out, _ = called("replay", f"{stopped}#{match['match']}", "--wire")
        assert (0, match["record"]) == (code, out)
    faulty = {match["match"] for match in export if match["faults"]}
    shown = set(map(int, re.findall(rf"referee replay {stopped}#(\d+)", called("show", stopped)[1])))
    assert shown and shown <= faulty
    assert (0, f"{stopped}: 5 matches verify\n") == called("verify", stopped)[:2]


def test_a_report_names_matches_by_the_same_numbers(stopped: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert 0 == called("report", stopped, "-o", page)[0]
    named = set(map(int, re.findall(rf"referee \w+ \S*{stopped.name}#(\d+)", page.read_text())))

    assert named and named <= set(LEFT)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("replay {}#0", "match 0 of {} has not been played"),
        ("rerun {}#4 --trace", "match 4 of {} has not been played"),
        ("rerun {}#4", "match 4 of {} has not been played"),
        ("replay {}#12", "{} holds 5 of 12 matches, counted from 0; there is no match 12"),
        ("verify {}#12", "there is no match 12"),
        ("replay {}", "{} is a folder: name a match of a run, such as {}#0"),
    ],
)
def test_a_match_that_cannot_be_had_is_told_so(stopped: Path, command: str, says: str) -> None:
    code, _, err = called(*(word.format(stopped) for word in command.split()))

    assert Code.USAGE == code and says.format(stopped, stopped) in err


def test_watching_a_run_that_nobody_plays_on_says_so_and_ends(stopped: Path) -> None:
    code, out, _ = called("watch", stopped, "--ui", "linear")

    assert 0 == code
    assert f"{stopped}: 5 of 12 matches of scat between 3 players are finished. The run is stopped.\n" in out
    assert f"The run is stopped at 5 of 12 matches. To go on: referee resume {stopped}.\n" in out
    assert "goes on" not in out and "Ctrl-C" not in out


def test_a_run_is_stopped_only_while_nobody_holds_its_lock(stopped: Path) -> None:
    with store.read(stopped) as opened:
        follower = Follower(opened)
        with store.resume(stopped):
            assert store.being_written(stopped)
            assert "What is finished from now on" in list(sentences(follower))[-1]
            assert not follower.stopped
        follower.news()
        assert follower.stopped and not store.being_written(stopped)
        watch = hear(Watch(str(stopped), 12), (), (), False, follower.stopped)
        text = "\n".join(row.text for row in rows(watch, 200, 24))
        assert "· stopped" in text and "referee resume" in text
        assert "The run is stopped at 0 of 12" in next(ending(follower)) or follower.done == 5


def test_who_asks_for_the_lock_while_another_looks_at_it_gets_it(stopped: Path) -> None:
    """The look takes the lock for a moment."""
    for _ in range(200):
        watcher = subprocess.Popen(["true"]) if _ == 0 else None
        assert not store.being_written(stopped)
        with store.resume(stopped):
            assert store.being_written(stopped)
        if watcher:
            watcher.wait()


# -- folders and files that cannot be written


@pytest.fixture
def read_only(stopped: Path) -> Iterator[Path]:
    """The run on a read-only mount for root, in a folder without write permission for others."""
    folder = stopped.parent / "locked"
    folder.mkdir(exist_ok=True)
    if os.geteuid():
        stopped.chmod(0o555)
        yield stopped
        stopped.chmod(0o755)
        return
    for options in (["--bind"], ["-o", "remount,ro,bind"]):
        if subprocess.run(["mount", *options, str(stopped), str(folder)], capture_output=True).returncode:
            subprocess.run(["umount", str(folder)], capture_output=True)
            pytest.skip("Nothing can be mounted here.")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("command", [["resume"], ["rerun", "--failed"]])
def test_a_run_that_cannot_be_written_to_is_not_gone_on_with(read_only: Path, command: list[str]) -> None:
    code, _, err = called(command[0], read_only, *command[1:])

    assert Code.STORE == code and f"{read_only} cannot be written to: run.lock" in err and "bug" not in err


def test_a_run_that_cannot_be_written_to_can_be_read(read_only: Path) -> None:
    for command in ("show", "export", "verify"):
        code, _, err = called(command, read_only)
        assert 0 == code, err


def test_a_lock_that_is_no_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    store.create(tmp_path / "run", bytes(32)).close()
    (tmp_path / "run" / "run.lock").unlink()
    (tmp_path / "run" / "run.lock").mkdir()

    with pytest.raises(store.StoreError, match=r"cannot be written to: run\.lock"):
        store.resume(tmp_path / "run")


@pytest.fixture
def damaged(stopped: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "run.sqlite").write_bytes((stopped / "run.sqlite").read_bytes())
    with sqlite3.connect(folder / "run.sqlite") as database:
        database.execute("UPDATE match SET result = 'x' WHERE task = 5")
    database.close()
    return folder


def test_an_export_that_fails_leaves_what_was_there(damaged: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("old\n")

    assert [Code.STORE] * 2 == [called("export", damaged, "-o", path)[0] for path in (old, new)]
    assert "old\n" == old.read_text()
    assert ["damaged", "old.jsonl"] == sorted(path.name for path in tmp_path.iterdir())


def test_an_export_takes_the_place_of_a_file_and_goes_through_links_and_pipes(stopped: Path, tmp_path: Path) -> None:
    whole = called("export", stopped)[1]
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text("old\n")
    real.chmod(0o640)
    link.symlink_to(real)
    os.mkfifo(pipe)

    assert 0 == called("export", stopped, "-o", link)[0]
    assert link.is_symlink() and whole == real.read_text() and 0o640 == real.stat().st_mode & 0o777
    command = [sys.executable, "-m", "referee", "export", str(stopped), "-o", str(pipe)]
    with subprocess.Popen(command, cwd=ROOT), pipe.open() as reader:
        assert whole == reader.read()
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("export", "{}", "--format", "csv", "--records"), "--records goes with --format json or jsonl"),
        (("export", "{}", "--format", "tsv", "--records"), "--records goes with --format json or jsonl"),
        (("export", "{}", "-o", "nodir/x"), "the export cannot be written to nodir/x: No such file"),
        (("report", "{}", "-o", "nodir/x.html"), "the report cannot be written to nodir/x.html: No such file"),
        (("report", "{}", "-o", "-", "--open"), "--open shows a file"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_name(stopped: Path, words: tuple[str, ...], says: str) -> None:
    code, out, err = called(*(word.format(stopped) for word in words))

    assert (Code.USAGE, "") == (code, out) and says in err


@pytest.mark.process
def test_a_report_to_a_dash_goes_to_standard_output(stopped: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee", "report", str(stopped), "-o", "-"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})

    assert 0 == done.returncode and done.stdout.startswith(b"<!") and done.stdout.rstrip().endswith(b"</html>")
    assert [] == list(tmp_path.iterdir())


@pytest.mark.process
def test_the_remark_on_reruns_names_the_folder(stopped: Path) -> None:
    assert f"referee export {stopped} --superseded shows them" in called("show", stopped)[1].replace("\n", " ")
