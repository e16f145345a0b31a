"""A record as text: byte-stable, replayable, and any change in it is found."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import load, names
from referee.match import Answer, Ask, Limits, Record, Reply, play
from referee.record import BadRecord, from_text, replay, to_text, verify
from referee.wire import Fault
from tests.playing import play_out


def match(name: str, seats: int, seed: int, limits: Limits = Limits(), trouble: float = 0.0, **options) -> Record:  # noqa: B008
    """Play a random match; with `trouble`, some answers are faults of all kinds."""
    rng = random.Random(seed)

    def answer(ask: Ask) -> Reply:
        word = rng.choice(ask.legal().split(","))
        remark = rng.choice(["", "", "spades 25", "text=1 # x"])
        if rng.random() < trouble:
            return rng.choice([Answer("scout:L99"), Answer("5X"), Fault("exit", "it ended with exit code 1")])
        return Answer(word, remark)

    names = tuple(f"p{n}" for n in range(seats))
    return play_out(play(load(name, "seed", **options), rng.randbytes(32), names, limits), answer)[0]


def tables():
    return [(name, seats) for name in names() for seats in load(name).seats]


@pytest.mark.parametrize(("name", "seats"), tables())
def test_a_record_reads_back_as_it_was_and_verifies(name, seats):
    for seed in range(3):
        record = match(name, seats, seed, Limits(strikes=seed), trouble=seed * 0.02)
        text = to_text(record)

        assert from_text(text) == record
        assert to_text(from_text(text)) == text
        assert verify(text) is None


@given(st.data())
@settings(max_examples=60)
def test_one_changed_byte_is_found(data):
    name, seats, seed = data.draw(st.sampled_from([("scat", 3, 1), ("scat", 9, 2), ("scout", 2, 3), ("scout", 4, 4)]))
    text = to_text(match(name, seats, seed, Limits(strikes=1), trouble=0.03))
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.integers(0, 127).map(chr).filter(lambda char: char != text[at]))

    assert verify(text[:at] + other + text[at + 1 :]) is not None


def test_a_lost_or_an_added_line_is_found():
    lines = to_text(match("scat", 2, 5)).splitlines(keepends=True)

    for at in range(len(lines)):
        assert verify("".join(lines[:at] + lines[at + 1 :])) is not None
        assert verify("".join([*lines[:at], lines[at], *lines[at:]])) is not None


def test_the_first_difference_is_named_with_its_line():
    text = to_text(match("scat", 2, 6))
    number = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("over "))

    difference = verify(text.replace("lost=", "lost=9", 1))

    assert difference is not None
    assert difference.startswith(f"line {number} differs: the record says 'over deal=0 ")


def test_a_record_cut_short_or_with_windows_line_ends_is_told_so():
    text = to_text(match("scat", 2, 6))

    assert verify(text[:900]) == "the record is cut short: its last line is not `check sha256=...`"
    assert "cut short" in str(verify(text.rpartition("check")[0]))
    assert "Windows line ends" in str(verify(text.replace("\n", "\r\n")))


def test_an_impossible_move_is_named_with_its_reason():
    text = to_text(match("scout", 3, 7))

    difference = verify(text.replace("did seat=0 move=", "did seat=0 move=scout:L0 was=", 1))

    assert difference is not None
    assert "scout:L0 by seat 0, cannot be: " in difference


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no `match`"),
        ("hello\n", "line 1: a record has no line 'hello'"),
        ("record 9\n", "records of version 1, not 9"),
        ("record 1\nmatch game=scat\n", "line 2: the word 'preset' is missing"),
        ("record 1\nmatch game=chess preset=seed seats=2 names=a,b\nseed 00\n", "There is no game 'chess'"),
        ("record 1\nmatch game=scat preset=seed seats=2 names=a,b\nseed xx\n", "line 3: "),
        ("record 1\nmatch game=scat preset=seed seats=2 names=a,b\nseed 00\n", "ends before the match does"),
        ("record 1\nmatch game=scat preset=seed seats=1 names=a\nseed 00\n", ""),
    ],
)
def test_what_is_no_record_is_refused_with_a_sentence(text, says):
    with pytest.raises(BadRecord) as caught:
        from_text(text)

    assert says in str(caught.value)


@given(st.text(max_size=200))
def test_any_text_gives_a_record_or_a_sentence(text):
    assert isinstance(verify(text), str)


@pytest.mark.parametrize("name", names())
def test_replay_reproduces_every_state(name):
    record = match(name, 3, 8)
    first = [moment.state for moment in replay(record)]

    assert first == [moment.state for moment in replay(from_text(to_text(record)))]
    assert len(first) == len(record.steps) + 1


def test_a_record_holds_no_time_and_no_timings():
    record = match("scat", 2, 9)

    assert record.timings
    assert "wall" not in to_text(record)
    assert to_text(record) == to_text(match("scat", 2, 9))


def test_the_record_in_protocol_md_verifies():
    page = (Path(__file__).parent.parent / "protocol.md").read_text()
    blocks = re.findall(r"^```record\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)

    assert blocks
    for block in blocks:
        assert verify(block) is None
