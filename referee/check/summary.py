"""What the whole check has to be looked at for: chance and memory, time, comments, line ends, standard error."""

from collections.abc import Sequence
from typing import Final

from referee.check.desk import PROBES, Desk
from referee.check.patterns import late_pattern
from referee.check.report import FAIL, PASS, SKIP, WARN
from referee.check.talk import Asked
from referee.wire import Fault, words

COMMENTS: Final = 100  # comments for one request that are worth a word; 1000 are a fault
STDERR: Final = 65536  # bytes on standard error that are worth a word
SLOW: Final = 0.8  # part of the limit that is worth a word


def sum_up(desk: Desk) -> None:
    """Judge what the whole check has to be looked at for."""
    _compare(desk)
    _judge_times(desk)
    if not desk.times:
        return
    if desk.comments > COMMENTS:
        problem = f"It wrote {desk.comments} comments for one request; more than 1000 are a fault."
        desk.put("comments", WARN, f"{desk.comments} at most", problem=problem)
    desk.put("comments", PASS, f"{desk.comments} at most for a request")
    if desk.crs:
        desk.put(
            "line-ends",
            WARN,
            problem="It ends its lines with CR LF, as Windows does. One CR is forgiven.",
            fix=("open standard output without translation of line ends, or write \\n alone",),
        )
    desk.put("line-ends", PASS)
    if desk.stderr >= STDERR:
        desk.put(
            "stderr",
            WARN,
            "64 KiB or more",
            problem="It wrote 64 KiB or more to standard error in one process. The rest is not kept, and after 4 MiB"
            " nobody reads it any more: the program then blocks, on its own time.",
        )
    desk.put("stderr", PASS, f"{desk.stderr} bytes")


def _compare(desk: Desk) -> None:
    """Compare the reference matches: two fresh processes tell chance, a fresh and a used one tell memory."""
    for game in desk.games:
        fresh, used = desk.fresh.get(game, []), desk.used.get(game, [])
        if len(fresh) < 2:
            continue
        if difference := first_difference(fresh[0], fresh[1]):
            desk.put(
                "repeats",
                WARN,
                problem=f"Two fresh processes played the same match of {game} differently, with the same rng="
                f" and the same deals: {difference}",
                fix=("draw all random numbers from the rng= of the 'match' line, and stop by count, not by time",),
            )
            desk.put("forgets", SKIP, f"it varies by itself (probe {PROBES['repeats'][0]})")
            continue
        desk.put("repeats", PASS, f"{len(fresh[0])} answers twice")
        for again in used:
            if difference := first_difference(fresh[0], again, "a fresh process", "a used one"):
                desk.put(
                    "forgets",
                    WARN,
                    problem=f"It keeps something from the match before: in the same match of {game}, {difference}",
                    fix=("forget everything at the line 'match', the random numbers too",),
                )
        if used:
            desk.put("forgets", PASS, f"{len(fresh[0])} answers again")


def _judge_times(desk: Desk) -> None:
    limit = desk.limits.move_ms
    if not desk.times:
        return
    times = sorted(desk.times)
    p50, p99 = times[len(times) // 2][0], times[min(len(times) - 1, len(times) * 99 // 100)][0]
    slowest, where, repeat = times[-1]
    shown = f"p50 {p50:.1f}  p99 {p99:.1f}  slowest {slowest:.1f} ms"
    if desk.late:
        pattern = late_pattern(desk.late, desk.answered)
        desk.put(
            "time",
            FAIL,
            shown,
            problem=f"{len(desk.late)} answers did not come within {limit} ms, the first in {desk.late[0].where}.",
            pattern=pattern,
            repeat=desk.late_repeat,
        )
    if limit is not None and slowest > SLOW * limit:
        desk.put(
            "time",
            WARN,
            shown,
            problem=f"The slowest answer, in {where}, took {slowest:.0f} of {limit} ms; a busier machine may not"
            " forgive that.",
            repeat=repeat,
        )
    desk.put("time", PASS, shown)


def first_difference(
    one: Sequence[Asked], other: Sequence[Asked], first: str = "the first", second: str = "the second"
) -> str:
    """Return a sentence on the first answer in which two plays of a match differ, or ""."""
    for number, (mine, theirs) in enumerate(zip(one, other, strict=False), 1):
        if isinstance(mine.outcome, Fault) or isinstance(theirs.outcome, Fault):
            return ""  # which another probe has told
        said, heard = mine.outcome.action, theirs.outcome.action
        if said != heard:
            view = words(f"act {mine.words}")[2]
            return (
                f"answer {number} (deal {view.get('deal')}, turn {view.get('turn')}, phase {view.get('phase')}) is"
                f" {said} by {first} and {heard} by {second}."
            )
    return ""
