"""What the author of a player needs: check, new-bot, bots, rules, protocol, bench."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import CheckFormat, GameWord, Level, MoveTime, SandboxLevel, StartTime, Trace
from referee.cli.output import Code, UsageProblem, note, say, working
from referee.cli.output import trace as write_line
from referee.cli.reading import check_games, configuration, seat_counts

if TYPE_CHECKING:
    from referee.confine import Sandbox
    from referee.launch import Player

TO_CHECK = "referee check takes a program, a source file, a folder with an executable `run` or a quoted command"


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
    sandbox: Level = SandboxLevel.OFF,
    trace: Trace = False,
    format: Annotated[CheckFormat, typer.Option("--format", help="How the result is written.")] = CheckFormat.TEXT,
) -> None:
    """Say whether a program follows the protocol, and if not, why: some forty probes, each with cause and evidence.

    Exits with 1 when a probe says FAIL. With --sandbox it is kept from files and the network, if not by bubblewrap.
    """
    from referee import confine
    from referee.check import FORMATS, not_started
    from referee.check import check as checked
    from referee.launch import NotStarted
    from referee.match import Limits

    counts = _checkable(games or [], seats, position)
    limits = Limits(move_ms=move_time, start_ms=start_time)
    try:
        player = _player_of(word, confine.Sandbox(sandbox.value))
    except NotStarted as error:
        report = not_started(word, str(error), limits, games)
    else:
        confine.referee_start()
        with working(f"checking {player.name}", shown=not trace) as told:
            report = checked(
                player.command,
                player.name,
                word,
                limits=limits,
                games=games,
                seats=counts,
                position=position,
                trace=write_line if trace else None,
                sandbox=sandbox is not SandboxLevel.OFF,
                told=told,
            )
    say(FORMATS[format.value](report))
    if report.failed:
        raise typer.Exit(Code.NO)


def _checkable(games: list[str], seats: str, position: int | None) -> list[int]:
    """Return the numbers of seats to check. Raises BadOption and UsageProblem for what no check can be of."""
    from referee.check import SAMPLE
    from referee.games import game_class, names

    check_games(games)
    if position is not None and position > SAMPLE:
        raise UsageProblem(f"the positions of a game are numbered from 1 to {SAMPLE}, not {position}")
    counts = seat_counts(seats)
    if not any(count in game_class(game).seats for game in games or names() for count in counts):
        raise UsageProblem(f"{' and '.join(games or names())} cannot be played with {seats} seats")
    return counts


def _player_of(word: str, sandbox: "Sandbox") -> "Player":
    """Return the program that is to be checked; a source file has been built in this sandbox then.

    Raises UsageProblem for a word that is none, NotStarted for a program that cannot be had here, LaunchError for a
    word that names nothing.
    """
    from referee.launch import HUMAN, STDIO, LaunchError, NotAPlayer, NotStarted, resolve

    try:
        player = resolve(word, config=configuration(), note=note, sandbox=sandbox)
    except NotStarted:
        raise
    except NotAPlayer as error:
        raise UsageProblem(f"{str(error).rstrip('.')}; {TO_CHECK}") from None
    except LaunchError:
        if " " in word or not Path(word).suffix:
            raise
        raise UsageProblem(f"there is no file {word!r}; {TO_CHECK}") from None
    if player.source in (STDIO, HUMAN):
        raise UsageProblem(f"{word} is no program that can be started; {TO_CHECK}")
    return player


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


def bots() -> None:
    """List the built-in players."""
    from referee.launch import builtin_players

    for name, caption in builtin_players():
        say(f"{name:<16} {caption}")


def rules(game: GameWord) -> None:
    """Print a game's rulebook and its options."""
    from referee.games import game_class, rulebook
    from referee.games._base import show_value

    page = [rulebook(game).rstrip(), "", "## Options (`--set NAME=VALUE`)", ""]
    for option in game_class(game).declared:
        allowed = " | ".join(option.choices) if option.choices else "true | false"
        if not option.choices and not isinstance(option.default, bool):
            allowed = f"{option.low} to {option.high}"
        page.append(f"- `{option.name}={show_value(option.default)}`  ({allowed})  {option.help} [{option.rules}]")
    page += ["", "Presets: " + ", ".join(game_class(game).presets)]
    say("\n".join(page))


def protocol() -> None:
    """Print protocol.md: all that a program needs to take a seat."""
    from referee.launch import data_folder

    say((data_folder("protocol.md")).read_text())


def bench() -> None:
    """Measure how fast the referee is on this machine."""
    from referee.bench import figures

    say("   a second   in a calibration loop")
    for figure in figures():
        say(f"{figure.per_second:>11,.0f}   {figure.per_calibration:>9.2f}   {figure.what}")
