"""What a player may touch, and what a referee process does for its own safety. Each measure says whether it holds.

Theory of operation. Two sides:

    referee_start()   what a worker does first: it dies with its parent, closes its /proc files to processes of its
                      own user (but not to root), and inherits its players' orphans so that none is left behind
    Confinement       what happens in a player's process between fork and exec: it dies with the referee, has small
                      limits, gains no privileges, and lives in a Landlock domain of its own, from which it can neither
                      trace nor signal the referee and the other players, nor reach their memory and descriptors

All of it is always on, needs no privilege and no program, and breaks no honest player. It keeps nobody from files,
network or memory: such layers belong in `Confinement.wrap` (a program put in front of the player's, such as bwrap) and
at the end of `Confinement.enter` (Landlock rules for files and network, then seccomp, which must come last).

`summary` asks the kernel what holds; there is no state to go stale. On systems other than Linux little of this exists,
and the summary says so.

Sources: prctl(2), landlock(7), Linux's include/uapi/linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

PARENT: Final = "REFEREE_PARENT"  # the variable in which a coordinator tells a worker its pid

_PR_SET_PDEATHSIG: Final = 1
_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_GET_CHILD_SUBREAPER: Final = 37
_PR_SET_NO_NEW_PRIVS: Final = 38

_LANDLOCK_CREATE_RULESET: Final = 444  # the same numbers on every architecture but alpha
_LANDLOCK_ADD_RULE: Final = 445
_LANDLOCK_RESTRICT_SELF: Final = 446
_CREATE_RULESET_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1
_FS_MAKE_BLOCK: Final = 1 << 11
_FS_REFER: Final = 1 << 13
_SCOPE_ABSTRACT_UNIX_SOCKET: Final = 1
_SCOPE_SIGNAL: Final = 2
SCOPES_SINCE: Final = 6  # the Landlock ABI from which a domain also stops signals and abstract sockets

RLIMITS: Final[Mapping[int, int]] = MappingProxyType(
    {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_FSIZE: 64 * 1024 * 1024,
        # RLIMIT_AS is not here: Node does not start below 512 MB of it, Java not below 2 GB.
        # RLIMIT_NPROC is not here: it counts every process of the user, not the player's.
    }
)

_LINUX: Final = sys.platform == "linux"
_libc: Final = ctypes.CDLL(None, use_errno=True)


# -- the referee's own process ------------------------------------------------------------------------------------


def referee_start() -> dict[str, bool]:
    """Make this process fit to own players; call it first. Returns measure -> whether it took effect.

    A parent that set the variable PARENT is followed into death: by SIGTERM, which here means an orderly exit with
    the players killed. SIGPIPE is ignored: a player that closes its input is a fault, not our end.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    taken = {"not dumpable": hide_memory(), "subreaper": adopt_orphans(True)}
    if parent := os.environ.pop(PARENT, ""):
        taken["dies with its parent"] = die_with_parent(int(parent), signal.SIGTERM)
    return taken


def _leave(signum: int, _frame: object) -> None:
    raise SystemExit(128 + signum)


def die_with_parent(parent: int, signum: int) -> bool:
    """Have `signum` sent to this process when the thread that started it ends; exit now if that has happened.

    parent -- the pid that the parent had. Returns False where the system cannot do it.
    """
    held = _prctl(_PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os._exit(128 + signum)
    return held


def hide_memory() -> bool:
    """Keep processes of the same user from reading this one's memory, environment and descriptors."""
    return _prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans(wanted: bool) -> bool:
    """Become, or stop being, the parent of descendants whose own parent has died."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, int(wanted))


def adopts_orphans() -> bool:
    """Return whether this process is a subreaper."""
    flag = ctypes.c_int(0)
    return _prctl(_PR_GET_CHILD_SUBREAPER, ctypes.addressof(flag)) and bool(flag.value)


# -- a player's process -------------------------------------------------------------------------------------------


class Confinement:
    """What every player of one table goes through between fork and exec.

    Made once in the referee, so that a child only makes system calls. A context manager: it holds a descriptor.
    """

    def __init__(self, rlimits: Mapping[int, int] = RLIMITS) -> None:
        self._parent = os.getpid()
        self._limits = [(which, _at_most(which, most)) for which, most in rlimits.items()]
        self._ruleset = _domain_only(landlock_abi())

    def close(self) -> None:
        if self._ruleset >= 0:
            os.close(self._ruleset)
            self._ruleset = -1

    def wrap(self, argv: Sequence[str]) -> Sequence[str]:
        """Return the command to execute for a player's command. A sandbox that is a program goes in front here."""
        return argv

    def enter(self) -> None:
        """Confine this process; runs in the child. Raises OSError: a promised measure that fails is no start."""
        if _LINUX:
            die_with_parent(self._parent, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for which, limit in self._limits:
            resource.setrlimit(which, limit)
        if _LINUX:
            _must(_prctl(_PR_SET_NO_NEW_PRIVS, 1))
        if self._ruleset >= 0:
            _must(_syscall(_LANDLOCK_RESTRICT_SELF, self._ruleset, 0) == 0)
        # A sandbox's Landlock rules for files and network go here, and after them its seccomp filter.


def _at_most(which: int, most: int) -> tuple[int, int]:
    """Return the soft and hard limit for a player: `most`, or what this process may give if that is less."""
    hard = resource.getrlimit(which)[1]
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    return value, value


def _must(held: bool) -> None:
    if not held:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


# -- Landlock -----------------------------------------------------------------------------------------------------


def landlock_abi() -> int:
    """Return the version of Landlock that this kernel offers; 0 is none."""
    return max(0, _syscall(_LANDLOCK_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)) if _LINUX else 0


def _domain_only(abi: int) -> int:
    """Return the descriptor of a ruleset that makes a domain and forbids nothing inside it; -1 where there is none.

    A domain alone keeps a process from tracing any process outside it, and so from its memory and descriptors, though
    not from its /proc/PID/environ and maps. From ABI 6 on two scopes add signals and abstract sockets, and need no
    rule. Before, a ruleset must handle some access: this one handles making block devices and moving files between
    folders, and allows both everywhere. ABI 1 cannot allow the latter.
    """
    if abi < 2:
        return -1
    if abi >= SCOPES_SINCE:
        return _new_ruleset(struct.pack("=QQQ", 0, 0, _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL))
    access = _FS_MAKE_BLOCK | _FS_REFER
    ruleset = _new_ruleset(struct.pack("=Q", access))
    if ruleset < 0:
        return -1
    root = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, root))
        if _syscall(_LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.addressof(rule), 0) == 0:
            return ruleset
    finally:
        os.close(root)
    os.close(ruleset)
    return -1


def _new_ruleset(attributes: bytes) -> int:
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    return _syscall(_LANDLOCK_CREATE_RULESET, ctypes.addressof(buffer), len(attributes), 0)


# -- what holds ---------------------------------------------------------------------------------------------------


def summary() -> str:
    """Return one sentence on what keeps players apart from each other, the referee and the system."""
    held = ["session", "rlimits"]
    abi = landlock_abi()
    if _LINUX:
        held += ["no-new-privs", "dies-with-referee"]
    if abi >= 2:
        held.append(f"landlock-domain (ABI {abi})")
    if _LINUX and _libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0:
        held.append("referee-not-dumpable")
    if adopts_orphans():
        held.append("subreaper")
    open_ = ["files", "network", "memory", "number of processes"]
    if not _LINUX:
        open_ = [f"nearly everything on {sys.platform}", *open_]
    elif abi < 2:
        open_ = ["other players' memory and signals (this kernel has no Landlock of use)", *open_]
    elif abi < SCOPES_SINCE:
        open_ = ["signals to other players", *open_]
    return (
        f"isolation: {', '.join(held)} | NOT isolated: {', '.join(open_)}."
        " Players run with your rights: run only programs that you trust."
    )


def _prctl(option: int, value: int) -> bool:
    if not _LINUX:
        return False
    zero = ctypes.c_ulong(0)
    return bool(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero) == 0)


def _syscall(number: int, *arguments: int | None) -> int:
    """Return what a system call returns, -1 for an error. Arguments are numbers and addresses."""
    return int(_libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(value or 0) for value in arguments)))
