"""SCAT against its independent judge: the judge against the rulebook's worked examples, then the game against it."""

from collections import Counter
from functools import cache

import pytest

from referee import games
from referee.cards import TEXT
from tests.oracles import Rig, compare, random_options, random_seed, scat_oracle, seeded
from tests.oracles.scat_oracle import ScatOracle

PLAIN = {
    "trips": "0",
    "straight_flush": "0",
    "ace_low_straight": False,
    "knocker_tie": "safe",
    "dole": True,
    "double_loss": "out",
    "declarer_pays": False,
    "knocker_pays_on_31": 1,
}


@pytest.mark.parametrize(
    ("hand", "options", "value"),
    [
        ("KH 8H 5H", {}, 23),
        ("JC 7H 4S", {}, 10),
        ("6S 4S TD", {}, 10),
        ("AS KS QS", {}, 31),
        ("AD TD JD", {}, 31),
        ("AC TC 9C", {}, 30),
        ("AH AS KS", {}, 21),
        ("TH TD TC", {}, 10),
        ("TH TD TC", {"trips": "30.5"}, 30.5),
        ("AH AD AC", {}, 11),
        ("AH AD AC", {"trips": "30"}, 30),
        ("2S 3S 4S", {}, 9),
        ("TS JS QS", {}, 30),
        ("AH KH QH", {"straight_flush": "30"}, 31),
        ("AS 2S 3S", {"straight_flush": "30"}, 16),
        ("AS 2S 3S", {"straight_flush": "30", "ace_low_straight": True}, 30),
        ("9C TC JC", {}, 29),
        ("9C TC JC", {"straight_flush": "30"}, 30),
    ],
)
def test_the_oracle_values_hands_as_the_rulebook_does(hand, options, value):
    assert value == scat_oracle.value(hand.split(), PLAIN | options)


@pytest.mark.parametrize(
    ("hand", "declares"), [("AS KS 2H QS", True), ("QS JS TS 9S", False), ("5H 6H 7H AH", False), ("AS KS QH", False)]
)
def test_the_oracle_finds_31_among_four_cards(hand, declares):
    assert declares == scat_oracle.is_31(hand.split())


@pytest.mark.parametrize(
    ("values", "knocker", "options", "lost"),
    [
        ([18, 19, 25], 0, {}, [2, 0, 0]),
        ([18, 18, 25], 0, {}, [0, 1, 0]),
        ([20, 20, 20], 0, {}, [0, 1, 1]),
        ([25, 17, 17], 0, {}, [0, 1, 1]),
        ([26, 12, 12, 12], 0, {}, [0, 1, 1, 1]),
        ([15, 16], 0, {}, [2, 0]),
        ([14, 22, 22], None, {}, [1, 0, 0]),
        ([20, 20], None, {}, [1, 1]),
        ([21, 30, 10, 10, 28], 1, {}, [0, 0, 1, 1, 0]),
        ([10] * 9, 4, {}, [1, 1, 1, 1, 0, 1, 1, 1, 1]),
        ([15, 15], 0, {"knocker_tie": "pays_two"}, [2, 1]),
    ],
)
def test_the_oracle_counts_lives_as_the_rulebook_does(values, knocker, options, lost):
    assert lost == list(scat_oracle.lives_lost_at_showdown(dict(enumerate(values)), knocker, PLAIN | options).values())


@pytest.mark.parametrize(
    ("holders", "knocker", "seats", "options", "lost"),
    [
        ([1], 0, 3, {"knocker_pays_on_31": 2}, [2, 0, 1]),
        ([2], None, 4, {}, [1, 1, 0, 1]),
        ([0, 2], None, 4, {}, [0, 1, 0, 1]),
        ([0, 1], None, 2, {}, [0, 0]),
    ],
)
def test_the_oracle_charges_a_31_as_the_rulebook_does(holders, knocker, seats, options, lost):
    assert lost == list(scat_oracle.lives_lost_by_31(holders, range(seats), knocker, PLAIN | options).values())


@pytest.mark.parametrize(
    ("coins", "lost", "options", "left"),
    [
        (1, 1, {"dole": False}, (0, True)),
        (0, 1, {}, (0, True)),
        (1, 2, {}, (0, True)),
        (1, 2, {"double_loss": "floor"}, (0, False)),
        (2, 2, {}, (0, False)),
        (3, 0, {}, (3, False)),
        (0, 0, {}, (0, False)),
        (0, 2, {"double_loss": "floor"}, (0, True)),
        (1, 2, {"double_loss": "floor", "dole": False}, (0, True)),
    ],
)
def test_the_oracle_takes_coins_as_the_rulebook_does(coins, lost, options, left):
    assert left == scat_oracle.pay(coins, lost, PLAIN | options)


def test_one_deal_in_921_holds_31():
    """24 of the 22,100 hands, by the rulebook's exact count."""
    hands = [(a, b, c) for i, a in enumerate(TEXT) for j, b in enumerate(TEXT[:i]) for c in TEXT[:j]]

    assert 22_100 == len(hands)
    assert 24 == sum(scat_oracle.is_31(hand) for hand in hands)
    assert 24 == sum(scat_oracle.plain_value(hand) == 31 for hand in hands)


# The policies: each leads into corners that the others seldom see.


def uniform(rng):
    """Any legal word."""
    return lambda oracle, words: rng.choice(words)


def never_knocks(rng):
    """Draws from the stock until it is out."""
    return lambda oracle, words: first_of(words, "stock") or rng.choice([w for w in words if w != "knock"])


def only_takes_the_pile(rng):
    """Draws discards for ever: the hand ends at the cap of turns."""
    return lambda oracle, words: first_of(words, "look", "pile") or rng.choice(words)


def knocks_at_once(rng):
    return lambda oracle, words: first_of(words, "knock", "throwdown") or rng.choice(words)


def knocks_now_and_then(rng):
    """Most hands last some rounds, and many end with the knock in the last turns of the stock."""

    def choose(oracle, words):
        if "knock" in words and rng.random() < 0.02:
            return "knock"
        return rng.choice([w for w in words if w not in ("knock", "throwdown")])

    return choose


def collects_a_suit(rng):
    """Plays for 31 and never knocks."""

    def choose(oracle, words):
        if oracle.phase() == "throw":
            return "look"
        hand = oracle.hands[oracle.to_act]
        if oracle.phase() == "draw":
            suit = best_suit(hand)
            top = oracle.pile[-1]
            wants = top[1] == suit and scat_oracle.points(top) >= 10
            return "pile" if wants or "stock" not in words else "stock"
        suit = best_suit(hand)
        return min(words, key=lambda card: (card[1] == suit, scat_oracle.points(card)))

    return choose


def collects_oddities(rng):
    """Plays for three of a kind, or for a short run of one suit from the ace, then knocks."""
    rank, suit = rng.choice("23456789TJQKA"), rng.choice("CDHS")
    wanted = rng.choice(
        [{rank + suit for suit in "CDHS"}, {low + suit for low in "A23"}, {low + suit for low in "456"}]
    )

    def choose(oracle, words):
        if oracle.phase() == "throw":
            return "look"
        hand = oracle.hands[oracle.to_act]
        if oracle.phase() == "draw":
            if "knock" in words and wanted.issuperset(hand):
                return "knock"
            return "pile" if oracle.pile[-1] in wanted or "stock" not in words else "stock"
        return min(words, key=lambda card: card in wanted)

    return choose


def takes_care(rng):
    return lambda oracle, words: oracle.caretaker()


def first_of(words, *wanted):
    return next((word for word in wanted if word in words), None)


def best_suit(hand):
    return max("CDHS", key=lambda suit: sum(scat_oracle.points(card) for card in hand if card[1] == suit))


POLICIES = [
    uniform,
    never_knocks,
    only_takes_the_pile,
    knocks_at_once,
    knocks_now_and_then,
    collects_a_suit,
    collects_oddities,
    takes_care,
]


@cache
def walk(seats, policy, number):
    """Compare one match with options, seed and moves of its own; return the oracle."""
    rng = seeded("scat", seats, policy.__name__, number)
    changed = random_options("scat", rng)
    if changed.get("first_dealer", "0").isdigit() and int(changed.get("first_dealer", "0")) >= seats:
        changed["first_dealer"] = "0"
    return compare("scat", ScatOracle, seats, changed, random_seed(rng), policy(rng), moves=600)


# The quick run takes the ends and the middle; CI takes all.
SEATS = [
    pytest.param(seats, marks=() if seats in (2, 3, 5, 9) else pytest.mark.slow)
    for seats in games.game_class("scat").seats
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("seats", SEATS)
def test_the_game_agrees_with_the_oracle(seats, policy):
    for number in range(4):
        walk(seats, policy, number)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("seats", games.game_class("scat").seats)
def test_the_game_agrees_with_the_oracle_for_long(seats, policy):
    for number in range(4, 100):
        walk(seats, policy, number)


@pytest.mark.parametrize("stock_out", ["showdown", "void", "reshuffle"])
@pytest.mark.parametrize("seats", SEATS)
def test_the_game_agrees_with_the_oracle_when_the_stock_and_the_turns_run_out_together(seats, stock_out):
    """Everybody draws from the stock, so the turn that takes its last card is known; knocks fall round it."""
    rng = seeded("scat", "together", seats, stock_out)
    stock = 52 - 3 * seats - 1
    for turn_cap in (stock - 1, stock, stock + 1, 2 * stock):
        for knocking_turn in (None, *range(stock - 2, stock + 1)):

            def choose(oracle, words, knocking_turn=knocking_turn):
                if "knock" in words and oracle.turns_done == knocking_turn:
                    return "knock"
                return first_of(words, "stock") or rng.choice([word for word in words if word != "knock"])

            options = {"stock_out": stock_out, "turn_cap": turn_cap, "hand_cap": 2, "dealt31": "off"}
            compare("scat", ScatOracle, seats, options, random_seed(rng), choose, moves=300)


@pytest.mark.parametrize("low_straight", [False, True])
@pytest.mark.parametrize("trips", ["0", "30", "30.5"])
def test_the_game_agrees_with_the_oracle_on_threes_of_a_kind_and_straight_flushes(trips, low_straight):
    rng = seeded("scat", "oddities", trips, low_straight)
    options = {"trips": trips, "straight_flush": "30", "ace_low_straight": low_straight, "min_knock": 30}
    for _ in range(25):
        options["stock_out"] = rng.choice(["showdown", "reshuffle"])
        compare("scat", ScatOracle, 2, options, random_seed(rng), collects_oddities(rng), moves=300)


def rich_decks(rng, deals):
    """Return decks whose tens and aces come first: 31 is dealt and drawn all the time, and to several seats at once."""
    orders = {}
    for deal in range(deals):
        rich = [card for card, text in enumerate(TEXT) if text[0] in "AKQJT" and text[1] in "HS"]
        rest = [card for card in range(52) if card not in rich]
        rng.shuffle(rich)
        rng.shuffle(rest)
        orders[f"scat-deck-{deal}"] = rich + rest
    return Rig(orders)


@pytest.mark.parametrize("dealt31", ["immediate", "own_turn", "off"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_game_agrees_with_the_oracle_on_several_31s(seats, dealt31):
    rng = seeded("scat", "several", seats, dealt31)
    holders_shown = Counter()
    for policy in (uniform, collects_a_suit, knocks_now_and_then) * 10:
        options = random_options("scat", rng) | {"dealt31": dealt31, "hand_cap": 4, "first_dealer": "0", "min_knock": 0}
        with rich_decks(rng, 4).in_force():
            oracle = compare("scat", ScatOracle, seats, options, random_seed(rng), policy(rng), moves=200)
        for line in oracle.heard[None]:
            if " reason=31 " in line:
                values = line.partition(" values=")[2].partition(" ")[0]
                holders_shown[values.split(",").count("31")] += 1
    assert len(holders_shown) > 1, "hands with one holder and with more"


@pytest.mark.parametrize("preset", games.game_class("scat").presets)
@pytest.mark.parametrize("seats", games.game_class("scat").seats)
def test_the_game_agrees_with_the_oracle_under_each_preset(seats, preset):
    for policy in POLICIES:
        rng = seeded("scat", "preset", preset, seats, policy.__name__)
        compare("scat", ScatOracle, seats, {}, random_seed(rng), policy(rng), preset, moves=600)


def test_the_walks_reach_every_way_a_hand_can_end():
    """Else the agreement above would say little."""
    reasons = Counter()
    for seats in (2, 5, 9):
        for policy in POLICIES:
            for number in range(4):
                reasons.update(walk(seats, policy, number).reasons)

    assert {"knock", "31", "stock", "cap", "void", "throwdown"} == set(reasons)
