"""Why a player's command could not be started, in a sentence: the system says "No such file" of five different things.

Everything here looks at files after the fact; nothing is started.
"""

import contextlib
import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from referee.wire import quote, safe


def why_not(argv: Sequence[str], cwd: str, environment: Mapping[str, str], error: Exception) -> str:
    """Return a sentence on why a command could not be started, and what would do.

    argv, cwd, environment -- how it was started; a relative program is found from `cwd`, a bare name on PATH
    error                  -- what starting it raised
    """
    if not argv or not argv[0]:
        return "the command is empty; it needs a program"
    program = argv[0]
    shown = f"'{safe(program)}'" if len(program) <= 200 else quote(program)
    if any("\0" in text for text in (*argv, cwd, *environment, *environment.values())):
        return f"the command {quote(program)} or a variable for it holds a NUL byte, which no system takes"
    if isinstance(error, subprocess.SubprocessError):
        return f"{shown} was not started, because its process could not be confined: {safe(str(error))}"
    if not os.path.isdir(cwd):
        return f"{shown} was to start in the folder '{safe(cwd)}', which does not exist"
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.E2BIG:
        size = sum(len(os.fsencode(text)) + 1 for text in argv)
        return f"the arguments of {shown} are too long for this system: {size} bytes"
    if "/" not in program:
        found = shutil.which(program, path=environment.get("PATH"))
        if found is None:
            here = (
                f"; the one in this folder is './{safe(program)}'" if os.path.exists(os.path.join(cwd, program)) else ""
            )
            return f"there is no program {shown} on PATH{here}"
        return _why_not_file(found, f"'{safe(found)}'", number)
    return _why_not_file(os.path.join(cwd, program), shown, number)


def _why_not_file(path: str, shown: str, number: int | None) -> str:
    try:
        about = os.stat(path)
    except OSError as error:
        return _why_not_found(path, shown, error)
    if stat.S_ISDIR(about.st_mode):
        return f"{shown} is a folder; name the program in it"
    if not stat.S_ISREG(about.st_mode):
        kind = "a FIFO" if stat.S_ISFIFO(about.st_mode) else "no ordinary file"
        return f"{shown} is {kind}, not a program"
    if not os.access(path, os.X_OK):
        return f"{shown} is not executable; 'chmod +x' makes it so"
    if os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0):
        return f"{shown} lies on a file system that is mounted noexec; move it elsewhere"
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        head = b""
    if not head and about.st_size == 0:
        return f"{shown} is an empty file"
    if head.startswith(b"#!"):
        return _why_not_script(head, shown, number)
    if head.startswith(b"\x7fELF"):
        return _why_not_elf(head, shown, number)
    if head.startswith(b"\xef\xbb\xbf#!"):
        return f"{shown} starts with a UTF-8 byte order mark before its '#!'; save it without one"
    if head.startswith((b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")):
        return f"{shown} is a program for another system (Windows, macOS or a Java class); build it for this one"
    if number == errno.ENOEXEC:
        return f"{shown} is no program of this machine and has no first line '#!...' that says what runs it"
    return f"{shown} could not be started: {os.strerror(number) if number else 'no reason is known'}"


def _why_not_found(path: str, shown: str, error: OSError) -> str:
    match error.errno:
        case errno.ELOOP:
            return f"{shown} is a symbolic link that leads back to itself"
        case errno.ENAMETOOLONG:
            return f"{shown} is too long for a path ({len(os.fsencode(path))} bytes)"
        case errno.ENOTDIR:
            return f"a part of the path {shown} is a file, not a folder"
        case errno.EACCES:
            return f"a folder in the path {shown} may not be entered"
        case errno.ENOENT if os.path.islink(path):
            return f"{shown} is a symbolic link to '{safe(os.readlink(path))}', which does not exist"
        case errno.ENOENT:
            return f"there is no file {shown}"
        case _:
            return f"{shown} could not be looked at: {error.strerror}"


def _why_not_script(head: bytes, shown: str, number: int | None) -> str:
    first = head.partition(b"\n")[0]
    if first.endswith(b"\r"):
        asked = quote(first[2:].strip(b" "))
        return f"{shown} has Windows line ends, so that its first line asks for {asked}; save it with LF alone"
    interpreter = os.fsdecode(first[2:].split()[0]) if first[2:].split() else ""
    if not interpreter:
        return f"the first line of {shown} is '#!' without a program that runs it"
    if not os.path.exists(interpreter):
        return f"the first line of {shown} asks for the interpreter {quote(interpreter)}, which does not exist"
    if not os.path.isfile(interpreter) or not os.access(interpreter, os.X_OK):
        return f"the first line of {shown} asks for the interpreter {quote(interpreter)}, which is not executable"
    return f"{shown} could not be started by {quote(interpreter)}: {os.strerror(number or errno.ENOEXEC)}"


_MACHINES: Final[Mapping[int, str]] = MappingProxyType(
    {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V", 8: "MIPS", 21: "PowerPC64", 22: "S390"}
)


def _why_not_elf(head: bytes, shown: str, number: int | None) -> str:
    """Source: elf(5). `head` is the beginning of the file."""
    if len(head) < 64:
        return f"{shown} is a truncated program ({len(head)} bytes); build it again"
    with open(sys.executable, "rb") as file:
        ours = file.read(20)
    machine, our_machine = (struct.unpack_from("<H", text, 18)[0] for text in (head, ours))
    if head[4:6] != ours[4:6] or machine != our_machine:
        theirs = _MACHINES.get(machine, f"machine {machine}")
        return f"{shown} was built for {theirs}; this is {_MACHINES.get(our_machine, 'another machine')}"
    if number == errno.ENOENT:
        loader = quote(_elf_loader(head))
        return f"{shown} asks for the loader {loader}, which does not exist: it was built on another system"
    return f"{shown} is a damaged or truncated program; build it again"


def _elf_loader(head: bytes) -> bytes:
    """Return the loader that a 64-bit little-endian program asks for; empty when it is not in `head`."""
    with contextlib.suppress(struct.error):
        offset, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
        for entry in range(count):
            kind, _, at, _, _, length = struct.unpack_from("<IIQQQQ", head, offset + entry * size)
            if kind == 3:  # PT_INTERP
                return head[at : at + length].rstrip(b"\0")
    return b""
