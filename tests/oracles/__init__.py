"""Independent judges of the games, the walk that compares them move by move, and the rig that chooses the decks."""

import contextlib
import random
from unittest import mock

from referee import games
from referee.cards import Stream

SPECTATOR = None


def random_options(name, rng):
    """Return options that fit together, as `games.load` takes them: about half of them off their defaults.

    Numbers lie near the low end of their range, where a walk of some hundred moves can reach what they bound.
    """
    game = games.game_class(name)
    changed = {}
    for option in game.declared:
        if rng.random() < 0.5:
            changed[option.name] = random_value(option, rng)
    try:
        games.load(name, **changed)
    except games.BadOption:
        return random_options(name, rng)
    return changed


def random_value(option, rng):
    if isinstance(option.default, bool):
        return rng.random() < 0.5
    if isinstance(option.default, int):
        return rng.choice([option.low, option.high, rng.randint(option.low, min(option.high, option.low + 30))])
    return rng.choice(option.choices)


def random_seed(rng):
    return rng.randbytes(32)


def compare(name, make_oracle, seats, changed, seed, choose, preset="seed", moves=1500):
    """Play a match on the game and on its oracle side by side, and assert that they agree on all that can be seen.

    make_oracle -- (seats, options, seed) -> the oracle
    changed     -- options other than those of the preset
    choose      -- (oracle, legal words) -> the word to play
    moves       -- int, where to stop a match that is not over
    Returns the oracle as it stands at the end of the walk. Raises BadOption for options that do not fit the seats.
    """
    game = games.load(name, preset, **changed)
    state, events = game.deal(seats, seed)
    oracle = make_oracle(seats, game.options, seed)
    listeners = [*range(seats), SPECTATOR]
    read = dict.fromkeys(listeners, 0)
    played = []

    def agree(what, by_oracle, by_game):
        assert by_oracle == by_game, (
            f"{what}: the oracle says {by_oracle!r}, the game says {by_game!r}, in"
            f" games.load({name!r}, {preset!r}, **{changed!r}), seats={seats}, seed=bytes.fromhex({seed.hex()!r}),"
            f" after {played!r}"
        )

    while True:
        for listener in listeners:
            new = oracle.heard[listener][read[listener] :]
            read[listener] = len(oracle.heard[listener])
            lines = [line for event in events if (line := event.heard_by(listener))]
            agree(f"what {'a spectator' if listener is None else f'seat {listener}'} hears", new, lines)
        seat = game.to_act(state)
        agree("the seat to act", oracle.to_act, seat)
        agree("the results", tuple(oracle.results), game.results(state))
        if oracle.over or len(played) == moves:
            break
        words = [game.format(action) for action in game.legal_actions(state)]
        agree("the deal", oracle.deal_number, game.deal_number(state))
        agree("the legal words", oracle.legal(), words)
        for viewer in range(seats):
            seen = game.view(state, viewer)
            agree(f"the view of seat {viewer}", list(oracle.view(viewer).items()), list(seen.items()))
        agree("the caretaker", oracle.caretaker(), game.format(game.caretaker(state)))
        word = choose(oracle, words)
        played.append(word)
        oracle.play(word)
        state, events = game.apply(state, game.parse(word))
    if oracle.over:
        outcome = game.outcome(state)
        agree("the scores", oracle.scores(), outcome.scores)
        agree("the ranks", oracle.ranks(), outcome.ranks)
    return oracle


class Rig:
    """All randomness of a match: what the shuffles and numbers of each label were, or shall be.

    orders  -- label -> the order that a shuffle of this label gives, as indices
    numbers -- label -> the numbers that `below` gives, in turn
    """

    def __init__(self, orders=None, numbers=None):
        self.orders = dict(orders or {})
        self.numbers = {label: list(given) for label, given in (numbers or {}).items()}

    @contextlib.contextmanager
    def in_force(self):
        """Replace the stream's methods; a label that is not set yet is left to chance and noted."""
        init, below, shuffle = Stream.__init__, Stream.below, Stream.shuffle

        def new_init(stream, seed, label):
            init(stream, seed, label)
            stream.label = label
            stream.given = iter(self.numbers[label]) if label in self.numbers else None

        def new_below(stream, n):
            if stream.given:
                return next(stream.given)
            self.numbers.setdefault(stream.label, []).append(number := below(stream, n))
            return number

        def new_shuffle(stream, items):
            if stream.label not in self.orders:
                order = list(range(len(items)))
                with mock.patch.object(Stream, "below", below):
                    shuffle(stream, order)
                self.orders[stream.label] = order
            items[:] = [items[index] for index in self.orders[stream.label]]

        with mock.patch.multiple(Stream, __init__=new_init, below=new_below, shuffle=new_shuffle):
            yield


def seeded(*words):
    """Return a random.Random of its own for one test case."""
    return random.Random(" ".join(map(str, words)))
