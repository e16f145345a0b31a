"""Drive matches with real players; `python -m referee.worker` plays one task.

A task arrives as one JSON object on standard input and leaves as one JSON object a line on standard output: what
isolation took effect, then each finished match, then `{"done": true}`. The worker is single-threaded and owns its
players: what it needs between fork and exec (PDEATHSIG, a subreaper) asks for that. A worker that is killed takes
its players with it, and the task is played again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from referee import confine, cores
from referee.games import load, names
from referee.games._base import AnyGame, Event, Outcome, Seat
from referee.match import Answer, Ask, Dismiss, Limits, Record, Reply, Strike, Tell, greeting_of_match, play
from referee.process import CannotStart, Command, Process, Table
from referee.record import to_text
from referee.wire import Fault


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

    def tell(events: tuple[Event, ...]) -> None:
        for public, private in events:
            for seat, player in present.items():
                if line := private.get(seat, public):
                    player.tell(line)
            if observe and public:
                observe(None, public)

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
                reply = player.ask(request.words, request.legal, request.ms, limits.grace_ms)
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


class _Cast:
    """The processes of a task's players, kept alive from match to match; who faulted is started afresh."""

    def __init__(self, table: Table, job: Mapping[str, Any], limits: Limits) -> None:
        self.table = table
        self.limits = limits
        self.games = (job["game"],)
        self.fresh = bool(job["fresh"])
        self.commands = [Command(tuple(player["argv"]), player["cwd"], player["env"]) for player in job["players"]]
        self.names = [player["name"] for player in job["players"]]
        self.alive: dict[int, Process] = {}

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
        try:
            process = self.table.start(self.commands[index], self.names[index])
        except CannotStart as error:
            return Fault("start", str(error))
        ready = process.greet(self.games, self.limits.start_ms)
        if isinstance(ready, Fault):
            process.dismiss(f"fault code={ready.code} id=- text={ready.text}")
            return ready
        return process

    def stand_up(self) -> dict[int, bytes]:
        """End what must not be used again; return what the players that faulted wrote to standard error."""
        evidence = {}
        for index, process in list(self.alive.items()):
            if process.closed:
                evidence[index] = process.stderr_head
                del self.alive[index]
            elif self.fresh:
                process.bye()
                del self.alive[index]
        return evidence

    def bye(self) -> None:
        self.table.bye(self.alive.values())


def play_task(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Play every match of a job (see tournament.job_of) and emit one JSON object for each as it ends."""
    limits = Limits(**job["limits"])
    game = load(job["game"], **job["options"])
    with Table() as table:
        emit({"isolation": confine.summary()})
        cast = _Cast(table, job, limits)
        for number, match in enumerate(job["matches"]):
            seating = match["seating"]
            players, absent = cast.sit_down(seating)
            seats = Seats(tuple(cast.names[index] for index in seating), tuple(match["rngs"]), players, absent)
            seed = bytes.fromhex(match["seed"])
            record = drive(game, seed, seats, limits, identity=f"m{number}", preset=job["preset"])
            evidence = cast.stand_up()
            emit(
                {
                    "block": match["block"],
                    "record": to_text(record),
                    "ranks": record.outcome.ranks,
                    "scores": record.outcome.scores,
                    "deals": record.results,
                    "counted": record.counted,
                    "faults": [[fault.seat, fault.code, fault.text] for fault in record.faults],
                    "void": record.void,
                    "timings": [[seat, *(round(ms, 3) for ms in times)] for seat, *times in record.timings],
                    "stderr": {seating.index(index): text.decode("latin-1") for index, text in evidence.items()},
                }
            )
        cast.bye()
    emit({"done": True})


def preflight(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Start and greet each player of a job once; emit the games that it plays, or why it could not start."""
    for player in job["preflight"]:
        games, reason = None, ""
        with Table() as table:
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

    if "preflight" in job:
        preflight(job, emit)
    else:
        play_task(job, emit)


if __name__ == "__main__":
    main()
