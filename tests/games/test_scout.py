"""SCOUT: examples for every open question and ruling, then properties over random matches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import Stream, shuffled
from referee.games import BadOption, load, rulebook
from referee.games._base import Event, IllegalAction, MalformedAction
from referee.games.scout import (
    ACTION,
    DECK,
    KEEP,
    MOVE,
    ORIENT,
    OVER,
    SCOUTSHOW,
    SHOWING,
    TEXT,
    TURN,
    TURNED,
    WORD,
    Action,
    Cards,
    Match,
    Scout,
    State,
    cards,
    describe,
    first_halves,
    position,
    show,
    shows,
    strength,
)
from tests.games.scout_positions import hands, legal, over, play

SEED = bytes(range(32))


def game_with(preset: str = "seed", **options: object) -> Scout:
    game = load("scout", preset, **options)
    assert isinstance(game, Scout)
    return game


def heard(events: tuple[Event, ...], seat: int | None) -> list[str]:
    """Return the lines that a seat hears; an empty line is nothing."""
    return [line for event in events if (line := event.heard_by(seat))]


def why(game: Scout, state: State, word: str) -> str:
    with pytest.raises(IllegalAction) as refusal:
        game.apply(state, game.parse(word))
    return str(refusal.value)


def why_not(word: str) -> str:
    with pytest.raises(MalformedAction) as refusal:
        game_with().parse(word)
    return str(refusal.value)


def keep_all(game: Scout, seats: int, seed: bytes = SEED) -> State:
    state, _ = game.deal(seats, seed)
    return play(game, state, *["keep"] * seats)[0]


# --- the deal -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "size"), [(2, 11), (3, 12), (4, 11), (5, 9)])
def test_deal_takes_the_right_cards_out_and_deals_the_right_number(seats: int, size: int) -> None:
    """C4-C8."""
    state, _ = game_with().deal(seats, SEED)
    assert [size] * seats == [len(hand) for hand in state.hands]
    dealt = {frozenset((card >> 4, card & 15)) for hand in state.hands for card in hand}
    assert seats * size == len(dealt)
    assert dealt <= {frozenset(pair) for pair in DECK[seats]}


def dealt_by_the_book(seats: int, seed: bytes, number: int) -> tuple[Cards, ...]:
    """Return the hands that R21 and the shuffle's labels give, card by card."""
    shuffle = 0 if seats == 2 else number
    out = {2: [(9, 10)], 3: [(n, 10) for n in range(1, 10)], 4: [(9, 10)], 5: []}[seats]
    deck = [(a, b) for a in range(1, 11) for b in range(a + 1, 11) if (a, b) not in out]
    turn = Stream(seed, f"scout-turn-{shuffle}")
    ordered = [deck[k] for k in shuffled(seed, f"scout-deck-{shuffle}", len(deck))]
    faced = [(b, a) if turn.below(2) == 1 else (a, b) for a, b in ordered]
    if seats == 2:
        faced = faced[22 * number : 22 * number + 22]
    found: list[list[str]] = [[] for _ in range(seats)]
    for k, (up, down) in enumerate(faced):
        found[k % seats].append(f"{up}/{down}")
    return tuple(cards(",".join(hand)) for hand in found)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_round_is_dealt_from_the_seed_as_documented(seats: int) -> None:
    """R21, C38: with two players the second round is the other half of the same shuffle."""
    game = game_with()
    state, _ = game.deal(seats, SEED)
    assert dealt_by_the_book(seats, SEED, 0) == state.hands
    for number in range(1, seats):
        while game.deal_number(state) < number:
            state, _ = game.apply(state, next(game.legal_actions(state)))
        assert dealt_by_the_book(seats, SEED, number) == state.hands


def test_deal_tells_each_seat_its_own_hand_and_spectators_none() -> None:
    state, events = game_with().deal(3, SEED)
    assert ["deal n=0 starter=0"] == heard(events, None)
    for seat, hand in enumerate(state.hands):
        assert [f"deal n=0 starter=0 hand={','.join(TEXT[card] for card in hand)}"] == heard(events, seat)


def test_deal_refuses_a_wrong_number_of_seats() -> None:
    with pytest.raises(BadOption, match="2 to 5 seats, not 6"):
        game_with().deal(6, SEED)


def test_a_match_has_as_many_rounds_as_seats_and_the_starter_moves_clockwise() -> None:
    """C3 C26 C32."""
    game = game_with(first_player="random")
    for seats in game.seats:
        state, _ = game.deal(seats, SEED)
        first = state.match.starter
        assert Stream(SEED, "scout-starter").below(seats) == first
        starters = {}
        while game.to_act(state) is not None:
            starters[game.deal_number(state)] = state.match.starter
            state, _ = game.apply(state, next(game.legal_actions(state)))
        assert [(first + number) % seats for number in range(seats)] == list(starters.values())
        assert seats == len(game.results(state))


def test_holder12_starts_and_seat_0_when_nobody_holds_it() -> None:
    """R23: with two players the 1/2 can be among the cards of the second round."""
    game = game_with(first_player="holder12")
    nobody = 0
    for number in range(40):
        state, _ = game.deal(2 + number % 4, number.to_bytes(32, "big"))
        holders = [seat for seat, hand in enumerate(state.hands) if {0x12, 0x21} & set(hand)]
        nobody += not holders
        assert (holders or [0]) == [state.match.starter]
    assert nobody


# --- keep or turn ---------------------------------------------------------------------------------------------------


def test_sealed_choices_go_clockwise_from_the_starter_and_stay_hidden() -> None:
    """Q21 R22."""
    game = game_with()
    state, _ = game.deal(3, SEED)
    start = state._replace(mover=2, match=state.match._replace(starter=2))
    state = start
    for seat in (2, 0, 1):
        assert (seat, ["keep", "turn"]) == (game.to_act(state), legal(game, state))
        kept, kept_events = play(game, state, "keep")
        turned, turned_events = play(game, state, "turn")
        for other in {0, 1, 2, None} - {seat}:
            assert [f"did seat={seat} move=orient"] == heard(kept_events, other) == heard(turned_events, other)
        for other in {0, 1, 2} - {seat}:
            assert game.view(kept, other) == game.view(turned, other)
        state = turned
    assert (2, MOVE, 0) == (game.to_act(state), state.phase, state.turn)


def test_turning_keeps_every_card_in_its_place() -> None:
    """C10, Q22."""
    game = game_with()
    start, _ = game.deal(3, SEED)
    state, events = play(game, start, "turn")
    assert tuple(TURNED[card] for card in start.hands[0]) == state.hands[0]
    assert [f"did seat=0 move=turn hand={game.view(state, 0)['hand']}"] == heard(events, 0)
    state, events = play(game, start, "keep")
    assert start.hands[0] == state.hands[0]
    assert [f"did seat=0 move=keep hand={game.view(state, 0)['hand']}"] == heard(events, 0)


def test_until_own_move_asks_each_seat_just_before_its_first_move() -> None:
    """R22."""
    game = game_with(orientation="until_own_move")
    state, _ = game.deal(3, SEED)
    phases = []
    for _ in range(8):
        phases.append((state.mover, game.view(state, state.mover)["phase"], state.turn))
        state, _ = play(game, state, "keep" if state.phase == ORIENT else "scout:L0" if state.active else "show:0")
    assert [
        (0, "orient", 0),
        (0, "move", 0),
        (1, "orient", 1),
        (1, "move", 1),
        (2, "orient", 2),
        (2, "move", 2),
        (0, "move", 3),
        (1, "move", 4),
    ] == phases


# --- sets -----------------------------------------------------------------------------------------------------------


def test_sets_are_ranked_by_count_then_kind_then_smallest_number() -> None:
    """C14: 135 strengths with tens."""

    def of(*numbers: int) -> int:
        return strength(tuple(16 * number for number in numbers))

    assert of(7) < of(8) < of(1, 2) < of(3, 2) < of(9, 10) < of(1, 1) < of(10, 10) < of(1, 2, 3) < of(1, 1, 1)
    assert of(4, 5) == of(5, 4)
    assert 0 == of() == of(5, 7) == of(10, 1) == of(5, 6, 5) == of(5, 5, 6) == of(4, 5, 5)
    runs = {of(*range(low, high + 1)) for low in range(1, 11) for high in range(low + 1, 11)}
    groups = {of(*[number] * count) for number in range(1, 11) for count in range(2, 10)}
    singles = {of(number) for number in range(1, 11)}
    assert 135 == len(runs | groups | singles)


# --- Show and Scout -------------------------------------------------------------------------------------------------


def test_show_wins_what_is_left_of_the_active_set() -> None:
    """C17, R26: the others hear the cards, not their places."""
    game = game_with()
    start = position(hands("1/2 9/1 9/2 3/4", "1/3", "1/4"), *hands("7/2 7/3"), owner=2)
    state, events = play(game, start, "show:1-2")
    assert (hands("1/2 3/4")[0], hands("9/1 9/2")[0], 0, (2, 0, 0)) == (
        state.hands[0],
        state.active,
        state.owner,
        state.taken,
    )
    assert ["did seat=0 move=show:1-2 cards=9/1,9/2 took=2"] == heard(events, 0)
    assert ["did seat=0 move=show cards=9/1,9/2 took=2"] == heard(events, 1) == heard(events, None)


def test_scout_hides_place_and_way_up_from_the_others() -> None:
    """Q35."""
    game = game_with()
    start = position(hands("1/2 9/1", "1/3", "1/4"), *hands("7/2 7/3"), owner=2)
    state, events = play(game, start, "scout:R1f")
    assert hands("1/2 3/7 9/1")[0] == state.hands[0]
    assert ["did seat=0 move=scout:R1f card=7/3"] == heard(events, 0)
    assert ["did seat=0 move=scout:R card=7/3"] == heard(events, 1) == heard(events, None)


def test_scout_insert_public_lets_all_hear_the_whole_word() -> None:
    """Q35; the places of a Show stay hidden (R26)."""
    game = game_with(scout_insert_public=True)
    start = position(hands("1/2 9/1", "1/3", "1/4"), *hands("7/2 7/3"), owner=2)
    _, events = play(game, start, "scout:R1f")
    assert ["did seat=0 move=scout:R1f card=7/3"] == heard(events, 1)
    _, events = play(game, start, "scoutshow:L0", "show:2")
    assert ["did seat=0 move=scoutshow:L0 card=7/2", "did seat=0 move=show cards=9/1 took=1"] == heard(events, 1)


def test_last_active_card_is_scouted_as_left_only() -> None:
    """B.4: one spelling for each move."""
    state = position(hands("1/2", "1/3", "1/4"), *hands("7/2"), owner=2)
    assert [
        "scout:L0",
        "scout:L0f",
        "scout:L1",
        "scout:L1f",
        "scoutshow:L0",
        "scoutshow:L0f",
        "scoutshow:L1",
        "scoutshow:L1f",
    ] == legal(game_with(), state)


def test_empty_table_has_no_owner_and_any_set_may_be_shown() -> None:
    """C22 Q24 R25."""
    game = game_with()
    state, _ = play(game, position(hands("1/2 5/6", "1/3", "1/4 2/3"), *hands("7/2"), owner=2), "scout:L0")
    assert ("-", "-", "1") == tuple(game.view(state, 0)[key] for key in ("active", "owner", "scouts"))
    assert ["show:0"] == legal(game, state)


# --- Scout & Show ---------------------------------------------------------------------------------------------------


def scout_and_show_start() -> State:
    return position(hands("6/1 6/9 3/4", "1/2", "1/3"), *hands("7/2 8/1 9/5"), owner=2, tokens=(1, 2, 0), scouts=1)


def test_between_the_halves_the_others_see_what_they_saw_before() -> None:
    """R29."""
    game = game_with()
    start = scout_and_show_start()
    half, events = play(game, start, "scoutshow:L3")
    assert ["did seat=0 move=scoutshow:L3 card=7/2"] == heard(events, 0)
    for seat in (1, 2):
        assert game.view(start, seat) == game.view(half, seat)
        assert [] == heard(events, seat)
    assert [] == heard(events, None)

    view = game.view(half, 0)
    assert ("show", "6/1,6/9,3/4,7/2", "8/1,9/5", "2") == tuple(
        view[key] for key in ("phase", "hand", "active", "owner")
    )
    assert ("4,1,1", "1,2,1", "false,true,true", "1") == tuple(
        view[key] for key in ("cards", "tokens", "marker", "scouts")
    )
    assert ["show:0-1"] == legal(game, half)

    _, events = play(game, half, "show:0-1")
    assert ["did seat=0 move=show:0-1 cards=6/1,6/9 took=2"] == heard(events, 0)
    for other in (1, 2, None):
        assert ["did seat=0 move=scoutshow:L card=7/2", "did seat=0 move=show cards=6/1,6/9 took=2"] == heard(
            events, other
        )


def test_between_the_halves_a_single_and_its_owner_are_still_on_the_table_for_the_others() -> None:
    """R29, when the Scout half empties the table."""
    game = game_with()
    start = position(hands("1/3", "2/1 1/2", "1/4"), *hands("7/2"), owner=2)
    half, _ = play(game, start, "scoutshow:L0f")
    assert ("-", "-") == (game.view(half, 0)["active"], game.view(half, 0)["owner"])
    assert [dict(game.view(start, seat)) for seat in (1, 2)] == [dict(game.view(half, seat)) for seat in (1, 2)]
    _, events = play(game, half, "show:0")
    assert ["did seat=0 move=scoutshow:L card=7/2", "did seat=0 move=show cards=2/7 took=0"] == heard(events, 1)


def test_scout_and_show_need_not_use_the_scouted_card() -> None:
    """Q27."""
    game = game_with()
    start = position(hands("9/1 9/2 1/4", "1/2", "1/3"), *hands("8/2 8/1"), owner=2)
    state, _ = play(game, start, "scoutshow:L3", "show:0-1")
    assert hands("1/4 8/2")[0] == state.hands[0]


def test_scout_half_pays_the_owner_and_adds_nothing_to_the_count() -> None:
    """B.3: 4."""
    half, _ = play(game_with(), scout_and_show_start(), "scoutshow:L3")
    assert ((1, 2, 1), 1, SHOWING) == (half.tokens, half.scouts, half.phase)


def test_equal_results_of_scout_and_shows_are_found() -> None:
    """R28: a hand of one single and a single on the table, and nothing else."""
    game = game_with()
    state = position(hands("1/2", "1/3", "1/4"), *hands("10/3"), owner=2)
    assert 8 == sum(1 for _ in game.scout_and_shows(state))
    assert {
        (hands("1/2")[0], hands("10/3")[0]),
        (hands("1/2")[0], hands("3/10")[0]),
        (hands("10/3")[0], hands("1/2")[0]),
        (hands("3/10")[0], hands("1/2")[0]),
    } == set(game.scout_and_show_results(state))


# --- the end of a round ---------------------------------------------------------------------------------------------


def test_over_tells_hands_and_points_and_the_next_round_is_dealt() -> None:
    """R26, C29 C30."""
    game = game_with()
    match = Match(SEED, 3, 1, 1, (3, -4, 0), ((3, -4, 0),))
    start = position(hands("9/1", "1/3 2/3", "1/4"), *hands("7/2"), 2, match=match, taken=(2, 1, 0), tokens=(0, 0, 3))
    state, events = play(game, start, "show:0")
    assert [
        "did seat=0 move=show:0 cards=9/1 took=1",
        "over deal=1 reason=empty hands=-;1/3,2/3;1/4 taken=3,1,0 tokens=0,0,3 points=3,-1,2 scores=6,-5,2",
        f"deal n=2 starter=2 hand={game.view(state, 0)['hand']}",
    ] == heard(events, 0)
    assert ((3, -4, 0), (3, -1, 2)) == game.results(state)
    assert (2, ORIENT, (True,) * 3) == (state.mover, state.phase, state.markers)


def test_unbeaten_owner_pays_for_its_hand_unless_exempt() -> None:
    """Q20 and the preset `official`."""
    start = position(hands("1/2 1/3 1/4", "1/5", "1/6"), *hands("9/1 9/2"), 0, 2, scouts=1)
    points = [over(play(game, start, "scout:L0")[1])["points"] for game in (game_with(), game_with("official"))]
    assert ["-2,-1,-2", "1,-1,-2"] == points


def test_exemption_follows_the_latest_show_when_the_last_scout_empties_the_table() -> None:
    """Q23 Q20."""
    start = position(hands("1/2 1/3", "1/5", "1/6"), *hands("9/1"), 0, 2, scouts=1)
    _, events = play(game_with("official"), start, "scout:L0")
    assert ("unbeaten", "1,-1,-2") == (over(events)["reason"], over(events)["points"])


def test_turn_cap_ends_the_round_after_that_many_turns_and_spares_nobody() -> None:
    """Q34 R24: a turn is over when the move has passed on."""
    game = game_with("official", turn_cap=4)
    state = keep_all(game, 3)
    state, events = play(game, state, "show:0", "scout:L0", "show:0")
    assert not over(events) and 3 == state.turn
    state, events = play(game, state, "scout:L0")
    assert ("cap", "-11,-13,-10") == (over(events)["reason"], over(events)["points"])
    assert ("0", "1") == (game.view(state, 1)["turn"], game.view(state, 1)["deal"])


def test_scout_and_show_and_the_scouts_of_two_players_are_one_turn() -> None:
    """R24, C34."""
    game = game_with(turn_cap=1)
    half, events = play(game, scout_and_show_start(), "scoutshow:L3")
    assert not over(events)
    assert "cap" == over(play(game, half, "show:0-1")[1])["reason"]
    two = position(hands("8/1 6/1 3/1", "2/1 10/2"), *hands("7/1 7/2"), owner=1)
    two, events = play(game, two, "scout:L0", "scout:L0")
    assert not over(events)
    assert "cap" == over(play(game, two, "show:4")[1])["reason"]


def test_what_ends_the_round_anyway_comes_before_the_cap() -> None:
    empty = position(hands("9/1", "1/3", "1/4"))
    assert "empty" == over(play(game_with(turn_cap=1), empty, "show:0")[1])["reason"]
    stuck = position(hands("9/1 2/1", "8/1"), tokens=(0, 0))
    assert "stuck" == over(play(game_with(turn_cap=1), stuck, "show:0")[1])["reason"]


def test_two_players_start_with_three_tokens_and_pay_the_bank() -> None:
    """C33 C34 Q29 Q32."""
    state = keep_all(game_with(), 2)
    assert (3, 3) == state.tokens and (False, False) == state.markers
    state, _ = play(game_with(), position(hands("8/1 6/1", "2/1"), *hands("7/1 7/2"), owner=1), "scout:L0")
    assert ((2, 3), 0) == (state.tokens, state.mover)


def test_two_players_may_pay_the_owner() -> None:
    """Q29 R27: the token can be spent and scores."""
    game = game_with(two_player_token_to="owner")
    start = position(hands("8/1 6/1", "2/1 1/2"), *hands("7/1 7/2"), owner=1, tokens=(1, 0))
    state, _ = play(game, start, "scout:L0")
    assert (0, 1) == state.tokens
    state, _ = play(game, state, "show:1")
    assert (1, 1) == (state.mover, state.tokens[1])
    assert "scout:L0" in legal(game, state)
    state, _ = play(game, state, "scout:L0")
    assert (1, 0) == state.tokens


def test_two_players_turn_caps_a_match_in_which_the_owner_is_paid() -> None:
    """R27: tokens go to and fro for ever."""
    game = game_with(two_player_token_to="owner", turn_cap=60)
    state = keep_all(game, 2)
    reasons = []
    while game.to_act(state) is not None:
        state, events = game.apply(state, next(iter(scouts_first(game, state))))
        reasons += [words["reason"]] if (words := over(events)) else []
    assert 2 == len(reasons) and "cap" in reasons


def scouts_first(game: Scout, state: State) -> Iterator[Action]:
    """Yield the Scouts before the Shows."""
    actions = list(game.legal_actions(state))
    yield from (action for action in actions if WORD[action].startswith("scout:"))
    yield from actions


def test_equal_totals_share_the_better_place() -> None:
    """Q33, tie=share: places 1-2-2-4."""
    state, _ = game_with().deal(4, SEED)
    state = state._replace(match=state.match._replace(scores=(5, 7, 5, -1)))
    assert ((5, 7, 5, -1), (2, 1, 2, 4)) == game_with().outcome(state)


# --- views ----------------------------------------------------------------------------------------------------------


def test_view_has_its_words_in_order() -> None:
    match = Match(SEED, 3, 1, 1, (3, -4, 0), ())
    state = position(
        hands("6/1 6/9 3/4", "1/2 1/3", "2/3"),
        *hands("7/2 8/1"),
        owner=2,
        taken=(2, 0, 3),
        tokens=(1, 2, 0),
        markers=(True, False, True),
        scouts=1,
        turn=9,
        match=match,
    )
    view = " ".join(f"{key}={value}" for key, value in game_with().view(state, 1).items())
    assert (
        "deal=1 turn=9 phase=move hand=1/2,1/3 active=7/2,8/1 owner=2 cards=3,2,1 taken=2,0,3 tokens=1,2,0"
        " marker=true,false,true scouts=1 starter=1 scores=3,-4,0"
    ) == view


def test_truth_tells_every_hand_and_the_half_done_scout_and_show() -> None:
    half, _ = play(game_with(), scout_and_show_start(), "scoutshow:L3")
    truth = game_with().truth(half)
    assert ("6/1,6/9,3/4,7/2;1/2;1/3", "scoutshow:L3", "0") == tuple(truth[key] for key in ("hands", "half", "seat"))


# --- the caretaker --------------------------------------------------------------------------------------------------


def test_caretaker_keeps_scouts_the_left_card_to_the_end_and_shows_when_it_must() -> None:
    game = game_with()
    dealt, _ = game.deal(3, SEED)
    cases = [
        (dealt, "keep"),
        (position(hands("1/2 9/1", "1/3", "1/4"), *hands("7/2 7/3"), owner=2), "scout:L2"),
        (position(hands("1/2 9/1", "1/3", "1/4")), "show:0"),
        (play(game, scout_and_show_start(), "scoutshow:L3")[0], "show:0-1"),
        (position(hands("1/2 9/1", "1/3"), *hands("7/2"), owner=1, tokens=(0, 3)), "show:1"),
        (position(hands("1/2 9/1", "1/3"), *hands("7/2"), owner=1, tokens=(1, 3)), "scout:L2"),
    ]
    assert [word for _, word in cases] == [game.format(game.caretaker(state)) for state, _ in cases]


# --- sentences ------------------------------------------------------------------------------------------------------

TABLE = position(hands("10/1 8/2 8/3 6/1 7/9", "1/2", "1/3"), *hands("7/1 7/2"), owner=2)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("show:0-2", "places 0-2 show 10,8,8: neither one number nor a run (C13); show:1-2 would do"),
        (
            "show:3-4",
            "run of 2 (6-7) does not beat set of 2 (7s); it takes 2 cards of one number above 7 or a set of 3 or more"
            " (C14); show:1-2 would do",
        ),
        (
            "show:2-3",
            "places 2-3 show 8,6: neither one number nor a run (C13); places count from 0: show:1-2 is legal",
        ),
        ("show:4-5", "a hand of 5 has places 0 to 4, and the Show reaches place 5"),
        ("scout:L6", "scout:L6: a card can go to places 0 to 5 of a hand of 5 (0 is before the first card, 5 is after"),
        ("keep", "keep comes too late: a hand is kept or turned once, before its first move (C12); show:1-2 would do"),
    ],
)
def test_refusal_says_what_was_wrong_what_was_seen_and_what_would_do(word: str, sentence: str) -> None:
    assert why(game_with(), TABLE, word).startswith(sentence)


def test_refusal_of_a_show_beyond_the_hand_says_where_places_start() -> None:
    state = position(hands("1/2 9/1 9/2", "1/2", "1/3"))
    assert "a hand of 3 has places 0 to 2, and the Show reaches place 3; places count from 0: show:1-2 is legal" == why(
        game_with(), state, "show:2-3"
    )
    assert "a hand of 1 has place 0 only, and the Show reaches place 1; places count from 0: show:0 is legal" == why(
        game_with(), state._replace(mover=1), "show:1"
    )


def test_refusal_of_a_scout_names_its_reason() -> None:
    game = game_with()
    three = position(hands("1/5 4/8", "1/2", "1/3"), *hands("7/2 7/3 7/6"), owner=2)
    assert "no Show follows scoutshow:L0: in a hand 7,1,4 nothing beats the set of 2 (7s) that is left" in why(
        game, three, "scoutshow:L0"
    )
    assert "scout:L0 alone is legal" in why(game, three, "scoutshow:L0")
    spent = three._replace(markers=(False, True, True))
    assert "your Scout & Show of this round is spent (C23)" in why(game, spent, "scoutshow:L0")
    empty = position(hands("1/5 4/8", "1/2", "1/3"))
    assert "scout:L0: the table is empty, so there is nothing to scout; show:0, show:1 would do (C22)" == why(
        game, empty, "scout:L0"
    )
    single = position(hands("1/5 4/8", "1/2", "1/3"), *hands("7/2"), owner=2)
    assert "scout:R1f: only one card is left of the active Show; take it as scout:L1f (C18)" == why(
        game, single, "scout:R1f"
    )
    two = position(hands("1/5 8/4", "1/2"), *hands("7/2"), owner=1, tokens=(0, 3))
    assert "scout:L0: a Scout costs a token and you have none (C35); show:1 would do" == why(game, two, "scout:L0")
    assert "there is no Scout & Show with 2 players (C36)" in why(game, two, "scoutshow:L0")


def test_refusal_in_the_wrong_phase_says_what_is_asked() -> None:
    game = game_with()
    dealt, _ = game.deal(3, SEED)
    assert "show:2 comes too early: first choose keep or turn for your whole hand (C9)" == why(game, dealt, "show:2")
    half, _ = play(game, scout_and_show_start(), "scoutshow:L3")
    assert "scout:L0 is no Show, and your scoutshow:L3 is finished by a Show (C23); show:0-1 would do" == why(
        game, half, "scout:L0"
    )
    assert "over" in why(game, half._replace(phase=OVER, mover=-1), "show:0")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("show:4-2", "'show:4-2': write it show:2-4"),
        ("show:3-3", "'show:3-3': write it show:3"),
        ("show:03", "'show:03': write it show:3"),
        ("SHOW:3", "'SHOW:3': write it show:3"),
        ("show:2,4", "'show:2,4': a Show is show:FIRST-LAST or show:PLACE, with places of your hand from 0"),
        ("show", "'show': a Show is show:FIRST-LAST"),
        ("show:-1", "'show:-1': a Show is"),
        ("show:99", "'show:99': no hand has a place 99: the whole deck has 45 cards"),
        ("scout:5", "'scout:5': only the leftmost (L) or the rightmost (R) card can be scouted (C18)"),
        ("scout:l5F", "'scout:l5F': write it scout:L5f"),
        ("scout:L", "'scout:L': after L or R comes the place the card will have in your hand"),
        ("scoutshow:R99", "'scoutshow:R99': no hand has a place 99"),
        ("Keep", "'Keep': this action is one word, keep"),
        ("pass", "'pass': nobody can pass in SCOUT"),
        ("sho:3", "'sho:3' is no action; expected keep, turn, show:2-4"),
        ("", "'' is no action; expected keep"),
    ],
)
def test_malformed_word_is_answered_with_what_would_do(word: str, sentence: str) -> None:
    assert why_not(word).startswith(sentence)


def test_nearest_action_is_named() -> None:
    assert why_not("scuot:L3").endswith("did you mean scout?")


# --- options and the rulebook ---------------------------------------------------------------------------------------


def test_options_have_the_documented_defaults() -> None:
    assert {
        "unbeaten_exempt": False,
        "orientation": "sealed",
        "two_player_token_to": "bank",
        "first_player": "seat0",
        "tie": "share",
        "turn_cap": 1000,
        "scout_insert_public": False,
    } == game_with().options
    assert game_with().options | {"unbeaten_exempt": True} == game_with("official").options


def test_rulebook_tells_every_option_and_its_default() -> None:
    text = rulebook("scout")
    for option in Scout.declared:
        default = str(option.default).lower() if isinstance(option.default, bool) else option.default
        assert f"`{option.name}={default}`" in text
        assert all(f"`{choice}`" in text for choice in option.choices)


def test_rulebook_tells_every_rule() -> None:
    text = rulebook("scout")
    for rule in [
        *(f"C{n}" for n in range(1, 39)),
        *(f"Q{n}" for n in range(20, 38)),
        *(f"R{n}" for n in range(21, 30)),
    ]:
        assert f"{rule}" in text.replace(",", " ").replace(")", " ").replace("(", " ").split(), rule


# --- an independent reading of the rules, slow and plain ------------------------------------------------------------


def rank(shown: Cards) -> tuple[int, bool, int] | None:
    """Return (count, one number, smallest), None for no set."""
    numbers = [card >> 4 for card in shown]
    steps = {b - a for a, b in pairwise(numbers)}
    if not numbers or len(steps) > 1 or not steps <= {-1, 0, 1}:
        return None
    return len(numbers), steps <= {0}, min(numbers)


def plain_shows(hand: Cards, active: Cards) -> set[str]:
    found = set()
    for first in range(len(hand)):
        for last in range(first, len(hand)):
            value, bar = rank(hand[first : last + 1]), rank(active)
            if value is not None and (bar is None or value > bar):
                found.add(f"show:{first}" if first == last else f"show:{first}-{last}")
    return found


def plain_scouts(hand: Cards, active: Cards) -> dict[str, tuple[Cards, Cards]]:
    """Return each Scout's tail, such as `L3f`, and the hand and the active set after it."""
    found = {}
    for end in "LR"[: len(active)]:
        card, left = (active[0], active[1:]) if end == "L" else (active[-1], active[:-1])
        for place in range(len(hand) + 1):
            for turned in ("", "f"):
                put = TURNED[card] if turned else card
                found[f"{end}{place}{turned}"] = (*hand[:place], put, *hand[place:]), left
    return found


def plain_legal(state: State) -> set[str]:
    if state.phase == OVER:
        return set()
    if state.phase == ORIENT:
        return {"keep", "turn"}
    seats, hand = len(state.hands), state.hands[state.mover]
    words = plain_shows(hand, state.active)
    if state.phase == MOVE and state.active and (seats > 2 or state.tokens[state.mover]):
        after = plain_scouts(hand, state.active)
        words |= {f"scout:{tail}" for tail in after}
        if seats > 2 and state.markers[state.mover]:
            words |= {f"scoutshow:{tail}" for tail, then in after.items() if plain_shows(*then)}
    return words


@st.composite
def piles(draw: st.DrawFn, low: int, high: int) -> Cards:
    """Draw some cards of the deck, in any order and either way up; neighbours often make sets."""
    card = st.sampled_from(sorted(TEXT))
    few = st.sampled_from([card for card in sorted(TEXT) if card >> 4 in (4, 5, 6)])
    return tuple(draw(st.lists(card | few, min_size=low, max_size=high)))


@st.composite
def tables(draw: st.DrawFn) -> Cards:
    """Draw an active set, long or short."""
    count, step = draw(st.integers(1, 6)), draw(st.sampled_from([-1, 0, 1]))
    first = draw(st.integers(1, 10))
    numbers = [number for k in range(count) if 1 <= (number := first + step * k) <= 10]
    return tuple(draw(st.sampled_from([card for card in sorted(TEXT) if card >> 4 == number])) for number in numbers)


@given(piles(0, 14), tables() | st.just(()))
def test_shows_are_the_sets_that_beat_in_order(hand: Cards, active: Cards) -> None:
    found = list(shows(hand, strength(active)))
    assert sorted(found) == found
    assert plain_shows(hand, active) == {WORD[action] for action in found}


@given(piles(0, 12), tables())
def test_first_halves_are_the_scouts_that_a_show_can_follow(hand: Cards, active: Cards) -> None:
    found = list(first_halves(hand, active))
    assert sorted(found) == found
    assert {f"scoutshow:{tail}" for tail, after in plain_scouts(hand, active).items() if plain_shows(*after)} == {
        WORD[action] for action in found
    }


@given(piles(1, 6), piles(1, 6))
def test_strength_orders_sets_as_the_rules_do(one: Cards, other: Cards) -> None:
    for shown in (one, other):
        assert (rank(shown) is None) == (strength(shown) == 0)
        assert rank(shown) is None or describe(shown)
    if (a := rank(one)) is not None and (b := rank(other)) is not None:
        assert (a > b) == (strength(one) > strength(other))


# --- properties of whole matches ------------------------------------------------------------------------------------

matches = st.builds(
    lambda seats, seed, rng, options: (game_with(**options), seats, seed, rng),
    st.integers(2, 5),
    st.binary(min_size=32, max_size=32),
    st.randoms(use_true_random=False),
    st.fixed_dictionaries(
        {},
        optional={
            "unbeaten_exempt": st.booleans(),
            "orientation": st.sampled_from(["sealed", "until_own_move"]),
            "two_player_token_to": st.sampled_from(["bank", "owner"]),
            "first_player": st.sampled_from(["seat0", "holder12", "random"]),
            "turn_cap": st.integers(1, 120),
            "scout_insert_public": st.booleans(),
        },
    ),
)
Drawn = tuple[Scout, int, bytes, random.Random]


def walk(drawn: Drawn) -> Iterator[tuple[State, Action, State, tuple[Event, ...]]]:
    """Play a match: each decision's state, the action drawn, the state after it and what happened.

    Kinds of action are drawn before actions, so that the many Scouts do not drown the Shows.
    """
    game, seats, seed, rng = drawn
    state, _ = game.deal(seats, seed)
    while game.to_act(state) is not None:
        kinds: dict[int, list[Action]] = {}
        for action in game.legal_actions(state):
            kinds.setdefault(action >> 14, []).append(action)
        action = rng.choice(kinds[rng.choice(sorted(kinds))])
        after, events = game.apply(state, action)
        yield state, action, after, events
        state = after


@given(matches)
def test_every_match_ends_with_a_result_for_every_round(drawn: Drawn) -> None:
    game, seats, _, _ = drawn
    *_, (_, _, state, _) = walk(drawn)
    results = game.results(state)
    assert seats == len(results)
    assert tuple(sum(points) for points in zip(*results, strict=True)) == game.outcome(state).scores
    assert 1 == min(game.outcome(state).ranks)
    assert [] == list(game.legal_actions(state))


@given(matches)
def test_no_card_is_lost_or_doubled_and_tokens_are_counted(drawn: Drawn) -> None:
    game, seats, _, _ = drawn
    owner_paid = game.options["two_player_token_to"] == "owner"
    in_round, expected = -1, 0
    for state, action, _, _ in walk(drawn):
        seen = [frozenset((card >> 4, card & 15)) for pile in (*state.hands, state.active) for card in pile]
        assert len(seen) == len(set(seen))
        assert {2: 22, 3: 36, 4: 44, 5: 45}[seats] == len(seen) + sum(state.taken)
        if state.match.number != in_round:
            in_round, expected = state.match.number, 6 if seats == 2 else 0
        assert expected == sum(state.tokens) and min(state.tokens) >= 0
        if action >> 14 > 1:
            expected += 1 if seats > 2 else 0 if owner_paid else -1
        assert state.owner != state.mover, "Q25"
        assert bool(state.active) == (state.owner >= 0), "R25"
        assert state.turn < game.options["turn_cap"]  # type: ignore[operator]


@given(matches)
def test_legal_actions_are_what_a_plain_reading_finds_and_never_none(drawn: Drawn) -> None:
    """Q26: there is always a legal move."""
    game = drawn[0]
    for state, _, _, _ in islice(walk(drawn), 0, None, 9):
        found = list(game.legal_actions(state))
        assert found and sorted(found) == found and len(set(found)) == len(found)
        assert plain_legal(state) == {game.format(action) for action in found}
        assert sum(action >= SCOUTSHOW for action in found) <= 4 * (len(state.hands[state.mover]) + 1)
        assert game.caretaker(state) in found


@given(matches, st.integers(0, 30))
def test_apply_takes_every_legal_action_and_refuses_all_others(drawn: Drawn, at: int) -> None:
    game = drawn[0]
    state = [state for state, _, _, _ in islice(walk(drawn), at + 1)][-1]
    before = hash(state)
    allowed = set(game.legal_actions(state))
    size = len(state.hands[state.mover]) + 1
    near = {action for action in WORD if action >> 14 > 1 and action >> 1 & 127 <= size}
    near |= {show(first, last) for last in range(size + 1) for first in range(last + 1)}
    far = drawn[3].sample(sorted(WORD), 100)
    junk = [-1, 2, 99, 5 << 14, (1 << 14) + 128 * 3 + 1, (2 << 14) + 700, (3 << 14) + 60 * 256]
    for action in {KEEP, TURN, *near, *far, *junk, *allowed}:
        try:
            after, _ = game.apply(state, action)
        except IllegalAction as refusal:
            assert action not in allowed
            assert str(refusal).isascii() and 20 < len(str(refusal)) < 400
        else:
            assert action in allowed and after != state
    assert before == hash(state)


@given(matches)
def test_replay_reproduces_every_state(drawn: Drawn) -> None:
    game, seats, seed, _ = drawn
    state, _ = game.deal(seats, seed)
    for _, action, after, events in walk(drawn):
        state, again = game.apply(state, game.parse(game.format(action)))
        assert (after, events) == (state, again) and hash(after) == hash(state)


@given(matches)
def test_view_leaks_nothing_hidden(drawn: Drawn) -> None:
    """Other hands, mixed and turned, leave a seat's view as it was; so does what is still to be dealt."""
    game, seats, _, rng = drawn
    for state, _, _, _ in islice(walk(drawn), 0, None, 7):
        seat = rng.randrange(seats)
        hidden = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
        rng.shuffle(hidden)
        mixed = []
        for other, hand in enumerate(state.hands):
            mixed.append(hand if other == seat else tuple(rng.choice((c, TURNED[c])) for c in hidden[: len(hand)]))
            hidden = hidden if other == seat else hidden[len(hand) :]
        other_state = state._replace(hands=tuple(mixed), match=state.match._replace(seed=bytes(32)))
        assert dict(game.view(state, seat)) == dict(game.view(other_state, seat))


@given(matches)
def test_others_hear_the_same_of_all_that_looks_the_same(drawn: Drawn) -> None:
    """The place of a scouted card, its way up, the choice of keep or turn: no other seat's lines depend on them."""
    game, seats, _, rng = drawn
    if game.options["scout_insert_public"]:
        return
    for state, action, after, events in walk(drawn):
        alike = [other for other in game.legal_actions(state) if looks(other) == looks(action)]
        if action >> 14 == 1 or over(events):
            continue
        twin, twin_events = game.apply(state, rng.choice(alike))
        for seat in range(seats):
            if seat != state.mover:
                assert heard(events, seat) == heard(twin_events, seat)
                if not over(twin_events):
                    assert game.view(after, seat) == game.view(twin, seat)
        assert heard(events, None) == heard(twin_events, None)


def looks(action: Action) -> object:
    """Return what others see of a choice, a Scout or a Scout & Show."""
    return action >> 14, action >> 8 if action >> 14 > 1 else None


@given(matches)
def test_between_the_halves_no_other_view_changes(drawn: Drawn) -> None:
    """R29."""
    game, seats, _, _ = drawn
    for state, action, after, events in walk(drawn):
        if action >> 14 == 3:
            assert (SHOWING, state.mover) == (after.phase, after.mover)
            for seat in range(seats):
                if seat != state.mover:
                    assert game.view(state, seat) == game.view(after, seat)
                    assert [] == heard(events, seat)


@given(matches)
def test_own_view_follows_from_what_the_seat_has_heard(drawn: Drawn) -> None:
    """A seat that only listens knows its own hand and the active set: its lines leave nothing out."""
    game, seats, seed, _ = drawn
    _, events = game.deal(seats, seed)
    known = [Listener(seat) for seat in range(seats)]
    for listener in known:
        listener.hear(heard(events, listener.seat))
    for _, _, after, events in walk(drawn):
        for listener in known:
            listener.hear(heard(events, listener.seat))
            if game.to_act(after) is not None:
                view = game.view(after, listener.seat)
                assert (view["hand"], view["active"]) == (
                    ",".join(listener.hand) or "-",
                    ",".join(listener.table) or "-",
                )


class Listener:
    """A seat's own book-keeping, from event lines alone."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.hand: list[str] = []
        self.table: list[str] = []

    def hear(self, lines: list[str]) -> None:
        for line in lines:
            verb, *rest = line.split()
            words = dict(word.split("=", 1) for word in rest)
            if verb == "deal":
                self.hand, self.table = words["hand"].split(","), []
            elif verb == "did" and "hand" in words:
                self.hand = words["hand"].split(",")
            elif verb == "did":
                self.did(int(words["seat"]) == self.seat, words["move"], words.get("cards", words.get("card", "")))

    def did(self, mine: bool, move: str, told: str) -> None:
        verb, _, tail = move.partition(":")
        if verb == "show":
            self.table = told.split(",")
            if mine:
                first, _, last = tail.partition("-")
                assert self.table == self.hand[int(first) : int(last or first) + 1]
                del self.hand[int(first) : int(last or first) + 1]
        elif verb in ("scout", "scoutshow"):
            assert told == self.table.pop(0 if tail[0] == "L" else -1)
            if mine:
                up, down = told.split("/")
                self.hand.insert(int(tail[1:].rstrip("f")), f"{down}/{up}" if tail.endswith("f") else told)


# --- words ----------------------------------------------------------------------------------------------------------


def test_every_action_has_one_word_and_back() -> None:
    game = game_with()
    assert len(WORD) == len(ACTION)
    assert all(game.parse(game.format(action)) == action for action in WORD)
    assert (KEEP, TURN) == (game.parse("keep"), game.parse("turn"))


near_words = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["keep", "turn", "show:", "scout:", "scoutshow:", "SHOW:", "pass", "show"]),
    st.sampled_from(["", "L", "R", "l", "M"]),
    st.sampled_from(["", "0", "3", "03", "45", "46", "1000"]),
    st.sampled_from(["", "-", "-0", "-4", "-46", "f", "F"]),
    st.sampled_from(["", "f", "-2", "\u0663", " "]),
)


@given(st.text(max_size=60) | near_words)
def test_any_text_is_an_action_or_gets_a_sentence(text: str) -> None:
    game = game_with()
    try:
        assert text == game.format(game.parse(text))
    except MalformedAction as refusal:
        assert str(refusal).isascii() and str(refusal).isprintable()
        assert 10 < len(str(refusal)) < 300


def test_cards_refuses_what_is_no_card() -> None:
    with pytest.raises(ValueError, match="'7/7' is no SCOUT card"):
        cards("7/2,7/7")
