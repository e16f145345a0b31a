"""What a run has found out: show, export, report, verify."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import USUAL, ExportFormat, Folder, Format, FormatOption, Style
from referee.cli.output import Code, UsageProblem, say
from referee.cli.reading import record_and_timings
from referee.cli.unfold import unfolded
from referee.words import counted

if TYPE_CHECKING:
    from referee.store import Store


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
    from referee.report.tables import exported
    from referee.tournament import Plan

    with store.read(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        lines = exported(plan, opened, format.value, records=records, timings=timings, superseded=superseded)
        if out is None or str(out) == "-":
            for line in lines:
                sys.stdout.write(line)
            return
        try:
            with out.open("w", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise UsageProblem(f"the export cannot be written to {out}: {error.strerror}") from None


def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file; unsaid: report.html in DIR.")] = None,
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
    import webbrowser

    from referee.report.page import write_report

    if games is not None and games != "all" and not (games.isascii() and games.isdigit()):
        raise UsageProblem(f"--games is a number or all, not {games!r}")
    made = f"{datetime.datetime.now():%Y-%m-%d %H:%M}"
    try:
        path = write_report(
            folder,
            out,
            games="all" if games == "all" else None if games is None else int(games),
            made=made,
            machine=platform.platform(),
        )
    except OSError as error:
        raise UsageProblem(f"the report cannot be written: {error.strerror or error}") from None
    say(str(path))
    if open_it:
        webbrowser.open(path.absolute().as_uri())


def verify(
    words: Annotated[
        list[str], typer.Argument(metavar="RECORD...", help="Record files, DIR#N, or whole run directories.")
    ],
) -> None:
    """Derive every deal and every state of a record anew and say the first thing that differs."""
    verified = [_verified_run(Path(word)) if Path(word).is_dir() else _verified_record(word) for word in words]
    if not all(verified):
        raise typer.Exit(Code.NO)


def _verified_record(word: str) -> bool:
    """Say whether a record verifies, or what differs in it; return whether it does."""
    from referee.record import verify as difference_in

    difference = difference_in(record_and_timings(word)[0])
    say(f"{word}: {difference or 'verifies'}")
    return not difference


def _verified_run(folder: Path) -> bool:
    """Say how many matches of a run verify, or what differs in which; return whether all do."""
    count, differences = _differences_in(folder)
    for number, difference in differences:
        say(f"{folder}#{number}: {difference}")
    if not differences:
        say(f"{folder}: {counted(count, 'match')} {'verifies' if count == 1 else 'verify'}")
    return not differences


def _differences_in(folder: Path) -> tuple[int, list[tuple[int, str]]]:
    """Return how many matches a run holds, and what differs in them: the seeds too, once the run is over."""
    from referee import store
    from referee.record import verify as difference_in
    from referee.schedule import block_seed
    from referee.tournament import commitment_of

    differences: list[tuple[int, str]] = []
    count = 0
    with store.read(folder) as opened:
        published = opened.meta("seed")
        if published and commitment_of(bytes.fromhex(published)) != opened.meta("commitment"):
            differences.append((0, "the master seed is not the one whose hash was published at the start"))
        for count, row in enumerate(opened.rows(), 1):
            if difference := difference_in(row.record):
                differences.append((count - 1, difference))
            elif published:
                seed = block_seed(bytes.fromhex(published), row.result["game"], row.result["seats"], row.block)
                if f"\nseed {seed.hex()}\n" not in row.record:
                    differences.append((count - 1, "its seed is not that of its block under the master seed"))
    return count, differences
