"""What a build may do: a compiler is started much like a player, since the source that it reads was written by anybody.

Theory of operation. A compiler opens whatever a source names (`#include`, `.incbin`, `include_bytes!`), and what it
read is then in the program. So with `--sandbox` a build is kept by the layers that players are kept by, with one folder
that it may write to: a temporary one, where a copy of the source lies. It reads what every player may read, and what
its compiler consists of. As root it is a user of its own, to whom that folder is given. Once nothing of the build is
alive, `bring` copies what it has made: nobody holds those files open, and nobody else owns them.

Without a sandbox a build still has limits, a session, no new privileges, and dies with what started it.
"""

from __future__ import annotations

import math
import os
import re
import resource
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from referee import confine
from referee.confine import reach

MEMORY_MB: Final = 4096  # MiB of data of each process of a build
NEEDED_MB: Final = 1024  # ... and in a sandbox whose players have less; honest compilers take 200
RLIMITS: Final[Mapping[int, int]] = MappingProxyType(
    {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: 1024, resource.RLIMIT_FSIZE: 256 * 1024 * 1024}
)

_PATH: Final = re.compile(rb"/[^\s\0:'\"`,;()<>]+")
_DENIED: Final = re.compile(rb"[Pp]ermission denied|Operation not permitted|Read-only file system")


class Workshop(confine.Confinement):
    """What a build goes through between its start and its compiler. Raises SandboxMissing as Confinement does.

    folder  -- the absolute path of the folder that it works in, with all that it is made from
    seconds -- how long it may take, and so how long each of its processes may compute
    sandbox -- what it is kept from
    """

    def __init__(self, folder: str, seconds: float, sandbox: confine.Sandbox) -> None:
        limits = {**RLIMITS, resource.RLIMIT_CPU: max(1, math.ceil(seconds))}
        if sandbox.level == confine.OFF:
            limits[resource.RLIMIT_DATA] = MEMORY_MB << 20
        self._folder = folder
        self._builder: tuple[int, int] | None = None
        sandbox = sandbox._replace(memory_mb=max(sandbox.memory_mb, NEEDED_MB))
        super().__init__(sandbox, limits, (folder,) if sandbox.level != confine.OFF else ())
        self._builder = super()._next_user() if sandbox.level != confine.OFF else None

    def start(
        self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], stdin: int, stdout: int, stderr: int
    ) -> confine.Started:
        if self._builder is not None:
            for path in (self._folder, *map(str, Path(self._folder).rglob("*"))):
                os.chown(path, *self._builder, follow_symlinks=False)
        return super().start(argv, cwd, environment, stdin, stdout, stderr)

    def _next_user(self) -> tuple[int, int] | None:
        return self._builder or super()._next_user()


def kind_of(sandbox: confine.Sandbox) -> list[object]:
    """Return what decides which files a build can read: programs that were built apart by it are not each other's."""
    if sandbox.level == confine.OFF:
        return []
    bwrap = (shutil.which(sandbox.bwrap) if sandbox.bwrap else None) or ""
    more = os.environ.get(reach.READABLE, "")
    return ["sandbox", sandbox.user, os.geteuid(), bwrap, confine.landlock_abi() > 0, more]


def toolchain(patterns: Iterable[str], tool: str) -> Iterator[str]:
    """Yield the paths, of those that a row of the languages names, that exist: files of a compiler outside the system.

    patterns -- with `~`, `$VARIABLE`, and `{prefix}`, the folder above that of the compiler
    tool     -- the path of the compiler
    """
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(tool)))
    for pattern in patterns:
        path = os.path.expandvars(os.path.expanduser(pattern.replace("{prefix}", prefix)))
        if path.startswith("/") and os.path.exists(path) and not reach.wide(path, os.path.expanduser("~")):
            yield os.path.abspath(path)


def unreachable(output: bytes, argv: Sequence[str], cwd: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a compiler in a sandbox complains of that is the sandbox's doing.

    Those are the paths in its output that exist, but not for it; or "" alone when it was denied something unnamed.
    """
    open_to_it = reach.Reach(argv, cwd, environment, (reach.ETC,)).readable
    open_to_it += [*reach.MACHINE, *reach.DEVICES_READ, *reach.DEVICES_USED, "/proc/self"]
    found, denied = [], False
    for line in output.splitlines():
        paths = [path for path in map(os.fsdecode, _PATH.findall(line)) if os.path.lexists(path)]
        if _DENIED.search(line):
            denied = True
            found += [path for path in paths if not _beneath(path, [cwd])]
        else:
            found += [path for path in paths if not _beneath(path, open_to_it)]
    return tuple(dict.fromkeys(found)) or (("",) if denied else ())


def bring(made: Path, kept: Path) -> str:
    """Copy what a sandboxed build has made into a new folder, as files of our own; return what is wrong with it, or "".

    Nothing of the build may be alive. Links are refused: by one, a program could lie in a folder of the organiser's.
    """
    kept.mkdir(mode=0o755)
    for path in sorted(made.rglob("*")):
        about, copy = path.lstat(), kept / path.relative_to(made)
        if stat.S_ISDIR(about.st_mode):
            copy.mkdir(mode=0o755)
        elif stat.S_ISREG(about.st_mode) and about.st_nlink == 1:
            shutil.copyfile(path, copy, follow_symlinks=False)
            copy.chmod(0o755 if about.st_mode & 0o111 else 0o644)
        else:
            return f"{path.name} is a link, or no file"
    return ""


def trusted(folder: Path) -> bool:
    """Return whether nobody but this process's user can put anything into a folder."""
    about = folder.stat()
    return about.st_uid == os.geteuid() and not about.st_mode & 0o022


def _beneath(path: str, folders: Iterable[str]) -> bool:
    path = os.path.realpath(path)
    return any((path + "/").startswith(os.path.realpath(folder).rstrip("/") + "/") for folder in folders)
