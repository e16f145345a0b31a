"""A real terminal for tests: pexpect runs the client, pyte shows what a person would see."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "human"
FAKE = Path(__file__).resolve().parent / "fake_referee.py"
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "s-tab": "\x1b[Z",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "space": " ",
    "c-c": "\x03",
    "c-d": "\x04",
}
PATIENCE = 20.0


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return a quiet environment with a home of its own."""
    kept = {key: os.environ[key] for key in ("PATH", "VIRTUAL_ENV", "PYTHONPATH") if key in os.environ}
    base = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    return {**kept, **base, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONWARNINGS": "ignore", **more}


def fake(game: str, *words: str) -> str:
    """Return the command of the fake referee, for --referee."""
    return " ".join([sys.executable, str(FAKE), game, *words])


class Terminal:
    """The client in a terminal of its own. Waits are for text on the screen, never for time to pass."""

    def __init__(self, home: Path, *words: str, size: tuple[int, int] = (80, 24), program: str = "", **more: str):
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        argv = ["-c", program] if program else [sys.executable, str(CLIENT), *words]
        command = "/bin/sh" if program else argv.pop(0)
        self.child = pexpect.spawn(
            command, argv, env=environment(home, **more), dimensions=(size[1], size[0]), cwd=str(home), timeout=PATIENCE
        )
        self.child.delaybeforesend = None

    def text(self) -> str:
        """Return the screen as text."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, wait: float = 0.05) -> bool:
        """Take in what the program writes; return False once it has ended."""
        try:
            self.fresh = False
            data = self.child.read_nonblocking(65536, wait)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.fresh = True
        self.raw += data
        self.stream.feed(data)
        return True

    def until(self, test: str | Callable[[str], bool], what: str = "") -> str:
        """Wait until the screen holds a text, or passes a test; return the screen."""
        end = time.monotonic() + PATIENCE
        passes = test if callable(test) else lambda text: test in text
        while not passes(self.text()):
            alive = self.read()
            if passes(self.text()):
                break
            assert alive, f"the client ended before {what or test!r} was seen:\n{self.text()}"
            assert time.monotonic() < end, f"{what or test!r} was not seen within {PATIENCE} s:\n{self.text()}"
        # The rest of a frame that came in two parts.
        while self.read(0.01):
            if not self.fresh:
                break
        return self.text()

    def press(self, *names: str) -> None:
        """Send keys by name or character."""
        for name in names:
            self.child.send(KEYS.get(name, name))

    def ended(self) -> int | None:
        """Wait for the end; return the exit code."""
        end = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < end, f"the client did not end:\n{self.text()}"
        self.child.wait()
        return self.child.exitstatus

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def kill(self) -> None:
        """Leave nothing behind."""
        self.child.close(force=True)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found.append(int(entry.name))
    return found


def kill_hard(pid: int) -> None:
    """Send SIGKILL to one process."""
    os.kill(pid, signal.SIGKILL)
