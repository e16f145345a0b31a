"""A cgroup for a table's players: the memory that they may use in all, and their number of processes.

Making one takes the rights of root, as a rule, and a system whose cgroups may be changed; whether that is so is found
out by making one. Version 2 of the interface, or version 1 with its folder for each controller.

Source: cgroups(7), Linux's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/{memory,pids}.rst.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CLOSE_S: Final = 1.0  # how long the processes in a cgroup may take to be gone

_ROOT: Final = Path("/sys/fs/cgroup")


class NoCgroup(OSError):
    """No cgroup could be made. Its text says why."""


class Cgroup:
    """A cgroup in which memory and processes are limited, killed with all its processes when it is closed.

    joins -- descriptors of `cgroup.procs` files: a process that writes 0 to each is in
    """

    def __init__(self, name: str, memory: int, processes: int) -> None:
        """name   -- of the folder, which must not be there: referee-, this process's pid, -, anything
        memory -- bytes
        Raises NoCgroup."""
        self.joins: list[int] = []
        self._folders: list[Path] = []
        try:
            for parent, limits in _places(memory, processes):
                folder = parent / name
                folder.mkdir()
                self._folders.append(folder)
                for file, value in limits.items():
                    with contextlib.suppress(*(() if file in _ESSENTIAL else (OSError,))):
                        (folder / file).write_text(str(value))
                self.joins.append(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
        except OSError as error:
            self.close()
            raise NoCgroup(error.errno, error.strerror) from None

    def close(self) -> None:
        """Kill what is in it and remove it."""
        for descriptor in self.joins:
            os.close(descriptor)
        self.joins = []
        deadline = time.monotonic() + CLOSE_S
        while self._folders:
            with contextlib.suppress(FileNotFoundError):
                try:
                    self._folders[-1].rmdir()
                except OSError:  # busy: somebody is in there
                    _kill_all(self._folders[-1])
                    if time.monotonic() < deadline:
                        time.sleep(0.001)
                        continue
            self._folders.pop()


def remove_stale() -> None:
    """Remove the empty cgroups of referees that were killed."""
    with contextlib.suppress(OSError):
        for parent, _ in _places(0, 0):
            for folder in parent.glob("referee-*-*"):
                if not Path("/proc", folder.name.split("-")[1]).exists():
                    with contextlib.suppress(OSError):  # somebody is in there still
                        folder.rmdir()


def _kill_all(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in map(int, (folder / "cgroup.procs").read_text().split()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


_ESSENTIAL: Final = ("memory.max", "memory.limit_in_bytes", "pids.max")


def _places(memory: int, processes: int) -> Iterator[tuple[Path, dict[str, int]]]:
    """Yield the folder and the limits of each cgroup that has to be made. Raises OSError where there is none."""
    if (_ROOT / "cgroup.controllers").exists():
        limits = {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 1, "pids.max": processes}
        own = _ROOT / _memberships().get("", "").lstrip("/")
        yield next((place for place in (own, _ROOT) if _delegates(place)), _ROOT), limits
        return
    for controller, limits in (
        ("memory", {"memory.limit_in_bytes": memory, "memory.swappiness": 0}),
        ("pids", {"pids.max": processes}),
    ):
        yield _ROOT / controller / _memberships().get(controller, "").lstrip("/"), limits


def _delegates(place: Path) -> bool:
    """Whether children of this cgroup have both controllers."""
    try:
        return {"memory", "pids"} <= set((place / "cgroup.subtree_control").read_text().split())
    except OSError:
        return False


def _memberships() -> dict[str, str]:
    """Return this process's cgroup for each controller of version 1, and of version 2 under ""."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found
