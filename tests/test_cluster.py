"""Runs on a Dask cluster: the bytes of a local run, whatever the players are and whoever dies on the way."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from referee import __version__
from referee import cluster as cluster_module
from referee.cluster import Cluster, NoCluster, Parcel, _check, connect, pack, prepare, unpack
from referee.launch import resolve
from referee.process import Command
from referee.tournament import CrewLost
from tests.test_tournament import alive, wait_for

ROOT = Path(__file__).parent.parent
C_BOT = ROOT / "examples" / "bots" / "c.c"
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="distributed is not installed: pip install 'referee[cluster]'",
)


# -- how players travel


def test_a_builtin_player_travels_by_its_name():
    player = resolve("scat_greedy")
    ware, parcel = pack(player.name, player.source, player.command)

    assert ("builtin", "scat_greedy", None) == (ware.kind, ware.word, parcel)
    assert player.command == prepare(ware)


def test_a_quoted_command_travels_as_it_is(tmp_path):
    player = resolve(f"{sys.executable} -u bot.py")
    ware, parcel = pack(player.name, player.source, player.command)

    assert ("command", None) == (ware.kind, parcel)
    assert (sys.executable, "-u", "bot.py") == prepare(ware).argv
    gone = ware._replace(argv=("/nowhere/no-such-program-here",))
    with pytest.raises(Exception, match="there is no program /nowhere/no-such-program-here"):
        prepare(gone)
    with pytest.raises(Exception, match="there is no folder"):
        prepare(ware._replace(cwd=str(tmp_path / "gone")))


def test_a_folder_travels_with_all_its_files_and_their_modes(tmp_path, monkeypatch):
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    bot = tmp_path / "bot"
    (bot / "data").mkdir(parents=True)
    (bot / "__pycache__").mkdir()
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    (bot / "data" / "weights").write_bytes(b"\x00\x01")
    (bot / "__pycache__" / "old.pyc").write_bytes(b"")
    (bot / "dangling").symlink_to("nowhere")

    player = resolve(str(bot))
    ware, parcel = pack(player.name, player.source, player.command)
    assert parcel is not None
    kept = unpack(parcel)

    assert ["bot/run", "bot/data/weights"] == [name for name, _, _ in parcel.files]
    assert kept == unpack(parcel) == tmp_path / "cache" / "shipped" / ware.digest
    assert b"\x00\x01" == (kept / "bot" / "data" / "weights").read_bytes()
    assert Command((str(kept / "bot" / "run"),), str(kept / "bot"), {}) == prepare(ware)


def test_a_parcel_is_named_after_its_content_alone():
    one = Parcel((("a", False, b"x"), ("b", False, b"y")))

    assert one.digest() == Parcel((("a", False, b"x"), ("b", False, b"y"))).digest()
    others = [(("a", True, b"x"), ("b", False, b"y")), (("a", False, b"xb"), ("b", False, b"y")), (("a", False, b"x"),)]
    assert len({one.digest(), *(Parcel(files).digest() for files in others)}) == 4


def test_a_player_in_a_folder_of_the_configuration_is_not_shipped(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("")

    ware, parcel = pack("bot", str(bot), Command((sys.executable, str(bot)), "/", {}))

    assert ("command", None) == (ware.kind, parcel)


def test_a_player_that_cannot_be_read_is_a_sentence(tmp_path, monkeypatch):
    bot = tmp_path / "bot"
    bot.write_bytes(b"12345")
    monkeypatch.setattr("referee.cluster.PARCEL_MOST", 4)

    with pytest.raises(NoCluster, match="bot is too large to be sent to the workers: 5 bytes"):
        pack("bot", str(bot), Command((str(bot),), str(tmp_path), {}))


class Workers:
    """What `_check` asks of a client."""

    def __init__(self, versions: dict[str, str | None]) -> None:
        self.versions = versions

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if not self.versions:
            raise TimeoutError

    def run(self, function: object) -> dict[str, str | None]:
        return self.versions


@pytest.mark.parametrize(
    ("versions", "says"),
    [
        ({}, "has no workers; start some: dask worker tcp://s:1"),
        ({"tcp://w:2": None}, "the worker tcp://w:2 needs referee .*, and has none: pip install"),
        ({"tcp://w:2": __version__, "tcp://w:3": "0.0.1"}, "the worker tcp://w:3 .* has version 0.0.1"),
    ],
)
def test_workers_that_are_not_fit_are_a_sentence(versions, says):
    with pytest.raises(NoCluster, match=says):
        _check(Workers(versions), "tcp://s:1")

    assert _check(Workers({"tcp://w:2": __version__}), "tcp://s:1") is None


class Client:
    """What a Cluster asks of a client while a run goes on; `seen` are the workers at each look, None: no answer."""

    def __init__(self, seen: list[int | None], status: str = "running") -> None:
        self.seen, self.status = seen, status

    def get_executor(self, pure: bool) -> None:
        return None

    def nthreads(self) -> dict[str, int]:
        count = self.seen.pop(0)
        if count is None:
            raise OSError("nobody answers")
        return {f"tcp://w:{n}": 1 for n in range(count)}


class Looks:
    """Is set after so many looks."""

    def __init__(self, count: int) -> None:
        self.left = count

    def wait(self, seconds: float) -> bool:
        self.left -= 1
        return self.left < 0

    def is_set(self) -> bool:
        return False


def looked_after(*seen: int | None) -> list[str]:
    said: list[str] = []
    Cluster(Client(list(seen)), "tcp://s:1", said.append).look_after(Looks(len(seen)))
    return said


def test_it_says_that_no_worker_is_left_and_that_one_is_there_again():
    alone, again = looked_after(2, 0, None, 0, 0, 0, 0, 1, 1)

    assert alone.startswith("no Dask worker is left: the run waits for one (dask worker tcp://s:1); Ctrl-C twice stops")
    assert "the run goes on: 1 Dask worker is there" == again


def test_a_worker_that_is_back_at_once_is_not_worth_a_sentence():
    assert looked_after(1, 0, 0, 1, 0, 0, 2) == []


def crew_that_ends_with(error: Exception, status: str) -> None:
    helpers = Cluster(Client([1, 1], status), "tcp://s:1", lambda sentence: None)
    helpers._wares = {"": pack("x", "x", Command(("x",), "", {}))[0]}
    with helpers.crew([], 0):
        raise error


@needs_dask
def test_jobs_that_are_given_up_say_so_when_the_scheduler_is_gone_and_only_then():
    with pytest.raises(CrewLost, match=r"^the Dask scheduler at tcp://s:1 is gone; what was finished is kept$"):
        crew_that_ends_with(CrewLost("given up"), "connecting")
    with pytest.raises(CrewLost, match="given up"):
        crew_that_ends_with(CrewLost("given up"), "running")
    with pytest.raises(CrewLost, match="it cannot be started"):
        crew_that_ends_with(cluster_module.Unprepared("it cannot be started"), "connecting")


@needs_dask
@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("notanaddress", "no Dask scheduler answers at notanaddress .*missing port.*an address looks like tcp://host:"),
        ("", "no Dask scheduler answers at an empty address "),
        ("http://x:1", "no Dask scheduler answers at http://x:1 .*unknown address scheme"),
        ("tcp://127.0.0.1:1", "no Dask scheduler answers at tcp://127.0.0.1:1 "),
    ],
)
def test_a_wrong_address_is_a_sentence_at_once_and_leaves_nothing_behind(address, says, monkeypatch, capfd):
    monkeypatch.setattr(cluster_module, "CONNECT_S", 0.3)
    begun = time.monotonic()
    with pytest.raises(NoCluster, match=says), connect(address, print):
        pass

    assert time.monotonic() - begun < 10
    assert ("", "") == capfd.readouterr()
    assert not [thread for thread in threading.enumerate() if thread.name == "cluster"]


# -- a real scheduler and real workers


def referee(*words: object, code: int = 0, cwd: Path = ROOT) -> tuple[str, str]:
    process = subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=150,
        env={**os.environ, "CI": "true", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == code, f"exit {process.returncode}\n{process.stdout}\n{process.stderr}"
    return process.stdout, process.stderr


class Dask:
    """A scheduler and its workers, each worker with a folder and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.file)
        deadline = time.monotonic() + 30
        while not self.file.exists() or not self.file.read_text().strip():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)
        self.address: str = json.loads(self.file.read_text())["address"]

    def _start(self, *words: object, **env: str) -> subprocess.Popen[bytes]:
        program = f"distributed.cli.dask_{words[0]}"
        process = subprocess.Popen(
            [sys.executable, "-m", program, *map(str, words[1:]), "--no-dashboard"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        )
        self.processes.append(process)
        return process

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        return self._start(
            "worker", self.address, "--name", name, "--nthreads", "1", "--no-nanny",
            "--local-directory", self.folder / name, REFEREE_CACHE=str(self.folder / name / "cache"),
        )  # fmt: skip

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def dask(tmp_path):
    cluster = Dask(tmp_path)
    yield cluster
    cluster.stop()


def export(folder: Path) -> str:
    return referee("export", folder, "--format", "jsonl", "--records")[0]


@needs_dask
@pytest.mark.process
@pytest.mark.slow
def test_a_cluster_gives_the_bytes_of_a_local_run_although_a_worker_is_killed(dask, tmp_path):
    first, second = dask.worker("first"), dask.worker("second")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "run").write_text(f"#!/bin/sh\nexec {sys.executable} ./bot.py\n")
    (folder / "run").chmod(0o755)
    (folder / "bot.py").write_bytes((ROOT / "tests" / "players" / "honest.py").read_bytes())
    (folder / "_kit.py").write_bytes((ROOT / "tests" / "players" / "_kit.py").read_bytes())
    players = ["scat_random", "scat_greedy", folder, C_BOT]
    words = ["tournament", *players, "--game", "scat", "--seed", "9", "--blocks", "20"]

    referee(*words, "--out", tmp_path / "local", "--jobs", "2")
    run = subprocess.Popen(
        [sys.executable, "-m", "referee", *map(str, words), "--out", tmp_path / "far", "--cluster", dask.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "CI": "true"},
    )  # fmt: skip
    wait_for(tmp_path / "far", 20)
    second.kill()
    second.wait()
    _, err = run.communicate(timeout=150)

    assert run.returncode == 0, err
    assert "playing on 2 Dask workers" in err
    assert first.poll() is None
    assert alive(str(tmp_path / "second")) == []
    assert export(tmp_path / "far") == export(tmp_path / "local")
    compared = ["compare", "scat_greedy", "scat_random", "--seed", "3", "--format", "json"]
    assert (
        referee(*compared, "--out", tmp_path / "here")[0]
        == referee(*compared, "--out", tmp_path / "there", "--cluster", dask.address)[0]
    )
    assert list((tmp_path / "first" / "cache" / "builds").glob("*/program")), "the C player was not built on the worker"
    assert list((tmp_path / "first" / "cache" / "shipped").glob("*/bot/run"))


@needs_dask
@pytest.mark.process
@pytest.mark.slow
def test_a_run_whose_scheduler_dies_resumes_here_to_the_same_bytes(dask, tmp_path):
    dask.worker("only")
    words = ["tournament", "scat_random", "scat_greedy", "--seed", "9", "--blocks", "100", "--game", "scat"]
    referee(*words, "--out", tmp_path / "local", "--jobs", "2")
    run = subprocess.Popen(
        [sys.executable, "-m", "referee", *words, "--out", tmp_path / "far", "--cluster", dask.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "CI": "true"},
    )  # fmt: skip
    wait_for(tmp_path / "far", 20)
    dask.processes[0].send_signal(signal.SIGKILL)
    _, err = run.communicate(timeout=120)

    assert run.returncode == 130, err
    assert f"referee: the Dask scheduler at {dask.address} is gone; what was finished is kept" in err
    assert "Traceback" not in err and "distributed" not in err
    assert f"Resume with: referee resume {tmp_path / 'far'}" in err
    referee("resume", tmp_path / "far")
    assert export(tmp_path / "far") == export(tmp_path / "local")


@needs_dask
@pytest.mark.process
@pytest.mark.slow
def test_what_cannot_be_played_on_a_cluster_is_a_sentence(dask, tmp_path):
    _, err = referee("tournament", "scat_random", "scat_greedy", "--cluster", dask.address, code=2)
    assert "has no workers" in err

    _, err = referee("tournament", "scat_random", "scat_greedy", "--cluster", "tcp://127.0.0.1:1", code=2)
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in err


@needs_dask
@pytest.mark.process
@pytest.mark.slow
def test_a_run_without_workers_says_so_and_goes_on_with_the_next(dask, tmp_path):
    only = dask.worker("only")
    words = ["tournament", "scat_random", "scat_greedy", "--seed", "9", "--blocks", "40", "--game", "scat"]
    run = subprocess.Popen(
        [sys.executable, "-m", "referee", *words, "--out", tmp_path / "far", "--cluster", dask.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "CI": "true"},
    )  # fmt: skip
    wait_for(tmp_path / "far", 20)
    only.kill()
    time.sleep(9)
    dask.worker("next")
    _, err = run.communicate(timeout=120)

    assert run.returncode == 0, err
    assert "no Dask worker is left: the run waits for one" in err
    assert "Traceback" not in err
