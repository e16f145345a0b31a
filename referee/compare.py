"""Is A stronger than B? Blocks of deals until an interval that may be looked at as often as one likes decides.

Theory of operation. A comparison is a run like any other (see `tournament`): its plan is the schedule up to the cap,
with A and B at every table, and says in its notes what was asked. It is played in batches that end at fixed numbers of
blocks, `looks`, whatever the number of jobs and the order in which they end. At a look all that was played is judged,
each game by itself; a game that is decided is played no further. So the same seed gives the same verdict anywhere, and
a comparison that was stopped goes on as if it had not been.

A verdict rests on one figure that is fixed before the first deal: in SCAT with the known luck taken out (see `luck`
and COEFFICIENTS), in SCOUT the raw differences. The raw figure stands beside it.

What is compared is the mean over blocks of A's result per deal less B's. The looks lie at whole rounds of the cyclic
orders, over which neighbours are balanced; that blocks of different orders differ only makes the interval wider.
"""

from __future__ import annotations

import collections
import csv
import io
import itertools
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from referee.games import game_class
from referee.games._base import AnyGame
from referee.luck import luck
from referee.ratings import Tally, block_differences
from referee.record import from_text
from referee.schedule import Task, balanced_blocks
from referee.sequential import MIN_BLOCKS, Interval, Verdict, adjust, decide, interval, seen, sentence, variance_ratio
from referee.store import Row, Store
from referee.tournament import Crew, Plan, Watcher, remaining, result_of
from referee.tournament import run as play
from referee.words import counted

VERSION: Final = 1  # of what `to_json` gives
CAP: Final = 2_000  # blocks, when nothing else is said: enough to tell 0.1 sd of a block from nothing in most cases
SLICE: Final = 10  # blocks of a task, rounded up to a whole round of orders
SPOILED: Final = 0.5  # of the matches; when A and B forfeit in more of them, they are not compared any longer
MANY_FORFEITS: Final = 0.05  # who forfeits more than this is warned of beside the verdict
WIDTH: Final = 80
WORD: Final = {Verdict.A: "a", Verdict.B: "b", Verdict.SAME: "same", Verdict.OPEN: "open"}
COLUMNS: Final = (
    "game", "seats", "a", "b", "verdict", "unit", "blocks", "deals", "matches", "mean", "low", "high", "p",
    "raw_mean", "raw_low", "raw_high",
)  # fmt: skip

# By the number of seats, what a point of luck is worth in lives a deal: (hands dealt, draws from the stock), both per
# match and per coin at the start. Least squares (tests/bench/luck.py) over the pairs of like strength among
# scat_threshold, one that does not look ahead, and scat_greedy knocking at 24, 26 and 27, on seeds used for nothing
# else: 500 blocks a pair at 2 seats, 400 at 3, 60 at 4, 30 at 5, 100 at 6. There the variance falls by a factor of
# 1.27, 1.21, 1.28, 1.16, 1.18; between very unequal players nothing is gained or lost. At 7, 8 and 9 seats: 350 blocks
# among copies of scat_greedy and scat_threshold; on 200 blocks of another seed the factor is 1.20, 1.20, 1.16.
COEFFICIENTS: Final[Mapping[tuple[str, int], tuple[float, float]]] = {
    ("scat", 2): (0.02, 0.055),
    ("scat", 3): (0.012, 0.02),
    ("scat", 4): (0.01, 0.015),
    ("scat", 5): (0.008, 0.012),
    ("scat", 6): (0.004, 0.009),
    ("scat", 7): (0.004, 0.008),
    ("scat", 8): (0.004, 0.0065),
    ("scat", 9): (0.0045, 0.006),
}


class Question(NamedTuple):
    """What was asked: up to which difference A and B are as good as equal; None: not asked."""

    margin: float | None = None

    def notes(self) -> dict[str, Any]:
        """Return the notes of a plan that asks this."""
        return {"compare": self._asdict()}


def question_of(plan: Plan) -> Question | None:
    """Return what a plan asks, or None when it is no comparison."""
    asked = plan.notes.get("compare")
    return None if asked is None else Question(**asked)


class Forfeits(NamedTuple):
    """One player's matches and its faults in them, code -> how often."""

    player: str
    matches: int
    codes: Mapping[str, int]

    @property
    def share(self) -> float:
        return sum(self.codes.values()) / self.matches if self.matches else 0.0


class Answer(NamedTuple):
    """How it stands between A and B in one game.

    a, b      -- names
    verdict   -- "a", "b", "same", "open" (undecided at the cap), "spoiled" (one forfeits) or "unfinished"
    sentence  -- the verdict as a sentence for a person
    unit      -- what the difference counts, such as "lives a deal"; greater is better for A
    margin    -- as asked
    cap       -- int, blocks
    matches, deals -- ints, how many were played; deals are A's that count
    ahead     -- float, the share of their matches in which A finished ahead of B, ties half; None without any
    interval  -- what the verdict rests on
    raw       -- the same with nothing taken out; equal to `interval` where no luck is known
    adjusted  -- bool, whether luck was taken out
    ratio     -- float, how many times fewer blocks that takes; None when nothing was taken out or it cannot be said
    forfeits  -- those of A, then of B
    void      -- int, matches that the referee itself spoiled
    course    -- the interval as it stood at each look, the last of them `interval`
    """

    game: str
    seats: int
    a: str
    b: str
    verdict: str
    sentence: str
    unit: str
    margin: float | None
    cap: int
    matches: int
    deals: int
    ahead: float | None
    interval: Interval
    raw: Interval
    adjusted: bool
    ratio: float | None
    forfeits: tuple[Forfeits, ...]
    void: int
    course: tuple[Interval, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "v": VERSION,
            **self._asdict(),
            "interval": self.interval._asdict(),
            "raw": self.raw._asdict(),
            "forfeits": [{**forfeits._asdict(), "codes": dict(forfeits.codes)} for forfeits in self.forfeits],
            "course": [look._asdict() for look in self.course],
        }

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> Answer:
        """Return the answer that `to_json` gave."""
        values = {name: stored[name] for name in Answer._fields if name in stored}
        values["interval"], values["raw"] = Interval(**stored["interval"]), Interval(**stored["raw"])
        values["forfeits"] = tuple(Forfeits(**each) for each in stored["forfeits"])
        values["course"] = tuple(Interval(**look) for look in stored.get("course", ()))
        return Answer(**values)


# -- how long a batch is


def slice_for(seats: int) -> int:
    """Return the number of blocks of a task: SLICE, rounded up to whole rounds of the cyclic orders."""
    orders = balanced_blocks(seats)
    return orders * math.ceil(SLICE / orders)


def looks(cap: int, step: int) -> Iterator[int]:
    """Yield the numbers of blocks after which a comparison is judged; the last is the cap.

    step -- int, blocks of a task; all looks but the last are multiples of it
    The first is the least that can decide. Then batches grow with what was played, to an eighth of it: a late verdict
    costs an eighth of the run at most, and a long run gives many jobs at once something to do.
    """
    look = step * math.ceil(MIN_BLOCKS / step)
    while look < cap:
        yield look
        look += step * math.ceil(max(2 * step, look / 8) / step)
    yield cap


# -- what was seen


class _Block:
    """What the matches of one block say of A and B.

    matches, void -- ints, how many there are, and how many of them the referee itself spoiled
    ahead         -- int, twice the matches in which A finished ahead of B; a tie is 1
    faults        -- of A, then of B: code -> how often
    luck          -- of each match A's luck less B's, with the hands dealt and with the stock
    """

    def __init__(self) -> None:
        self.matches = self.void = self.ahead = 0
        self.faults = (collections.Counter[str](), collections.Counter[str]())
        self.luck: list[tuple[float, float]] = []


class Evidence:
    """All that the matches of one game say of A and B, in whatever order they come.

    A look counts the blocks before it alone: when a comparison is gone on with, or played again in part, matches of
    later blocks may be there already.
    """

    def __init__(self, plan: Plan, game: str) -> None:
        cls = game_class(game)
        _, _, options, (self.seats,), _ = next(contest for contest in plan.contests if contest[0] == game)
        self.plan, self.game = plan, game
        self.a, self.b = plan.anchors
        self.tally = Tally(len(plan.players), {game: cls.more_is_better})
        self.unit = unit_of(cls)
        self._coins = float(options.get("start_coins", 1))
        self._coefficients = COEFFICIENTS.get((game, self.seats))
        self._blocks: dict[int, _Block] = collections.defaultdict(_Block)
        self._course: list[Interval] = []

    def add(self, row: Row) -> None:
        """Count one match of this game."""
        block = self._blocks[row.block]
        block.matches += 1
        if row.result["void"]:
            block.void += 1
            return
        result = result_of(row.block, row.result)
        self.tally.add(result)
        a, b = result.players.index(self.a), result.players.index(self.b)
        block.ahead += 1 + (result.ranks[a] < result.ranks[b]) - (result.ranks[a] > result.ranks[b])
        for seat, code in result.faults:
            if seat in (a, b):
                block.faults[seat == b][code] += 1
        if self._coefficients:
            lucky = luck(from_text(row.record))
            block.luck.append((lucky.hand[a] - lucky.hand[b], lucky.stock[a] - lucky.stock[b]))

    def answer(self, question: Question, look: int, cap: int) -> Answer:
        """Return how it stands after the blocks before `look`, all of them played; "unfinished" while more are due.

        Looks are taken in their order: each becomes part of the course.
        """
        blocks = [block for number, block in self._blocks.items() if number < look]
        matches, void = sum(block.matches for block in blocks), sum(block.void for block in blocks)
        raw, adjusted, deals = self._differences(look)
        decision = decide(seen(adjusted), len(adjusted) if look >= cap else cap + 1, question.margin)
        forfeits = self._forfeits(blocks, matches - void)
        a, b = (each.player for each in forfeits)
        now = interval(seen(adjusted))
        self._course.append(now)
        if sum(each.share for each in forfeits) > SPOILED:
            verdict, text = "spoiled", _spoiled(forfeits)
        elif decision is None:
            verdict, text = "unfinished", _unfinished(now, a, b, self.unit)
        else:
            verdict, text = WORD[decision.verdict], sentence(decision, a, b, self.unit, deals)
        return Answer(
            self.game,
            self.seats,
            a,
            b,
            verdict,
            text,
            self.unit,
            question.margin,
            cap,
            matches,
            deals,
            sum(block.ahead for block in blocks) / (2 * (matches - void)) if matches > void else None,
            now,
            interval(seen(raw)),
            self._coefficients is not None,
            variance_ratio(raw, adjusted) if self._coefficients else None,
            forfeits,
            void,
            tuple(self._course),
        )

    def _differences(self, look: int) -> tuple[list[float], list[float], int]:
        """Return the differences of the blocks before `look`, raw and with known luck taken out, and A's deals."""
        raw, adjusted, deals = [], [], 0
        for block, difference, count in block_differences(self.tally, self.a, self.b, self.game, self.seats):
            if block < look and difference is not None:
                raw.append(difference)
                adjusted.append(self._without_luck(block, difference))
                deals += count
        return raw, adjusted, deals

    def _without_luck(self, block: int, difference: float) -> float:
        terms = self._blocks[block].luck
        if not terms or not self._coefficients:
            return difference
        # fsum rounds once, so the order in which the matches came does not matter.
        luckier = [math.fsum(column) / (len(terms) * self._coins) for column in zip(*terms, strict=True)]
        return adjust(difference, luckier, self._coefficients)

    def _forfeits(self, blocks: Sequence[_Block], played: int) -> tuple[Forfeits, Forfeits]:
        a, b = (
            Forfeits(self.plan.players[player].name, played, dict(sorted(codes.items())))
            for player, codes in zip(
                self.plan.anchors,
                (sum((block.faults[of_b] for block in blocks), collections.Counter()) for of_b in (0, 1)),
                strict=True,
            )
        )
        return a, b


def unit_of(game: type[AnyGame]) -> str:
    """Return what a difference counts, so that more is better: "points a deal"; of lives lost, "lives a deal"."""
    return f"{game.unit if game.more_is_better else game.unit.removesuffix(' lost')} a deal"


def _spoiled(forfeits: Sequence[Forfeits]) -> str:
    a, b = (each.player for each in forfeits)
    told = " and ".join(
        f"{each.player} forfeited in {sum(each.codes.values())} of {counted(each.matches, 'match')} ({_codes(each)})"
        for each in forfeits
        if each.share > MANY_FORFEITS
    )
    return f"{a} and {b} cannot be compared: {told}."


def _unfinished(now: Interval, a: str, b: str, unit: str) -> str:
    if now.mean is None:
        return f"Nothing is known of {a} and {b} yet."
    between = "" if now.low is None or now.high is None else f" (95 % sure: between {now.low:+.3g} and {now.high:+.3g})"
    return f"Not decided yet: {a} - {b} is {now.mean:+.3g} {unit}{between}, after {now.blocks:,} blocks."


# -- the run


def run(plan: Plan, store: Store, crew: Crew, watcher: Watcher, stop: Callable[[], bool]) -> bool:
    """Play what a comparison still needs and store its answers, one for each game; return whether it is finished.

    Arguments, and what is raised, as for `tournament.run`.
    """
    question = question_of(plan) or Question()
    store.set_meta(answers=None)  # matches may have been taken out to be played again
    evidence = {game: Evidence(plan, game) for game, *_ in plan.contests}
    listener = _Listener(evidence, watcher)
    listener.count(store.rows())
    answers: dict[str, Answer] = {}
    for look in looks(plan.blocks, plan.slice_blocks):

        def batch(look: int = look) -> Iterator[Task]:
            begun = itertools.takewhile(lambda task: task.first_block < look, plan.schedule())
            return (task for task in begun if task.game not in answers)

        if not play(plan, store, crew, listener, stop, batch):
            return False
        for game, seen_of in evidence.items():
            if game not in answers:
                answer = seen_of.answer(question, look, plan.blocks)
                watcher.status(answer.sentence)
                if answer.verdict != "unfinished":
                    answers[game] = answer
        if len(answers) == len(evidence):
            break
    store.set_meta(answers=[answers[game].to_json() for game in evidence])
    return True


class _Listener:
    """Takes the evidence out of the matches on their way to whoever watches."""

    def __init__(self, evidence: Mapping[str, Evidence], watcher: Watcher) -> None:
        self._evidence = evidence
        self.note, self.status, self._tell = watcher.note, watcher.status, watcher.committed

    def count(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._evidence[row.result["game"]].add(row)

    def committed(self, rows: Sequence[Row]) -> None:
        self.count(rows)
        self._tell(rows)


def answers_of(plan: Plan, store: Store) -> list[Answer]:
    """Return the answers of a comparison as they are stored, or, when it is unfinished, as it stands now."""
    stored = store.meta("answers")
    if stored is not None:
        return [Answer.from_json(each) for each in stored]
    evidence = {game: Evidence(plan, game) for game, *_ in plan.contests}
    complete = dict.fromkeys(evidence, plan.blocks)  # game -> the first block of which a match is missing
    for task, blocks in remaining(plan.schedule(), store.done()):
        complete[task.game] = min(complete[task.game], blocks[0])
    for row in store.rows():
        evidence[row.result["game"]].add(row)
    question = question_of(plan) or Question()
    return [_as_it_stands(each, question, plan, complete[game]) for game, each in evidence.items()]


def _as_it_stands(evidence: Evidence, question: Question, plan: Plan, complete: int) -> Answer:
    """Return the answer after the blocks before `complete`, with the course of the looks that were taken."""
    past = itertools.takewhile(lambda look: look < complete, looks(plan.blocks, plan.slice_blocks))
    # A cap that no look reaches: it is for `run` to close a comparison.
    return [evidence.answer(question, look, plan.blocks + 1) for look in (*past, complete)][-1]


# -- telling it


def text(answers: Sequence[Answer]) -> str:
    """Return the answers for a person: a sentence for each game, then what it rests on."""
    return "\n\n".join(_text(answer) for answer in answers)


def _text(answer: Answer) -> str:
    game = game_class(answer.game)
    for_b = answer.verdict == "b"  # the sentence speaks of B - A then, and so does all below it
    first = answer.b if for_b else answer.a
    about = f"{game.title} at tables of {answer.seats}: {counted(answer.matches, 'match')}"
    if answer.ahead is not None:
        about += f", {first} ahead in {1 - answer.ahead if for_b else answer.ahead:.1%} of them (ties half)"
    notes = [f"{about}."]
    if answer.adjusted and answer.raw.low is not None:
        worth = f", with {answer.ratio:.2f} times the variance" if answer.ratio else ""
        notes.append(
            "Known luck of the deal and of the draws is taken out, by coefficients fixed beforehand. The raw difference"
            f" is {_figure(answer.raw, for_b)}{worth}."
        )
    for each in answer.forfeits:
        if each.codes:
            notes.append(f"{each.player} forfeited in {each.share:.1%} of its matches: {_codes(each)}.")
            if each.share > MANY_FORFEITS:
                notes[-1] += " Deals after a forfeit do not count, so what is left is no fair sample of its play."
    if answer.void:
        notes.append(f"Void, as the referee itself failed: {counted(answer.void, 'match')}; that counts for nobody.")
    lines = textwrap.wrap(answer.sentence, WIDTH)
    for note in notes:
        lines += textwrap.wrap(note, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def _figure(now: Interval, reverse: bool) -> str:
    sign = -1 if reverse else 1
    mean = f"{sign * (now.mean or 0.0):+.3g}"
    if now.low is None or now.high is None:
        return mean
    low, high = sorted((sign * now.low, sign * now.high))
    return f"{mean} ({low:+.3g} to {high:+.3g})"


def _codes(forfeits: Forfeits) -> str:
    return ", ".join(f"{code} {count}" for code, count in forfeits.codes.items())


def written(answers: Sequence[Answer], form: str, **more: Any) -> str:
    """Return the answers as text, json, jsonl, csv or tsv; `more` goes into the object of json."""
    if form == "text":
        return text(answers)
    rows = [answer.to_json() for answer in answers]
    if form == "json":
        return json.dumps({"v": VERSION, **more, "answers": rows}, indent=1) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    out = io.StringIO()
    table = csv.writer(out, delimiter="," if form == "csv" else "\t", lineterminator="\n")
    table.writerow(COLUMNS)
    for answer in answers:
        now, raw = answer.interval, answer.raw
        cells = [answer.game, answer.seats, answer.a, answer.b, answer.verdict, answer.unit, now.blocks, answer.deals]
        cells += [answer.matches, now.mean, now.low, now.high, now.p, raw.mean, raw.low, raw.high]
        table.writerow(["" if cell is None else cell for cell in cells])
    return out.getvalue()
