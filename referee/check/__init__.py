"""`referee check`: whether a program follows protocol.md, and if not, why, in one sentence.

Theory of operation. A check holds five conversations, each with a fresh process, and draws the results of its numbered
probes (`desk.PROBES`) from them as they go:

    acquaintance   the greeting, silence, the first requests, `bye`
    questions      hundreds of single decisions, then the end of input
    matches        whole matches at every number of seats and under other options
    strangeness    what a player may hear seldom, or only of a later referee
    afresh         a later greeting, matches taken up in the middle, SIGTERM

One match, the reference match, is played in several of them, in fresh processes and in used ones; what differs tells
chance from memory. A player that fails a request in the acquaintance is asked no more, so that one sin is told once. A
fault ends a process; the next question goes to a new one.

A FAIL is what the norm forbids; a WARN is what it forgives or advises against. Causes matter more than symptoms: see
`causes` for one fault, `patterns` for what many have in common.
"""

import time
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from referee import confine
from referee.check.acquaintance import get_acquainted, greet
from referee.check.causes import sentence
from referee.check.desk import PROBES, Desk
from referee.check.matches import play_matches
from referee.check.positions import SAMPLE, sample
from referee.check.questions import ask, ask_positions
from referee.check.report import FAIL, PASS, SKIP, WARN, Report, Result, as_json, as_junit, as_text
from referee.check.strangeness import be_strange, start_afresh
from referee.check.summary import sum_up
from referee.match import Limits
from referee.process import CannotStart, Command, Trace

__all__ = ["FAIL", "FORMATS", "PASS", "PROBES", "SAMPLE", "SKIP", "WARN", "Report", "Result", "check", "not_started"]

FORMATS: Final = MappingProxyType({"text": as_text, "json": as_json, "junit": as_junit})
ALL_SEATS: Final = range(2, 10)


def check(
    command: Command,
    name: str,
    word: str,
    *,
    limits: Limits = Limits(),  # noqa: B008  # immutable
    games: Sequence[str] | None = None,
    seats: Sequence[int] = ALL_SEATS,
    positions: int = SAMPLE,
    position: int | None = None,
    trace: Trace | None = None,
    sandbox: bool = False,
    told: Callable[[str], object] = lambda where: None,
) -> Report:
    """Check a player and return what was found.

    command   -- how it is started; name -- what it is called at the table; word -- how the person named it
    games     -- the games to be checked; None: all that it says it plays
    seats     -- the numbers of seats to be checked
    positions -- how many single positions of each game are asked
    position  -- ask for this one alone
    trace     -- called with each line, as `Table` does it
    sandbox   -- keep it from files and the network; without bubblewrap, whose processes would be between it and us
    told      -- is called with what is asked now, such as "position 3 of scat"
    Must be called from the main thread of a process that has no players of its own at the time.
    """
    start = time.monotonic()
    kept = confine.Sandbox(confine.ON, bwrap="") if sandbox else confine.NO_SANDBOX
    desk = Desk(
        command, name, word, limits,
        asked=games, seats=seats, positions=positions, trace=trace, sandbox=kept, told=told,
    )  # fmt: skip
    if position is not None:
        _ask_one(desk, position)
        return desk.report(start, [key for key in PROBES if key in desk.results])
    try:
        get_acquainted(desk)
        for conversation in (ask_positions, play_matches, be_strange, start_afresh):
            if desk.open():
                conversation(desk)
    except CannotStart as error:
        _cannot_start(desk, error)
    sum_up(desk)
    return desk.report(start)


def not_started(word: str, reason: str, limits: Limits, games: Sequence[str] | None = None) -> Report:
    """Return the report of a player that cannot even be tried: its file is not executable, its build fails.

    reason -- why; lines below the first are evidence
    """
    problem, *lines = reason.split("\n")
    desk = Desk(Command(()), "player", word, limits, asked=games, seats=ALL_SEATS, positions=0, trace=None)
    desk.put("start", FAIL, problem=problem, notes=[line.strip() for line in lines])
    desk.why_not = f"it cannot be started (probe {PROBES['start'][0]})"
    return desk.report(time.monotonic())


def _ask_one(desk: Desk, number: int) -> None:
    """Ask for one position of each game, by its number."""
    try:
        with desk.talk() as talk:
            if greet(desk, talk):
                for game in desk.games:
                    ask(desk, talk, game, [each for each in sample(game) if each.number == number])
    except CannotStart as error:
        _cannot_start(desk, error)


def _cannot_start(desk: Desk, error: CannotStart) -> None:
    desk.put("start", FAIL, problem=sentence(str(error)))
    desk.why_not = f"it cannot be started (probe {PROBES['start'][0]})"
