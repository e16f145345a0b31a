"""What the client works out by itself agrees with the referee's rules: the table it mirrors, values, sets, legality."""

import random
from itertools import islice

import pytest
from fake_referee import FakeReferee
from human import grammar, play, scat, scout, scout_flow
from human.model import Model, Send
from hypothesis import given
from hypothesis import strategies as st
from scenes import Seat

from referee.cards import CARD, TEXT
from referee.games import load

MIRRORED = {
    "scat": ("deal", "turn", "hand", "stock", "coins", "knocker", "dealer", "drawn", "source"),
    "scout": ("deal", "turn", "hand", "active", "owner", "cards", "taken", "tokens", "marker", "scouts", "totals"),
}
OPTIONS = [
    ("scat", 2, {}),
    ("scat", 4, {"final_stand": "true", "stock_out": "reshuffle", "double_loss": "floor"}),
    ("scat", 9, {"throw_down": "any", "trips": "30.5", "straight_flush": "30"}),
    ("scout", 2, {}),
    ("scout", 2, {"two_player_token_to": "owner"}),
    ("scout", 3, {"unbeaten_exempt": "true"}),
    ("scout", 4, {"scout_insert_public": "true"}),
    ("scout", 5, {"orientation": "until_own_move"}),
]


@pytest.mark.parametrize(("game", "seats", "options"), OPTIONS)
def test_table_built_from_events_is_what_the_next_request_states(
    game: str, seats: int, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    view = {"scat": scat.view, "scout": scout.view}[game]

    def checked(table, message):  # type: ignore[no-untyped-def]
        nonlocal compared
        after = view(table, message)
        for name in MIRRORED[game]:
            assert getattr(table, name) == getattr(after, name), f"{name} differs before {message}"
        compared += 1
        return after

    monkeypatch.setattr({"scat": scat, "scout": scout}[game], "view", checked)
    luck = random.Random(7)
    referee = FakeReferee(game, seats, seed=11, me=seats - 1, **options)
    model = Model()
    lines = referee.start()
    while not referee.over and compared < 120:
        for line in lines:
            model, _ = play.hear(model, line)
        lines = referee.answer(f"move {referee.request} {luck.choice(model.legal)}")
    assert compared > 10


@given(st.lists(st.sampled_from(TEXT), min_size=3, max_size=3, unique=True), st.sampled_from(["0", "30", "30.5"]))
def test_hand_counts_what_the_referee_counts(hand: list[str], trips: str) -> None:
    game = load("scat", trips=trips, straight_flush="30", ace_low_straight="true")
    options = {name: str(one).lower() for name, one in game.options.items()}
    assert scat.value(tuple(hand), options) == game.value(tuple(CARD[card] for card in hand)) / 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("seats", [3, 5])
def test_shows_are_those_that_the_referee_lists(seats: int) -> None:
    seat = Seat("scout", seats=seats, seed=5)
    luck = random.Random(3)
    for _ in range(60):
        if seat.model.ended:
            break
        table = scout_flow.table_of(seat.model)
        legal = {word for word in seat.model.legal if word.startswith("show:")}
        if table.phase == "move":
            assert {grammar.show_word(*one) for one in scout.shows(table.hand, table.active)} == legal
            for word in (one for one in seat.model.legal if one.startswith("scoutshow:")):
                hand, rest = scout.inserted(table.hand, table.active, grammar.scouting(word))
                assert scout.shows(hand, rest), f"{word} is legal, but no Show follows"
        word = luck.choice(seat.model.legal)
        request = seat.model.request
        assert request is not None
        seat.feed = seat.referee.answer(f"move {request.id} {word}")
        seat.say("last")


def test_end_of_a_deal_is_explained_with_the_numbers_of_the_referee() -> None:
    luck = random.Random(5)
    for game, seats in (("scat", 4), ("scout", 3)):
        referee = FakeReferee(game, seats, seed=3)
        model, lines, ends = Model(), referee.start(), 0
        while not referee.over and ends < 12:
            for line in lines:
                model, _ = play.hear(model, line)
                if line.startswith("over "):
                    ends += 1
                    assert model.table is not None and model.table.over is not None
                    told = " ".join(model.table.over.lines)
                    for amount in model.table.over.per_seat("lost" if game == "scat" else "points"):
                        assert amount in ("-", "0") or amount in told
            if not referee.over:
                lines = referee.answer(f"move {referee.request} {luck.choice(model.legal)}")
        assert ends


def test_typed_words_read_back_as_what_is_sent() -> None:
    for word, text in {
        "show:2-4": "show 3-5",
        "show:3": "show 4",
        "scout:L5f": "scout left flip at 6",
        "pile": "take",
        "TH": "drop 10H",
    }.items():
        assert grammar.typed(word) == text
    assert grammar.card(("king", "of", "spades")) == "KS"
    assert [grammar.card((text,)) for text in ("10h", "th", "T♥", "as", "joker", "11h")] == [
        "TH",
        "TH",
        "TH",
        "AS",
        None,
        None,
    ]
    assert list(islice((grammar.places((text,), 9) for text in ("5-6", "6-5", "3")), 3)) == [(4, 5), (4, 5), (2, 2)]


def test_every_line_of_a_later_protocol_is_ignored() -> None:
    seat = Seat("scat", seats=2, seed=1)
    before = seat.model
    after, effects = play.hear(before, "weather sunny degrees=20")
    assert after == before and not [one for one in effects if isinstance(one, Send)]
