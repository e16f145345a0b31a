"""Which line of a program's standard error says why it crashed: in many languages not the last one.

Python ends with its exception. Others end with a list of calls, a hint or their own version; the line above it that
names the error is found by the habits of the language, which the last line gives away.
"""

import re
from typing import Final, NamedTuple


class _Habit(NamedTuple):
    """How the runtime of a language ends a crash.

    last    -- matches the last line that is not empty
    telling -- finds the line, or lines, that say why, in the whole text; of several the last
    """

    last: re.Pattern[bytes]
    telling: re.Pattern[bytes]


def _habit(last: bytes, telling: bytes) -> _Habit:
    return _Habit(re.compile(last), re.compile(telling, re.MULTILINE))


# Each was taken from a crash of the language itself; the tests crash those again that are installed.
HABITS: Final[tuple[_Habit, ...]] = (
    # Node: the place, the source line, a caret, the error, its calls, the version.
    _habit(rb"Node\.js v\d.*", rb"^ *\^+ *\n\n?(.+)$"),
    # Java; then whatever else lists calls with "at", such as older Node and .NET.
    _habit(rb"\s+(?:at .+|\.\.\. \d+ more)", rb"^(Exception in thread .+)$"),
    _habit(rb"\s+at .+", rb"^(\S.*)\n\s+at "),
    # Go, built or by `go run`.
    _habit(rb"exit status \d+|\t.+\.(?:go|s):\d+.*|goroutine \d+.*", rb"^((?:panic|fatal error): .+)$"),
    _habit(rb"note: .*RUST_BACKTRACE.*", rb"^thread '.*(panicked at .*(?:\n.+)?)$"),
    # Ruby: its calls, or a caret under the culprit.
    _habit(rb"\s+from .+:\d+:in .+|\s*\^+", rb"^(\S.* \([A-Z][\w:]*\))$"),
    _habit(rb"  thrown in .+ on line \d+", rb"^((?:PHP )?Fatal error: .+)$"),
    _habit(rb"\t(?:\[C\]|\.\.\.|.+: in ).*", rb"^(.+)\nstack traceback:"),
    # Tcl.
    _habit(rb" +\(.+ line \d+\)|.*\binvoked from within|\".*\"?", rb"^(.+)\n    while (?:executing|compiling)$"),
    # Perl with Carp.
    _habit(rb"\t.+ called at .+ line \d+\.?", rb"^(\S.*)\n\t.+ called at "),
    # Python, by a signal, with faulthandler.
    _habit(rb"  File \".+\", line \d+ in .*|Extension modules: .*", rb"^(Fatal Python error: .+)$"),
    # C++.
    _habit(rb"  what\(\): .*", rb"^(terminate called .+\n  what\(\): .*)$"),
    # The sanitizers of C compilers.
    _habit(rb"==\d+==ABORTING", rb"^(==\d+==ERROR: .+)$"),
    # Haskell.
    _habit(rb"  \w+, called at .+", rb"^(\S.*)\nCallStack "),
    # Julia.
    _habit(rb"in expression starting at .+", rb"^(ERROR: .+)$"),
)


class LastWords(NamedTuple):
    """What a program said about its end.

    line    -- one line, or two joined by a blank; empty when it said nothing
    is_last -- whether it is the last line that the program wrote
    """

    line: bytes
    is_last: bool


def last_words(said: bytes) -> LastWords:
    """Return the line that says why a program ended, out of what it wrote to standard error."""
    text = said.replace(b"\r\n", b"\n")
    last = next((line for line in reversed(text.split(b"\n")) if line.strip()), b"")
    for habit in HABITS:
        if habit.last.fullmatch(last) and (found := habit.telling.findall(text)):
            line = b" ".join(part.strip() for part in found[-1].split(b"\n"))
            return LastWords(line, line == last.strip())
    return LastWords(last.strip(), True)
