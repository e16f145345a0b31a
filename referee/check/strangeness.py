"""What a player hears seldom, or only of a later referee; matches taken up in the middle; SIGTERM."""

from collections.abc import Sequence
from typing import Final

from referee.check.causes import refused, trouble_of
from referee.check.desk import PROBES, Desk, refusal
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


def be_strange(desk: Desk) -> None:
    """Say what the player seldom hears, and see that it plays on."""
    with desk.talk() as talk:
        trial(desk, talk, desk.open()[0])
        _tolerates(desk, talk, "verbs", "hears lines with unknown verbs", before=STRANGE)
        _tolerates(desk, talk, "keys", "hears lines with unknown keys", keys=" weather=fine wind=3,4;5")
        _others_fault(desk, talk)
        _struck(desk, talk)
        _long_lines(desk, talk)
        ready = talk.process.ready
    desk.count(talk)
    total = len(talk.asked)
    if not ready.legal:
        failing = any(desk.failed_at(key) for key in PROBES if key.endswith(("-positions", "-matches")))
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


def _failed(desk: Desk, key: str, talk: Talk, position: Position, outcome: Answer | Fault, when: str) -> bool:
    """Put down a probe as failed when this outcome is a fault or illegal. Returns whether it is."""
    if isinstance(outcome, Fault):
        trouble = trouble_of(talk, outcome)
    elif wrong := refusal(position, outcome.action):
        trouble = refused(talk, wrong)
    else:
        return False
    desk.put(
        key,
        FAIL,
        problem=f"It fails when it {when}, where it does well without. {trouble.problem}",
        trouble=trouble,
        repeat=desk.command_line(position.game.name, " --trace"),
    )
    return True


def _tolerates(desk: Desk, talk: Talk, key: str, when: str, *, before: Sequence[str] = (), keys: str = "") -> None:
    tried = 0
    for game in desk.open():
        for position in desk.good_positions(game):
            if not desk.alive(talk):
                return
            tried += 1
            if _failed(desk, key, talk, position, talk.pose(position, before=before, keys=keys), when):
                return
    if tried:
        desk.put(key, PASS, f"{tried} requests")


def _others_fault(desk: Desk, talk: Talk) -> None:
    tried = 0
    for game in desk.open():
        for position in desk.good_positions(game, seats=3):
            if not desk.alive(talk):
                return
            tried += 1
            lines = (f"fault seat={(position.seat + 1) % position.seats} code=timeout",)
            when = "hears that another player is out"
            if _failed(desk, "fault", talk, position, talk.pose(position, before=lines), when):
                return
    if tried:
        desk.put("fault", PASS, f"{tried} requests")


def _struck(desk: Desk, talk: Talk) -> None:
    """Refuse an answer, as a table with strikes does, and go on with the caretaker's."""
    tried = 0
    for game in desk.open():
        for position in desk.good_positions(game):
            word = position.game.format(position.game.caretaker(position.state))
            if (following := later(position, word)) is None or not desk.alive(talk):
                continue
            unstruck = following._replace(heard=(*position.heard, *following.heard))
            outcome = talk.pose(unstruck)
            if isinstance(outcome, Fault) or refusal(unstruck, outcome.action):
                continue  # it would fail here anyway
            tried += 1
            talk.open(position.game, position.seats, position.seat, position.heard)
            outcome = talk.request(position)
            if not isinstance(outcome, Fault):
                talk.tell(f"strike id={talk.id} code=illegal left=0 text=this is a trial; {word} is played for you.")
                for line in following.heard:
                    talk.tell(line)
                outcome = talk.request(following)
            if _failed(desk, "strike", talk, following, outcome, "is told of a strike"):
                return
            talk.tell("void text=this was a trial")
    if tried:
        desk.put("strike", PASS, f"{tried} requests")


def _long_lines(desk: Desk, talk: Talk) -> None:
    if desk.failed_at("keys"):
        desk.put("long-lines", SKIP, f"it stumbles over unknown keys (probe {PROBES['keys'][0]})")
        return
    tried = 0
    for game in desk.open():
        for position in desk.good_positions(game, 2):
            if not desk.alive(talk):
                return
            tried += 1
            talk.open(position.game, position.seats, position.seat, position.heard)
            outcome = talk.request(position, f" pad={'x' * _padding(desk, talk, position)}")
            if _failed(desk, "long-lines", talk, position, outcome, f"is sent a line of {MAX_LINE_OUT} bytes"):
                return
            talk.tell(f"void text={'x' * (MAX_LINE_OUT - 11)}")
    if tried:
        desk.put("long-lines", PASS, f"{tried} requests")


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
        _in_the_middle(desk, talk)
        if desk.alive(talk):
            leaving = talk.leave("SIGTERM")
            if leaving.ms is None or leaving.ms > LEAVE_S * 1000:
                desk.put("sigterm", WARN, problem="It was still running 500 ms after SIGTERM.")
            else:
                desk.put("sigterm", PASS, f"{leaving.ms:.0f} ms")
    desk.count(talk)


def _in_the_middle(desk: Desk, talk: Talk) -> None:
    """Ask for decisions of matches whose beginning the player has not heard: a request carries everything."""
    tried = 0
    for game in desk.open():
        late = [position for position in desk.good.get(game, ()) if len(position.heard) > 8]
        for position in late[:: max(1, len(late) // 8)][:8]:
            if not desk.alive(talk):
                return
            tried += 1
            outcome = talk.pose(position, history=False)
            legal = not isinstance(outcome, Fault) and not refusal(position, outcome.action)
            if legal:
                continue
            if isinstance(outcome, Fault):
                trouble = trouble_of(talk, outcome)
            else:
                trouble = refused(talk, refusal(position, outcome.action))
            desk.put(
                "memoryless",
                WARN,
                trouble=trouble,
                problem="It plays by what it remembers of the match, not by the request, which carries everything."
                f" {trouble.problem}",
                fix=("take hand, table and phase from the 'act' line",),
            )
            return
    if tried:
        desk.put("memoryless", PASS, f"{tried} requests")
