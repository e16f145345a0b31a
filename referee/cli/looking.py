"""What a run has found out: show, export, report, verify."""

import itertools
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import USUAL, ExportFormat, Folder, Format, FormatOption, Style
from referee.cli.output import Code, UsageProblem, note, say, working
from referee.cli.reading import match_of, record_and_timings, run_and_number
from referee.cli.unfold import unfolded
from referee.words import counted

if TYPE_CHECKING:
    from referee.store import Store

FINDINGS_SHOWN = 200  # sentences on what differs in a run; more are counted


@unfolded
def show(folder: Folder, *, style: Style, format: FormatOption = Format.TEXT) -> None:
    """Print the table of a run, finished or not, or the answer of a comparison."""
    from referee import store

    with store.read(folder) as opened:
        print_table(opened, format, style)


def print_table(opened: "Store", format: Format, style: Style = USUAL) -> None:
    """Print the table of a run, or the answers of a comparison."""
    from referee import compare
    from referee.report.tables import table
    from referee.tournament import Plan

    plan = Plan.from_json(opened.meta("plan"))
    if compare.question_of(plan):
        published = {name: opened.meta(name) for name in ("commitment", "seed")}
        say(compare.written(compare.answers_of(plan, opened), format.value, **published))
    else:
        say(table(plan, opened, format.value, style.unit.value, style.top))


def export(
    folder: Folder,
    format: Annotated[ExportFormat, typer.Option("--format", help="How matches are written.")] = ExportFormat.JSONL,
    records: Annotated[
        bool, typer.Option("--records", help="Put each match's record into the export (json, jsonl).")
    ] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Add the times of the answers, which vary from run to run.")
    ] = False,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="The matches that were played again, as they were before.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; unsaid or -: standard output.")] = None,
) -> None:
    """Write every match of a run in schedule order, byte for byte the same for the same seed and players."""
    from referee import store
    from referee.report.files import written_whole
    from referee.report.tables import exported
    from referee.tournament import Plan

    if records and format not in (ExportFormat.JSON, ExportFormat.JSONL):
        raise UsageProblem(f"--records goes with --format json or jsonl: {format.value} has no place for a record")
    with store.read(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        lines = exported(plan, opened, format.value, records=records, timings=timings, superseded=superseded)
        if out is None or str(out) == "-":
            for line in lines:
                sys.stdout.write(line)
            return
        try:
            with written_whole(out) as file:
                file.writelines(lines)
        except OSError as error:
            raise UsageProblem(f"the export cannot be written to {out}: {error.strerror}") from None


def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file, or - for standard output; unsaid: report.html in DIR."),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(
            "--games", metavar="N|all", help="How many matches can be replayed in the page; unsaid: about 3 MB."
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show the page in a browser.")] = False,
) -> None:
    """Write a run as one HTML page: tables, charts, faults, and matches that can be replayed in it."""
    import datetime
    import platform
    import tempfile

    from referee.report.page import write_report

    if games is not None and games != "all" and not (games.isascii() and games.isdigit()):
        raise UsageProblem(f"--games is a number or all, not {games!r}")
    streamed = str(out) == "-"
    if streamed and open_it:
        raise UsageProblem("--open shows a file in the browser, and -o - makes none")
    made = f"{datetime.datetime.now():%Y-%m-%d %H:%M}"
    with tempfile.TemporaryDirectory() if streamed else nullcontext() as aside:
        path = Path(aside, "report.html") if aside else out or folder / "report.html"
        try:
            write_report(
                folder,
                path,
                games="all" if games == "all" else None if games is None else int(games),
                made=made,
                machine=platform.platform(),
            )
        except OSError as error:
            raise UsageProblem(f"the report cannot be written to {path}: {error.strerror or error}") from None
        if aside:
            sys.stdout.flush()
            sys.stdout.buffer.write(path.read_bytes())
            return
    say(str(path))
    if open_it and not _shown(path):
        note(f"no browser could be opened; the page is {path.absolute()}")


def _shown(path: Path) -> bool:
    """Show a page in a browser; return whether there is one that takes it."""
    import webbrowser

    try:
        return webbrowser.open(path.absolute().as_uri())
    except webbrowser.Error:
        return False


def verify(
    words: Annotated[
        list[str], typer.Argument(metavar="RECORD...", help="Record files, DIR#N, or whole run directories.")
    ],
) -> None:
    """Derive deals, states and results anew and say what differs: the first in a record, everything in a run."""
    verified = [_verified_run(Path(word)) if Path(word).is_dir() else _verified_record(word) for word in words]
    if not all(verified):
        raise typer.Exit(Code.NO)


def _verified_record(word: str) -> bool:
    """Say whether a record verifies, or what differs in it; return whether it does."""
    from referee.record import verify as difference_in

    folder, number = run_and_number(word)
    if number is not None and folder.is_dir():
        return _verified_match(folder, number)
    difference = difference_in(record_and_timings(word)[0])
    say(f"{word}: {difference or 'verifies'}")
    return not difference


def _verified_match(folder: Path, number: int) -> bool:
    """Say whether a match of a run verifies, or what differs in it; return whether it does."""
    from referee import store
    from referee.report.audit import findings_of_match

    with store.read(folder) as opened:
        found = list(findings_of_match(opened, number, match_of(opened, number)))
    for each in found:
        say(f"{folder}#{number}: {each.text}")
    if not found:
        say(f"{folder}#{number}: verifies")
    return not found


def _verified_run(folder: Path) -> bool:
    """Say how many matches of a run verify, or all that differs in it; return whether nothing does."""
    from referee import store
    from referee.report.audit import findings, remarks

    with store.read(folder) as opened:
        with working(f"verifying {folder}") as show:
            found = findings(opened, lambda done: show(counted(done, "match")))
            shown = list(itertools.islice(found, FINDINGS_SHOWN))
            more = sum(1 for _ in found)
        for each in shown:
            say(f"{folder}{'' if each.number is None else f'#{each.number}'}: {each.text}")
        if more:
            say(f"{folder}: and {more:,} more")
        if not shown:
            count = opened.count()
            say(f"{folder}: {counted(count, 'match')} {'verifies' if count == 1 else 'verify'}")
            for remark in remarks(opened):
                note(f"{folder}: {remark}")
    return not shown
