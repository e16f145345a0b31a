"""What one decision costs through the whole referee: view, request, pipe, answer, rules, record; with players in C.

    ./run python tests/bench/decision.py [MATCHES]

Referee and players share one core. Prints microseconds per decision for each game with and without legal lists, the
ratio to a bare poll round trip of the same run, where the time goes, and what keeping players alive saves.
"""

import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from round_trip import bare, build, measure

from referee.games import load
from referee.match import Limits, Move, Record
from referee.process import Command, Table
from referee.record import replay, to_text
from referee.worker import Seats, drive

HERE = Path(__file__).parent
LIMITS = Limits()


def seats_of(players, count: int) -> Seats:
    return Seats(tuple(f"p{n}" for n in range(count)), ("0" * 16,) * count, players, {})


def timed(name: str, count: int, command: Command, matches: int) -> tuple[float, Record]:
    """Return microseconds per decision of `matches` matches, records included, and the last record."""
    game = load(name)
    with Table() as table:
        players = [table.start(command, f"p{n}") for n in range(count)]
        for player in players:
            player.greet((name,), 5000)
        decisions = 0
        start = time.perf_counter()
        for number in range(matches):
            record = drive(game, number.to_bytes(32, "big"), seats_of(players, count), LIMITS, identity=f"m{number}")
            assert not record.faults, record.faults
            to_text(record)
            decisions += len(record.timings)
        took = time.perf_counter() - start
        table.bye()
    return took / decisions * 1e6, record


def parts(record: Record) -> dict[str, float]:
    """Return microseconds per decision of the parts that can be measured alone, on the states of a record."""
    game = load(record.game)
    moments = list(replay(record))
    moves = [(moment.state, after.step) for moment, after in itertools.pairwise(moments)]
    moves = [(state, game.parse(step.word), step.word) for state, step in moves if isinstance(step, Move)]

    def per_move(work) -> float:
        start = time.perf_counter()
        for state, action, word in moves:
            work(state, action, word)
        return (time.perf_counter() - start) / len(moves) * 1e6

    works = {
        "view": lambda state, action, word: " ".join(
            [f"{key}={value}" for key, value in game.view(state, game.to_act(state)).items()]
        ),
        "legal list": lambda state, action, word: ",".join(map(game.format, game.legal_actions(state))),
        "parse": lambda state, action, word: game.parse(word),
        "apply": lambda state, action, word: game.apply(state, action),
    }
    found = {name: min(per_move(work) for _ in range(5)) for name, work in works.items()}
    start = time.perf_counter()
    for _ in range(5):
        to_text(record)
    found["record as text"] = (time.perf_counter() - start) / 5 / len(moves) * 1e6
    return found


def keeping_alive(matches: int) -> tuple[float, float]:
    """Return seconds per match of two Python players, kept alive and started anew."""
    game = load("scout")
    command = Command((sys.executable, str(HERE.parent.parent / "clients" / "scout_random.py")))

    def sit(table):
        players = [table.start(command, f"p{n}") for n in range(2)]
        for player in players:
            player.greet(("scout",), 5000)
        return players

    with Table() as table:
        players = sit(table)
        start = time.perf_counter()
        for number in range(matches):
            drive(game, number.to_bytes(32, "big"), seats_of(players, 2), LIMITS, identity=f"m{number}")
        kept = (time.perf_counter() - start) / matches
        table.bye()
        start = time.perf_counter()
        for number in range(matches):
            players = sit(table)
            drive(game, number.to_bytes(32, "big"), seats_of(players, 2), LIMITS, identity=f"m{number}")
            table.bye()
        fresh = (time.perf_counter() - start) / matches
    return kept, fresh


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # players inherit it
    with tempfile.TemporaryDirectory() as folder:
        echo = build(folder)
        quiet = f"{folder}/quiet"
        subprocess.run([shutil.which("cc") or "cc", "-O2", "-o", quiet, str(HERE / "quiet.c")], check=True)
        once, end = bare(echo)
        rounds = [measure(once, 5000) for _ in range(5)]
        print(
            f"bare poll with a deadline          best {min(rounds):6.1f} us   median {statistics.median(rounds):6.1f}"
        )
        for name, count, program, lists in (
            ("scat", 2, echo, "with"),
            ("scat", 2, quiet, "without"),
            ("scout", 4, echo, "with"),
            ("scout", 4, quiet, "without"),
        ):
            runs = [timed(name, count, Command((program,)), matches) for _ in range(5)]
            best = min(us for us, _ in runs)
            median = statistics.median(us for us, _ in runs)
            print(
                f"{name} {count} seats, {lists:>7} legal lists   best {best:6.1f} us   median {median:6.1f}"
                f"   ratio to bare {best / min(rounds):.1f}"
            )
            if lists == "with":
                print("    " + "   ".join(f"{part} {us:.1f}" for part, us in parts(runs[0][1]).items()))
        end()
    kept, fresh = (seconds * 1e3 for seconds in keeping_alive(10))
    print(f"two Python players, ms a match: kept alive {kept:.1f}, anew {fresh:.1f}, {fresh / kept:.1f} times as much")


if __name__ == "__main__":
    main()
