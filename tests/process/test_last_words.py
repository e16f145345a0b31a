"""How a player ended is told truly: the line of standard error that says why, and a signal apart from an exit code."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from referee import process as process_module
from referee.crashes import last_words
from referee.match import Answer
from referee.process import Process
from referee.wire import Fault

from .conftest import Bench
from .test_players import GRACE, LONG, SHORT, WORDS, Case
from .test_sandbox import Box, boxed, needs_bwrap

__all__ = ["boxed"]

slow = pytest.mark.slow


class Crash(NamedTuple):
    """A program that crashes, how it is made and run, and the line that says why."""

    tool: str
    name: str
    source: str
    run: tuple[str, ...]
    line: str
    make: tuple[str, ...] = ()


CRASHES = [
    Crash("python3", "e.py", "raise KeyError('no such card')", ("python3", "e.py"), "KeyError: 'no such card'"),
    Crash(
        "python3",
        "f.py",
        "import faulthandler, os\nfaulthandler.enable()\nos.kill(os.getpid(), 11)",
        ("python3", "f.py"),
        "Fatal Python error: Segmentation fault",
    ),
    Crash(
        "node",
        "e.js",
        "function f() { throw new Error('no such card'); } f();",
        ("node", "e.js"),
        "Error: no such card",
    ),
    Crash("node", "p.js", "Promise.reject(new TypeError('no card'))", ("node", "p.js"), "TypeError: no card"),
    Crash("node", "s.js", "throw 'plain words';", ("node", "s.js"), "plain words"),
    Crash(
        "java",
        "E.java",
        "class E { public static void main(String[] a) { try { f(); } catch (Exception e) {"
        ' throw new RuntimeException("outer", e); } }'
        ' static void f() { throw new IllegalStateException("inner"); } }',
        ("java", "E.java"),
        'Exception in thread "main" java.lang.RuntimeException: outer',
    ),
    Crash(
        "go",
        "e.go",
        "package main\nfunc main() { var a []int; f(a) }\nfunc f(a []int) { _ = a[3] }\n",
        ("./e",),
        "panic: runtime error: index out of range [3] with length 0",
        ("go", "build", "-o", "e", "e.go"),
    ),
    Crash(
        "rustc",
        "e.rs",
        'fn main() { panic!("no such card") }',
        ("./e",),
        "panicked at e.rs:1:13: no such card",
        ("rustc", "-o", "e", "e.rs"),
    ),
    Crash("ruby", "e.rb", "def f\n  raise 'no such card'\nend\nf\n", ("ruby", "e.rb"), "no such card (RuntimeError)"),
    Crash("ruby", "n.rb", "x = nil\nx.foo\n", ("ruby", "n.rb"), "(NoMethodError)"),
    Crash("perl", "e.pl", "sub f { die 'no such card' } f();", ("perl", "e.pl"), "no such card at e.pl line 1."),
    Crash(
        "perl",
        "c.pl",
        "use Carp; sub f { confess 'no such card' } f(1);",
        ("perl", "c.pl"),
        "no such card at c.pl line 1.",
    ),
    Crash(
        "php",
        "e.php",
        "<?php function f() { throw new Exception('no such card'); } f();",
        ("php", "-d", "display_errors=stderr", "e.php"),
        "Fatal error: Uncaught Exception: no such card",
    ),
    Crash(
        "lua",
        "e.lua",
        "local function f() error('no such card') end\nf()",
        ("lua", "e.lua"),
        "lua: e.lua:1: no such card",
    ),
    Crash("tclsh", "e.tcl", 'proc f {} { error "no such card" }\nf\n', ("tclsh", "e.tcl"), "no such card"),
    Crash(
        "g++",
        "e.cpp",
        '#include <stdexcept>\nint main() { throw std::runtime_error("no such card"); }',
        ("./e",),
        "what():  no such card",
        ("g++", "-o", "e", "e.cpp"),
    ),
]


@slow
@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.name)
def test_the_line_that_says_why_is_found_in_a_real_crash(crash: Crash, tmp_path: Path) -> None:
    if shutil.which(crash.tool) is None:
        pytest.skip(f"{crash.tool} is not installed.")
    (tmp_path / crash.name).write_text(crash.source)
    if crash.make:
        made = subprocess.run(crash.make, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        if made.returncode:
            pytest.skip(f"{crash.tool} does not work here: {made.stderr[-200:]}")

    done = subprocess.run(crash.run, cwd=tmp_path, capture_output=True, timeout=120)

    assert crash.line in last_words(done.stderr).line.decode(), done.stderr.decode()


NODE = "/b.js:1\nthrow new Error('no card');\n^\n\nError: no card\n    at f (/b.js:1:7)\n\nNode.js v20.20.2\n"


@pytest.mark.parametrize(
    ("said", "line", "is_last"),
    [
        ("", "", True),
        ("\n \n", "", True),
        ("reading\nKeyError: 'x'\n", "KeyError: 'x'", True),
        (NODE, "Error: no card", False),
        (NODE.replace("\n", "\r\n"), "Error: no card", False),
        ("Node.js v20 is what I was made for\nbye", "bye", True),
        ('Exception in thread "main" X: no\n\tat B.main(B.java:1)\n', 'Exception in thread "main" X: no', False),
        ("Unhandled exception. X: no card\n   at B.Main()\n", "Unhandled exception. X: no card", False),
        ("panic: no card\n\ngoroutine 1 [running]:\nmain.main()\n\t/b.go:3 +0x1d\nexit status 2", "panic: no card", 0),
        ("thread 'main' panicked at b.rs:2:5:\nno\nnote: run with `RUST_BACKTRACE=1`", "panicked at b.rs:2:5: no", 0),
        ("b.rb:2:in 'f': no card (E)\n\tfrom b.rb:5:in '<main>'\n", "b.rb:2:in 'f': no card (E)", False),
        ("PHP Fatal error:  no\nStack trace:\n#0 {main}\n  thrown in /b.php on line 1\n", "PHP Fatal error:  no", 0),
        ("lua: b.lua:1: no\nstack traceback:\n\t[C]: in ?\n", "lua: b.lua:1: no", False),
        ('no card\n    while executing\n"f"\n    (file "b.tcl" line 2)\n', "no card", False),
        ("warning: slow\r25 %\r50 %", "warning: slow\r25 %\r50 %", True),
    ],
)  # fmt: skip
def test_the_telling_line_is_not_always_the_last(said: str, line: str, is_last: bool) -> None:
    assert (line.encode(), is_last) == last_words(said.encode())


@pytest.mark.parametrize(
    "noise", ["Node.js v20\n", "\tat x\n", "\t[C]\n", "  thrown in x on line 1\n", "exit status 2\n"]
)
@pytest.mark.parametrize("filler", [" ", "\n", "x\n", "^", " (A", "panic: "])
def test_a_flood_on_standard_error_takes_no_time(noise: str, filler: str) -> None:
    said = (filler * 65536)[:65536].encode() + b"\n" + noise.encode()

    assert isinstance(last_words(said).line, bytes)


# -- how it ended

ENDS = [
    Case("closes_stdin_when_asked", 1, "closed", "it closed its standard input before it answered request 1"),
    Case("closes_stdin_and_answers", 1, "closed", "it closed its standard input before it answered request 1"),
    Case("exits_in_mid_line", 0, "exit", "request 0; it has written 'move 0 a' without a line end"),
    Case("exits_as_if_by_a_signal", 0, "exit", "it exited with code 139 (as a shell says of SIGSEGV)"),
]


def fault_of(process: Process, answers: int, ms: float = LONG) -> Fault:
    for _ in range(answers):
        answer = process.ask(WORDS, lambda: "a,b", LONG, GRACE)
        assert isinstance(answer, Answer) and answer.action == "a", answer
    fault = process.ask(WORDS, lambda: "a,b", ms, GRACE)
    assert isinstance(fault, Fault), fault
    return fault


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.player)
def test_an_end_is_told_as_what_it_was(bench: Bench, case: Case) -> None:
    fault = fault_of(bench.greeted(case.player), case.answers, case.ms)

    assert case.code == fault.code, fault
    assert case.text in fault.text


CODES_IN_THE_BOX = [
    ("exits_as_if_by_a_signal", "exit", "it exited with code 139"),
    ("crashes_sigsegv", "signal", "it was ended by SIGSEGV before"),
]


@needs_bwrap
@pytest.mark.parametrize(("player", "code", "text"), CODES_IN_THE_BOX)
def test_in_the_box_a_signal_is_told_from_its_exit_code_where_the_kernel_knows(
    boxed: Callable[..., Box], player: str, code: str, text: str
) -> None:
    process = boxed("bwrap").greeted(player)
    fault = fault_of(process, 0)

    if process._unsure:
        pytest.skip("This kernel does not keep how a process ended: that came with Linux 6.15.")
    assert code == fault.code, fault
    assert text in fault.text


@needs_bwrap
@pytest.mark.parametrize("player", [player for player, _, _ in CODES_IN_THE_BOX])
def test_in_the_box_both_are_said_where_the_kernel_does_not_know(
    boxed: Callable[..., Box], player: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_kept_exit_code", lambda pidfd: None)

    fault = fault_of(boxed("bwrap").greeted(player), 0)

    assert "it was ended by SIGSEGV, or exited with code 139, which the sandbox tells alike, before" in fault.text


def test_how_long_was_waited_for_a_strike_is_said_apart_from_the_grace(bench: Bench) -> None:
    process = bench.greeted("silent")
    process.tell("match id=m0 game=scat seats=2 seat=0 names=a,b rng=0 move_ms=150 strikes=1")

    fault = process.ask(WORDS, lambda: "a,b", SHORT, GRACE + SHORT)

    assert isinstance(fault, Fault)
    assert f"within {SHORT:g} ms (+{GRACE:g} ms of grace, +{SHORT:g} ms that a strike buys), got none" in fault.text


def test_without_a_strike_left_only_the_grace_is_said(bench: Bench) -> None:
    process = bench.greeted("silent")
    process.tell("match id=m0 game=scat seats=2 seat=0 names=a,b rng=0 move_ms=150 strikes=1")
    process.tell("strike id=0 code=illegal left=0 text=no strikes=9")

    fault = process.ask(WORDS, lambda: "a,b", SHORT, GRACE)

    assert isinstance(fault, Fault)
    assert f"within {SHORT:g} ms (+{GRACE:g} ms of grace), got none" in fault.text


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("kernel_clone", "waiting for a program that it has started by vfork and that has not begun"),
        ("io_schedule", "waiting for a disk, another device, or a program that it has started by vfork"),
        ("", "waiting for a disk, another device, or a program that it has started by vfork"),
    ],
)
def test_a_player_that_cannot_be_woken_may_wait_for_its_own_child(
    bench: Bench, where: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = bench.greeted("silent")
    monkeypatch.setattr(process_module, "_process_state", lambda pid: ("D", where))
    monkeypatch.setattr(process_module, "_unread", lambda fd: 0)

    assert text in fault_of(process, 0, SHORT).text


def test_the_last_words_behind_a_flood_are_in_the_sentence(bench: Bench, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    flood = "import os, sys\nprint('ready', flush=True)\nsys.stdin.readline()\nsys.stdin.readline()\n"
    program.write_text(
        flood + "for _ in range(48): os.write(2, b'E\\n' * 32768)\nos.write(2, b'LAST\\n')\nos._exit(7)\n"
    )
    process = bench.table.start(bench.command("honest")._replace(argv=(sys.executable, str(program))), "bot")
    greeted: Any = process.greet(("scat",), 60_000)
    assert not isinstance(greeted, Fault), greeted

    assert "its last line on standard error: 'LAST'" in fault_of(process, 0).text
