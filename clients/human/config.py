"""`[ui]` and `[keys]` of the configuration files. An unknown key is an error: a silent typo helps nobody."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from human.grammar import nearest
from human.look import PALETTES
from human.model import ASSISTS, KEYS, PACES, SCAT_ONLY, SCOUT_ONLY

CHOICES: Mapping[str, tuple[str, ...]] = {
    "mode": ("auto", "full", "linear"),
    "ascii": ("auto", "true", "false"),
    "palette": PALETTES,
    "suits": ("glyphs", "letters"),
    "pace": tuple(PACES),
    "assist": ASSISTS,
    "confirm": ("always", "costly"),
    "mouse": ("true", "false"),
    "bell": ("true", "false"),
    "color": ("auto", "never"),
}
NAMED_KEYS = (
    "enter escape tab s-tab left right up down space pageup pagedown home end backspace insert delete "
    "f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"
).split()
OTHER_NAMES = {
    "esc": "escape",
    "shift-tab": "s-tab",
    "return": "enter",
    " ": "space",
    "pgup": "pageup",
    "pgdn": "pagedown",
}


class BadConfig(Exception):
    """A configuration is wrong; the text is a sentence that names the file."""


@dataclass(frozen=True)
class Config:
    """What the files say: `[ui]` as words, `[keys]` as action -> key names."""

    ui: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: KEYS)


def paths(environment: Mapping[str, str]) -> list[Path]:
    """Return the files that are read if they exist, the one that wins last."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "~")).expanduser() / ".config")
    own = environment.get("REFEREE_CONFIG")
    return [Path(home) / "referee" / "config.toml", Path(own) if own else Path("referee.toml")]


def load(environment: Mapping[str, str]) -> Config:
    """Return the configuration; raises BadConfig."""
    ui: dict[str, str] = {}
    keys = dict(KEYS)
    for path in paths(environment):
        if path.is_file():
            _read(path, ui, keys)
    return Config(ui, keys)


def _read(path: Path, ui: dict[str, str], keys: dict[str, tuple[str, ...]]) -> None:
    try:
        tables = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BadConfig(f"{path}: {error}") from error
    for name, value in _table(path, tables, "ui").items():
        if name not in CHOICES:
            raise BadConfig(
                f"{path}: [ui] has no {name!r}; it has {', '.join(CHOICES)}.{nearest(name, tuple(CHOICES))}"
            )
        word = str(value).lower() if isinstance(value, bool) else str(value)
        if word not in CHOICES[name]:
            raise BadConfig(f"{path}: [ui] {name} is one of {', '.join(CHOICES[name])}, not {word!r}.")
        ui[name] = word
    for name, value in _table(path, tables, "keys").items():
        if name not in KEYS:
            raise BadConfig(f"{path}: [keys] has no action {name!r}; `?` lists them.{nearest(name, tuple(KEYS))}")
        listed = value if isinstance(value, list) else [value]
        if not listed:
            raise BadConfig(f"{path}: [keys] {name} names no key; leave the line out for {' and '.join(KEYS[name])}.")
        keys[name] = tuple(_key(path, name, one) for one in listed)
    _no_clash(path, keys)


def _table(path: Path, tables: dict[str, object], name: str) -> dict[str, object]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise BadConfig(f"{path}: {name} is a table: write [{name}].")
    return table


def _key(path: Path, action: str, value: object) -> str:
    text = OTHER_NAMES.get(str(value).lower(), str(value))
    name = text if len(text) == 1 else text.lower()
    if (len(name) == 1 and name.isprintable()) or name in NAMED_KEYS:
        return name
    raise BadConfig(
        f"{path}: [keys] {action}: {value!r} is no key; write one character or one of {', '.join(NAMED_KEYS)}."
    )


def _no_clash(path: Path, keys: Mapping[str, tuple[str, ...]]) -> None:
    """Raise BadConfig when one key means two things in the same game."""
    for game_only in (SCAT_ONLY, SCOUT_ONLY):
        taken: dict[str, str] = {}
        for action, names in keys.items():
            if action in (SCAT_ONLY | SCOUT_ONLY) - game_only:
                continue
            for name in names:
                if name in taken:
                    raise BadConfig(
                        f"{path}: [keys] {name!r} stands for {taken[name]} and for {action}; give one another key."
                    )
                taken[name] = action
