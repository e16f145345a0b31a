"""Matches on the screen, or in sentences: replay and watch."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import Ui, UiOption
from referee.cli.output import UsageProblem, note, say
from referee.cli.reading import record_and_timings, run_and_number
from referee.words import counted

if TYPE_CHECKING:
    from referee.report.watching import Follower


def replay(
    word: Annotated[
        str,
        typer.Argument(metavar="RECORD", help="A record's file, DIR#N for match N of a run, or - for standard input."),
    ],
    seat: Annotated[
        int | None,
        typer.Option("--as", min=1, metavar="SEAT", help="Only what this seat knew; seats count from 1 here."),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", min=1, metavar="MOVE", help="Start at this move; moves count from 1, as they are shown."),
    ] = None,
    ui: UiOption = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="Print the record's own lines; with --as those that the seat heard.")
    ] = False,
) -> None:
    """Step through a match, forwards and backwards; printed move by move where there is no terminal."""
    _replay(word, seat, at, ui, wire=wire)


def watch(
    word: Annotated[
        str, typer.Argument(metavar="DIR|RECORD", help="A run directory, going on or over; or a record, as for replay.")
    ],
    ui: UiOption = None,
) -> None:
    """Follow a run match by match as they finish, or watch one match being played."""
    if not Path(word).is_dir():
        _replay(word, None, None, ui, playing=True)
        return
    from referee import store
    from referee.report.watching import Follower

    with store.read(Path(word)) as opened:
        follower = Follower(opened)
        if _full_screen(ui):
            from referee.report.theatre import show_watch

            raise typer.Exit(show_watch(follower))
        _follow(follower)


def _follow(follower: "Follower") -> None:
    """Tell of a run in sentences until it is over, or nobody plays it on."""
    import time

    from referee.report.watching import ending, sentences

    for sentence in sentences(follower):
        say(sentence)
    sys.stdout.flush()
    while not (follower.finished or follower.stopped):
        time.sleep(0.5)
        for match in follower.news():
            say(match.sentence())
        sys.stdout.flush()
    for sentence in ending(follower):
        say(sentence)


def _replay(
    word: str, seat: int | None, at: int | None, ui: Ui | None, *, wire: bool = False, playing: bool = False
) -> None:
    """Show a match, in whatever way was asked for.

    seat, at -- as typed, from 1; None: all seats, from the beginning
    wire     -- whether its lines are printed
    playing  -- whether it runs by itself on a full screen
    Raises UsageProblem, and BadRecord when a run holds what is no record.
    """
    from referee.record import BadRecord, from_text, verify
    from referee.report import viewer

    text, timings = record_and_timings(word)
    if wire and seat is None and at is None:
        say(text)
        return
    try:
        shown = viewer.open_replay(from_text(text), word, timings)
    except BadRecord as error:
        if run_and_number(word)[1] is not None:
            raise BadRecord(f"the run is damaged: {word}: {error}") from None
        raise UsageProblem(f"{word}: {error}") from None
    if seat is not None and seat > shown.seats:
        raise UsageProblem(f"--as {seat}: the match has seats 1 to {shown.seats}")
    if (first := shown.frame_of(at or 0)) is None:
        raise UsageProblem(f"--at {at}: the match has moves 1 to {shown.moves}")
    view = viewer.ALL if seat is None else seat - 1
    difference = verify(text)
    warning = f"This record does not verify: {difference}" if difference else ""
    if wire:
        for frame in shown.frames[first:]:
            for line in viewer.heard(frame, view):
                say(line)
    elif _full_screen(ui):
        from referee.report.theatre import show_replay

        model = viewer.Model(shown, first, view, playing=playing and not difference, note=warning)
        raise typer.Exit(show_replay(model))
    else:
        for sentence in viewer.linear(shown, view, first):
            say(sentence)
    if difference:
        note(f"this record does not verify: {difference}")


def _full_screen(ui: Ui | None) -> bool:
    """Return whether to take the whole terminal: when it is one, is wide enough, and nothing asks for sentences.

    Raises UsageProblem when it is asked for and is not there, and for a word of REFEREE_UI that means nothing.
    """
    import shutil

    from referee.report.viewer import LEAST_WIDTH

    environment = os.environ
    mode: str = ui or environment.get("REFEREE_UI") or "auto"
    if mode not in list(Ui):
        raise UsageProblem(f"REFEREE_UI is auto, full or linear, not {mode!r}")
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if mode == Ui.FULL and ui is not None and not terminal:
        raise UsageProblem("--ui full needs a terminal at standard input and output; --ui linear does not")
    asked = environment.get("ACCESSIBLE", "") not in ("", "0") or environment.get("TERM", "dumb") == "dumb"
    if not terminal or mode == Ui.LINEAR or (mode == Ui.AUTO and asked):
        return False
    columns = shutil.get_terminal_size().columns
    if columns < LEAST_WIDTH and mode == Ui.AUTO:
        has = counted(columns, "column")
        note(f"This terminal has {has} and the table needs {LEAST_WIDTH}, so here it is in sentences.")
        return False
    return True
