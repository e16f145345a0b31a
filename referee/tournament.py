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
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from referee import __version__, designs
from referee.confine import SandboxMissing
from referee.games import load
from referee.games._base import AnyGame, Value
from referee.launch import Player
from referee.match import Limits, Record
from referee.process import Orphanage, WorkerDied, run_job
from referee.ratings import Result
from referee.schedule import (
    Contest,
    Numbers,
    Size,
    Task,
    balanced_blocks,
    block_seed,
    design_of,
    numbers,
    player_seed,
    seating,
    size,
    tables,
)
from referee.store import Row, Store
from referee.words import counted
from referee.worker import told, void_record

WORKER = (sys.executable, "-m", "referee.worker")
WORKER_LIVES = 3  # a task whose worker died this often is recorded as void, so that the run can end
MATCH_BUDGET = 1_500  # a round robin of unsaid length plays about this many matches: a minute for quick players
SLICE = 10  # blocks of a task; part of the plan, so that tasks are cut alike at any number of jobs


class TooFewPlayers(Exception):
    """Fewer than two players could start. Its text is a sentence."""


class CrewLost(Exception):
    """Those who play the jobs are gone, or cannot do it; what is stored stands. Its text is a sentence."""


class Crew(NamedTuple):
    """Who plays jobs.

    executor -- runs `perform`
    width    -- int, how many jobs it is given at once: those that it runs, and a few to begin next
    perform  -- plays a job and returns the worker's output; where the executor runs it is the executor's affair
    lost     -- what is raised when a worker was lost: its task is played again
    """

    executor: Executor
    width: int
    perform: Callable[[str], str]
    lost: tuple[type[Exception], ...] = (WorkerDied,)


@dataclass(frozen=True, slots=True)
class Entry:
    """A player of a run as it is stored: how to start it, which games it plays, what it came from (see Player), and
    what its files were when the run began (see programs)."""

    name: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    games: tuple[str, ...]
    source: str = ""
    files: Mapping[str, Sequence[int | str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a run but its master seed.

    contests    -- (game, preset, options, numbers of seats, indices of its players)
    not_started -- (name, reason) of those that could not start
    few         -- "GAME/SEATS" -> how many tables instead of every set of players (see schedule.Contest)
    sandbox     -- what the players are kept from: the fields of a confine.Sandbox; nothing is no sandbox
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
    sandbox: Mapping[str, Any] = field(default_factory=dict)
    few: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {**asdict(self), "limits": self.limits._asdict()}

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_json` gave."""
        players = tuple(
            Entry(
                entry["name"],
                tuple(entry["argv"]),
                entry["cwd"],
                entry["env"],
                tuple(entry["games"]),
                entry.get("source", ""),
                entry.get("files", {}),
            )
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
            stored.get("sandbox", {}),
            stored.get("few", {}),
        )

    def schedule(self) -> Iterator[Task]:
        """Yield the tasks of the run in order."""
        return tables(self.schedulable(), self.blocks, self.slice_blocks)

    def size(self) -> Size:
        """Return how many tables, tasks and matches the run has."""
        return size(self.schedulable(), self.blocks, self.slice_blocks)

    def numbers(self) -> Numbers:
        """Return the numbers of the matches of the run: each has one, finished or not, by which all call it."""
        return numbers(self.schedulable(), self.blocks, self.slice_blocks)

    def schedulable(self) -> list[Contest]:
        """Return the contests as the schedule takes them."""
        return [
            Contest(game, players, seats, self.anchors, _few_of(game, seats, self.few))
            for game, _, _, seats, players in self.contests
        ]

    def meetings(self) -> list[str]:
        """Return, for each game and number of seats that not every set of players plays, how often players meet."""
        sentences = []
        for contest in self.schedulable():
            for seats in contest.seats:
                if base := design_of(contest, seats):
                    least, most = designs.meetings(base, len(contest.players))
                    often = counted(most, "time") if least == most else f"{least} to {counted(most, 'time')}"
                    tables = len(base) * len(contest.players)
                    sentences.append(
                        f"{contest.game} has {tables} of {math.comb(len(contest.players), seats):,} possible tables of"
                        f" {seats}, at which each two players meet {often}"
                    )
        return sentences

    def game(self, name: str) -> tuple[AnyGame, str]:
        """Return a game of the run with its options, and the name of its preset."""
        for game, preset, options, _, _ in self.contests:
            if game == name:
                return load(game, preset, **options), preset
        raise KeyError(name)

    def shown(self, index: int) -> str:
        """Return the name that the others at the table hear of a player."""
        return f"player-{index + 1}" if self.anonymous else self.players[index].name


def _few_of(game: str, seats: Iterable[int], few: Mapping[str, int]) -> dict[int, int]:
    return {count: few[key] for count in seats if (key := f"{game}/{count}") in few}


def few_tables(contests: Sequence[Contest], wanted: int | None = None) -> dict[str, int]:
    """Return what a Plan calls `few`: for which games and numbers of seats not every set of players is a table.

    wanted -- how many tables each has; None: where one block of all sets would already be more than MATCH_BUDGET, as
              few as let each two players meet
    """
    few = {}
    for contest in contests:
        for seats in contest.seats:
            alone = contest._replace(seats=(seats,), few={})
            if wanted is not None or size([alone], 1, 1).matches > MATCH_BUDGET:
                few[f"{contest.game}/{seats}"] = wanted or 0
    return few


def default_blocks(contests: Sequence[Contest]) -> int:
    """Return how many blocks keep a round robin near MATCH_BUDGET matches; a function of its size alone.

    Whole rounds of the cyclic orders where that is affordable, since neighbours are balanced only over those.
    """
    round_of_orders = math.lcm(*(balanced_blocks(seats) for contest in contests for seats in contest.seats))
    affordable = min(50, MATCH_BUDGET // max(1, size(contests, 1, 1).matches))
    return max(1, affordable - affordable % round_of_orders if affordable > round_of_orders else affordable)


def preflight(
    players: Sequence[Player],
    start_ms: int,
    perform: Callable[[str], str] | None = None,
    sandbox: Mapping[str, Any] | None = None,
    told: Callable[[str], object] = lambda sentence: None,
) -> list[tuple[tuple[str, ...] | None, str]]:
    """Start and greet each player once, in a worker of its own.

    perform -- plays the job, elsewhere; unsaid, it is played here
    sandbox -- as in a Plan. Raises confine.SandboxMissing when it cannot be had
    told    -- is called with the sentence on what keeps the players apart
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
        "sandbox": dict(sandbox or {}),
    }
    answers = [json.loads(line) for line in (perform or run_preflight)(json.dumps(job)).splitlines()]
    told(isolation_in(answers))
    return [
        (None if answer["games"] is None else tuple(answer["games"]), answer["reason"])
        for answer in answers
        if "reason" in answer
    ]


def isolation_in(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return the sentence on what keeps players apart in a worker's output, or "".

    Raises confine.SandboxMissing when the worker says that its machine cannot give what is asked for.
    """
    sentence = ""
    for message in messages:
        if "refused" in message:
            raise SandboxMissing(message["refused"])
        sentence = message.get("isolation", sentence)
    return sentence


def job_of(plan: Plan, master: bytes, task: Task, blocks: Sequence[int], hidden: Sequence[str] = ()) -> str:
    """Return the job, JSON text, in which a worker plays these blocks of a task. It holds no seed but theirs.

    hidden -- folders that no sandboxed player may read, wherever it lies
    """
    game, preset = plan.game(task.game)
    sitting = task.players
    return json.dumps(
        {
            "game": task.game,
            "preset": preset,
            "options": dict(game.options),
            "limits": plan.limits._asdict(),
            "fresh": plan.fresh,
            "sandbox": {**plan.sandbox, "hidden": list(hidden)} if plan.sandbox else {},
            "players": [
                {
                    "name": plan.shown(index),
                    "argv": plan.players[index].argv,
                    "cwd": plan.players[index].cwd,
                    "env": dict(plan.players[index].env),
                    "files": plan.players[index].files,
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


def run_preflight(job: str) -> str:
    """Run the job of `preflight` in a worker process and return its output. Raises WorkerDied."""
    asked = json.loads(job)
    return run_job(WORKER, job, timeout=30 + len(asked["preflight"]) * (asked["start_ms"] / 1000 + 2))


def run_task(job: str, stop: threading.Event | None = None, orphanage: Orphanage | None = None) -> str:
    """Play a job in a worker process and return its output; this is what an executor runs.

    stop      -- when it is set, the worker is ended
    orphanage -- sees to what a killed worker leaves behind
    Raises WorkerDied when the worker ended without finishing the job.
    """
    matches = len(json.loads(job)["matches"])
    output = run_job(WORKER, job, timeout=3600.0 * max(1, matches), stop=stop, orphanage=orphanage)
    if '{"done":true}' not in output[-40:]:
        raise WorkerDied("the worker ended before its task was done")
    return output


def rows_of(task: Task, output: str) -> list[Row]:
    """Return the store rows in a worker's output."""
    rows = []
    for line in output.splitlines():
        message = json.loads(line)
        if "block" in message:
            rows.append(row_of(task, message))
    return rows


def row_of(task: Task, message: Mapping[str, Any]) -> Row:
    """Return the store row of a match as a worker tells it (see worker.told)."""
    result = {
        "game": task.game,
        "seats": task.seats,
        "table": task.table,
        "rotation": task.rotation,
        "players": list(seating(task, message["block"])),
        **{key: message[key] for key in ("ranks", "scores", "deals", "counted", "faults", "void")},
    }
    return Row(task.index, message["block"], result, message["record"], message["timings"], message["notes"])


def result_of(block: int, stored: Mapping[str, Any]) -> Result:
    """Return a stored result as statistics take it."""
    return Result(
        stored["game"],
        stored["seats"],
        stored["table"],
        block,
        stored["rotation"],
        tuple(stored["players"]),
        tuple(stored["ranks"]),
        tuple(stored["scores"]),
        tuple(map(tuple, stored["deals"])),
        stored["counted"],
        tuple((seat, code) for seat, code, _ in stored["faults"]),
    )


def void_rows(plan: Plan, master: bytes, task: Task, blocks: Sequence[int], error: BaseException) -> list[Row]:
    """Return rows for matches that no worker could finish: they count for nobody."""
    game, preset = plan.game(task.game)
    rows = []
    for block in blocks:
        names = tuple(plan.shown(index) for index in seating(task, block))
        record: Record = void_record(game, names, block_seed(master, task.game, task.seats, block), preset, error)
        rows.append(row_of(task, told(block, record, {})))
    return rows


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def committed(self, rows: Sequence[Row]) -> None:
        """These matches are in the store for good."""

    def note(self, sentence: str) -> None:
        """Something that the organiser should know."""

    def status(self, sentence: str) -> None:
        """How it stands, until the next sentence takes its place."""


def remaining(tasks: Iterable[Task], done: set[tuple[int, int]]) -> Iterator[tuple[Task, list[int]]]:
    """Yield each of the tasks with the blocks of it that are not done."""
    for task in tasks:
        blocks = [b for b in range(task.first_block, task.first_block + task.blocks) if (task.index, b) not in done]
        if blocks:
            yield task, blocks


def run(
    plan: Plan,
    store: Store,
    crew: Crew,
    watcher: Watcher,
    stop: Callable[[], bool],
    tasks: Callable[[], Iterable[Task]] | None = None,
) -> bool:
    """Play what remains of a run; return whether it is finished.

    stop  -- asked between jobs; once true, what runs is finished and committed, and nothing more is begun
    tasks -- the part of the schedule to be played; unsaid, all of it
    Raises StoreError when a commit fails, CrewLost when nobody is left to play. A worker that dies has its task played
    again, WORKER_LIVES times in all.
    """
    master = store.master_seed()
    tasks = tasks or plan.schedule
    waiting = remaining(tasks(), store.done())
    lives: dict[int, int] = {}
    running: dict[Future[str], tuple[Task, list[int]]] = {}

    hidden = [str(store.folder.absolute())]

    def submit(task: Task, blocks: list[int]) -> None:
        running[crew.executor.submit(crew.perform, job_of(plan, master, task, blocks, hidden))] = task, blocks

    while True:
        if not stop():
            for task, blocks in itertools.islice(waiting, max(0, crew.width - len(running))):
                submit(task, blocks)
        if not running:
            break
        ended, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
        rows: list[Row] = []
        for future in ended:
            task, blocks = running.pop(future)
            try:
                output = future.result()
                _keep_isolation(store, watcher, output)
                rows += rows_of(task, output)
            except CancelledError:
                raise CrewLost("the jobs that ran were given up by those who played them") from None
            except crew.lost as error:
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
    return next(remaining(tasks(), store.done()), None) is None


def _keep_isolation(store: Store, watcher: Watcher, output: str) -> None:
    """Store what keeps the players apart, as the machine that played says; note when it is not what it was."""
    sentence = isolation_in(map(json.loads, output.splitlines()[:1]))
    known = store.meta("isolation") or []
    if sentence and sentence not in known:
        store.set_meta(isolation=[*known, sentence])
        watcher.note(sentence)


@contextmanager
def local_crew(jobs: int) -> Iterator[Crew]:
    """Yield the crew of this machine: threads that wait for a worker process each. Leaving early ends the workers."""
    executor = ThreadPoolExecutor(jobs, thread_name_prefix="task")
    ended = threading.Event()

    with Orphanage() as orphanage:

        def perform(job: str) -> str:
            return run_task(job, ended, orphanage)

        try:
            yield Crew(executor, jobs * 2, perform)
        finally:
            ended.set()  # nothing runs any more, unless an exception brought us here
            executor.shutdown(cancel_futures=True)


def commitment_of(master: bytes) -> str:
    """Return the hash of the master seed that is published at the start of a run, 64 hex digits."""
    return hashlib.sha256(master).hexdigest()


def about(plan: Plan) -> dict[str, Any]:
    """Return what a new run directory stores beside its matches."""
    return {"version": __version__, "plan": plan.to_json()}
