"""From arguments, environment and configuration to a sitting in the right shell."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import split
from typing import NamedTuple

from human import config, home, linear, store
from human.grammar import nearest, plural
from human.look import PALETTES, Look
from human.model import PACES, Settings
from human.sitting import PYTHON, Sitting, new_seed, saved_path

# Built-in players by strength; the first that is there is taken.
PLAYERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "scat": {
        "easy": ("scat_random",),
        "medium": ("scat_greedy",),
        "hard": ("scat_threshold",),
        "best": ("scat_search", "scat_expert", "scat_threshold"),
    },
    "scout": {
        "easy": ("scout_random",),
        "medium": ("scout_greedy",),
        "hard": ("scout_planner",),
        "best": ("scout_search", "scout_expert", "scout_planner"),
    },
}
FOLDER = Path(__file__).resolve().parent.parent
USAGE_ERROR = 2


class Usage(Exception):
    """The arguments cannot be obeyed; the text is a sentence."""


class Display(NamedTuple):
    """How to show it: linear or full-screen, in colour or not, with the mouse or without."""

    linear: bool
    color: bool
    mouse: bool


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="referee play", description="Play SCAT or SCOUT at a table of programs.", allow_abbrev=False
    )
    add = parser.add_argument
    add("game", nargs="?", metavar="GAME", help="scat or scout; asked for when left out")
    add(
        "--vs", action="append", default=[], metavar="PLAYER", help="an opponent: a built-in name, a program, a command"
    )
    add("--opponents", type=int, metavar="N", help="how many opponents (3, or as many as --vs names)")
    add("--level", choices=home.LEVELS, default="medium", help="strength of the opponents that --vs does not name")
    add("--seed", metavar="TEXT", help="the same seed gives the same cards")
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, see `referee rules GAME`",
    )
    add("--preset", metavar="NAME", help="a preset of the game's options")
    add("--move-time", type=int, metavar="MS", help="a clock for you and the others; none unless given, or 0")
    add("--resume", nargs="?", const="", metavar="FILE", help="go on with a saved match, the latest unless named")
    add(
        "--referee",
        metavar="COMMAND",
        help="any command that speaks the protocol, such as 'ssh host referee match ...'",
    )
    add("--ui", choices=("auto", "full", "linear"), help="full screen, or sentences for screen readers and pipes")
    add("--ascii", action="store_true", help="ASCII characters only")
    add("--suits", choices=("letters", "glyphs"), help="KS or K and the glyph of spades")
    add("--palette", choices=PALETTES, help="colours of the suits")
    add("--color", choices=("auto", "never"), help="never: no colour at all; NO_COLOR does the same")
    add("--pace", choices=tuple(PACES), help="how fast the others move")
    add("--mouse", action="store_true", default=None, help="let the terminal send the mouse")
    add("--bell", action="store_true", default=None, help="ring when it is your turn")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the client; return the exit code."""
    options = arguments().parse_args(argv)
    try:
        return _run(options, os.environ)
    except (Usage, config.BadConfig, store.BadSave) as error:
        print(f"referee play: {error}", file=sys.stderr)
        return USAGE_ERROR


def _run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    found = config.load(environment)
    display = _display(options, found, environment)
    settings = _settings(options, found, environment)
    if display.linear:
        linear.forgiving()
    if options.resume is not None:
        _resumes_alone(options)
        sitting = Sitting.resumed(saved_path(options.resume, environment, options.game or ""), settings)
        return _play(sitting, display, environment)
    if options.game is None and not options.referee:
        asked = _ask(options, settings, display, environment)
        if asked.done == "leave":
            return 0
        if asked.done == "resume":
            return _play(Sitting.resumed(saved_path("", environment), settings), display, environment)
        options.game, options.level = asked.game, asked.level
        options.opponents = max(asked.opponents, len(options.vs))
    words, seed = referee_words(options)
    return _play(Sitting(words, seed, options.game or "", settings), display, environment)


def _ask(
    options: argparse.Namespace, settings: Settings, display: Display, environment: Mapping[str, str]
) -> home.Home:
    saved = store.newest(environment)
    told = f"{saved.game.upper()}, seed {saved.seed}, {plural(len(saved.moves), 'move')} played" if saved else ""
    opponents = options.opponents if options.opponents is not None else len(options.vs) or 3
    start = home.Home(opponents=max(1, min(opponents, home.MOST["scat"])), level=options.level, saved=told)
    if display.linear:
        return home.ask(start, sys.stdin, sys.stdout)
    from human import app  # prompt_toolkit is loaded only when it is needed

    return app.ask_home(start, settings.look, display.color)


def _play(sitting: Sitting, display: Display, environment: Mapping[str, str]) -> int:
    if display.linear:
        return linear.run(sitting)
    from human import app

    if not sitting.model.replaying and sitting.game and store.first_visit(environment, sitting.game):
        sitting.model = replace(sitting.model, overlay="welcome", game=sitting.game)
    return app.run(sitting, display.color, display.mouse)


def referee_words(options: argparse.Namespace) -> tuple[tuple[str, ...], str]:
    """Return the words that start the referee, and the seed (`` when the referee is somebody else's); raises Usage."""
    if options.referee:
        _referee_alone(options)
        try:
            return tuple(split(options.referee)), ""
        except ValueError as error:
            raise Usage(f"--referee {options.referee!r} is no command: {error}.") from error
    game = options.game
    if game not in PLAYERS:
        raise Usage(f"There is no game {game!r}; the games are scat and scout.{nearest(game, home.GAMES)}")
    for word in options.vs:
        if word.rpartition("=")[2] in ("stdio", "human"):
            raise Usage(f"--vs {word}: that is you. --vs names an opponent: a built-in name, a program, a command.")
    if options.move_time is not None and options.move_time < 0:
        raise Usage(f"--move-time is a number of ms, or 0 for no clock, not {options.move_time}.")
    most = home.MOST[game]
    count = options.opponents if options.opponents is not None else len(options.vs) or 3
    if not max(1, len(options.vs)) <= count <= most:
        named = f"{len(options.vs)} named, " if options.vs else ""
        raise Usage(f"{game} is played with 1 to {most} opponents; {named}{count} wanted.")
    seed = options.seed if options.seed is not None else new_seed()
    players = [*options.vs, *level_players(game, options.level, count - len(options.vs))]
    clock = ["--move-time", str(options.move_time)] if options.move_time else ["--no-clock"]
    extra = [word for pair in options.set for word in ("--set", pair)]
    extra += ["--preset", options.preset] if options.preset else []
    return (PYTHON, "-m", "referee", "match", game, "stdio", *players, *clock, "--seed", seed, *extra), seed


def _given(options: argparse.Namespace, *names: str) -> str:
    """Return the first option of these that was given, `` for none."""
    values = vars(options)
    return next((f"--{name.replace('_', '-')}" for name in names if values[name] not in (None, [])), "")


def _resumes_alone(options: argparse.Namespace) -> None:
    """Raise Usage when an option would change the match that is to go on."""
    if word := _given(options, "vs", "opponents", "seed", "set", "preset", "move_time", "referee"):
        raise Usage(f"--resume goes on with a match as it was begun; leave out {word}, or leave out --resume.")


def _referee_alone(options: argparse.Namespace) -> None:
    """Raise Usage when an option is meant for the referee that we start ourselves."""
    if word := _given(options, "vs", "opponents", "seed", "set", "preset", "move_time"):
        raise Usage(f"With --referee it is that command that sets the table; give {word} to it.")


def level_players(game: str, level: str, count: int) -> list[str]:
    """Return player words for so many built-in opponents of one strength, each under a name of its own."""
    word = next((one for one in PLAYERS[game][level] if (FOLDER / f"{one}.py").exists()), PLAYERS[game][level][-1])
    short = word.partition("_")[2]
    return [f"{short}{'' if at == 0 else f'-{at + 1}'}={word}" for at in range(count)]


def _said_yes(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "") not in ("", "0")


def _display(options: argparse.Namespace, found: config.Config, environment: Mapping[str, str]) -> Display:
    mode = options.ui or environment.get("REFEREE_UI") or ("linear" if _said_yes(environment, "ACCESSIBLE") else "")
    mode = mode or found.ui.get("mode", "auto")
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if mode not in ("auto", "full", "linear"):
        raise Usage(f"REFEREE_UI is auto, full or linear, not {mode!r}.")
    if mode == "full" and not terminal:
        raise Usage("Full-screen mode needs a terminal on both standard input and output; --ui linear does not.")
    plain = mode == "linear" or (mode == "auto" and (not terminal or environment.get("TERM", "dumb") == "dumb"))
    # As https://no-color.org has it: an empty NO_COLOR counts as unset.
    never = (options.color or found.ui.get("color")) == "never" or bool(environment.get("NO_COLOR"))
    mouse = options.mouse if options.mouse is not None else found.ui.get("mouse") == "true"
    return Display(plain, not never, mouse)


def _settings(options: argparse.Namespace, found: config.Config, environment: Mapping[str, str]) -> Settings:
    ui = found.ui
    letters = (options.suits or ui.get("suits", "glyphs")) == "letters"
    palette = options.palette or ui.get("palette", "four")
    bell = options.bell if options.bell is not None else ui.get("bell") == "true"
    return Settings(
        look=Look(ascii=_ascii(options, ui, environment), letters=letters, palette=palette),
        pace=options.pace or ui.get("pace", "normal"),
        assist=ui.get("assist", "legal"),
        confirm=ui.get("confirm", "always"),
        bell=bell,
        keys=found.keys,
    )


def _ascii(options: argparse.Namespace, ui: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    """Return whether only ASCII is to be shown: asked for, or all that the terminal is sure to show."""
    if options.ascii or _said_yes(environment, "REFEREE_ASCII"):
        return True
    if ui.get("ascii", "auto") != "auto":
        return ui["ascii"] == "true"
    encoding = _plain(sys.stdout.encoding or "ascii")
    return encoding != "utf8" or environment.get("TERM") == "linux" or _locale_is_plain(environment)


def _plain(encoding: str) -> str:
    return encoding.lower().replace("-", "").replace("_", "")


def _locale_is_plain(environment: Mapping[str, str]) -> bool:
    """Return whether the locale asks for another encoding than UTF-8; none set at all asks for nothing.

    Python itself takes the locale C for UTF-8, and sets LC_CTYPE so for the programs that it starts.
    """
    coerced = environment.get("LC_CTYPE") == "C.UTF-8" and environment.get("LANG") in ("C", "POSIX")
    names = ("LC_ALL", "LANG") if coerced else ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    encoding = _plain(locale.partition(".")[2].partition("@")[0])
    return locale in ("C", "POSIX") or encoding not in ("", "utf8")
