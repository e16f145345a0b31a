"""The viewer of replays and of runs: golden screens, keys, sentences, what a seat may see, and a real terminal.

`REFEREE_WRITE=1 pytest tests/test_viewer.py` writes tests/golden/viewer anew; review the files as pictures in the diff.
"""

import functools
import itertools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pexpect
import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from referee import store
from referee.games import load, scout
from referee.match import Answer, Ask, Dismiss, Limits, Record, Strike, Tell, play
from referee.record import from_text, to_text
from referee.report import viewer, watching
from referee.report.narrate import Narrator
from referee.report.theatre import Display, ReplayShell, Shell, painted
from referee.report.viewer import ALL, TABLE, Frame, Model, Replay, open_replay
from referee.report.watching import Follower, Watch
from referee.store import Row
from referee.tournament import Entry, Plan
from referee.wire import Fault

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "golden" / "viewer"
WRITE = bool(os.environ.get("REFEREE_WRITE"))
NINE = ("greedy", "rusty", "mybot", "patient", "mcts-200", "random", "expert", "threshold-24", "scat_threshold-2")
FIVE = ("mybot", "rusty", "greedy", "mcts-200", "scout_planner-2")
SIZES = [(80, 24), (60, 20)]
ODD_SIZES = [(100, 40), (120, 50), (79, 24), (60, 14), (59, 24), (50, 16), (40, 12), (20, 5), (1, 1)]


# -- matches to look at


def chosen(seed: int, ask: Ask, number: int) -> str:
    """Return one of the legal words, the same for the same request; a third of the SCOUT answers are Scouts."""
    legal = ask.legal().split(",")
    usual = [word for word in legal if word not in ("knock",) and not word.startswith("scoutshow")]
    roll = (seed * 7919 + number * 104729) % 1000
    if roll % 9 == 0:
        return legal[roll % len(legal)]
    shows = [word for word in usual if word.startswith("show")]
    return (shows or usual)[roll % len(shows or usual)] if roll % 3 else usual[roll % len(usual)]


def match(
    game: str,
    names: tuple[str, ...],
    seed: int,
    wrong: dict[int, Answer | Fault] | None = None,
    strikes: int = 0,
    **options,
) -> Record:
    """Play a match whose answers are a function of the seed; `wrong` replaces the n-th answer."""
    playing = play(load(game, "seed", **options), seed.to_bytes(32), names, Limits(strikes=strikes))
    reply: Answer | Fault | None = None
    number = 0
    while True:
        try:
            request = playing.send(reply)
        except StopIteration as end:
            return end.value
        reply = None
        if isinstance(request, Ask):
            number += 1
            ms = 0.1 * (number % 70)
            remark = "a remark about this move" if number % 5 == 0 else ""
            reply = (wrong or {}).get(number) or Answer(chosen(seed, request, number), remark, ms, ms, 0.0, ms)
        else:
            assert isinstance(request, Tell | Strike | Dismiss)


def shown(record: Record, title: str = "results/cup#318") -> Replay:
    return open_replay(record, title, record.timings)


@functools.cache
def scat_nine() -> Model:
    return viewer.go(Model(shown(match("scat", NINE, 3, start_coins=3, hand_cap=8))), 40)


@functools.cache
def scat_two() -> Model:
    return viewer.go(Model(shown(match("scat", ("greedy", "rusty"), 11))), 9)


@functools.cache
def scout_four() -> Model:
    return viewer.go(Model(shown(match("scout", FIVE[:4], 5))), 15)


@functools.cache
def scout_22() -> Model:
    """A hand of 22 cards, which no quick match reaches: a frame made by hand."""
    deck = [card for card in scout.DECK[5]]
    all_cards = [16 * a + b if (a + b) % 3 else 16 * b + a for a, b in deck]
    order = [all_cards[(17 * at + 5) % 45] for at in range(45)]
    sizes = (22, 5, 9, 4, 3)
    hands = tuple(tuple(order[sum(sizes[:seat]) : sum(sizes[: seat + 1])]) for seat in range(5))
    active = (0x73, 0x7A)
    state = scout.position(hands, active, 3, 0, taken=(3, 2, 0, 2, 1), tokens=(1, 2, 3, 0, 0), scouts=1, turn=8)
    frame = Frame("deal", 36, None, state, state, (), ("deal n=0 starter=1",))
    replay = Replay("results/cup#318", load("scout", "seed"), FIVE, (frame,), (), False)
    return Model(replay)


@functools.cache
def faulty() -> Model:
    """A seat gets a strike for a malformed answer and is out for an illegal one, in a match of four."""
    wrong = {9: Answer("shuw:1"), 13: Answer("show:3-1"), 31: Fault("timeout", "no answer within 1000 ms")}
    return viewer.key(Model(shown(match("scout", FIVE[:4], 5, wrong, strikes=1))), "e")


def at(model: Model, kind: str, view: int = ALL, nth: int = 0) -> Model:
    """Return the model at the nth frame of a kind."""
    found = [number for number, frame in enumerate(model.replay.frames) if frame.kind == kind]
    return replace(viewer.go(model, found[nth]), view=view)


def half(model: Model, view: int) -> Model:
    """Return the model at the first half of a Scout & Show."""
    frames = model.replay.frames
    found = next(n for n, frame in enumerate(frames) if frame.step and "scoutshow" in getattr(frame.step, "word", ""))
    return replace(viewer.go(model, found), view=view)


SCENES: dict[str, Callable[[], Model]] = {
    "scat-nine": scat_nine,
    "scat-nine-seat": lambda: replace(scat_nine(), view=1),
    "scat-nine-table": lambda: replace(scat_nine(), view=TABLE),
    "scat-nine-over": lambda: at(scat_nine(), "over"),
    "scat-nine-end": lambda: at(scat_nine(), "end"),
    "scat-two": scat_two,
    "scat-two-playing": lambda: viewer.key(viewer.key(scat_two(), "space"), "+"),
    "scout-four": scout_four,
    "scout-four-deal": lambda: at(scout_four(), "deal", nth=1),
    "scout-four-over": lambda: at(scout_four(), "over"),
    "scout-four-half": lambda: half(scout_four(), ALL),
    "scout-four-half-other": lambda: half(scout_four(), TABLE),
    "scout-four-both": lambda: viewer.key(scout_four(), "b"),
    "scout-four-quiet": lambda: viewer.key(scout_four(), "w"),
    "scout-four-end": lambda: at(scout_four(), "end"),
    "scout-five-22": scout_22,
    "scout-five-22-both": lambda: viewer.key(scout_22(), "b"),
    "fault-strike": faulty,
    "fault-out": lambda: viewer.key(faulty(), "e"),
    "fault-out-other": lambda: replace(viewer.key(faulty(), "e"), view=0),
    "help": lambda: viewer.key(scat_nine(), "?"),
    "find": lambda: press(scat_nine(), "/", "k", "n", "o"),
    "no-fault": lambda: viewer.key(scat_nine(), "e"),
}


def press(model: Model, *names: str) -> Model:
    for name in names:
        model = viewer.key(model, name)
    return model


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if WRITE:
        path.write_text(text)
    assert path.exists(), f"{path} is missing; REFEREE_WRITE=1 pytest writes it"
    assert path.read_text() == text, f"the text differs from {path}"


def joined(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


# -- screens


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_screen_is_the_golden_one(scene: str, width: int, height: int) -> None:
    compare(f"{scene}-{width}x{height}.txt", joined(viewer.screen(SCENES[scene](), width, height)))


@pytest.mark.parametrize("scene", ["scat-nine", "scout-four", "fault-out"])
def test_ascii_and_small_screens_are_the_golden_ones(scene: str) -> None:
    compare(f"{scene}-80x24-ascii.txt", joined(viewer.screen(SCENES[scene](), 80, 24, "ascii")))
    compare(f"{scene}-50x16.txt", joined(viewer.screen(SCENES[scene](), 50, 16)))


@pytest.mark.parametrize("scene", SCENES)
def test_every_line_fits_and_ascii_is_ascii(scene: str) -> None:
    for (width, height), charset in itertools.product(SIZES + ODD_SIZES, ("unicode", "ascii")):
        lines = viewer.screen(SCENES[scene](), width, height, charset)
        assert height == len(lines)
        for line in lines:
            assert 0 <= wcswidth(line) <= width
            assert charset != "ascii" or line.isascii()


@pytest.mark.parametrize("scene", SCENES)
def test_the_table_fits_80x24_and_60x20(scene: str) -> None:
    for width, height in SIZES:
        assert "does not fit" not in "\n".join(viewer.screen(SCENES[scene](), width, height))


@pytest.mark.parametrize("scene", SCENES)
def test_colour_is_laid_on_top_of_the_same_text(scene: str) -> None:
    for row in viewer.rows(SCENES[scene](), 80, 24):
        spans = painted(row)
        assert row.text == "".join(span[1] for span in spans)
        assert not any("bg:" in span[0] or "#" in span[0] for span in spans)


def test_a_window_too_small_says_so_and_has_sentences() -> None:
    lines = viewer.screen(scout_four(), 50, 16)
    assert "50x16" in lines[0] and "q quits" in " ".join(lines[:2])
    assert any(line.startswith("15. ") for line in lines)


# -- what a seat may see


def cards_heard(model: Model, seat: int, last: int) -> set[str]:
    """Return every card that a seat was told of or held, up to a frame."""
    found: set[str] = set()
    for frame in model.replay.frames[: last + 1]:
        for line in viewer.heard(frame, seat):
            found |= set(re.findall(r"\b[2-9TJQKA][SHDC]\b|\b\d+/\d+\b", line))
        for state in (frame.before, frame.state):
            view = {} if state is None else model.replay.game.view(state, seat)
            found |= set(re.findall(r"\b[2-9TJQKA][SHDC]\b|\b\d+/\d+\b", " ".join(view.values())))
    return found


@pytest.mark.parametrize("scene", ["scat-nine", "scat-two", "scout-four"])
def test_a_seats_view_holds_no_card_that_the_seat_did_not_hear_of(scene: str) -> None:
    model = SCENES[scene]()
    for seat in (0, 1):
        for place in range(0, min(90, model.last), 7):
            looking = replace(viewer.go(model, place), view=seat, both=True)
            # The list shows what is to come as well, as this seat will hear of it.
            known = cards_heard(model, seat, min(model.last, place + 12))
            known |= {"/".join(reversed(card.split("/"))) for card in known}
            text = "\n".join(viewer.screen(looking, 80, 24, "ascii")).replace("10", "T")
            seen = set(re.findall(r"\b[2-9TJQKA][SHDC]\b", text))
            seen |= {card.replace("T", "10") for card in re.findall(r"\b[\dT]/[\dT]\b", text)}
            assert seen <= known


def test_others_hear_nothing_of_a_scout_and_show_before_the_show() -> None:
    model = half(scout_four(), TABLE)
    hidden = model.frame.truth[0].partition("card=")[2].split(" ")[0]
    assert viewer.heard(model.frame, TABLE) == ()
    assert viewer.told(model.replay, model.frame, TABLE) == []
    after = viewer.told(model.replay, model.replay.frames[model.at + 1], TABLE)
    assert f"scouts {hidden}" in after[0] and "shows a" in after[1]
    assert hidden in viewer.told(model.replay, model.frame, model.frame.step.seat)[0]


def test_a_fault_is_explained_to_its_culprit_and_named_to_the_others() -> None:
    model = at(SCENES["fault-out"](), "fault", nth=2)
    step = model.frame.step
    assert "no answer within 1000 ms" in viewer.heard(model.frame, step.seat)[0]
    other = (step.seat + 1) % 4
    assert (f"fault seat={step.seat} code=timeout",) == viewer.heard(model.frame, other)


def test_a_remark_is_for_who_sees_all_and_for_who_made_it() -> None:
    model = scat_nine()
    seat = model.frame.step.seat
    assert "a remark" in "\n".join(viewer.screen(model, 80, 24))
    assert "a remark" in "\n".join(viewer.screen(replace(model, view=seat), 80, 24))
    assert "a remark" not in "\n".join(viewer.screen(replace(model, view=(seat + 1) % 9), 80, 24))


# -- frames


@pytest.mark.parametrize("scene", ["scat-nine", "scat-two", "scout-four", "fault-out"])
def test_frames_tell_every_line_of_the_record_in_order(scene: str) -> None:
    record = {
        "scat-nine": lambda: match("scat", NINE, 3, start_coins=3, hand_cap=8),
        "scat-two": lambda: match("scat", ("greedy", "rusty"), 11),
        "scout-four": lambda: match("scout", FIVE[:4], 5),
        "fault-out": lambda: match("scout", FIVE[:4], 5, {9: Answer("shuw:1"), 13: Answer("show:3-1")}, strikes=1),
    }[scene]()
    text = to_text(record)
    told = [line for frame in shown(from_text(text)).frames for line in frame.truth]
    own = ("deal ", "did ", "reshuffle ", "over ", "fault ", "strike ", "end ")
    # A deal that a dealt 31 ended at once is told by its public line.
    assert [line for line in text.split("\n") if line.startswith(own)] == told


def test_a_dealt_31_is_a_frame_of_its_own_with_its_hands() -> None:
    replay = shown(match("scat", NINE[:6], 46, start_coins=2, hand_cap=3))  # seat 3 is dealt K Q A of diamonds
    found = [at for at, frame in enumerate(replay.frames) if frame.kind == "over" and frame.step is None]
    assert replay.frames[found[0]].state is None
    frame = replay.frames[found[0]]
    dealt = [frame.events[0].heard_by(seat) for seat in range(6)]
    hands = viewer.seen(replay, frame, ALL).hands
    assert [f"hand={hand}" for hand in hands if hand] == [line.split()[3] for line in dealt if "hand=" in line]
    screen = viewer.screen(viewer.go(Model(replay), found[0]), 80, 24)
    assert any("31 is declared" in line for line in screen)
    own = viewer.seen(replay, frame, 0).hands[1:]
    told = frame.keys("over")["hands"].split(";")[1:]
    assert [None if hand == "-" else hand for hand in told] == list(own)


def test_a_void_record_shows_what_there_is() -> None:
    record = replace(match("scout", FIVE[:3], 5), void="the referee failed: a bug")
    replay = shown(record)
    assert replay.frames[-1].kind == "void"
    assert "the referee failed" in "\n".join(viewer.screen(viewer.go(Model(replay), 10_000), 80, 24))
    assert "void" in list(viewer.linear(replay))[-1]


def test_times_are_shown_where_they_were_kept_and_a_seat_sees_its_own_alone() -> None:
    model = scout_four()
    assert " ms " in viewer.screen(model, 80, 24)[3]
    assert " ms " not in viewer.screen(Model(open_replay(match("scout", FIVE[:4], 5), "x")), 80, 24)[3]
    rows = viewer.screen(replace(model, view=2), 80, 24)[4:8]
    assert [bool(re.search(r"\d\.\d", row)) for row in rows] == [False, False, True, False]


# -- keys

KEY_NAMES = [
    "left", "right", "up", "down", "pageup", "pagedown", "home", "end", "space", "enter", "escape", "backspace",
    *"+-=eg/nvwb?1235kx",
]  # fmt: skip


@settings(max_examples=60)
@given(
    st.sampled_from(["scat-two", "fault-strike", "scout-five-22"]), st.lists(st.sampled_from(KEY_NAMES), max_size=40)
)
def test_no_key_breaks_anything(scene: str, names: list[str]) -> None:
    model = MODELS[scene]
    for name in names:
        model = viewer.tick(viewer.key(model, name))
        assert 0 <= model.at <= model.last and not model.done
    for width, height in ((80, 24), (50, 16)):
        assert all(wcswidth(line) <= width for line in viewer.screen(model, width, height))
    assert press(model, "escape", "escape", "q").done
    assert viewer.key(model, "c-c").done


MODELS = {scene: SCENES[scene]() for scene in ("scat-two", "fault-strike", "scout-five-22")}


def test_steps_go_forwards_and_backwards_and_stop_at_the_ends() -> None:
    model = scout_four()
    assert press(model, "right", "right", "left", "left").at == model.at
    assert press(model, "home", "left").at == 0
    assert press(model, "end", "right").at == model.last


def test_page_keys_go_from_deal_to_deal() -> None:
    model = press(scout_four(), "home", "pagedown")
    assert "Round 2" in viewer.told(model.replay, model.frame, ALL)[0]
    assert press(model, "pageup").at == 0
    assert press(model, "right", "pageup").at == model.at


def test_g_goes_to_a_move_as_people_count_and_refuses_others() -> None:
    model = press(scout_four(), "g", "3", "4", "enter")
    assert model.frame.number == 34
    assert "There is no move 999" in press(model, "g", "9", "9", "9", "enter").note
    assert press(model, "g", "1", "escape").at == model.at
    assert press(model, "g", "backspace").typing == ""


def test_slash_finds_the_next_sentence_with_the_text_and_n_the_one_after() -> None:
    model = press(scout_four(), "home", "/", *"SCOUT", "space", "&", "enter")
    assert "Scout & Show" in viewer.told(model.replay, model.frame, ALL)[0]
    assert press(model, "n").at > model.at
    assert "nowhere" in press(model, "/", *"xyzzy", "enter").note


def test_e_goes_from_fault_to_fault_and_round_again() -> None:
    model = press(SCENES["fault-strike"](), "home")
    stops = [press(model, *"e" * times) for times in (1, 2, 3, 4)]
    assert [number for number, *_ in model.replay.faults] == [stop.at for stop in stops[:3]]
    assert stops[3].at == stops[0].at and "first one" in stops[3].note
    assert "no fault" in press(scat_two(), "e").note


def test_v_cycles_through_all_hands_each_seat_and_the_table() -> None:
    model = scout_four()
    views = [press(model, *"v" * times).view for times in range(7)]
    assert [ALL, 0, 1, 2, 3, TABLE, ALL] == views


def test_playing_steps_faster_and_stops_at_the_end_or_at_a_key() -> None:
    model = press(scout_four(), "space")
    assert model.playing and viewer.tick(model).at == model.at + 1
    assert viewer.seconds(press(model, "+")) == viewer.seconds(model) / 2
    assert not press(model, "left").playing and not press(model, "escape").playing
    last = replace(viewer.go(model, model.last - 1), playing=True)
    assert not viewer.tick(last).playing
    assert press(viewer.tick(last), "space").at == 0


# -- sentences


@pytest.mark.parametrize(
    ("name", "record", "view", "first"),
    [
        ("linear-scat.txt", lambda: match("scat", NINE[:3], 4, start_coins=1, hand_cap=3), ALL, 0),
        ("linear-scat-seat-2-at-5.txt", lambda: match("scat", NINE[:3], 4, start_coins=1, hand_cap=3), 1, 5),
        ("linear-scout.txt", lambda: match("scout", FIVE[:3], 7, {20: Answer("pass")}), ALL, 0),
        ("linear-scout-seat-1-at-12.txt", lambda: match("scout", FIVE[:3], 7, {20: Answer("pass")}), 0, 12),
    ],
)
def test_linear_transcript_is_the_golden_one(name: str, record: Callable[[], Record], view: int, first: int) -> None:
    replay = shown(record())
    lines = list(viewer.linear(replay, view, replay.frame_of(first) or 0))
    text = joined(lines)
    assert text.isascii() and "\x1b" not in text
    compare(name, text)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("did seat=1 move=show:2-4 cards=3/9,4/8,5/7 took=2",
         "rusty shows a run of 3 (3-5): 3/9 4/8 5/7, from places 3-5, and wins 2 cards."),
        ("did seat=1 move=show cards=7/2,7/5 took=1", "rusty shows a set of 2 (7s): 7/2 7/5, and wins 1 card."),
        ("did seat=0 move=scout:R0f card=7/2", "mybot scouts 7/2 from the right, turned over to 2/7, to place 1."),
        ("did seat=0 move=scout:L card=7/2", "mybot scouts 7/2 from the left."),
        ("did seat=0 move=scoutshow:L3 card=7/2", "mybot makes a Scout & Show: scouts 7/2 from the left, to place 4."),
        ("did seat=0 move=keep by=caretaker", "mybot keeps the hand as dealt (the caretaker plays)."),
        ("fault seat=0 code=timeout text=no answer within 1000 ms",
         "mybot is out of the match by a fault, timeout: no answer within 1000 ms."),
        ("strike id=3 seat=1 code=illegal left=2 text=no.", "rusty gets a strike, illegal: no."),
        ("over deal=0 reason=unbeaten hands=-;1/2 taken=3,0 tokens=1,0 points=4,0 scores=4,0",
         "Round 1 is over: nobody beat the latest Show.\n"
         "    mybot has 3 cards won, 1 token, no cards in hand: +4 points, 4 in all.\n"
         "    rusty has no cards won, no tokens, 1 card in hand, which cost nothing: +0 points, 0 in all."),
    ],
)  # fmt: skip
def test_scout_lines_read_as_sentences(line: str, sentence: str) -> None:
    assert sentence == Narrator("scout", FIVE[:2]).sentence(line)


def test_scat_lines_read_as_sentences() -> None:
    narrator = Narrator("scat", ("c", "python"))
    assert narrator.sentence("did seat=1 move=stock card=TH") == "python draws 10H from the stock."
    assert narrator.sentence("did seat=1 move=stock") == "python draws from the stock."
    assert narrator.brief("did seat=1 move=TH") == "drop 10H"
    assert narrator.sentence("deal n=2 dealer=0 hand=KS,TS,4H pile=7D coins=3,3", 1) == (
        "Deal 3: c deals; the upcard is 7D.\n    python holds KS 10S 4H."
    )
    line = "over deal=0 reason=31 hands=-;KS,AS,TS values=-,31 lost=1,0 coins=0,2"
    assert narrator.sentence(line) == (
        "Deal 1 is over: 31 is declared.\n    c loses 1 life, no coins left, on the dole.\n"
        "    python shows KS AS 10S, 31 points: loses nothing, 2 coins left."
    )


# -- a run


def plan_of(blocks: int = 3) -> Plan:
    entries = tuple(Entry(name, ("true",), "/", {}, ("scout",)) for name in FIVE[:2])
    game = load("scout", "seed")
    return Plan(entries, (("scout", "seed", dict(game.options), (2,), (0, 1)),), blocks, 10, Limits())


def row_of(plan: Plan, task: int, block: int, fault: bool = False) -> Row:
    players = [0, 1] if task % 2 == 0 else [1, 0]
    names = tuple(plan.players[index].name for index in players)
    wrong = {4: Answer("fold")} if fault else None
    record = match("scout", names, 100 * task + block, wrong)
    result = {
        "game": "scout", "seats": 2, "table": 0, "rotation": task % 2, "players": players,
        "ranks": record.outcome.ranks, "scores": record.outcome.scores, "deals": record.results,
        "counted": record.counted, "faults": [[step.seat, step.code, step.text] for step in record.faults], "void": "",
    }  # fmt: skip
    return Row(task, block, result, to_text(record), [list(times) for times in record.timings], {})


@pytest.fixture
def run(tmp_path: Path) -> Iterator[store.Store]:
    """A run directory that is being written, with three of its six matches."""
    plan = plan_of()
    with store.create(tmp_path / "cup", bytes(32), plan=plan.to_json()) as opened:
        opened.append([row_of(plan, 0, 0), row_of(plan, 0, 1, fault=True), row_of(plan, 1, 1)])
        yield opened


def test_a_follower_hears_of_each_match_once_with_its_number_in_the_schedule(run: store.Store) -> None:
    with store.read(run.folder) as opened:
        follower = Follower(opened)
        assert [0, 1, 4] == [match.number for match in follower.news()]
        assert () == follower.news()
        run.append([row_of(plan_of(), 1, 0)])
        (news,) = follower.news()
        assert (3, False) == (news.number, news.faulty) and not follower.finished
        assert re.fullmatch(r"Match 3, scout: 1st \S+ with \S+ points?, 2nd \S+ with \S+ points?\.", news.sentence())
        run.append([row_of(plan_of(), 0, 2), row_of(plan_of(), 1, 2)])
        run.publish_seed()
        assert 2 == len(follower.news()) and follower.finished and follower.done == follower.total


def test_the_number_of_a_match_is_that_of_the_finished_run(run: store.Store) -> None:
    run.append([row_of(plan_of(), *key) for key in ((0, 2), (1, 0), (1, 2))])
    with store.read(run.folder) as opened:
        for match in Follower(opened).news():
            assert match.key == plan_of().numbers().key(match.number)


def watching_of(run: store.Store) -> tuple[Watch, Follower]:
    follower = Follower(store.read(run.folder))
    watch = Watch("results/cup", follower.total)
    return watching.hear(watch, follower.news(), follower.standings(), follower.finished), follower


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_list_of_a_run_is_the_golden_one(run: store.Store, width: int, height: int) -> None:
    watch, follower = watching_of(run)
    compare(f"watch-{width}x{height}.txt", joined(watching.screen(watch, width, height)))
    for size in ODD_SIZES:
        assert all(wcswidth(line) <= size[0] for line in watching.screen(watch, *size))
        assert all(line.isascii() for line in watching.screen(watch, *size, "ascii"))
    follower.store.close()


def test_the_list_follows_the_newest_until_an_older_one_is_chosen(run: store.Store) -> None:
    watch, follower = watching_of(run)
    more = watch.matches[:1]
    assert watching.hear(watch, more, (), False).chosen == 3
    older = watching.key(watch, "down")
    assert older.chosen == 1 and watching.hear(older, more, (), False).chosen == 1
    assert "1 newer match above" in "\n".join(watching.screen(older, 80, 24))
    assert watching.key(older, "home").at is None and watching.key(older, "up").at is None
    assert watching.key(watch, "e").chosen == 1 and watching.key(watch, "e").matches[1].faulty
    follower.store.close()


def test_enter_opens_a_match_and_q_comes_back_to_the_list(run: store.Store) -> None:
    watch, follower = watching_of(run)
    watch = watching.key(watch, "enter")
    assert watch.wanted is not None
    watch = watching.opened(watch, follower.replay(watch.wanted))
    assert "REPLAY" in watching.screen(watch, 80, 24)[0]
    assert watching.key(watch, "q").replay is None and not watching.key(watch, "q").done
    assert watching.key(watch, "escape").replay is None
    assert watching.key(watching.key(watch, "?"), "escape").replay is not None
    assert watching.key(watch, "c-c").done
    assert watching.key(watching.key(watch, "q"), "q").done
    gone = watching.opened(replace(watch, replay=None, wanted=None), None)
    assert "played again" in "\n".join(watching.screen(gone, 80, 24))
    follower.store.close()


# -- the command line and a real terminal

PATIENCE = 30.0
KEYS = {
    "right": "\x1b[C",
    "left": "\x1b[D",
    "down": "\x1b[B",
    "enter": "\r",
    "escape": "\x1b",
    "space": " ",
    "c-c": "\x03",
}


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "VIRTUAL_ENV") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}


def referee(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *words],
        capture_output=True, text=True, env=environment(**more), timeout=PATIENCE, stdin=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def record_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "scout.txt"
    path.write_text(to_text(match("scout", FIVE[:3], 7, {20: Answer("pass")})))
    return path


@pytest.mark.process
def test_replay_prints_sentences_where_there_is_no_terminal(record_file: Path) -> None:
    done = referee("replay", str(record_file), "--as", "1", "--at", "12")
    assert (0, "") == (done.returncode, done.stderr)
    assert (GOLDEN / "linear-scout-seat-1-at-12.txt").read_text() == done.stdout
    lines = referee("replay", str(record_file), "--wire", "--as", "2", "--at", "12").stdout.split("\n")
    assert lines[0].startswith("did ") and not any("text=" in line and "seat=0" in line for line in lines)


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--as", "4"), "--as 4: the match has seats 1 to 3"),
        (("--at", "9999"), "--at 9999: the match has moves 1 to"),
        (("--ui", "full"), "--ui full needs a terminal"),
    ],
)
def test_replay_refuses_what_is_not_there(record_file: Path, words: tuple[str, ...], sentence: str) -> None:
    done = referee("replay", str(record_file), *words)
    assert done.returncode == 2 and sentence in done.stderr


class Terminal:
    """The referee in a terminal of its own. Waits are for text on the screen, never for time to pass."""

    def __init__(self, *words: str, size: tuple[int, int] = (80, 24), **more: str) -> None:
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.child = pexpect.spawn(
            "/bin/sh",
            ["-c", f"'{sys.executable}' -m referee {' '.join(words)}; echo code $?; stty -a | grep -o -- '-*icanon'"],
            env=environment(**more), dimensions=(size[1], size[0]), timeout=PATIENCE,
        )  # fmt: skip
        self.child.delaybeforesend = None

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted: str) -> str:
        end = time.monotonic() + PATIENCE
        while wanted not in self.text():
            assert time.monotonic() < end, f"{wanted!r} was not seen within {PATIENCE} s:\n{self.text()}"
            try:
                data = self.child.read_nonblocking(65536, 0.05)
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                raise AssertionError(f"it ended before {wanted!r} was seen:\n{self.text()}") from None
            self.raw += data
            self.stream.feed(data)
        return self.text()

    def press(self, *names: str) -> None:
        for name in names:
            self.child.send(KEYS.get(name, name))

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)


@pytest.mark.screen
def test_replay_in_a_terminal(record_file: Path) -> None:
    """It starts, steps, obeys a new size, sees Esc at once, and gives the terminal back."""
    with Terminal("replay", str(record_file)) as terminal:
        terminal.until("view: all hands")
        terminal.press("right")
        terminal.until("move 1")
        terminal.press("g", "1", "2")
        terminal.until("Go to move: 12_")
        terminal.press("escape")
        terminal.until("g go")
        terminal.press("g", "1", "2", "enter")
        terminal.until("move 12")
        terminal.press("space", "+", "+", "+")
        terminal.until("move 15")
        terminal.press("escape")
        terminal.until("paused")
        terminal.press("v")
        terminal.until("view: seat 1, mybot")
        terminal.resize(50, 16)
        terminal.until("This window has 50x16 characters")
        terminal.resize(100, 30)
        terminal.until("PgUp PgDn deal")
        terminal.press("q")
        after = terminal.until("code 0")
        assert "REPLAY" not in after
        terminal.until("icanon")
        assert "-icanon" not in terminal.text()
        assert b"\x1b[?1049h" in terminal.raw and b"\x1b[?1049l" in terminal.raw and b"\x1b[6n" not in terminal.raw


@pytest.mark.screen
def test_replay_without_colour_shows_the_same_text_and_ctrl_c_leaves(record_file: Path) -> None:
    seen = []
    for more in ({}, {"NO_COLOR": "1"}):
        with Terminal("replay", str(record_file), "--at", "3", **more) as terminal:
            terminal.until("q quit")
            seen.append(terminal.text())
            coloured = re.search(rb"\x1b\[[\d;]*\b(3[0-7]|9[0-7]|4[0-7])\b[\d;]*m", terminal.raw)
            assert not more or not coloured
            terminal.press("c-c")
            terminal.until("code 0")
    assert seen[0] == seen[1]


@pytest.mark.screen
def test_a_narrow_terminal_gets_sentences_and_the_reason(record_file: Path) -> None:
    with Terminal("replay", str(record_file), "--at", "3", "--as", "2", size=(50, 200)) as terminal:
        text = terminal.until("code 0")
        assert "This terminal has 50 columns" in text and "Told is what seat 2" in text
        assert b"\x1b" not in terminal.raw


@pytest.mark.screen
def test_watch_in_a_terminal_follows_a_run(run: store.Store) -> None:
    with Terminal("watch", str(run.folder)) as terminal:
        terminal.until("3 of 6 matches")
        run.append([row_of(plan_of(), 1, 0)])
        terminal.until("4 of 6 matches")
        terminal.press("enter")
        terminal.until("view: all hands")
        terminal.press("q")
        terminal.until("Following")
        terminal.press("down")
        terminal.until("1 newer match above")
        terminal.press("q")
        terminal.until("code 0")


@pytest.mark.process
def test_watch_tells_a_run_in_sentences_until_it_is_over(run: store.Store) -> None:
    command = [sys.executable, "-m", "referee", "watch", str(run.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as watcher:
        assert watcher.stdout is not None
        first = [watcher.stdout.readline() for _ in range(5)]
        assert "3 of 6 matches of scout" in first[0] and first[1].startswith("Match 0, scout:")
        assert "What is finished from now on" in first[4]
        run.append([row_of(plan_of(), 1, 0)])
        assert watcher.stdout.readline().startswith("Match 3, scout: ")
        run.append([row_of(plan_of(), 0, 2), row_of(plan_of(), 1, 2)])
        run.publish_seed()
        rest = watcher.stdout.read()
        assert "The run is over: 6 matches." in rest and "SCOUT: " in rest and rest.isascii()
        assert 0 == watcher.wait(PATIENCE)


def test_the_shell_waits_little_after_escape_and_paints_what_the_model_says() -> None:
    shell = ReplayShell(scout_four(), Display("unicode", True))
    app = Shell(shell.rows, shell.pressed, shell.passed, Display("unicode", True)).app
    assert app.ttimeoutlen <= 0.06 and app.timeoutlen is not None and app.timeoutlen <= 0.06
    assert shell.passed() is None
    assert shell.pressed("space")
    wait = shell.passed()
    assert wait is not None and 0 < wait <= viewer.SECONDS
    assert not shell.pressed("q")


@pytest.mark.process
def test_help_loads_neither_prompt_toolkit_nor_the_viewer() -> None:
    code = (
        "import sys\nfrom referee.cli.entry import guarded\nguarded(['replay', '--help'])\n"
        "print([name for name in ('prompt_toolkit', 'jinja2', 'referee.report.viewer') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.rstrip().endswith("[]") and "count from 1" in done.stdout
