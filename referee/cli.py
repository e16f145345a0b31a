"""The command line: the only module that prints and exits.

Results go to standard output; progress, notes and errors to standard error. Heavy imports stay inside the commands,
so that `--help` and shell completion start fast.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from referee import __version__

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from referee.cluster import Cluster
    from referee.compare import Question
    from referee.launch import Player
    from referee.match import Limits, Record
    from referee.report.watching import Follower
    from referee.schedule import Contest
    from referee.store import Row, Store
    from referee.tournament import Plan

# typer brings click along in its own package or beside it, as its version has it; this is click's base of all errors
CommandLineError: Any = typer.BadParameter.mro()[2]

EXIT_NO, EXIT_USAGE, EXIT_TOO_FEW, EXIT_BUG, EXIT_STORE, EXIT_INTERRUPTED = 1, 2, 3, 70, 74, 130

HOME = f"""
referee {__version__}: play and judge SCAT and SCOUT between people and programs

Start here
  referee play scat                     you against three players of ours
  referee play scout --opponents 3
  referee match scat scat_greedy scat_threshold
  referee check ./mybot.py              does it follow the protocol? says why not
  referee tournament bots/*             a round robin of every program in a folder
  referee compare ./mybot ./mybot-1     which is stronger, and how sure is that?

A player is a built-in name (referee bots), a program, a source file in one of
fifteen languages, a folder with an executable `run`, or a quoted command.

Then
  referee resume DIR    referee show DIR      referee export DIR
  referee rerun DIR     plays matches again that a player or the machine spoiled
  referee replay FILE   referee watch DIR     referee verify FILE
  referee rules scat    referee protocol      referee doctor

  referee COMMAND --help says what a command takes; referee help exit-codes and
  referee help environment say the rest.
"""

app = typer.Typer(add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class Format(StrEnum):
    """How results are written."""

    TEXT = "text"
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


class UsageProblem(Exception):
    """What was asked cannot be done as it was asked. Its text is a sentence."""


def say(text: str) -> None:
    """Write a result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def stream(line: str) -> None:
    """Write a line of a result that goes on, at once."""
    sys.stdout.write(line)
    sys.stdout.flush()


def note(text: str) -> None:
    """Write what is not a result: progress, a warning, an error."""
    sys.stderr.write(text if text.endswith("\n") else text + "\n")


# -- options that several commands share

Players = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYERS...",
        help="Built-in names, programs, source files, folders or quoted commands; NAME=WORD renames.",
    ),
]
Blocks = Annotated[
    int | None,
    typer.Option(
        "--blocks", min=1, help="Blocks a table plays; a block is one deal seed, each player in each seat once."
    ),
]
Seed = Annotated[
    str | None,
    typer.Option(
        "--seed", help="Any text: the same seed gives the same deals. Unsaid: secret and random until the run is over."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="An option of the game; may be repeated. `referee rules GAME` lists them."
    ),
]
Preset = Annotated[str, typer.Option("--preset", help="The preset of the game's options.")]
MoveTime = Annotated[int, typer.Option("--move-time", min=1, metavar="MS", help="Time for each answer.")]
Bank = Annotated[int, typer.Option("--bank", min=0, metavar="MS", help="Time beyond --move-time for a whole match.")]
Increment = Annotated[
    int, typer.Option("--increment", min=0, metavar="MS", help="Added to the bank after each answer.")
]
StartTime = Annotated[
    int, typer.Option("--start-time", min=1, metavar="MS", help="Time from the start of a program to its first line.")
]
NoClock = Annotated[bool, typer.Option("--no-clock", help="Wait for every answer for ever.")]
Strikes = Annotated[
    int,
    typer.Option(
        "--strikes", min=0, help="Malformed, illegal or slightly late answers that a player may give in a match."
    ),
]
Grace = Annotated[
    int, typer.Option("--grace", min=0, metavar="MS", help="An answer that is late by no more than this is accepted.")
]
NoPonder = Annotated[
    bool, typer.Option("--no-ponder", help="Stop the players' processes while others move, so that none thinks then.")
]
SandboxOption = Annotated[
    SandboxLevel,
    typer.Option(
        "--sandbox",
        envvar="REFEREE_SANDBOX",
        metavar="[on|strict]",
        help="Keep players from your files, the network and each other as far as this machine can (on, which need not "
        "be said), or stop when it cannot do all (strict). `referee doctor` says what it can.",
    ),
]
SandboxUser = Annotated[
    str,
    typer.Option(
        "--sandbox-user", metavar="NAME", help="As root: the user that players run as; unsaid, each has one of its own."
    ),
]
SandboxMemory = Annotated[
    int, typer.Option("--sandbox-memory", min=64, metavar="MIB", help="Memory that a sandboxed player may use.")
]
AcceptChanged = Annotated[
    bool, typer.Option("--accept-changed", help="Go on although a player's program has changed; the table will say so.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=0, envvar="REFEREE_JOBS", help="Matches at once; 0 is half of the cores.")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Where the results go.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Start the players anew for every match.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop when any player cannot start.")]
Anonymous = Annotated[bool, typer.Option("--anonymous", help="Players hear each other as player-1, player-2, ...")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be played, and stop.")]
ProgressOption = Annotated[Progress, typer.Option("--progress", help="How progress is told on standard error.")]
FormatOption = Annotated[Format, typer.Option("--format", help="How results are written.")]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Play on the workers of this Dask scheduler (referee[cluster])."),
]
UnitOption = Annotated[
    Unit, typer.Option("--unit", help="What the table's means count: the results of deals, or places in matches.")
]
Tables = Annotated[
    str,
    typer.Option(
        "--tables",
        metavar="N|all",
        help="About how many tables of each game and number of seats, chosen so that players meet evenly; all: every "
        "set of players. Unsaid: all, or when that is too much, as few as let each two players meet.",
    ),
]
Top = Annotated[int | None, typer.Option("--top", min=1, help="Print only the first rows of a table.")]


@app.callback(invoke_without_command=True)
def home(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Play and judge SCAT and SCOUT between people and programs."""
    if version:
        say(f"referee {__version__}")
    elif context.invoked_subcommand is None:
        say(HOME)


# -- playing


@app.command()
def tournament(
    words: Players,
    games: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game to play; unsaid: all that two players play.")
    ] = None,
    seats: Annotated[str, typer.Option("--seats", help="Seats of a table: 2, 3 or a range such as 2-4.")] = "2",
    tables: Tables = "",
    blocks: Blocks = None,
    seed: Seed = None,
    settings: Settings = None,
    preset: Preset = "seed",
    move_time: MoveTime = 1000,
    bank: Bank = 0,
    increment: Increment = 0,
    start_time: StartTime = 10_000,
    no_clock: NoClock = False,
    strikes: Strikes = 0,
    grace: Grace = 50,
    no_ponder: NoPonder = False,
    sandbox: SandboxOption = SandboxLevel.OFF,
    sandbox_user: SandboxUser = "",
    sandbox_memory: SandboxMemory = 2048,
    jobs: Jobs = 0,
    out: Out = None,
    fresh: Fresh = False,
    strict: Strict = False,
    anonymous: Anonymous = False,
    dry_run: DryRun = False,
    cluster: ClusterOption = None,
    unit: UnitOption = Unit.DEAL,
    top: Top = None,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Play a round robin: all players meet on the same deals, each player in each seat."""
    limits = _limits(move_time, bank, increment, start_time, no_clock, strikes, grace, no_ponder)
    players, not_started = _players_of(words)
    _play_run(
        players,
        not_started,
        games or [],
        _seat_counts(seats),
        settings or [],
        preset,
        limits,
        blocks,
        seed,
        jobs,
        out,
        fresh=fresh,
        strict=strict,
        anonymous=anonymous,
        dry_run=dry_run,
        sandbox=_sandbox(sandbox, sandbox_user, sandbox_memory),
        progress=progress,
        format=format,
        cluster=cluster,
        unit=unit,
        top=top,
        tables=tables,
    )


@app.command()
def compare(
    words: Annotated[
        list[str], typer.Argument(metavar="A B", help="The players to compare; words as for `referee tournament`.")
    ],
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
    blocks: Annotated[int | None, typer.Option("--blocks", min=1, help="Blocks at most; unsaid: 2000.")] = None,
    seed: Seed = None,
    settings: Settings = None,
    preset: Preset = "seed",
    move_time: MoveTime = 1000,
    bank: Bank = 0,
    increment: Increment = 0,
    start_time: StartTime = 10_000,
    no_clock: NoClock = False,
    strikes: Strikes = 0,
    grace: Grace = 50,
    no_ponder: NoPonder = False,
    sandbox: SandboxOption = SandboxLevel.OFF,
    sandbox_user: SandboxUser = "",
    sandbox_memory: SandboxMemory = 2048,
    jobs: Jobs = 0,
    out: Out = None,
    fresh: Fresh = False,
    anonymous: Anonymous = False,
    dry_run: DryRun = False,
    cluster: ClusterOption = None,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Play A against B until it is clear which is stronger, or that they are as good as equal.

    The error is 5 % at most although it is looked at again and again. Two games are compared one by one.
    """
    from referee.compare import CAP, Question

    if len(words) < 2 or (len(words) > 2 and not field):
        raise UsageProblem(f"compare takes two players, and others at the table after --field; it got {len(words)}")
    limits = _limits(move_time, bank, increment, start_time, no_clock, strikes, grace, no_ponder)
    wanted = [*words[:2], *(field or []), *words[2:]]
    players, not_started = _players_of(wanted)
    if not_started or len(players) < len(wanted):
        raise UsageProblem(not_started[0][1] if not_started else "compare needs every player that it is given")
    count = seats or len(players)
    if not 2 <= count <= min(9, len(players)):
        raise UsageProblem(
            f"a table of {count} seats cannot be filled: there are A, B and {len(players) - 2} players after --field"
            " (a player may be named twice)"
        )
    if count == 2 < len(players):
        raise UsageProblem("at a table of 2 seats there is no place for --field")
    _play_run(
        players,
        [],
        games or [],
        [count],
        settings or [],
        preset,
        limits,
        blocks or CAP,
        seed,
        jobs,
        out,
        fresh=fresh,
        strict=True,
        anonymous=anonymous,
        dry_run=dry_run,
        sandbox=_sandbox(sandbox, sandbox_user, sandbox_memory),
        progress=progress,
        format=format,
        cluster=cluster,
        question=Question(margin),
    )


@app.command()
def match(
    game: Annotated[str, typer.Argument(help="scat or scout.")],
    words: Players,
    blocks: Blocks = None,
    seed: Seed = None,
    settings: Settings = None,
    preset: Preset = "seed",
    move_time: MoveTime = 1000,
    bank: Bank = 0,
    increment: Increment = 0,
    start_time: StartTime = 10_000,
    no_clock: NoClock = False,
    strikes: Strikes = 0,
    grace: Grace = 50,
    no_ponder: NoPonder = False,
    sandbox: SandboxOption = SandboxLevel.OFF,
    sandbox_user: SandboxUser = "",
    sandbox_memory: SandboxMemory = 2048,
    jobs: Jobs = 0,
    out: Out = None,
    fresh: Fresh = False,
    anonymous: Anonymous = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every line, both ways, on standard error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say how it ended.")] = False,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Play one match at one table and print it as it goes; with --blocks, a whole run of that table.

    The player word `stdio` seats whoever is at standard input and output; the match is then told on standard error.
    """
    limits = _limits(move_time, bank, increment, start_time, no_clock, strikes, grace, no_ponder)
    if blocks is None and format is not Format.TEXT:
        raise UsageProblem(
            "--format goes with --blocks; one match is told in sentences, and --out FILE keeps its record"
        )
    if blocks is None and out is not None:
        _must_be_free(out)
    players, not_started = _players_of(words, all_play=True)
    if not_started:
        raise UsageProblem(not_started[0][1])
    if blocks is not None:
        _play_run(
            players,
            [],
            [game],
            [len(players)],
            settings or [],
            preset,
            limits,
            blocks,
            seed,
            jobs,
            out,
            fresh=fresh,
            strict=True,
            anonymous=anonymous,
            dry_run=False,
            sandbox=_sandbox(sandbox, sandbox_user, sandbox_memory),
            progress=progress,
            format=format,
        )
        return
    from referee.games import load
    from referee.record import to_text

    chosen = load(game, preset, **_settings_for([game], settings or [])[game])
    if len(players) not in chosen.seats:
        raise UsageProblem(
            f"{chosen.title} has {chosen.seats[0]} to {chosen.seats[-1]} seats; you named {len(players)} players"
        )
    from referee.schedule import Task, block_seed, player_seed

    master, count = _master(seed), len(players)
    task = Task(0, game, count, 0, tuple(range(count)), 0, 0, 1)
    names = tuple(f"player-{n + 1}" if anonymous else player.name for n, player in enumerate(players))
    rngs = tuple(player_seed(master, task, 0, seat) for seat in range(count))
    dealt = block_seed(master, game, count, 0)
    kept = _sandbox(sandbox, sandbox_user, sandbox_memory)
    record = _one_match(chosen, preset, players, names, limits, dealt, rngs, kept, trace=trace, quiet=quiet)
    if out is not None:
        try:
            out.write_text(to_text(record))
        except OSError as error:
            raise UsageProblem(f"the record cannot be written to {out}: {error.strerror}") from None
        note(f"record  {out}   (referee replay {out})")
    if record.void:
        raise typer.Exit(EXIT_BUG)


def _one_match(
    game: Any,
    preset: str,
    players: Sequence[Player],
    names: tuple[str, ...],
    limits: Limits,
    seed: bytes,
    rngs: tuple[str, ...],
    sandbox: Mapping[str, Any],
    *,
    trace: bool,
    quiet: bool,
) -> Record:
    """Play one match in this process, telling it as it goes.

    names   -- what the players hear each other called
    seed    -- all the randomness of the deals
    rngs    -- a seed for each player's own randomness
    sandbox -- as in a Plan
    """
    from referee import confine
    from referee.launch import STDIO
    from referee.process import CannotStart, Process, Seated, Table
    from referee.report.narrate import Narrator
    from referee.wire import Fault, safe
    from referee.worker import Seats, drive

    at_stdio = any(player.source == STDIO for player in players)
    tell = note if at_stdio else say
    narrator = Narrator(game.name, names)

    def observe(_: int | None, line: str) -> None:
        if sentence := narrator.sentence(line):
            if not quiet or line.startswith(("end", "void", "fault")):
                tell(sentence)

    def traced(name: str, way: str, line: bytes) -> None:
        note(f"{safe(name):>12} {way} {safe(line)}")

    confine.referee_start()
    with Table(trace=traced if trace else None, sandbox=confine.Sandbox.from_json(sandbox)) as table:
        if sandbox or not (quiet or at_stdio):
            note(table.isolation)
        seated: list[Seated | None] = []
        absent: dict[int, Fault] = {}
        for seat, player in enumerate(players):
            seated.append(None)
            process: Seated
            try:
                process = (
                    table.stdio(player.name) if player.source == STDIO else table.start(player.command, player.name)
                )
            except CannotStart as error:
                absent[seat] = Fault("start", str(error))
                continue
            process.rests = not limits.ponder
            unhurried = limits.move_ms is None and player.source == STDIO
            ready = process.greet((game.name,), None if unhurried else limits.start_ms)
            if isinstance(ready, Fault):
                absent[seat] = ready
                process.dismiss(f"fault seat={seat} code={ready.code} id=- text={ready.text}")
            else:
                seated[seat] = process
        table.vigil.begin()
        record = drive(game, seed, Seats(names, rngs, seated, absent), limits, preset=preset, observe=observe)
        if limits.move_ms is not None and (trouble := table.vigil.trouble()):
            note(f"do not trust the clock of this match: {trouble}")
        for fault in record.faults:
            note(f"{names[fault.seat]}: {fault.text}")
        for sat in seated:
            if sat is not None and not isinstance(sat, Process):
                sat.bye()
        table.bye()
    return record


@app.command()
def check(
    word: Annotated[str, typer.Argument(metavar="PLAYER", help="A program, source file, folder or quoted command.")],
    games: Annotated[
        list[str] | None, typer.Option("--game", "-g", help="A game to check; unsaid: all that it plays.")
    ] = None,
    seats: Annotated[str, typer.Option("--seats", help="Seats of the tables: 2, 3 or a range such as 2-4.")] = "2-9",
    move_time: MoveTime = 1000,
    start_time: StartTime = 10_000,
    position: Annotated[
        int | None, typer.Option("--position", min=1, help="Ask for this position alone, as a check numbers them.")
    ] = None,
    sandbox: SandboxOption = SandboxLevel.OFF,
    trace: Annotated[bool, typer.Option("--trace", help="Show every line, both ways, on standard error.")] = False,
    format: Annotated[CheckFormat, typer.Option("--format", help="How the result is written.")] = CheckFormat.TEXT,
) -> None:
    """Say whether a program follows the protocol, and if not, why: some forty probes, each with cause and evidence.

    Exits with 1 when a probe says FAIL. With --sandbox it is kept from files and the network, if not by bubblewrap.
    """
    from referee import confine
    from referee.check import FORMATS, SAMPLE, not_started
    from referee.check import check as checked
    from referee.games import game_class, names
    from referee.launch import HUMAN, STDIO, LaunchError, resolve
    from referee.match import Limits
    from referee.wire import safe

    _check_games(games or [])
    if position is not None and position > SAMPLE:
        raise UsageProblem(f"the positions of a game are numbered from 1 to {SAMPLE}, not {position}")
    counts = _seat_counts(seats)
    if not any(count in game_class(game).seats for game in games or names() for count in counts):
        raise UsageProblem(f"{' and '.join(games or names())} cannot be played with {seats} seats")
    limits = Limits(move_ms=move_time, start_ms=start_time)

    def traced(name: str, way: str, line: bytes) -> None:
        note(f"{safe(name):>12} {way} {safe(line)}")

    try:
        player = resolve(word, config=_config(), note=note)
    except LaunchError as error:
        if error.kind == "unknown":
            raise
        report = not_started(word, str(error), limits, games)
    else:
        if player.source in (STDIO, HUMAN):
            raise UsageProblem(f"{word} is no program that can be started; name one")
        confine.referee_start()
        report = checked(
            player.command,
            player.name,
            word,
            limits=limits,
            games=games,
            seats=counts,
            position=position,
            trace=traced if trace else None,
            sandbox=sandbox is not SandboxLevel.OFF,
        )
    say(FORMATS[format.value](report))
    if report.failed:
        raise typer.Exit(EXIT_NO)


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    accept_changed: AcceptChanged = False,
    jobs: Jobs = 0,
    cluster: ClusterOption = None,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Go on with a run that was stopped, at any point and by whatever."""
    from referee import store
    from referee.tournament import Plan

    with store.resume(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        _check_programs(plan, opened, accept_changed)
        with _connected(cluster) as helpers:
            _carry_on(plan, opened, jobs, progress, format, helpers)


@app.command()
def rerun(
    word: Annotated[str, typer.Argument(metavar="DIR", help="A run directory, or DIR#N for match N of it.")],
    failed: Annotated[
        bool, typer.Option("--failed", help="The matches in which a player faulted, and those that are void.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Only play DIR#N here and show every line, both ways; store nothing.")
    ] = False,
    accept_changed: AcceptChanged = False,
    dry_run: DryRun = False,
    jobs: Jobs = 0,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Play matches of a run again on the same deals. The old ones are kept, count no more, and the table says so."""
    from referee import store
    from referee.tournament import Plan

    folder, number = _run_and_number(word)
    if failed == (number is not None) or (trace and number is None):
        raise UsageProblem(
            f"say what to play again: referee rerun {folder} --failed, for all matches with a fault and void ones, or "
            f"referee rerun {folder}#N, for match N; with --trace, match N is only shown"
        )
    if trace:
        with store.read(folder) as opened:
            _trace_match(opened, number or 0)
        return
    with store.resume(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        keys = _failed_matches(opened) if number is None else [_match_of(opened, number)[:2]]
        note(f"{len(keys)} of {opened.count()} matches are played again")
        if dry_run or not keys:
            return
        _check_programs(plan, opened, accept_changed)
        opened.supersede(keys)
        _carry_on(plan, opened, jobs, progress, format)


def _run_and_number(word: str) -> tuple[Path, int | None]:
    """Return the run directory and the match that DIR or DIR#N names."""
    folder, mark, number = word.rpartition("#")
    if mark and number.isascii() and number.isdigit() and not Path(word).is_dir():
        return Path(folder), int(number)
    return Path(word), None


def _failed_matches(opened: Store) -> list[tuple[int, int]]:
    return [(task, block) for task, block, result in opened.results() if result["faults"] or result["void"]]


def _match_of(opened: Store, number: int) -> Row:
    if (row := opened.row(number)) is None:
        raise UsageProblem(
            f"{opened.folder} holds {opened.count()} matches, counted from 0; there is no match {number}"
        )
    return row


def _trace_match(opened: Store, number: int) -> None:
    """Play a match of a run in this process and show all of it."""
    from referee.launch import Player
    from referee.process import Command
    from referee.schedule import block_seed, player_seed, seating
    from referee.tournament import Plan

    plan = Plan.from_json(opened.meta("plan"))
    row = _match_of(opened, number)
    task = next(task for task in plan.schedule() if task.index == row.task)
    master, sitting = opened.master_seed(), seating(task, row.block)
    entries = [plan.players[index] for index in sitting]
    _one_match(
        *plan.game(task.game),
        [Player(entry.name, Command(entry.argv, entry.cwd, entry.env), entry.games, entry.source) for entry in entries],
        tuple(map(plan.shown, sitting)),
        plan.limits,
        block_seed(master, task.game, task.seats, row.block),
        tuple(player_seed(master, task, row.block, seat) for seat in range(task.seats)),
        {**plan.sandbox, "hidden": [str(opened.folder.absolute())]} if plan.sandbox else {},
        trace=True,
        quiet=False,
    )


def _check_programs(plan: Plan, opened: Store, accept: bool) -> None:
    """Raise UsageProblem when a player's program is not the one that began the run, unless that is accepted."""
    from referee.programs import changed_files

    changed = {entry.name: files for entry in plan.players if (files := changed_files(entry.files))}
    if not changed:
        return
    told = "; ".join(f"{name} ({', '.join(files)})" for name, files in changed.items())
    if not accept:
        raise UsageProblem(
            f"not the program that began the run {opened.folder}: {told}. Results of two programs would be mixed in one"
            " row of the table: put the old one back, begin a new run, or go on with --accept-changed"
        )
    note(f"changed since the run began: {told}; the table counts their matches and says so")


def _play_run(
    players: Sequence[Player],
    not_started: list[tuple[str, str]],
    games: list[str],
    seat_counts: list[int],
    settings: list[str],
    preset: str,
    limits: Limits,
    blocks: int | None,
    seed: str | None,
    jobs: int,
    out: Path | None,
    *,
    fresh: bool,
    strict: bool,
    anonymous: bool,
    dry_run: bool,
    progress: Progress,
    format: Format,
    sandbox: dict[str, Any],
    cluster: str | None = None,
    unit: Unit = Unit.DEAL,
    top: int | None = None,
    tables: str = "all",
    question: Question | None = None,
) -> None:
    """Preflight the players, make the plan and its run directory, and play it.

    question -- what is asked of the first two players, when they are to be compared
    """
    from dataclasses import replace

    from referee import store, tournament

    _check_games(games)
    if any(player.source == "stdio" for player in players):
        raise UsageProblem("stdio can take one seat of one match: referee match GAME stdio PLAYER")
    with _connected(cluster) as helpers:
        started, isolation = _started(players, not_started, limits, helpers, sandbox)
        if not_started and strict:
            of_a_comparison = "a player of the comparison could not start"
            raise tournament.TooFewPlayers(of_a_comparison if question else "--strict: a player could not start")
        if len(started) < 2:
            raise tournament.TooFewPlayers(f"{len(started)} of {len(players)} players could start; a match needs two")
        plan = _plan(
            started,
            not_started,
            games,
            seat_counts,
            tables,
            settings,
            preset,
            limits,
            blocks,
            fresh,
            anonymous,
            question,
        )
        plan = replace(plan, sandbox=sandbox)
        if dry_run:
            say(_describe(plan))
            return
        master = _master(seed)
        folder = out or _new_folder()
        meta = {
            **tournament.about(plan),
            "commitment": tournament.commitment_of(master),
            "seed_given": seed is not None,
            "isolation": [isolation],
        }
        with store.create(folder, master, **meta) as opened:
            note(_describe(plan))
            note(f"commitment {meta['commitment']}  (SHA-256 of the master seed, which is published at the end)")
            _carry_on(plan, opened, jobs, progress, format, helpers, unit, top)


def _connected(address: str | None) -> AbstractContextManager[Cluster | None]:
    """Return the cluster at an address as a context manager; of none when there is no address: all runs here."""
    from contextlib import nullcontext

    if address is None:
        return nullcontext()
    from referee.cluster import connect

    return connect(address, note)


def _started(
    players: Sequence[Player],
    not_started: list[tuple[str, str]],
    limits: Limits,
    helpers: Cluster | None,
    sandbox: dict[str, Any],
) -> tuple[list[tuple[Player, tuple[str, ...]]], str]:
    """Return the players that could be started, with the games that they play, and what keeps them apart.

    That sentence and the players that could not be started are noted.
    """
    from referee import tournament
    from referee.games import names

    said: list[str] = []
    check = helpers.preflight if helpers else tournament.preflight
    checked = check(players, limits.start_ms, sandbox=sandbox, told=said.append)
    note(said[0])
    started: list[tuple[Player, tuple[str, ...]]] = []
    for player, (plays, reason) in zip(players, checked, strict=True):
        if reason:
            not_started.append((player.name, reason))
        else:
            known = player.games or names()
            started.append((player, tuple(game for game in known if plays is None or game in plays)))
    for name, reason in not_started:
        note(f"not started: {name}: {reason}")
    return started, said[0]


def _plan(
    started: list[tuple[Player, tuple[str, ...]]],
    not_started: list[tuple[str, str]],
    games: list[str],
    seat_counts: list[int],
    tables: str,
    settings: list[str],
    preset: str,
    limits: Limits,
    blocks: int | None,
    fresh: bool,
    anonymous: bool,
    question: Question | None = None,
) -> Plan:
    from dataclasses import replace

    from referee.compare import slice_for
    from referee.games import load, names
    from referee.programs import Files, files_of
    from referee.schedule import Contest
    from referee.tournament import SLICE, Entry, Plan, TooFewPlayers, default_blocks

    wanted = games or list(names())
    chosen = _settings_for(wanted, settings)
    contests: list[Contest] = []
    games_of: list[tuple[str, str, Any, tuple[int, ...], tuple[int, ...]]] = []
    seen: Files = {}
    for name in wanted:
        indices = tuple(index for index, (_, plays) in enumerate(started) if name in plays)
        game = load(name, preset if preset in _presets(name) else "seed", **chosen[name])
        counts = tuple(count for count in seat_counts if count in game.seats and count <= len(indices))
        if question and not {0, 1} <= set(indices):
            if games:
                other = next(player.name for player, plays in started[:2] if name not in plays)
                raise TooFewPlayers(f"{other} does not play {name}")
            continue
        if not counts:
            if games:
                raise TooFewPlayers(f"no table of {name}: {len(indices)} players play it, for tables of {seat_counts}")
            continue
        contests.append(Contest(name, indices, counts))
        games_of.append((name, preset if preset in _presets(name) else "seed", dict(game.options), counts, indices))
    if not contests:
        raise TooFewPlayers("no game is played by enough of these players for one table")
    entries = tuple(
        Entry(
            player.name,
            player.command.argv,
            player.command.cwd,
            dict(player.command.env),
            plays,
            player.source,
            files_of(player.command.argv, player.command.cwd, seen),
        )
        for player, plays in started
    )
    few = {} if question or tables == "all" else _few_tables(contests, tables)
    plan = Plan(entries, tuple(games_of), 1, SLICE, limits, fresh, anonymous, tuple(not_started), few=few)
    plan = replace(plan, blocks=default_blocks(plan.schedulable()) if blocks is None else blocks)
    if question:
        return replace(plan, slice_blocks=slice_for(seat_counts[0]), anchors=(0, 1), notes=question.notes())
    return plan


def _few_tables(contests: list[Contest], tables: str) -> dict[str, int]:
    """Return what --tables says of the contests, or what goes without saying."""
    from referee.tournament import few_tables

    if tables and not (tables.isascii() and tables.isdigit() and int(tables) > 0):
        raise UsageProblem(f"--tables takes a number from 1, or all, not {tables!r}")
    try:
        return few_tables(contests, int(tables) if tables else None)
    except ValueError as error:
        raise UsageProblem(str(error)) from None


def _carry_on(
    plan: Plan,
    opened: Store,
    jobs: int,
    progress: Progress,
    format: Format,
    helpers: Cluster | None = None,
    unit: Unit = Unit.DEAL,
    top: int | None = None,
) -> None:
    """Play what remains of a run, publish its seed and print its table, or the answers of a comparison."""
    import json
    import signal

    from referee import compare, confine, tournament
    from referee.report.keys import Control
    from referee.report.progress import watcher

    confine.hide_memory()  # it holds the master seed
    if opened.warning:
        note(opened.warning)
    width = jobs or max(1, (os.cpu_count() or 1) // 2)
    asked = compare.question_of(plan)
    streamed = format is Format.JSONL and not asked
    control = Control()
    said = False

    def interrupted(number: int, _: object) -> None:
        already = control.stopping
        control.stop()
        if already or number == signal.SIGTERM:
            raise KeyboardInterrupt

    def stop() -> bool:
        nonlocal said
        if control.stopping and not said:
            said = True
            watching.note("finishing the matches that run; Ctrl-C again stops now")
        watching.tick()
        return control.stopping

    before = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with (
            helpers.crew(plan.players, jobs) if helpers else tournament.local_crew(width) as crew,
            watcher(progress.value, plan, opened, note, stream if streamed else None, control) as watching,
        ):
            if not helpers:  # nobody can hold back the workers of a cluster
                crew = control.heeded_by(crew)
            if asked:
                finished = compare.run(plan, opened, crew, watching, stop)
            else:
                finished = tournament.run(plan, opened, crew, watching, stop)
    except KeyboardInterrupt:
        finished = False
    except tournament.CrewLost as error:
        note(f"referee: {error}")
        finished = False
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not finished:
        note(
            f"Stopped at {opened.count()} of {plan.size().matches} matches. Resume with: referee resume {opened.folder}"
        )
        raise typer.Exit(EXIT_INTERRUPTED)
    if opened.meta("seed") is None:
        opened.publish_seed()
    _show(opened, format, unit, top)
    if streamed:
        ended = {"type": "end", "v": 1, "matches": opened.count(), "seed": opened.meta("seed")}
        stream(json.dumps(ended, separators=(",", ":")) + "\n")
    note(f"results  {opened.folder}   (referee show {opened.folder}; referee export {opened.folder} --format jsonl)")


# -- looking


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")]


@app.command()
def show(folder: Folder, unit: UnitOption = Unit.DEAL, top: Top = None, format: FormatOption = Format.TEXT) -> None:
    """Print the table of a run, finished or not, or the answer of a comparison."""
    from referee import store

    with store.read(folder) as opened:
        _show(opened, format, unit, top)


def _show(opened: Store, format: Format, unit: Unit = Unit.DEAL, top: int | None = None) -> None:
    from referee import compare
    from referee.report.tables import table
    from referee.tournament import Plan

    plan = Plan.from_json(opened.meta("plan"))
    if compare.question_of(plan):
        published = {name: opened.meta(name) for name in ("commitment", "seed")}
        say(compare.written(compare.answers_of(plan, opened), format.value, **published))
    else:
        say(table(plan, opened, format.value, unit.value, top))


@app.command()
def export(
    folder: Folder,
    format: FormatOption = Format.JSONL,
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


@app.command()
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


RecordWord = Annotated[
    str, typer.Argument(metavar="RECORD", help="A record's file, DIR#N for match N of a run, or - for standard input.")
]


AsSeat = Annotated[
    int | None,
    typer.Option("--as", min=1, metavar="SEAT", help="Only what this seat knew; seats count from 1 here."),
]
UiOption = Annotated[
    Ui | None, typer.Option("--ui", help="full: the whole terminal; linear: sentences; auto: full at a terminal.")
]


@app.command()
def replay(
    word: RecordWord,
    seat: AsSeat = None,
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
    _replay(word, seat, at, ui, wire=wire, playing=False)


@app.command()
def watch(
    word: Annotated[
        str, typer.Argument(metavar="DIR|RECORD", help="A run directory, going on or over; or a record, as for replay.")
    ],
    ui: UiOption = None,
) -> None:
    """Follow a run match by match as they finish, or watch one match being played."""
    if not Path(word).is_dir():
        _replay(word, None, None, ui, wire=False, playing=True)
        return
    from referee import store
    from referee.report.watching import Follower

    with store.read(Path(word)) as opened:
        follower = Follower(opened)
        if _full_screen(ui):
            from referee.report.theatre import show_watch

            raise typer.Exit(show_watch(follower))
        _follow(follower)


def _follow(follower: Follower) -> None:
    """Tell of a run in sentences until it is over."""
    import time

    from referee.report.watching import ending, sentences

    for sentence in sentences(follower):
        say(sentence)
    sys.stdout.flush()
    while not follower.finished:
        time.sleep(0.5)
        for match in follower.news():
            say(match.sentence())
        sys.stdout.flush()
    for sentence in ending(follower):
        say(sentence)


def _replay(word: str, seat: int | None, at: int | None, ui: Ui | None, *, wire: bool, playing: bool) -> None:
    """Show a match, in whatever way was asked for."""
    from referee.record import BadRecord, from_text, verify
    from referee.report import viewer

    text, timings = _record_and_timings(word)
    if wire and seat is None and at is None:
        say(text)
        return
    try:
        shown = viewer.open_replay(from_text(text), word, timings)
    except BadRecord as error:
        raise UsageProblem(f"{word}: {error}") from None
    if seat is not None and seat > shown.seats:
        raise UsageProblem(f"--as {seat}: the match has seats 1 to {shown.seats}")
    if (first := shown.frame_of(at or 0)) is None:
        raise UsageProblem(f"--at {at}: the match has moves 1 to {shown.moves}")
    view = viewer.ALL if seat is None else seat - 1
    difference = verify(text)
    note_ = f"This record does not verify: {difference}" if difference else ""
    if wire:
        for frame in shown.frames[first:]:
            for line in viewer.heard(frame, view):
                say(line)
    elif _full_screen(ui):
        from referee.report.theatre import show_replay

        raise typer.Exit(show_replay(viewer.Model(shown, first, view, playing=playing and not difference, note=note_)))
    else:
        for sentence in viewer.linear(shown, view, first):
            say(sentence)
    if difference:
        note(f"this record does not verify: {difference}")


def _full_screen(ui: Ui | None) -> bool:
    """Return whether to take the whole terminal: when it is one, is wide enough, and nothing asks for sentences."""
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
        note(f"This terminal has {columns} columns and the table needs {LEAST_WIDTH}, so here it is in sentences.")
        return False
    return True


@app.command()
def verify(
    words: Annotated[
        list[str], typer.Argument(metavar="RECORD...", help="Record files, DIR#N, or whole run directories.")
    ],
) -> None:
    """Derive every deal and every state of a record anew and say the first thing that differs."""
    from referee.record import verify as difference_in

    failed = False
    for word in words:
        found: str | None
        if Path(word).is_dir():
            count, differences = _verify_run(Path(word))
            for number, difference in differences:
                say(f"{word}#{number}: {difference}")
            failed = failed or bool(differences)
            if not differences:
                say(f"{word}: {count} matches verify")
        elif found := difference_in(_record_text(word)):
            say(f"{word}: {found}")
            failed = True
        else:
            say(f"{word}: verifies")
    if failed:
        raise typer.Exit(EXIT_NO)


def _verify_run(folder: Path) -> tuple[int, list[tuple[int, str]]]:
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


def _record_text(word: str) -> str:
    """Return the text of the record that a word names."""
    return _record_and_timings(word)[0]


def _record_and_timings(word: str) -> tuple[str, list[list[float]]]:
    """Return the text of the record that a word names, and the times of the answers where a run kept them."""
    if word == "-":
        return sys.stdin.read(), []
    folder, number = _run_and_number(word)
    if number is not None and folder.is_dir():
        from referee import store

        with store.read(folder) as opened:
            row = _match_of(opened, number)
            return row.record, row.timings
    try:
        # newline="": a changed line end is a changed record, not one to be forgiven
        with Path(word).open(encoding="ascii", errors="backslashreplace", newline="") as file:
            return file.read(), []
    except OSError as error:
        raise UsageProblem(f"the record {word} cannot be read: {error.strerror}") from None


# -- knowing


@app.command()
def rules(game: Annotated[str, typer.Argument(help="scat or scout.")]) -> None:
    """Print a game's rulebook and its options."""
    from referee.games import game_class, rulebook
    from referee.games._base import show_value

    page = [rulebook(game).rstrip(), "", "## Options (`--set NAME=VALUE`)", ""]
    for option in game_class(game).declared:
        allowed = " | ".join(option.choices) if option.choices else "true | false"
        if not option.choices and not isinstance(option.default, bool):
            allowed = f"{option.low} to {option.high}"
        page.append(f"- `{option.name}={show_value(option.default)}`  ({allowed})  {option.help} [{option.rules}]")
    page += ["", "Presets: " + ", ".join(_presets(game))]
    say("\n".join(page))


@app.command()
def protocol() -> None:
    """Print protocol.md: all that a program needs to take a seat."""
    from referee.launch import data_folder

    say((data_folder("protocol.md")).read_text())


@app.command()
def bots() -> None:
    """List the built-in players."""
    from referee.launch import builtin_players

    for name, caption in builtin_players():
        say(f"{name:<16} {caption}")


@app.command()
def bench() -> None:
    """Measure how fast the referee is on this machine."""
    from referee.bench import figures

    say("   a second   in a calibration loop")
    for figure in figures():
        say(f"{figure.per_second:>11,.0f}   {figure.per_calibration:>9.2f}   {figure.what}")


@app.command("new-bot")
def new_bot(
    name: Annotated[str, typer.Argument(help="The name of your player, and of its file.")],
    language: Annotated[
        str, typer.Option("--lang", help="A language of `referee doctor`, as a file in examples/bots.")
    ] = "python",
) -> None:
    """Write a small player that plays both games, to begin with."""
    from referee.games import nearest
    from referee.launch import NAME, NAMING, data_folder

    if not NAME.fullmatch(name):
        raise UsageProblem(f"{name!r} cannot be a player's name: {NAMING}")
    examples = {path.stem: path for path in sorted(data_folder("bots").iterdir())}
    if language not in examples:
        known = tuple(examples)
        raise UsageProblem(f"no example in {language!r}; there are {', '.join(known)}.{nearest(language, known)}")
    path = Path(name + examples[language].suffix)
    try:
        with path.open("x") as file:
            file.write(examples[language].read_text())
    except FileExistsError:
        raise UsageProblem(f"{path} is there already") from None
    except OSError as error:
        raise UsageProblem(f"{path} cannot be written: {error.strerror}") from None
    say(f"""{path} plays both games, legally. Next:
  referee check ./{path}
  referee match scat ./{path} scat_greedy --trace
  referee tournament ./{path} scat_greedy scat_threshold scout_greedy scout_planner""")


@app.command()
def doctor() -> None:
    """Say what this machine offers: languages, isolation, terminal, folders."""
    from referee.report.checkup import report

    say("\n".join(report()))


@app.command()
def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the completion script of a shell; nothing is written to your files."""
    from typer._completion_shared import get_completion_script

    if shell not in ("bash", "zsh", "fish"):
        raise UsageProblem(f"there is completion for bash, zsh and fish, not for {shell!r}")
    say(get_completion_script(prog_name="referee", complete_var="_REFEREE_COMPLETE", shell=shell))


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)
def play(context: typer.Context) -> None:
    """Play against programs at this terminal."""
    from referee.launch import data_folder

    client = data_folder("clients") / "human"
    os.execv(sys.executable, [sys.executable, str(client), *context.args])


TOPICS = {
    "exit-codes": """\
0    done; forfeits are results
1    a check said no: check, verify
2    the command line is wrong, or a player is unknown
3    too few players could start
70   a bug of ours; the sentence names the file with the details
74   the results could not be stored; what was announced is safe
130  interrupted; a run can be resumed
141  the reader of our output went away""",
    "environment": """\
NO_COLOR        not empty: no colour anywhere
REFEREE_JOBS    matches at once, as --jobs
REFEREE_CACHE   where built programs are kept
REFEREE_SANDBOX on or strict, as --sandbox
REFEREE_READABLE  files and folders, with `:` between them, that sandboxed players may read beside their own
REFEREE_UI      linear or full, for `referee play`, `replay` and `watch`
REFEREE_ASCII   not empty: no glyphs, for the same
ACCESSIBLE      not empty and not 0: they speak in lines
CI              not empty: no live progress""",
    "accessibility": """\
`referee play --ui linear` speaks in lines: nothing is repainted, no colour or glyph carries a fact, and every
question is answered by typing a command. `referee replay --ui linear` and `referee watch --ui linear` tell a match
and a run in sentences, one event a line. REFEREE_UI=linear makes it the rule. Every other command prints plain lines
when its output is not a terminal, and with --progress plain also when it is.""",
}


@app.command("help")
def help_topic(topic: Annotated[str | None, typer.Argument(help=", ".join(TOPICS))] = None) -> None:
    """Explain a topic, or a command."""
    if topic is None:
        say(HOME)
        say("Topics: " + ", ".join(TOPICS))
    elif topic in TOPICS:
        say(TOPICS[topic])
    else:
        command = typer.main.get_command(app)
        _run_click(command, [topic, "--help"])


# -- what the commands share


def _limits(
    move_time: int,
    bank: int,
    increment: int,
    start_time: int,
    no_clock: bool,
    strikes: int,
    grace: int,
    no_ponder: bool,
) -> Limits:
    from referee.match import Limits

    if no_clock and (bank or increment):
        raise UsageProblem("--no-clock and --bank or --increment contradict each other")
    return Limits(None if no_clock else move_time, bank, increment, start_time, grace, strikes, not no_ponder)


def _sandbox(level: SandboxLevel, user: str, memory_mb: int) -> dict[str, Any]:
    """Return the sandbox as a plan stores it."""
    from referee.confine import Sandbox

    if level is SandboxLevel.OFF:
        if user:
            raise UsageProblem("--sandbox-user is for players in a sandbox: add --sandbox")
        return {}
    return Sandbox(level.value, user, memory_mb)._asdict()


def _must_be_free(path: Path) -> None:
    """Raise UsageProblem, before anything is played, when a record cannot be written to this path."""
    if path.exists():
        raise UsageProblem(f"{path} is there already; name a new file for the record")
    if not path.parent.is_dir():
        raise UsageProblem(f"the record cannot be written to {path}: there is no folder {path.parent}")


def _players_of(words: list[str], *, all_play: bool = False) -> tuple[list[Player], list[tuple[str, str]]]:
    """Return the players that the words name, and (name, reason) of those that cannot be had here.

    Files that are no player are noted and left out, unless `all_play`. Raises UsageProblem for a word that names
    nothing.
    """
    from referee.launch import resolve_all

    players, skipped = resolve_all(words, config=_config(), note=note)
    not_started = []
    for skip in skipped:
        if skip.kind == "not-a-player" and not all_play:
            note(f"skipped: {skip.word}: {skip.sentence}")
        elif skip.kind != "not-started":
            raise UsageProblem(skip.sentence)
        else:
            not_started.append((skip.word, skip.sentence))
    return players, not_started


def _config() -> dict[str, Any]:
    """Return ./referee.toml, or nothing when there is none. Raises UsageProblem when it cannot be read."""
    import tomllib

    path = Path(os.environ.get("REFEREE_CONFIG") or "referee.toml")
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if "REFEREE_CONFIG" in os.environ:
            raise UsageProblem(f"REFEREE_CONFIG names {path}, which is not there") from None
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageProblem(f"{path} cannot be read: {error}") from None


def _master(seed: str | None) -> bytes:
    """Return the master seed: random, or the one that a text stands for (protocol.md, Reproducing a deal)."""
    import hashlib

    return os.urandom(32) if seed is None else hashlib.sha256(f"referee-master-v1\n{seed}".encode()).digest()


def _seat_counts(text: str) -> list[int]:
    low, _, high = text.partition("-")
    if not (low.isascii() and low.isdigit()) or (high and not (high.isascii() and high.isdigit())):
        raise UsageProblem(f"--seats is a number or a range such as 2-4, not {text!r}")
    counts = list(range(int(low), int(high or low) + 1))
    if not counts or counts[0] < 2 or counts[-1] > 9:
        raise UsageProblem(f"--seats lies between 2 and 9, not {text!r}")
    return counts


def _check_games(games: list[str]) -> None:
    from referee.games import game_class

    for name in games:
        game_class(name)


def _presets(name: str) -> tuple[str, ...]:
    from referee.games import game_class

    return tuple(game_class(name).presets)


def _settings_for(games: Sequence[str], settings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return for each game the options that --set gave it. NAME=VALUE reaches every game that declares NAME,
    GAME.NAME=VALUE only that game. Raises BadOption for a name that none declares."""
    from referee.games import BadOption, game_class, nearest

    declared = {game: {option.name for option in game_class(game).declared} for game in games}
    chosen: dict[str, dict[str, str]] = {game: {} for game in games}
    for setting in settings:
        name, mark, value = setting.partition("=")
        if not mark:
            raise BadOption(f"--set takes NAME=VALUE, not {setting!r}")
        only, dot, bare = name.rpartition(".")
        takers = [game for game in games if bare in declared[game] and (not dot or only == game)]
        if not takers:
            known = tuple(sorted({option for options in declared.values() for option in options}))
            raise BadOption(f"no game that is played here has an option {bare!r}.{nearest(bare, known)}")
        for game in takers:
            chosen[game][bare] = value
    return chosen


def _describe(plan: Plan) -> str:
    """Return the sentence of --dry-run: who, what, and how much of it."""
    from referee.words import counted

    size = plan.size()
    games = ", ".join(f"{game} at tables of {'/'.join(map(str, seats))}" for game, _, _, seats, _ in plan.contests)
    most = " at most" if plan.anchors else ""
    counts = f"{counted(size.tables, 'table')}, {counted(plan.blocks, 'block')}, {counted(size.matches, 'match')}{most}"
    evenly = "".join(f"; {sentence}" for sentence in plan.meetings())
    return f"{counted(len(plan.players), 'player')}; {games}: {counts}{evenly}"


def _new_folder() -> Path:
    import datetime

    stem = f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}"
    for extra in ("", *(f"-{n}" for n in range(2, 1000))):
        folder = Path("results", stem + extra)
        if not folder.exists():
            return folder
    raise UsageProblem("results/ holds a thousand runs of this second; name another folder with --out")


# -- the way in


def _run_click(command: Any, arguments: Sequence[str]) -> int:
    if "_REFEREE_COMPLETE" in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
        code = command.main(list(arguments), prog_name="referee", standalone_mode=False)
    else:  # not `main`, which takes a reader that has gone for an error of its own
        with command.make_context("referee", list(arguments)) as context:
            code = command.invoke(context)
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run the command line and exit with a documented code; nobody sees a traceback."""
    _open_what_is_closed()
    sys.exit(_guarded(sys.argv[1:]))


def _open_what_is_closed() -> None:
    """Put /dev/null where a caller such as cron closed a standard stream: no pipe of ours may take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def _output_lost() -> None:
    """Send what is still to be written to standard output nowhere, or the interpreter complains when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _guarded(arguments: Sequence[str]) -> int:
    debug = "--debug" in arguments
    try:
        arguments = _with_levels([word for word in arguments if word != "--debug"])
        code = _run_click(typer.main.get_command(app), arguments)
        sys.stdout.flush()
        return code
    except typer.Exit as stop:
        return int(stop.exit_code)
    except CommandLineError as error:
        error.show()
        return EXIT_USAGE
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _output_lost()
        return 141
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            return _sentence_for(error, debug)
        _output_lost()
        note(f"referee: the output could not be written: {error.strerror}")
        return EXIT_STORE
    except Exception as error:
        return _sentence_for(error, debug)


def _with_levels(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the level of a bare --sandbox said: the word after it may be a player."""
    levels = set(SandboxLevel)
    return [
        "--sandbox=on" if word == "--sandbox" and (after not in levels) else word
        for word, after in itertools.zip_longest(arguments, arguments[1:], fillvalue="")
    ]


def _sentence_for(error: Exception, debug: bool) -> int:
    """Say what went wrong and return the exit code; what is not foreseen is a bug, kept in a file."""
    from referee.cluster import NoCluster
    from referee.confine import SandboxMissing
    from referee.games import BadOption
    from referee.launch import LaunchError
    from referee.store import StoreError, WrongFolder
    from referee.tournament import TooFewPlayers

    expected: dict[type[Exception], int] = {
        UsageProblem: EXIT_USAGE,
        BadOption: EXIT_USAGE,
        LaunchError: EXIT_USAGE,
        TooFewPlayers: EXIT_TOO_FEW,
        WrongFolder: EXIT_USAGE,
        StoreError: EXIT_STORE,
        NoCluster: EXIT_USAGE,
        SandboxMissing: EXIT_USAGE,
    }
    for kind, code in expected.items():
        if isinstance(error, kind):
            note(f"referee: {error}")
            return code
    import tempfile
    import traceback

    text = traceback.format_exc()
    with tempfile.NamedTemporaryFile("w", prefix="referee-bug-", suffix=".txt", delete=False) as file:
        file.write(f"referee {__version__}\n{sys.argv}\n{text}")
    if debug:
        note(text)
    note(f"referee: a bug of ours: {type(error).__name__}: {error}. Please report it with {file.name}")
    return EXIT_BUG


if __name__ == "__main__":
    main()
