"""What the attackers of this folder share: they attack at their first request, and say what came of it.

An attacker's argument is a JSON object that names its aims: pids, paths, ports. A real one would have to find them.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from _kit import requests, say

AIMS: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}


def attack(act: Callable[[], object]) -> None:
    """Play honestly, but for one act: at the first request. What it returns, or raises, goes to standard error."""
    done = False
    for number, legal in requests():
        if not done:
            done = True
            try:
                print("got", act(), file=sys.stderr)
            except (OSError, MemoryError) as error:
                print("failed", repr(error), file=sys.stderr)
        say(f"move {number} {legal[0]}")


def check(result: int) -> None:
    """Raise OSError for the -1 of a C function."""
    if result == -1:
        import ctypes
        import os

        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
