"""What a player's process goes through before its program runs: it gives up what it is not to have.

Called between fork and exec (`enter`), or run inside a sandbox that is a program of its own (`main`), by an interpreter
that sees nothing of the referee's: the code of this module is sent there. It makes system calls and decides nothing.
What is to be done is in `Steps`, made beforehand in the referee. It imports only what starts fast.

The order matters. Limits and cgroups need rights that the change of user takes away; that change clears the death
signal; a Landlock domain closes the folders that earlier steps look into; the seccomp filter forbids some of all that.

Sources: prctl(2), capabilities(7), capset(2), seccomp(2), Linux's include/uapi/linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

_SIGKILL: Final = 9
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_KEEPCAPS: Final = 8
_PR_SET_SECCOMP: Final = 22
_PR_CAPBSET_DROP: Final = 24
_PR_SET_SECUREBITS: Final = 28
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAP_AMBIENT: Final = 47
_CAP_AMBIENT_RAISE: Final = 2
_NO_SETUID_FIXUP: Final = 1 << 2
_KEEP_CAPS: Final = 1 << 4
_SECCOMP_MODE_FILTER: Final = 2
_SECCOMP_SET_MODE_FILTER: Final = 1
_SECCOMP_FILTER_FLAG_SPEC_ALLOW: Final = 4  # no slower for the filter, as kernels before 5.16 would make it
_SECCOMP_CALL: Final = {"x86_64": 317, "aarch64": 277}
_CAPABILITY_VERSION_3: Final = 0x20080522
_CAPABILITIES: Final = 64  # more than any kernel has; the first that it does not know ends the loop

CAP_DAC_READ_SEARCH: Final = 2

_LANDLOCK_ADD_RULE: Final = 445
_LANDLOCK_RESTRICT_SELF: Final = 446
_RULE_PATH_BENEATH: Final = 1

LINUX: Final = sys.platform == "linux"
libc: Final = ctypes.CDLL(None, use_errno=True)


class Steps:
    """What is done, in this order.

    cgroups -- descriptors of `cgroup.procs` files, to be joined
    limits  -- (resource, soft and hard limit)
    shed    -- as root: give up all capabilities but those in `kept`, also for programs still to be started
    kept    -- numbers of capabilities
    user    -- (uid, gid) to become, with no other groups; None stays
    reads   -- with `user`: keep CAP_DAC_READ_SEARCH, as the player's files are closed to that user
    parent  -- pid of the parent, with whose thread this process is to die; 0 sets no death signal
    ruleset -- descriptor of a Landlock ruleset; -1 is none
    proc    -- rights in the process's own /proc/PID that are added to the ruleset; 0 adds none
    filter  -- seccomp program, an array of struct sock_filter; empty is none
    """

    def __init__(
        self,
        *,
        cgroups: Sequence[int] = (),
        limits: Sequence[tuple[int, int]] = (),
        shed: bool = False,
        kept: Sequence[int] = (),
        user: tuple[int, int] | None = None,
        reads: bool = False,
        parent: int = 0,
        ruleset: int = -1,
        proc: int = 0,
        filter: bytes = b"",
    ) -> None:
        self.cgroups = cgroups
        self.limits = limits
        self.shed = shed
        self.kept = kept
        self.user = user
        self.reads = reads
        self.parent = parent
        self.ruleset = ruleset
        self.proc = proc
        self.filter = filter


def enter(steps: Steps) -> None:
    """Confine this process. Raises OSError: a promised measure that fails is no start."""
    for descriptor in steps.cgroups:
        os.write(descriptor, b"0")
    for which, limit in steps.limits:
        resource.setrlimit(which, (limit, limit))
    if not LINUX:
        return
    must(prctl(_PR_SET_NO_NEW_PRIVS, 1))
    must(prctl(_PR_SET_CHILD_SUBREAPER, 1))  # a helper that has lost its parents stays in the player's family
    if steps.shed:
        _shed((*steps.kept, CAP_DAC_READ_SEARCH) if steps.reads else steps.kept)
    if steps.user is not None:
        _become(*steps.user, steps.reads)
    if steps.parent:
        die_with_parent(steps.parent, _SIGKILL)
    if steps.ruleset >= 0:
        if steps.proc:
            allow(steps.ruleset, "/proc/self", steps.proc)
        must(syscall(_LANDLOCK_RESTRICT_SELF, steps.ruleset, 0) == 0)
    if steps.filter:
        program = ctypes.create_string_buffer(steps.filter, len(steps.filter))
        head = ctypes.create_string_buffer(struct.pack("@HP", len(steps.filter) // 8, ctypes.addressof(program)))
        call = _SECCOMP_CALL.get(os.uname().machine, -1)
        flags = _SECCOMP_FILTER_FLAG_SPEC_ALLOW
        if call < 0 or syscall(call, _SECCOMP_SET_MODE_FILTER, flags, ctypes.addressof(head)) != 0:
            must(prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head)))


def die_with_parent(parent: int, signum: int) -> bool:
    """Have `signum` sent to this process when the thread that started it ends; exit now if that has happened.

    parent -- the pid that the parent had. Returns False where the system cannot do it.
    """
    held = prctl(_PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os._exit(128 + signum)
    return held


def allow(ruleset: int, path: str, access: int) -> bool:
    """Add to a ruleset that `access` is allowed at and beneath a path. Returns False when there is no such path."""
    try:
        where = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, where))
        must(syscall(_LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.addressof(rule), 0) == 0)
    finally:
        os.close(where)
    return True


def _shed(kept: Sequence[int]) -> None:
    """Leave the bounding set to `kept`: no program that is started from here has any other capability."""
    for capability in range(_CAPABILITIES):
        if capability not in kept and not prctl(_PR_CAPBSET_DROP, capability):
            if ctypes.get_errno() == errno.EINVAL:  # the kernel knows no more
                return
            must(False)


def _become(uid: int, gid: int, reads: bool) -> None:
    """Change to a user for good; all capabilities go with it, but for the one that reads closed files."""
    if reads:
        must(prctl(_PR_SET_KEEPCAPS, 1))
        prctl(_PR_SET_SECUREBITS, _NO_SETUID_FIXUP | _KEEP_CAPS)  # else access(2), of which gcc thinks much, denies it
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if reads:
        only = 1 << CAP_DAC_READ_SEARCH
        header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
        sets = ctypes.create_string_buffer(struct.pack("=6I", only, only, only, 0, 0, 0))
        must(libc.capset(header, sets) == 0)
        must(prctl(_PR_CAP_AMBIENT, _CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH))


def must(held: bool) -> None:
    if not held:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def prctl(option: int, value: int, more: int = 0) -> bool:
    """Return whether prctl(2) did it; never on systems other than Linux."""
    if not LINUX:
        return False
    zero = ctypes.c_ulong(0)
    return bool(libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(more), zero, zero) == 0)


def syscall(number: int, *arguments: int | None) -> int:
    """Return what a system call returns, -1 for an error. Arguments are numbers and addresses."""
    return int(libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(value or 0) for value in arguments)))


# -- inside a sandbox that is a program -----------------------------------------------------------------------------

INSIDE: Final = b"+"  # what is reported first: the sandbox stands
# What the interpreter in the sandbox is told to run; its argument is the descriptor that holds the order.
BOOT: Final = (
    "import marshal, sys\n"
    "order = marshal.load(open(int(sys.argv[1]), 'rb'))\n"
    "module = {'__name__': 'child'}\n"
    "exec(order['code'], module)\n"
    "module['main'](order)\n"
)


def execute(argv: Sequence[str], env: Mapping[str, str], folders: Sequence[str]) -> None:
    """Become the program; raises the OSError that subprocess would. Unlike execvp(3) it never falls back to a shell.

    folders -- where a program without a `/` is looked for
    """
    told: OSError | None = None
    for folder in [""] if "/" in argv[0] else folders:
        try:
            os.execve(os.path.join(folder, argv[0]), list(argv), env)
        except OSError as error:
            if told is None or error.errno not in (errno.ENOENT, errno.ENOTDIR):
                told = error
    assert told is not None
    raise told


def main(order: Mapping[str, Any]) -> None:
    """Do what an order says: take the player's pipes, confine, start the program.

    What fails is reported as its errno, in digits, into the descriptor `report`, which closes when all went well. An
    empty argv is a probe: it exits with code 0. Nothing can be imported any more once `enter` has returned.
    """
    report = order["report"]
    os.set_inheritable(report, False)
    os.write(report, INSIDE)
    os.dup2(order["stdin"], 0)
    os.dup2(order["stdout"], 1)
    for descriptor in [int(name) for name in os.listdir("/proc/self/fd")]:
        if descriptor > 2 and descriptor != report:  # the order's, too
            try:
                os.close(descriptor)
            except OSError:  # the one that listed the folder
                pass
    try:
        os.chdir(order["cwd"])
        enter(Steps(**order["steps"]))
        if order["argv"]:
            execute(order["argv"], order["env"], order["folders"])
    except OSError as error:
        os.write(report, str(error.errno).encode())
        os._exit(127)
    os._exit(0)
