"""The referee as a child process: lines in, lines out, and never a byte of its own on the person's terminal."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

MAX_STDERR = 4000
MAX_LINE = 65536  # four times what the protocol allows
PATIENCE = 1.0  # seconds between asking it to end and killing it


class CannotStart(Exception):
    """The referee could not be started; the text is a sentence."""


class Referee:
    """One referee process. `fileno` becomes readable when there is something to `read`."""

    def __init__(self, argv: Sequence[str], folder: str = "") -> None:
        """Start it, in a folder if one is named that is still there; raises CannotStart."""
        self._partial = b""
        self._said = ""
        self._stderr: IO[bytes] = tempfile.TemporaryFile()
        try:
            # A session of its own: Ctrl-C at the terminal is for the client alone.
            self._process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                start_new_session=True,
                cwd=folder if folder and os.path.isdir(folder) else None,
            )
        except OSError as error:
            self._stderr.close()
            raise CannotStart(f"The referee {argv[0]!r} cannot be started: {error.strerror}.") from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    def fileno(self) -> int:
        """Return the file descriptor of its output."""
        return self._out.fileno()

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def read(self) -> list[str] | None:
        """Return the whole lines that have come, waiting for some bytes; None once it has closed its output."""
        data = os.read(self._out.fileno(), 65536)
        if not data:
            return None
        *whole, partial = (self._partial + data).split(b"\n")
        self._partial = partial[:MAX_LINE]
        return [printable(line.decode("ascii", "backslashreplace").rstrip("\r")) for line in whole]

    def waits(self, seconds: float) -> bool:
        """Return whether something can be read within a time."""
        return bool(select.select([self._out], [], [], seconds)[0])

    def send(self, line: str) -> None:
        """Write one line; a referee that is gone is noticed by `read`."""
        with contextlib.suppress(OSError):
            self._in.write(line.encode("ascii", "replace") + b"\n")

    def end(self) -> str:
        """Make sure that it is gone, and return in words how it went."""
        with contextlib.suppress(OSError):
            self._in.close()
        try:
            self._process.wait(0.05)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGTERM)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self._process.wait()
        self._out.close()
        if not self._stderr.closed:
            self._said = self._read_stderr()
            self._stderr.close()
        code = self._process.returncode
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    @property
    def code(self) -> int:
        """Return its exit code, once ended; negative for a signal."""
        return self._process.returncode or 0

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, number)

    def last_words(self) -> str:
        """Return the end of what it wrote to standard error, printable ASCII only, once ended."""
        return self._said

    def _read_stderr(self) -> str:
        self._stderr.seek(0, os.SEEK_END)
        size = self._stderr.tell()
        self._stderr.seek(max(size - MAX_STDERR, 0))
        text = self._stderr.read().decode("ascii", "backslashreplace")
        return "\n".join(map(printable, text.strip().splitlines()))


def printable(text: str) -> str:
    """Return the text without anything that could move a cursor or colour a terminal."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "?" for one in text)
