"""No seat and no spectator learns what it may not know.

The proof is by exchange. A match is played; the cards that a listener may not have seen by then, in the judgement of
the game's oracle, are permuted in the deck; the same words are played again. All that the listener gets (lines, views,
its legal words, the texts of errors it can provoke) must be the same to the byte. Only what happens may part the two
matches: another seat cannot play its word with other cards, or a hand ends because of them. From there on they are two
matches, and the comparison stops.
"""

import re

import pytest

from referee import games
from referee.cards import TEXT
from referee.games._base import IllegalAction, MalformedAction
from tests.oracles import SPECTATOR, Rig, random_seed, seeded
from tests.oracles.scat_oracle import ScatOracle
from tests.oracles.scout_oracle import ScoutOracle


class ScatDeck:
    """How the deck of one deal of SCAT lies: which card is at which place."""

    oracle = ScatOracle
    card = re.compile(r"\b[2-9TJQKA][CDHS]\b")

    def __init__(self, rig, game, seats, deal):
        self.label = f"scat-deck-{deal}"
        self.places = [TEXT[index] for index in rig.orders[self.label]]
        self.rig = rig

    def seen(self, texts):
        """Return the cards named in what a listener was entitled to get in this deal."""
        deal = max((at for at, text in enumerate(texts) if text.startswith("deal n=")), default=0)
        return {card for text in texts[deal:] for card in self.card.findall(text)}

    def exchanged(self, known, rng):
        """Return the rig of the same match with the other cards in other places."""
        order = exchange(self.rig.orders[self.label], lambda index: TEXT[index] not in known, rng)
        return Rig({**self.rig.orders, self.label: order}, self.rig.numbers)


class ScoutDeck:
    """How the deck of one shuffle of SCOUT lies: which card is at which place, and which of its numbers is up."""

    oracle = ScoutOracle
    card = re.compile(r"\b\d+/\d+\b")

    def __init__(self, rig, game, seats, deal):
        shuffle = 0 if seats == 2 else deal
        self.whole_match = seats == 2
        self.label, self.turns = f"scout-deck-{shuffle}", f"scout-turn-{shuffle}"
        pairs = [(low, high) for low in range(1, 11) for high in range(low + 1, 11)]
        left_out = {2: [(9, 10)], 3: [pair for pair in pairs if pair[1] == 10], 4: [(9, 10)], 5: []}[seats]
        pairs = [pair for pair in pairs if pair not in left_out]
        self.pairs = [frozenset(map(str, pair)) for pair in pairs]
        # the starter of the first round tells all who holds the 1/2
        self.told = {frozenset("12")} if game.options["first_player"] == "holder12" and shuffle == 0 else set()
        self.rig = rig

    def seen(self, texts):
        deals = [at for at, text in enumerate(texts) if text.startswith("deal n=")]
        first = 0 if self.whole_match else deals[-1]
        return self.told | {frozenset(card.split("/")) for text in texts[first:] for card in self.card.findall(text)}

    def exchanged(self, known, rng):
        before = self.rig.orders[self.label]
        order = exchange(before, lambda index: self.pairs[index] not in known, rng)
        turns = [
            turn if self.pairs[index] in known else rng.randrange(2)
            for turn, index in zip(self.rig.numbers[self.turns], before, strict=True)
        ]
        return Rig({**self.rig.orders, self.label: order}, {**self.rig.numbers, self.turns: turns})


DECKS = {"scat": ScatDeck, "scout": ScoutDeck}

SETTINGS = {
    "scat": [
        {},
        {"dealt31": "off", "final_stand": True},
        {"dealt31": "own_turn", "throw_down": "any"},
        {"throw_down": "eldest", "first_turn_knock": False},
        {"stock_out": "reshuffle", "turn_cap": 60},
    ],
    "scout": [{}, {"orientation": "until_own_move"}, {"first_player": "holder12"}, {"two_player_token_to": "owner"}],
}

PROBES = ("stock", "knock", "stand", "look", "5C", "turn", "show:0", "show:0-1", "scout:L0", "scoutshow:L0", "x")

CASES = [
    (name, seats, number)
    for name in games.names()
    for seats in games.game_class(name).seats
    for number in range(len(SETTINGS.get(name, ())))
]


def exchange(order, is_hidden, rng):
    """Return the order with the hidden items permuted among their places."""
    places = [place for place, item in enumerate(order) if is_hidden(item)]
    items = [order[place] for place in places]
    rng.shuffle(items)
    order = list(order)
    for place, item in zip(places, items, strict=True):
        order[place] = item
    return order


class Replay:
    """A match played from its words, with all that each listener got after each of them.

    got     -- per moment (the deal is the first, each word makes one more): listener -> the texts
    results -- per moment: how many deals were finished
    blocked -- the seat that could not play its word, or None
    """

    def __init__(self, game, seats, seed, rig, words, plan=None):
        """Play on to the end of the words, or to where the finished deals are not those of the plan."""
        self.game, self.seats = game, seats
        self.got, self.results, self.blocked = [], [], None
        with rig.in_force():
            self.state, events = game.deal(seats, seed)
            self.note(events)
            for word in words:
                if plan and plan[: len(self.results)] != self.results:
                    break
                try:
                    self.state, events = game.apply(self.state, game.parse(word))
                except IllegalAction:
                    self.blocked = game.to_act(self.state)
                    break
                self.note(events)

    def note(self, events):
        self.results.append(len(self.game.results(self.state)))
        self.got.append({listener: self.all_that(listener, events) for listener in [*range(self.seats), SPECTATOR]})

    def all_that(self, listener, events):
        """Return the texts that a listener gets at a moment: what happened, its view, and its request."""
        texts = [line for event in events if (line := event.heard_by(listener))]
        if listener is not SPECTATOR and self.game.to_act(self.state) is not None:
            texts.append(" ".join(f"{key}={word}" for key, word in self.game.view(self.state, listener).items()))
            if listener == self.game.to_act(self.state):
                texts.append(",".join(self.game.format(action) for action in self.game.legal_actions(self.state)))
        return texts

    def errors(self, universe):
        """Return what the seat to act would be told about each of these words."""
        return [error_text(self.game, self.state, word) for word in universe]


def all_by_the_oracle(oracle, words):
    """Return listener -> all lines and views that it may get in a match, as the oracle judges."""
    for word in [*words, None]:
        if not oracle.over:
            for seat in range(oracle.seats):
                oracle.heard[seat].append(" ".join(oracle.view(seat).values()))
        if word:
            oracle.play(word)
    return oracle.heard


def error_text(game, state, word):
    try:
        game.apply(state, game.parse(word))
    except (IllegalAction, MalformedAction) as error:
        return str(error)
    return "legal"


def chosen_words(game, seats, seed, rig, rng, moves):
    """Play some moves by chance, seldom one that ends a hand; return the words."""
    words = []
    with rig.in_force():
        state, _ = game.deal(seats, seed)
        while len(words) < moves and game.to_act(state) is not None:
            legal = [game.format(action) for action in game.legal_actions(state)]
            kinds = sorted({kind_of(word) for word in legal})
            quiet = [kind for kind in kinds if kind not in ("knock", "throwdown") or rng.random() < 0.05]
            kind = rng.choice(quiet or kinds)
            words.append(rng.choice([word for word in legal if kind_of(word) == kind]))
            state, _ = game.apply(state, game.parse(words[-1]))
    return words if game.to_act(state) is not None else words[:-1]


def kind_of(word):
    return word.partition(":")[0] if ":" in word or word.islower() else "card"


def test_every_game_is_put_to_this_test():
    """A game must say how its deck can be exchanged: a class in DECKS, and options in SETTINGS."""
    assert set(games.names()) == set(DECKS) == set(SETTINGS)


@pytest.mark.parametrize(("name", "seats", "number"), CASES)
def test_what_a_listener_gets_does_not_depend_on_cards_it_has_not_seen(name, seats, number):
    game = games.load(name, **SETTINGS[name][number])
    rng = seeded("leak", name, seats, number)
    compared = exchanged = 0
    for _ in range(6):
        seed, rig = random_seed(rng), Rig()
        words = chosen_words(game, seats, seed, rig, rng, rng.randrange(60))
        original = Replay(game, seats, seed, Rig(rig.orders, rig.numbers), words)
        assert original.blocked is None, "the rig repeats a match"
        deck = DECKS[name](rig, game, seats, original.results[-1])
        with rig.in_force():
            entitled = all_by_the_oracle(deck.oracle(seats, game.options, seed), words)
        universe = sorted({*words, *PROBES})
        for listener in [*range(seats), SPECTATOR]:
            known = deck.seen(entitled[listener])
            other = Replay(game, seats, seed, deck.exchanged(known, rng), words, original.results)
            assert listener is SPECTATOR or listener != other.blocked, "its word was legal with the same cards"
            alike = [before == after for before, after in zip(original.results, other.results, strict=False)]
            for moment in range(sum(alike)):
                assert original.got[moment][listener] == other.got[moment][listener]
            if sum(alike) == len(original.results):
                compared += 1
                exchanged += game.truth(original.state) != game.truth(other.state)
                if game.to_act(other.state) == listener:
                    assert original.errors(universe) == other.errors(universe)
    assert compared > 6 and exchanged > compared // 2, f"{compared} matches compared to their end, {exchanged} differed"


@pytest.mark.parametrize("seats", games.game_class("scat").seats)
def test_a_new_stock_tells_nobody_in_which_order_it_lies(seats):
    """Up to the first draw from it, another order of the reshuffled stock changes nothing for anybody."""
    game = games.load("scat", stock_out="reshuffle", dealt31="off")
    rng = seeded("reshuffle", seats)
    seed, rig, words = random_seed(rng), Rig(), []
    with rig.in_force():
        state, _ = game.deal(seats, seed)
        while "scat-stock-0-0" not in rig.orders:
            legal = [game.format(action) for action in game.legal_actions(state)]
            words.append("stock" if "stock" in legal else rng.choice([word for word in legal if word != "knock"]))
            state, _ = game.apply(state, game.parse(words[-1]))
            if game.deal_number(state):  # somebody drew 31: begin again with another deck
                seed, rig.orders, rig.numbers, words = random_seed(rng), {}, {}, []
                state, _ = game.deal(seats, seed)
    original = Replay(game, seats, seed, Rig(rig.orders), words)
    order = list(reversed(rig.orders["scat-stock-0-0"]))
    other = Replay(game, seats, seed, Rig({**rig.orders, "scat-stock-0-0": order}), words)

    assert original.got == other.got
    assert f"reshuffle stock={len(order)}" in original.got[-1][SPECTATOR]
    assert game.truth(original.state) != game.truth(other.state)


def scout_states(seats, options, moves=120):
    """Return the game, and the states of a match in which all kinds of moves are played."""
    game = games.load("scout", **options)
    rng = seeded("hidden moves", seats, options)
    state, _ = game.deal(seats, random_seed(rng))
    states = []
    while game.to_act(state) is not None and len(states) < moves:
        states.append(state)
        legal = [game.format(action) for action in game.legal_actions(state)]
        kind = rng.choice(sorted({kind_of(word) for word in legal}))
        state, _ = game.apply(state, game.parse(rng.choice([word for word in legal if kind_of(word) == kind])))
    return game, states


def others_get(game, state, mover, seats):
    """Return the views of all but the mover; None when the match is over."""
    if game.to_act(state) is None:
        return None
    return {seat: dict(game.view(state, seat)) for seat in range(seats) if seat != mover}


@pytest.mark.parametrize("orientation", ["sealed", "until_own_move"])
@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_the_others_do_not_learn_how_a_hand_was_turned_or_where_a_scouted_card_went(seats, orientation):
    """All words that differ in the place or the flip only (or in keep and turn) look the same to them."""
    game, states = scout_states(seats, {"orientation": orientation})
    alike = 0
    for state in states:
        mover = game.to_act(state)
        looks = {}
        for action in game.legal_actions(state):
            word = game.format(action)
            if kind_of(word) == "show":
                continue
            following, events = game.apply(state, action)
            over = game.deal_number(following) != game.deal_number(state) or game.to_act(following) is None
            if over or game.to_act(following) is None:
                continue  # all hands are shown when a round is over
            public = word[: word.index(":") + 2] if ":" in word else "orient"
            heard = [
                [line for event in events if (line := event.heard_by(listener))]
                for listener in [*range(seats), SPECTATOR]
                if listener != mover
            ]
            look = (heard, others_get(game, following, mover, seats))
            assert look == looks.setdefault(public, look)
            alike += 1
    assert alike > 100


@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_the_others_do_not_learn_from_which_places_a_show_came(seats):
    """R26. In the other match each hand lies one place further on, and the same cards are shown from there."""
    game = games.load("scout")
    rng = seeded("places", seats)
    for _ in range(20):
        seed, rig = random_seed(rng), Rig()
        with rig.in_force():
            state, _ = game.deal(seats, seed)
            words, moved = [], []
            while len(words) < seats + 2 and game.results(state) == ():
                legal = [game.format(action) for action in game.legal_actions(state)]
                last = len(game.view(state, game.to_act(state))["hand"].split(",")) - 1
                # no Show of the last card: it lies at the other end of the hand in the other match
                shows = [word for word in legal if word.startswith("show:") and places(word)[1] < last]
                if len(words) >= seats and not shows:
                    break
                words.append("keep" if len(words) < seats else rng.choice(shows))
                moved.append(further_on(words[-1]))
                state, _ = game.apply(state, game.parse(words[-1]))
        order, turns = rig.orders["scout-deck-0"], rig.numbers["scout-turn-0"]
        dealt = 22 if seats == 2 else len(order)
        source = [(place - seats) % dealt if place < dealt else place for place in range(len(order))]
        shifted = Rig(
            {**rig.orders, "scout-deck-0": [order[place] for place in source]},
            {**rig.numbers, "scout-turn-0": [turns[place] for place in source]},
        )
        original = Replay(game, seats, seed, Rig(rig.orders, rig.numbers), words)
        other = Replay(game, seats, seed, shifted, moved)

        assert original.blocked is None is other.blocked
        for mover in range(len(words) - seats):
            before, after = original.got[seats + 1 + mover], other.got[seats + 1 + mover]
            for listener in [*range(seats), SPECTATOR]:
                if listener != mover:
                    assert happened(before[listener]) == happened(after[listener]) != []


def happened(texts):
    """Return what is said about moves; views differ, as the hands lie otherwise."""
    return [text for text in texts if text.startswith("did ")]


def places(show):
    """Return the first and the last place of a Show."""
    found = show.partition(":")[2].split("-")
    return int(found[0]), int(found[-1])


def further_on(word):
    """Return a Show of the places one further on; other words as they are."""
    if not word.startswith("show:"):
        return word
    first, last = places(word)
    return f"show:{first + 1}" if first == last else f"show:{first + 1}-{last + 1}"


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_first_half_of_a_scout_and_show_is_seen_by_nobody_else(seats, public):
    """Between the halves the others see what they saw before (R29), also where inserts are public."""
    game, states = scout_states(seats, {"scout_insert_public": public})
    halves = 0
    for state in states:
        mover = game.to_act(state)
        for action in game.legal_actions(state):
            if kind_of(game.format(action)) == "scoutshow":
                following, events = game.apply(state, action)
                assert mover == game.to_act(following)
                assert others_get(game, state, mover, seats) == others_get(game, following, mover, seats)
                for listener in [*range(seats), SPECTATOR]:
                    heard = [line for event in events if (line := event.heard_by(listener))]
                    assert bool(heard) == (listener == mover)
                halves += 1
    assert halves > 20


@pytest.mark.parametrize("seats", games.game_class("scout").seats)
def test_a_turned_hand_and_one_dealt_so_are_the_same_to_the_others_for_the_whole_round(seats):
    """One seat turns its hand; in the other match it was dealt the turned hand and keeps it."""
    game = games.load("scout")
    rng = seeded("turned", seats)
    for turner in range(seats):
        seed, rig = random_seed(rng), Rig()
        words = chosen_words(game, seats, seed, rig, rng, 40)
        words[turner] = "turn"  # sealed: the choices come first, from seat 0 round
        with Rig(rig.orders, rig.numbers).in_force():
            words = words[: legal_prefix(game, seats, seed, words)]
        turns = list(rig.numbers["scout-turn-0"])
        dealt = seats * 11 if seats == 2 else len(turns)
        turned = [1 - turn if place < dealt and place % seats == turner else turn for place, turn in enumerate(turns)]
        original = Replay(game, seats, seed, Rig(rig.orders, rig.numbers), words)
        kept = [*words[:turner], "keep", *words[turner + 1 :]]
        other = Replay(game, seats, seed, Rig(rig.orders, {**rig.numbers, "scout-turn-0": turned}), kept)

        assert len(words) > seats
        assert original.blocked is None is other.blocked
        for listener in [*range(seats), SPECTATOR]:
            if listener != turner:
                assert [got[listener] for got in original.got] == [got[listener] for got in other.got]


def legal_prefix(game, seats, seed, words):
    """Return how many of the words can be played, in the first deal only."""
    state, _ = game.deal(seats, seed)
    for number, word in enumerate(words):
        if game.to_act(state) is None or error_text(game, state, word) != "legal":
            return number
        following, _ = game.apply(state, game.parse(word))
        if game.deal_number(following):
            return number
        state = following
    return len(words)
