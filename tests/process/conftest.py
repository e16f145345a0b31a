"""A table for the tests of this folder, and the proof that nothing of it is left behind."""

import os
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.process import Command, Process, Table

PLAYERS = Path(__file__).parents[1] / "players"
START_MS = 20_000  # a loaded machine takes its time to start an interpreter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("process")


class Bench:
    """Starts the players of tests/players by name, each marked by a variable that its descendants inherit."""

    def __init__(self) -> None:
        self.mark = f"referee-test-{uuid.uuid4()}"
        self.lines: list[tuple[str, str, bytes]] = []
        self.table = Table(trace=lambda *line: self.lines.append(line))

    def command(self, player: str, *arguments: str) -> Command:
        program = (sys.executable, "-S", str(PLAYERS / f"{player}.py"), *arguments)
        return Command(program, str(PLAYERS), {"REFEREE_TEST_MARK": self.mark})

    def start(self, player: str, *arguments: str) -> Process:
        return self.table.start(self.command(player, *arguments), player)

    def greeted(self, player: str, *arguments: str) -> Process:
        process = self.start(player, *arguments)
        ready = process.greet(("scat",), START_MS)
        assert ready == process.ready, ready
        return process

    def alive(self) -> list[int]:
        """Return the pids of all processes that carry the mark; the dead carry none."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) != os.getpid():
                try:
                    if self.mark.encode() in Path(f"/proc/{entry}/environ").read_bytes():
                        found.append(int(entry))
                except OSError:
                    pass
        return found


def descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A bench whose table is left when the test is over; fails when a process or a descriptor is left."""
    before = descriptors()
    made = Bench()
    with made.table:
        yield made
        started = time.monotonic()
    assert time.monotonic() - started < 5
    assert [] == made.alive()
    assert before == descriptors()
