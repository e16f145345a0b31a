"""What the command line says, and the codes with which it ends."""

import sys
from enum import IntEnum


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
