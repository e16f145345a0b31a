"""What --sandbox adds: players' verdicts stay what they are, the organiser's files stay closed, and what is missing is
said. What it keeps attackers from is in test_attacks.py."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from referee import confine
from referee.cli.entry import with_levels
from referee.confine import bubblewrap, cgroups, reach, seccomp
from referee.match import Answer
from referee.process import CannotStart, Command, Process, Table
from referee.tournament import SandboxMissing, isolation_in
from referee.wire import Fault, Ready

from .conftest import PLAYERS, START_MS
from .test_players import FAULTS, GRACE, LONG, SLACK_S, WORDS, Case
from .test_start import CAUSES

linux = pytest.mark.skipif(sys.platform != "linux", reason="The sandbox is Linux's.")
needs_landlock = pytest.mark.skipif(
    confine.landlock_abi() < confine.SCOPES_SINCE, reason="This kernel's Landlock stops no signals, or there is none."
)
needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed.")
LEVELS = [pytest.param("", id="on", marks=needs_landlock), pytest.param("bwrap", id="box", marks=needs_bwrap)]


class Box:
    """A table with a sandbox."""

    def __init__(self, sandbox: confine.Sandbox) -> None:
        self.table = Table(sandbox=sandbox)

    def start(self, *argv: str, cwd: str = str(PLAYERS), env: Mapping[str, str] | None = None) -> Process:
        return self.table.start(Command(argv, cwd, env or {}), "player")

    def greeted(self, player: str, *arguments: str) -> Process:
        process = self.start(sys.executable, "-S", str(PLAYERS / f"{player}.py"), *arguments)
        ready = process.greet(("scat",), START_MS)
        assert isinstance(ready, Ready), (ready, process.stderr_head)
        return process

    def said(self, program: str, cwd: str = str(PLAYERS)) -> str:
        """Return what a Python program writes to standard error before it exits."""
        process = self.start(sys.executable, "-S", "-c", program, cwd=cwd)
        fault = process.greet(("scat",), START_MS)
        assert isinstance(fault, Fault) and fault.code in ("exit", "signal"), fault
        process.kill()
        return process.stderr_head.decode()


@pytest.fixture
def boxed() -> Iterator[Callable[..., Box]]:
    """Make tables with a sandbox, left when the test is over."""
    made: list[Box] = []

    def make(bwrap: str, **more: Any) -> Box:
        made.append(Box(confine.Sandbox("on", bwrap=bwrap, **more)))
        made[-1].table.__enter__()
        return made[-1]

    yield make
    for box in reversed(made):
        box.table.__exit__(None, None, None)


# -- verdicts stay what they are

TELLING = "crashes_sigsegv exits_mid_game raises closes_stdout closes_stdin kills_its_group silent stops_itself spins"
CASES = [
    pytest.param(case, id=case.player, marks=() if case.player in TELLING.split() else pytest.mark.slow)
    for case in FAULTS
    if case.player != "fills_the_disk"  # it cannot even begin to
]


@pytest.mark.parametrize("bwrap", LEVELS)
@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_named_in_the_sandbox_as_outside(boxed: Callable[..., Box], bwrap: str, case: Case) -> None:
    process = boxed(bwrap).greeted(case.player)
    for _ in range(case.answers):
        answer = process.ask(WORDS, lambda: "a,b", LONG, GRACE)
        assert isinstance(answer, Answer) and answer.action == "a", answer

    start = time.monotonic()
    fault = process.ask(WORDS, lambda: "a,b", case.ms, GRACE)
    took = time.monotonic() - start

    assert isinstance(fault, Fault), fault
    assert case.code == fault.code, fault
    # where the kernel does not keep how it ended, the sandbox cannot tell the two
    assert case.text in re.sub(r", or exited with code \d+, which the sandbox tells alike,", "", fault.text)
    assert took < case.ms / 1000 + SLACK_S


@pytest.mark.parametrize("bwrap", LEVELS)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_player_that_cannot_start_is_told_the_same_in_the_sandbox(
    boxed: Callable[..., Box], tmp_path: Path, bwrap: str, cause: str
) -> None:
    make, text = CAUSES[cause]

    with pytest.raises(CannotStart) as raised:
        boxed(bwrap).start(make(tmp_path))

    assert text in str(raised.value)


@pytest.mark.parametrize("bwrap", LEVELS)
def test_an_empty_command_starts_nothing(boxed: Callable[..., Box], bwrap: str) -> None:
    with pytest.raises(CannotStart, match="the command is empty"):
        boxed(bwrap).start()


@pytest.mark.parametrize("bwrap", LEVELS)
def test_the_cpu_time_that_is_charged_is_the_players_own(boxed: Callable[..., Box], bwrap: str) -> None:
    """Under bubblewrap the process that the referee has started is not the one that thinks."""
    process = boxed(bwrap).greeted("thinks")

    answer = process.ask(WORDS, lambda: "a", LONG, GRACE)

    assert isinstance(answer, Answer), answer
    assert answer.cpu_ms >= 19


@pytest.mark.parametrize("bwrap", LEVELS)
def test_a_sandboxed_player_has_three_descriptors_small_limits_and_no_capability(
    boxed: Callable[..., Box], bwrap: str
) -> None:
    process = boxed(bwrap).greeted("tells_what_holds")
    process.ask(WORDS, lambda: "a", LONG, GRACE)
    process.kill()
    facts = dict(line.split("=", 1) for line in process.stderr_head.decode().splitlines())
    powers = boxed(bwrap).said("print(open('/proc/self/status').read(), file=__import__('sys').stderr)")

    assert "1" == facts["no_new_privs"]
    assert "[0, 1, 2]" == facts["fds"]
    assert "(0, 0)" == facts["core"]
    assert "(256, 256)" == facts["nofile"]
    assert str(PLAYERS) == facts["cwd"]
    python = "PYTHONDONTWRITEBYTECODE,PYTHONHASHSEED,PYTHONUNBUFFERED"
    assert facts["variables"].replace("LC_CTYPE,", "") in (f"HOME,LANG,PATH,{python}", f"LANG,PATH,{python}")
    assert re.search(r"Seccomp:\t2", powers)
    read_closed_files = 1 << 2
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        found = re.search(rf"{name}:\t(\w+)", powers)
        assert found and int(found[1], 16) & ~read_closed_files == 0, powers


@pytest.mark.parametrize("bwrap", LEVELS)
def test_a_sandboxed_player_rests_while_others_move_if_it_must(boxed: Callable[..., Box], bwrap: str) -> None:
    process = boxed(bwrap).greeted("thinks")
    process.rests = True

    for _ in range(2):
        assert isinstance(process.ask(WORDS, lambda: "a", LONG, GRACE), Answer)
        deadline = time.monotonic() + 20
        while "T" != Path(f"/proc/{process._started.inside}/stat").read_text().rpartition(")")[2].split()[0]:
            assert time.monotonic() < deadline


@pytest.mark.parametrize("bwrap", LEVELS)
def test_a_referee_that_is_killed_takes_its_sandboxed_players_with_it(bwrap: str) -> None:
    program = f"""
        import sys, time
        from referee import confine
        from referee.process import Command, Table
        confine.referee_start()
        with Table(sandbox=confine.Sandbox("on", bwrap={bwrap!r})) as table:
            player = table.start(Command((sys.executable, "-S", {str(PLAYERS / "honest.py")!r}), {str(PLAYERS)!r}), "p")
            player.greet(("scat",), {START_MS})
            print(player._started.inside, flush=True)
            time.sleep(600)
    """
    referee = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert referee.stdout is not None
    inside = int(referee.stdout.readline())
    assert Path(f"/proc/{inside}").exists()

    referee.kill()
    referee.wait()
    referee.stdout.close()

    deadline = time.monotonic() + 20
    while Path(f"/proc/{inside}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# -- files


@pytest.mark.parametrize("bwrap", LEVELS)
def test_the_run_directory_is_closed_even_inside_a_players_folder(
    boxed: Callable[..., Box], bwrap: str, tmp_path: Path
) -> None:
    run = tmp_path / "results" / "run"
    run.mkdir(parents=True)
    (run / "seed").write_text("SECRET")
    (tmp_path / "results" / "notes").write_text("open")
    box = boxed(bwrap, hidden=(str(run),))

    said = box.said(
        "import sys\nfor name in ('notes', 'run/seed'):\n"
        "    try: print(open('results/' + name).read(), file=sys.stderr)\n"
        "    except OSError: print('closed', file=sys.stderr)",
        cwd=str(tmp_path),
    )

    assert "open\nclosed\n" == said


@pytest.mark.parametrize("bwrap", LEVELS)
def test_a_players_data_elsewhere_is_readable_when_it_is_named(
    boxed: Callable[..., Box], bwrap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "models" / "weights"
    weights.parent.mkdir()
    weights.write_text("0.5")
    (tmp_path / "bot").mkdir()
    look = f"import sys\ntry: print(open({str(weights)!r}).read(), file=sys.stderr)\nexcept OSError: sys.exit(1)"

    before = boxed(bwrap).said(look, cwd=str(tmp_path / "bot"))
    monkeypatch.setenv(reach.READABLE, str(weights.parent))

    assert "" == before
    assert "0.5\n" == boxed(bwrap).said(look, cwd=str(tmp_path / "bot"))


def test_a_home_and_what_holds_everybodys_things_is_wide() -> None:
    home = "/home/ann"

    assert all(reach.wide(folder, home) for folder in ("/", "/home", "/home/ann", "/home/ann/", "/tmp", "/var/tmp"))
    assert not any(reach.wide(folder, home) for folder in ("/home/ann/bots", "/opt/bots", "/tmp/bots", "/home/bob"))


def test_of_a_program_in_a_home_only_the_file_is_readable(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "other.py").touch()
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}

    at_home = reach.Reach((str(tmp_path / "bot.py"),), str(tmp_path), environment, ())
    in_folder = reach.Reach(("sh", "bots/other.py", "--weights=bot.py"), str(tmp_path), environment, ())

    assert [str(tmp_path / "bot.py")] == [path for path in at_home.readable if path.startswith(str(tmp_path))]
    assert [str(tmp_path / "bot.py"), str(tmp_path / "bots")] == [
        path for path in in_folder.readable if path.startswith(str(tmp_path))
    ]


def test_the_interpreter_behind_links_and_a_first_line_is_readable_with_its_libraries(tmp_path: Path) -> None:
    real, shown = tmp_path / "python-3.99", tmp_path / "venv" / "bin"
    for folder in (real / "bin", real / "lib", real / "share", shown, tmp_path / "bot"):
        folder.mkdir(parents=True)
    (real / "bin" / "python3").write_text("")
    (real / "bin" / "python3").chmod(0o755)
    (shown / "python3").symlink_to(real / "bin" / "python3")
    (tmp_path / "bot" / "run").write_text(f"#!{shown}/python3\n")

    found = reach.Reach(("./run",), str(tmp_path / "bot"), {"PATH": "/usr/bin"}, ()).readable

    assert {str(real / "bin"), str(real / "lib"), str(shown), str(tmp_path / "bot")} <= set(found)
    assert str(real / "share") not in found


def test_a_closed_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed" / "bot"
    folder.mkdir(parents=True)
    program = folder / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    tops = (str(tmp_path),)

    tmp_path.chmod(0o755)
    assert "" == reach.closed_to(12345, 12345, str(program), tops)
    (tmp_path / "closed").chmod(0o700)
    assert str(tmp_path / "closed") == reach.closed_to(12345, 12345, str(program), tops)
    assert "" == reach.closed_to(12345, 12345, str(program), (str(folder),))
    assert "" == reach.closed_to(os.stat(folder).st_uid, 12345, str(program), tops)
    (tmp_path / "closed").chmod(0o755)
    program.chmod(0o700)
    assert str(program) == reach.closed_to(12345, 12345, str(program), tops)
    assert not reach.only_unreadable(12345, 12345, str(program))


@pytest.mark.skipif(os.geteuid() != 0, reason="This needs root: only root gives players another user.")
@pytest.mark.parametrize("bwrap", LEVELS)
def test_roots_own_files_are_read_and_what_only_root_may_execute_is_named(
    boxed: Callable[..., Box], bwrap: str, tmp_path: Path
) -> None:
    """A folder of mode 700 is no reason to lock a player out; a program of mode 700 has to be, and is told so."""
    tmp_path.chmod(0o700)
    script = tmp_path / "bot.py"
    script.write_text("print('ready')\ninput()\n")
    script.chmod(0o600)
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho ready\nread line\n")
    program.chmod(0o700)
    box = boxed(bwrap)

    reads = box.start(sys.executable, "-S", str(script), cwd=str(tmp_path))
    with pytest.raises(CannotStart) as raised:
        box.start(str(program), cwd=str(tmp_path))
    uids = {box.said("import os, sys; print(os.getuid(), file=sys.stderr)") for _ in range(2)}

    assert isinstance(reads.greet(("scat",), START_MS), Ready), reads.stderr_head
    assert f"'{program}' may not be executed by the user of its own" in str(raised.value)
    assert "--sandbox-user" in str(raised.value)
    assert len(uids) == 2 and "0\n" not in uids


# -- what is missing is said


@needs_landlock
def test_strict_starts_nothing_where_a_layer_is_missing() -> None:
    with pytest.raises(confine.SandboxMissing, match=r"^--sandbox=strict: bubblewrap is not to be used"):
        confine.Confinement(confine.Sandbox("strict", bwrap=""))


@linux
def test_a_bubblewrap_that_does_not_run_is_not_used_and_its_words_are_kept(tmp_path: Path) -> None:
    """Finding the program says nothing: where user namespaces are forbidden, it fails."""
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)

    layers = confine.Confinement(confine.Sandbox("on", bwrap=str(fake))).layers

    assert "bubblewrap does not work here (bwrap: setting up uid map: Permission denied)" in layers.missing[-1] + str(
        layers.missing
    )
    assert any("AppArmor" in sentence for sentence in layers.missing)


@linux
def test_a_kernel_without_landlock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "landlock_abi", lambda: 0)

    off = confine.Confinement().layers
    on = confine.Confinement(confine.Sandbox("on", bwrap="")).layers

    assert "other players' memory and signals (this kernel has no Landlock of use)" in off.open
    assert any("this kernel offers ABI 0" in sentence for sentence in on.missing)
    assert "landlock" not in ", ".join(on.held)


def test_a_user_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(confine.SandboxMissing, match="there is no user 'no-such-user'"):
        confine._named_user("no-such-user")


@linux
@needs_bwrap
def test_a_scope_of_systemd_is_used_when_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test machine has one for sure: a program stands in for it, which runs what it is given, as it would."""
    fake = tmp_path / "systemd-run"
    fake.write_text(
        '#!/bin/sh\necho "$@" >> "$XDG_RUNTIME_DIR/said"\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(cgroups, "Cgroup", _no_cgroup)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with Table(sandbox=confine.Sandbox("on", memory_mb=512)) as table:
        process = table.start(Command((sys.executable, "-S", str(PLAYERS / "honest.py")), str(PLAYERS)), "player")
        ready = process.greet(("scat",), START_MS)

        assert "512 MiB of memory by systemd scope" in table.isolation
        assert isinstance(ready, Ready), (ready, process.stderr_head)
    assert "--user --scope --quiet --collect -p MemoryMax=512M" in (tmp_path / "said").read_text()


def _no_cgroup(*_: object) -> None:
    raise cgroups.NoCgroup(30, "Read-only file system")


def test_a_workers_refusal_becomes_an_exception_of_the_coordinator() -> None:
    assert "sentence" == isolation_in([{"isolation": "sentence"}, {"block": 0}])
    with pytest.raises(SandboxMissing, match="no bubblewrap"):
        isolation_in([{"refused": "no bubblewrap"}])


# -- the command line


def test_a_bare_sandbox_means_on_whatever_follows() -> None:
    assert ["--sandbox=on", "a.py"] == with_levels(["--sandbox", "a.py"])
    assert ["--sandbox", "strict", "a.py"] == with_levels(["--sandbox", "strict", "a.py"])
    assert ["a.py", "--sandbox=on"] == with_levels(["a.py", "--sandbox"])
    assert ["--sandbox=strict"] == with_levels(["--sandbox=strict"])


@needs_landlock
def test_a_run_in_a_sandbox_stores_and_says_once_what_kept_its_players_apart(tmp_path: Path) -> None:
    from referee import store

    words = ["tournament", "--sandbox", "scat_greedy", "scat_random", "--blocks", "1", "--progress", "none"]
    done = _cli(*words, "--set", "start_coins=1", "--set", "hand_cap=1", "-g", "scat", "--out", str(tmp_path / "run"))

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("isolation (sandbox on): ") == 1
    with store.read(tmp_path / "run") as opened:
        (sentence,) = opened.meta("isolation")
        assert sentence in done.stderr
        assert "on" == opened.meta("plan")["sandbox"]["level"]


@needs_landlock
def test_strict_without_bubblewrap_is_an_error_of_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(os.path.realpath(sys.executable))

    done = _cli("match", "scat", "scat_greedy", "scat_random", "--sandbox=strict", PATH=str(folder))

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("referee: --sandbox=strict: bubblewrap is not installed")


@needs_landlock
@pytest.mark.slow
def test_a_check_in_the_sandbox_finds_an_example_as_good_as_outside() -> None:
    done = _cli("check", "examples/bots/python.py", "--sandbox", "--seats", "2-3")

    assert 0 == done.returncode, done.stdout
    assert " 0 FAIL, 0 warn" in done.stdout


def test_a_user_without_a_sandbox_is_a_contradiction() -> None:
    done = _cli("match", "scat", "scat_greedy", "scat_random", "--sandbox-user", "nobody")

    assert 2 == done.returncode
    assert "add --sandbox" in done.stderr


def _cli(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *words],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[2],
    )


# -- the seccomp filter


def verdict(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel does and return its verdict."""
    data = struct.pack("=iIQ6Q", number, audit, 0, *(arguments + (0,) * 6)[:6])
    lines = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, if_true, if_false, k = lines[at]
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("=I", data, k)[0]
            case 0x15:
                at += if_true if value == k else if_false
            case 0x35:
                at += if_true if value >= k else if_false
            case 0x45:
                at += if_true if value & k else if_false
            case 0x06:
                return int(k)
            case _:
                raise AssertionError(f"no such line: {code:#x}")


ALLOW, EPERM, ENOSYS, NOTHING = 0x7FFF0000, 0x50001, 0x50026, 0x50000


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_filter_denies_what_it_names_and_nothing_else(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.program(machine)
    named = {}
    for calls, expected in ((seccomp.DENIED, EPERM), (seccomp.ABSENT, ENOSYS), (seccomp.PRETENDED, NOTHING)):
        named.update({numbers[column]: expected for numbers in calls.values()})
    tested = {tests[0].numbers[column] for tests in seccomp.TESTED.values()}

    for number in set(range(460)) - tested:
        assert named.get(number, ALLOW) == verdict(program, audit, number), number
    assert len(program) // 8 < 4096


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_filter_looks_at_arguments(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    number = {name: tests[0].numbers[column] for name, tests in seccomp.TESTED.items()}

    def judged(name: str, *arguments: int) -> int:
        return verdict(seccomp.program(machine), audit, number[name], *arguments)

    threads = 0x3D0F00  # what a threads library asks of clone
    assert ALLOW == judged("clone", threads) == judged("clone", 17)
    assert EPERM == judged("clone", 0x10000000 | 17) == judged("clone", 0x40000000) == judged("clone", 0x20000)
    assert ALLOW == judged("prlimit64", 0, 7) and EPERM == judged("prlimit64", 42, 7)
    assert ALLOW == judged("setpriority", 0, 0) and EPERM == judged("setpriority", 0, 42)
    assert EPERM == judged("setpriority", 2, 0)
    assert ALLOW == judged("ioprio_set", 1, 0) and EPERM == judged("ioprio_set", 3, 0)
    assert ALLOW == judged("kill", 42, 9) and EPERM == judged("kill", 0xFFFFFFFF, 9)
    assert EPERM == judged("kill", 0xFFFFFFFFFFFFFFFF, 9)
    assert ALLOW == judged("ioctl", 0, 0x5401) and EPERM == judged("ioctl", 0, 0x5412)
    assert ALLOW == judged("fcntl", 0, 1) and EPERM == judged("fcntl", 0, 1024)
    assert ALLOW == judged("prctl", 15) and EPERM == judged("prctl", 36, 0)


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_filter_of_every_player_forbids_a_little_and_lets_32_bit_programs_run(machine: str) -> None:
    audit, column = seccomp.ARCHITECTURES[machine]
    audit_32, numbers_32 = seccomp.COMPATIBLE[machine]
    program = seccomp.basic(machine)
    numbers = tuple(seccomp.TESTED[name][0].numbers[column] for name in seccomp.BASIC)

    for name, (limits, control, process) in ((audit, numbers), (audit_32, numbers_32)):
        assert ALLOW == verdict(program, name, limits, 0, 7) and EPERM == verdict(program, name, limits, 42, 7)
        assert ALLOW == verdict(program, name, control, 0, 0x5401) and EPERM == verdict(
            program, name, control, 0, 0x5412
        )
        assert ALLOW == verdict(program, name, process, 15) and EPERM == verdict(program, name, process, 36, 0)
        for number in set(range(460)) - {limits, control, process}:
            assert ALLOW == verdict(program, name, number)
    assert ALLOW == verdict(program, 0x12345678, numbers[0], 42)
    assert b"" == seccomp.basic("vax")


def test_a_filter_kills_programs_of_another_architecture_and_unknown_machines_have_none() -> None:
    audit, _ = seccomp.ARCHITECTURES["x86_64"]

    assert 0x80000000 == verdict(seccomp.program("x86_64"), 0x40000003, 1)
    assert ENOSYS == verdict(seccomp.program("x86_64"), audit, 0x40000000 | 1)
    assert b"" == seccomp.program("vax")


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (1, "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(column: int, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"There is no {header}.")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()))
    ours = {name: numbers[column] for name, numbers in (*seccomp.DENIED.items(), *seccomp.ABSENT.items())}
    ours |= {name: tests[0].numbers[column] for name, tests in seccomp.TESTED.items()}
    ours["flock"] = seccomp.PRETENDED["flock"][column]

    assert {name: number for name, number in ours.items() if number >= 0} == {
        name: int(known[name]) for name, number in ours.items() if number >= 0
    }


# -- bubblewrap and cgroups


def test_every_folder_on_the_way_is_made_open() -> None:
    words = bubblewrap.command("bwrap", ["/usr", "/srv/a/bot"], ["/srv/a/bot/run"], "/srv/b", as_root=True)

    assert words.index("/srv/a") < words.index("/srv/a/bot")
    assert ["--dir", "/srv"] == words[words.index("/srv") - 1 : words.index("/srv") + 1]
    assert "--unshare-user" not in words
    assert "--unshare-user" in bubblewrap.command("bwrap", [], [], "/", as_root=False)


def test_a_cgroup_goes_with_its_table() -> None:
    try:
        group = cgroups.Cgroup(f"referee-test-{os.getpid()}", 64 << 20, 10)
    except cgroups.NoCgroup as error:
        pytest.skip(f"No cgroup can be made here: {error}.")
    folders = list(group._folders)

    assert all(folder.is_dir() for folder in folders)
    group.close()
    assert not any(folder.exists() for folder in folders)
    assert [] == group.joins


def test_the_cgroup_of_a_referee_that_was_killed_is_removed_by_the_next() -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    try:
        stale = cgroups.Cgroup(f"referee-{dead.pid}-x", 64 << 20, 10)
        ours = cgroups.Cgroup(f"referee-{os.getpid()}-x", 64 << 20, 10)
    except cgroups.NoCgroup as error:
        pytest.skip(f"No cgroup can be made here: {error}.")

    cgroups.remove_stale()

    assert not any(folder.exists() for folder in stale._folders)
    assert all(folder.exists() for folder in ours._folders)
    stale.close()
    ours.close()


def test_plain_data_comes_back_from_json() -> None:
    sandbox = confine.Sandbox("on", "nobody", 512, ("/run",))

    assert sandbox == confine.Sandbox.from_json(json.loads(json.dumps(sandbox._asdict())))
    assert confine.NO_SANDBOX == confine.Sandbox.from_json({}) == confine.Sandbox.from_json(None)
