"""The worked examples of SCAT in vectors.json, every one of them, each as a case of its own.

Kinds that are data are computed. Those in prose are played on a real state; `@prose` holds the words that the check
stands for, so that a vector whose words change fails until its check is read again.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.cards import CARD, TEXT
from referee.games import load
from referee.games._base import IllegalAction
from referee.games.scat import (
    FROM_PILE,
    FROM_STOCK,
    KNOCK,
    LOOK,
    PILE,
    STAND,
    STOCK,
    THROW,
    THROWDOWN,
    Scat,
    State,
    makes_31,
    next_living,
    open_table,
    pay,
    showdown,
)
from tests.games.scat_positions import cards, state_of

Vector = dict[str, Any]
Check = Callable[[Vector, Scat], None]

VECTORS: list[Vector] = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text())
    if vector["game"] == "scat"
]
PROSE: dict[str, Check] = {}
WORDING: dict[str, tuple[Any, Any]] = {}


def prose(vector_id: str, given: str, expected: Any) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        PROSE[vector_id] = check
        WORDING[vector_id] = (given, expected)
        return check

    return register


def legal(game: Scat, state: State) -> list[str]:
    return [game.format(action) for action in game.legal_actions(state)]


def refused(game: Scat, state: State, *actions: int) -> None:
    for action in actions:
        with pytest.raises(IllegalAction):
            game.apply(state, action)


def over(game: Scat, state: State, action: int) -> dict[str, str]:
    """The words of the `over` line that one action brings about."""
    (line,) = [event.public for event in game.apply(state, action)[1] if event.public.startswith("over ")]
    return dict(word.split("=", 1) for word in line.split()[1:])


# --- kinds that are data


def check_value(vector: Vector, game: Scat) -> None:
    assert 2 * vector["expect"] == game.value(cards(vector["input"]))


def check_four_cards(vector: Vector, game: Scat) -> None:
    held = cards(vector["input"])

    assert vector["expect"] == {"best3": game.best(held) / 2, "declares31": makes_31(held)}

    *dealt, drawn = (TEXT[card] for card in held)
    state = state_of(" ".join(dealt), "2D 3C 4H", stock=drawn)
    _, events = game.apply(state, STOCK)

    assert vector["expect"]["declares31"] == (len(events) > 1 and " reason=31 " in events[1].public)


def check_showdown(vector: Vector, game: Scat) -> None:
    given = vector["input"]

    assert tuple(vector["expect"]["lives_lost"]) == showdown(
        given["values"], given["knocker"], str(game.options["knocker_tie"])
    )


def check_lives(vector: Vector, game: Scat) -> None:
    given, expected = vector["input"], vector["expect"]
    dole, double_loss = bool(game.options["dole"]), str(game.options["double_loss"])

    assert (tuple(expected["coins"]), expected["to_kitty"], tuple(expected["out"])) == pay(
        given["coins"], tuple(given["lives_lost"]), dole, double_loss
    )


KINDS: dict[str, Check] = {
    "value": check_value,
    "four-card best": check_four_cards,
    "showdown": check_showdown,
    "lives": check_lives,
}


# --- hands' ends


@prose("SS16", "3p, P0 knocked on 28; P1 draws and holds 31 (as SS15)", {"lives_lost": [2, 0, 1]})
def check_31_after_a_knock(vector: Vector, game: Scat) -> None:
    state = state_of("KS TS 8S", "AH KH 2C", "4D 5D 6C", seat=1, knocker=0, pile="3C", stock="QH")

    assert "2,0,1" == over(game, state, STOCK)["lost"]
    assert "2,0,1" == over(game, state._replace(pile=(CARD["QH"],)), PILE)["lost"]


def dealt(game: Scat, seats: int, holders: set[int]) -> dict[str, str]:
    """The first `over` line among seeds whose first deal gives 31 to exactly these seats."""
    open_game = load("scat", dealt31="off")
    # The seeds were found by search, so that the test deals real cards and not a made-up state.
    seed = {(4, 2): 756, (4, 0, 2): 179802, (2, 0, 1): 1018696}[(seats, *sorted(holders))].to_bytes(32, "big")
    state, _ = open_game.deal(seats, seed)
    assert holders == {seat for seat in range(seats) if makes_31(state.hands[seat])}
    _, events = game.deal(seats, seed)
    assert events[0].public.startswith("deal n=0 ") and events[1].public.startswith("over deal=0 reason=31 ")
    assert events[2].public.startswith("deal n=1 dealer=1 ")
    return dict(word.split("=", 1) for word in events[1].public.split()[1:])


def check_dealt_31(vector: Vector, game: Scat, seats: int, holders: set[int]) -> None:
    words = dealt(game, seats, holders)

    assert vector["expect"]["lives_lost"] == [int(lost) for lost in words["lost"].split(",")]
    assert holders == {seat for seat, value in enumerate(words["values"].split(",")) if value == "31"}


@prose("SS17", "4p, P2 is dealt AKQ of one suit", {"lives_lost": [1, 1, 0, 1], "turns": 0})
def check_one_dealt_31(vector: Vector, game: Scat) -> None:
    check_dealt_31(vector, game, 4, {2})


@prose("SS18", "4p, P0 and P2 are both dealt 31", {"lives_lost": [0, 1, 0, 1]})
def check_two_dealt_31(vector: Vector, game: Scat) -> None:
    check_dealt_31(vector, game, 4, {0, 2})


@prose("SS19", "2p, both dealt 31", {"lives_lost": [0, 0]})
def check_both_dealt_31(vector: Vector, game: Scat) -> None:
    check_dealt_31(vector, game, 2, {0, 1})


# --- legality


@prose("SG03", "P1 drew 9H from the stock; hand now 9H KH 2C 5D", "may discard any of the four")
def check_any_of_four(vector: Vector, game: Scat) -> None:
    state = state_of("3S 4S 6D", "9H KH 2C 5D", seat=1, phase=FROM_STOCK, pile="7C")

    assert ["9H", "KH", "2C", "5D"] == legal(game, state)


@prose("SG04", "P1 has drawn and holds four cards", "knock is illegal; must discard one")
def check_no_knock_after_draw(vector: Vector, game: Scat) -> None:
    for source in (FROM_STOCK, FROM_PILE):
        state = state_of("3S 4S 6D", "KH 2C 5D 9H", seat=1, phase=source, pile="7C")
        refused(game, state, KNOCK, STAND, STOCK, PILE)
        assert all(word in TEXT for word in legal(game, state))


@prose("SG05", "P0 has knocked; P1 to move", "draw stock or draw discard only; knock is illegal")
def check_no_second_knock(vector: Vector, game: Scat) -> None:
    state = state_of("KS TS 8S", "KH 2C 5D", seat=1, knocker=0, pile="7C")

    assert ["stock", "pile"] == legal(game, state)
    refused(game, state, KNOCK, STAND)


@prose("SG06", "P0 to move, P2 sends a move", "illegal, out of turn")
def check_out_of_turn(vector: Vector, game: Scat) -> None:
    state = state_of("KS TS 8S 2D", "KH 2C 5D", "3C 4C 5H", phase=FROM_STOCK, pile="7C")

    assert 0 == game.to_act(state)
    refused(game, state, *state.hands[2])  # what P2 might send; no action but P0's is one


@prose(
    "SG10",
    "2p: P0 discards 4D, P1 knocks; P0's last turn",
    "4D is still the top card; P0 may take it, and may then discard any card but 4D",
)
def check_own_discard_taken_back(vector: Vector, game: Scat) -> None:
    state = state_of("KS 3S 8S 4D", "KH QH 5H", phase=FROM_STOCK, pile="7C")
    for action in (CARD["4D"], KNOCK):
        state, _ = game.apply(state, action)

    assert (0, "4D") == (game.to_act(state), game.view(state, 0)["pile"])
    assert "pile" in legal(game, state)

    state, _ = game.apply(state, PILE)

    assert ["KS", "3S", "8S"] == legal(game, state)
    refused(game, state, CARD["4D"])


@prose("SG11", "hand value 20 / 21, min_knock=21", "knock illegal / legal")
def check_least_knock(vector: Vector, game: Scat) -> None:
    low, enough = state_of("KS QS 4H", "2D 3D 9C"), state_of("AS QS 4H", "2D 3D 9C")

    refused(game, low, KNOCK)
    assert "knock" not in legal(game, low) and "knock" in legal(game, enough)


@prose("SG12", "first_turn_knock=false, P1's own first turn / second turn", "knock illegal / legal")
def check_first_turn_knock(vector: Vector, game: Scat) -> None:
    state = state_of("KS QS 4H", "AD 3D 9C", turn=0, dealer=1, stock="2H 3H 4S 5S")
    for action in (STOCK, CARD["2H"]):
        state, _ = game.apply(state, action)

    assert 1 == game.to_act(state)
    refused(game, state, KNOCK)

    for action in (STOCK, CARD["3H"], STOCK, CARD["4S"]):
        state, _ = game.apply(state, action)

    assert 1 == game.to_act(state)
    assert "knock" in legal(game, state)


@prose("SG13", "knock pending, stock empty, P3's last turn", "draw discard, or stand")
def check_stand_on_empty_stock(vector: Vector, game: Scat) -> None:
    state = state_of("2D 3D 9C", "2H 3H 9S", "KS QS 8S", "2S 3S 4H", seat=3, knocker=1, stock="")

    assert ["pile", "stand"] == legal(game, state)
    refused(game, state, STOCK, KNOCK)


@prose(
    "SG14",
    "no knock pending, P2 takes the last stock card and discards without 31",
    "hand ends now: showdown with no knocker",
)
def check_stock_out(vector: Vector, game: Scat) -> None:
    state = state_of("2D 3D 9C", "KH 3H 9S", "KS 8S 5C", seat=2)
    state, _ = game.apply(state._replace(stock=(CARD["6C"],)), STOCK)
    words = over(game, state, CARD["6C"])

    assert ("stock", "9,13,18", "1,0,0") == (words["reason"], words["values"], words["lost"])


@prose("SG15", "P1 holds 31 after discarding", "it cannot go on without declaring")
def check_31_is_declared(vector: Vector, game: Scat) -> None:
    # 31 comes into a hand by a draw alone, and there the deal is over before any discard.
    state = state_of("2D 3D 9C", "KH AH 9S", seat=1, stock="TH")
    words = over(game, state, STOCK)

    assert ("31", "-,31", "1,0") == (words["reason"], words["values"], words["lost"])


@prose(
    "SG16",
    "throw_down=any, P1 throws blind, values P0 12, P1 12, P2 20",
    "no draws; P1 counts as knocker; P0 loses one",
)
def check_throw_down(vector: Vector, game: Scat) -> None:
    state = state_of("5D 7D 2H", "9C 3C 4H", "KS QS 6C", phase=THROW, turn=0)
    state, _ = game.apply(state, LOOK)

    assert (1, "-") == (game.to_act(state), game.view(state, 1)["hand"])

    words = over(game, state, THROWDOWN)

    assert ("throwdown", "12,12,20", "1,0,0") == (words["reason"], words["values"], words["lost"])


@prose("SG17", "knock pending, stock left, P1's last turn", "stock, pile or stand")
def check_final_stand(vector: Vector, game: Scat) -> None:
    state = state_of("KS TS 8S", "KH 2C 5D", seat=1, knocker=0, pile="7C")

    assert ["stock", "pile", "stand"] == legal(game, state)


# --- rotation


def next_deal(game: Scat, dealer: int, out: int) -> tuple[int, int | None]:
    """Dealer and first turn after a hand of four seats in which `out`, without coins, knocks too low and goes out."""
    hands = ["KD QD 9D", "KH QH 9H", "KS QS 9S", "KC QC 9C"]
    hands[out] = "2D 3H 4S"
    coins = tuple(0 if seat == out else 3 for seat in range(4))
    # The last seat before the knocker plays the last turn of the hand.
    state = state_of(*hands, seat=(out - 1) % 4, knocker=out, stock="5C", pile="6C", coins=coins, dealer=dealer)
    for action in (STOCK, CARD["5C"]):
        state, _ = game.apply(state, action)

    assert (1, out) == (game.deal_number(state), state.table.gone.index(0))
    return state.table.dealer, game.to_act(state)


@prose("SR02", "4p, dealer P0, P1 goes out in this hand", "next dealer P2, first turn P3")
def check_next_dealer_is_out(vector: Vector, game: Scat) -> None:
    assert (2, 3) == next_deal(game, 0, 1)


@prose("SR03", "4p, dealer P3, P0 goes out", "next dealer P1, first turn P2")
def check_rotation_wraps(vector: Vector, game: Scat) -> None:
    assert (1, 2) == next_deal(game, 3, 0)


@prose("SR04", "P0 and P2 left, dealer P0", "first turn P2; next dealer P2, first turn P0")
def check_two_left(vector: Vector, game: Scat) -> None:
    living = (True, False, True, False)

    assert 2 == next_living(0, living)

    table = open_table(bytes(32), 5, 0, (3, 0, 3, 0), (-1, 1, -1, 2), ())

    assert (2, 0) == table.order

    table = open_table(bytes(32), 6, next_living(0, living), table.coins, table.gone, ())

    assert (2, (0, 2)) == (table.dealer, table.order)


# --- all of them


def check_for(vector: Vector) -> Check | None:
    return PROSE.get(vector["id"]) or KINDS.get(vector["kind"])


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector: Vector) -> None:
    check = check_for(vector)
    assert check is not None, f"{vector['id']} has no check"
    if vector["id"] in PROSE:
        assert WORDING[vector["id"]] == (vector["input"], vector["expect"])
    game = load("scat", **vector["options"])
    assert isinstance(game, Scat)
    check(vector, game)


def test_no_scat_vector_is_left_uncovered() -> None:
    ids = [vector["id"] for vector in VECTORS]

    assert len(ids) == len(set(ids)) > 50
    assert [] == [vector["id"] for vector in VECTORS if check_for(vector) is None]
    assert set() == set(PROSE) - set(ids), "checks without a vector"
