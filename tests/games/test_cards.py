"""The deck's text, and `referee-shuffle-1` against vectors that four languages agree on."""

import hashlib
import itertools
from collections import Counter

import pytest

from referee import cards

MASTER = bytes(range(32))
GAME_SEED = bytes.fromhex("5c6f3f2fa3cd1d68c42bd1077956cd5d423635e739a8f2688c998d8de27ff4d6")


def test_a_card_is_13_times_its_suit_plus_its_rank():
    """The suits run CDHS and the ranks 23456789TJQKA."""
    assert "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC".split() == list(cards.TEXT[:13])
    assert ["2C", "2D", "2H", "2S"] == [cards.TEXT[13 * suit] for suit in range(4)]
    assert "AS" == cards.TEXT[51]


def test_every_card_has_its_own_text_and_comes_back_from_it():
    assert 52 == len(set(cards.TEXT)) == len(cards.CARD)
    assert list(range(52)) == [cards.CARD[text] for text in cards.TEXT]


def test_the_deal_seed_is_the_vector_of_the_specification():
    assert GAME_SEED == cards.deal_seed(MASTER, "demo", 7)


def test_the_commitment_is_the_vector_of_the_specification():
    assert "2628bf4d94d871495e4a63415744aac8bcc2552402119c8c05c44b009d2fd709" == cards.commitment(GAME_SEED).hex()


@pytest.mark.parametrize(
    "order",
    [
        "7 1 0 5 2 3 4 8 6",
        "11 15 31 4 10 41 33 17 16 27 36 12 20 5 3 14 32 2 0 29 21 24 48 19 43 26 35 45 37 9 39 47 22 6 30 40 1 8 25 7"
        " 50 28 13 23 38 51 42 46 44 18 49 34",
    ],
    ids=["nine", "deck"],
)
def test_the_shuffle_is_the_vector_of_the_specification(order):
    expected = [int(word) for word in order.split()]

    assert expected == cards.shuffled(GAME_SEED, "deal", len(expected))


def test_a_seed_a_tournament_and_a_number_each_change_the_deal():
    seeds = {
        cards.deal_seed(master, tournament, number)
        for master, tournament, number in itertools.product((MASTER, bytes(32)), ("demo", "demo\n1"), (0, 1, 10))
    }

    assert 12 == len(seeds)


def test_two_labels_give_two_orders():
    assert cards.shuffled(GAME_SEED, "scat-deck-0", 52) != cards.shuffled(GAME_SEED, "scat-deck-1", 52)


def test_the_stream_is_the_big_endian_words_of_numbered_sha256_blocks():
    """It says so in protocol.md; 2**32 is the one bound that takes every word as it is."""
    blocks = [hashlib.sha256(b"seedlabel\0" + j.to_bytes(8, "big")).digest() for j in range(3)]
    expected = [int.from_bytes(block[at : at + 4], "big") for block in blocks for at in range(0, 32, 4)]
    stream = cards.Stream(b"seed", "label")

    assert expected == [stream.below(2**32) for _ in range(24)]


def test_below_rejects_the_words_of_the_incomplete_last_interval():
    """With n just above 2**31 about half of all words are refused; taking them modulo n would favour small numbers."""
    n = 2**31 + 1
    raw, stream = cards.Stream(b"seed", "reject"), cards.Stream(b"seed", "reject")
    words = [raw.below(2**32) for _ in range(400)]
    kept = [word for word in words if word < n]

    assert 120 < len(kept) < 280
    assert kept == [stream.below(n) for _ in kept]


@pytest.mark.parametrize("n", [1, 2, 3, 9, 52, 1000])
def test_below_stays_below_and_reaches_every_number(n):
    stream = cards.Stream(b"seed", "range")
    seen = {stream.below(n) for _ in range(20 * n)}

    assert set(range(n)) == seen


def test_the_shuffle_swaps_from_the_end_with_a_place_not_after_it():
    stream = cards.Stream(GAME_SEED, "deal")
    items = list("abcdefghi")
    for i in range(8, 0, -1):
        j = stream.below(i + 1)
        items[i], items[j] = items[j], items[i]
    shuffled = list("abcdefghi")
    cards.Stream(GAME_SEED, "deal").shuffle(shuffled)

    assert items == shuffled


def test_all_24_orders_of_four_cards_are_about_equally_frequent():
    """Chi-square with 23 degrees of freedom; 49.7 is exceeded by one honest shuffle in a thousand."""
    orders = Counter(tuple(cards.shuffled(GAME_SEED, f"chi-{i}", 4)) for i in range(12_000))
    expected = 12_000 / 24
    chi_square = sum((orders[order] - expected) ** 2 / expected for order in itertools.permutations(range(4)))

    assert chi_square < 49.7


def test_every_card_is_about_equally_often_on_top_of_the_deck():
    """Chi-square with 51 degrees of freedom; 87.0 is exceeded by one honest shuffle in a thousand."""
    tops = Counter(cards.shuffled(GAME_SEED, f"top-{i}", 52)[0] for i in range(2_600))
    chi_square = sum((tops[card] - 50) ** 2 / 50 for card in range(52))

    assert chi_square < 87.0
