"""The options of the commands, each described once. Those that belong together make a record.

A command that has a record among its parameters takes the options of it (see unfold). What one command alone takes
stands in its own signature.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from referee.cli.output import UsageProblem

if TYPE_CHECKING:
    from referee.match import Limits

MOST_BLOCKS = 1_000_000
MOST_JOBS = 1024


class Format(StrEnum):
    """How results are written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"


class ExportFormat(StrEnum):
    """How matches are written."""

    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    TSV = "tsv"


class CheckFormat(StrEnum):
    """How a check is written."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


class Progress(StrEnum):
    """How a run tells how far it is."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


class Ui(StrEnum):
    """How a match is shown."""

    AUTO = "auto"
    FULL = "full"
    LINEAR = "linear"


class Unit(StrEnum):
    """What a table's means count."""

    DEAL = "deal"
    MATCH = "match"


class SandboxLevel(StrEnum):
    """What players are kept from."""

    OFF = "off"
    ON = "on"
    STRICT = "strict"


# -- single words


Players: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYERS...",
        help="Built-in names, programs, source files, folders or quoted commands; NAME=WORD renames.",
    ),
]
Folder: TypeAlias = Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")]
GameWord: TypeAlias = Annotated[str, typer.Argument(help="scat or scout.")]

Seed: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--seed", help="Any text: the same seed gives the same deals. Unsaid: secret and random until the run is over."
    ),
]
MoveTime: TypeAlias = Annotated[int, typer.Option("--move-time", min=1, metavar="MS", help="Time for each answer.")]
StartTime: TypeAlias = Annotated[
    int, typer.Option("--start-time", min=1, metavar="MS", help="Time from the start of a program to its first line.")
]
Level: TypeAlias = Annotated[
    SandboxLevel,
    typer.Option(
        "--sandbox",
        envvar="REFEREE_SANDBOX",
        metavar="[on|strict]",
        help="Keep players from your files, the network and each other as far as this machine can (on, which need not "
        "be said), or stop when it cannot do all (strict). `referee doctor` says what it can.",
    ),
]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", min=0, max=MOST_JOBS, envvar="REFEREE_JOBS", help="Matches at once; 0 is half of the cores."
    ),
]
Anonymous: TypeAlias = Annotated[
    bool, typer.Option("--anonymous", help="Players hear each other as player-1, player-2, ...")
]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="Say what would be played, and stop.")]
ClusterAddress: TypeAlias = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Play on the workers of this Dask scheduler (referee[cluster])."),
]
AcceptChanged: TypeAlias = Annotated[
    bool, typer.Option("--accept-changed", help="Go on although a player's program has changed; the table will say so.")
]
Trace: TypeAlias = Annotated[bool, typer.Option("--trace", help="Show every line, both ways, on standard error.")]
FormatOption: TypeAlias = Annotated[Format, typer.Option("--format", help="How results are written.")]
UiOption: TypeAlias = Annotated[
    Ui | None, typer.Option("--ui", help="full: the whole terminal; linear: sentences; auto: full at a terminal.")
]


# -- records


@dataclass(frozen=True, slots=True)
class Deals:
    """How much is played, and from which seed."""

    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks",
            min=1,
            max=MOST_BLOCKS,
            help="Blocks a table plays; a block is one deal seed, each player in each seat once.",
        ),
    ] = None
    seed: Seed = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of the games."""

    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="An option of the game; may be repeated. `referee rules GAME` lists them.",
        ),
    ] = None
    preset: Annotated[str, typer.Option("--preset", help="The preset of the game's options.")] = "seed"


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that players have, and what they are forgiven. Raises UsageProblem for a contradiction."""

    move_time: MoveTime = 1000
    bank: Annotated[
        int, typer.Option("--bank", min=0, metavar="MS", help="Time beyond --move-time for a whole match.")
    ] = 0
    increment: Annotated[
        int, typer.Option("--increment", min=0, metavar="MS", help="Added to the bank after each answer.")
    ] = 0
    start_time: StartTime = 10_000
    no_clock: Annotated[bool, typer.Option("--no-clock", help="Wait for every answer for ever.")] = False
    strikes: Annotated[
        int,
        typer.Option(
            "--strikes", min=0, help="Malformed, illegal or slightly late answers that a player may give in a match."
        ),
    ] = 0
    grace: Annotated[
        int,
        typer.Option("--grace", min=0, metavar="MS", help="An answer that is late by no more than this is accepted."),
    ] = 50
    no_ponder: Annotated[
        bool,
        typer.Option("--no-ponder", help="Stop the players' processes while others move, so that none thinks then."),
    ] = False

    def __post_init__(self) -> None:
        if self.no_clock and (self.bank or self.increment):
            raise UsageProblem("--no-clock and --bank or --increment contradict each other")

    def limits(self) -> "Limits":
        """Return what a match takes of this."""
        from referee.match import Limits

        return Limits(
            move_ms=None if self.no_clock else self.move_time,
            bank_ms=self.bank,
            increment_ms=self.increment,
            start_ms=self.start_time,
            grace_ms=self.grace,
            strikes=self.strikes,
            ponder=not self.no_ponder,
        )


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What players are kept from. Raises UsageProblem for a contradiction."""

    level: Level = SandboxLevel.OFF
    user: Annotated[
        str,
        typer.Option(
            "--sandbox-user",
            metavar="NAME",
            help="As root: the user that players run as; unsaid, each has one of its own.",
        ),
    ] = ""
    memory: Annotated[
        int,
        typer.Option("--sandbox-memory", min=64, metavar="MIB", help="Memory that a sandboxed player may use."),
    ] = 2048

    def __post_init__(self) -> None:
        if self.user and self.level is SandboxLevel.OFF:
            raise UsageProblem("--sandbox-user is for players in a sandbox: add --sandbox")

    def planned(self) -> dict[str, Any]:
        """Return the sandbox as a plan stores it."""
        from referee import confine

        if self.level is SandboxLevel.OFF:
            return {}
        return confine.Sandbox(self.level.value, self.user, self.memory)._asdict()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which a match is played."""

    rules: Rules
    clock: Clock
    sandbox: Sandbox


@dataclass(frozen=True, slots=True)
class Running:
    """How matches are carried out, and where they are kept."""

    jobs: Jobs = 0
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the results go.")] = None
    fresh: Annotated[bool, typer.Option("--fresh", help="Start the players anew for every match.")] = False


@dataclass(frozen=True, slots=True)
class Telling:
    """How a run tells how far it is, and how it came out."""

    progress: Annotated[Progress, typer.Option("--progress", help="How progress is told on standard error.")] = (
        Progress.AUTO
    )
    format: FormatOption = Format.TEXT


@dataclass(frozen=True, slots=True)
class Style:
    """What a table of results counts, and how much of it is printed."""

    unit: Annotated[
        Unit, typer.Option("--unit", help="What the table's means count: the results of deals, or places in matches.")
    ] = Unit.DEAL
    top: Annotated[int | None, typer.Option("--top", min=1, help="Print only the first rows of a table.")] = None


USUAL = Style()
