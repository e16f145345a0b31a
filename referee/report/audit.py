"""What a run directory holds against what it must hold: every sentence on what differs.

Theory of operation. The seed, the plan and the records decide nearly everything in a run directory, so that it is
derived anew and compared: the deals from the master seed, who sat where from the schedule, each line of a record and
each result from the moves, which matches there are from the plan, the answers of a comparison from its matches. What
cannot be derived - the times of the answers, notes, words of the organiser - has the checksums that were written with
it: they tell damage, but not a forger who writes new ones. Of the database as such SQLite itself says whether it is
sound.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from referee import __version__
from referee.compare import Answer, Evidence, Question, looks, question_of
from referee.match import Record
from referee.record import BadRecord, verified
from referee.schedule import Task, block_seed, seating
from referee.store import Row, Store, StoreError, checksum_of, row_from
from referee.tournament import Plan, commitment_of

SHOWN: Final = 120  # characters shown of a value
UNREADABLE: Final = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)


class Finding(NamedTuple):
    """One thing that differs.

    number -- of the match; None: it is about the run as a whole
    text   -- a sentence without its full stop
    """

    number: int | None
    text: str


def findings(store: Store, told: Callable[[int], object] = lambda done: None) -> Iterator[Finding]:
    """Yield all that differs in a run, finished or not. What cannot be read any further ends it with a finding.

    told -- is called with the number of matches that have been looked at
    """
    try:
        yield from _Audit(store).run(told)
    except StoreError as error:
        yield Finding(None, str(error))


def findings_of_match(store: Store, number: int, row: Row) -> Iterator[Finding]:
    """Yield all that differs in one match of a run."""
    try:
        audit = _Audit(store)
        yield from audit.match(number, audit.task(row.task), row)
    except StoreError as error:
        yield Finding(None, str(error))


def remarks(store: Store) -> list[str]:
    """Return sentences on what could not be compared, and on matches that are to be played again."""
    said = []
    if not store.summed:
        said.append("An earlier version began this run, without checksums: its times, notes and names are not covered.")
    if store.meta("state") == "finished" and (
        out := len({row[:2] for row in store.stored("superseded")} - store.done())
    ):
        said.append(f"Taken out to be played again, and not yet played: {out}. referee resume {store.folder} does it.")
    elif not store.meta("seed") and _unreadable_seed(store):
        said.append("The master seed is the organiser's until the run is over: deals were not compared with it.")
    return said


def _unreadable_seed(store: Store) -> bool:
    """Say whether the seed of a run that goes on is there, and for others to read."""
    try:
        (store.folder / "seed").read_bytes()
    except PermissionError:
        return True
    except OSError:
        pass
    return False


class _Audit:
    """One look through a run."""

    def __init__(self, store: Store) -> None:
        """Raises StoreError when the plan cannot be read: nothing can be derived then."""
        self.store = store
        self.plan = _plan_of(store)
        self.numbers = self.plan.numbers()
        self.finished = store.meta("state") == "finished"
        self.wrong_seed, self.master = _master_of(store, self.finished)
        self._tasks: Iterator[Task] = iter(())
        self._next = 0
        self._found: set[tuple[int, int]] = set()  # keys of rows that were looked at

    def run(self, told: Callable[[int], object]) -> Iterator[Finding]:
        if structure := self.store.structure():
            yield Finding(None, f"the database is damaged: {structure}")
        yield from (Finding(None, f"its {key} is not what was written") for key in self.store.wrong_values())
        if self.wrong_seed:
            yield Finding(None, self.wrong_seed)
        sums = self.store.checksums() if self.store.summed else None
        sound = True
        for table in ("match", "superseded"):
            for done, values in enumerate(self.store.stored(table), 1):
                told(done)
                for finding in self._row(values, sums, "" if table == "match" else "superseded: "):
                    sound = False
                    yield finding
        for task, block in sorted({(task, block) for task, block, _ in sums or ()} - self._found):
            yield self._about(task, block, "it was stored, and is not there any more")
        yield from self._keys()
        if sound and question_of(self.plan):
            yield from self._answers()

    def task(self, index: int) -> Task:
        """Return a task of the schedule; quick when they are asked for in their order."""
        if index < self._next:
            self._next = 0
        if self._next == 0:
            self._tasks = self.plan.schedule()
        task = next(itertools.islice(self._tasks, index - self._next, None))
        self._next = index + 1
        return task

    # -- matches

    def _row(self, values: tuple[Any, ...], sums: set[tuple[int, int, bytes]] | None, which: str) -> Iterator[Finding]:
        """Yield what differs in a row, and take its checksum out of `sums`."""
        task, block = values[:2]
        if not (isinstance(task, int) and isinstance(block, int) and self.numbers.holds(task, block)):
            yield Finding(None, f"{which}a match of task {task}, block {block}, is in no schedule of this plan")
            return
        number = self.numbers.of(task, block)
        self._found.add((task, block))
        try:
            row = row_from(values)
            for _, text in self.match(number, self.task(task), row):
                yield Finding(number, which + text)
        except (*UNREADABLE, zlib.error) as error:
            yield Finding(number, f"{which}what is stored of it cannot be read ({error})")
        if sums is not None:
            summed = (task, block, checksum_of(values))
            if summed not in sums:
                yield Finding(number, f"{which}its row in the database is not what was written")
            sums.discard(summed)

    def match(self, number: int, task: Task, row: Row) -> Iterator[Finding]:
        """Yield what differs between a match and what its record, the plan and the master seed give."""
        try:
            record = verified(row.record)
        except BadRecord as error:
            yield Finding(number, str(error))
            return
        game, preset = self.plan.game(task.game)
        sat = seating(task, row.block)
        pairs: list[tuple[str, Any, Any]] = [
            ("the game of its record", record.game, task.game),
            ("the preset of its record", record.preset, preset),
            ("the options of its record", dict(record.options), dict(game.options)),
            ("the players of its record", list(record.names), [self.plan.shown(index) for index in sat]),
        ]
        if self.master:
            seed = block_seed(self.master, task.game, task.seats, row.block)
            pairs.append(("the seed of its record", record.seed.hex(), seed.hex()))
        derived = _derived(task, row.block, record)
        pairs += [(f"{key} of its result", row.result.get(key), derived.get(key)) for key in {**derived, **row.result}]
        yield from (Finding(number, text) for what, seen, wanted in pairs if (text := _differs(what, seen, wanted)))

    def _keys(self) -> Iterator[Finding]:
        """Yield the matches that a run that is over lacks."""
        if not self.finished:
            return
        done = self.store.done()
        there = done | {row[:2] for row in self.store.stored("superseded")}  # taken out, they may wait for `resume`
        ends = self._ends(done)
        for task in self.plan.schedule():
            for block in range(task.first_block, task.first_block + task.blocks):
                if block < ends[task.game] and (task.index, block) not in there:
                    yield Finding(self.numbers.of(task.index, block), "it is missing, though the run is over")

    def _ends(self, done: set[tuple[int, int]]) -> dict[str, int]:
        """Return for each game the block before which all must be there: a comparison may end at any of its looks."""
        games = [game for game, *_ in self.plan.contests]
        if not question_of(self.plan):
            return dict.fromkeys(games, self.plan.blocks)
        played = dict.fromkeys(games, 0)
        for task, block in sorted(done):
            if self.numbers.holds(task, block):
                game = self.task(task).game
                played[game] = max(played[game], block + 1)
        steps = list(looks(self.plan.blocks, self.plan.slice_blocks))
        return {game: next(look for look in steps if look >= count) for game, count in played.items()}

    def _about(self, task: int, block: int, text: str) -> Finding:
        return Finding(self.numbers.of(task, block) if self.numbers.holds(task, block) else None, text)

    # -- comparisons

    def _answers(self) -> Iterator[Finding]:
        """Yield what differs between the answers of a comparison and what its matches give."""
        stored = self.store.meta("answers")
        if stored is None:
            if self.finished and self.store.done() >= {row[:2] for row in self.store.stored("superseded")}:
                yield Finding(None, "the comparison is over and has no answers")
            return
        differences = self._answer_differences(stored, derived_answers(self.plan, self.store.rows()))
        yield from (Finding(None, text) for text in differences)

    def _answer_differences(self, stored: Any, derived: list[Answer]) -> Iterator[str]:
        # another version may say it in other words
        left_out = frozenset() if self.store.meta("version") == __version__ else frozenset({"sentence"})
        if not isinstance(stored, list) or len(stored) != len(derived):
            yield "its answers are not as many as its matches give"
            return
        for seen, answer in zip(stored, derived, strict=True):
            wanted = json.loads(json.dumps(answer.to_json()))
            for key in wanted:
                if key not in left_out and (text := _differs(f"{key} of its answer", seen.get(key), wanted[key])):
                    yield text


def derived_answers(plan: Plan, rows: Iterable[Row]) -> list[Answer]:
    """Return the answers that the matches of a comparison give, as far as it is decided."""
    question = question_of(plan) or Question()
    evidence = {game: Evidence(plan, game) for game, *_ in plan.contests}
    for row in rows:
        evidence[row.result["game"]].add(row)
    answers: dict[str, Answer] = {}
    for look in looks(plan.blocks, plan.slice_blocks):
        for game in [game for game in evidence if game not in answers]:
            answer = evidence[game].answer(question, look, plan.blocks)
            if answer.verdict != "unfinished":
                answers[game] = answer
    return [answers[game] for game in evidence if game in answers]


def _plan_of(store: Store) -> Plan:
    """Return the plan of a run whose games can be played. Raises StoreError."""
    try:
        plan = Plan.from_json(store.meta("plan"))
        for game, *_ in plan.contests:
            plan.game(game)
        for task in itertools.islice(plan.schedule(), 1):
            seating(task, 0)
        question_of(plan)
    except UNREADABLE as error:
        raise StoreError(f"its plan is damaged, so that nothing can be derived ({error})") from None
    return plan


def _master_of(store: Store, finished: bool) -> tuple[str, bytes | None]:
    """Return what is wrong with the master seed, or "", and the seed where it can be had."""
    if finished and not store.meta("seed"):
        return "the run is over, and its master seed is not there", None
    if not finished and _unreadable_seed(store):
        return "", None
    try:
        master = store.master_seed()
    except (StoreError, *UNREADABLE) as error:
        return f"the master seed cannot be read ({error})", None
    if commitment_of(master) != store.meta("commitment"):
        return "the master seed is not the one whose hash was published at the start", master
    return "", master


def _derived(task: Task, block: int, record: Record) -> Mapping[str, Any]:
    """Return the result of a match, from its record and the schedule alone."""
    ranks, scores = record.outcome.ranks, record.outcome.scores
    if record.void:
        ranks, scores = (1,) * task.seats, (0,) * task.seats
    return {
        "game": task.game,
        "seats": task.seats,
        "table": task.table,
        "rotation": task.rotation,
        "players": list(seating(task, block)),
        "ranks": list(ranks),
        "scores": list(scores),
        "deals": [list(deal) for deal in record.results],
        "counted": record.counted,
        "faults": [[fault.seat, fault.code, fault.text] for fault in record.faults],
        "void": record.void,
    }


def _differs(what: str, seen: Any, wanted: Any) -> str:
    """Return a sentence when two values differ, else "". Compared as JSON: true is not 1, and 1.0 is not 1."""
    if isinstance(seen, Mapping) and isinstance(wanted, Mapping):  # what they agree in would hide what they do not
        keys = [key for key in {**seen, **wanted} if key not in seen or key not in wanted or seen[key] != wanted[key]]
        if keys:
            seen, wanted = ({key: each[key] for key in keys if key in each} for each in (seen, wanted))
    stored, derived = (json.dumps(value, sort_keys=True) for value in (seen, wanted))
    return "" if stored == derived else f"{what} differs: stored {_short(stored)}, derived {_short(derived)}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."
