"""Comparisons of two players: what they rest on, when they end, and that nothing but the seed decides the verdict."""

import itertools
import json
import random
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import CARD
from referee.compare import (
    CAP,
    COEFFICIENTS,
    Answer,
    Evidence,
    Question,
    looks,
    question_of,
    slice_for,
    written,
)
from referee.games import load
from referee.games._base import Outcome
from referee.games.scat import Scat, State
from referee.luck import GAMES, drawn, luck
from referee.match import Answer as Reply
from referee.match import Ask, Limits, Record, play
from referee.record import from_text, to_text
from referee.schedule import balanced_blocks
from referee.sequential import MIN_BLOCKS
from referee.store import Row
from referee.tournament import Entry, Plan
from tests.test_tournament import count, export, referee, start, wait_for

HONEST = Path(__file__).parent / "players" / "honest.py"


# -- when it is judged


@given(st.integers(1, 5000), st.integers(1, 20))
def test_looks_are_whole_slices_and_end_at_the_cap(cap, step):
    found = list(looks(cap, step))

    assert found == sorted(set(found))
    assert cap == found[-1]
    assert all(look % step == 0 and look >= MIN_BLOCKS for look in found[:-1])


def test_batches_grow_but_never_beyond_an_eighth_of_the_run():
    found = list(looks(100_000, 10))

    assert [30, 50, 70, 90, 110] == found[:5]
    steps = [(later - look, look) for look, later in itertools.pairwise(found[4:])]
    assert all(step <= max(20, look / 8 + 10) for step, look in steps)
    assert len(found) < 100


@pytest.mark.parametrize("seats", range(2, 10))
def test_looks_lie_at_whole_rounds_of_the_cyclic_orders(seats):
    assert slice_for(seats) >= 10
    assert slice_for(seats) % balanced_blocks(seats) == 0


# -- what it rests on


def plan_of(game: str = "scout", seats: int = 2, margin: float | None = None, cap: int = CAP) -> Plan:
    names = ("alpha", "beta", "gamma", "delta")[: max(2, seats)]
    entries = tuple(Entry(name, ("true",), "", {}, ("scat", "scout")) for name in names)
    options = {"start_coins": 3} if game == "scat" else {}
    contest = (game, "seed", options, (seats,), tuple(range(len(names))))
    return Plan(
        entries, (contest,), cap, slice_for(seats), Limits(), anchors=(0, 1), notes=Question(margin).notes()
    )  # fmt: skip


def row_of(block: int, rotation: int, deals: list[list[int]], faults: list[list[object]] | None = None) -> Row:
    """A match of SCOUT of two seats; deals are results of A and B, whatever their seats."""
    players = [0, 1] if rotation == 0 else [1, 0]
    seated = [[deal[player] for player in players] for deal in deals]
    totals = [sum(column) for column in zip([0, 0], *seated, strict=True)]
    return Row(
        rotation,
        block,
        {
            "game": "scout", "seats": 2, "table": 0, "rotation": rotation, "players": players,
            "ranks": [1 + sum(other > total for other in totals) for total in totals], "scores": totals,
            "deals": seated, "counted": len(deals), "faults": faults or [], "void": "",
        },
        "", [], {},
    )  # fmt: skip


def evidence_of(differences: list[float], plan: Plan | None = None) -> Evidence:
    found = Evidence(plan or plan_of(), "scout")
    for block, difference in enumerate(differences):
        for rotation in (0, 1):
            found.add(row_of(block, rotation, [[round(difference), 0]]))
    return found


def test_the_mean_is_of_a_less_b_and_the_better_one_is_named():
    source = random.Random(1)
    answer = evidence_of([3 + source.gauss(0, 4) for _ in range(60)]).answer(Question(), 60, CAP)

    assert "a" == answer.verdict
    assert answer.interval.mean == pytest.approx(3, abs=1.5)
    assert answer.sentence.startswith("alpha is stronger than beta by ")
    assert "points a deal (95 % sure: between " in answer.sentence
    assert "after 60 blocks (120 deals)." in answer.sentence

    answer = evidence_of([-3 + source.gauss(0, 4) for _ in range(60)]).answer(Question(), 60, CAP)
    assert ("b", True) == (answer.verdict, answer.sentence.startswith("beta is stronger than alpha"))


def test_only_whole_blocks_before_the_look_count():
    found = evidence_of([5.0] * 10 + [-50.0] * 10)

    assert 10 == found.answer(Question(), 10, CAP).interval.blocks
    assert 5 == found.answer(Question(), 10, CAP).interval.mean


def test_it_is_unfinished_below_the_least_number_of_blocks_and_open_at_the_cap():
    source = random.Random(2)
    differences = [source.gauss(0, 3) for _ in range(40)]

    assert "unfinished" == evidence_of(differences[:20]).answer(Question(), 20, CAP).verdict
    answer = evidence_of(differences).answer(Question(), 40, 40)
    assert "open" == answer.verdict
    assert answer.sentence.startswith("Undecided between alpha and beta: ")


def test_two_alike_are_the_same_within_a_margin():
    source = random.Random(3)
    found = evidence_of([source.gauss(0, 2) for _ in range(400)])

    assert "same" == found.answer(Question(1.0), 400, CAP).verdict
    assert "unfinished" == found.answer(Question(None), 400, CAP).verdict


def test_who_forfeits_most_of_its_matches_is_not_compared():
    found = Evidence(plan_of(), "scout")
    for block in range(30):
        found.add(row_of(block, 0, [], [[0, "exit", "it exited"]]))
        found.add(row_of(block, 1, [[4, 2]]))
    assert "spoiled" != found.answer(Question(), 30, CAP).verdict, "half of the matches is not most of them"

    found.add(row_of(30, 0, [], [[0, "timeout", "it did not answer"]]))
    assert "spoiled" != found.answer(Question(), 30, CAP).verdict, "what is beyond the look does not count"
    answer = found.answer(Question(), 31, CAP)
    assert "spoiled" == answer.verdict
    assert (
        "alpha and beta cannot be compared: alpha forfeited in 31 of 61 matches (exit 30, timeout 1)."
        == answer.sentence
    )


def test_two_that_both_forfeit_are_not_compared_and_both_are_named():
    found = Evidence(plan_of(), "scout")
    for block in range(30):
        found.add(row_of(block, 0, [], [[0, "exit", "it exited"]]))
        found.add(row_of(block, 1, [], [[0, "illegal", "no"]]))
    answer = found.answer(Question(), 30, CAP)

    assert "spoiled" == answer.verdict
    assert answer.sentence == (
        "alpha and beta cannot be compared: alpha forfeited in 30 of 60 matches (exit 30) and beta forfeited"
        " in 30 of 60 matches (illegal 30)."
    )


@pytest.mark.parametrize(("margin", "blocks"), [(None, 299), (0.5, 59)])
def test_two_that_play_alike_are_the_same_after_enough_blocks(margin, blocks):
    before = evidence_of([0.0] * (blocks - 1)).answer(Question(margin), blocks - 1, CAP)
    answer = evidence_of([0.0] * blocks).answer(Question(margin), blocks, CAP)

    assert ("unfinished", "same") == (before.verdict, answer.verdict)
    assert answer.sentence.startswith(f"alpha and beta played alike after {blocks} blocks")
    assert "unfinished" == evidence_of([0.0] * 298 + [1.0]).answer(Question(), 299, CAP).verdict


def test_the_order_in_which_matches_come_changes_nothing():
    source = random.Random(4)
    rows = [row_of(block, rotation, [[source.randrange(9), 3]]) for block in range(40) for rotation in (0, 1)]
    answers = []
    for _ in range(3):
        source.shuffle(rows)
        found = Evidence(plan_of(), "scout")
        for row in rows:
            found.add(row)
        answers.append(found.answer(Question(0.1), 40, CAP))

    assert answers[0] == answers[1] == answers[2]


def test_an_answer_survives_being_stored():
    answer = evidence_of([1.0, 2.0] * 20).answer(Question(), 40, CAP)

    assert answer == Answer.from_json(json.loads(json.dumps(answer.to_json())))


def test_the_course_is_the_interval_at_each_look():
    found = evidence_of([1.0, 2.0] * 40)
    steps = [found.answer(Question(), look, CAP).interval for look in (30, 50)]
    answer = found.answer(Question(), 80, CAP)

    assert (*steps, answer.interval) == answer.course
    assert [30, 50, 80] == [look.blocks for look in answer.course]


def test_answers_that_were_stored_without_a_course_are_read():
    stored = evidence_of([1.0, 2.0] * 20).answer(Question(), 40, CAP).to_json()
    del stored["course"]

    assert () == Answer.from_json(stored).course


def test_what_is_asked_is_kept_with_the_plan():
    plan = Plan.from_json(json.loads(json.dumps(plan_of(margin=0.25).to_json())))

    assert Question(0.25) == question_of(plan)
    assert (0, 1) == plan.anchors


def test_every_form_of_an_answer_says_the_same():
    answers = [evidence_of([2.0, 4.0] * 30).answer(Question(), 60, CAP)]

    whole = json.loads(written(answers, "json", seed="00"))
    assert ("00", "a") == (whole["seed"], whole["answers"][0]["verdict"])
    assert whole["answers"][0] == json.loads(written(answers, "jsonl"))
    head, row = written(answers, "csv").splitlines()
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert ("a", "60", "3.0") == (cells["verdict"], cells["blocks"], cells["mean"])
    assert all(len(line) <= 80 for line in written(answers, "text").splitlines())


# -- luck


def scat() -> Scat:
    game = load("scat")
    assert isinstance(game, Scat)
    return game


def matches(seats: int, number: int) -> list[Record]:
    """Matches of SCAT between a player that keeps what is best (seat 0) and players that take anything."""
    game, source, records = scat(), random.Random(seats), []
    for match in range(number):
        seed = source.randbytes(32)
        names = tuple(f"p{seat}" for seat in range(seats))
        going = play(game, seed, names, Limits())
        request = next(going)
        while True:
            try:
                reply = None
                if isinstance(request, Ask):
                    legal = request.legal().split(",")
                    reply = Reply(best(request.words, legal) if request.seat == 0 else source.choice(legal))
                request = going.send(reply)
            except StopIteration as stop:
                records.append(stop.value)
                break
        assert len(records) == match + 1
    return records


def best(words: str, legal: list[str]) -> str:
    """The discard that leaves the most points; knocks at 25."""
    hand = next(word for word in words.split() if word.startswith("hand="))[5:].split(",")
    game = scat()
    cards = tuple(CARD[card] for card in hand)
    if len(cards) == 3:
        return "knock" if game.value(cards) >= 50 and "knock" in legal else "stock" if "stock" in legal else legal[0]
    return max(legal, key=lambda word: game.value(tuple(CARD[card] for card in hand if card != word)))


@pytest.mark.parametrize("seats", [2, 3])
def test_luck_is_nought_on_average_between_players_of_unequal_strength(seats):
    """Who stays in the match longer is dealt more hands: that must not count as luck."""
    found = [luck(record) for record in matches(seats, 150)]

    for kind in ("hand", "stock"):
        values = [getattr(each, kind)[0] - getattr(each, kind)[1] for each in found]
        error = statistics.stdev(values) / len(values) ** 0.5
        assert abs(statistics.mean(values)) < 3.5 * error
        assert error > 0


def test_the_luck_of_a_draw_is_its_worth_less_the_mean_over_the_stock():
    game = scat()
    state, _ = game.deal(2, bytes(32))
    assert isinstance(state, State)
    hand = tuple(CARD[card] for card in ("KS", "QS", "2H"))
    state = state._replace(
        hands=tuple(hand if seat == state.seat else other for seat, other in enumerate(state.hands)),
        stock=tuple(CARD[card] for card in ("AS", "3C", "4D")),
    )

    assert drawn(game, state) == pytest.approx(31 - (31 + 20 + 20) / 3)


def test_a_record_has_the_luck_of_the_match_that_it_keeps():
    record = matches(2, 1)[0]

    assert luck(record) == luck(from_text(to_text(record)))


def test_luck_is_known_of_scat_alone():
    assert {game for game, _ in COEFFICIENTS} == set(GAMES)
    with pytest.raises(ValueError, match="nothing is known of the luck in scout"):
        luck(Record("scout", "seed", {}, ("a", "b"), b"", (), (), 0, Outcome((), ())))


# -- end to end


def compare(folder: Path, *more: object) -> list[object]:
    return ["compare", "scat_greedy", "scat_random", "--seed", "3", "--out", folder, *more]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The answer and the export of a comparison that nothing disturbed."""
    folder = tmp_path_factory.mktemp("compare") / "run"
    out, _ = referee(*compare(folder, "--jobs", "1", "--format", "json"))
    return json.loads(out), export(folder)


@pytest.mark.process
def test_a_comparison_ends_at_the_first_look_that_decides(unbroken):
    (answer,) = unbroken[0]["answers"]

    assert ("a", 30, 60) == (answer["verdict"], answer["interval"]["blocks"], answer["matches"])
    assert answer["adjusted"]
    assert [answer["interval"]] == answer["course"]
    assert answer["raw"]["mean"] == pytest.approx(answer["interval"]["mean"], abs=0.2)
    assert unbroken[0]["seed"], "the master seed is published"


@pytest.mark.process
def test_two_jobs_give_the_answer_of_one(tmp_path, unbroken):
    out, _ = referee(*compare(tmp_path / "run", "--jobs", "2", "--format", "json"))

    assert unbroken == (json.loads(out), export(tmp_path / "run"))


@pytest.mark.process
def test_a_killed_comparison_resumes_as_a_comparison_to_the_same_answer(tmp_path, unbroken):
    folder = tmp_path / "run"
    run = start(*compare(folder, "--jobs", "1"))
    wait_for(folder, 1)
    run.kill()
    run.communicate()

    out, _ = referee("show", folder)
    assert "Nothing is known" in out or "Not decided yet" in out
    out, _ = referee("resume", folder, "--format", "json")
    assert unbroken == (json.loads(out), export(folder))
    out, _ = referee("show", folder)
    assert "scat_greedy is stronger than scat_random by " in out


@pytest.mark.process
def test_both_games_are_compared_at_a_table_with_others(tmp_path):
    out, _ = referee(
        "compare", f"one={HONEST}", f"two={HONEST}", "--field", f"three={HONEST}", "--blocks", "2",
        "--set", "hand_cap=1", "--format", "jsonl", "--out", tmp_path / "run",
    )  # fmt: skip
    answers = [json.loads(line) for line in out.splitlines()]

    assert [("scat", 3, "open", 6), ("scout", 3, "open", 6)] == [
        (answer["game"], answer["seats"], answer["verdict"], answer["matches"]) for answer in answers
    ]
    assert 12 == count(tmp_path / "run")


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["scat_random"], 2, "compare takes two players"),
        (["scat_random", "scat_greedy", "scat_threshold"], 2, "others at the table after --field"),
        (["scat_random", "scat_greedy", "--seats", "4"], 2, "a table of 4 seats cannot be filled"),
        (["scat_random", "scat_greedy", "--seats", "2", "--field", "scat_random"], 2, "no place for --field"),
        (["scat_random", "scout_random"], 3, "no game is played by enough"),
        (["scat_random", "scout_random", "--game", "scat"], 3, "scout_random does not play scat"),
        (["scat_random", "gredy"], 2, 'No player "gredy"'),
        (["scat_random", str(HONEST.with_name("exits_at_start.py"))], 3, "could not start"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence_and_a_code(words, code, says, tmp_path):
    _, err = referee("compare", *words, "--out", tmp_path / "run", code=code)

    assert says in err
    assert not (tmp_path / "run").exists()
