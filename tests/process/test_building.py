"""Builds: what a compiler may touch and how it ends, whoever wrote the source that it reads."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import cluster, confine
from referee.building import run_build
from referee.confine import build
from referee.launch import NotStarted, cache_folder, resolve
from referee.match import Answer
from referee.process import Table
from referee.wire import Ready
from tests.languages import needs

from .conftest import START_MS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="The sandbox is Linux's.")

EXAMPLES = Path(__file__).parents[2] / "examples/bots"
SECRET = "the-organisers-own-words"
GONE_S = 2.0  # how long after its referee a compiler may live

needs_landlock = pytest.mark.skipif(
    confine.landlock_abi() < confine.SCOPES_SINCE, reason="This kernel's Landlock stops no signals, or there is none."
)
needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed.")
OFF = confine.NO_SANDBOX
BOXES = [
    pytest.param(confine.Sandbox("on", bwrap=""), id="on", marks=needs_landlock),
    pytest.param(confine.Sandbox("on"), id="box", marks=needs_bwrap),
]
LEVELS = [pytest.param(OFF, id="off"), *BOXES]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a current folder that nobody else uses."""
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "cache"


@pytest.fixture
def compiler(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Make a language, .zed, whose compiler is a program of ours; it is called with the source and the program."""

    def make(program: str, interpreter: str = "/bin/sh") -> dict[str, Any]:
        tools = tmp_path / "tools"
        tools.mkdir()
        tools.joinpath("zc").write_text(f"#!{interpreter}\n" + textwrap.dedent(program))
        tools.joinpath("zc").chmod(0o755)
        Path("bot.zed").write_text("#!/bin/sh\n")
        words = {"build": ["{tool}", "{src}", "{out}"], "version": ["true"], "run": ["{out}"]}
        return {"languages": {"zed": {"extensions": [".zed"], "tools": [str(tools / "zc")], **words}}}

    return make


def contents(folder: Path) -> Iterator[bytes]:
    yield from (path.read_bytes() for path in folder.rglob("*") if path.is_file())


def running(words: str) -> list[str]:
    """Return the processes whose command line has these words in it."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                if words.encode() in Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" "):
                    found.append(entry)
            except OSError:
                pass
    return found


def wait_until(holds: Callable[[], object], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# -- what a build reads

C_INCBIN = 'asm(".incbin \\"{}\\"");\nint main(void) {{ return 0; }}\n'
C_INCLUDE = 'int main(void) {{ return 0; }}\n#include "{}"\n'
RUST = 'static S: &[u8] = include_bytes!("{}");\nfn main() {{ println!("{{:?}}", S); }}\n'
THIEVES = [
    ("cc", "bot.c", C_INCBIN),
    ("cc", "bot.c", C_INCLUDE),
    ("c++", "bot.cpp", C_INCBIN),
    ("rustc", "bot.rs", RUST),
]


@pytest.mark.parametrize("sandbox", BOXES)
@pytest.mark.parametrize(("tool", "name", "source"), THIEVES, ids=["incbin", "include", "c++", "include_bytes"])
def test_a_file_of_the_organisers_gets_into_no_program(
    tmp_path: Path, cache: Path, sandbox: confine.Sandbox, tool: str, name: str, source: str
) -> None:
    needs(tool)
    secret = tmp_path / "secret.txt"
    secret.write_text(f"// {SECRET}\n")
    secret.chmod(0o600)
    Path(name).write_text(source.format(secret))
    resolve(name)  # what was built without a sandbox is not taken

    with pytest.raises(NotStarted) as raised:
        resolve(name, sandbox=sandbox)

    assert f"{name} could not be built in the sandbox, where a build cannot use {secret}" in str(raised.value)
    assert SECRET not in str(raised.value)
    shutil.rmtree(cache / "builds")
    with pytest.raises(NotStarted):
        resolve(name, sandbox=sandbox)
    assert not any(SECRET.encode() in content for content in contents(cache))


@pytest.mark.parametrize("sandbox", BOXES)
def test_a_worker_of_a_cluster_builds_in_the_sandbox_too(tmp_path: Path, sandbox: confine.Sandbox) -> None:
    needs("cc")
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    Path("bot.c").write_text(C_INCBIN.format(secret))
    ware, parcel = cluster.pack("bot", str(Path("bot.c").absolute()), cluster.Command(("bot",), os.getcwd()))
    assert parcel is not None
    cluster.unpack(parcel)

    assert "could not be built in the sandbox" in cluster.prepare_all((ware,), sandbox)["bot"]


@pytest.mark.parametrize("sandbox", LEVELS)
def test_a_program_is_built_once_for_each_kind_of_sandbox(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox
) -> None:
    config = compiler('cp "$1" "$2"; chmod +x "$2"')

    first = resolve("bot.zed", config=config, sandbox=sandbox)
    others = [resolve("bot.zed", config=config, sandbox=other) for other in (OFF, *(box.values[0] for box in BOXES))]

    assert first == resolve("bot.zed", config=config, sandbox=sandbox)
    assert 1 == [other.command for other in others].count(first.command)


# -- what a build may do

TELLS = """
    import os, socket, sys
    def tried(name, action):
        try:
            action()
            print(name, "done")
        except OSError as error:
            print(name, error.strerror)
    print("uid", os.getuid())
    tried("socket", lambda: socket.socket())
    tried("sources", lambda: os.listdir(CACHE + "/../../here"))
    tried("cache", lambda: os.listdir(CACHE))
    tried("write cache", lambda: open(CACHE + "/x", "w"))
    tried("write /var/tmp", lambda: open("/var/tmp/referee-x", "w"))
    tried("write here", lambda: open("x", "w"))
    tried("write TMPDIR", lambda: open(os.environ["TMPDIR"] + "/x", "w"))
    print("filter", [line.split()[1] for line in open("/proc/self/status") if line.startswith("Seccomp:")][0])
    sys.exit(1)
"""


@pytest.mark.parametrize("sandbox", BOXES)
def test_a_sandboxed_compiler_has_its_folder_and_no_network_and_no_cache(
    compiler: Callable[..., dict[str, Any]], cache: Path, sandbox: confine.Sandbox
) -> None:
    config = compiler(f"CACHE = {str(cache / 'builds')!r}\n" + textwrap.dedent(TELLS), sys.executable)

    with pytest.raises(NotStarted) as raised:
        resolve("bot.zed", config=config, sandbox=sandbox)

    lines = [line.strip() for line in str(raised.value).splitlines()[1:]]
    facts = dict(line.rsplit(" ", 1) if line[-1] in "0123456789" else line.split(" ", 1) for line in lines if line)
    assert "socket Operation not permitted" in lines
    assert "write here done" in lines and "write TMPDIR done" in lines
    assert not [
        line for line in lines if line.endswith(" done") and line not in ("write here done", "write TMPDIR done")
    ]
    assert "2" == facts["filter"]
    assert "0" != facts["uid"]


@pytest.mark.parametrize("sandbox", LEVELS)
def test_every_build_has_limits(compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox) -> None:
    program = """
        import resource
        for name in ("CORE", "CPU", "DATA", "FSIZE"):
            print(name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
        print("nnp", [line.split()[1] for line in open("/proc/self/status") if line.startswith("NoNewPrivs:")][0])
        raise SystemExit(1)
    """
    config = compiler(program, sys.executable)
    memory = (build.MEMORY_MB if sandbox == OFF else max(build.NEEDED_MB, sandbox.memory_mb)) << 20

    with pytest.raises(NotStarted) as raised:
        resolve("bot.zed", config=config, sandbox=sandbox, build_s=30)

    limits = [line.strip() for line in str(raised.value).splitlines()[1:]]
    assert ["CORE 0 0", "CPU 30 30", f"DATA {memory} {memory}"] == limits[:3]
    assert f"FSIZE {256 << 20} {256 << 20}" == limits[3]
    assert "nnp 1" == limits[4]


@pytest.mark.parametrize("sandbox", BOXES)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_source_without_end_is_given_up(sandbox: confine.Sandbox, device: str) -> None:
    needs("cc")
    Path("bot.c").write_text(f'#include "{device}"\n')

    start = time.monotonic()
    with pytest.raises(NotStarted):
        resolve("bot.c", sandbox=sandbox._replace(memory_mb=64), build_s=20)

    assert time.monotonic() - start < 60


@pytest.mark.parametrize("sandbox", LEVELS)
def test_a_compiler_that_is_not_there_is_said_to_be_so(tmp_path: Path, sandbox: confine.Sandbox) -> None:
    (tmp_path / "work").mkdir()

    with pytest.raises(FileNotFoundError):
        run_build([str(tmp_path / "none")], str(tmp_path / "work"), {"PATH": os.defpath}, 5, 100, sandbox)


@needs_landlock
def test_a_strict_sandbox_builds_nothing_where_a_layer_is_missing(compiler: Callable[..., dict[str, Any]]) -> None:
    config = compiler('cp "$1" "$2"')

    with pytest.raises(confine.SandboxMissing, match="bubblewrap is not to be used"):
        resolve("bot.zed", config=config, sandbox=confine.Sandbox("strict", bwrap=""))


# -- what a build leaves


@pytest.mark.parametrize("sandbox", BOXES)
def test_what_is_kept_belongs_to_the_referee_alone(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox
) -> None:
    config = compiler('mkdir d; cp "$1" d/data; cp "$1" "$2"; chmod 6777 d "$2"')

    program = Path(resolve("bot.zed", config=config, sandbox=sandbox).command.argv[0])

    for path, mode in ((program, 0o755), (program.parent / "d", 0o755), (program.parent / "d/data", 0o644)):
        assert (os.geteuid(), mode) == (path.stat().st_uid, path.stat().st_mode & 0o7777)
    assert {"program", "d"} == set(os.listdir(program.parent))
    assert 0o700 == cache_folder().joinpath("builds").stat().st_mode & 0o777


@pytest.mark.parametrize("sandbox", BOXES)
@pytest.mark.parametrize("trick", ['ln -s /etc/passwd "$2"', 'mkfifo "$2"', 'cp "$1" x; ln x "$2"'])
def test_a_program_that_is_a_link_is_refused(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox, trick: str
) -> None:
    config = compiler(trick)

    with pytest.raises(NotStarted, match="is a link, or no file"):
        resolve("bot.zed", config=config, sandbox=sandbox)

    assert not [path for path in cache_folder().joinpath("builds").iterdir() if path.is_dir()]


@needs_landlock
def test_a_cache_that_others_may_write_to_is_not_built_in(compiler: Callable[..., dict[str, Any]], cache: Path) -> None:
    config = compiler('cp "$1" "$2"')
    (cache / "builds").mkdir(parents=True)
    (cache / "builds").chmod(0o777)

    with pytest.raises(NotStarted, match="others than you may write to"):
        resolve("bot.zed", config=config, sandbox=confine.Sandbox("on", bwrap=""))


# -- how a build ends


@pytest.mark.parametrize("sandbox", LEVELS)
@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_referee_that_ends_leaves_no_compiler(
    compiler: Callable[..., dict[str, Any]], tmp_path: Path, sandbox: confine.Sandbox, ended_by: signal.Signals
) -> None:
    length = f"{os.getpid()}{time.monotonic_ns() % 10**9}"
    config = compiler(f"setsid sleep {length} & (sleep {length} & sleep {length}); exit 1")
    (tmp_path / "tmp").mkdir(mode=0o755)
    program = f"""
        from referee import confine
        from referee.launch import resolve
        resolve("bot.zed", config={config!r}, sandbox={sandbox!r})
    """.replace("Sandbox(", "confine.Sandbox(")
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    referee = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], env=environment, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: 3 <= len(running(f"sleep {length}")), 30)

    referee.send_signal(ended_by)
    referee.wait()

    wait_until(lambda: not running(f"sleep {length}"), GONE_S)
    wait_until(lambda: not os.listdir(tmp_path / "tmp"), GONE_S)


@pytest.mark.parametrize("sandbox", LEVELS)
def test_a_build_whose_time_is_up_leaves_nothing(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox
) -> None:
    length = f"{os.getpid()}{time.monotonic_ns() % 10**9}"
    config = compiler(f"setsid sleep {length} & (sleep {length} & sleep {length})")

    with pytest.raises(NotStarted, match=r"bot\.zed was not built within 1 seconds"):
        resolve("bot.zed", config=config, sandbox=sandbox, build_s=1)

    assert [] == running(f"sleep {length}")


@pytest.mark.parametrize("sandbox", LEVELS)
def test_a_build_that_is_done_leaves_nothing_running(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox
) -> None:
    length = f"{os.getpid()}{time.monotonic_ns() % 10**9}"
    config = compiler(f'setsid sleep {length} & cp "$1" "$2"; chmod +x "$2"')

    resolve("bot.zed", config=config, sandbox=sandbox)

    assert [] == running(f"sleep {length}")


@pytest.mark.parametrize("sandbox", LEVELS)
def test_a_compiler_that_is_killed_is_said_to_be_so(
    compiler: Callable[..., dict[str, Any]], sandbox: confine.Sandbox
) -> None:
    config = compiler("kill -SEGV $$")

    with pytest.raises(NotStarted, match=r"could not be built: zc was ended by SIGSEGV"):
        resolve("bot.zed", config=config, sandbox=sandbox)


# -- who writes an honest source notices nothing

LANGUAGES = [
    pytest.param("cc", "c.c", id="c.c"),
    *(
        pytest.param(tool, name, id=name, marks=pytest.mark.slow)
        for tool, name in (("c++", "cpp.cpp"), ("rustc", "rust.rs"), ("javac", "java.java"), ("go", "go.go"))
    ),
]


@pytest.mark.parametrize("sandbox", BOXES)
@pytest.mark.parametrize(("tool", "name"), LANGUAGES)
def test_an_honest_source_is_built_and_plays_in_the_sandbox(sandbox: confine.Sandbox, tool: str, name: str) -> None:
    needs(tool)

    try:
        player = resolve(str(EXAMPLES / name), sandbox=sandbox)
    except NotStarted as error:
        with pytest.raises(NotStarted):  # without a sandbox as well: a compiler that is too old
            resolve(str(EXAMPLES / name))
        pytest.skip(str(error).splitlines()[0])

    with Table(sandbox=sandbox) as table:
        process = table.start(player.command, player.name)
        ready = process.greet(("scat", "scout"), START_MS)
        assert isinstance(ready, Ready), (ready, process.stderr_head)
        answer = process.ask("phase=draw hand=KS,TS,4H", lambda: "stock,pile,knock", START_MS, 0)
        assert isinstance(answer, Answer), (answer, process.stderr_head)
