"""The results of a check, and the three ways to write them down: for a person, for a program, for a CI."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from referee.wire import PROTOCOL, safe

PASS, WARN, FAIL, SKIP = "PASS", "WARN", "FAIL", "SKIP"

_MARK: Final[Mapping[str, str]] = MappingProxyType({PASS: "ok", WARN: "warn", FAIL: "FAIL", SKIP: "skip"})


class _Fields(NamedTuple):
    number: int
    key: str
    title: str
    verdict: str
    detail: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()
    pattern: str = ""
    fix: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    repeat: str = ""


class Result(_Fields):
    """What one probe came to.

    number, key, title -- which probe
    verdict -- PASS, WARN, FAIL or SKIP
    detail  -- a few words beside the title; of a skipped probe, why
    problem -- a sentence on the cause
    notes   -- what else was found out, a line each
    pattern -- what all the failures of the probe have in common
    fix     -- what would do, a line each
    sent, came, stderr -- the evidence, a line each
    repeat  -- a command that shows it again
    """

    __slots__ = ()
    RANK: ClassVar[Mapping[str, int]] = MappingProxyType({SKIP: 0, PASS: 1, WARN: 2, FAIL: 3})

    @property
    def rank(self) -> int:
        return self.RANK[self.verdict]


class Report(NamedTuple):
    """A whole check.

    word    -- how the person named the player
    command -- what was started
    games   -- the games that were checked
    move_ms -- the time limit; None is no clock
    """

    name: str
    word: str
    command: tuple[str, ...]
    games: tuple[str, ...]
    move_ms: int | None
    results: tuple[Result, ...]
    seconds: float

    @property
    def failed(self) -> bool:
        return any(result.verdict == FAIL for result in self.results)

    def count(self, verdict: str) -> int:
        return sum(result.verdict == verdict for result in self.results)

    def by_key(self) -> dict[str, Result]:
        return {result.key: result for result in self.results}


def as_text(report: Report) -> str:
    """Return the check for a person: a line a probe, then what failed and what is worth a word."""
    return "\n".join(_text(report)) + "\n"


def _text(report: Report) -> Iterator[str]:
    limit = "no time limit" if report.move_ms is None else f"time limit {report.move_ms:,} ms"
    yield f"{report.name}  ({report.word})   {', '.join(report.games)}   protocol {PROTOCOL}   {limit}"
    yield ""
    for result in report.results:
        head = f"{result.number:3} {_MARK[result.verdict]:5} {result.title}"
        yield f"{head:<62}  {result.detail}".rstrip()
    for result in sorted(report.results, key=lambda result: (-result.rank, result.number)):
        if result.verdict in (FAIL, WARN):
            yield ""
            yield from _found(result)
    yield ""
    counts = [f"{report.count(PASS)} ok", f"{report.count(FAIL)} FAIL", f"{report.count(WARN)} warn"]
    if skipped := report.count(SKIP):
        counts.append(f"{skipped} skipped")
    yield (
        f"{len(report.results)} probes: {', '.join(counts)} in {report.seconds:.1f} s.  Exit code {int(report.failed)}."
    )


def _found(result: Result) -> Iterator[str]:
    yield f"{_MARK[result.verdict].upper()} {result.number}: {result.title}"
    yield from _labelled("problem", (result.problem,) if result.problem else ())
    yield from _labelled("pattern", (result.pattern,) if result.pattern else ())
    yield from _labelled("note", result.notes)
    yield from _labelled("we sent", result.sent)
    yield from _labelled("you sent", result.came or (("(nothing)",) if result.sent else ()))
    yield from _labelled("stderr", result.stderr)
    yield from _labelled("fix", result.fix)
    yield from _labelled("repeat", (result.repeat,) if result.repeat else ())


def _labelled(label: str, lines: tuple[str, ...]) -> Iterator[str]:
    for n, line in enumerate(lines):
        yield f"   {label if n == 0 else '':<9} {line}"


def as_json(report: Report) -> str:
    """Return the check as one JSON object."""
    value: dict[str, Any] = {
        "player": report.name,
        "word": report.word,
        "command": report.command,
        "protocol": PROTOCOL,
        "games": report.games,
        "move_ms": report.move_ms,
        "failed": report.failed,
        "counts": {verdict: report.count(verdict) for verdict in (PASS, WARN, FAIL, SKIP)},
        "seconds": round(report.seconds, 3),
        "probes": [result._asdict() for result in report.results],
    }
    return json.dumps(value, indent=1) + "\n"


def as_junit(report: Report) -> str:
    """Return the check as JUnit's XML, which CIs show; a WARN passes there, with its text as output."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"referee check {safe(report.name)}",
        tests=str(len(report.results)),
        failures=str(report.count(FAIL)),
        errors="0",
        skipped=str(report.count(SKIP)),
        time=f"{report.seconds:.3f}",
    )
    for result in report.results:
        case = ElementTree.SubElement(
            suite, "testcase", classname="referee.check", name=f"{result.number} {result.title}"
        )
        text = "\n".join(_found(result))
        if result.verdict == FAIL:
            ElementTree.SubElement(case, "failure", message=result.problem).text = text
        elif result.verdict == SKIP:
            ElementTree.SubElement(case, "skipped", message=result.detail)
        elif result.verdict == WARN:
            ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"
