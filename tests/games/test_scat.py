"""SCAT: each option and ruling by an example, the wire's words to the letter, and properties of random matches."""

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.cards import CARD, TEXT, Stream, shuffled
from referee.games import load, rulebook
from referee.games._base import BadOption, Event, IllegalAction, MalformedAction, show_value
from referee.games.scat import (
    DRAW,
    FROM_PILE,
    FROM_STOCK,
    KNOCK,
    LOOK,
    OVER,
    PILE,
    STAND,
    STOCK,
    THROW,
    THROWDOWN,
    WORDS,
    Scat,
    State,
    declaration,
    is_run,
    makes_31,
    pay,
    plain_value,
    showdown,
)
from tests.games.scat_positions import SEED, cards, state_of


def scat(**options: Any) -> Scat:
    game = load("scat", **options)
    assert isinstance(game, Scat)
    return game


def legal(game: Scat, state: State) -> str:
    return ",".join(game.format(action) for action in game.legal_actions(state))


def play(game: Scat, state: State, *words: str) -> tuple[State, list[Event]]:
    heard: list[Event] = []
    for word in words:
        state, events = game.apply(state, game.parse(word))
        heard += events
    return state, heard


def over(game: Scat, state: State, *words: str) -> dict[str, str]:
    """The words of the one `over` line that these actions bring about."""
    _, heard = play(game, state, *words)
    (line,) = [event.public for event in heard if event.public.startswith("over ")]
    return dict(word.split("=", 1) for word in line.split()[1:])


def why(game: Scat, state: State, word: str) -> str:
    """The sentence that refuses an action, which must leave the state as it was."""
    before = (state, hash(state))
    with pytest.raises(IllegalAction) as refusal:
        game.apply(state, game.parse(word))
    assert before == (state, hash(state))
    return str(refusal.value)


# --- values


def test_a_hand_counts_the_best_sum_within_one_suit() -> None:
    assert 2 * 20 == plain_value(cards("KS QS 4H"))
    assert 2 * 21 == plain_value(cards("AH KS AS"))
    assert 2 * 11 == plain_value(cards("AH AD AC"))


def test_the_value_of_every_hand_is_the_greatest_suit_sum() -> None:
    points = [11 if text[0] == "A" else 10 if text[0] in "TJQK" else int(text[0]) for text in TEXT]
    for hand in itertools.combinations(range(52), 3):
        sums = [sum(points[card] for card in hand if TEXT[card][1] == suit) for suit in "CDHS"]
        assert 2 * max(sums) == plain_value(hand)
        assert (max(sums) == 31) == makes_31(hand)


@given(st.lists(st.integers(0, 51), min_size=4, max_size=4, unique=True))
def test_four_cards_make_31_just_when_three_of_them_do(four: list[int]) -> None:
    assert any(plain_value(hand) == 62 for hand in itertools.combinations(four, 3)) == makes_31(tuple(four))


def test_every_four_cards_with_an_ace_and_two_tens_of_a_suit_make_31() -> None:
    for fourth in set(range(52)) - set(cards("AD TD JD")):
        assert makes_31((*cards("AD TD JD"), fourth))
        assert makes_31((fourth, *cards("AD TD JD")))
    assert not makes_31(cards("AD AC KD KC"))
    assert not makes_31(cards("AC KD QD JD"))


def test_trips_count_as_the_option_says_and_never_less_than_plain() -> None:
    assert [10, 30, 30.5] == [scat(trips=trips).value(cards("TH TD TC")) / 2 for trips in ("0", "30", "30.5")]
    assert 30 == scat(trips=30).value(cards("AH AD AC")) / 2


def test_a_straight_flush_counts_30_but_ace_king_queen_stays_31() -> None:
    game = scat(straight_flush=30)

    assert [30, 31, 30] == [game.value(cards(hand)) / 2 for hand in ("2S 4S 3S", "QH AH KH", "9C JC TC")]
    assert 9 == scat().value(cards("2S 4S 3S")) / 2
    assert 5 == game.value(cards("2S 3S 4D")) / 2


def test_ace_two_three_is_a_straight_flush_only_by_the_option() -> None:
    assert 16 == scat(straight_flush=30).value(cards("AS 2S 3S")) / 2
    assert 30 == scat(straight_flush=30, ace_low_straight=True).value(cards("3S AS 2S")) / 2
    assert not is_run(cards("KS AS 2S"), ace_low=True)
    assert not is_run(cards("2S 3S 5S"), ace_low=True)


# --- what a deal costs


def test_the_knocker_alone_lowest_loses_two_and_tied_none() -> None:
    assert (2, 0, 0) == showdown((10, 12, 12), 0)
    assert (0, 1, 0) == showdown((10, 10, 12), 0)
    assert (1, 0, 1) == showdown((10, 12, 10), 1)


def test_a_tied_knocker_pays_two_by_the_option() -> None:
    assert (2, 1, 0) == showdown((10, 10, 12), 0, "pays_two")
    assert (1, 0) == showdown((10, 12), 1, "pays_two")


def test_seats_that_are_out_neither_lose_nor_count_as_lowest() -> None:
    assert (None, 1, 0) == showdown((None, 10, 12), 2)
    assert (None, 1, 0) == declaration((None, False, True), None)


def test_a_declared_31_costs_all_but_its_holders_one() -> None:
    assert (1, 0, 1, 0) == declaration((False, True, False, True), None)


def test_the_knocker_pays_two_on_31_by_the_option_unless_it_holds_31_too() -> None:
    assert (1, 0, 1) == declaration((False, True, False), 0)
    assert (2, 0, 1) == declaration((False, True, False), 0, knocker_pays=2)
    assert (0, 0, 1) == declaration((True, True, False), 0, knocker_pays=2)


def test_declarer_pays_makes_all_pay_one() -> None:
    assert (1, 1) == declaration((True, False), None, declarer_pays=True)


def test_a_seat_on_the_dole_is_out_when_it_cannot_pay() -> None:
    assert ((0, 3), 1, ()) == pay((1, 3), (1, 0))
    assert ((0, 3), 0, (0,)) == pay((0, 3), (1, 0))


def test_without_the_dole_the_last_coin_puts_out() -> None:
    assert ((0, 3), 1, (0,)) == pay((1, 3), (1, 0), dole=False)
    assert ((1, 3), 1, ()) == pay((2, 3), (1, 0), dole=False)


def test_a_double_loss_with_one_coin_puts_out_unless_it_has_a_floor() -> None:
    assert ((0, 3), 1, (0,)) == pay((1, 3), (2, 0))
    assert ((0, 3), 1, ()) == pay((1, 3), (2, 0), double_loss="floor")
    assert ((0, 3), 0, (0,)) == pay((0, 3), (2, 0), double_loss="floor")


# --- a deal, line by line


def test_a_deal_sounds_on_the_wire_as_documented() -> None:
    game = scat()
    state = state_of("9H 4D QC", "KS TS 4H", seat=1, turn=0, dealer=0, pile="7D", stock="5S 6C")
    state, heard = play(game, state, "stock", "4H", "pile", "QC", "knock", "stock", "6C")

    assert [
        ("did seat=1 move=stock", "did seat=1 move=stock", "did seat=1 move=stock card=5S"),
        *[("did seat=1 move=4H",) * 3],
        *[("did seat=0 move=pile card=4H",) * 3],
        *[("did seat=0 move=QC",) * 3],
        *[("did seat=1 move=knock",) * 3],
        ("did seat=0 move=stock", "did seat=0 move=stock card=6C", "did seat=0 move=stock"),
        *[("did seat=0 move=6C",) * 3],
        *[("over deal=0 reason=knock hands=9H,4D,4H;KS,TS,5S values=13,25 lost=1,0 coins=2,3",) * 3],
    ] == [tuple(event.heard_by(seat) for seat in (None, 0, 1)) for event in heard[:-1]]
    assert heard[-1].public.startswith("deal n=1 dealer=1 pile=")


def test_the_deal_goes_singly_from_the_dealers_left() -> None:
    game = scat(first_dealer=1)
    state, (event,) = game.deal(3, SEED)
    deck = [TEXT[card] for card in shuffled(SEED, "scat-deck-0", 52)]

    assert 2 == game.to_act(state)
    assert f"deal n=0 dealer=1 pile={deck[9]} coins=3,3,3" == event.public
    assert f"deal n=0 dealer=1 hand={deck[0]},{deck[3]},{deck[6]} pile={deck[9]} coins=3,3,3" == event.heard_by(2)
    assert f"deal n=0 dealer=1 hand={deck[1]},{deck[4]},{deck[7]} pile={deck[9]} coins=3,3,3" == event.heard_by(0)
    assert f"deal n=0 dealer=1 hand={deck[2]},{deck[5]},{deck[8]} pile={deck[9]} coins=3,3,3" == event.heard_by(1)
    assert ",".join(deck[10:]) == game.truth(state)["stock"]


def test_the_view_has_the_documented_words_in_order() -> None:
    game = scat()
    state = state_of("9H 4D QC", "KS TS 4H", seat=1, turn=3, dealer=0, pile="3C 7D", stock="5S", coins=(0, 2))

    assert {
        "deal": "0",
        "turn": "3",
        "phase": "draw",
        "hand": "KS,TS,4H",
        "pile": "7D",
        "stock": "44",
        "coins": "0,2",
        "knocker": "-",
        "dealer": "0",
    } == game.view(state, 1)

    state, _ = play(game, state, "stock")
    mine, other = game.view(state, 1), game.view(state, 0)

    assert "deal turn phase hand drawn from pile stock coins knocker dealer" == " ".join(mine)
    assert ("discard", "KS,TS,4H,5S", "5S", "stock", "43") == tuple(
        mine[key] for key in ("phase", "hand", "drawn", "from", "stock")
    )
    assert "deal turn phase hand pile stock coins knocker dealer" == " ".join(other)
    assert ("discard", "9H,4D,QC", "7D") == (other["phase"], other["hand"], other["pile"])


def test_a_seat_that_is_out_is_a_dash_in_every_list() -> None:
    game = scat()
    state = state_of("KD QD 9D", "", "2D 3H 4S", seat=2, coins=(3, 0, 0), gone=(-1, 0, -1), number=4, dealer=0)
    state = state._replace(stock=(*cards("5C"), *state.stock))

    assert "3,-,0" == game.view(state, 0)["coins"]
    assert "-" == game.view(state, 1)["hand"]

    state, heard = play(game, state, "knock", "stock", "5C")

    assert "over deal=4 reason=knock hands=KD,QD,9D;-;2D,3H,4S values=29,-,4 lost=0,-,2 coins=3,-,-" == heard[-1].public
    assert None is game.to_act(state)
    assert (0, None, 2) == game.results(state)[-1]
    assert ((3, 0, 0), (1, 3, 2)) == game.outcome(state)


def test_a_declared_31_shows_the_holders_only_and_the_declarer_all_four_cards() -> None:
    state = state_of("AS KS 2H", "3C 4C 5C", "6C 7C 8C", stock="QS")
    words = over(scat(), state, "stock")

    assert ("31", "AS,KS,2H,QS;-;-", "31,-,-") == (words["reason"], words["hands"], words["values"])


def test_half_points_are_spelt_with_a_half() -> None:
    state = state_of("5S 5H 5D", "KS QS JS", seat=1, knocker=0, stock="2D")

    assert "30.5,30" == over(scat(trips="30.5"), state, "stock", "2D")["values"]


# --- Q5, Q6, Q7, R4, R14: what may be done


def test_a_seat_may_knock_in_its_first_turn_unless_the_option_forbids_it() -> None:
    state, _ = scat().deal(3, SEED)

    assert "stock,pile,knock" == legal(scat(), state)
    assert "stock,pile" == legal(scat(first_turn_knock=False), state)
    assert "stock,pile,knock" == legal(scat(first_turn_knock=False), state._replace(turn=3))
    assert "first_turn_knock=false" in why(scat(first_turn_knock=False), state._replace(turn=2), "knock")


def test_after_a_knock_nobody_knocks_and_stand_needs_the_option() -> None:
    state = state_of("KS QS 2D", "3C 4C 5C", seat=1, knocker=0)

    assert "stock,pile" == legal(scat(), state)
    assert "Seat 0 has knocked, and a hand has one knock; play stock or pile." == why(scat(), state, "knock")
    assert "final_stand=false" in why(scat(), state, "stand")
    assert "stock,pile,stand" == legal(scat(final_stand=True), state)


def test_stand_is_a_whole_turn() -> None:
    state = state_of("KS QS 2D", "3C 4C 5C", "6H 7H 8H", seat=1, knocker=0)
    state, heard = play(scat(final_stand=True), state, "stand")

    assert ["did seat=1 move=stand"] == [event.public for event in heard]
    assert (2, 21) == (state.seat, state.turn)


def test_nobody_stands_without_a_knock() -> None:
    state = state_of("KS QS 2D", "3C 4C 5C")

    assert "nobody has knocked" in why(scat(final_stand=True), state, "stand")


def test_each_other_seat_has_one_more_turn_after_a_knock() -> None:
    state = state_of("KS QS 9S", "3C 4C 5C", "6H 7H 8H", stock="2D 3D")
    state, heard = play(scat(), state, "knock", "stock", "2D", "stock", "3D")

    assert heard[-2].public.startswith("over deal=0 reason=knock ")
    assert 1 == scat().deal_number(state)


def test_min_knock_counts_the_variants_in_plain_points() -> None:
    state = state_of("TH TD TC", "3C 4C 5C")

    assert "knock" in legal(scat(min_knock=30, trips="30.5"), state)
    assert "knock" not in legal(scat(min_knock=31, trips="30.5"), state)
    assert (
        "A knock needs at least 21 points (min_knock), and your hand TH,TD,TC is worth 10; play stock or pile."
        == why(scat(min_knock=21), state, "knock")
    )


def test_the_card_taken_from_the_pile_may_not_go_back_at_once() -> None:
    state, _ = play(scat(), state_of("KS QS 2D", "3C 4C 5C", pile="9C 7D"), "pile")

    assert "KS,QS,2D" == legal(scat(), state)
    assert "7D was taken from the discard pile in this turn and may not go back at once; discard KS, QS or 2D." == why(
        scat(), state, "7D"
    )
    assert "9C" == scat().view(state, 0)["pile"]


# --- Q8 to Q11, R1, R2, R13, R15: thirty-one


def dealt(holder: int) -> State:
    """The start of a deal of three, seat 1 first, in which `holder` was dealt 31."""
    hands = ["2D 3D 4D", "2S 3S 4S", "2H 3H 4H"]
    hands[holder] = "AC KC QC"
    return state_of(*hands, seat=1, turn=0, dealer=0, pile="5D", stock="6D 7D")


def test_own_turn_declares_a_dealt_31_when_its_holders_turn_begins() -> None:
    game = scat(dealt31="own_turn")
    state = dealt(2)

    assert (1, "stock,pile,knock") == (game.to_act(state), legal(game, state))

    words = over(game, state, "knock")  # seat 2 is next, and declares before it moves

    assert ("31", "1,1,0") == (words["reason"], words["lost"])


def test_own_turn_declares_the_first_seats_31_at_once() -> None:
    seed = next(
        seed
        for seed in (number.to_bytes(32, "big") for number in range(5000))
        if makes_31(scat(dealt31="off").deal(2, seed)[0].hands[1])
    )
    _, events = scat(dealt31="own_turn").deal(2, seed)

    assert events[1].public.startswith("over deal=0 reason=31 ")


def test_own_turn_does_not_look_at_later_turns() -> None:
    game = scat(dealt31="own_turn")
    state = state_of("KS QS 2D", "AH KH QH", turn=2)
    state, heard = play(game, state, "knock")

    assert (1, 1) == (len(heard), game.to_act(state))


def test_off_leaves_a_dealt_31_to_the_next_draw_or_the_showdown() -> None:
    game = scat(dealt31="off")
    state = dealt(1)

    assert (1, "stock,pile,knock") == (game.to_act(state), legal(game, state))
    assert ("31", "1,0,1") == tuple(over(game, state, "stock")[key] for key in ("reason", "lost"))

    state, _ = play(game, state, "knock", "pile", TEXT[state.hands[2][0]], "pile")
    words = over(game, state, TEXT[state.hands[0][0]])

    assert ("knock", "31") == (words["reason"], words["values"].split(",")[1])


@pytest.mark.parametrize("dealt31", ["own_turn", "off"])
def test_when_one_declares_all_who_hold_31_are_safe(dealt31: str) -> None:
    game = scat(dealt31=dealt31, knocker_pays_on_31=2)
    state = state_of("AH KH QH", "AS KS 2D", "4C 5C 6C", seat=1, turn=1, stock="QS", dealer=2)

    assert "0,0,1" == over(game, state, "stock")["lost"]
    assert "0,0,1" == over(game, state._replace(knocker=0), "stock")["lost"]


def test_a_31_after_a_knock_ends_the_hand_and_the_pending_turns_are_lost() -> None:
    state = state_of("KS QS 2D", "AH KH 5C", "6C 7C 8C", seat=1, knocker=0, stock="QH")

    assert "1,0,1" == over(scat(), state, "stock")["lost"]
    assert "2,0,1" == over(scat(knocker_pays_on_31=2), state, "stock")["lost"]


def test_the_declarer_pays_by_the_option() -> None:
    state = state_of("AS KS 2H", "3C 4C 5C", stock="QS")

    assert "0,1" == over(scat(), state, "stock")["lost"]
    assert "1,1" == over(scat(declarer_pays=True), state, "stock")["lost"]


def test_thirty_and_a_half_is_no_31() -> None:
    game = scat(trips="30.5")
    _, heard = play(game, state_of("5S 5H 2D", "3C 4C 6C", stock="5D"), "stock")

    assert 1 == len(heard)


# --- Q14, R4 to R7: the stock runs out


def last_card(**fields: Any) -> State:
    """Seat 0 is to draw, and one card is left in the stock."""
    state = state_of("2D 3D 9C", "KH 3H 9S", pile="4C 5C 6C", stock="", **fields)
    return state._replace(stock=cards("2S"))


def test_the_stock_out_showdown_comes_after_the_turn_that_took_the_last_card() -> None:
    state, _ = play(scat(), last_card(), "stock")

    assert ("0", "discard") == (scat().view(state, 0)["stock"], scat().view(state, 0)["phase"])
    assert ("stock", "9,13", "1,0") == tuple(over(scat(), state, "2S")[key] for key in ("reason", "values", "lost"))


def test_a_void_hand_costs_nothing_shows_nothing_and_passes_the_deal() -> None:
    state, heard = play(scat(stock_out="void"), last_card(), "stock", "2S")

    assert "over deal=0 reason=void hands=-;- values=-,- lost=0,0 coins=3,3" == heard[2].public
    assert (1, 0) == (state.table.number, state.table.dealer)


@pytest.mark.parametrize("stock_out", ["showdown", "void"])
def test_with_a_knock_pending_the_rest_take_the_discard_or_stand(stock_out: str) -> None:
    game = scat(stock_out=stock_out)
    state = state_of("2D 3D 9C", "KH 3H 9S", "KC 3S 4H", seat=1, knocker=0, pile="4C", stock="")._replace(
        stock=cards("2S")
    )
    state, _ = play(game, state, "stock", "2S")

    assert (2, "pile,stand") == (game.to_act(state), legal(game, state))
    assert "The stock is empty; play pile or stand." == why(game, state, "stock")

    words = over(game, state, "stand")

    assert ("knock", "2,0,0") == (words["reason"], words["lost"])


def test_reshuffle_makes_a_new_stock_of_all_discards_under_the_top() -> None:
    game = scat(stock_out="reshuffle")
    state, heard = play(game, last_card(), "stock", "2S")
    expected = list(cards("4C 5C 6C"))
    Stream(SEED, "scat-stock-0-0").shuffle(expected)

    assert ["did seat=0 move=stock", "did seat=0 move=2S", "reshuffle stock=3"] == [event.public for event in heard]
    assert (tuple(expected), cards("2S"), 1) == (state.stock, state.pile, state.reshuffles)
    assert "stock,pile,knock" == legal(game, state)


def test_reshuffle_serves_a_pending_knock_too_but_not_a_hand_that_is_over() -> None:
    game = scat(stock_out="reshuffle")
    state = state_of("2D 3D 9C", "KH 3H 9S", "KC 3S 4H", seat=1, knocker=0, pile="4C", stock="")._replace(
        stock=cards("2S")
    )
    state, heard = play(game, state, "stock", "2S")

    assert "reshuffle stock=1" == heard[-1].public
    assert "stock,pile" == legal(game, state)

    _, heard = play(game, last_card(knocker=1), "stock", "2S")

    assert heard[2].public.startswith("over ")


def test_the_second_reshuffle_of_a_deal_has_a_label_of_its_own() -> None:
    game = scat(stock_out="reshuffle")
    state, _ = play(game, last_card()._replace(reshuffles=1), "stock", "2S")
    expected = list(cards("4C 5C 6C"))
    Stream(SEED, "scat-stock-0-1").shuffle(expected)

    assert tuple(expected) == state.stock


def test_the_turn_cap_ends_a_hand_as_a_run_out_stock_would() -> None:
    state = state_of("2D 3D 9C", "KH 3H 9S", turn=9)

    for stock_out, reason, lost in (("showdown", "cap", "1,0"), ("reshuffle", "cap", "1,0"), ("void", "void", "0,0")):
        game = scat(turn_cap=10, stock_out=stock_out)
        words = over(game, state, "pile", "9C")

        assert (reason, lost) == (words["reason"], words["lost"])


def test_a_knock_in_the_last_turn_leaves_the_others_the_discard_or_stand() -> None:
    game = scat(turn_cap=10)
    state, _ = play(game, state_of("KD QD 9D", "KH 3H 9S", turn=9), "knock")

    assert (1, "pile,stand") == (game.to_act(state), legal(game, state))
    assert "reached its 10 turns" in why(game, state, "stock")
    assert "knock" == over(game, state, "stand")["reason"]


# --- Q15, R8 to R12: matches


def test_all_out_at_once_share_the_place() -> None:
    state, _ = play(
        scat(), last_card(coins=(0, 0))._replace(hands=(cards("2D 3H 7C"), cards("7H 3S 4D"))), "stock", "2S"
    )

    assert None is scat().to_act(state)
    assert ((0, 0), (1, 1)) == scat().outcome(state)


def test_replay_makes_a_hand_that_puts_all_out_cost_nothing() -> None:
    game = scat(all_out="replay")
    state = last_card(coins=(0, 0))._replace(hands=(cards("2D 3H 7C"), cards("7H 3S 4D")))
    state, heard = play(game, state, "stock", "2S")

    assert "over deal=0 reason=stock hands=2D,3H,7C;7H,3S,4D values=7,7 lost=0,0 coins=0,0" == heard[2].public
    assert (1, 0, (0, 0), (-1, -1)) == (*state.table[1:3], state.table.coins, state.table.gone)


def test_the_hand_cap_ends_a_match_and_coins_rank_the_living() -> None:
    game = scat(hand_cap=6)
    state = state_of(
        "2D 3D 9C", "KH 3H 9S", "KS QS 9D", "", coins=(3, 1, 2, 0), gone=(-1, -1, -1, 2), number=5, dealer=2
    )
    state, heard = play(game, state._replace(knocker=1, seat=0), "pile", "9C")

    assert heard[-1].public.startswith("over deal=5 ")
    assert (None, OVER) == (game.to_act(state), state.phase)
    assert ((2, 1, 2, 0), (1, 3, 1, 4)) == game.outcome(state)
    assert 5 == game.deal_number(state)
    with pytest.raises(IllegalAction, match="The match is over"):
        game.apply(state, STOCK)


def test_the_later_out_ranks_better_and_the_same_hand_shares() -> None:
    state = state_of("", "", "", "KS QS 9D", gone=(4, 2, 4, -1), coins=(0, 0, 0, 1), number=5, dealer=3)

    assert (2, 4, 2, 1) == scat().outcome(state).ranks


def test_the_first_dealer_is_a_seat_or_drawn_by_the_seed() -> None:
    assert 3 == scat(first_dealer=3).deal(5, SEED)[0].table.dealer
    assert Stream(SEED, "scat-dealer").below(5) == scat(first_dealer="random").deal(5, SEED)[0].table.dealer
    with pytest.raises(BadOption, match="first_dealer=3 is no seat of a match with 3 seats"):
        scat(first_dealer=3).deal(3, SEED)


def test_start_coins_are_what_each_seat_holds() -> None:
    assert (5, 5) == scat(start_coins=5).deal(2, SEED)[0].table.coins


def test_a_match_has_two_to_nine_seats() -> None:
    for seats in (1, 10):
        with pytest.raises(BadOption, match="2 to 9 seats"):
            scat().deal(seats, SEED)


# --- Q19, R3: throw down


def test_any_asks_each_seat_in_turn_before_it_sees_its_hand() -> None:
    game = scat(throw_down="any")
    state, (event,) = game.deal(3, SEED)

    assert all(" hand=- " in event.heard_by(seat) for seat in range(3))
    assert (1, "throwdown,look", "throw") == (game.to_act(state), legal(game, state), game.view(state, 1)["phase"])
    assert ["-", "-", "-"] == [game.view(state, seat)["hand"] for seat in range(3)]

    hand = ",".join(TEXT[card] for card in state.hands[1])
    state, (event,) = game.apply(state, LOOK)

    assert "did seat=1 move=look" == event.public
    assert f"did seat=1 move=look hand={hand}" == event.heard_by(1)
    assert ["-", hand, "-"] == [game.view(state, seat)["hand"] for seat in range(3)]
    assert "0" == game.view(state, 1)["turn"]

    state, _ = play(game, state, "look", "look")

    assert (1, DRAW, 0) == (game.to_act(state), state.phase, state.turn)


def test_eldest_asks_the_first_to_play_alone() -> None:
    game = scat(throw_down="eldest")
    state, (event,) = game.deal(3, SEED)

    assert [False, True, False] == [" hand=- " in event.heard_by(seat) for seat in range(3)]

    state, _ = game.apply(state, LOOK)

    assert (1, DRAW) == (game.to_act(state), state.phase)


def test_a_throw_down_is_a_knock_that_nobody_answers() -> None:
    game = scat(throw_down="any", min_knock=31, first_turn_knock=False)
    state = state_of("2D 3H 4C", "KS QS 9D", phase=THROW, turn=0)
    state, heard = play(game, state, "throwdown")

    assert "did seat=0 move=throwdown" == heard[0].public
    assert "over deal=0 reason=throwdown hands=2D,3H,4C;KS,QS,9D values=4,20 lost=2,0 coins=1,3" == heard[1].public


def test_a_thrown_31_is_only_a_value() -> None:
    game = scat(throw_down="any", dealt31="off")
    words = over(game, state_of("AS KS QS", "2D 9D 3H", "2H 9H 4C", phase=THROW, turn=0), "throwdown")

    assert ("throwdown", "0,1,1") == (words["reason"], words["lost"])


def test_own_turn_declares_after_the_throw_down_was_declined() -> None:
    game = scat(throw_down="eldest", dealt31="own_turn")
    _, heard = play(game, state_of("AS KS QS", "2D 9D 3H", phase=THROW, turn=0), "look")

    assert heard[1].public.startswith("over deal=0 reason=31 ")


def test_before_the_look_nothing_else_can_be_played() -> None:
    state = state_of("2D 3H 4C", "KS QS 9D", phase=THROW, turn=0)

    assert "knock must wait: you have not seen your hand yet; play throwdown or look." == why(
        scat(throw_down="any"), state, "knock"
    )
    assert "you have seen yours" in why(scat(throw_down="any"), state._replace(phase=DRAW), "throwdown")


# --- words


def test_every_action_has_one_spelling() -> None:
    game = scat()

    assert list(range(58)) == [game.parse(word) for word in WORDS]
    assert list(WORDS) == [game.format(action) for action in range(58)]


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("5c", "5C"),
        ("Knock", "knock"),
        ("stok", "stock"),
        ("10H", None),
        ("", None),
        ("\xfffé\n", None),
        ("x" * 999, None),
    ],
)
def test_what_is_no_action_is_malformed_and_told_in_ascii(word: str, hint: str | None) -> None:
    with pytest.raises(MalformedAction) as refusal:
        scat().parse(word)
    text = str(refusal.value)

    assert text.isascii() and text.isprintable() and len(text) < 300
    assert (hint is None) == ("Did you mean" not in text)
    assert hint is None or text.endswith(f"Did you mean {hint}?")


def test_refusals_say_what_was_wrong_what_was_seen_and_what_would_do() -> None:
    game = scat()
    state = state_of("AS KH 3D", "3C 4C 5C", stock="9H")

    assert "5C cannot be discarded before a card is drawn; play stock, pile or knock." == why(game, state, "5C")

    state, _ = play(game, state, "stock")

    assert "5C is not in your hand (AS,KH,3D,9H); discard AS, KH, 3D or 9H." == why(game, state, "5C")
    assert "knock must wait: you have drawn 9H and hold four cards; discard AS, KH, 3D or 9H." == why(
        game, state, "knock"
    )


def test_options_that_leave_each_other_no_meaning_are_refused() -> None:
    for options in ({"ace_low_straight": True}, {"double_loss": "floor", "dole": False}):
        with pytest.raises(BadOption, match="means nothing with"):
            scat(**options)


def test_the_caretaker_looks_draws_and_discards_what_it_drew() -> None:
    game = scat(throw_down="any")

    assert LOOK == game.caretaker(state_of("2D 3H 4C", "KS QS 9D", phase=THROW))
    assert STOCK == game.caretaker(state_of("2D 3H 4C", "KS QS 9D"))
    assert CARD["5S"] == game.caretaker(state_of("2D 3H 4C 5S", "KS QS 9D", phase=FROM_STOCK))
    assert CARD["2D"] == game.caretaker(state_of("2D 3H 4C 5S", "KS QS 9D", phase=FROM_PILE))
    assert STAND == game.caretaker(state_of("2D 3H 4C", "KS QS 9D", knocker=1, stock=""))


def test_the_rulebook_lists_every_option_as_it_is_declared() -> None:
    text = rulebook("scat")
    for option in Scat.declared:
        values = ", ".join(option.choices) or (f"{option.low} to {option.high}" if option.high else "true, false")
        if option.name == "first_dealer":
            values = "0 to 8, random"
        elif option.name == "knocker_pays_on_31":
            values = "1, 2"
        assert f"| `{option.name}` | {show_value(option.default)} | {values} |" in text
        assert f"| {option.rules} |" in text


def test_the_rulebook_has_every_rule() -> None:
    named = set(re.findall(r"\b[SQR]\d+[a-d]?\b", rulebook("scat")))

    assert set() == {f"S{number}" for number in range(1, 52)} - named
    assert set() == {*(f"Q{number}" for number in range(1, 20)), "Q19a", "Q19b", "Q19c", "Q19d"} - named
    assert set() == {f"R{number}" for number in range(1, 16)} - named


# --- properties of whole matches


@st.composite
def games(draw: st.DrawFn) -> Scat:
    """SCAT under any options, with caps that keep a match short."""
    options: dict[str, Any] = {}
    for option in Scat.declared:
        if isinstance(option.default, bool):
            options[option.name] = draw(st.booleans())
        elif option.choices:
            options[option.name] = draw(st.sampled_from(option.choices))
    options |= {
        "start_coins": draw(st.integers(1, 4)),
        "knocker_pays_on_31": draw(st.integers(1, 2)),
        "min_knock": draw(st.sampled_from([0, 0, 17, 21, 31])),
        "turn_cap": draw(st.sampled_from([1, 3, 12, 70, 500])),
        "hand_cap": draw(st.sampled_from([1, 4, 20])),
        "first_dealer": draw(st.sampled_from(["random", "0", "1"])),
    }
    assume(Scat.contradiction(options) is None)
    return scat(**options)


def walk(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> Iterator[tuple[State, int, State, tuple[Event, ...]]]:
    """Play a random match that likes to knock little; yield each step."""
    state, _ = game.deal(seats, seed)
    while game.to_act(state) is not None:
        actions = list(game.legal_actions(state))
        weights = [1 if action in (KNOCK, THROWDOWN) else 8 for action in actions]
        action = chance.choices(actions, weights)[0]
        after, events = game.apply(state, action)
        yield state, action, after, events
        state = after


matches = given(
    game=games(),
    seats=st.integers(2, 9),
    seed=st.binary(min_size=32, max_size=32),
    chance=st.randoms(use_true_random=False),
)
quick = settings(max_examples=30, deadline=None)


@quick
@matches
def test_coins_never_rise_cards_are_never_lost_and_the_match_ends(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> None:
    hand_cap, turn_cap = int(game.options["hand_cap"]), int(game.options["turn_cap"])
    steps, state = 0, game.deal(seats, seed)[0]
    for before, _, state, _ in walk(game, seats, seed, random.Random(chance.random())):
        steps += 1
        assert all(new <= old for old, new in zip(before.table.coins, state.table.coins, strict=True))
        assert all(new == old for old, new in zip(before.table.gone, state.table.gone, strict=True) if old >= 0)
        assert 52 == len({*itertools.chain(*state.hands, state.stock, state.pile)})
        assert 52 == sum(map(len, state.hands)) + len(state.stock) + len(state.pile)
        assert isinstance(hash(state), int)

    assert steps <= hand_cap * (2 * (turn_cap + seats) + seats)
    assert len(game.results(state)) <= hand_cap
    scores, ranks = game.outcome(state)
    assert scores == state.table.coins and 1 in ranks
    assert len(game.results(state)) == hand_cap or sum(gone < 0 for gone in state.table.gone) <= 1


@quick
@matches
def test_apply_takes_every_legal_action_and_refuses_all_others(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> None:
    chance = random.Random(chance.random())
    for before, *_ in itertools.islice(walk(game, seats, seed, chance), 400):
        if chance.random() > 0.15:
            continue
        legal_now, kept = list(game.legal_actions(before)), hash(before)
        assert legal_now and len(legal_now) == len(set(legal_now))
        assert game.caretaker(before) in legal_now
        for action in range(-1, len(WORDS) + 1):
            if action in legal_now:
                game.apply(before, action)
                continue
            with pytest.raises(IllegalAction) as refusal:
                game.apply(before, action)
            text = str(refusal.value)
            assert text.isascii() and text.endswith(".") and game.format(legal_now[-1]) in text
        assert kept == hash(before)


@quick
@matches
def test_a_seat_sees_and_hears_nothing_of_hidden_cards(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> None:
    chance = random.Random(chance.random())
    for before, action, after, events in itertools.islice(walk(game, seats, seed, chance), 300):
        actor = game.to_act(before)
        seat = chance.randrange(seats)
        other = reshuffled(before, seat, game.view(before, seat)["hand"] == "-", chance)
        assert game.view(before, seat) == game.view(other, seat)
        if seat == actor:
            assert list(game.legal_actions(before)) == list(game.legal_actions(other))
        elif action in (STOCK, LOOK, PILE) and len(events) == 1 == len(heard := game.apply(other, action)[1]):
            # Whoever watches hears the same, whatever the cards that it cannot see.
            assert events[0].heard_by(seat) == heard[0].heard_by(seat)
            assert events[0].heard_by(None) == heard[0].heard_by(None)
            assert after.table == before.table


def reshuffled(state: State, seat: int, blind: bool, chance: random.Random) -> State:
    """The state with all that `seat` cannot see dealt anew."""
    hidden = [card for other, hand in enumerate(state.hands) if other != seat or blind for card in hand] + [
        *state.stock
    ]
    chance.shuffle(hidden)
    hands = tuple(
        hand if other == seat and not blind else tuple(hidden.pop() for _ in hand)
        for other, hand in enumerate(state.hands)
    )
    return state._replace(hands=hands, stock=tuple(hidden))


@quick
@matches
def test_the_same_seed_and_actions_give_the_same_states_and_lines(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> None:
    number = chance.random()
    first = list(itertools.islice(walk(game, seats, seed, random.Random(number)), 200))

    assert first == list(itertools.islice(walk(game, seats, seed, random.Random(number)), 200))
    assert all(action == game.parse(game.format(action)) for _, action, _, _ in first)


@quick
@matches
def test_every_line_is_short_ascii_and_tells_the_moves_of_the_match(
    game: Scat, seats: int, seed: bytes, chance: random.Random
) -> None:
    for _, action, state, events in itertools.islice(walk(game, seats, seed, random.Random(chance.random())), 300):
        assert f"move={game.format(action)}" in events[0].public
        for event in events:
            for line in (event.public, *event.private.values()):
                assert line.isascii() and line.isprintable() and len(line) < 1000
                assert line.split()[0] in ("did", "deal", "reshuffle", "over")
        assert ["deal", "turn"] == list(game.view(state, 0))[:2]
