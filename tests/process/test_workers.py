"""Workers: what the coordinator gets of them, and that whoever dies takes all below with it."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee import process as process_module
from referee.process import WorkerDied, run_job

PLAYERS = Path(__file__).parents[1] / "players"


class Mark:
    """A variable that a worker and all its descendants inherit, so that they can be found."""

    def __init__(self) -> None:
        self.text = f"referee-test-{uuid.uuid4()}"

    def alive(self) -> set[int]:
        found = set()
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                for told in ("environ", "cmdline"):  # a worker's environment is closed to its own user
                    try:
                        if self.text.encode() in Path(f"/proc/{entry}/{told}").read_bytes():
                            found.add(int(entry))
                    except OSError:
                        pass
        return found - {os.getpid()}

    def wait(self, done: Callable[[set[int]], bool]) -> set[int]:
        deadline = time.monotonic() + 20
        while not done(alive := self.alive()):
            assert time.monotonic() < deadline, alive
            time.sleep(0.01)
        return alive


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mark]:
    made = Mark()
    monkeypatch.setenv("REFEREE_TEST_MARK", made.text)
    yield made
    made.wait(lambda alive: not alive)


def worker(body: str) -> tuple[str, ...]:
    """Return the command of a worker that starts and greets a player, then does `body`."""
    program = """
        import os, signal, sys, time
        from referee import confine
        from referee.process import Command, Table

        confine.referee_start()
        environment = {"REFEREE_TEST_MARK": os.environ["REFEREE_TEST_MARK"]}
        with Table() as table:
            player = table.start(Command((sys.executable, "-S", "PLAYERS/honest.py"), ".", environment), "p")
            player.greet(("scat",), 20_000)
            BODY
    """
    text = textwrap.dedent(program).replace("PLAYERS", str(PLAYERS)).replace("BODY", body)
    text += f"# {os.environ['REFEREE_TEST_MARK']}\n"
    return sys.executable, "-c", text


def test_a_worker_reads_its_job_and_its_output_comes_back(mark: Mark) -> None:
    assert "job: {42}\n" == run_job(worker("print('job:', sys.stdin.read())"), "{42}", 30)


def test_a_long_job_and_a_long_output_do_not_block_each_other(mark: Mark) -> None:
    echo = (sys.executable, "-c", "import sys\nfor line in sys.stdin: sys.stdout.write(line)")
    text = "x" * 999 + "\n"

    assert text * 1000 == run_job(echo, text * 1000, 30)


def test_a_worker_that_fails_is_quoted(mark: Mark) -> None:
    with pytest.raises(WorkerDied) as raised:
        run_job(worker("raise RuntimeError('our own bug')"), "", 30)

    expected = "the worker exited with code 1; its last line on standard error: 'RuntimeError: our own bug'"
    assert expected == str(raised.value)


def test_a_worker_that_takes_too_long_is_ended_with_its_players(mark: Mark) -> None:
    start = time.monotonic()
    with pytest.raises(WorkerDied, match="did not finish within 1 s"):
        run_job(worker("time.sleep(60)"), "", 1)

    assert time.monotonic() - start < 20
    assert set() == mark.alive()


def test_a_worker_that_clings_to_life_is_killed_and_its_players_die_with_it(
    mark: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "KILL_S", 0.1)
    with pytest.raises(WorkerDied, match="did not finish within 1 s"):
        run_job(worker("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"), "", 1)

    mark.wait(lambda alive: not alive)


def test_a_worker_is_stopped_on_demand(mark: Mark) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()

    with pytest.raises(WorkerDied, match="the worker was stopped"):
        run_job(worker("time.sleep(60)"), "", 60, stop)

    assert set() == mark.alive()


def test_a_worker_that_is_killed_takes_its_players_with_it(mark: Mark) -> None:
    with pytest.raises(WorkerDied, match="the worker was ended by SIGKILL"):
        run_job(worker("os.kill(os.getpid(), signal.SIGKILL)"), "", 30)

    mark.wait(lambda alive: not alive)


def test_a_coordinator_that_is_killed_takes_workers_and_players_with_it(mark: Mark) -> None:
    program = "import sys; from referee.process import run_job; run_job(sys.argv[1:], '', 60)"
    coordinator = subprocess.Popen([sys.executable, "-c", program, *worker("time.sleep(60)")])
    mark.wait(lambda alive: len(alive) == 3)

    coordinator.send_signal(signal.SIGKILL)
    coordinator.wait()

    mark.wait(lambda alive: not alive)


def test_a_worker_that_is_told_to_end_again_and_again_leaves_nobody(mark: Mark) -> None:
    """A parent of several threads dies several times."""
    argv = worker("player.ask('ms=-', lambda: 'a', 20_000, 0); print('ready', flush=True); time.sleep(60)")
    argv = (*argv[:-1], argv[-1].replace("honest.py", "double_fork_daemon.py"))
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.0005)
    process.stdout.close()

    assert process.returncode == 128 + signal.SIGTERM
    assert mark.alive() == set()
