"""What this machine offers, as `referee doctor` prints it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator

from referee import __version__, confine
from referee.games import names
from referee.launch import cache_folder, data_folder, installed, languages
from referee.tournament import preflight


def report() -> Iterator[str]:
    """Yield the lines of the report; asking changes nothing on the machine."""
    yield f"referee {__version__}, Python {platform.python_version()} at {sys.executable}, {platform.platform()}"
    yield f"games        {', '.join(names())}"
    yield (
        f"cores        {os.cpu_count()}, {len(os.sched_getaffinity(0))} for us"
        if hasattr(os, "sched_getaffinity")
        else f"cores        {os.cpu_count()}"
    )
    yield from _isolation()
    yield f"programs     {data_folder('clients')}"
    yield f"build cache  {cache_folder()}"
    yield f"terminal     {_terminal()}"
    yield "languages"
    for language in languages():
        tool = installed(language)
        yield f"    {language.name:<12} {tool or f'missing; the package {language.package} has it'}"


def _isolation() -> Iterator[str]:
    """Yield what keeps players apart, at each level of --sandbox, as a worker finds it out by trying."""
    yield "isolation"
    for level in confine.LEVELS:
        said: list[str] = []
        try:
            preflight((), 0, sandbox=confine.Sandbox(level)._asdict(), told=said.append)
        except confine.SandboxMissing as error:
            said.append(f"no player would be started: {error}")
        yield f"    {level:<8} {said[-1]}"


def _terminal() -> str:
    size = shutil.get_terminal_size()
    where = "a terminal" if sys.stdout.isatty() else "not a terminal"
    words = [where, f"{size.columns}x{size.lines}", f"TERM={os.environ.get('TERM', '')!r}"]
    words += [f"encoding {sys.stdout.encoding}"]
    words += ["NO_COLOR set"] if os.environ.get("NO_COLOR") else []
    return ", ".join(words)
