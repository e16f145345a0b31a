"""Keys: what they choose, that only Enter on a preview sends, that Esc walks back and q leaves, whatever is pressed."""

import random
from dataclasses import replace

import pytest
from human import grammar, play
from human.model import KEYS, Leave, Model, Send, Settings
from human.screen import screen
from hypothesis import given
from hypothesis import strategies as st
from scenes import SCENES, SCOUT_HAND, Seat, pressed, scat_nine, scat_two_drop, scout_five, scout_four

NAMES = sorted({name for names in KEYS.values() for name in names} | set("123459 zxy") - {" "})
NAMES += ["c-c", "c-d", "c-u", "home", "end", "backspace"]
# Keys that get on with a match; the others are strewn in.
DECISIONS = ["enter"] * 8 + ["tab"] * 4 + ["right", "space", "s", "x", "e", "t", "t", "d", "d", "k"]


def moves(effects: tuple[object, ...]) -> list[str]:
    return [one.line.split()[2] for one in effects if isinstance(one, Send) and one.move]


def words(model: Model) -> tuple[str, ...]:
    assert model.confirm is not None, model.note
    return model.confirm.words


# --- examples --------------------------------------------------------------------------------------------------


def test_tab_enter_enter_shows_the_strongest_set() -> None:
    model = pressed(scout_four(), "tab", "enter")
    assert words(model) == ("show:0-2",)
    _, effects = play.key(model, "enter")
    assert moves(effects) == ["show:0-2"]


def test_tab_goes_on_to_weaker_shows_and_round_again() -> None:
    assert words(pressed(scout_four(), "tab", "tab", "enter")) == ("show:4-5",)
    assert words(pressed(scout_four(), "tab", "tab", "tab", "enter")) == ("show:0-2",)
    assert words(pressed(scout_four(), "s-tab", "enter")) == ("show:4-5",)


def test_arrows_and_space_mark_any_slice() -> None:
    assert words(pressed(scout_four(), *["right"] * 3, "space", "left", "left", "enter")) == ("show:0-2",)


def test_an_illegal_slice_is_explained_not_sent() -> None:
    model = pressed(scout_four(), *["right"] * 10, "space", "right", "enter")
    assert model.confirm is None
    assert "run of 2 (6-7) does not beat set of 2 (7s): a set beats a run" in model.note


def test_scout_takes_end_flip_and_place_in_any_order() -> None:
    assert words(pressed(scout_four(), "s", "e", "f", "left", "enter"))[0].startswith("scout:R")
    assert words(pressed(scout_four(), "s", "e", "enter")) == ("scout:R10",)
    assert words(pressed(scout_four(), "s", "f", "e", "f", "tab", "s-tab", "enter")) == ("scout:R10",)


def test_scout_and_show_is_one_flow_sent_as_two_requests() -> None:
    seat_model = pressed(scout_four(), "x", "e", "enter", "tab", "enter")
    assert words(seat_model) == ("scoutshow:R10", "show:10-12")
    model, effects = play.key(seat_model, "enter")
    assert moves(effects) == ["scoutshow:R10"]
    line = "did seat=0 move=scoutshow:R10 card=7/10"
    model, _ = play.hear(model, line)
    hand = "3/10,4/1,5/9,10/2,8/3,8/6,2/7,9/4,1/5,6/2,7/10,7/1,7/9,5/8,4/6"
    view = (
        f"deal=1 turn=8 phase=show hand={hand} active=7/3 owner=1 cards=15,5,9,7 taken=3,2,0,2 tokens=1,3,3,0 "
        "marker=false,false,true,true scouts=2 starter=0 scores=12,20,9,15"
    )
    model, effects = play.hear(model, f"act 41 ms=- {view} legal=show:10-12,show:11-12")
    assert [one.line for one in effects if isinstance(one, Send)] == ["move 41 show:10-12"]


def test_scout_and_show_second_half_that_is_not_legal_is_asked_again() -> None:
    model, _ = play.key(pressed(scout_four(), "x", "e", "enter", "tab", "enter"), "enter")
    view = f"deal=1 turn=8 phase=show hand={SCOUT_HAND} active=7/3 owner=1 cards=15,5,9,7 taken=3,2,0,2 tokens=1,3,3,0"
    model, effects = play.hear(model, f"act 41 ms=- {view} marker=false,false,true,true scouts=2 legal=show:0-2")
    assert not effects and model.request is not None and "choose again" in model.note
    assert words(pressed(model, "tab", "enter")) == ("show:0-2",)


def test_esc_walks_back_one_step_at_a_time_without_loss() -> None:
    model = pressed(scout_four(), "x", "e", "enter", "tab", "enter")
    stages = []
    for _ in range(4):
        model = pressed(model, "escape")
        stages.append((model.confirm is not None, model.pick_scout.stage, model.pick_scout.end))
    assert stages == [(False, "then", "R"), (False, "then", "R"), (False, "scout", "R"), (False, "show", "L")]


def test_taking_the_discard_is_held_back_until_the_drop_is_chosen() -> None:
    model = pressed(scat_nine(), "t", "tab", "enter")
    assert words(model) == ("pile", "3C")
    model, effects = play.key(model, "enter")
    assert moves(effects) == ["pile"]
    assert [one.word for one in model.plan] == ["3C"]
    back = pressed(scat_nine(), "t", "escape")
    assert back.pick_scat == Model().pick_scat


def test_the_taken_card_may_not_be_dropped_and_the_reason_is_told() -> None:
    model = pressed(scat_nine(), "t", "4", "enter")
    assert model.confirm is None and "may not be dropped in the same turn" in model.note


def test_a_draw_from_the_stock_cannot_be_undone_and_says_why() -> None:
    assert "cannot be undone" in pressed(scat_two_drop(), "escape").note
    assert "cannot be undone" in pressed(scat_two_drop(), "u").note


def test_taking_a_card_that_makes_31_asks_for_no_drop() -> None:
    view = "deal=5 turn=31 phase=draw hand=KH,TH,3C pile=AH stock=17 coins=3,2,2,1,3,1,3,1,- knocker=4 dealer=1"
    model, _ = play.hear(scat_nine(), f"act 10 ms=- {view} legal=stock,pile")
    model = pressed(model, "t", "enter")
    assert words(model) == ("pile",) and "31" in " ".join(model.confirm.lines if model.confirm else ())


def test_refused_actions_say_why() -> None:
    assert pressed(scat_nine(), "k").note == "You cannot knock: mcts-200 knocked already."
    model = replace(scout_four(), table=replace(scout_four().table, marker=(False,) * 4))  # type: ignore[type-var]
    model = replace(model, request=model.request._replace(legal=("scout:L0",)))  # type: ignore[union-attr]
    assert "is used" in pressed(model, "x").note


def test_keys_can_be_mapped_anew() -> None:
    model = replace(scout_four(), settings=Settings(keys={**KEYS, "scout": ("j",), "next-legal": ("n", "tab")}))
    assert pressed(model, "s").pick_scout.stage == "show"
    assert pressed(model, "j").pick_scout.stage == "scout"
    assert words(pressed(model, "n", "enter")) == ("show:0-2",)


def test_confirm_costly_sends_a_cheap_move_without_a_preview_but_never_by_one_key() -> None:
    model = replace(scat_two_drop(), settings=Settings(confirm="costly"))
    model, effects = play.key(model, "2")
    assert not effects
    assert moves(play.key(model, "enter")[1]) == ["9H"]


def test_review_shows_the_past_and_comes_back() -> None:
    model = pressed(scat_nine(), "l", "left", "left")
    assert model.review is not None
    assert pressed(model, "right", "right").review is None
    assert pressed(model, "escape").review is None


def test_typed_commands_build_the_same_moves_as_keys() -> None:
    for start, text, expected in (
        (scout_four, "show 5-6", ("show:4-5",)),
        (scout_four, "sh 1 to 3", ("show:0-2",)),
        (scout_four, "scout right at 11", ("scout:R10",)),
        (scout_four, "scout r flip 3", ("scout:R2f",)),
        (scout_four, "scout right at 11 then show 11-13", ("scoutshow:R10", "show:10-12")),
        (scat_nine, "take drop 3", ("pile", "3C")),
        (scat_nine, "take and drop 3c", ("pile", "3C")),
        (scat_nine, "draw", ("stock",)),
        (scat_two_drop, "drop queen of spades", ("QS",)),
        (scat_two_drop, "drop 2", ("9H",)),
    ):
        model = pressed(start(), ":", *("space" if one == " " else one for one in text), "enter")
        assert words(model) == expected, text


def test_typed_mistakes_are_answered_with_what_would_do() -> None:
    for start, text, part in (
        (scout_four, "shw 1", "Did you mean show?"),
        (scout_four, "show 10-11", "does not beat"),
        (scout_four, "show 1-99", "from 1 to 14"),
        (scout_four, "keep", "start of a round"),
        (scat_nine, "knock", "knocked already"),
        (scat_nine, "drop 2", "draw or take one first"),
        (scat_two_drop, "drop KD", "not in your hand"),
    ):
        model = pressed(start(), ":", *("space" if one == " " else one for one in text), "enter")
        assert part in model.note and model.confirm is None, (text, model.note)


def test_tab_completes_a_typed_command() -> None:
    assert pressed(scout_four(), ":", "s", "h", "tab").line == "show "
    assert "show scout" in pressed(scout_four(), ":", "s", "tab").note


def test_clicks_choose_and_never_send() -> None:
    model = play.click(play.click(scout_four(), "place:4"), "place:5")
    assert words(pressed(model, "enter")) == ("show:4-5",)
    model = play.click(play.click(scat_nine(), "choose:take"), "place:2")
    assert words(pressed(model, "enter")) == ("pile", "3C")
    assert play.click(pressed(scout_four(), "s"), "place:3").pick_scout.place == 3
    hits = [hit for row in screen(scout_four(), 80, 24) for hit in row.hits]
    assert {what for _, _, what in hits} == {f"place:{at}" for at in range(14)}


# --- properties ------------------------------------------------------------------------------------------------


@given(st.sampled_from(sorted(SCENES)), st.lists(st.sampled_from(NAMES), max_size=30))
def test_no_key_but_enter_on_a_preview_sends_and_never_an_illegal_word(scene: str, names: list[str]) -> None:
    model = SCENES[scene]()
    for name in names:
        legal, confirm = model.legal, model.confirm
        model, effects = play.key(model, name)
        for word in moves(effects):
            assert name == "enter" and confirm is not None and word == confirm.words[0]
            assert word in legal


@given(st.sampled_from(sorted(SCENES)), st.lists(st.sampled_from(NAMES), max_size=25))
def test_esc_always_steps_back_until_nothing_is_open(scene: str, names: list[str]) -> None:
    model = SCENES[scene]()
    for name in names:
        model, _ = play.key(model, name)
    for _ in range(12):
        before = play.depth(model)
        if before == 0:
            return
        model, _ = play.key(model, "escape")
        assert play.depth(model) < before
    raise AssertionError("Esc did not come to an end")


@given(st.sampled_from(sorted(SCENES)), st.lists(st.sampled_from(NAMES), max_size=25))
def test_q_leaves_from_everywhere(scene: str, names: list[str]) -> None:
    model = SCENES[scene]()
    for name in names:
        model, _ = play.key(model, name)
    if model.line is not None:
        model, _ = play.key(model, "escape")  # in the command line q is a letter
    for name in ("q", "q"):
        model, effects = play.key(model, name)
    assert any(isinstance(one, Leave) for one in effects)


@given(st.sampled_from(sorted(SCENES)), st.lists(st.sampled_from(NAMES), max_size=25))
def test_ctrl_d_leaves_from_everywhere_and_asks_first(scene: str, names: list[str]) -> None:
    model = SCENES[scene]()
    for name in names:
        model, _ = play.key(model, name)
    asked = model.overlay == "leave" or model.ended
    model, effects = play.key(model, "c-d")
    assert asked or not effects
    model, effects = play.key(model, "c-d")
    assert any(isinstance(one, Leave) for one in effects)


@pytest.mark.parametrize(("game", "seats"), [("scat", 3), ("scat", 9), ("scout", 2), ("scout", 3), ("scout", 5)])
def test_ten_thousand_random_keys_crash_nothing_and_send_nothing_illegal(game: str, seats: int) -> None:
    luck = random.Random(seats)
    sent = seed = 0
    seat = Seat(game, seats=seats, seed=seed)
    for at in range(10_000 if seats == 3 else 2_000):
        # The fake referee asserts that every word it is sent is legal.
        seat.press(luck.choice(NAMES if luck.random() < 0.12 else DECISIONS))
        if at % 50 == 0:
            _looks_right(seat.model, luck)
        if seat.model.ended:
            sent, seed = sent + len(seat.model.moves), seed + 1
            seat = Seat(game, seats=seats, seed=seed)
    assert sent + len(seat.model.moves) > 20


@pytest.mark.parametrize("scene", SCENES)
def test_random_keys_in_every_state_crash_nothing(scene: str, request: pytest.FixtureRequest) -> None:
    luck = random.Random(scene)
    model = SCENES[scene]()
    for at in range(10_000 if request.config.getoption("--slow") else 1_000):
        before = model
        model, effects = play.key(model, luck.choice(NAMES))
        assert set(moves(effects)) <= set(before.legal)
        if at % 100 == 0:
            _looks_right(model, luck)
        if effects or at % 40 == 39:
            model = SCENES[scene]()


def _looks_right(model: Model, luck: random.Random) -> None:
    width, height = luck.choice([(80, 24), (60, 20), (45, 15), (30, 9)])
    rows = screen(model, width, height)
    assert len(rows) == height and all(len(row.text) <= width for row in rows)


def test_words_typed_for_every_legal_move_build_that_move() -> None:
    """The grammar covers the wire: every legal word can be typed."""
    for start in (scout_four, scout_five, scat_nine, scat_two_drop):
        model = start()
        for word in model.legal:
            if word.startswith("scoutshow"):
                continue
            after, _ = play.command(model, grammar.typed(word) + (" 1" if word == "pile" else ""))
            assert words(after)[0] == word
