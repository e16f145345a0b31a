"""From what was seen to what is wrong: the sentence on the cause, and what would do.

A fault of the protocol says what was seen. The author of a player wants to know which habit of the program it comes
from, so each fault is looked at together with what the player wrote before and after it.
"""

import contextlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.check.talk import Line, Talk
from referee.match import Answer
from referee.wire import Fault, quote, safe

SHOWN: Final = 8  # lines of evidence each way
WIDE: Final = 600  # characters of a line of evidence

FLUSH: Final = (
    "flush standard output after every line:",
    "  Python      print(..., flush=True)",
    "  C           fflush(stdout);",
    "  C++         std::cout << std::flush;",
    "  Java        System.out.flush();",
    "  Go          w.Flush() on the bufio.Writer",
    "  Rust        std::io::stdout().flush()",
    "  Perl        $| = 1;",
    "  Ruby        $stdout.sync = true",
)
_STDERR: Final = "print diagnostics to standard error; what is written there is kept for you and never judged"


class Trouble(NamedTuple):
    """What went wrong in one place, for the author of the player.

    sort     -- "first", "once", "ids", "silent", "ready": which habit it is, as the probes are named
    problem  -- a sentence on the cause
    fix      -- lines that say what would do
    sent, came, stderr -- the evidence: the latest lines sent, what came back, and standard error
    """

    sort: str
    problem: str
    fix: tuple[str, ...]
    sent: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


def trouble_of(talk: Talk, fault: Fault) -> Trouble:
    """Return what lies behind a fault that the player has just committed; its process is gone afterwards."""
    said = talk.said()
    unasked = fault.code == "unsolicited" and fault.text.startswith("expected silence")
    sort, problem, fix = _unasked(talk, fault) if unasked else _explained(talk, fault, said)
    lines = list(talk.lines)
    stderr = talk.stderr_lines()
    talk.stop()
    return Trouble(sort, problem, fix, sent_lines(lines), came_lines(said), stderr)


def refused(talk: Talk, why: str) -> Trouble:
    """Return what is wrong with an answer that the rules have just refused."""
    return Trouble("first", sentence(why), (), sent_lines(list(talk.lines)), came_lines(talk.said()))


def heard(talk: Talk) -> Trouble:
    """Return what was sent last and what came since, as evidence for what the caller says is wrong."""
    return Trouble("once", "", (), sent_lines(list(talk.lines)), came_lines(talk.said()), talk.stderr_lines())


def _explained(talk: Talk, fault: Fault, said: Sequence[Line]) -> tuple[str, str, tuple[str, ...]]:
    """Return (sort, problem, fix) of a fault at a request or at the greeting."""
    text = sentence(fault.text)
    match fault.code:
        case "timeout" | "handshake" if "the answer was not flushed" in fault.text:
            return _waits(talk, fault)
        case "timeout":
            return "first", text, _about_lateness(fault.text)
        case "handshake":
            return "first", text, ("answer the line 'referee ...' with 'ready' alone, and print nothing before it",)
        case "exit" if "exited with code 127" in fault.text and talk.id is None:
            return _about_interpreter(talk.command.argv[0], text)
        case "exit" | "signal" if "without a line end" in fault.text:
            return "first", text, ("end each line with LF, and flush it before the program ends",)
        case "exit" | "signal":
            return "first", text, ("run the program by hand with the lines above, and read its standard error",)
        case "closed":
            return "first", text, ("keep standard input and output open to the end; a helper may have been given them",)
        case "malformed":
            return "first", *_about_garble(fault, said)
        case "unsolicited":
            fix = ("send back the id of the request that is being answered: the word after 'act'",)
            return "ids", text, fix
        case "bad-bytes":
            return "first", f"{text} ({_place(said)})", ("write printable ASCII, and LF at the end of each line",)
        case "too-long":
            return "first", text, (_STDERR,)
        case "blocked":
            return "first", text, ("read every line that comes, also those that you have no use for",)
    return "first", text, ()


def _waits(talk: Talk, fault: Fault) -> tuple[str, str, tuple[str, ...]]:
    """Return what is wrong with a player that waits for input while it owes an answer: is the answer written?"""
    due = b"ready" if fault.code == "handshake" else b"move"
    if not talk.process.alive():  # it was killed in a match: too late for the experiment
        return "first", sentence(fault.text), FLUSH
    late = talk.late_output()
    if due in late:
        line = next(line for line in late.split(b"\n") if due in line)
        return (
            "first",
            f"The answer came only after we closed your input: it sat in a buffer. It was {quote(line)}.",
            FLUSH,
        )
    if "without a line end" in fault.text:
        return "first", sentence(fault.text), ("end each line with LF, and flush it",)
    nothing = "Nothing came after we had closed its input either, so no answer sat in a buffer."
    return (
        "first",
        f"{sentence(fault.text)} {nothing}",
        ("answer each 'act' line at once; no other line follows it until it is answered",),
    )


def _about_interpreter(program: str, text: str) -> tuple[str, str, tuple[str, ...]]:
    """Return what is wrong with a script that exits at once with code 127: `env` did not find its interpreter."""
    line = b""
    with contextlib.suppress(OSError), open(program, "rb") as file:
        line = file.read(256).partition(b"\n")[0]
    wanted = line.split()[1:]
    if not line.startswith(b"#!") or not wanted:
        return "first", text, ("run the program by hand: what does it miss?",)
    if line.endswith(b"\r"):
        problem = f"Its first line {quote(line)} ends with CR LF, as Windows writes, so no interpreter is found."
        return "first", problem, ("save the file with LF line ends: sed -i 's/\\r$//' FILE",)
    shown = safe(wanted[-1])
    problem = f"The interpreter {shown}, which its first line {quote(line)} asks for, is not installed."
    return "first", problem, (f"install {shown}, or name another in the first line",)


def _about_lateness(text: str) -> tuple[str, ...]:
    if "without a line end" in text:
        return ("end each line with LF alone, and flush it",)
    if "still computing" in text:
        return ("look at ms= in the 'act' line, and stop thinking in time",)
    if "pipe that is full" in text:
        return ("write less to standard error: after 4 MiB nobody reads it, and the program blocks",)
    return ()


def _about_garble(fault: Fault, said: Sequence[Line]) -> tuple[str, tuple[str, ...]]:
    """Return the problem and the fix of a line that is no answer."""
    line = next((line.data for line in said if not line.data.startswith(b"#")), b"")
    if "comment lines" in fault.text:
        return sentence(fault.text), ("write fewer comments, or write them to standard error",)
    if not line.strip():
        return "It sent an empty line where an answer was due.", (
            "write one line end after each line, and none before",
        )
    if line.lower().lstrip().startswith(b"move"):
        return sentence(fault.text), ("write 'move ID ACTION' with one blank between the words",)
    if b" " not in line.strip() and b":" not in line.rstrip(b":") and len(line) < 12:
        return sentence(fault.text), ("write 'move', the id and then the action, all in one line",)
    return (
        f"It printed a line that is no answer: {quote(line)}. Standard output is the wire: use standard error.",
        (_STDERR,),
    )


def _unasked(talk: Talk, fault: Fault) -> tuple[str, str, tuple[str, ...]]:
    """Return (sort, problem, fix) of a line that came while nobody was asked."""
    extra = fault.text.partition(", got ")[2]
    last = next((asked.outcome for asked in reversed(talk.asked) if isinstance(asked.outcome, Answer)), None)
    if talk.id is None or last is None:
        if extra.startswith("'ready"):
            return "ready", f"It said {extra} a second time.", ("say 'ready' once, after the line 'referee ...'",)
        return (
            "silent",
            f"It spoke before it was asked: {extra}.",
            ("answer 'act' lines alone; print diagnostics to standard error",),
        )
    answer = f"'move {talk.id} {last.action}'"
    after = f"after its answer {answer} to request {talk.id}"
    if extra == "''":
        return "once", f"An empty line came {after}.", ("write one line end after each answer, not two",)
    if extra.startswith(f"'move {talk.id} "):
        return "once", f"It answered request {talk.id} twice: {answer}, then {extra}.", ("answer each request once",)
    if extra.startswith("'move "):
        return "once", f"It answered out of turn: {extra} came {after}.", ("wait for the 'act' line, then answer it",)
    return (
        "once",
        f"It printed a line that is no answer, {after}: {extra}. Standard output is the wire: use standard error.",
        (_STDERR,),
    )


def sentence(text: str) -> str:
    """Return a fault's clause as a sentence about the player."""
    if text.startswith("expected "):
        text = "We " + text
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _place(said: Sequence[Line]) -> str:
    """Return which byte of a line is not printable ASCII, counted from 1."""
    for line in said:
        for at, byte in enumerate(line.data.removesuffix(b"\r"), 1):
            if not 0x20 <= byte <= 0x7E:
                return f"byte {at} of the line is \\x{byte:02x}"
    return "which byte cannot be told any more"


def sent_lines(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the latest lines that were sent, numbered; of a long history its beginning and its end."""
    sent = [line for line in lines if line.way == ">"]
    last = max((n for n, line in enumerate(sent) if line.data.startswith(b"act ")), default=len(sent) - 1)
    first = max((n for n, line in enumerate(sent[: last + 1]) if line.data.startswith(b"match ")), default=0)
    shown = sent[first : last + 1]
    if len(shown) > SHOWN:
        head, tail = shown[:2], shown[-(SHOWN - 3) :]
        return (*map(_numbered, head), f"      ... {len(shown) - SHOWN + 1} lines ...", *map(_numbered, tail))
    return tuple(map(_numbered, shown))


def _numbered(line: Line) -> str:
    text = safe(line.data)
    if len(text) > WIDE:
        text = f"{text[: WIDE - 100]}...({len(text) - WIDE} more)...{text[-100:]}"
    return f"{line.number:5} {text}"


def came_lines(said: Sequence[Line]) -> tuple[str, ...]:
    """Return what came back, in quotes, so that empty lines and blanks are seen."""
    shown = tuple(quote(line.data, 160) for line in said[:SHOWN])
    return shown if len(said) <= SHOWN else (*shown, f"... {len(said) - SHOWN} lines more")
