"""What a player hears seldom, or only of a later referee; matches taken up in the middle; SIGTERM."""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from referee.check.causes import refused, trouble_of
from referee.check.desk import BUDGET_S, PROBES, Desk, refusal
from referee.check.matches import trial
from referee.check.positions import Position, later
from referee.check.report import FAIL, PASS, SKIP, WARN
from referee.check.talk import LEAVE_S, Talk
from referee.games import names
from referee.match import Answer
from referee.wire import MAX_LINE_OUT, Fault

STRANGE: Final = (
    "weather forecast=rain",
    "acting 3 legal=x",
    "hint legal=none move=1 text=act 7 legal=nothing",
    "matches rng=ffffffffffffffff",
)
KEYS: Final = " weather=fine wind=3,4;5"
REMEMBERS: Final = "It plays by what it remembers of the match, not by the request, which carries everything."


def be_strange(desk: Desk) -> None:
    """Say what the player seldom hears, and see that it plays on."""
    with desk.talk() as talk:
        trial(desk, talk, desk.open()[0])
        _try(desk, talk, "verbs", _fails_when("hears lines with unknown verbs"), _told(desk, 2, lambda _: STRANGE))
        _try(desk, talk, "keys", _fails_when("hears lines with unknown keys"), _told(desk, 2, lambda _: (), KEYS))
        _try(desk, talk, "fault", _fails_when("hears that another player is out"), _told(desk, 3, _fault_of_another))
        _try(desk, talk, "strike", _fails_when("is told of a strike"), _strikes(desk))
        if desk.failed_at("keys"):
            desk.put("long-lines", SKIP, f"it stumbles over unknown keys (probe {PROBES['keys'][0]})")
        else:
            long = _fails_when(f"is sent a line of {MAX_LINE_OUT} bytes")
            _try(desk, talk, "long-lines", long, _long_lines(desk))
        ready = talk.process.ready
    desk.count(talk)
    total = len(talk.asked)
    if not ready.legal:
        failing = any(case.wrong for case in desk.answered)
        desk.put(
            "legal-off",
            FAIL if failing else PASS,
            problem="It asked for no legal list, and does not play legally without one." if failing else "",
            fix=("say legal=on, or nothing, and choose among the list",) if failing else (),
        )
    else:
        desk.put("legal-off", SKIP, "it takes the list")
    if ready.live:
        desk.put("live", PASS, f"{total} requests")
    else:
        desk.put("live", SKIP, "it takes events with its requests")


class _Oddity(NamedTuple):
    """Something strange, and the same question without it; each asks in the present process for its last answer.

    position -- what the last answer is judged by
    """

    position: Position
    strange: Callable[[Talk], Answer | Fault]
    plain: Callable[[Talk], Answer | Fault]


def _try(
    desk: Desk, talk: Talk, key: str, problem: str, oddities: Iterable[_Oddity], verdict: str = FAIL, fix: str = ""
) -> None:
    """Ask strange questions and put down the probe. What goes wrong without the strangeness, too, does not count.

    problem -- the sentence on a player that fails at them
    """
    tried = alike = 0
    for oddity in oddities:
        if not desk.alive(talk):
            return
        tried += 1
        earlier = 0 if talk.id is None else talk.id + 1
        outcome = oddity.strange(talk)
        if isinstance(outcome, Fault):
            trouble = trouble_of(talk, outcome)
        elif wrong := refusal(oddity.position, outcome.action):
            trouble = refused(talk, wrong)
        else:
            continue
        if _is_why(desk, talk, oddity, earlier):
            desk.put(
                key,
                verdict,
                problem=f"{problem} {trouble.problem}",
                trouble=trouble,
                fix=(fix,) if fix else (),
                repeat=desk.command_line(oddity.position.game.name, " --trace"),
            )
            return
        alike += 1
    if tried > alike:
        desk.put(key, PASS, f"{tried - alike} requests")
    elif tried:
        desk.put(key, SKIP, "what it fails at here, it fails at without, too")


def _is_why(desk: Desk, talk: Talk, oddity: _Oddity, earlier: int) -> bool:
    """Return whether a player fails at what is strange and does well without, all else being equal.

    Each way gets a fresh process: one that has answered nothing yet, then one that has answered as many questions as
    that which failed.
    """
    return any(
        _goes_well(desk, talk, oddity, oddity.plain, count) is True
        and _goes_well(desk, talk, oddity, oddity.strange, count) is False
        for count in dict.fromkeys((0, earlier))
    )


def _goes_well(
    desk: Desk, talk: Talk, oddity: _Oddity, ask: Callable[[Talk], Answer | Fault], earlier: int
) -> bool | None:
    """Return whether a fresh process answers legally after `earlier` other questions; None: it did not get there."""
    if talk.start(names()) is not None:
        return None
    end = time.monotonic() + BUDGET_S
    for position in itertools.islice(itertools.cycle(desk.good[oddity.position.game.name]), earlier):
        if time.monotonic() > end or isinstance(outcome := talk.pose(position), Fault):
            return None
        if refusal(position, outcome.action):
            return None
    outcome = ask(talk)
    if isinstance(outcome, Fault):
        talk.stop()
        return False
    return not refusal(oddity.position, outcome.action)


def _fails_when(what: str) -> str:
    return f"It fails when it {what}, where it does well without."


def _told(desk: Desk, seats: int, before: Callable[[Position], Sequence[str]], keys: str = "") -> Iterator[_Oddity]:
    """Yield questions before which strange lines are told, or to which strange keys are added."""
    for game in desk.open():
        for position in desk.good_positions(game, seats=seats):
            strange = partial(Talk.pose, position=position, before=before(position), keys=keys)
            yield _Oddity(position, strange, partial(Talk.pose, position=position))


def _fault_of_another(position: Position) -> tuple[str]:
    return (f"fault seat={(position.seat + 1) % position.seats} code=timeout",)


def _strikes(desk: Desk) -> Iterator[_Oddity]:
    """Yield matches in which an answer is refused, as a table with strikes does, and the caretaker's goes on."""
    for game in desk.open():
        for position in desk.good_positions(game):
            word = position.game.format(position.game.caretaker(position.state))
            if (following := later(position, word)) is not None:
                struck = partial(_struck, position=position, word=word, following=following)
                yield _Oddity(following, struck, partial(_unstruck, position=position, following=following))


def _struck(talk: Talk, position: Position, word: str, following: Position) -> Answer | Fault:
    talk.open(position.game, position.seats, position.seat, position.heard)
    outcome = talk.request(position)
    if not isinstance(outcome, Fault):
        talk.tell(f"strike id={talk.id} code=illegal left=0 text=this is a trial; {word} is played for you.")
        for line in following.heard:
            talk.tell(line)
        outcome = talk.request(following)
    if not isinstance(outcome, Fault):
        talk.tell("void text=this was a trial")
    return outcome


def _unstruck(talk: Talk, position: Position, following: Position) -> Answer | Fault:
    """Ask for both decisions, each in a match of its own."""
    outcome = talk.pose(position)
    if isinstance(outcome, Fault):
        return outcome
    return talk.pose(following._replace(heard=(*position.heard, *following.heard)))


def _long_lines(desk: Desk) -> Iterator[_Oddity]:
    for game in desk.open():
        for position in desk.good_positions(game, 2):
            padded = partial(_padded, desk=desk, position=position)
            yield _Oddity(position, padded, partial(Talk.pose, position=position))


def _padded(talk: Talk, desk: Desk, position: Position) -> Answer | Fault:
    talk.open(position.game, position.seats, position.seat, position.heard)
    outcome = talk.request(position, f" pad={'x' * _padding(desk, talk, position)}")
    if not isinstance(outcome, Fault):
        talk.tell(f"void text={'x' * (MAX_LINE_OUT - 11)}")
    return outcome


def _padding(desk: Desk, talk: Talk, position: Position) -> int:
    """Return how many bytes a request to this process lacks to be as long as a line may be."""
    number = 0 if talk.id is None else talk.id + 1
    ms = "-" if desk.limits.move_ms is None else desk.limits.move_ms
    view = " ".join(f"{key}={value}" for key, value in position.view.items())
    line = f"act {number} ms={ms} {view} pad="
    if talk.process.ready.legal:
        line += f" legal={','.join(position.legal)}"
    return MAX_LINE_OUT - 1 - len(line)


def start_afresh(desk: Desk) -> None:
    """Greet as a later referee may, take up matches in the middle, and end the player by SIGTERM."""
    with desk.talk() as talk:
        # A word after the list of games is a key that a later referee may send.
        fault = talk.start((*names(), "hearts", "skat build=7"))
        if fault is not None:
            trouble = trouble_of(talk, fault)
            desk.put(
                "later",
                FAIL,
                trouble=trouble,
                problem=f"It fails when the referee knows more games than it does. {trouble.problem}",
            )
        game = desk.open()[-1]
        if desk.alive(talk):
            trial(desk, talk, game)
            if fault is None:
                desk.put("later", PASS)
        _try(desk, talk, "memoryless", REMEMBERS, _in_the_middle(desk), WARN, "take hand, table and phase from 'act'")
        if desk.alive(talk):
            leaving = talk.leave("SIGTERM")
            if leaving.ms is None or leaving.ms > LEAVE_S * 1000:
                desk.put("sigterm", WARN, problem="It was still running 500 ms after SIGTERM.")
            else:
                desk.put("sigterm", PASS, f"{leaving.ms:.0f} ms")
    desk.count(talk)


def _in_the_middle(desk: Desk) -> Iterator[_Oddity]:
    """Yield decisions of matches whose beginning the player has not heard: a request carries everything."""
    for game in desk.open():
        late = [position for position in desk.good.get(game, ()) if len(position.heard) > 8]
        for position in late[:: max(1, len(late) // 8)][:8]:
            unheard = partial(Talk.pose, position=position, history=False)
            yield _Oddity(position, unheard, partial(Talk.pose, position=position))
