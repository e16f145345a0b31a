"""New matches: tournament, compare, match and play."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import (
    MOST_BLOCKS,
    Anonymous,
    ClusterAddress,
    Deals,
    DryRun,
    Format,
    GameWord,
    Players,
    Running,
    Seed,
    Style,
    Telling,
    Terms,
    Trace,
)
from referee.cli.output import Code, UsageProblem, note, say
from referee.cli.reading import field_of, seat_counts
from referee.cli.unfold import unfolded
from referee.words import counted

if TYPE_CHECKING:
    from referee.match import Record


@unfolded
def tournament(
    words: Players,
    *,
    games: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game to play; unsaid: all that two players play.")
    ] = None,
    seats: Annotated[str, typer.Option("--seats", help="Seats of a table: 2, 3 or a range such as 2-4.")] = "2",
    tables: Annotated[
        str,
        typer.Option(
            "--tables",
            metavar="N|all",
            help="How many tables of each game and number of seats at least, chosen so that players meet evenly (every "
            "player sits at as many, so it is a multiple of the players); all: every set of players. Unsaid: all, or "
            "when that is too much, as few as let each two players meet.",
        ),
    ] = "",
    deals: Deals,
    terms: Terms,
    running: Running,
    strict: Annotated[bool, typer.Option("--strict", help="Stop when any player cannot start.")] = False,
    anonymous: Anonymous = False,
    dry_run: DryRun = False,
    cluster: ClusterAddress = None,
    style: Style,
    telling: Telling,
) -> None:
    """Play a round robin: all players meet on the same deals, each player in each seat."""
    from referee.cli.plans import Run
    from referee.cli.running import begin

    begin(
        Run(
            field=field_of(words, sandbox=terms.sandbox.planned()),
            games=games or [],
            seats=seat_counts(seats),
            tables=tables,
            deals=deals,
            terms=terms,
            running=running,
            strict=strict,
            anonymous=anonymous,
            dry=dry_run,
            cluster=cluster,
            style=style,
            telling=telling,
        )
    )


@unfolded
def compare(
    words: Annotated[
        list[str], typer.Argument(metavar="A B", help="The players to compare; words as for `referee tournament`.")
    ],
    *,
    field: Annotated[
        list[str] | None,
        typer.Option("--field", metavar="X...", help="Who else sits at the table, after A and B: A B --field X Y."),
    ] = None,
    games: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game to play; unsaid: all that both play.")
    ] = None,
    seats: Annotated[
        int | None, typer.Option("--seats", min=2, max=9, help="Seats of the table; unsaid: A, B and all of --field.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", min=1e-9, help="Stop, too, when the difference surely lies within this, per deal."),
    ] = None,
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=MOST_BLOCKS, help="Blocks at most; unsaid: 2000.")
    ] = None,
    seed: Seed = None,
    terms: Terms,
    running: Running,
    anonymous: Anonymous = False,
    dry_run: DryRun = False,
    cluster: ClusterAddress = None,
    telling: Telling,
) -> None:
    """Play A against B until it is clear which is stronger, or that they are as good as equal.

    The error is 5 % at most although it is looked at again and again. Two games are compared one by one.
    """
    from referee.cli.plans import Run
    from referee.cli.running import begin
    from referee.compare import CAP, Question

    if len(words) < 2 or (len(words) > 2 and not field):
        raise UsageProblem(f"compare takes two players, and others at the table after --field; it got {len(words)}")
    wanted = [*words[:2], *(field or []), *words[2:]]
    found = field_of(wanted, sandbox=terms.sandbox.planned())
    if found.absent or len(found.players) < len(wanted):
        raise UsageProblem(found.absent[0][1] if found.absent else "compare needs every player that it is given")
    begin(
        Run(
            field=found,
            games=games or [],
            seats=[_seats_compared(seats, len(wanted))],
            deals=Deals(blocks or CAP, seed),
            terms=terms,
            running=running,
            anonymous=anonymous,
            dry=dry_run,
            cluster=cluster,
            telling=telling,
            question=Question(margin),
        )
    )


def _seats_compared(seats: int | None, players: int) -> int:
    """Return the seats of the table of a comparison.

    seats   -- as asked for; None: a seat for every player
    players -- A, B and those of --field
    Raises UsageProblem when they do not fit.
    """
    count = seats or players
    if not 2 <= count <= min(9, players):
        raise UsageProblem(
            f"a table of {count} seats cannot be filled: there are A, B and {counted(players - 2, 'player')} after"
            " --field (a player may be named twice)"
        )
    if count == 2 < players:
        raise UsageProblem("at a table of 2 seats there is no place for --field")
    return count


@unfolded
def match(
    game: GameWord,
    words: Players,
    *,
    deals: Deals,
    terms: Terms,
    running: Running,
    anonymous: Anonymous = False,
    trace: Trace = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say how it ended.")] = False,
    telling: Telling,
) -> None:
    """Play one match at one table and print it as it goes; with --blocks, a whole run of that table.

    The player word `stdio` seats whoever is at standard input and output; the match is then told on standard error.
    With --format, one match is told by its result alone, as `referee export` would write it.
    """
    from referee.cli.one_match import new_sitting, play_here, result_of_match
    from referee.cli.plans import Run
    from referee.cli.running import begin

    if deals.blocks is None:
        _check_output(running.out)
    found = field_of(words, all_play=True, sandbox=terms.sandbox.planned())
    if found.absent:
        raise UsageProblem(found.absent[0][1])
    if deals.blocks is None:
        sitting = new_sitting(game, found.players, terms, deals.seed, anonymous)
        in_words = telling.format is Format.TEXT
        record = play_here(sitting, traced=trace, quiet=quiet or not in_words, mute=not in_words)
        if not in_words:
            say(result_of_match(sitting, record, telling.format.value))
        if running.out is not None:
            _keep(record, running.out)
        if record.void:
            raise typer.Exit(Code.BUG)
        return
    begin(
        Run(
            field=found,
            games=[game],
            seats=[len(found.players)],
            deals=deals,
            terms=terms,
            running=running,
            anonymous=anonymous,
            telling=telling,
        )
    )


def _check_output(out: Path | None) -> None:
    """Raise UsageProblem, before anything is played, when the record of one match cannot be written there."""
    if out is not None and out.exists():
        raise UsageProblem(f"{out} is there already; name a new file for the record")
    if out is not None and not out.parent.is_dir():
        raise UsageProblem(f"the record cannot be written to {out}: there is no folder {out.parent}")


def _keep(record: "Record", out: Path) -> None:
    """Write the record of a match to a file. Raises UsageProblem when that fails."""
    from referee.record import to_text

    try:
        out.write_text(to_text(record))
    except OSError as error:
        raise UsageProblem(f"the record cannot be written to {out}: {error.strerror}") from None
    note(f"record  {out}   (referee replay {out})")


def play(context: typer.Context) -> None:
    """Play against programs at this terminal."""
    from referee.launch import data_folder

    client = data_folder("clients") / "human"
    os.execv(sys.executable, [sys.executable, str(client), *context.args])
