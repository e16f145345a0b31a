"""The games, found by file name: a file here with a class `GAME` is a game."""

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Mapping

from referee.games._base import AnyGame, BadOption, Value, show_value

__all__ = ["BadOption", "game_class", "load", "names", "rulebook"]


@functools.cache  # the folder is read once
def names() -> tuple[str, ...]:
    """Return the names of the games, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_"))


def game_class(name: str) -> type[AnyGame]:
    """Return a game's class. Raises BadOption (a sentence) for an unknown name."""
    if name not in names():
        raise BadOption(f"There is no game {name!r}; the games are {', '.join(names())}.{nearest(name, names())}")
    game: type[AnyGame] = importlib.import_module(f"{__name__}.{name}").GAME
    return game


def load(name: str, preset: str = "seed", /, **given: object) -> AnyGame:
    """Return a game with its options fixed.

    preset -- a preset of the game; "seed" is the default of every game
    given  -- option -> value, typed or as text; they win over the preset
    Raises BadOption, a sentence, for an unknown game, preset or option, a bad value or a contradiction.
    """
    game = game_class(name)
    declared = {option.name: option for option in game.declared}
    if preset not in game.presets:
        raise BadOption(
            f"{name} has no preset {preset!r}; it has {', '.join(game.presets)}.{nearest(preset, tuple(game.presets))}"
        )
    options: dict[str, Value] = {option.name: option.default for option in game.declared}
    options.update(game.presets[preset])
    for key, value in given.items():
        if key not in declared:
            raise BadOption(f"{name} has no option {key!r}.{nearest(key, tuple(declared))}")
        options[key] = declared[key].parse(value)
    if sentence := game.contradiction(options):
        raise BadOption(sentence)
    return game(options)


def nearest(word: str, known: tuple[str, ...]) -> str:
    """Return ` Did you mean X?` for the nearest known word, or nothing."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def rulebook(name: str) -> str:
    """Return a game's rulebook, Markdown text. Raises BadOption for an unknown name."""
    game_class(name)
    text = pkgutil.get_data(__name__, f"{name}.md")
    assert text is not None, f"{name}.md is missing beside {name}.py"
    return text.decode()


def option_lines(options: Mapping[str, Value]) -> str:
    """Return options as wire words, `name=value name=value`."""
    return " ".join(f"{key}={show_value(value)}" for key, value in options.items())
