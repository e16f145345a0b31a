"""A run under fire: killed at random moments, without room on its disk, with programs replaced under it.

What a coordinator has acknowledged is in the store, once; a resumed run exports what an unbroken one does.
"""

import hashlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import store
from referee.games import load
from referee.match import Limits
from referee.programs import Watched, changed_files, files_of
from referee.report.tables import CAUSES, exported, remarks, table
from referee.store import file_system
from referee.tournament import Entry, Plan, about, commitment_of
from referee.wire import CODES

from .test_tournament import alive, referee, workers_of

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
MASTER = bytes(range(32))
PLAYERS = ROOT / "tests" / "players"

# A coordinator that says on standard output what is committed: what it said was said after the COMMIT.
COORDINATOR = """
import hashlib, sys
from pathlib import Path
from referee import store, tournament

class Aloud:
    def committed(self, rows):
        for row in rows:
            print("ack", row.task, row.block, hashlib.sha256(row.record.encode()).hexdigest(), flush=True)
    def note(self, sentence):
        print("note", sentence, flush=True)
    status = note

with store.resume(Path(sys.argv[1])) as opened, tournament.local_crew(int(sys.argv[2])) as crew:
    plan = tournament.Plan.from_json(opened.meta("plan"))
    finished = tournament.run(plan, opened, crew, Aloud(), lambda: False)
print("finished" if finished else "unfinished", flush=True)
"""


def players_in(folder: Path, *names: str) -> list[Path]:
    """Copies of players of tests/players, so that their processes can be told from all others."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PLAYERS / "_kit.py", folder)
    return [Path(shutil.copy(PLAYERS / f"{name}.py", folder)) for name in names]


def plan_of(folder: Path, blocks: int, names: tuple[str, ...] = ("honest", "honest", "honest")) -> Plan:
    """A plan of many small tasks of short matches between quick players."""
    seen: dict[str, tuple[int, int, int, str]] = {}
    entries = []
    for letter, path in zip("abc", players_in(folder, *names), strict=False):
        argv = (sys.executable, "-S", str(path))
        entries.append(Entry(letter, argv, str(folder), {}, ("scat",), str(path), files_of(argv, str(folder), seen)))
    options = dict(load("scat", start_coins=1, hand_cap=1, turn_cap=20).options)
    contests = (("scat", "seed", options, (2,), tuple(range(len(entries)))),)
    return Plan(tuple(entries), contests, blocks, 2, Limits(move_ms=5000, start_ms=20_000))


def begun(folder: Path, plan: Plan) -> Path:
    store.create(folder, MASTER, **about(plan), commitment=commitment_of(MASTER), seed_given=True).close()
    return folder


def export(folder: Path) -> str:
    with store.read(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        return "".join(exported(plan, opened, "jsonl", records=True, timings=False))


class Coordinator:
    """A coordinator in a process of its own, and what it has acknowledged."""

    def __init__(self, folder: Path, jobs: int = 1) -> None:
        argv = [sys.executable, "-c", COORDINATOR, str(folder), str(jobs)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True)

    def kill(self, whom: str) -> int:
        """Send SIGKILL to "coordinator", "worker" or "both"; return how many workers were hit."""
        workers = workers_of(Path(), self.process.pid) if whom != "coordinator" else []
        if whom != "worker":
            self.process.kill()
        for pid in workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(workers)

    def acknowledged(self) -> list[tuple[int, int, str]]:
        """Wait for the end; return (task, block, hash of the record) of every whole acknowledgement."""
        out, _ = self.process.communicate(timeout=120)
        lines = [line.split() for line in out.split("\n")[:-1]]
        return [(int(words[1]), int(words[2]), words[3]) for words in lines if words[0] == "ack"]


def stored(folder: Path) -> dict[tuple[int, int], str]:
    with store.read(folder) as opened:
        return {(row.task, row.block): hashlib.sha256(row.record.encode()).hexdigest() for row in opened.rows()}


@pytest.mark.parametrize(("kills", "blocks"), [(4, 4), pytest.param(60, 16, marks=pytest.mark.slow)])
def test_whatever_is_killed_no_acknowledged_match_is_lost_and_none_is_there_twice(
    tmp_path: Path, kills: int, blocks: int
) -> None:
    """Coordinator, workers and both at random moments; a task's worker at most twice in the life of a coordinator."""
    rng = random.Random(kills)
    marker = tmp_path / "players"
    plan = plan_of(marker, blocks)
    calm = begun(tmp_path / "calm", plan)
    assert len(Coordinator(calm, 2).acknowledged()) == plan.size().matches
    expected = export(calm)
    assert '"void":""' in expected and '"void":"the' not in expected
    done: dict[str, int] = {"coordinator": 0, "worker": 0, "both": 0}
    runs = 0
    while sum(done.values()) < kills:
        runs += 1
        folder = begun(tmp_path / f"run-{runs}", plan)
        acknowledged: dict[tuple[int, int], str] = {}
        while len(stored(folder)) < plan.size().matches:
            coordinator = Coordinator(folder, rng.choice((1, 2)))
            hits = 0
            while coordinator.process.poll() is None and sum(done.values()) < kills:
                time.sleep(rng.uniform(0, 1.5))
                whom = ("worker", "coordinator", "both")[sum(done.values()) % 3]
                whom = "both" if whom == "worker" and hits == 2 else whom
                if coordinator.process.poll() is None:
                    hit = coordinator.kill(whom)
                    hits += bool(hit)
                    if whom != "worker" or hit:
                        done[whom] += 1
                if whom != "worker":
                    break
            for task, block, digest in coordinator.acknowledged():
                assert (task, block) not in acknowledged, "the same match was acknowledged twice"
                acknowledged[task, block] = digest
            there = stored(folder)
            lost = {key: digest for key, digest in acknowledged.items() if there.get(key) != digest}
            assert not lost, f"acknowledged and not in the store: {lost}"
        with store.read(folder) as opened:
            assert [row.result["void"] for row in opened.rows()] == [""] * plan.size().matches
        assert export(folder) == expected

    print(f"\n{sum(done.values())} kills {done} over {runs} runs of {plan.size().matches} matches: nothing lost")
    deadline = time.monotonic() + 10
    while left := alive(str(marker)):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


# -- a full disk --------------------------------------------------------------------------------------------------


def small_run(folder: Path, players: list[Path]) -> list[object]:
    words = [f"{letter}={sys.executable} -S {path}" for letter, path in zip("ab", players, strict=True)]
    return [
        "tournament", *words, "--game", "scat", "--set", "start_coins=1", "--set", "hand_cap=1", "--set", "turn_cap=20",
        "--blocks", "30", "--seed", "3", "--jobs", "1", "--out", folder,
    ]  # fmt: skip


def test_a_full_disk_stops_the_run_with_its_code_and_costs_nothing_that_was_announced(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes the database's writes fail in the middle of the run, as a full disk does."""
    folder, players = tmp_path / "run", players_in(tmp_path / "players", "honest", "honest")
    argv = [sys.executable, "-m", "referee", *map(str, small_run(folder, players))]

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (95_000, resource.RLIM_INFINITY))

    begun_at = time.monotonic()
    full = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120, preexec_fn=no_room)

    assert full.returncode == 74, full.stderr
    assert "could not be written" in full.stderr and f"referee resume {folder}" in full.stderr
    assert "Traceback" not in full.stderr
    there = stored(folder)
    assert 0 < len(there) < 60
    assert time.monotonic() - begun_at < 60
    assert not alive(str(tmp_path / "players"))

    referee("resume", folder)
    assert there.items() <= stored(folder).items()
    referee(*small_run(tmp_path / "calm", players))
    assert export(folder) == export(tmp_path / "calm")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], capture_output=True
        ).returncode
    )
    if not mounted:
        pytest.skip("A small disk can only be mounted by root.")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
def test_a_disk_that_is_really_full_is_the_same(tmp_path: Path, small_disk: Path) -> None:
    folder, players = small_disk / "run", players_in(tmp_path / "players", "honest", "honest")
    _, err = referee(*small_run(folder, players), code=74)

    assert "could not be written" in err
    assert 0 < len(stored(folder)) < 60
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    referee("resume", folder)
    assert len(stored(folder)) == 60


# -- the run directory --------------------------------------------------------------------------------------------


def test_a_run_that_was_killed_before_its_first_transaction_is_begun_anew(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "run.sqlite") as database:
        database.execute("PRAGMA journal_mode=WAL")
    database.close()

    with store.create(tmp_path, MASTER, plan={}) as opened:
        assert opened.count() == 0


MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home rw,relatime - nfs4 server:/home rw
31 30 0:41 / /home/me/local rw - btrfs /dev/sdb rw
32 22 0:42 / /mnt/two\040words rw - fuse.sshfs me@there: rw
33 22 0:43 / /mnt/over rw - ext4 /dev/sdc rw
34 33 0:44 / /mnt/over rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/tmp/run", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/run", "nfs4"),
        ("/home/me/local/run", "btrfs"),
        ("/homely", "ext4"),
        ("/mnt/two words/run", "fuse.sshfs"),
        ("/mnt/over/run", "cifs"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount(folder: str, kind: str) -> None:
    assert file_system(Path(folder), MOUNTS) == kind


def test_on_a_network_file_system_the_journal_is_an_ordinary_one_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert file_system(tmp_path)
    monkeypatch.setattr(store, "file_system", lambda folder: "nfs4")
    with store.create(tmp_path / "run", MASTER, plan={}) as opened:
        assert "lies on a network file system (nfs4)" in opened.warning
        assert opened._db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        opened.append([a_row(1)])
    with store.read(tmp_path / "run") as reader:
        assert reader.count() == 1 and reader.warning == ""


def a_row(task: int, **notes: object) -> store.Row:
    result = {"game": "scat", "seats": 2, "table": 0, "rotation": 0, "players": [0, 1], "ranks": [1, 2], "void": ""}
    result |= {"scores": [1, 0], "deals": [[0, 1]], "counted": 1, "faults": []}
    return store.Row(task, 0, result, f"record {task}\n", [], notes)


# -- playing again ------------------------------------------------------------------------------------------------


def test_a_superseded_match_is_kept_apart_and_a_key_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    with store.create(tmp_path, MASTER) as opened:
        assert opened.superseded() == []
        opened.append([a_row(1), a_row(2)])
        opened.supersede([(1, 0), (7, 7)])
        opened.append([a_row(1)])
        opened.supersede([(1, 0)])

        assert opened.done() == {(2, 0)}
        assert opened.superseded() == [a_row(1), a_row(1)]


def test_failed_matches_are_rerun_on_the_same_deals_and_the_table_says_so(tmp_path: Path) -> None:
    """A player that dies in mid-match is mended in place: its faults go, its deals stay, and nothing is hidden."""
    folder, (good, bad) = tmp_path / "run", players_in(tmp_path / "players", "honest", "exits_mid_game")
    words = [f"good={good}", f"bad={bad}", "--game", "scat", "--blocks", "2", "--seed", "5", "--out", folder]
    out, _ = referee("tournament", *words)
    assert "bad  exit x4" in out
    assert f"referee replay {folder}#0   referee rerun {folder}#0 --trace" in out
    assert "sent:  act " in out and "got:   (nothing)" in out and "usually: an exception" in out
    before = export(folder)

    _, err = referee("rerun", folder, code=2)
    assert "--failed" in err
    _, err = referee("rerun", f"{folder}#4", code=2)
    assert "there is no match 4" in err
    shown, err = referee("rerun", f"{folder}#1", "--trace")
    assert "The match is over" in shown and "bad > act 0" in err
    assert export(folder) == before, "only shown"

    bad.write_bytes(good.read_bytes())
    _, err = referee("rerun", folder, "--failed", code=2)
    assert "not the program that began the run" in err and f"bad ({bad})" in err and "--accept-changed" in err
    assert export(folder) == before
    out, _ = referee("rerun", folder, "--failed", "--accept-changed")

    assert "Rerun on the same deals: 4 matches" in out and "(faults: bad 4; void: 0)" in out
    assert "Matches by another program than the one that began the run: bad 4." in out
    assert '"faults":[]' in export(folder) and '"code":"exit"' not in export(folder)
    assert seeds_in(export(folder)) == seeds_in(before)
    old, _ = referee("export", folder, "--superseded", "--records")
    assert old == before


def seeds_in(text: str) -> list[str]:
    return [line.split("\\nseed ")[1][:64] for line in text.splitlines()]


def test_a_run_of_a_version_without_evidence_and_times_still_has_a_table(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "players", 1)
    with store.create(tmp_path / "run", MASTER, **about(plan)) as opened:
        opened.append([a_row(0)])
        assert remarks(plan, opened) == []
        assert "1 match, 1 block" in table(plan, opened, "text")


def test_what_spoils_a_table_is_said_under_it(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "players", 1)
    with store.create(tmp_path / "run", MASTER, **about(plan)) as opened:
        opened.append(
            [
                a_row(0, measured_ms=1000, waited_ms=600, overran=[2, 0], pondered_ms=[0, 3400]),
                a_row(
                    1, measured_ms=1000, again=["the machine was suspended for 60.0 s during the match"], changed=[1]
                ),
            ]
        )
        said = "\n".join(remarks(plan, opened))

    assert "Timing unreliable: 30% of the time of longer answers" in said
    assert "The machine spoiled 1 match, played again at once: the machine was suspended" in said
    assert "another program than the one that began the run: b 1." in said
    assert "forgiven by the grace: a 2." in said
    assert "CPU time used while others moved: b 3.4 s." in said


def test_every_fault_has_its_usual_cause() -> None:
    assert set(CAUSES) == set(CODES)


# -- programs that change -----------------------------------------------------------------------------------------


def test_the_files_of_a_command_are_the_program_and_what_its_words_name(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("print(1)")
    files = files_of(("python3", "-S", "bot.py", "nothing"), str(tmp_path))

    assert [Path(path).name for path in files] == ["python3", "bot.py"]
    assert changed_files(files) == []


def test_a_program_has_changed_when_its_content_has_and_not_when_it_was_only_touched(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("print(1)")
    files = files_of((sys.executable, str(script)), ".")
    watched = Watched(files)
    os.utime(script, (1, 1))
    assert not watched.changed() and changed_files(files) == []

    script.write_text("print(2)")
    assert watched.changed() and changed_files(files) == [str(script)]
    script.unlink()
    assert watched.changed()


def test_a_program_that_is_replaced_while_the_run_goes_on_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    plan = plan_of(tmp_path / "players", 4, ("honest", "crlf"))
    begun(folder, plan)
    coordinator = Coordinator(folder)
    assert coordinator.process.stdout is not None
    assert next(line for line in coordinator.process.stdout if line.startswith("ack"))
    with (tmp_path / "players" / "crlf.py").open("a") as file:
        file.write("# better\n")
    coordinator.acknowledged()

    with store.read(folder) as opened:
        changed = [seats for _, result, seats in opened.noted("changed")]
        assert 0 < len(changed) < plan.size().matches
        assert "began the run: b " in "\n".join(remarks(plan, opened))


# -- eight hogs ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_eight_hogs_beside_a_tournament_cost_no_player_its_time() -> None:
    """Players that compute for 20 ms under a limit of 100 ms, on a machine of which they get a tenth."""
    from .bench.load import measure

    measured = measure(hogs=8, move_ms=100, matches=6)

    print("\n" + measured.sentence())
    assert measured.timeouts == 0
    assert measured.answers > 100
