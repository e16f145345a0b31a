"""Seccomp filters: system calls that no player needs and that reach beyond it.

`basic` is the filter of every player. It forbids what Landlock does not and no honest program does: to set limits of
other processes (a CPU limit of 0 kills them), to type into a terminal, and to stop being the parent of its own orphans.

`program` is that of a sandboxed player. It forbids sockets of every kind (a pair of them is fine), other processes'
memory, namespaces, mounts, keyrings, io_uring, System V and POSIX message queues, locks on files, and limits,
priorities and CPUs of other processes.
Runtimes try `clone3` and io_uring and take the older way when those do not exist, so they are said not to exist.

The program is classic BPF over struct seccomp_data: loads of one 32-bit word, comparisons, returns.
Sources: seccomp(2), Linux's include/uapi/linux/{seccomp,filter,audit,sched}.h and its tables of system calls.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_IF_NOT_BELOW: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_IF_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; 8 bytes an argument, low half first
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_KILL: Final = 0x80000000
_X32: Final = 0x40000000  # x86-64's second set of numbers
_NEW_NAMESPACES: Final = 0x7E020000  # CLONE_NEW* but for NEWTIME, whose bit is part of clone's exit signal

ARCHITECTURES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # the audit name, the column of the tables below
)

# name -> numbers (x86-64, arm64); -1: there is no such call
DENIED: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "socket": (41, 198),
        "shmget": (29, 194),
        "msgget": (68, 186),
        "semget": (64, 190),
        "mq_open": (240, 180),
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "process_madvise": (440, 440),
        "kcmp": (312, 272),
        "pidfd_getfd": (438, 438),
        "migrate_pages": (256, 238),
        "move_pages": (279, 239),
        "add_key": (248, 217),
        "request_key": (249, 218),
        "keyctl": (250, 219),
        "unshare": (272, 97),
        "setns": (308, 268),
        "mount": (165, 40),
        "umount2": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "open_tree": (428, 428),
        "move_mount": (429, 429),
        "fsopen": (430, 430),
        "fsconfig": (431, 431),
        "fsmount": (432, 432),
        "fspick": (433, 433),
        "mount_setattr": (442, 442),
        "name_to_handle_at": (303, 264),
        "open_by_handle_at": (304, 265),
        "fanotify_init": (300, 262),
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "swapon": (167, 224),
        "swapoff": (168, 225),
        "acct": (163, 89),
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "kexec_load": (246, 104),
        "kexec_file_load": (320, 294),
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "reboot": (169, 142),
        "iopl": (172, -1),
        "ioperm": (173, -1),
        "settimeofday": (164, 170),
        "clock_settime": (227, 112),
        "clock_adjtime": (305, 266),
        "adjtimex": (159, 171),
        "sethostname": (170, 161),
        "setdomainname": (171, 162),
        "vhangup": (153, 58),
        "syslog": (103, 116),
    }
)

ABSENT: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "clone3": (435, 435),  # its flags lie in memory, where no filter can look
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
    }
)


# A lock on a file that others may read as well is a signal to them. Java's machine takes one when it starts, and would
# complain on standard output, so that this call seems to succeed.
PRETENDED: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({"flock": (73, 32)})


class Test(NamedTuple):
    """What the low 32 bits of an argument of a call must be for the call to pass.

    allowed -- True: the value must be `value`; False: it must not be
    bits    -- instead: none of the bits of `value` may be set
    """

    numbers: tuple[int, int]
    argument: int
    value: int
    allowed: bool = True
    bits: bool = False


TESTED: Final[Mapping[str, tuple[Test, ...]]] = MappingProxyType(
    {
        "clone": (Test((56, 220), 0, _NEW_NAMESPACES, bits=True),),
        # Of these only the caller's own: 0 stands for it.
        "prlimit64": (Test((302, 261), 0, 0),),
        "sched_setaffinity": (Test((203, 122), 0, 0),),
        "sched_setscheduler": (Test((144, 119), 0, 0),),
        "sched_setparam": (Test((142, 118), 0, 0),),
        "sched_setattr": (Test((314, 274), 0, 0),),
        "setpriority": (Test((141, 140), 0, 0), Test((141, 140), 1, 0)),  # 0 is PRIO_PROCESS
        "ioprio_set": (Test((251, 30), 0, 1), Test((251, 30), 1, 0)),  # 1 is IOPRIO_WHO_PROCESS
        "kill": (Test((62, 129), 0, 0xFFFFFFFF, allowed=False),),  # -1: all that may be signalled
        "ioctl": (
            Test((16, 29), 1, 0x5412, allowed=False),  # TIOCSTI types into a terminal
            Test((16, 29), 1, 0x541C, allowed=False),  # TIOCLINUX pastes into one
        ),
        "fcntl": (Test((72, 25), 1, 1024, allowed=False),),  # F_SETLEASE
        "prctl": (Test((157, 167), 0, 36, allowed=False),),  # PR_SET_CHILD_SUBREAPER: its orphans stay its own
    }
)

BASIC: Final = ("prlimit64", "ioctl", "prctl")  # of TESTED

# The 32-bit programs that a machine runs as well: the audit name, and their numbers of the calls in BASIC.
COMPATIBLE: Final[Mapping[str, tuple[int, tuple[int, int, int]]]] = MappingProxyType(
    {"x86_64": (0x40000003, (340, 54, 172)), "aarch64": (0x40000028, (369, 54, 172))}
)


def program(machine: str = "") -> bytes:
    """Return the filter for a machine, an array of struct sock_filter; empty where there is none.

    machine -- as in platform.machine(); unsaid: this one
    """
    if (known := ARCHITECTURES.get(machine or platform.machine())) is None:
        return b""
    audit, column = known
    denied, absent = _errno(errno.EPERM), _errno(errno.ENOSYS)
    lines = [
        _line(_LOAD, _ARCHITECTURE),
        _line(_IF_EQUAL, audit, 1, 0),
        _line(_RETURN, _KILL),  # a 32-bit program's numbers mean something else
        _line(_LOAD, _NUMBER),
    ]
    if column == 0:
        lines += [_line(_IF_NOT_BELOW, _X32, 0, 1), absent]
    for calls, verdict in ((DENIED, denied), (ABSENT, absent), (PRETENDED, _errno(0))):
        for numbers in calls.values():
            if numbers[column] >= 0:
                lines += [_line(_IF_EQUAL, numbers[column], 0, 1), verdict]
    for tests in TESTED.values():
        lines += _tested(tests[0].numbers[column], tests, denied)
    return b"".join([*lines, _line(_RETURN, _ALLOW)])


def basic(machine: str = "") -> bytes:
    """Return the filter of every player for a machine; empty where there is none. 32-bit programs pass it as well."""
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        return b""
    audit, column = ARCHITECTURES[machine]
    audit_32, numbers_32 = COMPATIBLE[machine]
    wide = [_line(_IF_NOT_BELOW, _X32, 0, 1), _errno(errno.ENOSYS)] if column == 0 else []
    numbers = tuple(TESTED[name][0].numbers[column] for name in BASIC)
    lines = [_line(_LOAD, _ARCHITECTURE)]
    for name, before, calls in ((audit, wide, numbers), (audit_32, [], numbers_32)):
        body = [_line(_LOAD, _NUMBER), *before]
        for call, number in zip(BASIC, calls, strict=True):
            body += _tested(number, TESTED[call], _errno(errno.EPERM))
        lines += [_line(_IF_EQUAL, name, 0, len(body) + 1), *body, _line(_RETURN, _ALLOW)]
    return b"".join([*lines, _line(_RETURN, _ALLOW)])


def _tested(number: int, tests: Sequence[Test], denied: bytes) -> list[bytes]:
    """Return the lines that decide on a call by its arguments, and go on behind them for any other call."""
    checks = [line for test in tests for line in _check(test, denied)]
    return [_line(_IF_EQUAL, number, 0, len(checks) + 1), *checks, _line(_RETURN, _ALLOW)]


def _check(test: Test, denied: bytes) -> list[bytes]:
    """Return the lines that deny a call whose argument fails a test, and go on behind them when it passes."""
    kind = _IF_ANY_BIT if test.bits else _IF_EQUAL
    passes = (0, 1) if test.bits or not test.allowed else (1, 0)
    return [_line(_LOAD, _ARGUMENTS + 8 * test.argument), _line(kind, test.value, *passes), denied]


def _errno(number: int) -> bytes:
    return _line(_RETURN, _ERRNO | number)


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
