"""The wire: lines to and from one player, and which of them may come when. No input or output happens here.

Theory of operation. A `Channel` is the referee's end of one conversation. It turns what the referee has to say into
bytes, and the bytes that came from the player into one `Ready`, one `Move` or one `Fault` at a time; whoever owns the
pipe carries the bytes. Five phases, and the table `TRANSITIONS` that is all there is to know about them:

    NEW       nothing has been said
    GREETING  the referee has said `referee`, and waits for `ready`
    IDLE      nobody is asked; the player may only write comments
    ASKED     the player owes one `move` with the id of the request
    CLOSED    the conversation is over; the fault that ended it stands

What a channel holds is bounded: a line longer than MAX_LINE_IN is a fault at once, and after an answer at most the rest
of the same read waits to be judged. The outcome never depends on how the bytes were cut into reads.

Source: protocol.md, which is the norm; the two-way split of faults (theirs, ours) follows h11: whatever a player does
comes back as a `Fault`, while an exception from this module is a bug of the referee's.
"""

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from referee import __version__

PROTOCOL: Final = 1
MAX_LINE_OUT: Final = 16384  # bytes of one line from the referee, its LF included
MAX_LINE_IN: Final = 1024  # bytes of one line from a player, its LF included
MAX_COMMENTS: Final = 1000  # comment lines of a player per request
MAX_REMARK: Final = 200  # characters kept of a remark
QUOTED: Final = 80  # characters of a player's line that a sentence quotes

CODES: Final = (
    "start",
    "handshake",
    "timeout",
    "exit",
    "signal",
    "closed",
    "malformed",
    "illegal",
    "unsolicited",
    "too-long",
    "bad-bytes",
    "blocked",
)


class Fault(NamedTuple):
    """What a player did wrong.

    code -- one of CODES
    text -- a sentence in printable ASCII: what was expected, what was seen, what would do
    """

    code: str
    text: str


class Ready(NamedTuple):
    """A player's greeting.

    games -- the games that it plays; None when it did not say
    legal -- whether requests to it carry `legal=`
    live  -- whether it hears events as they happen, not with its next request
    """

    games: tuple[str, ...] | None = None
    legal: bool = True
    live: bool = False


class Move(NamedTuple):
    """A player's answer to request `id`: one word, and at most MAX_REMARK characters of remark."""

    id: int
    action: str
    remark: str


class Phase(enum.IntEnum):
    """Where a conversation stands."""

    NEW = enum.auto()
    GREETING = enum.auto()
    IDLE = enum.auto()
    ASKED = enum.auto()
    CLOSED = enum.auto()


class Step(enum.IntEnum):
    """What moves a conversation on: the first three and CLOSE come from the referee, the rest from the player."""

    GREET = enum.auto()
    ASK = enum.auto()
    CLOSE = enum.auto()
    READY = enum.auto()
    MOVE = enum.auto()
    GARBLE = enum.auto()  # an answer that is no answer: one line, and the line was judged
    BREACH = enum.auto()  # any other fault: who speaks out of turn cannot be trusted to be in step


# Everything that a conversation may do is here; a pair that is missing is a bug of the referee's.
TRANSITIONS: Final[Mapping[Phase, Mapping[Step, Phase]]] = MappingProxyType(
    {
        Phase.NEW: {Step.GREET: Phase.GREETING, Step.CLOSE: Phase.CLOSED},
        Phase.GREETING: {Step.READY: Phase.IDLE, Step.BREACH: Phase.CLOSED, Step.CLOSE: Phase.CLOSED},
        Phase.IDLE: {Step.ASK: Phase.ASKED, Step.BREACH: Phase.CLOSED, Step.CLOSE: Phase.CLOSED},
        Phase.ASKED: {
            Step.MOVE: Phase.IDLE,
            Step.GARBLE: Phase.IDLE,  # a table with strikes lets the player go on
            Step.BREACH: Phase.CLOSED,
            Step.CLOSE: Phase.CLOSED,
        },
        Phase.CLOSED: {Step.CLOSE: Phase.CLOSED},
    }
)

# One whole answer, its blanks and its CR: the only line that has to be read fast.
_MOVE: Final = re.compile(rb" *move (0|[1-9][0-9]{0,9}) ([!-\"$-~][!-~]*)(?: +#([ -~]*))? *\r?")
_COMMENT: Final = re.compile(rb" *#[ -~]*\r?")
_ID: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_OUTSIDE: Final = re.compile(rb"[^ -~]")

MOVE_FORM: Final = "'move ID ACTION' or 'move ID ACTION # REMARK'"
READY_FORM: Final = "'ready', then any of games=G,G legal=on|off events=batch|live"


class Channel:
    """The referee's end of one conversation with one player; it does no I/O.

    phase    -- where the conversation stands
    ready    -- the player's greeting, once it has come
    id       -- the number of the latest request; -1 before the first. Numbers never repeat in the life of a channel
    comments -- how many comment lines the player has written since that request
    strikes  -- how many bad answers will be tolerated of it in this match, as it was told
    fault    -- the fault that closed the channel, if one did
    """

    __slots__ = ("_early", "_queue", "_rest", "_want", "comments", "fault", "id", "phase", "ready", "strikes")

    def __init__(self) -> None:
        self.phase = Phase.NEW
        self.ready = Ready()
        self.id = -1
        self.fault: Fault | None = None
        self._want = b""  # the id of the open request, as the player has to spell it
        self._rest = b""  # what came and was not judged yet
        self._early = 0  # how many bytes of it came before the open request was made
        self.comments = 0
        self.strikes = 0
        self._queue: list[str] = []

    # -- what the referee says ------------------------------------------------------------------------------------

    def greet(self, games: Sequence[str]) -> bytes:
        """Return the greeting; the player owes `ready` now.

        games -- the games that this referee knows
        """
        self._step(Step.GREET)
        return _line(f"referee {PROTOCOL} version={__version__} games={','.join(games) or '-'}")

    def tell(self, line: str) -> None:
        """Queue one line, without its line end, for `take` or the next `ask`."""
        self._queue.append(line)
        if line.startswith(("match ", "strike ")):
            keys = words(line)[2]
            left = keys.get("strikes") or keys.get("left") or ""
            self.strikes = int(left) if left.isdecimal() else 0

    def take(self) -> bytes:
        """Return the queued lines, and forget them."""
        if not self._queue:
            return b""
        data = b"".join(map(_line, self._queue))
        self._queue.clear()
        return data

    def ask(self, words: str, legal: Callable[[], str]) -> bytes:
        """Return the queued lines and a request with the next id; the player owes one `move` now.

        words -- everything between the id and `legal=`
        legal -- makes the legal actions, joined by commas; not called for a player that said `legal=off`
        """
        self._step(Step.ASK)
        self.id = number = self.id + 1
        self._want = b"%d" % number
        self.comments = 0
        self._early = len(self._rest)
        line = _line(f"act {number} {words} legal={legal()}" if self.ready.legal else f"act {number} {words}")
        return self.take() + line if self._queue else line

    def close(self) -> None:
        """End the conversation; what still comes is nobody's business."""
        self._step(Step.CLOSE)
        self._rest = b""

    # -- what the player says -------------------------------------------------------------------------------------

    @property
    def partial(self) -> bytes:
        """The line that the player has begun and not ended."""
        return self._rest.rpartition(b"\n")[2]

    def receive(self, data: bytes) -> Ready | Move | Fault | None:
        """Return what the player's next bytes come to, or None when that takes more of them.

        data -- bytes as read, cut anywhere; b"" only judges what is waiting from the read before (the end of the
        input is not an event of the wire: see `closed`)

        After an answer the rest of the read waits, and is judged by the next call. After a fault that closed the
        channel, returns that fault again.
        """
        if self.phase is Phase.CLOSED:
            return self.fault
        rest = self._rest + data if self._rest else data
        if not rest:
            return None
        # The common case, kept short: one line, and it is the answer.
        if self.phase is Phase.ASKED and not self._early:
            end = rest.find(b"\n")
            if 0 <= end < MAX_LINE_IN and (match := _MOVE.fullmatch(rest, 0, end)) and match[1] == self._want:
                self._rest = rest[end + 1 :]
                self.phase = Phase.IDLE  # as in TRANSITIONS
                return Move(self.id, match[2].decode(), match[3].decode().strip(" ")[:MAX_REMARK] if match[3] else "")
        start = 0
        outcome: Ready | Move | Fault | None = None
        while outcome is None:
            end = rest.find(b"\n", start)
            if (len(rest) if end < 0 else end) - start >= MAX_LINE_IN:
                outcome = _too_long(rest[start : start + QUOTED + 1])
            elif end < 0:
                break
            else:
                outcome = self._judge(rest[start:end])
                self._early = max(0, self._early - (end + 1 - start))
                start = end + 1
        self._rest = rest[start:]
        if outcome is not None:
            self._settle(outcome)
        return outcome

    def closed(self, what: str = "its standard output") -> Fault:
        """Return the fault of a player that ended its side; the channel is closed by it."""
        begun = self.partial
        text = f"it closed {what} {self.moment}"
        if begun:
            text += f", after {quote(begun)} without a line end: a line counts only once its LF has come"
        return self.fail(Fault("closed", text))

    def fail(self, fault: Fault) -> Fault:
        """Close the channel by a fault that whoever owns the pipe has found, and return the fault."""
        if self.phase is not Phase.CLOSED:
            self.phase = Phase.CLOSED
            self.fault = fault
            self._rest = b""
            self._queue.clear()
        return fault

    # -- inside ---------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        try:
            self.phase = TRANSITIONS[self.phase][step]
        except KeyError:
            raise RuntimeError(f"the referee may not {step.name} in phase {self.phase.name}") from None

    def _settle(self, outcome: Ready | Move | Fault) -> None:
        match outcome:
            case Ready():
                self.ready = outcome
                self._step(Step.READY)
            case Move():
                self._step(Step.MOVE)
            case Fault(code="malformed") if self.comments <= MAX_COMMENTS:
                self._step(Step.GARBLE)
            case Fault():
                self._step(Step.BREACH)
                self.fault = outcome
                self._rest = b""

    def _judge(self, line: bytes) -> Ready | Move | Fault | None:
        """Return what one line, without its LF, comes to in this phase; None for a comment."""
        if _COMMENT.fullmatch(line):
            return self._comment(line)
        whole = line.removesuffix(b"\r")
        if bad := _OUTSIDE.search(whole):
            return _bad_bytes(whole, bad.start())
        text = whole.strip(b" ").decode("ascii")
        if self.phase is Phase.IDLE or self._early:
            return self._unsolicited(text)
        return _read_ready(text) if self.phase is Phase.GREETING else self._read_move(text)

    def _comment(self, line: bytes) -> Fault | None:
        self.comments += 1
        if self.comments <= MAX_COMMENTS:
            return None
        code = {Phase.GREETING: "handshake", Phase.ASKED: "malformed"}.get(self.phase, "unsolicited")
        return Fault(code, f"it wrote more than {MAX_COMMENTS} comment lines to one request, the latest {quote(line)}")

    def _unsolicited(self, text: str) -> Fault:
        late = f"request {self.id} is answered" if self.id >= 0 else "nothing was asked yet"
        if self.phase is Phase.ASKED:
            late = f"this line was begun before request {self.id} was made"
        return Fault(
            "unsolicited", f"expected silence, or a comment, until the next request ({late}), got {quote(text)}"
        )

    def _read_move(self, text: str) -> Move | Fault:
        """Return the answer that one line of text spells, or what is wrong with it."""
        form = f"expected {MOVE_FORM} with id {self.id}, got {quote(text)}"
        parts = text.split(" ")
        if parts[0] != "move":
            return Fault("malformed", form + _about_verb(text))
        if len(parts) < 2 or not _ID.fullmatch(parts[1]):
            wrong = "one blank between words" if "" in parts[:2] else "the id is a whole number in plain digits"
            return Fault("malformed", f"{form}: {wrong}")
        if parts[1].encode() != self._want:
            wrong = "a stale answer" if int(parts[1]) < self.id else "no such request was made yet"
            return Fault("unsolicited", f"expected id {self.id}, got id {parts[1]}: {wrong}")
        match = _MOVE.fullmatch(text.encode())
        if not match:
            return Fault("malformed", f"{form}: {_about_action(parts[2:])}")
        return Move(self.id, match[2].decode(), (match[3] or b"").decode().strip(" ")[:MAX_REMARK])

    @property
    def moment(self) -> str:
        """A clause on where the conversation stands, for the sentence of a fault."""
        match self.phase:
            case Phase.GREETING | Phase.NEW:
                return "before it said 'ready'"
            case Phase.ASKED:
                return f"before it answered request {self.id}"
            case _:
                return "while nobody asked it"


def _line(text: str) -> bytes:
    """Return one line of the referee's with its LF. Raises ValueError when it is no such line: a bug of ours."""
    data = text.encode("ascii")
    if len(data) >= MAX_LINE_OUT or b"\n" in data or b"\r" in data:
        raise ValueError(f"this is no line of the wire ({len(data)} bytes): {quote(text)}")
    return data + b"\n"


def _read_ready(text: str) -> Ready | Fault:
    """Return the greeting that one line of text spells, or what is wrong with it."""
    verb, *given = text.split(" ")
    if verb != "ready":
        return Fault("handshake", f"expected {READY_FORM}, got {quote(text)}{_about_verb(text)}")
    values: dict[str, str] = {}
    for word in given:
        key, equals, value = word.partition("=")
        if not equals or not key or key in values:
            wrong = "is given twice" if key in values else "is not KEY=VALUE"
            return Fault("handshake", f"expected {READY_FORM}, got {quote(text)}: {quote(word)} {wrong}")
        values[key] = value
    for key, words_ in (("legal", ("on", "off")), ("events", ("batch", "live"))):
        if values.get(key, words_[0]) not in words_:
            return Fault("handshake", f"expected {key}={words_[0]} or {key}={words_[1]}, got {quote(values[key])}")
    games: tuple[str, ...] | None = None
    if "games" in values:
        games = () if values["games"] == "-" else tuple(values["games"].split(","))
        if not all(map(_NAME.fullmatch, games)):
            return Fault("handshake", f"expected games=NAME,NAME, got {quote(values['games'])}")
    return Ready(games, values.get("legal") != "off", values.get("events") == "live")


def _about_verb(text: str) -> str:
    """Return what is to be said of a line that does not start with the verb that was due."""
    verb = text.partition(" ")[0]
    if not text:
        return ": an empty line"
    if verb.lower() in ("move", "ready") and verb not in ("move", "ready"):
        return ": verbs are written small"
    if verb == "ready":
        return ": 'ready' was said already"
    if verb == "move":
        return ": nothing was asked yet"
    return ": a line that starts with '#' is a comment, which is read and dropped; debugging belongs on standard error"


def _about_action(parts: list[str]) -> str:
    """Return what is wrong with the words after the id, which are not `ACTION` or `ACTION # REMARK`."""
    if "" in parts[:2]:
        return "one blank between words"
    if not parts or parts[0].startswith("#"):
        return "the action is missing"
    return "the action is one word, and only ' # REMARK' may follow it"


def _too_long(head: bytes) -> Fault:
    return Fault(
        "too-long",
        f"expected a line of at most {MAX_LINE_IN} bytes with its LF, got a longer one that begins {quote(head)}",
    )


def _bad_bytes(line: bytes, at: int) -> Fault:
    """Return the fault of a line with a byte, at index `at`, that is not printable ASCII."""
    around = line[max(0, at - 20) :]
    cut = "..." if at > 20 else ""
    return Fault("bad-bytes", f"expected printable ASCII, got {cut}{quote(around)}: {_hint(line, line[at])}")


def _hint(line: bytes, byte: int) -> str:
    """Return the likeliest cause of a byte that is not printable ASCII."""
    if line.startswith(b"\xef\xbb\xbf"):
        return "the line starts with a UTF-8 byte order mark; write without one"
    if line.startswith((b"\xff\xfe", b"\xfe\xff")) or line[:8].count(0) >= 3:
        return "this is UTF-16; set the encoding of standard output to ASCII or UTF-8"
    match byte:
        case 0x1B | 0x9B:
            return "a terminal escape sequence; write plain text when standard output is no terminal"
        case 0x0D:
            return "a carriage return inside a line; only LF ends a line"
        case 0x00:
            return "a NUL byte; write the text without its terminator"
        case 0x09:
            return "a tab; words are separated by one blank"
        case _:
            return f"byte \\x{byte:02x} is not in the range \\x20 to \\x7e"


def safe(text: str | bytes) -> str:
    r"""Return text or bytes as printable ASCII; any other byte is spelled \xNN. It does a terminal no harm."""
    if isinstance(text, str):
        if text.isascii() and text.isprintable():
            return text
        # Lone surrogates are what os.fsdecode makes of bytes; those of other origin have no bytes of their own.
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            data = text.encode("utf-8", "surrogatepass")
    else:
        data = text
    return _OUTSIDE.sub(lambda match: b"\\x%02x" % ord(match[0]), data).decode("ascii")


def quote(text: str | bytes, most: int = QUOTED) -> str:
    """Return text in quotes, safe to show, cut to `most` characters before escaping."""
    shown = safe(text[:most])
    if len(shown) > 2 * most:
        shown = shown[: 2 * most]
        return f"'{shown}...'"
    return f"'{shown}...'" if len(text) > most else f"'{shown}'"


def words(line: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Return a line of the referee's as (verb, bare words, key -> value).

    line -- one line, with or without its line end. `text=`, if there is one, runs to the end of the line.
    """
    head, text, rest = line.rstrip("\r\n").partition(" text=")
    verb, *others = head.split() or [""]
    keys = dict(word.split("=", 1) for word in others if "=" in word)
    if text:
        keys["text"] = rest
    return verb, tuple(word for word in others if "=" not in word), keys
