"""The desk of a check: what is known of the player so far, the numbered probes, and the list of their results.

The modules beside this one hold the conversations, each a function of the desk; they ask here for a process that can be
asked and write down here what came of it.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from referee import confine
from referee.check.causes import Trouble, trouble_of
from referee.check.patterns import Case
from referee.check.positions import Position, sample
from referee.check.report import FAIL, SKIP, WARN, Report, Result
from referee.check.talk import LEAVE_S, Asked, Talk
from referee.games import names
from referee.games._base import IllegalAction, MalformedAction
from referee.match import Answer, Limits
from referee.process import Command, Trace
from referee.wire import MAX_LINE_OUT, safe

BUDGET_S: Final = 6.0  # what the positions, and the matches, of one game may take; a slow player is asked less
FAULTS_MOST: Final = 3  # faults after which a probe is over
QUIET_MS: Final = 80.0  # how long a player is listened to while it should be silent


def _probes() -> Iterator[tuple[str, str]]:
    yield "start", "starts, and stays to be greeted"
    yield "greeting", "says ready within the start allowance"
    yield "ready", "says ready in the form of the protocol"
    yield "ready-once", "says ready once"
    yield "games", "names games that exist"
    yield "silent", "is silent until it is asked"
    yield "first", "answers its first requests"
    yield "ids", "sends back the id of each request"
    yield "once", "answers once and says nothing more"
    yield "bye", f"exits within {LEAVE_S * 1000:.0f} ms of bye"
    yield "exit-code", "exits with code 0"
    yield "orphans", "leaves no process behind"
    for game in names():
        yield f"{game}-positions", f"answers single positions of {game.upper()} legally"
    for game in names():
        yield f"{game}-matches", f"plays whole matches of {game.upper()} at every number of seats"
    yield "again", "plays one match after another in one process"
    yield "options", "plays under other options"
    yield "fault", "plays on after the fault of another"
    yield "strike", "plays on after a strike"
    yield "verbs", "ignores verbs that it does not know"
    yield "keys", "ignores keys that it does not know"
    yield "later", "plays with a later referee that knows more games"
    yield "long-lines", f"reads lines of {MAX_LINE_OUT} bytes"
    yield "legal-off", "plays without the legal list, as it asked"
    yield "live", "hears events as they happen, as it asked"
    yield "time", "answers well within the time limit"
    yield "memoryless", "takes up a match in the middle"
    yield "repeats", "plays the same match the same way again"
    yield "forgets", "keeps nothing from the match before"
    yield "end-of-input", f"exits within {LEAVE_S * 1000:.0f} ms of the end of its input"
    yield "sigterm", "exits at SIGTERM"
    yield "rests", "rests while others move"
    yield "comments", "writes few comments"
    yield "line-ends", "ends its lines with LF alone"
    yield "stderr", "writes little to standard error"
    yield "memory", "does not grow from match to match"


PROBES: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {key: (number, title) for number, (key, title) in enumerate(_probes(), 1)}
)


class Desk:
    """One check of one player.

    command, name, limits, trace, sandbox, told -- as for `check`
    asked     -- the games to be checked; None: all that it says it plays
    seats     -- the numbers of seats to be checked
    size      -- how many single positions of each game are asked
    games     -- the games that are checked, once the player has greeted
    mute      -- game -> why no more of it is asked
    why_not   -- why nothing at all is asked any more
    good      -- game -> the positions that were answered legally
    times     -- (milliseconds, where, command to repeat) of each answer
    answered, late -- single positions: those that were answered, and those that were not in time; `late_repeat` is the
              command that asks the first of these again
    fresh, used -- game -> the reference matches that were played in a process of their own, and in a used one
    comments, stderr, crs -- the worst that was seen of each (`Talk`)
    out_of_step -- whether it speaks, or closes a pipe, at the end of a match: each match then has a process of its own,
              as what follows from that in the next is no other sin
    """

    def __init__(
        self,
        command: Command,
        name: str,
        word: str,
        limits: Limits,
        *,
        asked: Sequence[str] | None,
        seats: Sequence[int],
        positions: int,
        trace: Trace | None,
        sandbox: confine.Sandbox = confine.NO_SANDBOX,
        told: Callable[[str], object] = lambda where: None,
    ) -> None:
        self.command, self.name = command, name
        self.word = word if word.isprintable() else safe(word)
        self.limits, self.asked, self.seats, self.size = limits, asked, tuple(seats), positions
        self.trace = trace
        self.sandbox = sandbox
        self.told = told
        self.results: dict[str, Result] = {}
        self.games: list[str] = []
        self.mute: dict[str, str] = {}
        self.why_not = ""
        self.good: dict[str, list[Position]] = {}
        self.times: list[tuple[float, str, str]] = []
        self.late: list[Case] = []
        self.late_repeat = ""
        self.answered: list[Case] = []
        self.fresh: dict[str, list[tuple[Asked, ...]]] = {}
        self.used: dict[str, list[tuple[Asked, ...]]] = {}
        self.comments = self.stderr = 0
        self.crs = False
        self.settled = False
        self.out_of_step = False
        self.trials_s = 0.0  # what the reference matches have taken

    def report(self, start: float, keys: Iterable[str] = PROBES) -> Report:
        """Return the results of these probes.

        start -- monotonic seconds at which the check began
        """
        games = tuple(self.games) or tuple(self.asked or names())
        results = tuple(self.results.get(key) or self.skipped(key) for key in keys)
        took = time.monotonic() - start
        return Report(self.name, self.word, tuple(self.command.argv), games, self.limits.move_ms, results, took)

    def put(
        self,
        key: str,
        verdict: str,
        detail: str = "",
        *,
        problem: str = "",
        trouble: Trouble | None = None,
        notes: Sequence[str] = (),
        pattern: str = "",
        fix: Sequence[str] = (),
        repeat: str = "",
    ) -> None:
        """Note the result of a probe. A worse result stands, and of equal ones the first."""
        if key in self.results and self.results[key].rank >= Result.RANK[verdict]:
            return
        number, title = PROBES[key]
        trouble = trouble or Trouble("", "", ())
        self.results[key] = Result(
            number,
            key,
            title,
            verdict,
            detail,
            problem or trouble.problem,
            tuple(notes),
            pattern,
            tuple(fix) or trouble.fix,
            trouble.sent,
            trouble.came,
            trouble.stderr,
            repeat or (self.command_line() if verdict in (FAIL, WARN) else ""),
        )

    def skipped(self, key: str) -> Result:
        number, title = PROBES[key]
        game = key.partition("-")[0]
        if game in names() and self.games and game not in self.games:
            why = f"{game} is not played, or not asked for"
        else:
            why = self.why_not or next(iter(self.mute.values()), "") or "nothing to try it with"
        return Result(number, key, title, SKIP, why)

    def command_line(self, game: str = "", more: str = "") -> str:
        limit = f" --move-time {self.limits.move_ms}" if self.limits.move_ms != Limits().move_ms else ""
        return f"referee check {shlex.quote(self.word)}{f' --game {game}' if game else ''}{limit}{more}"

    def failed_at(self, key: str) -> bool:
        return key in self.results and self.results[key].verdict == FAIL

    def open(self) -> list[str]:
        """Return the games that are still asked."""
        return [] if self.why_not else [game for game in self.games if game not in self.mute]

    def talk(self) -> Talk:
        return Talk(self.command, self.name, self.limits, self.trace, self.sandbox, self.told)

    def alive(self, talk: Talk) -> bool:
        """Have a process that can be asked; return False, and ask no more, when there is none to be had."""
        if talk.usable():
            return True
        if talk.vanished():
            self.put(
                "again",
                FAIL,
                problem="It ended by itself after a match. One process plays one match after another, until 'bye'.",
                fix=("go on reading after 'end' and 'void'; exit at 'bye' and at the end of the input",),
            )
            self.why_not = f"it does not stay for the next match (probe {PROBES['again'][0]})"
            return False
        if (fault := talk.start(names())) is None:
            return True
        trouble = trouble_of(talk, fault)
        self.put("start", FAIL, "not every time", trouble=trouble)
        self.why_not = f"it did not start again (probe {PROBES['start'][0]})"
        return False

    def count(self, talk: Talk) -> None:
        self.comments = max(self.comments, talk.comments)
        self.stderr = max(self.stderr, talk.stderr)
        self.crs = self.crs or talk.crs

    def timed(self, asked: Asked, repeat: str) -> None:
        if isinstance(asked.outcome, Answer):
            self.times.append((asked.outcome.charge_ms, asked.where, repeat))

    def sample(self, game: str) -> list[Position]:
        """Return the positions of a game that are asked, at the numbers of seats that are checked."""
        found = [position for position in sample(game) if position.seats in self.seats]
        return found[: self.size]

    def repeat_position(self, position: Position) -> str:
        return self.command_line(position.game.name, f" --position {position.number} --trace")

    def good_positions(self, game: str, most: int = 3, seats: int = 2) -> list[Position]:
        """Return positions that the player is known to answer, of different kinds, with at least so many seats."""
        found = [position for position in self.good.get(game, ()) if position.seats >= seats]
        kinds: dict[str, Position] = {}
        for position in found:
            kinds.setdefault(position.kind, position)
        return list(kinds.values())[:most]


def refusal(position: Position, word: str) -> str:
    """Return why an answer is refused in a position, or "" when it is legal."""
    try:
        position.game.apply(position.state, position.game.parse(word))
    except (IllegalAction, MalformedAction) as error:
        return str(error)
    return ""
