"""A player that cannot start: each cause has its own sentence, and costs nothing."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.match import Answer
from referee.process import CannotStart, Command
from referee.wire import Fault, Ready

from .conftest import START_MS, Bench


def script(text: str | bytes, mode: int = 0o755) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        path = folder / "player"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return str(path)

    return make


def link_to(target: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / "player").symlink_to(target)
        return str(folder / "player")

    return make


def fifo(folder: Path) -> str:
    os.mkfifo(folder / "player", 0o755)
    return str(folder / "player")


def own_program(change: Callable[[bytearray], bytes | bytearray]) -> Callable[[Path], str]:
    """A changed copy of the beginning of the Python that runs this."""

    def make(folder: Path) -> str:
        with open(os.path.realpath(sys.executable), "rb") as file:
            head = bytearray(file.read(4096))
        return script(bytes(change(head)))(folder)

    return make


def other_machine(head: bytearray) -> bytearray:
    head[18] = 183 if head[18] != 183 else 62
    return head


CAUSES = {
    "missing file": (lambda folder: f"{folder}/player", "there is no file"),
    "not executable": (script("#!/bin/sh\n", 0o644), "is not executable; 'chmod +x' makes it so"),
    "folder": (lambda folder: str(folder), "is a folder"),
    "broken link": (link_to("nowhere"), "is a symbolic link to 'nowhere', which does not exist"),
    "circle of links": (link_to("player"), "is a symbolic link that leads back to itself"),
    "file as folder": (lambda folder: script("x")(folder) + "/player", "is a file, not a folder"),
    "missing interpreter": (script("#!/no/such/python -u\n"), "asks for the interpreter '/no/such/python'"),
    "interpreter that is no program": (script("#!/etc/passwd\n"), "'/etc/passwd', which is not executable"),
    "no interpreter": (script("#!\n"), "without a program that runs it"),
    "Windows line ends": (script("#!/bin/sh\r\necho ready\r\n"), "has Windows line ends"),
    "no first line": (script("print('ready')\n"), "has no first line '#!...'"),
    "byte order mark": (script(b"\xef\xbb\xbf#!/bin/sh\n"), "a UTF-8 byte order mark before its '#!'"),
    "empty file": (script(""), "is an empty file"),
    "FIFO": (fifo, "is a FIFO, not a program"),
    "Windows program": (script(b"MZ\x90\x00"), "is a program for another system"),
    "truncated program": (own_program(lambda head: head[:40]), "is a truncated program (40 bytes)"),
    "damaged program": (own_program(lambda head: head[:64]), "is a damaged or truncated program"),
    "other machine": (own_program(other_machine), "was built for"),
    "NUL in the path": (lambda folder: f"{folder}/pla\0yer", "holds a NUL byte"),
    "long path": (lambda folder: f"{folder}/{'x' * 300}", "is too long for a path"),
    "very long path": (lambda folder: "/x" * 5000, "is too long for a path"),
    "name not on PATH": (lambda folder: "no-such-player", "there is no program 'no-such-player' on PATH"),
    "empty name": (lambda folder: "", "the command is empty"),
    "escapes in the path": (lambda folder: f"{folder}/\x1b[2J", "\\x1b[2J"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_has_its_own_sentence(bench: Bench, tmp_path: Path, cause: str) -> None:
    make, text = CAUSES[cause]
    path = make(tmp_path)

    with pytest.raises(CannotStart) as raised:
        bench.table.start(Command((path,), str(tmp_path)), "player")

    sentence = str(raised.value)
    assert text in sentence
    assert sentence.isascii() and sentence.isprintable()


def test_a_command_of_nothing_cannot_start(bench: Bench) -> None:
    with pytest.raises(CannotStart, match="the command is empty"):
        bench.table.start(Command(()), "player")


def test_a_folder_that_does_not_exist(bench: Bench) -> None:
    with pytest.raises(CannotStart, match="was to start in the folder '/no/such/folder', which does not exist"):
        bench.table.start(Command(("true",), "/no/such/folder"), "player")


def test_arguments_that_are_too_long(bench: Bench) -> None:
    with pytest.raises(CannotStart, match="the arguments of 'true' are too long for this system: 4000"):
        bench.table.start(Command(("true", *["x" * 100_000] * 40)), "player")


def test_a_name_that_is_a_file_of_the_folder_is_pointed_out(bench: Bench, tmp_path: Path) -> None:
    script("#!/bin/sh\n")(tmp_path)

    with pytest.raises(CannotStart, match=r"on PATH; the one in this folder is './player'"):
        bench.table.start(Command(("player",), str(tmp_path)), "player")


def test_a_loader_that_does_not_exist(bench: Bench, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("There is no C compiler here.")
    (tmp_path / "player.c").write_text("int main(void) { return 0; }\n")
    flag = "-Wl,--dynamic-linker=/lib/ld-elsewhere.so.1"
    subprocess.run([compiler, flag, "-o", "player", "player.c"], cwd=tmp_path, check=True)

    with pytest.raises(CannotStart, match=r"asks for the loader '/lib/ld-elsewhere\.so\.1', which does not exist"):
        bench.table.start(Command(("./player",), str(tmp_path)), "player")


def test_the_referees_own_want_is_no_fault_of_the_player(bench: Bench) -> None:
    """Without descriptors left nobody can start; that is no reason to call a player unable."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")), hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            bench.start("honest")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_blanks_in_a_path_and_a_relative_program_work(bench: Bench, tmp_path: Path) -> None:
    """No shell reads the command; a relative program is found from the folder that the player starts in."""
    folder = tmp_path / "my player; echo"
    folder.mkdir()
    script("#!/bin/sh\nread hello; echo ready\nread act id rest; echo move $id $1; sleep 60\n")(folder)
    process = bench.table.start(Command(("./player", "a;b"), str(folder), {"REFEREE_TEST_MARK": bench.mark}), "player")

    assert isinstance(process.greet(("scat",), START_MS), Ready)
    answer = process.ask("ms=-", lambda: "a", 20_000, 0)

    assert isinstance(answer, Answer) and answer.action == "a;b", answer


def test_a_missing_program_behind_env_is_named_by_its_exit(bench: Bench, tmp_path: Path) -> None:
    path = script("#!/usr/bin/env no-such-python\n")(tmp_path)
    fault = bench.table.start(Command((path,), str(tmp_path)), "player").greet(("scat",), START_MS)

    assert isinstance(fault, Fault) and fault.code == "exit", fault
    assert "code 127 (as a shell says of a program that it cannot find) before it said 'ready'" in fault.text
    assert "no-such-python" in fault.text
