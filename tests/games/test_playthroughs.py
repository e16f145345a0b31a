"""One match of every game, number of seats and preset, printed for a reader and kept in tests/playthroughs.

A change of the rules, of the shuffle or of a word on the wire shows here as prose. `pytest --write-playthroughs` writes
the files anew; read the diff as you would read the change itself.
"""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from referee import games
from tests.oracles import SPECTATOR, seeded

FOLDER = Path(__file__).parent.parent / "playthroughs"
MAX_SIZE = 60_000  # bytes: what a reader of a diff can bear
WIDTH = 110  # columns for the legal words of one request
SHOWN_DEALS = 2
SHOWN_REQUESTS = 45  # of one deal
SHOWN_AT_THE_END = 6
SELDOM = ("knock", "throwdown")  # words that end a deal before there is much to read

CASES = [
    (name, seats, preset)
    for name in games.names()
    for seats in games.game_class(name).seats
    for preset in games.game_class(name).presets
]


def title(name, seats, preset):
    return f"{name}-{seats}-{preset}"


def playthrough(name, seats, preset):
    """Return a whole match as text."""
    game = games.load(name, preset)
    rng = seeded("playthrough", name, seats, preset)
    seed = rng.randbytes(32)
    head = [
        f"{game.title} with {seats} seats, preset {preset}: a match played by chance.",
        "A line at the margin is heard by all who have no line of their own below it.",
        "",
        f"options {games.option_lines(game.options)}",
        f"seed {seed.hex()}",
        "",
    ]
    state, events = game.deal(seats, seed)
    blocks = [(0, heard(events, seats))]  # (number of the deal, lines), one for each request
    while (seat := game.to_act(state)) is not None:
        words = [game.format(action) for action in game.legal_actions(state)]
        word = choice(words, rng)
        view = " ".join(f"{key}={value}" for key, value in game.view(state, seat).items())
        deal = game.deal_number(state)
        asked = ["", f"  seat {seat} sees {view}", f"         may {some(words)}", f"         plays {word}"]
        state, events = game.apply(state, game.parse(word))
        blocks.append((deal, asked + heard(events, seats)))
    outcome = game.outcome(state)
    text = "\n".join(line for _, lines in blocks for line in lines)
    results = [" ".join("-" if x is None else str(x) for x in result) for result in game.results(state)]
    foot = [
        "",
        f"{game.unit}, deal by deal:",
        *(f"  deal {number}: {result}" for number, result in enumerate(results)),
        f"end ranks={','.join(map(str, outcome.ranks))} scores={','.join(map(str, outcome.scores))}",
        f"All {len(blocks) - 1} requests, those left out here too, have the SHA-256 {digest(text)}.",
    ]
    return "\n".join(head + shortened(blocks) + foot) + "\n"


def heard(events, seats):
    """Return the lines of events: the public one at the margin, those of single seats below it."""
    lines = []
    for event in events:
        if event.public:
            lines.append(event.heard_by(SPECTATOR))
        lines += [f"    seat {seat}: {event.private[seat]}" for seat in range(seats) if event.private.get(seat)]
    return lines


def choice(words, rng):
    """Return a word: first a kind of word by chance, then one of that kind."""
    kinds = sorted({kind_of(word) for word in words if word not in SELDOM or rng.random() < 0.08} or set(words))
    kind = rng.choice(kinds)
    return rng.choice([word for word in words if kind_of(word) == kind])


def kind_of(word):
    return word.partition(":")[0] if ":" in word or word.islower() else "card"


def some(words):
    """Return as many of the words as fit on a line, and how many are left out."""
    line = ""
    for number, word in enumerate(words):
        if len(line) + len(word) > WIDTH:
            return f"{line}and {len(words) - number} more"
        line += word + " "
    return line.rstrip()


def shortened(blocks):
    """Return the lines of the first deals and of the end, and say what is left out between them."""
    lines, of_deal, left_out = [], Counter(), 0
    for at, (deal, block) in enumerate(blocks):
        of_deal[deal] += 1
        early = deal < SHOWN_DEALS and of_deal[deal] <= SHOWN_REQUESTS
        if not early and at < len(blocks) - SHOWN_AT_THE_END:
            left_out += 1
            continue
        if left_out:
            lines += ["", f"  ... {left_out} requests left out ..."]
            left_out = 0
        lines += block
    return lines


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(("name", "seats", "preset"), CASES, ids=lambda value: str(value))
def test_a_match_reads_as_it_did(name, seats, preset, request):
    text = playthrough(name, seats, preset)
    file = FOLDER / f"{title(name, seats, preset)}.txt"
    assert text.isascii()
    assert len(text) < MAX_SIZE
    if request.config.getoption("--write-playthroughs"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text)
    assert file.exists(), f"{file.name} is missing; `pytest --write-playthroughs` writes it"
    assert file.read_text().splitlines() == text.splitlines(), "if this is meant, run `pytest --write-playthroughs`"


def test_no_playthrough_is_left_of_a_game_that_is_gone():
    assert {f"{title(*case)}.txt" for case in CASES} == {file.name for file in FOLDER.glob("*.txt")}
