"""From a word that a person types to a program that can be started; source files are built on first use.

Theory of operation. `resolve` tries in this order what a player's word may be:

    1. a `[players.NAME]` of the configuration
    2. a built-in player, such as scat_greedy
    3. `stdio` and `human`: markers, for whoever owns the terminal to act on
    4. a path that exists: a folder with an executable `run`; a source file that languages.toml knows; an executable
    5. a command line, when the word has a blank; it is split as a shell would, and no shell is run

The table of languages is asked before the executable bit, which means nothing on some file systems. What is no player
at all (a README, data, a header) is told apart from a player that cannot be had here and from a word that names
nothing; see `LaunchError.kind`.

A compiled program is kept in the cache folder, under the SHA-256 of its source, its row of the table, what its compiler
says of its own version, and the kind of sandbox that it was built in. Only a copy of the source is built, alone, in a
folder of its own; what else a source makes its compiler read is up to the sandbox (`building`). One builder at a time
holds the lock of a key, and a finished build appears by one rename: whoever sees the folder sees all of it.
"""

import difflib
import fcntl
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import platformdirs

from referee import games
from referee.building import run_build
from referee.confine import NO_SANDBOX, OFF, Sandbox, reach
from referee.confine import build as confinement
from referee.process import Command, Finished, run_command
from referee.wire import quote, safe

STDIO: Final = "stdio"
HUMAN: Final = "human"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
NAMING: Final = "a name is 1 to 32 of A-Z a-z 0-9 _ . - and starts with a letter or a digit"
BUILD_S: Final = 120.0  # seconds that one build may take
PROBE_S: Final = 20.0  # seconds that a compiler may take to tell its version
OUTPUT: Final = 65536  # bytes kept of what a compiler says
SHOWN_LINES: Final = 12  # of them, in a sentence

# Files beside players that are none, whatever their executable bit says.
DATA: Final = frozenset(
    ".txt .md .rst .adoc .pdf .html .css .json .toml .yaml .yml .ini .cfg .xml .csv .tsv .sqlite .db .log .bak .orig"
    " .rej .h .hh .hpp .hxx .inc .o .obj .a .so .d .class .jar .pyc .pyi .mod .sum .lock .zip .gz .xz .bz2 .tar .tgz"
    " .png .jpg .svg .diff .patch .swp".split()
)
PAPERS: Final = frozenset(
    "readme license licence copying copyright authors contributors contributing notice changelog changes"
    " makefile gnumakefile dockerfile cmakelists rakefile gemfile".split()
)

Runner: TypeAlias = Callable[[Sequence[str], str, Mapping[str, str], float, int], Finished]
Note: TypeAlias = Callable[[str], None]


class Player(NamedTuple):
    """A program that can be started.

    name    -- the name shown, NAME
    command -- how to start it; empty for `stdio` and `human`
    games   -- the games that it is known to play; None: it is to say so itself
    source  -- what it came from, for a person: a path, a command line, STDIO, HUMAN
    """

    name: str
    command: Command
    games: tuple[str, ...] | None
    source: str


class Skipped(NamedTuple):
    """A word that gave no player: the word, a sentence that says why, and the kind of a LaunchError."""

    word: str
    sentence: str
    kind: str


class LaunchError(Exception):
    """A word that gives no player. str() is a sentence in printable ASCII, at times with a compiler's lines below it.

    kind -- "unknown": the word names nothing, or the configuration is at fault; the person should mend it
            "not-a-player": a file or folder that happens to lie beside players
            "not-started": a player that cannot be had here: its compiler is missing, its build fails
    """

    kind: ClassVar[str] = "unknown"


class NotAPlayer(LaunchError):
    kind = "not-a-player"


class NotStarted(LaunchError):
    kind = "not-started"


class Language(NamedTuple):
    """One row of languages.toml, where the keys are described."""

    key: str
    name: str
    extensions: tuple[str, ...]
    tools: tuple[str, ...]
    run: tuple[str, ...]
    package: str = ""
    build: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    flags: Mapping[str, tuple[str, ...]] = {}
    entry: str = ""
    unix_lines: bool = False


class _Found(NamedTuple):
    """A player before names are made unique.

    path  -- the file or folder that it was named after, or ""
    fixed -- whether a person chose the name
    """

    player: Player
    path: str = ""
    fixed: bool = False


class _Shop(NamedTuple):
    """What resolving needs besides the word."""

    players: Mapping[str, Any]
    languages: tuple[Language, ...]
    build: Callable[[Language, str, Path], Path]


# -- the two calls


def resolve(
    word: str,
    *,
    config: Mapping[str, Any] | None = None,
    run: Runner | None = None,
    build_s: float = BUILD_S,
    note: Note = lambda sentence: None,
    sandbox: Sandbox = NO_SANDBOX,
) -> Player:
    """Return the player that a word means; a source file has been built then.

    word    -- str, as typed; `NAME=WORD` sets the name shown
    config  -- the whole of a referee.toml; `players` and `languages` are read
    run     -- starts compilers in the place of what does
    build_s -- seconds that a build may take
    note    -- is told before something that takes time
    sandbox -- what a build is kept from: that of the players
    Raises LaunchError, and SandboxMissing when something must be built and the sandbox cannot be had.
    """
    return _find(word, _shop(config, run, build_s, note, sandbox)).player


def resolve_all(
    words: Iterable[str],
    *,
    config: Mapping[str, Any] | None = None,
    run: Runner | None = None,
    build_s: float = BUILD_S,
    note: Note = lambda sentence: None,
    sandbox: Sandbox = NO_SANDBOX,
) -> tuple[list[Player], list[Skipped]]:
    """Return the players that the words mean, names unique ignoring case, and the words that gave none.

    Arguments as for `resolve`. Raises LaunchError only when the configuration is at fault, and SandboxMissing.
    """
    shop = _shop(config, run, build_s, note, sandbox)
    found, skipped = [], []
    for word in words:
        try:
            found.append(_find(word, shop))
        except LaunchError as error:
            skipped.append(Skipped(word, str(error), error.kind))
    return _with_unique_names(found), skipped


def _shop(config: Mapping[str, Any] | None, run: Runner | None, build_s: float, note: Note, sandbox: Sandbox) -> _Shop:
    config = config or {}
    build = functools.partial(built, run=run, build_s=build_s, note=note, sandbox=sandbox)
    return _Shop(config.get("players", {}), languages(config.get("languages", {})), build)


# -- words


def _find(word: str, shop: _Shop) -> _Found:
    head, mark, rest = word.partition("=")
    if mark and not _is_there(word) and "/" not in head and " " not in head.strip():
        if not NAME.fullmatch(head):
            raise LaunchError(f"{quote(head)} cannot be a player's name: {NAMING}.")
        found = _find_bare(rest, shop)
        return found._replace(player=found.player._replace(name=head), fixed=True)
    return _find_bare(word, shop)


def _find_bare(word: str, shop: _Shop) -> _Found:
    if word in shop.players:
        return _configured(word, shop)
    if word in (paths := _builtin_paths()):
        return _Found(_builtin(paths[word]), fixed=True)
    if word in (STDIO, HUMAN):
        return _Found(Player(word, Command((), "", {}), None, word))
    if _is_there(word):
        path = Path(os.path.abspath(word))
        name = fit(path.name if path.is_dir() else path.stem)
        return _Found(Player(name, Command(_program(path, shop), str(_folder(path)), {}), None, str(path)), str(path))
    if " " in word.strip():
        return _Found(_command_line(word, shop))
    raise _unknown(word, shop)


def _unknown(word: str, shop: _Shop) -> LaunchError:
    if "/" in word:
        return LaunchError(f"There is no file {quote(word)}.")
    known = [*shop.players, *_builtin_paths(), STDIO, HUMAN]
    short = {name.partition("_")[2]: name for name in _builtin_paths()}
    close = difflib.get_close_matches(word, [*known, *short], n=1)
    hint = f"Did you mean {safe(short.get(close[0], close[0]))}? " if close else ""
    return LaunchError(
        f'No player "{safe(word[:80])}". {hint}A program must be given as a path: ./{safe(word[:80]) or "program"}'
    )


def _is_there(word: str) -> bool:
    """Whether something has this path, if only a dangling link. A word that can be no path has none."""
    try:
        return bool(word) and os.path.lexists(word)
    except ValueError:  # a NUL
        return False


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


# -- players of the configuration


def _configured(name: str, shop: _Shop) -> _Found:
    """Return the player `[players.NAME]`: cmd (a word, or argv as a list), games, cwd, env."""
    where, row = f"[players.{safe(name)}]", shop.players[name]
    if not NAME.fullmatch(name):
        raise LaunchError(f"{where}: {NAMING}.")
    command = row.get("cmd") if isinstance(row, Mapping) else None
    if isinstance(command, str) and command:
        plain = shop._replace(players={})  # cmd = "x" never means [players.x] again
        player = _find_bare(command, plain).player
    elif isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        player = _of_argv(command, shop, shlex.join(command))
    else:
        raise LaunchError(f'{where} needs cmd: a word as on the command line, or a list such as ["./bot", "--fast"].')
    chosen = row.get("games")
    if chosen is not None:
        if not isinstance(chosen, list) or not chosen or not set(chosen) <= set(games.names()):
            raise LaunchError(f"{where}: games is a list of {', '.join(games.names())}, not {quote(str(chosen))}.")
        player = player._replace(games=tuple(chosen))
    folder, env = row.get("cwd", player.command.cwd), row.get("env", {})
    if not isinstance(folder, str) or not isinstance(env, Mapping) or not all(isinstance(v, str) for v in env.values()):
        raise LaunchError(f"{where}: cwd is a text, and env a table of texts.")
    command = player.command._replace(cwd=os.path.abspath(folder) if folder else "", env=dict(env))
    return _Found(player._replace(name=name, command=command), fixed=True)


# -- built-in players


def data_folder(name: str) -> Path:
    """Return where `clients`, `bots` or `protocol.md` is: in the checkout, else among the wheel's data."""
    root = Path(__file__).resolve().parent
    packed = root / "_data" / name
    return packed if packed.exists() else root.parent / {"bots": "examples/bots"}.get(name, name)


def _builtin_paths() -> dict[str, Path]:
    folder = data_folder("clients")
    return {path.stem: path for game in games.names() for path in sorted(folder.glob(f"{game}_*.py"))}


def _builtin(path: Path) -> Player:
    game = path.stem.partition("_")[0]
    return Player(path.stem, Command((sys.executable, str(path)), str(path.parent), {}), (game,), str(path))


def builtin_players() -> list[tuple[str, str]]:
    """Return (name, caption) of each built-in player; the caption is the first line of its docstring."""
    found = []
    for name, path in _builtin_paths().items():
        caption = re.search(r'^(?:#.*\n|\s)*[rR]?"""(.*?)(?:"""|$)', path.read_text(encoding="utf-8"), re.M)
        found.append((name, caption[1].strip() if caption else ""))
    return found


# -- commands, folders, files


def _command_line(word: str, shop: _Shop) -> Player:
    try:
        argv = shlex.split(word)
    except ValueError as error:
        raise LaunchError(f"{quote(word)} is no command line: {str(error).lower()}.") from None
    if not argv:
        raise _unknown(word, shop)
    return _of_argv(argv, shop, word)


def _of_argv(argv: Sequence[str], shop: _Shop, source: str) -> Player:
    """Return the player that a command line starts, in the folder where it was typed: its arguments are meant there."""
    if "\0" in "".join(argv):
        raise LaunchError(f"{quote(source)} is no command line: a NUL cannot be in one.")
    program, *arguments = argv
    program = os.path.expanduser(program)
    if "/" in program:
        if not _is_there(program):
            raise LaunchError(f"There is no file {quote(program)} (in the command {quote(source)}).")
        words = _program(Path(os.path.abspath(program)), shop)
        name = Path(program).stem
    else:
        words = (_on_path(program, shop, source),)
        files = [word for word in arguments if word[0:1] != "-" and os.path.isfile(word)]
        name = Path(files[0] if files else program).stem  # `python3 bot.py` is bot
    return Player(fit(name), Command((*words, *arguments), os.getcwd(), {}), None, source)


def _on_path(program: str, shop: _Shop, source: str) -> str:
    if path := shutil.which(program):
        return path
    for language in shop.languages:
        if program in language.tools:
            raise _missing(program, language)
    if _is_there(program):
        raise LaunchError(f"A program must be given as a path: ./{safe(program)} (in the command {quote(source)}).")
    raise LaunchError(f"There is no program {quote(program)} on PATH (in the command {quote(source)}).")


def _program(path: Path, shop: _Shop) -> tuple[str, ...]:
    """Return the words that start what is at this path."""
    try:
        return _folder_program(path) if path.is_dir() else _file_program(path, shop)
    except OSError as error:
        raise NotStarted(f"{safe(path.name)} cannot be read: {safe(error.strerror or str(error))}.") from None


def _file_program(path: Path, shop: _Shop) -> tuple[str, ...]:
    shown = safe(path.name)
    if path.name.startswith("."):
        raise NotAPlayer(f"{shown} is hidden: no player.")
    if not path.exists():
        raise NotStarted(f"{shown} is a link that leads nowhere.")
    if not path.is_file():
        raise NotAPlayer(f"{shown} is neither a file nor a folder: no player.")
    if language := language_of(path.name, shop.languages):
        return _source_program(path, language, shop)
    if path.suffix.lower() in DATA or path.name.partition(".")[0].lower() in PAPERS:
        raise NotAPlayer(f"{shown} is no program: no player.")
    if os.access(path, os.X_OK):
        return (str(path),)
    if _first_line(path).startswith(b"#!"):
        raise NotStarted(f"{shown} is not executable; chmod +x {shown} makes it so.")
    raise NotAPlayer(f"{shown} is no program and in no language of the table: no player.")


def _folder_program(path: Path) -> tuple[str, ...]:
    run = path / "run"
    if path.name.startswith("."):
        raise NotAPlayer(f"{safe(path.name)} is hidden: no player.")
    if not run.is_file():
        raise NotAPlayer(
            f"{safe(path.name)} is a folder without an executable `run`: no player. Its programs: {safe(str(path))}/*"
        )
    if not os.access(run, os.X_OK):
        raise NotStarted(f"{safe(path.name)}/run is not executable; chmod +x makes it so.")
    return (str(run),)


def _source_program(path: Path, language: Language, shop: _Shop) -> tuple[str, ...]:
    if language.unix_lines and b"\r\n" in path.read_bytes()[:65536]:
        raise NotStarted(
            f"{safe(path.name)} has Windows line ends (CR LF), which {language.tools[0]} takes for a part of the words;"
            f" sed -i 's/\\r$//' takes them off."
        )
    tool = _tool(language, path)
    runner = language.run[0]
    if not runner.startswith("{") and not shutil.which(runner):
        raise _missing(runner, language)
    folder = shop.build(language, tool, path) if language.build else path.parent
    words = _expand(language.run, language, tool, src=path, folder=folder, entry=_entry(language, path))
    return (shutil.which(words[0]) or words[0], *words[1:])


# -- languages


def languages(extra: Mapping[str, Any] | None = None) -> tuple[Language, ...]:
    """Return the rows of languages.toml, with those of `[languages.NAME]` merged in key by key.

    Raises LaunchError for a row that is not well formed.
    """
    rows: dict[str, dict[str, Any]] = dict(_table())
    for key, row in (extra or {}).items():
        if not isinstance(row, Mapping):
            raise LaunchError(f"[languages.{safe(key)}] is a table, not {quote(str(row))}.")
        # A later row of the same name stands last, as the last row that knows an extension counts.
        rows[key] = {**rows.pop(key, {}), **row}
    return tuple(_language(key, row) for key, row in rows.items())


def _table() -> dict[str, Any]:
    with open(Path(__file__).with_name("languages.toml"), "rb") as file:
        table: dict[str, Any] = tomllib.load(file)["languages"]
    return table


def _language(key: str, row: Mapping[str, Any]) -> Language:
    where = f"[languages.{safe(key)}]"
    for name in row:
        if name not in Language._fields or name == "key":
            keys = ", ".join(Language._fields[1:])
            raise LaunchError(f"{where} has an unknown key {quote(name)}; the keys are {keys}.")
    values: dict[str, Any] = {"name": key, **row}
    for name, value in values.items():
        if name in ("extensions", "tools", "run", "build", "version", "reads", "keep"):
            good = isinstance(value, list) and all(isinstance(word, str) for word in value)
            values[name] = tuple(value) if good else None
        elif name == "env":
            good = isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())
        elif name == "flags":
            good = isinstance(value, Mapping) and all(isinstance(words, list) for words in value.values())
            values[name] = {tool: tuple(map(str, words)) for tool, words in value.items()} if good else None
        else:
            good = isinstance(value, bool if name == "unix_lines" else str)
        if not good:
            raise LaunchError(f"{where}: {name} cannot be {quote(str(value))}.")
    for name in ("extensions", "tools", "run"):
        if not values.get(name):
            raise LaunchError(f"{where} needs {name}, a list of texts.")
    if any(extension[0:1] != "." for extension in values["extensions"]):
        raise LaunchError(f"{where}: an extension starts with a dot.")
    language = Language(key=key, **values)
    try:
        groups = re.compile(language.entry).groups
    except re.error as error:
        raise LaunchError(f"{where}: entry is no pattern: {safe(str(error))}.") from None
    if language.entry and not groups:
        raise LaunchError(f"{where}: entry has no group, such as (\\w+), for the name.")
    return language


def language_of(file_name: str, table: Sequence[Language]) -> Language | None:
    """Return the last row that knows the file's extension, exactly if any does, else ignoring case."""
    suffix = Path(file_name).suffix
    for wanted in (suffix, suffix.lower()):
        for language in reversed(table):
            if wanted in language.extensions:
                return language
    return None


def installed(language: Language) -> str | None:
    """Return the path of the language's first tool that is installed, or None."""
    return next((path for tool in language.tools if (path := shutil.which(_of_python(tool)))), None)


def _of_python(tool: str) -> str:
    return sys.executable if tool == "{python}" else tool


def _tool(language: Language, source: Path) -> str:
    """Return the path of the tool for a source file; its #! line chooses among the tools. Raises NotStarted."""
    wanted = "" if language.build else _asked(source)
    name = os.path.basename(wanted)
    if any(re.fullmatch(re.escape(tool) + "[0-9.]*", name) for tool in language.tools):
        found = shutil.which(wanted) or shutil.which(name)
        if not found:
            raise NotStarted(f"{safe(name)}, which the first line of {safe(source.name)} asks for, is not installed.")
        return found
    if found := installed(language):
        return found
    raise _missing(language.tools[0], language)


def _missing(program: str, language: Language) -> NotStarted:
    if not language.package:
        return NotStarted(f"{safe(program)} is not installed: it is not on PATH.")
    package = safe(language.package)
    return NotStarted(
        f"{safe(program)} is not installed: Debian's package {package} has it (apt-get install {package})."
    )


def _first_line(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(256).partition(b"\n")[0]


def _asked(path: Path) -> str:
    """Return the interpreter that a #! line names, `env` looked through; "" without one."""
    line = _first_line(path)
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    return words[0] if words else ""


def _entry(language: Language, path: Path) -> str:
    """Return the name that the language's `entry` finds in the source, or "player"."""
    if not language.entry:
        return "player"
    match = re.search(language.entry, path.read_text(encoding="utf-8", errors="replace"))
    if not match:
        raise NotStarted(f"{safe(path.name)}: there is nothing in it for {language.name} to start.")
    return match[1]


def _expand(
    words: Sequence[str],
    language: Language,
    tool: str,
    *,
    src: str | Path,
    folder: str | Path,
    entry: str = "player",
    cache: str = "",
) -> tuple[str, ...]:
    """Return words of the table with their {placeholders} filled in; `folder` holds what is built."""
    real = os.path.basename(os.path.realpath(tool))  # `awk` is a link to one of several
    flags = next((flags for name, flags in language.flags.items() if real.startswith(name)), ())
    values = {
        "src": str(src),
        "out": os.path.join(folder, "program"),
        "dir": str(folder),
        "tool": tool,
        "entry": entry,
        "cache": cache or str(cache_folder()),
    }
    filled: list[str] = []
    for word in words:
        filled += flags if word == "{flags}" else [_fill(word, values)]
    return tuple(filled)


def _fill(word: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), word)


# -- builds


def cache_folder() -> Path:
    """Return where builds are kept: $REFEREE_CACHE, else the user's cache folder. It may be removed at any time."""
    return Path(os.path.abspath(os.environ.get("REFEREE_CACHE") or platformdirs.user_cache_path("referee")))


def built(
    language: Language,
    tool: str,
    source: Path,
    *,
    run: Runner | None = None,
    build_s: float = BUILD_S,
    note: Note = lambda sentence: None,
    sandbox: Sandbox = NO_SANDBOX,
) -> Path:
    """Return the folder that holds what this source builds to; it is built when nobody has done so yet.

    tool -- the path of the compiler
    The rest is as for `resolve`. Raises NotStarted, with the compiler's first lines, when it cannot be built, and
    SandboxMissing.
    """
    home = cache_folder() / "builds"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sandbox.level != OFF and not confinement.trusted(home):
            raise NotStarted(
                f"{safe(source.name)} was not built: others than you may write to {safe(str(home))};"
                f" close it ('chmod go-w'), or have REFEREE_CACHE name another folder."
            )
        text = source.read_bytes()
        version = _version(language, tool, str(home), run or run_command)
        row = json.dumps([language, tool, *confinement.kind_of(sandbox)], sort_keys=True)
        key = hashlib.sha256(b"\0".join([row.encode(), version, hashlib.sha256(text).digest()])).hexdigest()
        kept = home / key
        if kept.is_dir():
            return kept
        with _locked(home / f"{key}.lock"):
            if not kept.is_dir():
                note(f"building {safe(source.name)} ({language.name})")
                build = run or functools.partial(
                    run_build, sandbox=sandbox, reads=tuple(confinement.toolchain(language.reads, tool))
                )
                boxed = sandbox.level != OFF
                _build(language, tool, source.name, text, _entry(language, source), kept, build, build_s, boxed)
        return kept
    except OSError as error:
        raise NotStarted(
            f"{safe(source.name)} could not be built in {safe(str(home))}: {safe(error.strerror or str(error))};"
            f" REFEREE_CACHE names another folder."
        ) from error


def _version(language: Language, tool: str, folder: str, run: Runner) -> bytes:
    """Return what a compiler says of its version. Raises NotStarted when it fails: it will not compile either."""
    if not language.version:
        return b""
    argv = _expand(language.version, language, tool, src="", folder=folder)
    finished = _run(run, argv, folder, _environment(language, folder), PROBE_S)
    if finished.code != 0:
        raise NotStarted(f"{language.name}: {safe(shlex.join(argv))} fails:{_lines(finished.output)}")
    return finished.output


def _build(
    language: Language,
    tool: str,
    name: str,
    text: bytes,
    entry: str,
    kept: Path,
    run: Runner,
    build_s: float,
    boxed: bool,
) -> None:
    """Build a source into the folder `kept`.

    boxed -- it was written by somebody whom its compiler is kept from: all is done elsewhere, and what comes of it is
             brought here afterwards
    """
    staged = kept.with_suffix(".tmp")  # the lock is held: whatever is there was left by a builder that was killed
    shutil.rmtree(staged, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix="referee-build-")) if boxed else staged
    # A cache that such a build could write to would be a way into the programs of others.
    cache = str(work / "tmp") if boxed else str(cache_folder())
    try:
        _compile(language, tool, name, text, entry, work, cache, run, build_s)
        if boxed and (fault := confinement.bring(work, staged)):
            raise NotStarted(f"{safe(name)} was not built: of what its compiler has made, {safe(fault)}.")
        _settle(staged)
        staged.rename(kept)
    finally:
        for folder in (work, staged):
            shutil.rmtree(folder, ignore_errors=True)


def _compile(
    language: Language,
    tool: str,
    name: str,
    text: bytes,
    entry: str,
    work: Path,
    cache: str,
    run: Runner,
    build_s: float,
) -> None:
    """Have a compiler build a source in the folder `work`, where only what it has made is left then."""
    work.mkdir(exist_ok=True)
    (work / "tmp").mkdir()
    copy = entry + Path(name).suffix
    (work / copy).write_bytes(text)
    argv = _expand(language.build, language, tool, src=copy, folder=".", entry=entry, cache=cache)
    finished = _run(run, argv, str(work), _environment(language, str(work / "tmp"), cache), build_s)
    if finished.code is None:
        raise NotStarted(f"{safe(name)} was not built within {build_s:g} seconds by {safe(argv[0])}.")
    if finished.code != 0:
        said = _lines(finished.output.replace(os.fsencode(f"{work}/"), b"").replace(copy.encode(), os.fsencode(name)))
        where = _where_it_failed(finished.unreachable)
        how = "says" if finished.code > 0 else f"was ended by {signal.Signals(-finished.code).name}, and says"
        raise NotStarted(f"{safe(name)} could not be built{where}: {safe(os.path.basename(tool))} {how}:{said}")
    (work / copy).unlink()
    shutil.rmtree(work / "tmp", ignore_errors=True)


def _run(run: Runner, argv: Sequence[str], folder: str, env: Mapping[str, str], seconds: float) -> Finished:
    try:
        return run(argv, folder, env, seconds, OUTPUT)
    except OSError as error:
        raise NotStarted(f"{safe(argv[0])} cannot be started: {safe(error.strerror or str(error))}.") from None


def _where_it_failed(unreachable: Sequence[str]) -> str:
    """Return what to say of a build when it failed for its sandbox: which file it missed, "" for one not named."""
    if not unreachable:
        return ""
    if not unreachable[0]:
        return " in the sandbox, which denied its compiler something"
    what = safe(unreachable[0])
    return f" in the sandbox, where a build cannot use {what} ({reach.READABLE} names what more it may read)"


def _environment(language: Language, temporary: str, cache: str = "") -> dict[str, str]:
    """Return all the variables that a compiler sees: few, as a source may look at them while it is compiled."""
    names = ("PATH", "HOME", *language.keep)
    values = {"cache": cache or str(cache_folder())}
    return {
        **{name: os.environ[name] for name in names if name in os.environ},
        "LC_ALL": "C",
        "TMPDIR": temporary,
        **{name: _fill(text, values) for name, text in language.env.items()},
    }


def _lines(output: bytes) -> str:
    """Return a compiler's first lines, safe to show, each on a line of its own."""
    lines = [line.rstrip() for line in output.replace(b"\t", b"    ").split(b"\n")]
    shown = [safe(line[:160]) for line in lines if line][:SHOWN_LINES] or ["(nothing)"]
    return "".join(f"\n    {line}" for line in shown)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file's lock; the kernel frees it when the holder dies."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _settle(folder: Path) -> None:
    """Bring a folder's files to the disk, so that a rename cannot survive a power cut that they do not."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# -- names


def fit(text: str) -> str:
    """Return a name that may be shown, as near to the text as may be: NAME."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).lstrip("_.-")[:32].rstrip("-.") or "player"


def _with_unique_names(found: Sequence[_Found]) -> list[Player]:
    """Return the players with names unique ignoring case.

    Files of one name are told apart by their extensions (bot-py, bot-c), else by their folders (v1-bot, v2-bot). What
    is still alike is numbered in the order given: bot, bot-2; a name that a person chose never gives way to another.
    """
    names = [each.player.name for each in found]
    groups: dict[str, list[int]] = {}
    for n, each in enumerate(found):
        if each.path and not each.fixed:
            groups.setdefault(names[n].lower(), []).append(n)
    for group in groups.values():
        for spell in (_with_extension, _with_folder):
            spelled = {found[n].path: spell(found[n]) for n in group}
            if len(spelled) > 1 and len({text.lower() for text in spelled.values()}) == len(spelled):
                for n in group:
                    names[n] = spelled[found[n].path]
                break
    taken: set[str] = set()
    natural = {name.lower() for name in names}
    for n in sorted(range(len(found)), key=lambda n: not found[n].fixed):
        wanted, number = names[n], 1
        while names[n].lower() in taken or (number > 1 and names[n].lower() in natural):
            number += 1
            names[n] = f"{wanted[: 31 - len(str(number))]}-{number}"
        taken.add(names[n].lower())
    return [each.player._replace(name=name) for each, name in zip(found, names, strict=True)]


def _with_extension(found: _Found) -> str:
    extension = "" if os.path.isdir(found.path) else Path(found.path).suffix[1:]
    return fit(f"{found.player.name[: 31 - len(extension)]}-{extension}") if extension else found.player.name


def _with_folder(found: _Found) -> str:
    folder = fit(Path(found.path).parent.name)
    return f"{folder[: 31 - len(found.player.name)]}-{found.player.name}" if len(found.player.name) < 31 else folder
