"""SCOUT against its independent judge: the judge against the rulebook's worked examples, then the game against it."""

from collections import Counter
from functools import cache

import pytest

from referee import games
from tests.oracles import compare, random_options, random_seed, scout_oracle, seeded
from tests.oracles.scout_oracle import ScoutOracle


def cards(numbers):
    """Return cards that show these numbers."""
    return [f"{number}/{number % 10 + 1}" for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([5, 6], "run"),
        ([6, 5], "run"),
        ([5, 5], "same"),
        ([5, 7], None),
        ([5, 6, 5], None),
        ([8, 7, 9], None),
        ([9, 10, 1], None),
        ([10, 1], None),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "run"),
        ([4, 4, 4, 4], "same"),
    ],
)
def test_the_oracle_knows_a_set_as_the_rulebook_does(numbers, kind):
    assert kind == scout_oracle.kind(cards(numbers))


@pytest.mark.parametrize(
    ("new", "active", "beats"),
    [
        ([2, 2], [4, 5], True),
        ([5, 6], [4, 5], True),
        ([4, 5], [5, 4], False),
        ([3, 4], [4, 5], False),
        ([6, 5], [4, 5], True),
        ([5, 5], [4, 4], True),
        ([5, 5], [5, 5], False),
        ([8], [7], True),
        ([7], [7], False),
        ([1, 1], [9, 10], True),
        ([9, 10], [1, 1], False),
        ([8, 9, 10], [1, 1, 1], False),
        ([1, 2, 3, 4], [10, 10, 10], True),
    ],
)
def test_the_oracle_compares_sets_as_the_rulebook_does(new, active, beats):
    assert beats == scout_oracle.beats(cards(new), cards(active))


BOOKLET_HAND = "4/2 3/1 5/4 6/3 3/9 3/7 2/6 1/4"


@pytest.mark.parametrize(
    ("hand", "active", "shows", "scouts", "pairs", "distinct"),
    [
        (BOOKLET_HAND, "", "0 0-1 1 2 2-3 3 4 4-5 5 5-6 5-7 6 6-7 7", 0, 0, 0),
        (BOOKLET_HAND, "4/10 5/2", "2-3 4-5 5-7", 36, 293, 247),
        ("9/2 10/3 1/4", "", "0 0-1 1 2", 0, 0, 0),
        ("9/1 9/2 9/3", "8/1 8/2 8/3", "0-2", 16, 32, 20),
        ("8/3 2/6", "9/1", "", 6, 22, 14),
        ("1/5 4/8", "7/2 7/3 7/6", "", 12, 0, 0),
        ("1/5 3/8", "7/2 7/3 7/6", "", 12, 1, 1),
        ("7/4", "6/1 7/2", "", 8, 10, 7),
        ("1/2", "10/3", "", 4, 8, 4),
    ],
)
def test_the_oracle_counts_moves_as_the_rulebook_does(hand, active, shows, scouts, pairs, distinct):
    """The exact counts of the rulebook's CP examples: Shows, Scouts, whole Scout & Shows and their results (R28)."""
    hand, active = hand.split(), active.split()
    found = scout_oracle.scouts(hand, active)
    results = []
    for scout in found:
        held, rest, _ = scout_oracle.after_scout(hand, active, scout)
        for first, last in scout_oracle.shows(held, rest):
            results.append((tuple(held[:first] + held[last + 1 :]), tuple(held[first : last + 1])))

    assert [f"show:{word}" for word in shows.split()] == [
        scout_oracle.show_word(show) for show in scout_oracle.shows(hand, active)
    ]
    assert (scouts, pairs, distinct) == (len(found), len(results), len(set(results)))


def test_the_oracle_scouts_as_the_rulebook_does():
    hand, active, card = scout_oracle.after_scout(
        "5/3 7/3 8/2 3/1 3/2 9/4".split(), "3/10 4/8 5/6".split(), scout_oracle.read_scout("scout:R1f")
    )

    assert ("5/3 6/5 7/3 8/2 3/1 3/2 9/4".split(), "3/10 4/8".split(), "5/6") == (hand, active, card)


@pytest.mark.parametrize(
    ("seats", "size", "tens", "nines"), [(2, 44, 8, 8), (3, 36, 0, 8), (4, 44, 8, 8), (5, 45, 9, 9)]
)
def test_the_oracle_plays_with_the_deck_of_the_rulebook(seats, size, tens, nines):
    deck = scout_oracle.deck_in_use(seats)
    numbers = Counter(number for card in deck for number in card.split("/"))

    assert (size, tens, nines) == (len(deck), numbers["10"], numbers["9"])
    assert size == seats * scout_oracle.cards_each(seats) * (2 if seats == 2 else 1)


# The policies: each leads into corners that the others seldom see.


def uniform(rng):
    """Any kind of move, then any of its moves (most legal words are Scouts)."""

    def choose(oracle, words):
        verb = rng.choice(sorted({word.split(":")[0] for word in words}))
        return rng.choice([word for word in words if word.split(":")[0] == verb])

    return choose


def shows_most(rng):
    """Shows the largest set that is legal: hands run empty."""
    return lambda oracle, words: max(words, key=lambda word: (cards_shown(word), rng.random()))


def scouts_if_it_can(rng):
    """Rounds end unbeaten; with two players the tokens run out."""
    return lambda oracle, words: rng.choice([w for w in words if w.startswith("scout:")] or words)


def shows_single_cards(rng):
    """The loop that only the cap of turns ends: a card is Shown, Scouted, Shown, ..."""

    def choose(oracle, words):
        scouts = [word for word in words if word.startswith("scout:")]
        singles = [word for word in words if word.startswith("show:") and cards_shown(word) == 1]
        return rng.choice(scouts or singles or words)

    return choose


def scouts_and_shows(rng):
    """Spends its marker at once, then Shows small sets."""

    def choose(oracle, words):
        both = [word for word in words if word.startswith("scoutshow:")]
        return rng.choice(both) if both else min(words, key=lambda word: (cards_shown(word) or 99, rng.random()))

    return choose


def keeps_the_hand_full(rng):
    """Mixes Scouts and Shows of one card: hands grow as large as they get."""

    def choose(oracle, words):
        if rng.random() < 0.7:
            scouts = [word for word in words if word.startswith("scout:")]
            return rng.choice(scouts or words)
        return min(words, key=lambda word: (cards_shown(word) or 99, rng.random()))

    return choose


def takes_care(rng):
    return lambda oracle, words: oracle.caretaker()


def cards_shown(word):
    if not word.startswith("show:"):
        return 0
    first, last = scout_oracle.read_show(word)
    return last - first + 1


POLICIES = [
    uniform,
    shows_most,
    scouts_if_it_can,
    shows_single_cards,
    scouts_and_shows,
    keeps_the_hand_full,
    takes_care,
]


@cache
def walk(seats, policy, number):
    """Compare one match with options, seed and moves of its own; return the oracle."""
    rng = seeded("scout", seats, policy.__name__, number)
    changed = random_options("scout", rng)
    return compare("scout", ScoutOracle, seats, changed, random_seed(rng), policy(rng), moves=400)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_the_game_agrees_with_the_oracle(seats, policy):
    for number in range(12 if seats == 2 else 3):
        walk(seats, policy, number)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_the_game_agrees_with_the_oracle_for_long(seats, policy):
    for number in range(12, 100):
        walk(seats, policy, number)


@pytest.mark.parametrize("turn_cap", range(1, 13))
def test_the_game_agrees_with_the_oracle_when_a_player_of_two_is_stuck_as_the_turns_run_out(turn_cap):
    rng = seeded("scout", "stuck at the cap", turn_cap)
    for policy in (uniform, scouts_if_it_can, shows_most) * 4:
        options = {"turn_cap": turn_cap, "unbeaten_exempt": True, "two_player_token_to": rng.choice(["bank", "owner"])}
        compare("scout", ScoutOracle, 2, options, random_seed(rng), policy(rng))


@pytest.mark.parametrize("preset", games.game_class("scout").presets)
@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_the_game_agrees_with_the_oracle_under_each_preset(seats, preset):
    for policy in POLICIES:
        rng = seeded("scout", "preset", preset, seats, policy.__name__)
        compare("scout", ScoutOracle, seats, {}, random_seed(rng), policy(rng), preset, moves=600)


def test_the_walks_reach_every_way_a_round_can_end():
    """Else the agreement above would say little."""
    reasons = Counter()
    for seats in (2, 3):
        for policy in POLICIES:
            for number in range(3):
                reasons.update(walk(seats, policy, number).reasons)

    assert {"empty", "unbeaten", "stuck", "cap"} == set(reasons)
