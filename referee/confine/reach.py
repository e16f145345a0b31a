"""Which files a sandboxed player may read: the system's, its interpreter's, its own. It may write none.

The organiser's files are not among them: a home folder, and other folders that hold everybody's things, are never
opened as a whole, whatever lies or starts there. What else players need (data, weights in another place) is named in
the variable REFEREE_READABLE.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

READABLE: Final = "REFEREE_READABLE"  # the variable that names more files and folders, with `:` between them

SYSTEM: Final = tuple("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /gnu/store /snap".split())
ETC: Final = "/etc"
# The part of /etc that runtimes read, for a player that could read closed files there.
ETC_OPEN: Final = tuple(
    "/etc/" + name
    for name in "alternatives group hosts ld.so.cache ld.so.conf ld.so.conf.d locale.alias localtime mime.types nodejs"
    " nsswitch.conf os-release passwd perl php profile protocols python3 services ssl/openssl.cnf timezone".split()
)
MACHINE: Final = tuple(
    "/sys/devices/system/cpu /sys/kernel/mm/transparent_hugepage /proc/cpuinfo /proc/filesystems /proc/loadavg"
    " /proc/meminfo /proc/stat /proc/sys/kernel /proc/sys/vm /proc/uptime /proc/version".split()
)
DEVICES_READ: Final = ("/dev/random", "/dev/urandom")
DEVICES_USED: Final = ("/dev/null", "/dev/zero", "/dev/full")

# What a folder with programs in `bin` has beside it; `share` is not here: in a home it holds everything.
_BESIDE_BIN: Final = ("lib", "lib32", "lib64", "libexec", "conf", "jre", "pyvenv.cfg", "versions", "version", "shims")
_WIDE: Final = frozenset(
    "/ /boot /dev /dev/shm /home /media /mnt /proc /root /run /srv /sys /tmp /var /var/tmp".split()
)


class Reach:
    """What one player may read.

    program  -- the path of its program; "" when it is nowhere to be found
    cwd      -- the folder that it starts in, absolute
    readable -- absolute paths, none beneath another
    needed   -- of its own files, those without which it cannot start
    """

    def __init__(self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], etc: Sequence[str]) -> None:
        self.cwd = os.path.abspath(cwd)
        path = environment.get("PATH", os.defpath)
        home = os.path.abspath(environment["HOME"]) if environment.get("HOME") else ""
        self.program = _program(argv[0], self.cwd, path) if argv else ""
        words = list(_paths_in(argv[1:], self.cwd))
        self.needed = [word for word in (self.program, *words) if word]
        found = [*SYSTEM, *etc]
        for folder in path.split(os.pathsep):
            if folder.startswith("/") and not _within(folder, SYSTEM):
                found += _tools(folder, home)
        for interpreter in (self.program, *_interpreters(self.program, path)):
            found += _chain(interpreter, home)
        for word in words:
            found += _own(word, home)
        if not wide(self.cwd, home):
            found.append(self.cwd)
        found += [entry for entry in os.environ.get(READABLE, "").split(os.pathsep) if entry.startswith("/")]
        self.readable = _outermost(entry for entry in found if os.path.lexists(entry))


def wide(folder: str, home: str) -> bool:
    """Return whether a folder holds everybody's things: a home or what is above it, /tmp, /var and such."""
    folder = os.path.abspath(folder)
    return folder in _WIDE or (bool(home) and (home + "/").startswith(folder.rstrip("/") + "/"))


def without(readable: Sequence[str], hidden: Sequence[str]) -> Iterator[str]:
    """Yield paths that cover what is readable but not the hidden paths; a folder around one is opened in pieces."""
    hidden = [os.path.realpath(path) for path in hidden]
    for path in readable:
        real = os.path.realpath(path)
        if _within(real, hidden):
            continue
        if any(_within(path, (real,)) for path in hidden) and os.path.isdir(real):
            yield from without([os.path.join(real, name) for name in sorted(os.listdir(real))], hidden)
        else:
            yield path


def closed_to(uid: int, gid: int, path: str, tops: Iterable[str] = ("/",)) -> str:
    """Return the first part of a path that a user may not pass or read; "" when all is open.

    tops -- what is above these counts as open; the longest that holds the path is taken
    Only the usual permission bits are looked at. A program's last part must be executable if it is for anyone.
    """
    real = os.path.realpath(path)
    above = [os.path.realpath(top) for top in tops]
    top = max((top for top in above if _within(real, (top,))), key=len, default="/")
    at = top
    while True:
        try:
            about = os.stat(at)
        except OSError:
            return at
        if at == real:
            wanted = 4 | (1 if about.st_mode & 0o111 else 0)
            return "" if _may(about, uid, gid, wanted) else at
        if not _may(about, uid, gid, 1):
            return at
        rest = os.path.relpath(real, at).split("/")
        at = os.path.join(at, rest[0])


def only_unreadable(uid: int, gid: int, path: str) -> bool:
    """Return whether it would help a user to read everything: whether an executable file is executable for it, too."""
    about = os.stat(path)
    return not about.st_mode & 0o111 or os.path.isdir(path) or _may(about, uid, gid, 1)


def _may(about: os.stat_result, uid: int, gid: int, wanted: int) -> bool:
    shift = 6 if about.st_uid == uid else 3 if about.st_gid == gid else 0
    return (stat.S_IMODE(about.st_mode) >> shift) & wanted == wanted


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _outermost(paths: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for path in sorted({os.path.abspath(path) for path in paths}):
        if not _within(path, kept):
            kept.append(path)
    return kept


def _program(word: str, cwd: str, path: str) -> str:
    if "/" in word:
        return os.path.normpath(os.path.join(cwd, word))
    return shutil.which(word, path=path) or ""


def _paths_in(words: Iterable[str], cwd: str) -> Iterator[str]:
    """Yield what exists of the paths in a program's arguments: plain, behind `=`, in a list with `:`."""
    for word in words:
        for part in re.split("[=:]", word):
            path = os.path.normpath(os.path.join(cwd, part))
            if part and "\0" not in part and os.path.exists(path):
                yield path


def _own(path: str, home: str) -> Iterator[str]:
    """Yield what a file of the player's brings with it: its folder, unless that is wide; links followed, too."""
    for at in dict.fromkeys((path, os.path.realpath(path))):
        folder = at if os.path.isdir(at) else os.path.dirname(at)
        yield at if wide(folder, home) else folder


def _chain(program: str, home: str) -> Iterator[str]:
    """Yield the folders of a program and of each file that it is a link to, with the libraries beside a `bin`."""
    for _ in range(40):
        if not program:
            return
        yield from _own(program, home)
        folder = os.path.dirname(program)
        if os.path.basename(folder) in ("bin", "sbin", "shims"):
            yield from _prefix(os.path.dirname(folder))
        real = os.path.realpath(folder)
        if real != folder:
            yield from _chain(os.path.join(real, os.path.basename(program)), home)
        try:
            link = os.readlink(program)
        except OSError:
            return
        program = os.path.normpath(os.path.join(real, link))


def _prefix(folder: str) -> list[str]:
    return [] if folder == "/" else [os.path.join(folder, name) for name in ("bin", "sbin", *_BESIDE_BIN)]


def _tools(folder: str, home: str) -> Iterator[str]:
    """Yield what a folder of PATH brings with it: its programs may be links into toolchains elsewhere."""
    if not os.path.isdir(folder) or wide(folder, home):
        return
    yield folder
    if os.path.basename(folder) in ("bin", "sbin", "shims"):
        yield from _prefix(os.path.dirname(folder))
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() and not _within(target := os.path.realpath(entry.path), (*SYSTEM, folder)):
                yield from _chain(target, home)


def _interpreters(program: str, path: str) -> Iterator[str]:
    """Yield the programs that a #! line names, `env` looked through."""
    if not os.path.isfile(program):  # to open a FIFO is to wait
        return
    try:
        with open(program, "rb") as file:
            line = file.read(256).partition(b"\n")[0]
    except OSError:
        return
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [shutil.which(word, path=path) or "" for word in words[1:] if not word.startswith("-")]
    if words and words[0].startswith("/"):
        yield words[0]
