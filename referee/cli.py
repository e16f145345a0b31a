"""The command line: the only module that prints and exits.

Results go to standard output; progress, notes and errors to standard error. Heavy imports stay inside the commands,
so that `--help` and shell completion start fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from referee import __version__

if TYPE_CHECKING:
    from referee.launch import Player
    from referee.match import Limits, Record
    from referee.store import Store
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
  referee tournament bots/*             a round robin of every program in a folder

A player is a built-in name (referee bots), a program, a source file in one of
fifteen languages, a folder with an executable `run`, or a quoted command.

Then
  referee resume DIR    referee show DIR      referee export DIR
  referee replay FILE   referee verify FILE
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


class Progress(StrEnum):
    """How a run tells how far it is."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


class UsageProblem(Exception):
    """What was asked cannot be done as it was asked. Its text is a sentence."""


def say(text: str) -> None:
    """Write a result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


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
    int, typer.Option("--strikes", min=0, help="Malformed or illegal answers that a player may give in a match.")
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
    jobs: Jobs = 0,
    out: Out = None,
    fresh: Fresh = False,
    strict: Strict = False,
    anonymous: Anonymous = False,
    dry_run: DryRun = False,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Play a round robin: every set of players meets on the same deals, each player in each seat."""
    limits = _limits(move_time, bank, increment, start_time, no_clock, strikes)
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
        progress=progress,
        format=format,
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
    limits = _limits(move_time, bank, increment, start_time, no_clock, strikes)
    players, not_started = _players_of(words)
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
    record = _one_match(chosen, preset, players, limits, seed, anonymous=anonymous, trace=trace, quiet=quiet)
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
    limits: Limits,
    seed: str | None,
    *,
    anonymous: bool,
    trace: bool,
    quiet: bool,
) -> Record:
    """Play one match in this process, telling it as it goes."""
    from referee import confine
    from referee.launch import STDIO
    from referee.process import CannotStart, Process, Seated, Table
    from referee.report.narrate import Narrator
    from referee.schedule import Task, block_seed, player_seed
    from referee.wire import Fault, safe
    from referee.worker import Seats, drive

    at_stdio = any(player.source == STDIO for player in players)
    tell = note if at_stdio else say
    master = _master(seed)
    task = Task(0, game.name, len(players), 0, tuple(range(len(players))), 0, 0, 1)
    names = tuple(f"player-{n + 1}" if anonymous else player.name for n, player in enumerate(players))
    narrator = Narrator(game.name, names)

    def observe(_: int | None, line: str) -> None:
        if sentence := narrator.sentence(line):
            if not quiet or line.startswith(("end", "void", "fault")):
                tell(sentence)

    def traced(name: str, way: str, line: bytes) -> None:
        note(f"{safe(name):>12} {way} {safe(line)}")

    confine.referee_start()
    with Table(trace=traced if trace else None) as table:
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
            unhurried = limits.move_ms is None and player.source == STDIO
            ready = process.greet((game.name,), None if unhurried else limits.start_ms)
            if isinstance(ready, Fault):
                absent[seat] = ready
                process.dismiss(f"fault seat={seat} code={ready.code} id=- text={ready.text}")
            else:
                seated[seat] = process
        rngs = tuple(player_seed(master, task, 0, seat) for seat in range(len(players)))
        record = drive(
            game,
            block_seed(master, game.name, len(players), 0),
            Seats(names, rngs, seated, absent),
            limits,
            preset=preset,
            observe=observe,
        )
        for fault in record.faults:
            note(f"{names[fault.seat]}: {fault.text}")
        for sat in seated:
            if sat is not None and not isinstance(sat, Process):
                sat.bye()
        table.bye()
    return record


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    jobs: Jobs = 0,
    progress: ProgressOption = Progress.AUTO,
    format: FormatOption = Format.TEXT,
) -> None:
    """Go on with a run that was stopped, at any point and by whatever."""
    from referee import store
    from referee.tournament import Plan

    with store.resume(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        _carry_on(plan, opened, jobs, progress, format)


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
) -> None:
    """Preflight the players, make the plan and its run directory, and play it."""
    from referee import store, tournament
    from referee.games import names

    _check_games(games)
    if any(player.source == "stdio" for player in players):
        raise UsageProblem("stdio can take one seat of one match: referee match GAME stdio PLAYER")
    started: list[tuple[Player, tuple[str, ...]]] = []
    for player, (plays, reason) in zip(players, tournament.preflight(players, limits.start_ms), strict=True):
        if reason:
            not_started.append((player.name, reason))
        else:
            known = player.games or names()
            started.append((player, tuple(game for game in known if plays is None or game in plays)))
    for name, reason in not_started:
        note(f"not started: {name}: {reason}")
    if not_started and strict:
        raise tournament.TooFewPlayers("--strict: a player could not start")
    if len(started) < 2:
        raise tournament.TooFewPlayers(f"{len(started)} of {len(players)} players could start; a match needs two")
    plan = _plan(started, not_started, games, seat_counts, settings, preset, limits, blocks, fresh, anonymous)
    size = plan.size()
    if dry_run:
        say(_describe(plan, size))
        return
    master = _master(seed)
    folder = out or _new_folder()
    meta = {**tournament.about(plan), "commitment": tournament.commitment_of(master), "seed_given": seed is not None}
    with store.create(folder, master, **meta) as opened:
        note(_describe(plan, size))
        note(f"commitment {meta['commitment']}  (SHA-256 of the master seed, which is published at the end)")
        _carry_on(plan, opened, jobs, progress, format)


def _plan(
    started: list[tuple[Player, tuple[str, ...]]],
    not_started: list[tuple[str, str]],
    games: list[str],
    seat_counts: list[int],
    settings: list[str],
    preset: str,
    limits: Limits,
    blocks: int | None,
    fresh: bool,
    anonymous: bool,
) -> Plan:
    from referee.games import load, names
    from referee.schedule import Contest
    from referee.tournament import SLICE, Entry, Plan, TooFewPlayers, default_blocks

    wanted = games or list(names())
    chosen = _settings_for(wanted, settings)
    contests: list[Contest] = []
    games_of: list[tuple[str, str, Any, tuple[int, ...], tuple[int, ...]]] = []
    for name in wanted:
        indices = tuple(index for index, (_, plays) in enumerate(started) if name in plays)
        game = load(name, preset if preset in _presets(name) else "seed", **chosen[name])
        counts = tuple(count for count in seat_counts if count in game.seats and count <= len(indices))
        if not counts:
            if games:
                raise TooFewPlayers(f"no table of {name}: {len(indices)} players play it, for tables of {seat_counts}")
            continue
        contests.append(Contest(name, indices, counts))
        games_of.append((name, preset if preset in _presets(name) else "seed", dict(game.options), counts, indices))
    if not contests:
        raise TooFewPlayers("no game is played by enough of these players for one table")
    entries = tuple(
        Entry(player.name, player.command.argv, player.command.cwd, dict(player.command.env), plays)
        for player, plays in started
    )
    count = default_blocks(contests) if blocks is None else blocks
    return Plan(entries, tuple(games_of), count, SLICE, limits, fresh, anonymous, tuple(not_started))


def _carry_on(plan: Plan, opened: Store, jobs: int, progress: Progress, format: Format) -> None:
    """Play what remains of a run, publish its seed and print its table."""
    import signal

    from referee import tournament
    from referee.report.progress import watcher

    width = jobs or max(1, (os.cpu_count() or 1) // 2)
    interrupts = 0

    def interrupted(*_: object) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            raise KeyboardInterrupt
        note("\nfinishing the matches that run; Ctrl-C again stops now")

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        executor = tournament.local_executor(width)
        try:
            with watcher(progress.value, plan, opened, note) as watching:
                finished = tournament.run(plan, opened, executor, width * 2, watching, lambda: interrupts > 0)
        finally:
            executor.shutdown(wait=interrupts < 2, cancel_futures=True)
    except KeyboardInterrupt:
        finished = False
    finally:
        signal.signal(signal.SIGINT, before)
    if not finished:
        note(
            f"Stopped at {opened.count()} of {plan.size().matches} matches. Resume with: referee resume {opened.folder}"
        )
        raise typer.Exit(EXIT_INTERRUPTED)
    if opened.meta("seed") is None:
        opened.publish_seed()
    _show(opened, format)
    note(f"results  {opened.folder}   (referee show {opened.folder}; referee export {opened.folder} --format jsonl)")


# -- looking


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")]


@app.command()
def show(folder: Folder, format: FormatOption = Format.TEXT) -> None:
    """Print the table of a run, finished or not."""
    from referee import store

    with store.read(folder) as opened:
        _show(opened, format)


def _show(opened: Store, format: Format) -> None:
    from referee.report.tables import table
    from referee.tournament import Plan

    say(table(Plan.from_json(opened.meta("plan")), opened, format.value))


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
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; unsaid or -: standard output.")] = None,
) -> None:
    """Write every match of a run in schedule order, byte for byte the same for the same seed and players."""
    from referee import store
    from referee.report.tables import exported
    from referee.tournament import Plan

    with store.read(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        lines = exported(plan, opened, format.value, records=records, timings=timings)
        if out is None or str(out) == "-":
            for line in lines:
                sys.stdout.write(line)
            return
        try:
            with out.open("w", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise UsageProblem(f"the export cannot be written to {out}: {error.strerror}") from None


RecordWord = Annotated[
    str, typer.Argument(metavar="RECORD", help="A record's file, DIR#N for match N of a run, or - for standard input.")
]


@app.command()
def replay(
    word: RecordWord,
    wire: Annotated[bool, typer.Option("--wire", help="Print the record's own lines.")] = False,
) -> None:
    """Print a match move by move."""
    from referee.record import BadRecord, from_text, verify
    from referee.report.narrate import Narrator

    text = _record_text(word)
    try:
        record = from_text(text)
    except BadRecord as error:
        raise UsageProblem(f"{word}: {error}") from None
    if wire:
        say(text)
        return
    narrator = Narrator(record.game, record.names)
    say(f"{record.game}, {record.seats} seats: {', '.join(record.names)}")
    for line in text.splitlines():
        if sentence := narrator.sentence(line):
            say(sentence)
    if difference := verify(text):
        note(f"this record does not verify: {difference}")


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
    if word == "-":
        return sys.stdin.read()
    folder, mark, number = word.rpartition("#")
    if mark and number.isascii() and number.isdigit() and Path(folder).is_dir():
        from referee import store

        with store.read(Path(folder)) as opened:
            row = opened.row(int(number))
            if row is None:
                raise UsageProblem(
                    f"{folder} holds {opened.count()} matches, counted from 0; there is no match {number}"
                )
            return row.record
    try:
        # newline="": a changed line end is a changed record, not one to be forgiven
        with Path(word).open(encoding="ascii", errors="backslashreplace", newline="") as file:
            return file.read()
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
1    a check said no: verify
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
REFEREE_UI      linear or full, for `referee play`
REFEREE_ASCII   not empty: no glyphs, for `referee play`
ACCESSIBLE      not empty and not 0: `referee play` speaks in lines
CI              not empty: no live progress""",
    "accessibility": """\
`referee play --ui linear` speaks in lines: nothing is repainted, no colour or glyph carries a fact, and every
question is answered by typing a command. REFEREE_UI=linear makes it the rule. Every other command prints plain
lines when its output is not a terminal, and with --progress plain also when it is.""",
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


def _limits(move_time: int, bank: int, increment: int, start_time: int, no_clock: bool, strikes: int) -> Limits:
    from referee.match import Limits

    if no_clock and (bank or increment):
        raise UsageProblem("--no-clock and --bank or --increment contradict each other")
    return Limits(None if no_clock else move_time, bank, increment, start_time, strikes=strikes)


def _players_of(words: list[str]) -> tuple[list[Player], list[tuple[str, str]]]:
    """Return the players that the words name, and (name, reason) of those that cannot be had here.

    Files that are no player are noted and left out. Raises UsageProblem for a word that names nothing.
    """
    from referee.launch import resolve_all

    players, skipped = resolve_all(words, config=_config(), note=note)
    not_started = []
    for skip in skipped:
        if skip.kind == "not-a-player":
            note(f"skipped: {skip.word}: {skip.sentence}")
        elif skip.kind == "unknown":
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


def _describe(plan: Plan, size: Any) -> str:
    games = ", ".join(f"{game} at tables of {'/'.join(map(str, seats))}" for game, _, _, seats, _ in plan.contests)
    return f"{len(plan.players)} players; {games}: {size.tables} tables, {plan.blocks} blocks, {size.matches} matches"


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
    code = command.main(list(arguments), prog_name="referee", standalone_mode=False)
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run the command line and exit with a documented code; nobody sees a traceback."""
    sys.exit(_guarded(sys.argv[1:]))


def _guarded(arguments: Sequence[str]) -> int:
    debug = "--debug" in arguments
    arguments = [word for word in arguments if word != "--debug"]
    try:
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter complains when it flushes at exit
        return 141
    except Exception as error:
        return _sentence_for(error, debug)


def _sentence_for(error: Exception, debug: bool) -> int:
    """Say what went wrong and return the exit code; what is not foreseen is a bug, kept in a file."""
    from referee.games import BadOption
    from referee.launch import LaunchError
    from referee.store import StoreError
    from referee.tournament import TooFewPlayers

    expected: dict[type[Exception], int] = {
        UsageProblem: EXIT_USAGE,
        BadOption: EXIT_USAGE,
        LaunchError: EXIT_USAGE,
        TooFewPlayers: EXIT_TOO_FEW,
        StoreError: EXIT_STORE,
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
