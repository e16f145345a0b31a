"""Every SCOUT entry of vectors.json, by machine: each is one case, and the prose ones are played with real moves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.games import load
from referee.games._base import IllegalAction, MalformedAction
from referee.games.scout import CARD, SCOUT, SCOUTSHOW, SHOW, Cards, Match, Scout, State, cards, position, strength
from tests.games.scout_positions import hands, legal, over, play

Vector = dict[str, Any]
VECTORS: list[Vector] = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text())
    if vector["game"] == "scout"
]
PROSE: dict[str, tuple[object, Callable[[Scout], None]]] = {}


def prose(vector_id: str, expect: object) -> Callable[[Callable[[Scout], None]], Callable[[Scout], None]]:
    """Register the check of a vector told in prose, with the words of its expectation."""

    def register(check: Callable[[Scout], None]) -> Callable[[Scout], None]:
        PROSE[vector_id] = (expect, check)
        return check

    return register


# --- playing --------------------------------------------------------------------------------------------------------


def game_with(**options: object) -> Scout:
    game = load("scout", **options)
    assert isinstance(game, Scout)
    return game


def refused(game: Scout, state: State, word: str) -> bool:
    action = game.parse(word)
    if action in set(game.legal_actions(state)):
        return False
    with pytest.raises(IllegalAction):
        game.apply(state, action)
    return True


def first_of_kind(game: Scout, state: State, base: int) -> int | None:
    """Return the first legal action that is a Show (base SHOW), a Scout or a Scout & Show."""
    return next((action for action in game.legal_actions(state) if action >> 14 == base >> 14), None)


# --- vectors in numbers ---------------------------------------------------------------------------------------------


def shown(numbers: list[int]) -> Cards:
    """Return cards that show these numbers; what is hidden does not matter to a set."""
    return tuple(CARD[f"{number}/{1 if number != 1 else 2}"] for number in numbers)


def check_set(vector: Vector) -> None:
    value = strength(shown(vector["input"]))
    kind = "illegal" if value == 0 else "same" if value & 16 else "run"
    assert vector["expect"] == kind


def check_beats(vector: Vector) -> None:
    new, active = shown(vector["input"]["new"]), shown(vector["input"]["active"])
    assert strength(new) and strength(active)
    assert vector["expect"] == (strength(new) > strength(active))

    # and so says the game: the whole hand is shown on the active set
    game = game_with()
    state = position((new, *hands("1/2", "1/3")), active, owner=1)
    word = "show:0" if len(new) == 1 else f"show:0-{len(new) - 1}"
    assert vector["expect"] == (word in legal(game, state))


def check_legal(vector: Vector) -> None:
    game = game_with()
    hand = vector["input"]["hand"]
    active = cards(vector["input"]["active"].replace(" ", ",") or "-")
    for seats in (4, 5):
        state = position((hands(hand)[0], *((CARD["1/10"],),) * (seats - 1)), active, owner=1 if active else -1)
        words = legal(game, state)
        assert vector["expect"] == {
            "shows": [word.replace("show:", "W") for word in words if word.startswith("show:")],
            "scouts": sum(word.startswith("scout:") for word in words),
            "scout_show": sum(1 for _ in game.scout_and_shows(state)),
            "scout_show_distinct": len(game.scout_and_show_results(state)),
        }


TABLES: dict[str, Callable[[Vector], None]] = {
    "set": check_set,
    "beats": check_beats,
    "legal (4 or 5 players, marker unused)": check_legal,
}


# --- vectors in prose -----------------------------------------------------------------------------------------------


def number_counts(state: State) -> Counter[int]:
    return Counter(number for hand in state.hands for card in hand for number in (card >> 4, card & 15))


@prose("CX01", "45 cards; every number on 9 cards; 9 each")
def deck_of_five(game: Scout) -> None:
    state, _ = game.deal(5, bytes(32))
    assert [9] * 5 == [len(hand) for hand in state.hands]
    assert dict.fromkeys(range(1, 11), 9) == number_counts(state)


@prose("CX03", "44 cards; 9 and 10 on 8 cards, others on 9; 11 each")
def deck_of_four(game: Scout) -> None:
    state, _ = game.deal(4, bytes(32))
    assert [11] * 4 == [len(hand) for hand in state.hands]
    assert dict.fromkeys(range(1, 9), 9) | {9: 8, 10: 8} == number_counts(state)


def both_rounds_of_two(game: Scout, seed: bytes) -> tuple[State, State]:
    """Return the first states of both rounds of a two-player match; the first is played by legal moves."""
    first, _ = game.deal(2, seed)
    state = first
    while game.deal_number(state) == 0:
        state, _ = game.apply(state, next(game.legal_actions(state)))
    return first, state


@prose("CX04", "44 cards; 22 dealt, 22 set aside for round 2")
def deck_of_two(game: Scout) -> None:
    first, second = both_rounds_of_two(game, bytes(32))
    assert [[11, 11], [11, 11]] == [[len(hand) for hand in state.hands] for state in (first, second)]
    assert dict.fromkeys(range(1, 9), 9) | {9: 8, 10: 8} == number_counts(first) + number_counts(second)


@prose("CX06", "illegal")
def turn_after_the_first_move(game: Scout) -> None:
    state, _ = game.deal(3, bytes(32))
    state, _ = play(game, state, "keep", "turn", "keep", "show:0")
    assert refused(game, state, "turn") and refused(game, state, "keep")

    late = game_with(orientation="until_own_move")
    state, _ = late.deal(3, bytes(32))
    state, _ = play(late, state, "turn")
    assert refused(late, state, "turn")
    state, _ = play(late, state, "show:0")
    assert "turn" in legal(late, state), "seat 1 has not moved yet"
    state, _ = play(late, state, "keep", "scout:L0", "keep", "show:0")
    assert refused(late, state, "turn"), "seat 0 has moved"


CX07_HANDS = ("8/1", "5/3 7/3 8/2 3/1 3/2 9/4", "8/4", "8/6")


@prose("CX07", "hand 5/3 6/5 7/3 8/2 3/1 3/2 9/4; active 3/10 4/8, owner still P0; P0 +1 token")
def scout_to_the_middle_turned(game: Scout) -> None:
    state, _ = play(game, position(hands(*CX07_HANDS), *hands("3/10 4/8 5/6"), owner=0, mover=1), "scout:R1f")
    assert hands("5/3 6/5 7/3 8/2 3/1 3/2 9/4")[0] == state.hands[1]
    assert (hands("3/10 4/8")[0], 0, (1, 0, 0, 0)) == (state.active, state.owner, state.tokens)


@prose("CX08", "illegal")
def scout_the_middle_card(game: Scout) -> None:
    """Only the ends have a word, and what a legal Scout takes is one of them."""
    for word in ("scout:M0", "scout:10", "scout:4/8"):
        with pytest.raises(MalformedAction, match="leftmost"):
            game.parse(word)
    start = position(hands(*CX07_HANDS), *hands("3/10 4/8 5/6"), owner=0, mover=1)
    for word in legal(game, start):
        if word.startswith("scout:"):
            state, _ = play(game, start, word)
            assert state.active in hands("4/8 5/6", "3/10 4/8")


@prose("CX10", "illegal")
def scout_from_an_empty_table(game: Scout) -> None:
    state = position(hands("5/3 7/3", "8/1", "8/4"))
    for word in ("scout:L0", "scout:R2f", "scoutshow:L0"):
        assert refused(game, state, word)


@prose("CX12", "captured +0")
def show_on_a_table_scouted_empty(game: Scout) -> None:
    state = position(hands("5/3 7/3", "8/1 2/1", "1/4 2/3"))
    state, events = play(game, state, "show:0", "scout:L0", "show:0")
    assert (0, 0, 0) == state.taken
    assert events[-1].public.endswith(" cards=1/4 took=0")


@prose("CX14", "P2 +1; P0 captures 2 (8/1 9/5); hand 3/4 7/2")
def scout_and_show(game: Scout) -> None:
    start = position(hands("6/1 6/9 3/4", "1/2", "1/3"), *hands("7/2 8/1 9/5"), owner=2)
    state, events = play(game, start, "scoutshow:L3", "show:0-1")
    assert ((0, 0, 1), (2, 0, 0)) == (state.tokens, state.taken)
    assert hands("3/4 7/2")[0] == state.hands[0]
    assert hands("6/1 6/9")[0] == state.active
    assert not over(events)


@prose("CX15", "illegal")
def second_scout_and_show(game: Scout) -> None:
    start = position(hands("6/1 6/9 3/4 9/8", "7/3 7/4 1/2", "1/3 1/4 2/4"), *hands("7/2 8/1 9/5"), owner=2)
    state, _ = play(game, start, "scoutshow:L4", "show:0-1", "show:0-1", "scout:L0")
    assert 0 == state.mover and (False, True, True) == state.markers
    assert first_of_kind(game, state, SCOUT) is not None
    assert first_of_kind(game, state, SCOUTSHOW) is None
    assert refused(game, state, "scoutshow:L0")


@prose("CX16", "illegal")
def scout_and_show_of_two(game: Scout) -> None:
    state = position(hands("8/3 2/6", "1/2"), *hands("9/1"), owner=1)
    assert first_of_kind(game, state, SCOUT) is not None
    assert first_of_kind(game, state, SCOUTSHOW) is None
    assert refused(game, state, "scoutshow:L0")


@prose("CX17", "ends; P0 unbeaten; table is empty")
def both_others_scout_a_pair(game: Scout) -> None:
    exempt = game_with(unbeaten_exempt=True)
    state = position(hands("5/3 5/7 1/2", "8/1", "8/4"))
    state, events = play(exempt, state, "show:0-1", "scout:L0", "scout:L0")
    assert "unbeaten" == over(events)["reason"]
    assert "2,-2,-2" == over(events)["points"], "two tokens, and one card that P0 is spared"
    assert "1/2;5/3,8/1;5/7,8/4" == over(events)["hands"]


@prose("CX18", "no end")
def single_scouted_away(game: Scout) -> None:
    state, events = play(game, position(hands("5/3 1/2", "8/1", "8/4 1/6")), "show:0", "scout:L0")
    assert not over(events)
    assert (2, (), -1) == (state.mover, state.active, state.owner)
    assert ["show:0", "show:1"] == legal(game, state)


@prose("CX21", "ends; the one card left scores for nobody")
def three_scouts_on_four_cards(game: Scout) -> None:
    state = position(hands("5/3 5/7 5/1 5/2 1/2", "8/1", "8/4", "8/6"))
    _, events = play(game, state, "show:0-3", "scout:L0", "scout:R0", "scout:L0")
    words = over(events)
    assert ("unbeaten", "0,0,0,0", "3,0,0,0") == (words["reason"], words["taken"], words["tokens"])
    assert "2,-2,-2,-2" == words["points"]


@prose("CX22", "ends, P2 unbeaten (count restarts at P2's Show)")
def scout_and_show_restarts_the_count(game: Scout) -> None:
    exempt = game_with(unbeaten_exempt=True)
    state = position(hands("5/3 5/7 5/1 1/2", "8/1", "9/6 9/4 9/7 9/2 9/3 2/1", "8/6", "8/7"))
    state, events = play(exempt, state, "show:0-2", "scout:L0", "scoutshow:L0", "show:1-5")
    assert not over(events) and 0 == state.scouts
    state, more = play(exempt, state, "scout:L0", "scout:L0", "scout:L0")
    assert not over(more)
    state, more = play(exempt, state, "scout:L0")
    assert "unbeaten" == over(more)["reason"]
    assert "5/7,2/1" == over(more)["hands"].split(";")[2]
    assert str(1 + 4) == over(more)["points"].split(",")[2], "one card won, four tokens, no cards counted"


@prose("CX23", "ends at once, nobody replies")
def show_empties_the_hand(game: Scout) -> None:
    state, events = play(game, position(hands("5/3 5/7", "8/1 8/2 8/3", "8/4")), "show:0-1")
    assert "empty" == over(events)["reason"]
    assert "0,-3,-1" == over(events)["points"]
    assert 1 == game.deal_number(state)


@prose("CX24", "ends at once")
def scout_and_show_empties_the_hand(game: Scout) -> None:
    start = position(hands("7/4", "8/1 8/2 8/3", "8/4"), *hands("6/1 7/2"), owner=2)
    state, events = play(game, start, "scoutshow:L0")
    assert not over(events)
    state, events = play(game, state, "show:0-1")
    assert "empty" == over(events)["reason"]
    assert "1,-3,0" == over(events)["points"]


@prose("CX26", 5)
def score_of_who_emptied_the_hand(game: Scout) -> None:
    start = position(hands("9/1 9/2", "1/2", "1/3"), *hands("8/1 8/2"), owner=1, taken=(1, 0, 0), tokens=(2, 0, 0))
    _, events = play(game, start, "show:0-1")
    assert "5" == over(events)["points"].split(",")[0]


def unbeaten_owner_points(game: Scout) -> str:
    """Return the points of an unbeaten owner with two won cards, five tokens and three cards in hand."""
    start = position(
        hands("1/2 1/3 1/4", "1/5", "1/6"), *hands("9/1 9/2"), 0, 2, scouts=1, taken=(2, 0, 0), tokens=(4, 0, 0)
    )
    _, events = play(game, start, "scout:L0")
    assert ("unbeaten", "2,0,0", "5,0,0") == tuple(over(events)[key] for key in ("reason", "taken", "tokens"))
    return over(events)["points"].split(",")[0]


@prose("CX27", 4)
def score_of_the_unbeaten(game: Scout) -> None:
    assert "4" == unbeaten_owner_points(game)


@prose("CX28", 7)
def score_of_the_unbeaten_exempt(game: Scout) -> None:
    assert "7" == unbeaten_owner_points(game)


@prose("CX30", 3)
def unspent_marker_is_worth_nothing(game: Scout) -> None:
    start = position(hands("9/1", "1/2 1/3 1/4", "1/6"), taken=(0, 4, 0), tokens=(0, 2, 0))
    assert start.markers[1]
    _, events = play(game, start, "show:0")
    assert "3" == over(events)["points"].split(",")[1]


@prose("CX31", "paid (supply has no limit)")
def twenty_fourth_token(game: Scout) -> None:
    """Singles go round: each is shown and scouted at once."""
    state, _ = game.deal(3, bytes(32))
    state, _ = play(game, state, "keep", "keep", "keep")
    for paid in range(1, 31):
        state, _ = play(game, state, "show:0", "scout:L0")
        assert paid == sum(state.tokens)
    one_owner = position(hands("1/2", "1/3", "1/4"), *hands("9/1 9/2"), owner=2, tokens=(0, 0, 23))
    state, _ = play(game, one_owner, "scout:L0")
    assert 24 == state.tokens[2]


@prose("CX34", "round ends at once, P0 unbeaten")
def two_players_stuck_without_token(game: Scout) -> None:
    exempt = game_with(unbeaten_exempt=True)
    _, events = play(exempt, position(hands("9/1 2/1", "8/1 6/1"), tokens=(1, 0)), "show:0")
    assert ("stuck", "1,-2") == (over(events)["reason"], over(events)["points"])


@prose("CX35", "round ends, P0 unbeaten")
def two_players_last_token_in_vain(game: Scout) -> None:
    exempt = game_with(unbeaten_exempt=True)
    start = position(hands("9/1 9/2 2/1", "8/1 6/1"), tokens=(0, 1))
    state, events = play(exempt, start, "show:0-1")
    assert not over(events) and first_of_kind(exempt, state, SHOW) is None
    _, events = play(exempt, state, "scout:L1f")
    assert ("stuck", "0,-3", "8/1,1/9,6/1") == (
        over(events)["reason"],
        over(events)["points"],
        over(events)["hands"].split(";")[1],
    )


@prose("CX37", "only Scout moves are legal, no pass")
def two_players_must_scout(game: Scout) -> None:
    state = position(hands("8/1 6/1", "2/1"), *hands("9/1 9/2"), owner=1, tokens=(2, 0))
    assert [f"scout:{end}{place}{turned}" for end in "LR" for place in (0, 1, 2) for turned in ("", "f")] == legal(
        game, state
    )
    with pytest.raises(MalformedAction):
        game.parse("pass")


@prose("CX38", "may Show now or Scout first")
def two_players_may_scout_first(game: Scout) -> None:
    state = position(hands("8/1 6/1", "2/1"), *hands("7/1"), owner=1)
    assert ["show:0", "scout:L0", "scout:L0f"] == legal(game, state)[:3]
    shown_now, _ = play(game, state, "show:0")
    assert 1 == shown_now.mover
    scouted, _ = play(game, state, "scout:L2")
    assert 0 == scouted.mover and "show:0" in legal(game, scouted)


@prose("CX39", "round goes on; rule C28 is not applied inside the turn")
def two_players_scout_and_then_show(game: Scout) -> None:
    state = position(hands("8/1 6/1 3/1", "2/1 10/2"), *hands("7/1 7/2"), owner=1)
    state, events = play(game, state, "scout:L1")
    assert not over(events) and (0, 0) == (state.mover, state.turn)
    state, events = play(game, state, "show:0")
    assert not over(events) and (1, 1, (1, 0)) == (state.mover, state.turn, state.taken)


@prose("CX41", "other player starts; 3 tokens each; the 22 set-aside cards; no card of round 1")
def second_round_of_two(game: Scout) -> None:
    for number in range(5):
        first, second = both_rounds_of_two(game, number.to_bytes(32, "big"))
        assert (0, 1) == (first.match.starter, second.match.starter) and 1 == second.mover
        assert (3, 3) == second.tokens
        pairs = [
            {frozenset((card >> 4, card & 15)) for hand in state.hands for card in hand} for state in (first, second)
        ]
        assert [22, 22] == [len(some) for some in pairs] and not pairs[0] & pairs[1]


@prose("CX40", 3)
def score_of_two_players(game: Scout) -> None:
    start = position(hands("9/1", "1/2 1/3 1/4"), taken=(0, 4), tokens=(0, 2))
    _, events = play(game, start, "show:0")
    assert "3" == over(events)["points"].split(",")[1]


@prose("CX43", "shared win")
def equal_highest_sums(game: Scout) -> None:
    last = Match(bytes(32), 3, 2, 2, (4, 5, -1), ())
    state, events = play(game, position(hands("9/1", "1/2", "1/3"), match=last), "show:0")
    assert game.to_act(state) is None
    assert "4,4,-2" == over(events)["scores"]
    assert ((4, 4, -2), (1, 1, 3)) == game.outcome(state)


@prose("CX44", "no end: the Scout half adds nothing to the count; P2's Show restarts it at 0")
def scout_half_does_not_count(game: Scout) -> None:
    state = position(hands("5/3 5/7 5/1 1/2", "8/1", "9/6 9/4 2/1"))
    state, events = play(game, state, "show:0-2", "scout:L0", "scoutshow:L0")
    assert not over(events) and 1 == state.scouts
    state, events = play(game, state, "show:1-2")
    assert not over(events) and (0, 2, 0) == (state.scouts, state.owner, state.mover)


# --- the cases ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_scout_vector(vector: Vector) -> None:
    if vector["kind"] in TABLES:
        TABLES[vector["kind"]](vector)
    else:
        expect, check = PROSE[vector["id"]]
        assert vector["expect"] == expect, "the vector's expectation has changed: so must its check"
        check(game_with(**vector["options"]))


def test_no_scout_vector_is_left_out() -> None:
    def told() -> Iterator[str]:
        yield from (vector["id"] for vector in VECTORS if vector["kind"] not in TABLES)

    assert sorted(PROSE) == sorted(told())
    assert len(VECTORS) == len({vector["id"] for vector in VECTORS}) >= 63
