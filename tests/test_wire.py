"""The wire without any pipe: what each line comes to, however it is cut into reads."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.wire import (
    CODES,
    MAX_COMMENTS,
    MAX_LINE_IN,
    MAX_LINE_OUT,
    MAX_REMARK,
    TRANSITIONS,
    Channel,
    Fault,
    Move,
    Phase,
    Ready,
    Step,
    quote,
    safe,
    words,
)

WORDS = "ms=1000 deal=0 turn=0"


def greeted() -> Channel:
    channel = Channel()
    channel.greet(("scat", "scout"))
    return channel


def idle(ready: bytes = b"ready\n", requests: int = 0) -> Channel:
    """A channel that nobody is asked on, after so many answered requests."""
    channel = greeted()
    assert isinstance(channel.receive(ready), Ready)
    for number in range(requests):
        channel.ask(WORDS, lambda: "a,b")
        assert channel.receive(b"move %d a\n" % number) == Move(number, "a", "")
    return channel


def asked(request: int = 7) -> Channel:
    channel = idle(requests=request)
    channel.ask(WORDS, lambda: "a,b")
    return channel


MAKERS = {"greeting": greeted, "idle": lambda: idle(requests=7), "asked": asked}

# phase, what the player writes, and what it comes to: a value, or (code, a part of the sentence)
READY_CASES = [
    ("greeting", b"ready\n", Ready(None, True, False)),
    ("greeting", b"ready\r\n", Ready(None, True, False)),
    ("greeting", b"  ready  \n", Ready(None, True, False)),
    ("greeting", b"ready games=scat\n", Ready(("scat",), True, False)),
    ("greeting", b"ready games=scat,scout legal=off events=live\n", Ready(("scat", "scout"), False, True)),
    ("greeting", b"ready events=batch legal=on\n", Ready(None, True, False)),
    ("greeting", b"ready games=-\n", Ready((), True, False)),
    ("greeting", b"ready colour=blue games=chess\n", Ready(("chess",), True, False)),
    ("greeting", b"# loading\n#\nready\n", Ready(None, True, False)),
]
MOVE_CASES = [
    ("asked", b"move 7 stock\n", Move(7, "stock", "")),
    ("asked", b"move 7 stock\r\n", Move(7, "stock", "")),
    ("asked", b"  move 7 stock   \n", Move(7, "stock", "")),
    ("asked", b"  move 7 stock  \r\n", Move(7, "stock", "")),
    ("asked", b"move 7 show:2-4 # spades 25\n", Move(7, "show:2-4", "spades 25")),
    ("asked", b"move 7 4H #\n", Move(7, "4H", "")),
    ("asked", b"move 7 4H #tight\n", Move(7, "4H", "tight")),
    ("asked", b"move 7 4H # a # b\n", Move(7, "4H", "a # b")),
    ("asked", b"move 7 4H # " + b"x" * 500 + b"\n", Move(7, "4H", "x" * MAX_REMARK)),
    ("asked", b"move 7 4H#5\n", Move(7, "4H#5", "")),
    ("asked", b"# thinking\n   # deeply\r\nmove 7 4H\n", Move(7, "4H", "")),
    ("asked", b"move 7 " + b"x" * (MAX_LINE_IN - 8) + b"\n", Move(7, "x" * (MAX_LINE_IN - 8), "")),
]
FAULT_CASES = [
    ("greeting", b"\n", ("handshake", "an empty line")),
    ("greeting", b"hello\n", ("handshake", "expected 'ready'")),
    ("greeting", b"READY\n", ("handshake", "written small")),
    ("greeting", b"move 0 stock\n", ("handshake", "nothing was asked yet")),
    ("greeting", b"ready scat\n", ("handshake", "'scat' is not KEY=VALUE")),
    ("greeting", b"ready  legal=on\n", ("handshake", "is not KEY=VALUE")),
    ("greeting", b"ready legal=no\n", ("handshake", "expected legal=on or legal=off, got 'no'")),
    ("greeting", b"ready events=\n", ("handshake", "expected events=batch or events=live")),
    ("greeting", b"ready legal=on legal=off\n", ("handshake", "given twice")),
    ("greeting", b"ready games=\n", ("handshake", "expected games=NAME,NAME")),
    ("greeting", b"ready games=scat,,scout\n", ("handshake", "expected games=NAME,NAME")),
    ("greeting", b"\xef\xbb\xbfready\n", ("bad-bytes", "byte order mark")),
    ("greeting", b"x" * MAX_LINE_IN, ("too-long", "at most 1024 bytes")),
    ("greeting", b"#\n" * (MAX_COMMENTS + 1), ("handshake", "comment lines")),
    ("idle", b"move 7 stock\n", ("unsolicited", "request 6 is answered")),
    ("idle", b"\n", ("unsolicited", "got ''")),
    ("idle", b"ready\n", ("unsolicited", "'ready'")),
    ("idle", b"# fine\nhm\n", ("unsolicited", "'hm'")),
    ("idle", b"\x80\n", ("bad-bytes", "\\x80")),
    ("idle", b"#\n" * (MAX_COMMENTS + 1), ("unsolicited", "comment lines")),
    ("asked", b"\n", ("malformed", "an empty line")),
    ("asked", b"stock\n", ("malformed", "expected 'move ID ACTION'")),
    ("asked", b"Move 7 stock\n", ("malformed", "written small")),
    ("asked", b"ready\n", ("malformed", "'ready' was said already")),
    ("asked", b"info depth 3\n", ("malformed", "starts with '#'")),
    ("asked", b"move\n", ("malformed", "the id is a whole number")),
    ("asked", b"move 7\n", ("malformed", "the action is missing")),
    ("asked", b"move 7 \n", ("malformed", "the action is missing")),
    ("asked", b"move 7 # stock\n", ("malformed", "the action is missing")),
    ("asked", b"move 7 stock now\n", ("malformed", "the action is one word")),
    ("asked", b"move  7 stock\n", ("malformed", "one blank between words")),
    ("asked", b"move 7  stock\n", ("malformed", "one blank between words")),
    ("asked", b"move stock\n", ("malformed", "the id is a whole number")),
    *(
        ("asked", b"move %s stock\n" % number, ("malformed", "the id is a whole number in plain digits"))
        for number in (b"07", b"+7", b"-7", b"7.0", b"0x7", b"1_0", b"7e0", b"7" * 11, b"9" * 900)
    ),
    ("asked", b"move 6 stock\n", ("unsolicited", "expected id 7, got id 6: a stale answer")),
    ("asked", b"move 8 stock\n", ("unsolicited", "expected id 7, got id 8: no such request was made yet")),
    ("asked", b"move \xd9\xa7 stock\n", ("bad-bytes", "\\xd9")),  # Arabic-Indic digit seven
    ("asked", b"move 7 stoc\xc2\xb2\n", ("bad-bytes", "\\xc2")),  # superscript two
    ("asked", b"# caf\xe9\n", ("bad-bytes", "\\xe9")),
    ("asked", b"move 7 stock\x00\n", ("bad-bytes", "a NUL byte")),
    ("asked", b"move\t7 stock\n", ("bad-bytes", "a tab")),
    ("asked", b"move 7 stock\t\n", ("bad-bytes", "a tab")),
    ("asked", b"\x1b[31mmove 7 stock\n", ("bad-bytes", "terminal escape sequence")),
    ("asked", b"\x9b31mmove 7 stock\n", ("bad-bytes", "terminal escape sequence")),
    ("asked", b"move 7 pile\rmove 7 stock\n", ("bad-bytes", "carriage return inside a line")),
    ("asked", b"move 7 stock\r\r\n", ("bad-bytes", "carriage return inside a line")),
    ("asked", b"\xef\xbb\xbfmove 7 stock\n", ("bad-bytes", "byte order mark")),
    ("asked", b"\xff\xfe" + "move 7 stock\n".encode("utf-16-le"), ("bad-bytes", "UTF-16")),
    ("asked", "move 7 stock\n".encode("utf-16-le"), ("bad-bytes", "UTF-16")),
    ("asked", b"move 7 stock\x0b\n", ("bad-bytes", "\\x0b")),
    ("asked", b"move 7 stock\xe2\x80\xa8\n", ("bad-bytes", "\\xe2")),  # U+2028, a line end to str.splitlines
    ("asked", b"x" * MAX_LINE_IN + b"\n", ("too-long", "'xxx")),
    ("asked", b"#" * (MAX_LINE_IN + 5), ("too-long", "'###")),
    ("asked", b"\x00" * 5000, ("too-long", "\\x00")),
    ("asked", b"#\n" * (MAX_COMMENTS + 1), ("malformed", "comment lines")),
]
CASES = READY_CASES + MOVE_CASES + FAULT_CASES
NAMES = [f"{phase}-{data[:20]!r}" for phase, data, _ in CASES]


def agrees(expected: object, got: object) -> bool:
    if isinstance(expected, tuple) and not isinstance(expected, (Ready, Move)):
        return isinstance(got, Fault) and got.code == expected[0] and expected[1] in got.text
    return expected == got


@pytest.mark.parametrize(("phase", "data", "expected"), CASES, ids=NAMES)
def test_a_message_read_whole(phase: str, data: bytes, expected: object) -> None:
    got = MAKERS[phase]().receive(data)

    assert agrees(expected, got), got


@pytest.mark.parametrize(("phase", "data", "expected"), CASES, ids=NAMES)
def test_a_message_read_byte_by_byte(phase: str, data: bytes, expected: object) -> None:
    """The answer comes with the byte that completes it, and not before."""
    channel = MAKERS[phase]()
    whole = MAKERS[phase]().receive(data)

    got = [channel.receive(data[at : at + 1]) for at in range(len(data))]
    first = next(at for at, outcome in enumerate(got) if outcome is not None)

    assert whole == got[first]
    assert not isinstance(whole, Ready | Move) or first == len(data) - 1


@pytest.mark.parametrize(("phase", "data", "expected"), CASES, ids=NAMES)
def test_a_message_read_with_trailing_junk(phase: str, data: bytes, expected: object) -> None:
    """Junk in the same read is judged next, as something that nobody asked for."""
    channel = MAKERS[phase]()

    got = channel.receive(data + b"junk\n")

    assert agrees(expected, got), got
    if isinstance(got, Ready | Move):
        after = channel.receive(b"")
        assert isinstance(after, Fault) and after.code == "unsolicited" and "'junk'" in after.text


@pytest.mark.parametrize(("phase", "data", "expected"), FAULT_CASES)
def test_a_fault_is_a_sentence_in_printable_ascii(phase: str, data: bytes, expected: tuple[str, str]) -> None:
    fault = MAKERS[phase]().receive(data)

    assert isinstance(fault, Fault)
    assert fault.code in CODES
    assert fault.text == safe(fault.text)
    assert len(fault.text) < 500
    assert fault.text.startswith(("expected", "it "))


# -- phases -------------------------------------------------------------------------------------------------------


def test_every_phase_is_in_the_table_and_can_be_left_and_reached() -> None:
    assert set(Phase) == set(TRANSITIONS)
    assert all(Step.CLOSE in steps for steps in TRANSITIONS.values())
    assert set(Phase) - {Phase.NEW} == {to for steps in TRANSITIONS.values() for to in steps.values()}


@pytest.mark.parametrize(("phase", "data", "expected"), CASES, ids=NAMES)
def test_a_message_moves_the_conversation_on_as_the_table_says(phase: str, data: bytes, expected: object) -> None:
    channel = MAKERS[phase]()
    before = channel.phase

    outcome = channel.receive(data)

    steps = TRANSITIONS[before]
    match outcome:
        case Ready():
            assert steps[Step.READY] is channel.phase
        case Move():
            assert steps[Step.MOVE] is channel.phase
        case Fault(code="malformed") if "comment lines" not in outcome.text:
            assert steps[Step.GARBLE] is channel.phase
        case _:
            assert steps[Step.BREACH] is channel.phase
            assert outcome == channel.fault


def test_the_referee_may_not_speak_out_of_turn() -> None:
    """That is a bug of ours, and no fault."""
    with pytest.raises(RuntimeError, match="ASK in phase NEW"):
        Channel().ask(WORDS, lambda: "a")
    with pytest.raises(RuntimeError, match="ASK in phase ASKED"):
        asked().ask(WORDS, lambda: "a")
    with pytest.raises(RuntimeError, match="GREET in phase IDLE"):
        idle().greet(())


def test_a_malformed_answer_leaves_the_conversation_open() -> None:
    """With strikes the match goes on: the next request gets its own answer."""
    channel = asked(0)
    assert channel.receive(b"stock\n").code == "malformed"

    channel.ask(WORDS, lambda: "a")

    assert Move(1, "a", "") == channel.receive(b"move 1 a\n")


def test_any_other_fault_stands_for_ever() -> None:
    channel = asked()
    fault = channel.receive(b"move 6 a\n")

    assert fault == channel.receive(b"move 7 a\n") == channel.receive(b"") == channel.fault
    assert b"" == channel.partial


def test_a_line_begun_before_the_request_is_unsolicited() -> None:
    """A guessed id does not help: what came before the request is no answer to it."""
    channel = idle()
    assert channel.receive(b"move 0 st") is None
    channel.ask(WORDS, lambda: "stock")

    fault = channel.receive(b"ock\n")

    assert isinstance(fault, Fault) and fault.code == "unsolicited" and "was begun before request 0" in fault.text


def test_a_whole_line_that_waits_is_no_answer_to_the_next_request() -> None:
    channel = asked(0)
    assert Move(0, "a", "") == channel.receive(b"move 0 a\nmove 1 a\n")
    channel.ask(WORDS, lambda: "a")

    assert channel.receive(b"").code == "unsolicited"


def test_a_comment_begun_before_the_request_may_end_after_it() -> None:
    channel = idle()
    assert channel.receive(b"# pond") is None
    channel.ask(WORDS, lambda: "stock")

    assert Move(0, "stock", "") == channel.receive(b"ering\nmove 0 stock\n")


def test_comments_are_counted_anew_for_each_request() -> None:
    channel = idle()
    for number in range(3):
        channel.ask(WORDS, lambda: "a")
        assert Move(number, "a", "") == channel.receive(b"#\n" * MAX_COMMENTS + b"move %d a\n" % number)


def test_ids_never_repeat() -> None:
    channel = idle()
    seen = []
    for number in range(5):
        verb, (identity,), _ = words(channel.ask(WORDS, lambda: "a").decode())
        channel.receive(b"move %d a\n" % number)
        seen.append((verb, identity))

    assert [("act", str(number)) for number in range(5)] == seen


def test_the_end_of_input_says_what_was_due() -> None:
    assert Fault("closed", "it closed its standard output before it said 'ready'") == greeted().closed()
    channel = asked()
    channel.receive(b"move 7 st")

    fault = channel.closed()

    assert "before it answered request 7, after 'move 7 st' without a line end" in fault.text
    assert Phase.CLOSED is channel.phase


def test_closing_ends_the_conversation() -> None:
    channel = idle()
    channel.close()

    assert channel.receive(b"bye yourself\n") is None
    assert channel.fault is None


# -- what the referee says ----------------------------------------------------------------------------------------


def test_the_greeting_names_protocol_version_and_games() -> None:
    assert Channel().greet(("scat", "scout")).startswith(b"referee 1 version=")
    assert Channel().greet(("scat", "scout")).endswith(b" games=scat,scout\n")


def test_what_was_told_goes_out_with_the_next_request() -> None:
    channel = idle()
    channel.tell("match id=m0")
    channel.tell("deal n=0")

    assert b"match id=m0\ndeal n=0\nact 0 ms=1 legal=a,b\n" == channel.ask("ms=1", lambda: "a,b")
    assert b"" == channel.take()


def test_what_was_told_can_be_taken_at_once() -> None:
    channel = idle(b"ready events=live\n")
    channel.tell("did seat=1 move=stock")

    assert channel.ready.live
    assert b"did seat=1 move=stock\n" == channel.take()
    assert b"act 0 ms=1 legal=a\n" == channel.ask("ms=1", lambda: "a")


def test_a_player_without_legal_is_not_made_a_list() -> None:
    def never() -> str:
        raise AssertionError("the legal list was made")

    assert b"act 0 ms=1\n" == idle(b"ready legal=off\n").ask("ms=1", never)


@pytest.mark.parametrize("line", ["two\nlines", "carriage\rreturn", "caf\u00e9", "x" * MAX_LINE_OUT])
def test_a_line_that_is_none_is_a_bug_of_ours(line: str) -> None:
    channel = idle()
    channel.tell(line)

    with pytest.raises(ValueError):
        channel.take()


# -- text ---------------------------------------------------------------------------------------------------------


def test_safe_spells_what_a_terminal_might_obey() -> None:
    assert "plain" == safe("plain") == safe(b"plain")
    assert "\\x1b[31mred\\x07" == safe("\x1b[31mred\x07")
    assert "\\xff\\x00\\x0a" == safe(b"\xff\x00\n")
    assert "caf\\xc3\\xa9" == safe("caf\u00e9")
    assert "\\xff" == safe("\udcff")  # as os.fsdecode makes it
    assert "\\xed\\xa0\\x80" == safe("\ud800")


@given(st.one_of(st.text(), st.binary()))
def test_safe_is_printable_ascii_and_changes_no_such_text(text: str | bytes) -> None:
    shown = safe(text)

    assert shown.isascii() and (shown.isprintable() or not shown)
    assert shown == safe(shown)


def test_quotes_are_cut() -> None:
    assert "'abc'" == quote(b"abc")
    assert "'abc...'" == quote("abcdef", 3)
    assert len(quote(b"\x00" * 1000)) < 200


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bye\n", ("bye", (), {})),
        ("act 7 ms=1000 hand=KS,TS pile=-\r\n", ("act", ("7",), {"ms": "1000", "hand": "KS,TS", "pile": "-"})),
        (
            "fault seat=1 code=timeout id=- text=expected a=b, got c",
            ("fault", (), {"seat": "1", "code": "timeout", "id": "-", "text": "expected a=b, got c"}),
        ),
        ("void text=", ("void", (), {"text": ""})),
        ("x a=b=c", ("x", (), {"a": "b=c"})),
        ("", ("", (), {})),
    ],
)
def test_words_reads_the_referees_lines(line: str, expected: object) -> None:
    assert expected == words(line)


# -- any bytes ----------------------------------------------------------------------------------------------------

PIECES = st.one_of(
    st.sampled_from(
        [
            b"move 0 a\n",
            b"move 1 b # hm\n",
            b"move 2 c\r\n",
            b"move 00 a\n",
            b"ready\n",
            b"ready games=scat events=live\n",
            b"# comment\n",
            b" ",
            b"\n",
            b"\r",
            b"#",
            b"move ",
            b"x" * 600,
            b"\xef\xbb\xbf",
        ]
    ),
    st.binary(max_size=12),
)
STREAMS = st.lists(PIECES, max_size=12).map(b"".join)


def outcomes(data: bytes, cuts: list[int]) -> Iterator[object]:
    """Yield what a referee gets that greets and then asks nothing, from a player who writes `data`."""
    channel = greeted()
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        got = channel.receive(data[start:end])
        while got is not None:
            yield got
            if isinstance(got, Fault) and channel.phase is Phase.CLOSED:
                return
            got = channel.receive(b"")
        assert len(channel.partial) < MAX_LINE_IN


@given(STREAMS, st.data())
def test_the_outcome_does_not_depend_on_how_bytes_are_cut(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))

    assert list(outcomes(data, [])) == list(outcomes(data, cuts)) == list(outcomes(data, list(range(1, len(data)))))


@given(STREAMS, st.data())
def test_any_bytes_get_an_answer_or_a_fault(data: bytes, draw: st.DataObject) -> None:
    """Whatever comes while a request is open is the answer, a fault, or not enough; and the cuts do not matter."""
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))

    def first(cuts: list[int]) -> object:
        channel = asked(0)
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            if (got := channel.receive(data[start:end])) is not None:
                return got
        return None

    got = first([])

    assert got is None or isinstance(got, Move | Fault)
    assert got == first(cuts) == first(list(range(1, len(data))))


@given(st.binary(max_size=3000))
def test_a_channel_holds_no_more_than_a_line(data: bytes) -> None:
    channel = asked(0)
    for at in range(0, len(data), 7):
        channel.receive(data[at : at + 7])
        assert len(channel.partial) <= MAX_LINE_IN + 7
