"""What a player can do to the referee, its opponent and the system: each attack, at each level, as each kind of user.

The matrix below is the claim. `off` is what is always on; `on` is --sandbox without bubblewrap (Landlock and seccomp);
`box` is --sandbox with it, which is also what --sandbox=strict demands. Each attack is a program in tests/players; what
counts is its trace in the world where it leaves one, and else its own word. All are bounded and meet only victims that
were started for them.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import confine
from referee.confine import cgroups
from referee.launch import NotStarted, cache_folder, language_of, languages, resolve

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOBODY = 65534
MEMORY_MB = 128  # below what the grabbers of memory take

# yes: the attack works. no: it does not. ?: it does not where cgroups can be made, and does elsewhere
MATRIX = """
                           plain user      root
                           off  on   box   off  on   box
reads_referee_environ      no   no   no    no   no   no
reads_referee_memory       no   no   no    no   no   no
reads_referee_files        no   no   no    no   no   no
reads_referee_cmdline      yes  no   no    yes  no   no
reads_opponent_memory      no   no   no    no   no   no
vm_reads_opponent          no   no   no    no   no   no
traces_opponent            no   no   no    no   no   no
overhears_opponent         no   no   no    no   no   no
forges_answers             no   no   no    no   no   no
reads_the_seed             yes  no   no    yes  no   no
alters_results             yes  no   no    yes  no   no
links_results              yes  no   no    yes  no   no
reads_opponents_program    yes  no   no    yes  no   no
writes_opponents_folder    yes  no   no    yes  no   no
replaces_itself            yes  no   no    yes  no   no
writes_its_folder          yes  no   no    yes  no   no
writes_tmp                 yes  no   no    yes  no   no
writes_shm                 yes  no   no    yes  no   no
connects_tcp               yes  no   no    yes  no   no
sends_udp                  yes  no   no    yes  no   no
meets_in_the_abstract      no   no   no    no   no   no
meets_at_a_socket          yes  no   no    yes  no   no
shares_memory              yes  no   no    yes  no   no
locks_a_shared_file        yes  no   no    yes  no   no
pins_opponent              yes  no   no    yes  no   no
renices_opponent           yes  no   no    yes  no   no
limits_opponent            no   no   no    no   no   no
signals_referee            no   no   no    no   no   no
inherits_descriptors       no   no   no    no   no   no
unshares                   yes  no   no    yes  no   no
uses_io_uring              yes  no   no    yes  no   no
uses_keyring               yes  no   no    yes  no   no
types_into_terminal        no   no   no    no   no   no
prints_on_terminal         yes  no   no    yes  no   no
maps_memory                yes  no   no    yes  no   no
grabs_memory               yes  no   no    yes  no   no
grabs_shared_memory        yes  yes  yes   yes  ?    ?
forks_without_end          yes  yes  no    yes  no   no
outlives_itself            yes  yes  no    yes  ?    no
kills_everybody            no   no   no    no   no   no
stops_opponent             no   no   no    no   no   no
kills_opponent             no   no   no    no   no   no
"""
ATTACKERS = [line.split()[0] for line in MATRIX.splitlines()[3:]]
COLUMNS = [("plain", "off"), ("plain", "on"), ("plain", "box"), ("root", "off"), ("root", "on"), ("root", "box")]
CELLS = [
    pytest.param(name, *column, verdict, id=f"{name}-{column[0]}-{column[1]}")
    for name, *verdicts in map(str.split, MATRIX.splitlines()[3:])
    for column, verdict in zip(COLUMNS, verdicts, strict=True)
]

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(confine.landlock_abi() < confine.SCOPES_SINCE, reason="Landlock stops no signals here."),
]


@functools.cache
def python_of(user: str) -> str:
    """Return an interpreter that a user may run; skip the test when there is none."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        command = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        with_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if user == "plain" and is_root() else {}
        try:
            if subprocess.run(command, **with_user, cwd="/", capture_output=True, timeout=60).returncode == 0:  # type: ignore[call-overload]
                return python
        except OSError:
            continue
    pytest.skip("There is no Python 3.11 that an unprivileged user may run.")


def is_root() -> bool:
    return os.geteuid() == 0


class Arenas:
    """Referees in processes of their own. Each is asked once; the outcome serves all the tests."""

    def __init__(self, base: Path) -> None:
        self.base = base
        shutil.copytree(ROOT / "referee", base / "referee", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "examples", base / "examples")
        self._players: list[dict[str, Any]] | None = None
        self._known: dict[tuple[str, str, str], dict[str, Any]] = {}

    def attacks(self, user: str, level: str) -> dict[str, Any]:
        return self._outcome("attacks", user, level)

    def matches(self, user: str, level: str) -> dict[str, Any]:
        return self._outcome("matches", user, level)

    def players(self) -> list[dict[str, Any]]:
        """Return the example players, built where all may read them."""
        if self._players is None:
            before = os.environ["PATH"]
            os.environ["PATH"] = f"/usr/local/bin:/usr/bin:/bin:{before}"  # those that all may run first
            try:
                self._players = [found for path in EXAMPLES if (found := _resolved(self.base / path, self.base))]
            finally:
                os.environ["PATH"] = before
            _open(self.base)
        return self._players

    def _outcome(self, what: str, user: str, level: str) -> dict[str, Any]:
        if user == "root" and not is_root():
            pytest.skip("This needs root.")
        if level == "box" and shutil.which("bwrap") is None:
            pytest.skip("This needs bubblewrap.")
        key = what, user, level
        if key not in self._known:
            self._known[key] = {"error": "it did not end"}
            self._known[key] = self._ask(what, user, level)
        assert "error" not in self._known[key], self._known[key]["error"]
        return self._known[key]

    def _ask(self, what: str, user: str, level: str) -> dict[str, Any]:
        python = python_of(user)
        home = self.base / f"{what}-{user}-{level}"
        home.mkdir()
        memory = MEMORY_MB if what == "attacks" else 2048
        sandbox = confine.Sandbox(
            "off" if level == "off" else "on", "", memory, bwrap="bwrap" if level == "box" else ""
        )
        order: dict[str, Any] = {"sandbox": sandbox._asdict(), "base": str(home), "python": python}
        if what == "attacks":
            order |= {"attackers": ATTACKERS, "hard": level == "box"}
            for name in (*ATTACKERS, "opponent"):
                _furnish(home / "bots" / name, name if name != "opponent" else "honest")
        else:
            order["players"] = self.players()
        _open(self.base)
        drop: dict[str, Any] = {}
        if user == "plain" and is_root():
            drop = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            for path in (home, *home.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        done = subprocess.run(
            [python, str(HERE / "arena.py") if not drop else _copy(self.base), "--seed=SECRET"],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=300,
            cwd=home,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(self.base), "MASTER_SEED": "SECRET"},
            **drop,
        )
        if done.returncode:
            return {"error": done.stderr[-3000:]}
        outcome: dict[str, Any] = json.loads(done.stdout)
        return outcome


def _copy(base: Path) -> str:
    """Return the path of a copy of the arena that everybody may read."""
    shutil.copy(HERE / "arena.py", base / "arena.py")
    os.chmod(base / "arena.py", 0o644)
    return str(base / "arena.py")


def _furnish(folder: Path, program: str) -> None:
    folder.mkdir(parents=True)
    for name in ("_kit", "_attack", program):
        shutil.copy(HERE.parent / "players" / f"{name}.py", folder)


def _open(base: Path) -> None:
    """Let everybody read what is there, but for what is closed on purpose."""
    for path in (base, *base.rglob("*")):
        if not path.is_symlink() and path.name != "seed":
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))


EXAMPLES = sorted(
    path.relative_to(ROOT) for path in (ROOT / "examples" / "bots").iterdir() if not path.name.startswith(".")
)


def _resolved(path: Path, base: Path) -> dict[str, Any] | None:
    """Return a player as an arena takes it; what was built for it is copied to where everybody may read it."""
    try:
        player = resolve(str(path))
    except NotStarted:  # its language is not installed
        return None
    argv = list(player.command.argv)
    builds = cache_folder() / "builds"
    for build in {Path(word).relative_to(builds).parts[0] for word in argv if word.startswith(f"{builds}/")}:
        shutil.copytree(builds / build, base / "builds" / build)
    argv = [word.replace(str(builds), str(base / "builds")) for word in argv]
    return {"name": player.name, "argv": argv, "cwd": player.command.cwd}


@pytest.fixture(scope="session")
def arenas() -> Iterator[Arenas]:
    base = Path(tempfile.mkdtemp(prefix="referee-arena-"))  # not pytest's own: other users may not enter that
    try:
        yield Arenas(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


@pytest.mark.parametrize(("name", "user", "level", "verdict"), CELLS)
def test_an_attack_works_where_the_matrix_says_so_and_nowhere_else(
    arenas: Arenas, name: str, user: str, level: str, verdict: str
) -> None:
    outcome = arenas.attacks(user, level)[name]

    if verdict == "?":
        verdict = "no" if _has_cgroups() else "yes"
    assert (verdict == "yes") == outcome["worked"], outcome["said"]


def _has_cgroups() -> bool:
    try:
        cgroups.Cgroup(f"referee-test-{os.getpid()}", 1 << 26, 8).close()
    except (cgroups.NoCgroup, OSError):
        return False
    return True


@pytest.mark.parametrize(("user", "level"), COLUMNS)
def test_nothing_of_an_attacker_is_left_when_its_table_is_closed(arenas: Arenas, user: str, level: str) -> None:
    assert [] == arenas.attacks(user, level)["left"]


@pytest.mark.parametrize(("user", "level"), COLUMNS)
@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_honest_player_of_every_language_plays_under_every_layer(
    arenas: Arenas, example: Path, user: str, level: str
) -> None:
    language = language_of(str(example), languages())
    outcome = arenas.matches(user, level)
    names = [player["name"] for player in arenas.players()]
    if example.stem not in names:
        pytest.skip(f"{language.name if language else example} is not installed.")

    assert "" == outcome[example.stem]


def test_every_attack_of_the_matrix_is_a_program_and_the_other_way_round() -> None:
    programs = {path.stem for path in (HERE.parent / "players").glob("*.py") if "_attack import" in path.read_text()}

    assert programs == set(ATTACKERS)
    assert len(ATTACKERS) == len(set(ATTACKERS))
