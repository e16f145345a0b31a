"""Fair clocks: the arithmetic on made-up times, then real players, grace and strikes, rest, and spoiled matches."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import worker as worker_module
from referee.clock import HARD_EXTRA_MS, HARD_FACTOR, LATE_S, SUSPENDED_S, Vigil, charge, descendants, time_left
from referee.games import load
from referee.match import LATE_MS, Answer, Ask, Faulted, Limits, Move, Record, Strike, play
from referee.process import Orphanage, WorkerDied, run_job
from referee.wire import Fault
from referee.worker import TRIES, play_task

from .conftest import PLAYERS, Bench
from .test_workers import Mark, mark, worker

__all__ = ["mark"]  # a fixture
times = st.floats(0, 1e6, allow_nan=False)


# -- arithmetic ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wall", "cpu", "wait", "costs"),
    [
        (100, 20, 0, 100),  # it slept: that is its own affair
        (100, 20, 80, 20),  # it waited for a CPU whenever it did not run
        (100, 20, 50, 50),  # it waited, and slept as well
        (100, 60, 80, 60),  # its own threads fought for one core: they pay what they used
        (100, 300, 0, 100),  # threads on several cores: never more than the wall
        (100, 0, 500, 0),  # two waits that overlapped
    ],
)
def test_the_charge_is_the_wall_less_proven_waiting_but_never_less_than_the_cpu_time(
    wall: float, cpu: float, wait: float, costs: float
) -> None:
    assert costs == charge(wall, cpu, wait)


@given(times, times, times)
def test_nobody_pays_more_than_the_wall_or_less_than_the_cpu_time_that_fits_into_it(
    wall: float, cpu: float, wait: float
) -> None:
    assert min(wall, cpu) <= charge(wall, cpu, wait) <= wall


@pytest.mark.parametrize(
    ("wall", "charged", "settled", "left"),
    [
        (100, 100, True, 0),  # late
        (100, 130, True, 0),
        (100, 40, True, 60),  # the rest was waiting
        (100, 99.9, True, 1),  # not worth waking up for
        (100, 100, False, 5),  # it stands in the queue: the kernel counts that when it is over
        (1480, 40, True, 20),  # the hard cap is near
        (1500, 40, True, 0),  # and passed
        (1500, 100, False, 0),
    ],
)
def test_a_deadline_moves_on_by_what_is_left_and_not_beyond_the_hard_cap(
    wall: float, charged: float, settled: bool, left: float
) -> None:
    assert left == time_left(wall, charged, 100, settled)


@given(share=st.floats(0.01, 1), limit=st.floats(1, 5000))
def test_a_player_that_computes_for_ever_on_a_part_of_a_core_is_late_at_its_limit_or_at_the_hard_cap(
    share: float, limit: float
) -> None:
    wall = limit
    for _ in range(10_000):
        charged = charge(wall, wall * share, wall * (1 - share))
        if (left := time_left(wall, charged, limit)) <= 0:
            break
        wall += left

    hard = HARD_FACTOR * limit + HARD_EXTRA_MS
    assert wall == pytest.approx(min(limit / share, hard), rel=1e-6, abs=1.01)


class FakeTime:
    """Two clocks that a test turns: `now` stands still while the machine is suspended, `boot` does not."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.boot = 5000.0

    def vigil(self) -> Vigil:
        return Vigil(lambda: self.now, lambda: self.boot)

    def run(self, seconds: float) -> None:
        self.now += seconds
        self.boot += seconds


def test_time_that_simply_passes_spoils_nothing() -> None:
    fake = FakeTime()
    vigil = fake.vigil()
    fake.run(86400)
    vigil.late_by(LATE_S - 0.01)
    fake.boot += SUSPENDED_S - 0.01

    assert vigil.trouble() == ""


def test_a_suspended_machine_spoils_the_match_at_hand_and_not_the_next() -> None:
    fake = FakeTime()
    vigil = fake.vigil()
    fake.boot += 3600

    assert vigil.trouble() == "the machine was suspended for 3600.0 s during the match"
    vigil.begin()
    fake.run(10)
    assert vigil.trouble() == ""


def test_a_referee_that_was_not_run_for_a_second_spoils_the_match() -> None:
    vigil = FakeTime().vigil()
    vigil.late_by(0.2)
    vigil.late_by(2.5)

    assert vigil.trouble().startswith("the referee stood still for 2.5 s during the match")
    vigil.begin()
    assert vigil.trouble() == ""


# -- grace and strikes --------------------------------------------------------------------------------------------


def answers_in(charges: list[float], limits: Limits) -> tuple[Record, list[Ask], list[Strike]]:
    """Play a match in which seat 1 takes so long for its answers, one after the other, and seat 0 no time."""
    match = play(load("scat", hand_cap=1), bytes(32), ("ann", "bob"), limits)
    asks: list[Ask] = []
    strikes: list[Strike] = []
    due = iter(charges)
    reply: Any = None
    while True:
        try:
            request = match.send(reply)
        except StopIteration as stop:
            return stop.value, asks, strikes
        reply = None
        if isinstance(request, Ask):
            cost = next(due, 0.0) if request.seat == 1 else 0.0
            asks += [request] if request.seat == 1 else []
            reply = Answer(request.legal().split(",")[0], charge_ms=cost, wall_ms=cost)
        elif isinstance(request, Strike):
            strikes.append(request)


def test_an_overrun_within_the_grace_is_played_and_counted() -> None:
    record, asks, strikes = answers_in([100, 101, 150], Limits(move_ms=100, grace_ms=50))

    assert not record.faults and not strikes
    assert record.overran == (0, 2)
    assert {ask.grace_ms for ask in asks} == {50}


def test_an_overrun_beyond_the_grace_is_a_timeout_without_strikes() -> None:
    record, _, strikes = answers_in([0, 151], Limits(move_ms=100, grace_ms=50))

    text = "expected an answer within 100 ms (+50 ms of grace), got it after 151 ms"
    assert record.faults == (Faulted(1, "timeout", text),)
    assert not strikes and record.overran == (0, 0)


def test_with_strikes_the_grace_is_free_and_what_is_later_costs_one_and_is_not_played() -> None:
    record, asks, strikes = answers_in([150, 151, 250, 300], Limits(move_ms=100, grace_ms=50, strikes=2))

    assert [strike.left for strike in strikes] == [1, 0]
    assert {strike.code for strike in strikes} == {"timeout"}
    assert [ask.grace_ms for ask in asks[:4]] == [150, 150, 150, 50], "no strike is left to wait for"
    assert [fault.code for fault in record.faults] == ["timeout"]
    by = [step.by for step in record.steps if isinstance(step, Move) and step.seat == 1]
    assert by[:3] == ["player", "caretaker", "caretaker"]
    assert record.overran == (0, 1)


@pytest.mark.parametrize(("move_ms", "beyond"), [(100, 100), (1000, 1000), (60_000, LATE_MS)])
def test_a_late_answer_is_waited_for_as_long_again_and_a_second_at_most(move_ms: int, beyond: float) -> None:
    _, asks, _ = answers_in([], Limits(move_ms=move_ms, grace_ms=50, strikes=1))

    assert asks[0].grace_ms == 50 + beyond


def test_without_a_clock_nothing_is_late() -> None:
    record, _, strikes = answers_in([1e9] * 3, Limits(move_ms=None, strikes=1))

    assert not record.faults and not strikes and record.overran == (0, 0)


def test_a_late_answer_of_a_real_player_leaves_the_conversation_open(bench: Bench) -> None:
    process = bench.greeted("late", "300")

    late = process.ask("ms=100", lambda: "a", 100, 10_000)
    assert isinstance(late, Answer) and 250 < late.charge_ms
    assert isinstance(process.ask("ms=-", lambda: "a", None, 0), Answer), "it is in step, and is asked again"
    fault = process.ask("ms=100", lambda: "a", 100, 50)
    assert isinstance(fault, Fault) and fault.code == "timeout"


# -- helpers, drips -----------------------------------------------------------------------------------------------


@pytest.fixture
def one_core() -> Iterator[None]:
    """Have this process and what it starts share one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="Children are not listed here.")
@pytest.mark.parametrize("player", ["hides_in_helpers", "computes_in_a_daemon"])
def test_who_computes_in_helpers_pays_for_them(bench: Bench, one_core: None, player: str) -> None:
    """40 ms of its own, while three helpers use as much each: by its own clock alone it would pay 40."""
    process = bench.greeted(player)
    answers = [process.ask("ms=-", lambda: "a", 20_000, 0) for _ in range(3)]

    assert all(isinstance(answer, Answer) for answer in answers), answers
    for answer in answers:
        assert isinstance(answer, Answer) and answer.charge_ms > 60, answer


@pytest.mark.parametrize("repetitions", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_player_that_drips_comments_is_late_at_its_limit_and_the_grace(bench: Bench, repetitions: int) -> None:
    """A line every 20 ms puts nothing off; only what the player waits for a CPU does, up to the hard cap."""
    took = []
    for _ in range(repetitions):
        process = bench.greeted("comment_drip")
        start = time.monotonic()
        fault = process.ask("ms=150", lambda: "a", 150, 50)
        took.append(time.monotonic() - start)
        assert isinstance(fault, Fault) and fault.code == "timeout" and "comment lines came" in fault.text
        process.dismiss("fault seat=0 code=timeout")

    print(f"\nlimit 200 ms: late after {min(took) * 1000:.0f} to {max(took) * 1000:.0f} ms, {repetitions} times")
    assert 0.2 <= min(took) and sorted(took)[repetitions // 2] < 0.7 and max(took) < 5 * 0.2 + 1 + 0.2


# -- rest ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("player", "count"), [("computes_meanwhile", 1), ("computes_in_a_daemon", 3)])
def test_a_player_that_rests_uses_no_cpu_while_others_move_nor_do_its_helpers(
    bench: Bench, player: str, count: int
) -> None:
    """Daemons, too: orphans stay in the family."""
    process = bench.start(player)
    process.rests = True
    process.greet(("scat",), 20_000)
    for _ in range(3):
        assert isinstance(process.ask("ms=-", lambda: "a", 20_000, 0), Answer)
        helpers = descendants(process.pid)
        before = sum(map(cpu_ticks, (process.pid, *helpers)))
        time.sleep(0.2)
        assert len(helpers) == count
        assert sum(map(cpu_ticks, (process.pid, *helpers))) - before <= 1
    process.bye()


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_a_player_that_may_ponder_uses_cpu_while_others_move_and_it_is_known_how_much(bench: Bench) -> None:
    process = bench.greeted("computes_meanwhile")
    assert isinstance(process.ask("ms=-", lambda: "a", 20_000, 0), Answer)
    before = process.cpu_ms()
    deadline = time.monotonic() + 10
    while process.cpu_ms() - before < 50:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("player", ["honest", "ignores_sigterm"])
def test_a_resting_player_leaves_at_bye(bench: Bench, player: str) -> None:
    process = bench.start(player)
    process.rests = True
    process.greet(("scat",), 20_000)
    assert isinstance(process.ask("ms=-", lambda: "a", 20_000, 0), Answer)
    start = time.monotonic()
    process.bye()

    assert not process.alive()
    assert time.monotonic() - start < 3


def test_a_resting_player_is_timed_out_and_dismissed_like_any_other(bench: Bench) -> None:
    process = bench.start("spins")
    process.rests = True
    process.greet(("scat",), 20_000)
    fault = process.ask("ms=100", lambda: "a", 100, 0)
    process.dismiss("fault seat=0 code=timeout")

    assert isinstance(fault, Fault) and fault.code == "timeout" and "still computing" in fault.text


def test_a_player_that_hears_events_live_does_not_rest(bench: Bench) -> None:
    process = bench.start("live")
    process.rests = True
    process.greet(("scat",), 20_000)
    assert isinstance(process.ask("ms=-", lambda: "a", 20_000, 0), Answer)

    assert Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] in "SR"


# -- matches that the machine spoils ------------------------------------------------------------------------------


def job(*players: str, **limits: Any) -> dict[str, Any]:
    """A job of one short match between players of tests/players."""
    return {
        "game": "scat",
        "preset": "seed",
        "options": dict(load("scat", hand_cap=1).options),
        "limits": Limits(start_ms=20_000, **limits)._asdict(),
        "fresh": False,
        "players": [
            {
                "name": f"{name}-{seat}",
                "argv": [sys.executable, "-S", str(PLAYERS / f"{name}.py")],
                "cwd": ".",
                "env": {},
            }
            for seat, name in enumerate(players)
        ],
        "matches": [{"block": 3, "seed": bytes(32).hex(), "seating": [0, 1], "rngs": ["0" * 16, "1" * 16]}],
    }


class Spoiled(Vigil):
    """A vigil that finds trouble so many times."""

    times = 0

    def trouble(self) -> str:
        Spoiled.times -= 1
        return "the machine was suspended for 60.0 s during the match" if Spoiled.times >= 0 else ""


def played(monkeypatch: pytest.MonkeyPatch, spoiled: int, **limits: Any) -> tuple[dict[str, Any], list[str]]:
    """Play a job of which so many attempts are spoiled; return its match and the names of the players started."""
    Spoiled.times = spoiled
    monkeypatch.setattr("referee.process.Vigil", Spoiled)
    started: list[str] = []
    start = worker_module.Table.start
    monkeypatch.setattr(
        worker_module.Table,
        "start",
        lambda table, command, name: (started.append(name), start(table, command, name))[1],
    )
    messages: list[dict[str, Any]] = []
    play_task(job("honest", "honest", **limits), messages.append)
    return next(message for message in messages if "block" in message), started


def test_a_spoiled_match_is_played_again_by_fresh_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    clean, _ = played(monkeypatch, 0)
    message, started = played(monkeypatch, 2)

    assert len(message["notes"]["again"]) == 2
    assert message["record"] == clean["record"] and not message["void"]
    assert started == ["honest-0", "honest-1"] * 3


def test_a_match_that_is_spoiled_every_time_is_void_and_counts_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    message, started = played(monkeypatch, 99)

    assert message["void"] == "the machine was suspended for 60.0 s during the match"
    assert message["record"].splitlines()[-2] == f"void text={message['void']}"
    assert (message["deals"], message["counted"]) == ((), 0)
    assert len(started) == 2 * TRIES


def test_without_a_clock_no_match_is_spoiled(monkeypatch: pytest.MonkeyPatch) -> None:
    message, started = played(monkeypatch, 99, move_ms=None)

    assert not message["void"] and len(started) == 2


@pytest.mark.slow
def test_a_referee_that_is_stopped_for_seconds_plays_the_match_again() -> None:
    """The whole session of a worker is stopped for longer than its deadline: no player is to blame."""
    program = (
        "import json, sys; from referee.worker import play_task;"
        "play_task(json.load(sys.stdin), lambda message: print(json.dumps(message), flush=True))"
    )
    text = json.dumps(job("late", "late", move_ms=500))
    text = text.replace('late.py"]', 'late.py", "5"]')
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdin is not None
    running.stdin.write(text)
    running.stdin.close()
    running.stdin = None
    while len(descendants(running.pid)) < 2:
        time.sleep(0.01)
    time.sleep(0.3)
    everybody = (running.pid, *descendants(running.pid))
    for pid in everybody:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(2.5)
    for pid in everybody:
        os.kill(pid, signal.SIGCONT)
    out, _ = running.communicate(timeout=60)

    message = next(json.loads(line) for line in out.splitlines() if '"block"' in line)
    assert "the referee stood still for" in message["notes"]["again"][0]
    assert not message["faults"] and not message["void"]


# -- what a killed worker leaves ----------------------------------------------------------------------------------


def daemon_worker(body: str) -> tuple[str, ...]:
    """A worker whose player has left a daemon behind."""
    argv = worker(f"player.ask('ms=-', lambda: 'a', 20_000, 0); {body}")
    return (*argv[:-1], argv[-1].replace("honest.py", "double_fork_daemon.py"))


def test_what_a_killed_worker_s_player_left_behind_is_killed_and_another_worker_s_is_not(mark: Mark) -> None:
    """The daemon of the first player has nobody left but the coordinator; that of the second has its worker."""
    release = threading.Event()
    ended: list[str] = []

    def second() -> None:
        try:
            run_job(daemon_worker("print('ready'); sys.stdin.read(); time.sleep(60)"), "", 60, release, orphanage)
        except WorkerDied as error:
            ended.append(str(error))

    def orphaned(alive: set[int]) -> bool:
        """The worker, its player, and the daemon, which the player has adopted."""
        return sorted(parent(pid) in alive for pid in alive) == [False, True, True]

    with Orphanage() as orphanage:
        thread = threading.Thread(target=second)
        thread.start()
        try:
            while mark.wait(orphaned) != (theirs := mark.wait(orphaned)):
                pass  # it was not the daemon yet, but the one that starts it
            with pytest.raises(WorkerDied, match="was ended by SIGKILL"):
                run_job(daemon_worker("os.kill(os.getpid(), signal.SIGKILL)"), "", 30, None, orphanage)
            assert mark.alive() == theirs
        finally:
            release.set()
            thread.join()

    assert ended == ["the worker was stopped"]
    assert mark.alive() == set()


def test_an_orphanage_leaves_older_children_alone(mark: Mark) -> None:
    older = subprocess.Popen(["sleep", "60"])
    with Orphanage() as orphanage:
        orphanage.sweep()
        assert older.poll() is None
    older.kill()
    older.wait()
