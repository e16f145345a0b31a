"""Hundreds of single decisions, judged by the rules; then rest, and the end of input."""

import time
from collections.abc import Sequence
from typing import Final

from referee.check.acquaintance import judge_orphans
from referee.check.causes import Trouble, refused, trouble_of
from referee.check.desk import BUDGET_S, FAULTS_MOST, PROBES, Desk, refusal
from referee.check.matches import trial
from referee.check.patterns import Case, late_pattern, pattern_of
from referee.check.positions import Position
from referee.check.report import FAIL, PASS, WARN
from referee.check.talk import LEAVE_S, Leaving, Talk
from referee.wire import Fault

IDLE_MS: Final = 150.0  # how long a player is watched while it should rest
BUSY: Final = 0.3  # part of a CPU that is called pondering


def ask_positions(desk: Desk) -> None:
    """Ask for the positions of every game, watch the player rest, and end its input."""
    with desk.talk() as talk:
        trial(desk, talk, desk.open()[-1])
        for game in desk.open():
            ask(desk, talk, game, desk.sample(game))
        if desk.open() and desk.alive(talk):
            _watch_resting(desk, talk, desk.open()[0])
        if talk.usable():
            _leave_at_the_end(desk, talk.leave("end of input"))
    desk.count(talk)


def ask(desk: Desk, talk: Talk, game: str, positions: Sequence[Position]) -> None:
    """Ask for single decisions and judge them."""
    cases: list[Case] = []
    late: list[Case] = []
    first: tuple[Position, Trouble] | None = None
    faults = 0
    end = time.monotonic() + BUDGET_S
    asked = 0
    for position in positions:
        if time.monotonic() > end or faults == FAULTS_MOST or not desk.alive(talk):
            break
        asked += 1
        talk.where = f"position {position.number} of {game}"
        outcome = talk.pose(position)
        if isinstance(outcome, Fault):
            faults += 1
            if outcome.code == "timeout":
                desk.late_repeat = desk.late_repeat or desk.repeat_position(position)
                late.append(Case(talk.where, game, position.view, position.legal, "", outcome.text))
            trouble = trouble_of(talk, outcome)
        else:
            desk.timed(talk.asked[-1], desk.repeat_position(position))
            wrong = refusal(position, outcome.action)
            case = Case(talk.where, game, position.view, position.legal, outcome.action, wrong, outcome.charge_ms)
            cases.append(case)
            if not wrong:
                desk.good.setdefault(game, []).append(position)
                continue
            trouble = refused(talk, wrong)
        first = first or (position, trouble)
    desk.late += late
    desk.answered += cases
    _judge_positions(desk, game, asked, len(positions), cases, late, first)


def _judge_positions(
    desk: Desk,
    game: str,
    asked: int,
    of: int,
    cases: Sequence[Case],
    late: Sequence[Case],
    first: tuple[Position, Trouble] | None,
) -> None:
    key = f"{game}-positions"
    legal = sum(not case.wrong for case in cases)
    shown = f"{asked} of {of}" if asked < of else str(asked)
    if first is None:
        if asked:
            desk.put(key, PASS, shown)
        return
    position, trouble = first
    notes = [f"position {position.number} is {position.kind}, {position.seats} seats"]
    if "hand" in position.view and game == "scout":
        hand = position.view["hand"].split(",")
        notes.append("places: " + "  ".join(f"{place}:{card}" for place, card in enumerate(hand)))
    pattern = pattern_of(cases) or (late_pattern(late, cases) if len(late) > 1 else "")
    desk.put(
        key,
        FAIL,
        f"{shown}: {legal} legal, {asked - legal} not",
        trouble=trouble,
        notes=notes,
        pattern=pattern,
        repeat=desk.repeat_position(position),
    )
    if asked - len(cases) >= FAULTS_MOST:
        desk.mute[game] = f"it cannot be relied on for an answer (probe {PROBES[key][0]})"
    elif not legal:
        desk.mute[game] = f"no answer of it is legal (probe {PROBES[key][0]})"


def _watch_resting(desk: Desk, talk: Talk, game: str) -> None:
    """See whether the player computes while others move."""
    position = desk.sample(game)[0]
    talk.open(position.game, position.seats, position.seat, position.heard)
    if isinstance(talk.request(position), Fault):
        return
    busy = talk.busy(IDLE_MS)
    if busy > BUSY:  # a compiler at work behind a program that has just started is no pondering
        busy = min(busy, talk.busy(IDLE_MS))
    talk.tell("void text=this was a single question")
    if busy > BUSY:
        desk.put(
            "rests",
            WARN,
            f"{busy:.0%} of a CPU",
            problem=f"It used {busy:.0%} of a CPU while nobody asked it. That is allowed, and is recorded; on a busy"
            " machine it takes time from all.",
        )
    desk.put("rests", PASS, f"{busy:.0%} of a CPU")


def _leave_at_the_end(desk: Desk, leaving: Leaving) -> None:
    if leaving.ms is None or leaving.ms > LEAVE_S * 1000:
        desk.put(
            "end-of-input",
            FAIL,
            problem="It was still running after the end of its input came without 'bye', as it does when the"
            " referee itself was killed.",
            notes=[f"still running: {each}" for each in leaving.left[:6]],
            fix=("exit when reading finds the end of the input",),
        )
    else:
        desk.put("end-of-input", PASS, f"{leaving.ms:.0f} ms")
        judge_orphans(desk, leaving, "the end of its input")
