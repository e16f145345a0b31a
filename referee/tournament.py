"""A round robin: the schedule minus what the store holds, handed to an executor, committed by one writer.

Theory of operation. A plan (players, contests, blocks, limits) is fixed at the start and stored with the run. Every
task of its schedule becomes a job for `python -m referee.worker`; any `concurrent.futures.Executor` may run jobs.
Results are committed in whatever order they come and reported in schedule order, so the same plan and seed give the
same export at any number of jobs. To resume is to subtract what is there and go on.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from referee import __version__
from referee.games import load
from referee.games._base import AnyGame, Value
from referee.launch import Player
from referee.match import Limits, Record
from referee.process import WorkerDied, run_job
from referee.record import to_text
from referee.schedule import Contest, Size, Task, balanced_blocks, block_seed, player_seed, seating, size, tables
from referee.store import Row, Store
from referee.worker import void_record

WORKER = (sys.executable, "-m", "referee.worker")
WORKER_LIVES = 3  # a task whose worker died this often is recorded as void, so that the run can end
MATCH_BUDGET = 3_000  # a round robin of unsaid length plays about this many matches: a minute for quick players
SLICE = 10  # blocks of a task; part of the plan, so that tasks are cut alike at any number of jobs


class TooFewPlayers(Exception):
    """Fewer than two players could start. Its text is a sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A player of a run as it is stored: how to start it, which games it plays."""

    name: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a run but its master seed.

    contests    -- (game, preset, options, numbers of seats, indices of its players)
    not_started -- (name, reason) of those that could not start
    """

    players: tuple[Entry, ...]
    contests: tuple[tuple[str, str, Mapping[str, Value], tuple[int, ...], tuple[int, ...]], ...]
    blocks: int
    slice_blocks: int
    limits: Limits
    fresh: bool = False
    anonymous: bool = False
    not_started: tuple[tuple[str, str], ...] = ()
    anchors: tuple[int, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {**asdict(self), "limits": self.limits._asdict()}

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_json` gave."""
        players = tuple(
            Entry(entry["name"], tuple(entry["argv"]), entry["cwd"], entry["env"], tuple(entry["games"]))
            for entry in stored["players"]
        )
        contests = tuple(
            (game, preset, options, tuple(seats), tuple(indices))
            for game, preset, options, seats, indices in stored["contests"]
        )
        return Plan(
            players,
            contests,
            stored["blocks"],
            stored["slice_blocks"],
            Limits(**stored["limits"]),
            stored["fresh"],
            stored["anonymous"],
            tuple((name, reason) for name, reason in stored["not_started"]),
            tuple(stored["anchors"]),
            stored["notes"],
        )

    def schedule(self) -> Iterator[Task]:
        """Yield the tasks of the run in order."""
        return tables(self._contests(), self.blocks, self.slice_blocks)

    def size(self) -> Size:
        """Return how many tables, tasks and matches the run has."""
        return size(self._contests(), self.blocks, self.slice_blocks)

    def _contests(self) -> list[Contest]:
        return [Contest(game, players, seats, self.anchors) for game, _, _, seats, players in self.contests]

    def game(self, name: str) -> tuple[AnyGame, str]:
        """Return a game of the run with its options, and the name of its preset."""
        for game, preset, options, _, _ in self.contests:
            if game == name:
                return load(game, preset, **options), preset
        raise KeyError(name)

    def shown(self, index: int) -> str:
        """Return the name that the others at the table hear of a player."""
        return f"player-{index + 1}" if self.anonymous else self.players[index].name


def default_blocks(contests: Sequence[Contest]) -> int:
    """Return how many blocks keep a round robin near MATCH_BUDGET matches; a function of its size alone.

    Whole rounds of the cyclic orders where that is affordable, since neighbours are balanced only over those.
    """
    round_of_orders = math.lcm(*(balanced_blocks(seats) for contest in contests for seats in contest.seats))
    affordable = min(50, MATCH_BUDGET // max(1, size(contests, 1, 1).matches))
    return max(1, affordable - affordable % round_of_orders if affordable > round_of_orders else affordable)


def preflight(players: Sequence[Player], start_ms: int) -> list[tuple[tuple[str, ...] | None, str]]:
    """Start and greet each player once, in a worker of its own.

    Returns for each the games that it says it plays (None: any), and the reason why it could not start, or "".
    """
    job = {
        "preflight": [
            {
                "name": player.name,
                "argv": player.command.argv,
                "cwd": player.command.cwd,
                "env": dict(player.command.env),
            }
            for player in players
        ],
        "start_ms": start_ms,
    }
    timeout = 30 + len(players) * (start_ms / 1000 + 2)
    answers = [json.loads(line) for line in run_job(WORKER, json.dumps(job), timeout).splitlines()]
    return [
        (None if answer["games"] is None else tuple(answer["games"]), answer["reason"])
        for answer in answers
        if "reason" in answer
    ]


def job_of(plan: Plan, master: bytes, task: Task, blocks: Sequence[int]) -> str:
    """Return the job, JSON text, in which a worker plays these blocks of a task. It holds no seed but theirs."""
    game, preset = plan.game(task.game)
    sitting = task.players
    return json.dumps(
        {
            "game": task.game,
            "preset": preset,
            "options": dict(game.options),
            "limits": plan.limits._asdict(),
            "fresh": plan.fresh,
            "players": [
                {
                    "name": plan.shown(index),
                    "argv": plan.players[index].argv,
                    "cwd": plan.players[index].cwd,
                    "env": dict(plan.players[index].env),
                }
                for index in sitting
            ],
            "matches": [
                {
                    "block": block,
                    "seed": block_seed(master, task.game, task.seats, block).hex(),
                    "seating": [sitting.index(index) for index in seating(task, block)],
                    "rngs": [player_seed(master, task, block, seat) for seat in range(task.seats)],
                }
                for block in blocks
            ],
        },
        separators=(",", ":"),
    )


def run_task(job: str) -> str:
    """Play a job in a worker process and return its output; this is what an executor runs.

    Raises WorkerDied when the worker ended without finishing the job.
    """
    matches = len(json.loads(job)["matches"])
    output = run_job(WORKER, job, timeout=3600.0 * max(1, matches))
    if '{"done":true}' not in output[-40:]:
        raise WorkerDied("the worker ended before its task was done")
    return output


def rows_of(task: Task, output: str) -> list[Row]:
    """Return the store rows in a worker's output."""
    rows = []
    for line in output.splitlines():
        message = json.loads(line)
        if "block" in message:
            rows.append(_row(task, message))
    return rows


def _row(task: Task, message: Mapping[str, Any]) -> Row:
    result = {
        "game": task.game,
        "seats": task.seats,
        "table": task.table,
        "rotation": task.rotation,
        "players": list(seating(task, message["block"])),
        **{key: message[key] for key in ("ranks", "scores", "deals", "counted", "faults", "void")},
    }
    notes = {"stderr": message["stderr"]} if message["stderr"] else {}
    return Row(task.index, message["block"], result, message["record"], message["timings"], notes)


def void_rows(plan: Plan, master: bytes, task: Task, blocks: Sequence[int], error: BaseException) -> list[Row]:
    """Return rows for matches that no worker could finish: they count for nobody."""
    game, preset = plan.game(task.game)
    rows = []
    for block in blocks:
        names = tuple(plan.shown(index) for index in seating(task, block))
        record: Record = void_record(game, names, block_seed(master, task.game, task.seats, block), preset, error)
        message = {
            "block": block,
            "record": to_text(record),
            "ranks": record.outcome.ranks,
            "scores": record.outcome.scores,
            "deals": [],
            "counted": 0,
            "faults": [],
            "void": record.void,
            "timings": [],
            "stderr": {},
        }
        rows.append(_row(task, message))
    return rows


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def committed(self, rows: Sequence[Row]) -> None:
        """These matches are in the store for good."""

    def note(self, sentence: str) -> None:
        """Something that the organiser should know."""


def remaining(plan: Plan, done: set[tuple[int, int]]) -> Iterator[tuple[Task, list[int]]]:
    """Yield each task with the blocks of it that are not done, in schedule order."""
    for task in plan.schedule():
        blocks = [b for b in range(task.first_block, task.first_block + task.blocks) if (task.index, b) not in done]
        if blocks:
            yield task, blocks


def run(plan: Plan, store: Store, executor: Executor, width: int, watcher: Watcher, stop: Callable[[], bool]) -> bool:
    """Play what remains of a run; return whether it is finished.

    executor -- runs jobs; `width` of them are kept in its queue beyond those it runs
    stop     -- asked between jobs; once true, what runs is finished and committed, and nothing more is begun
    Raises StoreError when a commit fails. A worker that dies has its task played again, WORKER_LIVES times in all.
    """
    master = store.master_seed()
    waiting = remaining(plan, store.done())
    lives: dict[int, int] = {}
    running: dict[Future[str], tuple[Task, list[int]]] = {}

    def submit(task: Task, blocks: list[int]) -> None:
        running[executor.submit(run_task, job_of(plan, master, task, blocks))] = task, blocks

    while True:
        if not stop():
            for task, blocks in itertools.islice(waiting, max(0, width - len(running))):
                submit(task, blocks)
        if not running:
            break
        ended, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
        rows: list[Row] = []
        for future in ended:
            task, blocks = running.pop(future)
            try:
                rows += rows_of(task, future.result())
            except WorkerDied as error:
                lives[task.index] = lives.get(task.index, 0) + 1
                if lives[task.index] < WORKER_LIVES:
                    watcher.note(f"the worker of task {task.index} died ({error}); the task is played again")
                    if not stop():
                        submit(task, blocks)
                else:
                    watcher.note(f"the worker of task {task.index} died {WORKER_LIVES} times; its matches are void")
                    rows += void_rows(plan, master, task, blocks, error)
        if rows:
            store.append(rows)
            watcher.committed(rows)
    return next(remaining(plan, store.done()), None) is None


def local_executor(jobs: int) -> ThreadPoolExecutor:
    """Return the executor of one machine: each of its threads waits for one worker process."""
    return ThreadPoolExecutor(jobs, thread_name_prefix="task")


def commitment_of(master: bytes) -> str:
    """Return the hash of the master seed that is published at the start of a run, 64 hex digits."""
    return hashlib.sha256(master).hexdigest()


def about(plan: Plan) -> dict[str, Any]:
    """Return what a new run directory stores beside its matches."""
    return {"version": __version__, "plan": plan.to_json()}
