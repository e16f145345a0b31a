"""What the command line says, and the codes with which it ends."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum

REPAINT_S = 0.1  # seconds between two states of `working`, at least


class Code(IntEnum):
    """Exit codes, as `referee help exit-codes` lists them; 0 is success."""

    NO = 1
    USAGE = 2
    TOO_FEW = 3
    BUG = 70
    STORE = 74
    INTERRUPTED = 130
    UNREAD = 141


class UsageProblem(Exception):
    """What was asked cannot be done as it was asked. Its text is a sentence."""


def say(text: str) -> None:
    """Write a result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def stream(line: str) -> None:
    """Write a line of a result that goes on, at once."""
    sys.stdout.write(line)
    sys.stdout.flush()


def note(text: str) -> None:
    """Write what is not a result: progress, a warning, an error."""
    sys.stderr.write(text if text.endswith("\n") else text + "\n")


def trace(name: str, way: str, line: bytes) -> None:
    """Write a line of the wire: whose it is, whether it went (>) or came (<), and what it says."""
    from referee.wire import safe

    note(f"{safe(name):>12} {way} {safe(line)}")


@contextmanager
def working(what: str, *, shown: bool = True) -> Iterator[Callable[[str], object]]:
    """Yield what shows, on one line of a terminal that is gone afterwards, how far a long command is.

    It has no thread of its own, so that who starts players may use it. Elsewhere than at a terminal nothing is shown.
    """
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not (shown and console.is_terminal) or console.is_dumb_terminal:
        yield lambda state: None
        return
    from rich.live import Live
    from rich.text import Text

    painted = 0.0
    with Live(
        console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as live:

        def show(state: str) -> None:
            nonlocal painted
            if (now := time.monotonic()) - painted >= REPAINT_S:
                painted = now
                live.update(Text(f"{what}: {state} ...", no_wrap=True, overflow="ellipsis"), refresh=True)

        yield show
