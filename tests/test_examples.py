"""Every example bot holds a conversation by protocol.md, in both games, as this page's own small referee leads it."""

import os
import random
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.launch import Command, NotStarted, language_of, languages, resolve
from tests.languages import skip_if_lacking

pytestmark = pytest.mark.process

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BOTS = sorted(path for path in (EXAMPLES / "bots").iterdir() if not path.name.startswith("."))
ANSWER_S = 10.0  # no time limit of the game's: a busy machine is not the bot's fault


class Request(NamedTuple):
    """Lines that come before a request, and the request: its words after the id, and the legal words."""

    before: list[str]
    words: str
    legal: list[str]


# -- what the referee of this page says


def scat_request(rng: random.Random) -> Request:
    cards = rng.sample([rank + suit for rank in "23456789TJQKA" for suit in "CDHS"], 5)
    pile, hand = cards[0], cards[1:4]
    kind = rng.choice(["draw", "draw", "last", "discard", "discard", "throw"])
    before = ["did seat=0 move=pile card=4H", f"did seat=0 move={pile}"]
    if kind == "draw":
        legal = ["stock", "pile", *rng.choice([[], ["knock"]])]
    elif kind == "last":
        kind, legal = "draw", rng.choice([["knock"], ["pile"], ["pile", "stand"], ["stock"]])
    elif kind == "throw":
        hand, legal = ["-"], ["throwdown", "look"]
    else:
        hand = cards[1:]
        legal = list(hand)
        before = [f"did seat=1 move=stock card={hand[3]}"]
    drawn = f" drawn={hand[3]} from=stock" if kind == "discard" else ""
    view = f"turn=3 phase={kind} hand={','.join(hand)}{drawn} pile={pile} stock=40 coins=3,3 knocker=- dealer=0"
    return Request(before, view, legal)


def scout_request(rng: random.Random) -> Request:
    hand = [f"{rng.randint(1, 9)}/10" for _ in range(rng.randint(1, 20))]
    phase = rng.choice(["orient", "move", "move", "move", "show"])
    ends = [(a, b) for a in range(len(hand)) for b in range(a, len(hand))]
    shows = [f"show:{a}-{b}" if a < b else f"show:{a}" for a, b in sorted(rng.sample(ends, min(len(ends), 8)))]
    places = [f"{end}{place}{flip}" for end in "LR" for place in range(len(hand) + 1) for flip in ("", "f")]
    scouts = [f"scout:{place}" for place in places]
    both = [f"scoutshow:{place}" for place in places]
    legal = {
        "orient": ["keep", "turn"],
        "show": shows[:3],
        "move": rng.choice([shows, shows + scouts, scouts, scouts + both, shows[:1]]),
    }[phase]
    before = ["did seat=0 move=show cards=6/1,6/9 took=2", "did seat=0 move=scout:L card=7/2"]
    view = (
        f"turn=9 phase={phase} hand={','.join(hand)} active=7/2,8/1 owner=0 cards=3,{len(hand)} taken=2,0 tokens=1,2"
        " marker=true,false scouts=0 starter=0 scores=0,0"
    )
    return Request(before, view, legal)


def requests(game: str, seed: int, n: int) -> list[Request]:
    rng = random.Random(seed)
    return [{"scat": scat_request, "scout": scout_request}[game](rng) for _ in range(n)]


def opening(game: str, number: int, rng: str) -> list[str]:
    return [
        f"match id=m{number} game={game} seats=2 seat=1 names=greedy,tortoise rng={rng} move_ms=1000 bank_ms=0"
        " increment_ms=0 strikes=0",
        "options preset=seed start_coins=3 dole=true",
        "deal n=0 dealer=0 hand=KS,TS,4H pile=7D coins=3,3",
    ]


CLOSING = [
    "fault seat=0 code=timeout",
    "over deal=0 reason=knock hands=9H,4D,4H;KS,TS,5S values=13,25 lost=1,0 coins=2,3",
    "end ranks=2,1 scores=0,3",
]

# A later version of the protocol may say things that no player of today knows.
STRANGE = [
    "hint legal=none move=1 text=act 7 legal=nothing",
    "acting 3 legal=x",
    "byes",
    "matches rng=ffffffffffffffff",
]


# -- the conversation


class Talk:
    """A running bot, written to and read from line by line."""

    def __init__(self, command: Command) -> None:
        self.process = subprocess.Popen(
            command.argv,
            cwd=command.cwd,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self.id = 0
        self.buffer = b""

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(line + "\n" for line in lines).encode("ascii"))

    def hear(self) -> str:
        assert self.process.stdout is not None
        deadline = time.monotonic() + ANSWER_S
        while b"\n" not in self.buffer:
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            assert readable, f"no line came; so far {self.buffer!r} (is the output flushed?)"
            data = self.process.stdout.read(65536)
            assert data, f"the bot is gone; last words {self.buffer!r}"
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode("ascii")

    def greet(self) -> str:
        self.say("referee 1 version=0.1.0 games=scat,scout")
        return self.hear()

    def play(self, game: str, rng: str, asked: list[Request], extra: str = "") -> list[str]:
        """Play one match and return the words answered, each of which is legal and comes with its id."""
        self.say(*opening(game, self.id, rng))
        answers = []
        for n, request in enumerate(asked):
            clock = "ms=- " if n % 3 else "ms=998 bank_ms=500 "
            self.say(
                *request.before, *(STRANGE if extra else []),
                f"act {self.id} {clock}deal=0 {request.words} legal={','.join(request.legal)}{extra}",
            )  # fmt: skip
            verb, number, word = self.hear().split(" ")
            assert (verb, number) == ("move", str(self.id))
            assert word in request.legal
            answers.append(word)
            self.id += 1
        self.say(*CLOSING)
        return answers

    def end(self, *lines: str) -> int:
        """Say these lines, close the bot's input and return its exit status; it has nothing more to say."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.say(*lines)
        if not lines:
            self.process.stdin.close()
        status = self.process.wait(ANSWER_S)
        assert self.buffer + self.process.stdout.read() == b""
        return status


@pytest.fixture(params=BOTS, ids=lambda path: path.name)
def command(request, pytestconfig, monkeypatch) -> Command:
    """How to start one example; what is built is kept between runs."""
    monkeypatch.setenv("REFEREE_CACHE", str(pytestconfig.cache.mkdir("referee-builds")))
    try:
        return resolve(str(request.param)).command
    except NotStarted as error:
        skip_if_lacking(error)
        raise


@pytest.fixture
def talk(command) -> Iterator:
    """A function that starts the bot anew; whatever it started is ended afterwards."""
    talks = []

    def start() -> Talk:
        talks.append(Talk(command))
        return talks[-1]

    yield start
    for each in talks:
        each.process.kill()
        each.process.wait()
        each.process.stdin.close()
        each.process.stdout.close()


def test_example_plays_both_games_legally_and_by_its_seed(talk):
    """Its answers depend on the lines since `match` alone: not on its process, nor on words that it cannot know."""
    scat, scout = requests("scat", 1, 40), requests("scout", 2, 40)
    one, two = talk(), talk()

    assert one.greet() == two.greet() == "ready games=scat,scout"
    first = [one.play("scat", "91c20f00deadbeef", scat), one.play("scout", "ffffffffffffffff", scout)]
    again = [one.play("scat", "91c20f00deadbeef", scat), one.play("scout", "ffffffffffffffff", scout)]
    reseeded = [one.play("scat", "0000000000000000", scat), one.play("scout", "1a2b3c4d5e6f7081", scout)]
    other = [two.play("scout", "ffffffffffffffff", scout, " new=1,2"), two.play("scat", "91c20f00deadbeef", scat)]

    assert first == again
    assert first == other[::-1]
    assert first[0] != reseeded[0] and first[1] != reseeded[1]
    assert one.end("bye") == 0
    assert two.end() == 0


def test_awk_example_plays_under_mawk_too(tmp_path, monkeypatch):
    mawk = shutil.which("mawk")
    if not mawk:
        pytest.skip("mawk is not installed: Debian's package mawk has it.")
    (tmp_path / "mawk").symlink_to(mawk)
    monkeypatch.setenv("PATH", str(tmp_path))
    talk = Talk(resolve(str(EXAMPLES / "bots/awk.awk")).command)
    try:
        talk.greet()
        assert len(talk.play("scat", "91c20f00deadbeef", requests("scat", 1, 10))) == 10
        assert talk.end("bye") == 0
    finally:
        talk.process.kill()
        talk.process.wait()
        talk.process.stdin.close()
        talk.process.stdout.close()


# -- the files


@pytest.mark.parametrize("path", BOTS, ids=lambda path: path.name)
def test_example_fits_on_one_screen_and_says_how_to_run_it(path):
    lines = path.read_text(encoding="ascii").splitlines()

    assert len(lines) <= 60
    assert max(map(len, lines)) <= 130
    assert any("By hand: " in line for line in lines[:4])


def test_every_language_but_one_spelling_of_the_shell_has_an_example():
    table = languages()
    shown = [language_of(path.name, table) for path in BOTS]

    assert None not in shown
    assert {language.key for language in table} - {language.key for language in shown} == {"bash"}


def test_readme_lists_every_example():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    assert [f"`bots/{path.name}`" for path in BOTS if f"`bots/{path.name}`" not in readme] == []
