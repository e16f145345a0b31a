"""One match as a generator: who is asked, what a fault does, how places come out."""

import random
from collections.abc import Callable

import pytest

from referee.games import load
from referee.match import Answer, Ask, Dismiss, Faulted, Limits, Move, Reply, Strike, Tell, play
from referee.wire import Fault, words
from tests.playing import play_out

SEED = bytes(range(32))
NAMES = ("ann", "bob", "cy", "dee")


def drive(game, seats, answer: Callable[[Ask], Reply], limits=Limits(), absent=None):  # noqa: B008
    """Play a match with one function that answers for every seat; return its record and all requests."""
    return play_out(play(game, SEED, NAMES[:seats], limits, "seed", absent or {}), answer)


def legal(ask: Ask) -> list[str]:
    return ask.legal().split(",")


def randomly(seed: int) -> Callable[[Ask], Reply]:
    rng = random.Random(seed)
    return lambda ask: Answer(rng.choice(legal(ask)))


@pytest.mark.parametrize("name", ["scat", "scout"])
def test_a_match_of_legal_answers_has_no_fault_and_counts_every_deal(name):
    record, requests = drive(load(name), 3, randomly(1))

    assert record.faults == ()
    assert record.counted == len(record.results) > 0
    assert all(step.by == "player" for step in record.steps)
    assert isinstance(requests[-1], Tell)
    assert requests[-1].events[-1].public.startswith("end ranks=")


def test_with_two_seats_a_fault_ends_the_match_and_the_other_wins():
    record, requests = drive(
        load("scat"), 2, lambda ask: Fault("timeout", "no answer") if ask.seat else randomly(2)(ask)
    )

    assert record.outcome.ranks == (1, 2)
    assert record.faults == (Faulted(1, "timeout", "no answer"),)
    assert Dismiss(1, "timeout", "no answer") in requests
    assert any(event.public == "fault seat=1 code=timeout" for event in requests[-1].events)


@pytest.mark.parametrize("name", ["scat", "scout"])
def test_with_three_seats_the_caretaker_plays_on_and_the_others_match_stands(name):
    asked = []

    def answer(ask):
        asked.append(ask.seat)
        return Fault("exit", "it ended") if ask.seat == 1 else randomly(len(asked))(ask)

    record, _ = drive(load(name), 3, answer)

    assert asked.count(1) == 1
    assert [step for step in record.steps if isinstance(step, Move) and step.seat == 1 and step.by == "caretaker"]
    assert record.outcome.ranks[1] == 3
    assert sorted(record.outcome.ranks) in ([1, 1, 3], [1, 2, 3])
    assert record.counted == 0


def test_an_earlier_fault_ranks_below_a_later_one():
    faults = iter([2, 0])
    due = [next(faults)]

    def answer(ask):
        if due and ask.seat == due[0]:
            due[:] = [next(faults, None)]
            return Fault("exit", "it ended")
        return Answer(legal(ask)[0])

    record, _ = drive(load("scout"), 4, answer)

    assert record.outcome.ranks[2] == 4
    assert record.outcome.ranks[0] == 3


def test_the_match_stops_when_one_player_is_left():
    record, _ = drive(load("scat"), 3, lambda ask: Fault("exit", "it ended"))

    assert len(record.faults) == 2
    assert sorted(record.outcome.ranks) == [1, 2, 3]


def test_a_seat_that_never_sat_down_is_played_by_the_caretaker_from_the_first_deal():
    record, requests = drive(load("scat"), 3, randomly(3), absent={2: Fault("start", "no such file")})

    assert record.steps[0] == Faulted(2, "start", "no such file")
    assert record.outcome.ranks[2] == 3
    assert record.counted == 0
    assert not any(isinstance(request, Ask) and request.seat == 2 for request in requests)


@pytest.mark.parametrize(("word", "code"), [("nonsense", "malformed"), ("KS", "illegal")])
def test_a_bad_answer_is_a_fault_that_quotes_it(word, code):
    record, _ = drive(load("scat"), 2, lambda ask: Answer(word))

    fault = record.faults[0]
    assert fault.code == code
    assert word in fault.text


def test_strikes_are_told_and_the_caretaker_moves_for_the_culprit():
    answers = iter(["nonsense", "nonsense", "nonsense"])
    record, requests = drive(
        load("scat"),
        2,
        lambda ask: Answer(next(answers, "x")) if ask.seat == 1 else Answer(legal(ask)[0]),
        Limits(strikes=2),
    )

    strikes = [request for request in requests if isinstance(request, Strike)]
    assert [strike.left for strike in strikes] == [1, 0]
    assert len(record.faults) == 1
    assert [step.struck for step in record.steps if isinstance(step, Faulted)] == [True, True, False]


def test_the_bank_pays_for_what_exceeds_the_move_time_and_the_increment_refills_it():
    asks = []

    def answer(ask):
        asks.append(ask)
        return Answer(legal(ask)[0], charge_ms=150)

    drive(load("scat", hand_cap=1), 2, answer, Limits(move_ms=100, bank_ms=200, increment_ms=10))

    own = [ask for ask in asks if ask.seat == asks[0].seat]
    assert [ask.ms for ask in own[:3]] == [300, 260, 220]
    assert words("act 0 " + own[1].words)[2]["bank_ms"] == "160"


def test_without_a_clock_the_request_says_so():
    _, requests = drive(load("scat"), 2, randomly(4), Limits(move_ms=None))

    ask = next(request for request in requests if isinstance(request, Ask))
    assert ask.ms is None
    assert ask.words.startswith("ms=- deal=0 ")


def test_a_request_carries_the_whole_view():
    _, requests = drive(load("scout"), 3, randomly(5))

    ask = next(request for request in requests if isinstance(request, Ask) and "phase=move" in request.words)
    keys = words("act 0 " + ask.words)[2]
    assert {"ms", "deal", "turn", "hand", "active", "owner", "cards", "tokens", "scores"} <= set(keys)


def test_a_bug_of_ours_is_not_taken_for_a_fault_of_a_player():
    game = load("scat")
    game.apply = lambda state, action: 1 / 0  # type: ignore[method-assign]

    with pytest.raises(ZeroDivisionError):
        drive(game, 2, randomly(6))
