"""Whole matches, driven as in a tournament, against stand-ins: at every number of seats, and under other options."""

import shlex
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from referee.check.acquaintance import judge_orphans
from referee.check.causes import heard, refused, sentence, trouble_of
from referee.check.desk import BUDGET_S, FAULTS_MOST, PROBES, QUIET_MS, Desk
from referee.check.patterns import Case, habit_of
from referee.check.positions import NAMES, StandIn, seed_of
from referee.check.report import FAIL, PASS, SKIP, WARN
from referee.check.talk import Asked, Talk
from referee.games import load
from referee.match import Answer, Record
from referee.wire import Fault, quote, words
from referee.worker import Seats, drive

GROWTH: Final = 64 * 1024 * 1024  # bytes of memory that the matches may add
TRIAL_SEATS: Final = 3
TRIALS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType({"scat": {"hand_cap": 3}})  # the reference match

# Every rule that changes what is asked or told is in force in one of these.
VARIATIONS: Final[Mapping[str, tuple[tuple[int, Mapping[str, object]], ...]]] = MappingProxyType(
    {
        "scat": (
            (3, {"throw_down": "any", "start_coins": 1}),
            (2, {"throw_down": "eldest", "final_stand": True, "dole": False}),
            (4, {"final_stand": True, "dealt31": "own_turn", "trips": "30.5", "straight_flush": "30"}),
            (9, {"stock_out": "reshuffle", "min_knock": 31, "hand_cap": 1}),
            (3, {"stock_out": "void", "first_turn_knock": False, "first_dealer": "random", "hand_cap": 3}),
        ),
        "scout": (
            (3, {"orientation": "until_own_move", "first_player": "random"}),
            (4, {"scout_insert_public": True, "unbeaten_exempt": True}),
            (2, {"two_player_token_to": "owner", "orientation": "until_own_move", "first_player": "holder12"}),
        ),
    }
)


def _play(
    desk: Desk, talk: Talk, game: str, seats: int, seat: int, options: Mapping[str, object] = MappingProxyType({})
) -> tuple[Record, tuple[Asked, ...]]:
    """Play one match against stand-ins, the same again for the same arguments."""
    label = f"{game} {seats} {seat} {sorted(options.items())}"
    table: list[Talk | StandIn] = [StandIn(f"{label} {other}") for other in range(seats)]
    table[seat] = talk
    called = (*NAMES[:seat], desk.name, *NAMES[seat : seats - 1])
    rngs = tuple(seed_of(f"{label} rng {each}").hex()[:16] for each in range(seats))
    before = len(talk.asked)
    where = f"a match of {game} with {seats} seats"
    talk.where = where
    record = drive(
        load(game, "seed", **options),
        seed_of(label),
        Seats(called, rngs, table, {}),
        desk.limits,
        identity=talk.new_match(),
    )
    if record.void:
        raise RuntimeError(record.void)
    asked = tuple(talk.asked[before:])
    for each in asked:
        desk.timed(each, desk.command_line(game, f" --seats {seats} --trace"))
    return record, asked


def trial(desk: Desk, talk: Talk, game: str) -> None:
    """Play the reference match of a game, and keep its answers for comparison."""
    if not desk.alive(talk) or game in desk.mute:
        return
    kept = desk.used if talk.matches else desk.fresh
    if desk.trials_s > BUDGET_S and len(desk.fresh.get(game, ())) > 1 and desk.used.get(game):
        return  # a slow player is compared once each way
    start = time.monotonic()
    seats = _trial_seats(desk, game)
    record, asked = _play(desk, talk, game, seats, seats - 1, TRIALS.get(game, {}))
    desk.trials_s += time.monotonic() - start
    spoken: list[bytes] = []
    if not desk.settled and not record.faults:
        desk.settled = True
        # It hears `end` now. One that leaves for it is found out by the next question.
        spoken = talk.listen(QUIET_MS)
    kept.setdefault(game, []).append(asked)
    if record.faults:
        _match_failed(desk, f"{game}-matches", talk, game, seats, record, asked)
        if record.faults[0].code == "unsolicited":
            _speaks_out_of_turn(desk, f"{game}-matches")
    elif spoken:
        _spoke_at_the_end(desk, talk, game, seats, spoken[0])
    elif talk.usable() and (fault := talk.unasked()) and fault.code == "closed":
        _closed_at_the_end(desk, talk, game, seats, fault)
    if desk.out_of_step:
        talk.stop()


def _spoke_at_the_end(desk: Desk, talk: Talk, game: str, seats: int, line: bytes) -> None:
    desk.put(
        f"{game}-matches",
        FAIL,
        f"after a match with {seats} seats",
        problem=f"It spoke after the line 'end', when nobody had asked it: {quote(line)}.",
        fix=("answer 'act' lines alone; print diagnostics to standard error",),
        trouble=heard(talk),
        repeat=desk.command_line(game, f" --seats {seats} --trace"),
    )
    _speaks_out_of_turn(desk, f"{game}-matches")


def _closed_at_the_end(desk: Desk, talk: Talk, game: str, seats: int, fault: Fault) -> None:
    desk.out_of_step = True
    desk.put(
        "again",
        FAIL,
        problem=f"{sentence(fault.text).rstrip('.')}, after the line 'end'.",
        fix=("keep standard input and output open until 'bye'",),
        trouble=heard(talk),
        repeat=desk.command_line(game, f" --seats {seats} --trace"),
    )


def _trial_seats(desk: Desk, game: str) -> int:
    counts = _seat_counts(desk, game)
    return TRIAL_SEATS if TRIAL_SEATS in counts else counts[0]


def _seat_counts(desk: Desk, game: str) -> list[int]:
    return [seats for seats in load(game).seats if seats in desk.seats]


def play_matches(desk: Desk) -> None:
    """Play matches at every number of seats and under other options, the reference match before and after."""
    with desk.talk() as talk:
        trial(desk, talk, desk.open()[0])
        first = talk.memory() if talk.usable() else None
        for game in desk.open():
            _matches(desk, talk, game)
        if desk.open() and talk.usable() and talk.matches > 1:
            if not desk.out_of_step:
                desk.put("again", PASS, f"{talk.matches} matches")
            _judge_memory(desk, first, talk.memory(), talk.matches)
        if desk.open():
            _other_options(desk, talk)
        for game in desk.open():
            trial(desk, talk, game)
        if talk.usable():
            judge_orphans(desk, talk.leave("bye"), "'bye'")
    desk.count(talk)


def _matches(desk: Desk, talk: Talk, game: str) -> None:
    key = f"{game}-matches"
    counts = _seat_counts(desk, game)
    played = faults = requests = 0
    longest = 0.0
    end = time.monotonic() + BUDGET_S
    for k, seats in enumerate(counts):
        if time.monotonic() + longest > end or faults == FAULTS_MOST or not desk.alive(talk):
            break
        start, used = time.monotonic(), talk.matches
        record, asked = _play(desk, talk, game, seats, k % seats)
        longest = max(longest, time.monotonic() - start)
        played += 1
        requests += len(asked)
        if record.faults:
            faults += 1
            _match_failed(desk, key, talk, game, seats, record, asked)
            if record.faults[0].code == "unsolicited":
                _speaks_out_of_turn(desk, key)
            elif used and faults == 1:
                _again_failed(desk, talk, game, seats, k % seats)
        if desk.out_of_step:
            talk.stop()
    short = f" (of {len(counts)} numbers of seats)" if played < len(counts) else ""
    plural = "matches" if played != 1 else "match"
    desk.put(key, PASS, f"{played} {plural}, {requests} answers{short}")


def _match_failed(
    desk: Desk, key: str, talk: Talk, game: str, seats: int, record: Record, asked: Sequence[Asked], verdict: str = FAIL
) -> None:
    fault = Fault(record.faults[0].code, record.faults[0].text)
    if fault.code in ("illegal", "malformed") and asked and isinstance(asked[-1].outcome, Answer):
        notes = _about_last(desk, game, asked, fault)
        trouble = refused(talk, fault.text)
    else:
        trouble, notes = trouble_of(talk, fault), []
    turn = f"request {len(asked)} of a match with {seats} seats"
    desk.put(
        key,
        verdict,
        f"{fault.code} at {turn}",
        trouble=trouble,
        notes=notes,
        repeat=desk.command_line(game, f" --seats {seats} --trace"),
    )


def _about_last(desk: Desk, game: str, asked: Sequence[Asked], fault: Fault) -> list[str]:
    """Return what can be said of an illegal answer from the request before it."""
    last = asked[-1]
    assert isinstance(last.outcome, Answer)
    if desk.failed_at(f"{game}-positions"):
        return [f"probe {PROBES[f'{game}-positions'][0]} has more of this kind"]
    view = words(f"act {last.words}")[2]
    before = tuple(asked[-2].legal().split(",")) if len(asked) > 1 else ()
    legal = tuple(last.legal().split(","))
    habit = habit_of(Case("", game, view, legal, last.outcome.action, fault.text, before=before))
    return [f"likely cause: {habit}"] if habit else []


def _speaks_out_of_turn(desk: Desk, key: str) -> None:
    """A line too many is judged where the next request is made: what it breaks there is not held against the player."""
    desk.out_of_step = True
    desk.put("again", SKIP, f"it speaks out of turn (probe {PROBES[key][0]})")


def _again_failed(desk: Desk, talk: Talk, game: str, seats: int, seat: int) -> None:
    """A match failed in a used process; say so when it goes well in a fresh one."""
    if not desk.alive(talk) or talk.matches:
        return
    record, _ = _play(desk, talk, game, seats, seat)
    if not record.faults:
        _keeps_something(desk, game, seats)


def _keeps_something(desk: Desk, game: str, seats: int) -> None:
    desk.put(
        "again",
        FAIL,
        problem=f"A match of {game} with {seats} seats fails in a process that has played before, and goes well"
        " in a fresh one: it keeps something from the match before.",
        fix=("forget everything at the line 'match'",),
        repeat=desk.command_line(game, f" --seats {seats} --trace"),
    )


def _judge_memory(desk: Desk, first: int | None, last: int | None, matches: int) -> None:
    if first is None or last is None:
        return
    grown = last - first
    detail = f"{last / 1e6:.0f} MB after {matches} matches"
    if grown > GROWTH:
        desk.put("memory", WARN, detail, problem=f"It grew by {grown / 1e6:.0f} MB in {matches} matches.")
    desk.put("memory", PASS, detail)


def _other_options(desk: Desk, talk: Talk) -> None:
    played = 0
    longest = 0.0
    end = time.monotonic() + BUDGET_S
    for game in desk.open():
        if desk.failed_at(f"{game}-positions") or desk.failed_at(f"{game}-matches"):
            continue  # what fails only under other options is worth a warning
        for seats, options in VARIATIONS.get(game, ()):
            if seats not in desk.seats or time.monotonic() + longest > end or not desk.alive(talk):
                continue
            start = time.monotonic()
            record, asked = _play(desk, talk, game, seats, seats - 1, options)
            longest = max(longest, time.monotonic() - start)
            played += 1
            if desk.out_of_step:
                talk.stop()
            if record.faults and talk.matches > 1:
                talk.stop()
                if not desk.alive(talk):
                    return
                record, asked = _play(desk, talk, game, seats, seats - 1, options)
                if not record.faults and not desk.out_of_step:
                    _keeps_something(desk, game, seats)
            if record.faults:
                _options_failed(desk, talk, game, seats, options, record, asked)
                return
    if played:
        desk.put("options", PASS, f"{played} matches")


def _options_failed(
    desk: Desk,
    talk: Talk,
    game: str,
    seats: int,
    options: Mapping[str, object],
    record: Record,
    asked: Sequence[Asked],
) -> None:
    """A match under other options failed, which is a warning: a player need not know every rule."""
    given = [f"{key}={str(value).lower()}" for key, value in options.items()]
    table = " ".join([*[f"{game}_random"] * (seats - 1), shlex.quote(desk.word)])
    _match_failed(desk, "options", talk, game, seats, record, asked, WARN)
    result = desk.results["options"]
    desk.results["options"] = result._replace(
        problem=f"With {' '.join(given)}: {result.problem}",
        repeat=f"referee match {game} {table} --trace {' '.join(f'--set {each}' for each in given)}",
    )
