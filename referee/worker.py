"""Drive matches with real players; `python -m referee.worker` plays one task.

A task arrives as one JSON object on standard input and leaves as one JSON object a line on standard output: what
isolation took effect, then each finished match, then `{"done": true}`. The worker is single-threaded and owns its
players: what it needs between fork and exec (PDEATHSIG, a subreaper) asks for that. A worker that is killed takes
its players with it, and the task is played again.

A match in which the machine was suspended, or the referee stood still, says nothing about its players: it is played
again with fresh processes, TRIES times in all, and is void when that does not help.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from referee import confine, cores, programs
from referee.games import load, names
from referee.games._base import AnyGame, Event, Outcome, Seat
from referee.match import Answer, Ask, Dismiss, Limits, Record, Reply, Strike, Tell, greeting_of_match, play
from referee.process import HEARD_KEPT, CannotStart, Command, Process, Table
from referee.record import to_text
from referee.wire import Fault, safe

TRIES = 3  # how often a match is played whose times were spoiled by the machine
ASKED_KEPT = 2048  # bytes kept of the end of the request that a player failed at
EVIDENCE = ("asked", "heard", "stderr")  # what is kept of a player that faulted, per seat
THINKING_MS = 10.0  # a shorter answer waits for the core that it shares with the referee, loaded or not
PONDERED_MS = 100.0  # CPU time used while others moved that is worth a word


class Player(Protocol):
    """Who sits at a table: a process, the referee's own standard input and output, or a stand-in in a test."""

    @property
    def id(self) -> int | None:
        """The id of the latest request, None before the first."""

    def tell(self, line: str) -> None:
        """Let the player hear a line, now or with the next request, as it chose."""

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | Fault:
        """Send a request and return the answer, or the fault that came instead."""

    def dismiss(self, line: str) -> None:
        """Tell the player that it is out and end it at once."""


class Seats(NamedTuple):
    """How a match is seated: a name and a random seed a seat, who sits there, and who could not sit down."""

    names: tuple[str, ...]
    rngs: tuple[str, ...]
    players: Sequence[Player | None]
    absent: Mapping[Seat, Fault]


def drive(
    game: AnyGame,
    seed: bytes,
    seats: Seats,
    limits: Limits,
    *,
    identity: str = "m0",
    preset: str = "seed",
    observe: Callable[[Seat | None, str], None] | None = None,
) -> Record:
    """Play one match with these players and return its record.

    identity -- the match's id on the wire, unique in the life of its processes
    observe  -- called with (None, line) for every line that a spectator hears
    A failure of the referee itself, or of a game's code, gives a void record: it counts for nobody.
    """
    present = {seat: player for seat, player in enumerate(seats.players) if player is not None}

    observing = False

    def tell(events: tuple[Event, ...]) -> None:
        nonlocal observing
        for public, private in events:
            for seat, player in present.items():
                if line := private.get(seat, public):
                    player.tell(line)
            if observe and public:
                observing = True
                observe(None, public)
                observing = False

    try:
        for seat, player in present.items():
            rng = seats.rngs[seat]
            for line in greeting_of_match(game, seats.names, seat, identity, rng, limits, preset):
                player.tell(line)
        match = play(game, seed, seats.names, limits, preset, seats.absent)
        reply: Reply = None
        while True:
            try:
                request = match.send(reply)
            except StopIteration as stop:
                record: Record = stop.value
                return record
            reply = None
            if type(request) is Ask:
                tell(request.events)
                player = present[request.seat]
                reply = player.ask(request.words, request.legal, request.ms, request.grace_ms)
            elif type(request) is Tell:
                tell(request.events)
            elif type(request) is Strike:
                player, words = present[request.seat], f"code={request.code} left={request.left} text={request.text}"
                player.tell(f"strike id={player.id} {words}")
            elif type(request) is Dismiss:
                player = present.pop(request.seat)
                asked = "-" if player.id is None else player.id
                player.dismiss(f"fault seat={request.seat} code={request.code} id={asked} text={request.text}")
    except Exception as error:
        if observing:  # whoever watches failed, by a full disk or a reader that went away: no matter of the match
            raise
        for player in present.values():
            player.tell(f"void text=the referee failed: {type(error).__name__}")
        return void_record(game, seats.names, seed, preset, error)


def void_record(game: AnyGame, names: tuple[str, ...], seed: bytes, preset: str, error: BaseException) -> Record:
    """Return the record of a match that the referee itself could not finish."""
    where = error.__traceback__
    while where and where.tb_next:
        where = where.tb_next
    place = f"{where.tb_frame.f_globals.get('__name__')}:{where.tb_lineno}" if where else "?"
    text = f"the referee failed: {type(error).__name__} in {place}"
    count = len(names)
    return Record(game.name, preset, game.options, names, seed, (), (), 0, Outcome((0,) * count, (1,) * count), text)


def spoiled_record(record: Record, why: str) -> Record:
    """Return a finished match as void: its times mean nothing, so who was late was perhaps not."""
    nobody = Outcome((0,) * record.seats, (1,) * record.seats)
    return replace(record, results=(), counted=0, outcome=nobody, void=why)


class _Cast:
    """The processes of a task's players, kept alive from match to match; who faulted is started afresh."""

    def __init__(self, table: Table, job: Mapping[str, Any], limits: Limits) -> None:
        self.table = table
        self.limits = limits
        self.games = (job["game"],)
        self.fresh = bool(job["fresh"])
        self.commands = [Command(tuple(player["argv"]), player["cwd"], player["env"]) for player in job["players"]]
        self.names = [player["name"] for player in job["players"]]
        self.programs = [programs.Watched(player.get("files", {})) for player in job["players"]]
        self.changed: set[int] = set()
        self.alive: dict[int, Process] = {}
        self.evidence: dict[int, dict[str, str]] = {}

    def sit_down(self, seating: Sequence[int]) -> tuple[list[Process | None], dict[Seat, Fault]]:
        """Return a process a seat, greeted and ready, and the faults of those that could not be had."""
        players: list[Process | None] = []
        absent: dict[Seat, Fault] = {}
        for seat, index in enumerate(seating):
            process = self.alive.get(index) or self._start(index)
            if isinstance(process, Fault):
                absent[seat] = process
                players.append(None)
            else:
                self.alive[index] = process
                players.append(process)
        return players, absent

    def _start(self, index: int) -> Process | Fault:
        if self.programs[index].changed():
            self.changed.add(index)
        try:
            process = self.table.start(self.commands[index], self.names[index])
        except CannotStart as error:
            return Fault("start", str(error))
        process.rests = not self.limits.ponder
        ready = process.greet(self.games, self.limits.start_ms)
        if isinstance(ready, Fault):
            process.dismiss(f"fault code={ready.code} id=- text={ready.text}")
            self.evidence[index] = _evidence(process)
            return ready
        return process

    def stand_up(self, all_of_them: bool = False) -> dict[int, dict[str, str]]:
        """End what must not be used again, or everybody; return the evidence on those that faulted."""
        evidence, self.evidence = self.evidence, {}
        for index, process in list(self.alive.items()):
            if process.closed:
                evidence[index] = _evidence(process)
                del self.alive[index]
            elif self.fresh or all_of_them:
                process.bye()
                del self.alive[index]
        return evidence

    def bye(self) -> None:
        self.table.bye(self.alive.values())


def _evidence(process: Process) -> dict[str, str]:
    """Return what a player that faulted was asked, what came back, and its standard error: bounded, safe text."""
    asked = process.asked.rstrip(b"\n").rpartition(b"\n")[2]
    return {
        "asked": safe(asked[-ASKED_KEPT:]),
        "heard": safe(process.heard[:HEARD_KEPT]),
        "stderr": process.stderr_head.decode("latin-1"),
    }


class _Played(NamedTuple):
    """A match as it was played: its record, and what is kept beside it."""

    record: Record
    evidence: Mapping[int, Mapping[str, str]]
    pondered: list[float]


def _play_match(
    game: AnyGame, cast: _Cast, match: Mapping[str, Any], limits: Limits, identity: str, preset: str
) -> _Played:
    """Play one match of a job once."""
    seating = match["seating"]
    players, absent = cast.sit_down(seating)
    seats = Seats(tuple(cast.names[index] for index in seating), tuple(match["rngs"]), players, absent)
    before = [0.0 if player is None else player.cpu_ms() for player in players]
    record = drive(game, bytes.fromhex(match["seed"]), seats, limits, identity=identity, preset=preset)
    used = [0.0 if player is None else player.cpu_ms() - start for player, start in zip(players, before, strict=True)]
    for seat, wall, cpu, _, _ in record.timings:
        used[seat] -= cpu or wall  # the CPU time of a very quick answer is not measured
    return _Played(record, cast.stand_up(), used)


def told(block: int, record: Record, notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a worker says of a match: JSON values."""
    return {
        "block": block,
        "record": to_text(record),
        "ranks": record.outcome.ranks,
        "scores": record.outcome.scores,
        "deals": record.results,
        "counted": record.counted,
        "faults": [[fault.seat, fault.code, fault.text] for fault in record.faults],
        "void": record.void,
        "timings": [[seat, *(round(ms, 3) for ms in times)] for seat, *times in record.timings],
        "notes": notes,
    }


def play_task(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Play every match of a job (see tournament.job_of) and emit one JSON object for each as it ends."""
    limits = Limits(**job["limits"])
    game = load(job["game"], **job["options"])
    with Table(sandbox=confine.Sandbox.from_json(job.get("sandbox"))) as table:
        emit({"isolation": table.isolation})
        cast = _Cast(table, job, limits)
        for number, match in enumerate(job["matches"]):
            spoiled: list[str] = []
            for attempt in range(TRIES):
                table.vigil.begin()
                identity = f"m{number}" + (f"-{attempt}" if attempt else "")
                record, evidence, pondered = _play_match(game, cast, match, limits, identity, job["preset"])
                trouble = table.vigil.trouble() if limits.move_ms is not None else ""
                if not trouble or record.void:
                    break
                spoiled.append(trouble)
                cast.stand_up(all_of_them=True)  # they have seen these deals
            else:
                record = spoiled_record(record, spoiled[-1])
            measured = [(wall, min(wait, wall)) for _, wall, _, wait, _ in record.timings if wall >= THINKING_MS]
            seating = match["seating"]
            notes = {
                **{kind: {seating.index(n): text[kind] for n, text in evidence.items()} for kind in EVIDENCE},
                "again": spoiled,
                "changed": [seat for seat, index in enumerate(seating) if index in cast.changed],
                "overran": list(record.overran) if any(record.overran) else [],
                "pondered_ms": [round(ms) for ms in pondered] if max(pondered) > PONDERED_MS else [],
                "measured_ms": round(sum(wall for wall, _ in measured)),
                "waited_ms": round(sum(wait for _, wait in measured)),
            }
            emit(told(match["block"], record, {key: value for key, value in notes.items() if value}))
        cast.bye()
    emit({"done": True})


def preflight(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Start and greet each player of a job once; emit the games that it plays, or why it could not start."""
    sandbox = confine.Sandbox.from_json(job.get("sandbox"))
    emit({"isolation": confine.summary(sandbox)})
    for player in job["preflight"]:
        games, reason = None, ""
        with Table(sandbox=sandbox) as table:
            try:
                process = table.start(Command(tuple(player["argv"]), player["cwd"], player["env"]), player["name"])
            except CannotStart as error:
                reason = str(error)
            else:
                ready = process.greet(names(), job["start_ms"])
                if isinstance(ready, Fault):
                    reason = ready.text
                    process.dismiss(f"fault code={ready.code} id=- text={ready.text}")
                else:
                    games = ready.games
                    process.bye()
        emit({"games": games, "reason": reason})


def main() -> None:
    """Play the job on standard input."""
    confine.referee_start()
    cores.take_core()
    job = json.load(sys.stdin)

    def emit(message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
        sys.stdout.flush()

    try:
        if "preflight" in job:
            preflight(job, emit)
        else:
            play_task(job, emit)
    except confine.SandboxMissing as error:
        emit({"refused": str(error)})
        emit({"done": True})


if __name__ == "__main__":
    main()
