"""What every game promises, asked of every game that is found: the text of its actions, legality, replay, views, ends.

A new game needs no edit here. `SETTINGS` are the options it is tried with: each preset, each option on its own at each
of its far ends, and a few random mixtures.
"""

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import games
from referee.games._base import BadOption, Event, IllegalAction, MalformedAction, Outcome, places, show_value
from tests.oracles import random_options, random_seed, seeded

MAX_LINE = 16384  # bytes of one line, LF included
MAX_LEGAL = 200
SEATINGS = [(name, seats) for name in games.names() for seats in games.game_class(name).seats]
JUNK = ("", "-", "pass", "legal", "show", "1", "\n", "knock\n", "\x00", "é", "٣", "9" * 5000, "show:" + "9" * 5000)


def settings_of(name):
    """Return (preset, options) pairs to try a game with."""
    rng = seeded("contract", name)
    game = games.game_class(name)
    found = [(preset, {}) for preset in game.presets]
    for option in game.declared:
        if isinstance(option.default, bool):
            values = [not option.default]
        elif isinstance(option.default, int):
            values = [option.low]
        else:
            values = [choice for choice in option.choices if choice != option.default][:3]
        found += [("seed", {option.name: value}) for value in values]
    return found + [("seed", random_options(name, rng)) for _ in range(6)]


def tables():
    """Return (name, seats, preset, options): every setting of a game, taking its numbers of seats in turn."""
    found = []
    for name in games.names():
        seats = itertools.cycle(games.game_class(name).seats)
        found += [(name, number, "seed", {}) for number in games.game_class(name).seats]
        found += [(name, next(seats), preset, options) for preset, options in settings_of(name)]
    return [table for table in found if fits(*table)]


def fits(name, seats, preset, options):
    """Return whether the options fit the number of seats; `deal` alone knows."""
    try:
        games.load(name, preset, **options).deal(seats, bytes(32))
    except BadOption:
        return False
    return True


TABLES = tables()


def spelled(value):
    """Return the name of one parameter in a test's id."""
    if isinstance(value, dict):
        return ",".join(f"{key}={show_value(word)}" for key, word in value.items()) or "plain"
    return str(value)


every_table = pytest.mark.parametrize(("name", "seats", "preset", "options"), TABLES, ids=spelled)


class Step:
    """One decision that was played: the state, its legal words, the word chosen, the events that followed."""

    def __init__(self, state, words, word, events):
        self.state, self.words, self.word, self.events = state, words, word, events


def legal_words(game, state):
    return [game.format(action) for action in game.legal_actions(state)]


def play_out(game, seats, seed, choose, moves):
    """Return (first events, steps, last state) of a match, of at most `moves` moves."""
    state, first = game.deal(seats, seed)
    steps = []
    while game.to_act(state) is not None and len(steps) < moves:
        words = legal_words(game, state)
        word = choose(state, words)
        following, events = game.apply(state, game.parse(word))
        steps.append(Step(state, words, word, events))
        state = following
    return first, steps, state


def by_chance(rng):
    """Return a chooser that picks a kind of word first, so that the many words of one kind do not drown the rest."""

    def choose(_state, words):
        kind = rng.choice(sorted({kind_of(word) for word in words}))
        return rng.choice([word for word in words if kind_of(word) == kind])

    return choose


def kind_of(word):
    return word.partition(":")[0] if ":" in word or word.islower() else "card"


@every_table
def test_it_keeps_the_contract_in_every_state_of_a_match(name, seats, preset, options):
    """One random match: types, text round trips, the lengths of lines, the shape of views and results."""
    game = games.load(name, preset, **options)
    rng = seeded("contract", name, seats, preset, options)
    first, steps, last = play_out(game, seats, random_seed(rng), by_chance(rng), 400)

    for event in first:
        check_event(event, seats)
    results = ()
    for step in steps:
        check_decision(game, step.state, step.words, seats)
        assert results == game.results(step.state)[: len(results)], "a finished deal's result never changes"
        results = game.results(step.state)
        assert len(results) == game.deal_number(step.state), "each deal before the present one has its result"
        for event in step.events:
            check_event(event, seats)
    for result in game.results(last):
        assert seats == len(result)
        assert all(points is None or isinstance(points, int) for points in result)
    check_outcome(game, last, seats)


def check_event(event, seats):
    assert isinstance(event, Event)
    assert set(event.private) <= set(range(seats)), "only seats of the table hear in private"
    for line in (event.public, *event.private.values()):
        assert line.isascii() and (line == "" or line.isprintable()), "a line is printable ASCII"
        assert line == line.strip()
        assert len(line) < MAX_LINE
    assert event.public or any(event.private.values()), "somebody hears of it"


def check_decision(game, state, words, seats):
    """The state is a value; the legal words are well spelled, few, each once; every seat has a view."""
    hash(state)
    seat = game.to_act(state)
    assert seat in range(seats)
    assert words and len(words) == len(set(words)) <= MAX_LEGAL
    for word in words:
        assert word == game.format(game.parse(word))
        assert word.isascii() and word.isprintable() and not set(word) & set(" ,#")
    assert game.format(game.caretaker(state)) in words
    for viewer in range(seats):
        view = game.view(state, viewer)
        assert ["deal", "turn"] == list(view)[:2]
        assert str(game.deal_number(state)) == view["deal"]
        for key, value in view.items():
            assert key.isidentifier() and key.islower() and key.isascii()
            assert value and value.isascii() and value.isprintable() and " " not in value
    mine = " ".join(f"{key}={value}" for key, value in game.view(state, seat).items())
    line = f"act {10**9} ms={10**9} bank_ms={10**9} {mine} legal={','.join(words)}\n"
    assert len(line) <= MAX_LINE
    for key, value in game.truth(state).items():
        assert key.isidentifier() and value and value.isascii() and value.isprintable() and " " not in value


def check_outcome(game, state, seats):
    outcome = game.outcome(state)
    assert isinstance(outcome, Outcome)
    assert seats == len(outcome.scores) == len(outcome.ranks)
    assert all(isinstance(score, int) for score in outcome.scores)
    for place in outcome.ranks:
        better = sum(other < place for other in outcome.ranks)
        assert place == 1 + better, "equals share the better place: 1-2-2-4"
    assert outcome.ranks == places(tuple(-place for place in outcome.ranks))


@pytest.mark.parametrize("name", games.names())
def test_legal_actions_is_exactly_what_apply_accepts(name):
    """The universe of words: all that were legal anywhere in some matches, and mutations of them."""
    rng = seeded("exactly", name)
    game_class = games.game_class(name)
    walks, universe = [], set()
    for number, (table_name, seats, preset, options) in enumerate(TABLES):
        if table_name == name:
            game = games.load(name, preset, **options)
            _, steps, last = play_out(game, seats, random_seed(rng), by_chance(rng), 60 + number)
            walks.append((game, steps, last))
            universe.update(word for step in steps for word in step.words)
    universe = sorted(universe)
    assert universe == [walks[0][0].format(walks[0][0].parse(word)) for word in universe], "under any options"
    mutated = sorted({wrong for word in universe for wrong in mutations(word)} - set(universe))
    legal_seen = illegal_seen = 0
    for game, steps, last in walks:
        for step in rng.sample(steps, min(8, len(steps))):
            tried = {*step.words, *rng.sample(universe, min(150, len(universe))), *rng.sample(mutated, 30)}
            before, looks = hash(step.state), repr(step.state)
            accepted = {word for word in tried if accepts(game, step.state, word)}
            assert set(step.words) == accepted
            assert (before, looks) == (hash(step.state), repr(step.state)), "the state is untouched"
            legal_seen += len(accepted)
            illegal_seen += len(tried) - len(accepted)
        if game.to_act(last) is None:
            assert [] == legal_words(game, last)
            assert not any(accepts(game, last, word) for word in universe), "nothing is legal after the end"
    assert legal_seen > 500 and illegal_seen > 5000, f"{game_class.title}: too few words were tried"


def accepts(game, state, word):
    """Return whether a word is taken; whatever else than the two named errors comes out is a bug."""
    try:
        game.apply(state, game.parse(word))
    except (IllegalAction, MalformedAction) as error:
        assert_is_sentence(error)
        return False
    return True


def assert_is_sentence(error):
    text = str(error)
    assert text and text.isascii() and text.isprintable() and len(text) < 800, f"{text!r} cannot go to a player"


def mutations(word):
    """Return near misses: one character dropped, doubled, replaced, added or swapped with its neighbour; other case."""
    found = {word.upper(), word.lower(), word.title(), word + "f", word + " ", " " + word, word + ":", word * 2}
    for at in range(len(word) + 1):
        before, here, after = word[:at], word[at : at + 1], word[at + 1 :]
        found |= {before + after, before + here + here + after, before + after[:1] + here + after[1:]}
        found |= {before + other + after for other in "019-:fLRK"} | {before + "0" + here + after}
    return sorted(found - {word})


@pytest.mark.parametrize("name", games.names())
def test_a_misspelt_action_is_malformed_or_another_action(name):
    game = games.load(name)
    rng = seeded("misspelt", name)
    _, steps, _ = play_out(game, max(game.seats), random_seed(rng), by_chance(rng), 60)
    universe = sorted({word for step in steps for word in step.words})
    for wrong in {wrong for word in rng.sample(universe, min(100, len(universe))) for wrong in mutations(word)}:
        try:
            assert wrong == game.format(game.parse(wrong))
        except MalformedAction as error:
            assert_is_sentence(error)


@pytest.mark.parametrize("name", games.names())
@given(word=st.one_of(st.text(), st.text(alphabet="showcutRLkeptn0123456789:-f AKQJTCDHS", max_size=14)))
def test_parse_takes_one_spelling_of_an_action_or_says_what_is_malformed(name, word):
    game = games.load(name)
    try:
        action = game.parse(word)
    except MalformedAction as error:
        assert_is_sentence(error)
    else:
        assert word == game.format(action)


@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("word", JUNK, ids=lambda word: repr(word[:12]))
def test_junk_is_malformed(name, word):
    game = games.load(name)
    with pytest.raises(MalformedAction) as error:
        game.parse(word)
    assert_is_sentence(error.value)


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_a_match_ends_under_random_play(name, seats):
    game = games.load(name)
    rng = seeded("ends", name, seats)
    _, _, last = play_out(game, seats, random_seed(rng), by_chance(rng), 20_000)

    assert game.to_act(last) is None
    assert len(game.results(last)) == game.deal_number(last) + 1


@every_table
def test_a_match_ends_when_the_caretaker_plays_every_seat(name, seats, preset, options):
    game = games.load(name, preset, **options)
    rng = seeded("caretaker", name, seats, preset, options)
    _, steps, last = play_out(
        game, seats, random_seed(rng), lambda state, words: game.format(game.caretaker(state)), 200_000
    )

    assert game.to_act(last) is None
    assert all(step.word in step.words for step in steps)


@every_table
def test_the_same_seed_and_words_give_the_same_match(name, seats, preset, options):
    """A replay from the action words alone, on a game loaded anew from its options as text."""
    game = games.load(name, preset, **options)
    rng = seeded("replay", name, seats, preset, options)
    seed = random_seed(rng)
    first, steps, last = play_out(game, seats, seed, by_chance(rng), 150)
    again = games.load(name, **{key: show_value(value) for key, value in game.options.items()})
    state, events = again.deal(seats, seed)

    assert dict(game.options) == dict(again.options)
    assert first == events
    for step in steps:
        assert step.state == state
        assert hash(step.state) == hash(state)
        assert step.words == legal_words(again, state)
        state, events = again.apply(state, again.parse(step.word))
        assert step.events == events
    assert last == state


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_another_seed_gives_another_deal(name, seats):
    game = games.load(name)

    assert game.deal(seats, bytes(32)) != game.deal(seats, bytes(31) + b"\1")


@pytest.mark.parametrize("name", games.names())
def test_its_declaration_is_complete(name):
    game = games.game_class(name)
    declared = {option.name: option for option in game.declared}

    assert name == game.name
    assert game.title and game.unit and isinstance(game.more_is_better, bool)
    assert {} == game.presets["seed"]
    assert len(declared) == len(game.declared), "every option has a name of its own"
    for option in game.declared:
        assert option.default == option.parse(show_value(option.default)), "the default is a value of the option"
        assert option.help and "\n" not in option.help
        assert option.rules.split(), "every option says which rules it decides"
        assert set(option.help) <= set(string.printable)
    for preset in game.presets.values():
        for key, value in preset.items():
            assert value == declared[key].parse(show_value(value))
    assert list(declared) == list(games.load(name).options), "options keep the order of the rulebook"


@pytest.mark.parametrize("name", games.names())
def test_each_option_takes_its_values_as_text_and_refuses_others_with_a_sentence(name):
    for option in games.game_class(name).declared:
        for value in values_of(option):
            assert value == option.parse(value) == option.parse(show_value(value))
        for bad in ("", "maybe", "-1", str(option.high + 1), "1e3", "TRUE?", " ", "٣"):
            if bad not in option.choices:
                with pytest.raises(BadOption, match=option.name):
                    games.load(name, **{option.name: bad})


def values_of(option):
    if isinstance(option.default, bool):
        return (False, True)
    if isinstance(option.default, int):
        return (option.low, option.default, option.high)
    return option.choices


@pytest.mark.parametrize("name", games.names())
def test_an_unknown_option_preset_or_game_names_the_nearest_known(name):
    option = games.game_class(name).declared[0].name
    with pytest.raises(BadOption, match=f"Did you mean {option}"):
        games.load(name, **{option[:-1]: "1"})
    with pytest.raises(BadOption, match="Did you mean seed"):
        games.load(name, "sed")
    with pytest.raises(BadOption, match=f"Did you mean {name}"):
        games.load(name + "x")


@pytest.mark.parametrize("name", games.names())
def test_it_has_a_rulebook(name):
    assert games.game_class(name).title.lower() in games.rulebook(name).lower()
