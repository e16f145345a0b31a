"""What keeps players apart, as the players themselves find it."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from referee import confine
from referee.match import Answer

from .conftest import Bench

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux keeps players apart.")


def found(bench: Bench, *arguments: str) -> dict[str, str]:
    """Return what a player finds of its confinement."""
    process = bench.greeted("tells_what_holds", *arguments)
    answer = process.ask("ms=-", lambda: "a", 20_000, 0)
    process.kill()
    assert isinstance(answer, Answer), (answer, process.stderr_head)
    return dict(line.split("=", 1) for line in process.stderr_head.decode().splitlines())


def test_a_player_has_small_limits_and_gains_no_privileges(bench: Bench) -> None:
    facts = found(bench)

    assert "1" == facts["no_new_privs"]
    assert "(0, 0)" == facts["core"]
    assert "(256, 256)" == facts["nofile"]
    assert str((64 * 2**20, 64 * 2**20)) == facts["fsize"]
    assert "0" == facts["blocked"]


def test_a_player_lives_in_a_session_of_its_own_with_three_descriptors(bench: Bench) -> None:
    facts = found(bench)

    assert "True" == facts["session"]
    assert "[0, 1, 2]" == facts["fds"]
    assert str(Path(__file__).parents[1] / "players") == facts["cwd"]


def test_a_player_gets_no_variable_that_was_not_meant_for_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTER_SEED", "secret")
    python = "PYTHONDONTWRITEBYTECODE,PYTHONHASHSEED,PYTHONUNBUFFERED"

    variables = found(bench)["variables"].replace("LC_CTYPE,", "")

    assert variables in (f"HOME,LANG,PATH,{python},REFEREE_TEST_MARK", f"LANG,PATH,{python},REFEREE_TEST_MARK")


@pytest.mark.skipif(confine.landlock_abi() < 2, reason="This kernel has no Landlock of use.")
def test_a_player_reaches_the_memory_and_the_pipes_of_nobody_else(bench: Bench) -> None:
    other = bench.greeted("honest")
    facts = found(bench, str(other.pid))

    assert "False" == facts["referee_mem"] == facts["referee_fd/0"]
    assert "False" == facts["other_mem"] == facts["other_fd"]


@pytest.mark.skipif(confine.landlock_abi() < confine.SCOPES_SINCE, reason="Landlock stops no signals here.")
def test_a_player_cannot_signal_another(bench: Bench) -> None:
    other = bench.greeted("honest")

    assert "False" == found(bench, str(other.pid))["other_signal"]


@pytest.mark.skipif(confine.landlock_abi() < 2, reason="This kernel has no Landlock of use.")
def test_an_older_landlock_keeps_players_apart_and_lets_them_move_files(tmp_path: Path) -> None:
    """The domain of a kernel before scopes, as far as a newer one can show it."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "file").touch()
    program = f"""
        import os
        from referee.confine import child, landlock
        steps = child.Steps(ruleset=landlock.domain_only(5))
        if os.fork() == 0:
            child.enter(steps)
            os.rename({str(tmp_path / "a" / "file")!r}, {str(tmp_path / "b" / "file")!r})
            try:
                open(f"/proc/{{os.getppid()}}/mem")
            except PermissionError:
                os._exit(0)
            os._exit(1)
        raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
    """

    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)

    assert (tmp_path / "b" / "file").exists()


def test_the_summary_says_what_holds_and_what_does_not() -> None:
    program = "from referee import confine; print(confine.referee_start()); print(confine.summary())"

    lines = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    taken, summary = lines.splitlines()
    assert "{'not dumpable': True, 'subreaper': True}" == taken
    assert summary.startswith("isolation: session, rlimits, no-new-privs, dies-with-referee")
    assert "referee-not-dumpable, subreaper" in summary
    assert " | NOT isolated: " in summary
    assert "files, network, memory" in summary
    assert ("You are root" in summary) == (os.geteuid() == 0)


def test_a_worker_whose_parent_is_gone_leaves_at_once() -> None:
    program = "from referee import confine; confine.referee_start(); print('alive')"
    environment = {**os.environ, confine.PARENT: "1"}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)

    assert 128 + signal.SIGTERM == done.returncode
    assert "" == done.stdout
