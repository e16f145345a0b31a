"""A referee in a process of its own, as any user and with any sandbox, for the tests that need one.

Run as a program: an order comes as one JSON object on standard input, the outcome leaves as one on standard output.

    {"attackers": [...], ...}   all sit at one table with an opponent; the outcome tells what came of each attack. Who
                                kills the opponent comes last
    {"players": [...], ...}     each plays a match of both games with itself; the outcome tells how it ended
"""

import contextlib
import ctypes
import fcntl
import json
import os
import random
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from referee import confine
from referee.games import load
from referee.match import Answer, Limits
from referee.process import CannotStart, Command, Process, Table
from referee.wire import Ready
from referee.worker import Seats, drive

START_MS = 60_000
ANSWER_MS = 60_000


class Scene:
    """What there is to be attacked: pids, files, sockets, a terminal. Each attacker has its own token and folder."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.base = Path(order["base"])
        self.python = order["python"]
        self.results = self.base / "results" / "results.txt"
        self.seed = self.base / "results" / "seed"
        self.results.parent.mkdir(exist_ok=True)
        self.results.write_text("nobody has won yet\n")
        self.seed.write_text("SECRET")
        self.seed.chmod(0o600)
        self.open_file = self.seed.open()  # a descriptor that could be found
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.service = socket.socket(socket.AF_UNIX)
        self.service.bind(str(self.base / "service"))
        self.service.listen()
        os.chmod(self.base / "service", 0o777)
        self.terminal, self.holder = _terminal()
        self.opponent: Process | None = None
        self.abstract: dict[str, socket.socket] = {}
        self.lines: list[tuple[str, str, bytes]] = []
        self.disturbed = False  # by a signal
        signal.signal(signal.SIGWINCH, self._note_signal)

    def _note_signal(self, *_: object) -> None:
        self.disturbed = True

    def aims(self, name: str, hard: bool) -> dict[str, Any]:
        """Return what an attacker is told."""
        assert self.opponent is not None
        token = f"referee-{name}-{os.getpid()}"
        listening = socket.socket(socket.AF_UNIX)
        listening.bind("\0" + token)
        listening.listen()
        self.abstract[name] = listening
        return {
            "referee": os.getpid(),
            "opponent": self.opponent._started.inside,
            "results": str(self.results),
            "seed": str(self.seed),
            "program": str(self.base / "bots" / "opponent" / "honest.py"),
            "socket": str(self.base / "service"),
            "shared": "/etc/passwd",
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "terminal": os.ttyname(self.terminal),
            "token": token,
            "key": 0x5EE00000 + os.getpid() % 0x10000,
            "signal": signal.SIGKILL if hard else signal.SIGWINCH,  # which nobody minds
        }

    def traces(self, name: str, aims: dict[str, Any], attacker: Process) -> bool | None:
        """Return whether an attack left its trace in the world; None when no trace is looked for."""
        assert self.opponent is not None
        folder = self.base / "bots" / name
        match name:
            case "stops_opponent":
                return _state(self.opponent._started.inside) == "T"
            case "kills_opponent":
                return not self.opponent.alive()
            case "alters_results":
                return "I won" in self.results.read_text()
            case "links_results":
                return (folder / "mine").exists()
            case "writes_its_folder":
                return (folder / aims["token"]).exists()
            case "writes_tmp":
                return Path("/tmp", aims["token"]).exists()
            case "writes_shm":
                return Path("/dev/shm", aims["token"]).exists()
            case "writes_opponents_folder":
                return Path(aims["program"]).with_name(aims["token"]).exists()
            case "replaces_itself":
                return (folder / f"{name}.py").read_text().endswith("# replaced\n")
            case "connects_tcp":
                return _has_come(self.tcp)
            case "sends_udp":
                return _has_come(self.udp)
            case "meets_in_the_abstract":
                return _has_come(self.abstract[name])
            case "meets_at_a_socket":
                return _has_come(self.service)
            case "shares_memory":
                return ctypes.CDLL(None).shmget(aims["key"], 0, 0) != -1
            case "locks_a_shared_file":
                with open(aims["shared"]) as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        return True
                return False
            case "forges_answers":
                self.opponent.ask("ms=-", lambda: "a", ANSWER_MS, 0)
                return any(b"# forged" in line for _, way, line in self.lines if way == "<")
            case "kills_everybody":
                return self.disturbed or not self.opponent.alive()
            case "outlives_itself":
                attacker.kill()
                time.sleep(0.1)
                return bool(_found(aims["token"]))
        return None

    def tidy(self) -> None:
        """Remove what attackers may have left, and the terminal's owner."""
        for token in (listening.getsockname()[1:].decode() for listening in self.abstract.values()):
            for folder in ("/tmp", "/dev/shm"):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, token))
        libc = ctypes.CDLL(None)
        number = libc.shmget(0x5EE00000 + os.getpid() % 0x10000, 0, 0)
        if number != -1:
            libc.shmctl(number, 0, None)  # IPC_RMID
        os.kill(self.holder, signal.SIGKILL)
        os.waitpid(self.holder, 0)


def attacks(order: dict[str, Any]) -> dict[str, Any]:
    """Return for each attacker whether its attack worked, and its own words."""
    scene = Scene(order)
    outcome: dict[str, Any] = {}
    sandbox = confine.Sandbox.from_json(order["sandbox"])._replace(hidden=(str(scene.results.parent),))
    with Table(lambda *line: scene.lines.append(line), sandbox) as table:
        outcome["isolation"] = table.isolation
        started = []
        scene.opponent = _greeted(table, _command(scene, "opponent", "honest"), "opponent")
        for name in order["attackers"]:
            aims = scene.aims(name, order["hard"])
            command = _command(scene, name, name, json.dumps(aims))
            started.append((name, aims, table.start(command, name)))
        for name, aims, attacker in started:
            ready = attacker.greet(("scat",), START_MS)
            assert isinstance(ready, Ready), (name, ready, attacker.stderr_head)
            attacker.ask("ms=-", lambda: "a", ANSWER_MS, 0)
            table.serve(20)
            said = attacker.stderr_head.decode("ascii", "replace").strip()
            trace = scene.traces(name, aims, attacker)
            worked = said.startswith("got") if trace is None else trace
            if name in ("reads_referee_environ", "reads_referee_cmdline", "reads_referee_files", "reads_the_seed"):
                worked = "SECRET" in said
            outcome[name] = {"worked": worked, "said": said[:300]}
            attacker.kill()
            if name == "stops_opponent":
                os.kill(scene.opponent._started.inside, signal.SIGCONT)
    outcome["left"] = [name for name, aims, _ in started if _found(aims["token"])]
    scene.tidy()
    return outcome


def matches(order: dict[str, Any]) -> dict[str, Any]:
    """Return for each player how its matches with itself ended: "" or what went wrong."""
    outcome: dict[str, Any] = {}
    games = (load("scat", hand_cap="1", start_coins="1"), load("scout", turn_cap="8"))
    limits = Limits(move_ms=ANSWER_MS, start_ms=START_MS)
    for player in order["players"]:
        with Table(sandbox=confine.Sandbox.from_json(order["sandbox"])) as table:
            outcome["isolation"] = table.isolation
            command = Command(tuple(player["argv"]), player["cwd"], {})
            try:
                pair = [table.start(command, player["name"]) for _ in range(2)]
                for process in pair:
                    ready = process.greet(("scat", "scout"), START_MS)
                    assert isinstance(ready, Ready), (ready, process.stderr_head)
                for game in games:
                    seats = Seats(("a", "b"), ("0" * 16, "1" * 16), pair, {})
                    record = drive(game, random.Random(7).randbytes(32), seats, limits, identity=game.name)
                    assert not record.void and not record.faults, (record.void, record.faults)
                table.bye()
            except (AssertionError, CannotStart) as error:
                outcome[player["name"]] = str(error)
            else:
                outcome[player["name"]] = ""
    return outcome


# -- pieces -------------------------------------------------------------------------------------------------------


def _command(scene: Scene, folder: str, program: str, *arguments: str) -> Command:
    home = scene.base / "bots" / folder
    return Command((scene.python, "-S", str(home / f"{program}.py"), *arguments), str(home), {})


def _greeted(table: Table, command: Command, name: str) -> Process:
    process = table.start(command, name)
    ready = process.greet(("scat",), START_MS)
    assert isinstance(ready, Ready), (ready, process.stderr_head)
    assert isinstance(process.ask("ms=-", lambda: "a", ANSWER_MS, 0), Answer)
    return process


def _terminal() -> tuple[int, int]:
    """Return a descriptor of a terminal and the pid of its owner, as a shell is that of an organiser's."""
    outer, inner = os.openpty()
    holder = os.fork()
    if holder == 0:
        os.setsid()
        fcntl.ioctl(inner, 0x540E, 0)  # TIOCSCTTY
        os.close(outer)
        while True:
            signal.pause()
    return inner, holder


def _has_come(listening: socket.socket) -> bool:
    """Whether somebody has connected, or sent something."""
    return bool(select.select([listening], [], [], 0.05)[0])


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def _found(token: str) -> list[int]:
    """Return the pids of processes with a token on their command line, but for attackers, where JSON holds it."""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and token.encode() in Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0"):
                found.append(int(entry))
    return found


if __name__ == "__main__":
    confine.referee_start()
    received = json.load(sys.stdin)
    json.dump(attacks(received) if "attackers" in received else matches(received), sys.stdout)
