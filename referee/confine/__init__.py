"""What a player may touch, and what a referee process does for its own safety. Each measure says whether it holds.

Theory of operation. Two sides:

    referee_start()   what a worker does first: it dies with its parent, closes its /proc files to processes of its
                      own user (but not to root), and inherits its players' orphans so that none is left behind
    Confinement       what happens to a player between its start and its program

Always on, without privilege or program, and harmless to every honest player: a session, a clean environment, small
limits, no new privileges, death with the referee, and a Landlock domain of its own, from which a player can neither
trace nor signal the referee and the other players, nor reach their memory and descriptors; and a small seccomp filter,
behind which it cannot set their limits either. A player adopts its own orphans, so that no helper leaves its family.
As root a player has no capability but those that files need. All of that keeps nobody from files, network or memory.

`--sandbox` adds layers, each where this machine has it:

    files      nothing can be written; read can be the system, the player's toolchain, its own folder and what it is
               started with (`reach`), but never the run directory. By Landlock, or by bubblewrap's view of the system,
               which holds a private /tmp and /dev/shm of small size
    network    none: seccomp denies sockets, Landlock TCP; under bubblewrap there is no network to be found
    kernel     a seccomp filter: no tracing, namespaces, mounts, keyrings, io_uring, locks on others' files, and no
               change of other processes' limits, priorities and CPUs
    processes  a number of processes and threads. By a user namespace or a user of its own, where it is exact; else by
               the limit of the whole user, which is far off, but stops what grows without bound
    memory     a limit for each process and, by a cgroup, for all the processes of a player
    user       as root: each player is a user of its own, whom nobody else is; its files may be closed to that user,
               and then it keeps the one capability that reads them, within the files above

`--sandbox=strict` starts no player where a layer is missing.

Landlock (not its files) and limits come before bubblewrap's own process, the rest inside: `child` runs there as a
script. Sources: prctl(2), landlock(7), seccomp(2), user_namespaces(7), bwrap(1).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import marshal
import os
import pwd
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from . import bubblewrap, cgroups, child, landlock, reach, seccomp
from .child import LINUX, Steps, die_with_parent, libc, prctl
from .landlock import SCOPES_SINCE
from .landlock import abi as landlock_abi

__all__ = ["SCOPES_SINCE", "landlock_abi"]

PARENT: Final = "REFEREE_PARENT"  # the variable in which a coordinator tells a worker its pid

_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4
_PR_GET_SECCOMP: Final = 21
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_GET_CHILD_SUBREAPER: Final = 37

RLIMITS: Final[Mapping[int, int]] = MappingProxyType(
    {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_FSIZE: 64 * 1024 * 1024,
        # RLIMIT_AS is never set: Node does not start below 512 MB of it, Java not below 2 GB, and reserves more.
    }
)

OFF, ON, STRICT = LEVELS = ("off", "on", "strict")
PROCESSES_FREE: Final = 64  # processes and threads of a player; runtimes start some for each CPU
PROCESSES_A_CPU: Final = 4
PROCESSES_OF_USER: Final = 4096  # ... beside those of the user now, where no exact limit is to be had
PROBE_S: Final = 10.0  # how long the trial of a sandbox may take
SANDBOX_S: Final = 30.0  # how long a sandbox may take to stand

# Users that exist nowhere else: by the rules of systemd (systemd.io/UIDS-GIDS) nobody gives these numbers away.
_STRANGERS: Final = 0x70000000
_STRANGERS_A_PID: Final = 64
_PIDS: Final = 1 << 22
_NOBODY: Final = 65534

# What is left to root's players outside the sandbox: files of others, and becoming less.
_KEPT_OF_ROOT: Final = (0, 1, 2, 3, 4, 6, 7)  # CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID, SETGID, SETUID


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
    # The death of a parent with several threads is told once for each of them: the burials must not be cut short.
    signal.signal(signum, signal.SIG_IGN)
    raise SystemExit(128 + signum)


def hide_memory() -> bool:
    """Keep processes of the same user from reading this one's memory, environment and descriptors."""
    return prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans(wanted: bool) -> bool:
    """Become, or stop being, the parent of descendants whose own parent has died."""
    return prctl(_PR_SET_CHILD_SUBREAPER, int(wanted))


def adopts_orphans() -> bool:
    """Return whether this process is a subreaper."""
    flag = ctypes.c_int(0)
    return prctl(_PR_GET_CHILD_SUBREAPER, ctypes.addressof(flag)) and bool(flag.value)


# -- what is wanted -----------------------------------------------------------------------------------------------


class Sandbox(NamedTuple):
    """What the organiser wants of the sandbox; plain data that travels with a run.

    level     -- OFF, ON or STRICT
    user      -- as root: the name of the user that players run as; "" gives each a user of its own
    memory_mb -- MiB of memory for a player
    hidden    -- absolute paths that no player reads, wherever they lie: the run directory
    bwrap     -- the bubblewrap program; "" goes without
    """

    level: str = OFF
    user: str = ""
    memory_mb: int = 2048
    hidden: tuple[str, ...] = ()
    bwrap: str = "bwrap"

    @staticmethod
    def from_json(stored: Mapping[str, object] | None) -> Sandbox:
        """Return the sandbox that `_asdict` gave, as it comes back from JSON; nothing stored is no sandbox."""
        known = {key: value for key, value in (stored or {}).items() if key in Sandbox._fields}
        if isinstance(hidden := known.get("hidden"), list):
            known["hidden"] = tuple(hidden)
        return Sandbox(**known)  # type: ignore[arg-type]


NO_SANDBOX: Final = Sandbox()


class SandboxMissing(Exception):
    """The sandbox that was asked for cannot be had here. Its text is a sentence."""


class Obstacle(Exception):
    """A player cannot be started in its sandbox. Its text is a sentence that says why, and what would do."""


class Layers(NamedTuple):
    """What keeps players apart on this machine.

    held    -- names of measures that are in force
    open    -- what players can do to the system or to each other
    missing -- sentences: which layer of the sandbox is not to be had here, and why
    """

    level: str
    held: tuple[str, ...]
    open: tuple[str, ...]
    missing: tuple[str, ...]

    def summary(self) -> str:
        """Return one sentence on what keeps players apart from each other, the referee and the system."""
        how = "isolation" if self.level == OFF else f"isolation (sandbox {self.level})"
        text = f"{how}: {', '.join(self.held)}"
        if self.missing:
            text += f" | missing: {'; '.join(self.missing)}"
        if self.open:
            text += f" | NOT isolated: {', '.join(self.open)}."
        if self.level == OFF:
            text += " Players run with your rights: run only programs that you trust, or use --sandbox."
            if LINUX and os.geteuid() == 0:
                text += " You are root, and so are they."
        return text


# -- a player's process -------------------------------------------------------------------------------------------


class Started(NamedTuple):
    """A player's process, just started.

    child  -- the process to wait for; under bubblewrap its outer one
    inside -- pid of the player's own process, as this one sees it
    boxed  -- whether the exit code of `child` tells a signal as a shell does, as 128 and its number
    group  -- its cgroup, to be closed when it is dead
    """

    child: subprocess.Popen[bytes]
    inside: int
    boxed: bool
    group: cgroups.Cgroup | None


class Confinement:
    """What every player of one table goes through between its start and its program.

    Made once in the referee: what this machine has is found out then, by trying. Raises SandboxMissing for a user
    that does not exist and, at the level STRICT, for a layer that does not.
    """

    def __init__(
        self, sandbox: Sandbox = NO_SANDBOX, rlimits: Mapping[int, int] = RLIMITS, writable: Sequence[str] = ()
    ) -> None:
        if sandbox.level not in LEVELS:
            raise SandboxMissing(f"the sandbox is {', '.join(LEVELS)}, not {sandbox.level!r}")
        self._sandbox = sandbox
        self._boxes = sandbox.level != OFF
        self._writable = writable  # folders; no player has one, a build does
        self._abi = landlock_abi()
        self._root = LINUX and os.geteuid() == 0
        self._count = 0  # of players started
        self._limits = [(which, _at_most(which, most)) for which, most in rlimits.items()]
        self._processes = PROCESSES_FREE + PROCESSES_A_CPU * (os.cpu_count() or 1)
        self._many = 0  # the limit of processes of the whole user; counted when it is first needed
        self._user = _named_user(sandbox.user) if self._root and self._boxes else None
        self._code = compile(Path(child.__file__).read_text(), "child.py", "exec") if self._boxes else None
        self._filter = (seccomp.program() if self._boxes else seccomp.basic()) if _has_seccomp() else b""
        self._bwrap, self._no_bwrap = "", ""
        self._scope, self._no_scope = "", ""
        self._no_cgroup = ""
        if self._boxes:
            self._limits.append((resource.RLIMIT_DATA, _at_most(resource.RLIMIT_DATA, sandbox.memory_mb << 20)))
            self._look_around()
        self.layers = self._survey()
        if sandbox.level == STRICT and self.layers.missing:
            raise SandboxMissing(f"--sandbox=strict: {'; '.join(self.layers.missing)}")

    def start(
        self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], stdin: int, stdout: int, stderr: int
    ) -> Started:
        """Start a player's program with these three pipes.

        environment -- all its variables
        Raises OSError, ValueError or subprocess.SubprocessError as subprocess does, and Obstacle.
        """
        if not argv or not argv[0]:
            raise ValueError("a command needs a program")
        if any("\0" in text for text in (*argv, cwd, *environment, *environment.values())):
            raise ValueError("embedded null byte")
        self._count += 1
        if not self._boxes:
            return self._start_plain(argv, cwd, environment, stdin, stdout, stderr)
        group = self._new_group()
        try:
            if self._bwrap:
                return self._start_boxed(argv, cwd, environment, (stdin, stdout, stderr), group)
            return self._start_closed(argv, cwd, environment, (stdin, stdout, stderr), group)
        except BaseException:
            if group is not None:
                group.close()
            raise

    def hint(self, error: Exception) -> str:
        """Return what to add to the reason why a player did not start: the sandbox may be the cause."""
        if self._boxes and isinstance(error, PermissionError):
            return f" (in the sandbox, where {reach.READABLE} names what players may read beside their own folder)"
        return ""

    # -- the three ways to start ----------------------------------------------------------------------------------

    def _start_plain(
        self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], stdin: int, stdout: int, stderr: int
    ) -> Started:
        """Start a player without a sandbox."""
        ruleset = landlock.domain_only(self._abi)
        steps = self._steps(ruleset=ruleset, shed=self._root, kept=_KEPT_OF_ROOT, filter=self._filter)
        try:
            process = _popen(argv, cwd, environment, stdin, stdout, stderr, steps)
        finally:
            _close(ruleset)
        return Started(process, process.pid, False, None)

    def _start_closed(
        self,
        argv: Sequence[str],
        cwd: str,
        environment: Mapping[str, str],
        pipes: tuple[int, int, int],
        group: cgroups.Cgroup | None,
    ) -> Started:
        """Start a player behind Landlock's files and a seccomp filter."""
        user = self._next_user()
        ours = reach.Reach(argv, cwd, environment, (reach.ETC,))
        reads = user is not None and self._reads(ours, user, ("/",))
        if reads:
            ours = reach.Reach(argv, cwd, environment, reach.ETC_OPEN)
        readable = [*reach.without(ours.readable, self._sandbox.hidden), *reach.MACHINE, *reach.DEVICES_READ]
        ruleset = landlock.closed(self._abi, readable, reach.DEVICES_USED, self._writable)
        steps = self._steps(
            group,
            [self._process_limit(user)],
            shed=self._root,
            user=user,
            reads=reads,
            ruleset=ruleset,
            proc=landlock.READ,
            filter=self._filter,
        )
        try:
            process = _popen(argv, cwd, environment, *pipes, steps)
        finally:
            _close(ruleset)
        return Started(process, process.pid, False, group)

    def _start_boxed(
        self,
        argv: Sequence[str],
        cwd: str,
        environment: Mapping[str, str],
        pipes: tuple[int, int, int],
        group: cgroups.Cgroup | None,
    ) -> Started:
        """Start a player inside bubblewrap, where `child` runs as a script and then becomes the player."""
        user = self._next_user()
        ours = reach.Reach(argv, cwd, environment, (reach.ETC,))
        reads = user is not None and self._reads(ours, user, ours.readable)
        if reads:
            ours = reach.Reach(argv, cwd, environment, reach.ETC_OPEN)
        python = os.path.realpath(sys.executable)
        own = reach.Reach((python,), "/", {"PATH": "/usr/bin"}, ())
        readable = sorted({*ours.readable, *own.readable})
        words = bubblewrap.command(
            self._bwrap,
            readable,
            self._sandbox.hidden,
            ours.cwd,
            as_root=self._root,
            writable=self._writable,
        )
        ruleset = landlock.domain_only(self._abi) if self._abi >= SCOPES_SINCE else -1
        report, told = os.pipe()
        order = -1
        try:
            order = _file_of(
                code=self._code,
                argv=tuple(argv),
                env=dict(environment),
                folders=os.get_exec_path(environment),
                cwd=ours.cwd,
                stdin=pipes[0],
                stdout=pipes[1],
                report=told,
                steps={
                    "limits": (self._process_limit(user),),
                    "shed": self._root,
                    "user": user,
                    "reads": reads,
                    "filter": self._filter,
                },
            )
            words += ["--", python, "-I", "-S", "-E", "-c", child.BOOT, str(order)]
            if self._scope:
                words = [*self._scope_words(), *words]
            process = _popen(
                words,
                "/",
                self._outer_environment(),
                subprocess.DEVNULL,
                subprocess.DEVNULL,
                pipes[2],
                self._steps(group, ruleset=ruleset),
                (pipes[0], pipes[1], told, order),
            )
            os.close(told)
            told = -1
            try:
                self._wait_for_sandbox(report, process)
            except BaseException:
                process.kill()
                process.wait()
                raise
        finally:
            for descriptor in (ruleset, report, told, order):
                _close(descriptor)
        return Started(process, _inside(process.pid), True, group)

    def _wait_for_sandbox(self, report: int, process: subprocess.Popen[bytes]) -> None:
        """Wait until the program runs. Raises the OSError that its start gave, or SubprocessError of the sandbox."""
        text = b""
        deadline = time.monotonic() + SANDBOX_S
        poll = select.poll()
        poll.register(report, select.POLLIN)
        while True:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise subprocess.SubprocessError(f"the sandbox did not stand within {SANDBOX_S:g} s")
            if not (more := os.read(report, 64)):
                break
            text += more
        if not text.startswith(child.INSIDE):
            raise subprocess.SubprocessError("the sandbox did not stand")
        if number := text[len(child.INSIDE) :]:
            raise OSError(int(number), os.strerror(int(number)))

    # -- pieces ---------------------------------------------------------------------------------------------------

    def _steps(self, group: cgroups.Cgroup | None = None, limits: Sequence[tuple[int, int]] = (), **more: Any) -> Steps:
        return Steps(
            cgroups=group.joins if group is not None else (),
            limits=(*self._limits, *limits),
            parent=os.getpid() if LINUX else 0,
            **more,
        )

    def _process_limit(self, user: tuple[int, int] | None) -> tuple[int, int]:
        """Return the limit of processes: exact, where the count is the player's alone."""
        if self._counts_alone(user):
            return resource.RLIMIT_NPROC, _at_most(resource.RLIMIT_NPROC, self._processes)
        self._many = self._many or _processes_of_user() + PROCESSES_OF_USER
        return resource.RLIMIT_NPROC, _at_most(resource.RLIMIT_NPROC, self._many)

    def _counts_alone(self, user: tuple[int, int] | None) -> bool:
        """Return whether the kernel counts a player's processes apart from those of anybody else."""
        return bool(self._bwrap and not self._root) or (user is not None and user[0] >= _STRANGERS)

    def _next_user(self) -> tuple[int, int] | None:
        """Return the user and group that the next player becomes; None stays what we are."""
        if not self._root:
            return None
        if self._user is not None:
            return None if self._user[0] == 0 else self._user
        uid = _STRANGERS + os.getpid() % _PIDS * _STRANGERS_A_PID + self._count % _STRANGERS_A_PID
        return (uid, uid) if _exists(uid) else (_NOBODY, _NOBODY)

    def _reads(self, ours: reach.Reach, user: tuple[int, int], tops: Sequence[str]) -> bool:
        """Return whether a player has to keep the right to read closed files. Raises Obstacle if that is no help."""
        for path in dict.fromkeys((*ours.needed, ours.cwd)):
            part = reach.closed_to(*user, path, tops)
            if not part or not os.path.exists(path):
                continue
            mend = "open it ('chmod o+rX'), or name a user that may read it with --sandbox-user"
            who = f"the user of its own (number {user[0]}) that a player has when the referee runs as root"
            if not (self._bwrap or self._abi >= landlock.FILES_SINCE):
                raise Obstacle(f"'{part}' is closed to {who}, and nothing here would keep it to its own files: {mend}")
            if not reach.only_unreadable(*user, path):
                raise Obstacle(f"'{path}' may not be executed by {who}: {mend}")
            return True
        return False

    def _new_group(self) -> cgroups.Cgroup | None:
        if self._no_cgroup:
            return None
        try:
            return cgroups.Cgroup(
                _group_name(), self._sandbox.memory_mb << 20, self._processes + 2
            )  # two are bubblewrap's
        except cgroups.NoCgroup as error:  # there were some before: no fault of the player's
            raise OSError(errno.EAGAIN, f"no cgroup could be made: {error}") from error

    def _scope_words(self) -> list[str]:
        """Return the words that put what follows into a cgroup of systemd's making."""
        memory = f"MemoryMax={self._sandbox.memory_mb}M"
        limits = ["-p", memory, "-p", "MemorySwapMax=0", "-p", f"TasksMax={self._processes + 2}"]
        return [self._scope, "--user", "--scope", "--quiet", "--collect", *limits, "--"]

    def _outer_environment(self) -> dict[str, str]:
        """Return the variables of the sandbox program itself; the player does not see them."""
        names = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS") if self._scope else ("PATH",)
        return {name: os.environ[name] for name in names if name in os.environ}

    # -- what this machine has ------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """Find out, by trying, which layers beyond the kernel's own calls are to be had."""
        cgroups.remove_stale()
        try:
            cgroups.Cgroup(_group_name(), self._sandbox.memory_mb << 20, self._processes).close()
        except OSError as error:
            self._no_cgroup = str(error) or "none"
        found = shutil.which(self._sandbox.bwrap) if self._sandbox.bwrap else None
        if found is None:
            self._no_bwrap = "bubblewrap is not installed" if self._sandbox.bwrap else "bubblewrap is not to be used"
            return
        self._bwrap = found
        if reason := self._try():
            self._bwrap, self._no_bwrap = "", f"bubblewrap does not work here ({reason})"
            if "uid map" in reason or "user namespace" in reason or "Operation not permitted" in reason:
                self._no_bwrap += "; Ubuntu 24.04 and later need its AppArmor profile, containers the right to unshare"
            return
        scope = shutil.which("systemd-run") if self._no_cgroup and not self._root else None
        if scope and "XDG_RUNTIME_DIR" in os.environ:
            self._scope = scope
            if reason := self._try():
                self._scope, self._no_scope = "", reason

    def _try(self) -> str:
        """Start the sandbox around nothing; return why that fails, or ""."""
        before = _children()
        empty = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        errors, writing = os.pipe()
        try:
            started = self._start_boxed((), "/", {"PATH": os.defpath}, (empty, empty, writing), None)
            code = started.child.wait(PROBE_S)
            return "" if code == 0 else f"exit code {code}"
        except (OSError, subprocess.SubprocessError) as error:
            os.close(writing)
            writing = -1
            said = os.read(errors, 4096).decode("ascii", "backslashreplace").strip().splitlines()
            return said[-1] if said else str(error)
        finally:
            for descriptor in (empty, errors, writing):
                _close(descriptor)
            for pid in _children() - before:  # bubblewrap's inner process comes to a subreaper
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _survey(self) -> Layers:
        held = ["session", "rlimits"]
        if LINUX:
            held += ["no-new-privs", "dies-with-referee"]
        if self._filter and not self._boxes:
            held.append("own-limits-only")
        if self._abi >= (SCOPES_SINCE if self._bwrap else landlock.DOMAIN_SINCE):  # others forbid bubblewrap's mounts
            held.append(f"landlock-domain (ABI {self._abi})")
        if LINUX and libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0:
            held.append("referee-not-dumpable")
        if adopts_orphans():
            held.append("subreaper")
        if self._root:
            held.append("few-capabilities" if not self._boxes else "no-capabilities")
        left = self._left_open()
        if not self._boxes:
            return Layers(OFF, tuple(held), (*left, "files", "network", "memory", "number of processes"), ())
        return Layers(self._sandbox.level, (*held, *self._boxed_layers()), tuple(left), tuple(self._lacking()))

    def _left_open(self) -> list[str]:
        """Return what the measures that are always on leave open, on this kernel."""
        if not LINUX:
            return [f"nearly everything on {sys.platform}"]
        if self._bwrap:
            return []
        if self._abi < landlock.DOMAIN_SINCE:
            return ["other players' memory and signals (this kernel has no Landlock of use)"]
        return [] if self._abi >= SCOPES_SINCE else ["signals to other players"]

    def _boxed_layers(self) -> Iterator[str]:
        if self._bwrap:
            yield f"bubblewrap ({_version(self._bwrap)}: files, network, processes)"
        elif self._abi >= landlock.FILES_SINCE:
            yield "landlock files" + (" and TCP" if self._abi >= landlock.NETWORK_SINCE else "")
        if self._filter:
            yield "seccomp (no sockets)"
        user = self._next_user()
        if user is not None:
            yield f"user {self._sandbox.user} ({user[0]})" if self._user else "a user of its own for each player"
        if self._counts_alone(user) or not self._no_cgroup:
            yield f"{self._processes} processes"
        else:
            yield f"{PROCESSES_OF_USER} processes more than the user has"
        limited = "by cgroup" if not self._no_cgroup else "by systemd scope" if self._scope else "a process"
        yield f"{self._sandbox.memory_mb} MiB of memory {limited}"

    def _lacking(self) -> Iterator[str]:
        """Yield a sentence for each layer that is missing."""
        if not LINUX:
            yield f"no layer of the sandbox exists on {sys.platform}"
            return
        if self._abi < SCOPES_SINCE:
            yield f"Landlock with signals, which Linux 6.12 brings (this kernel offers ABI {self._abi}, not 6)"
        if not self._filter:
            yield f"seccomp on the machine {os.uname().machine}"
        if self._no_bwrap:
            yield self._no_bwrap
        user = self._next_user()
        if self._root and user is None:
            yield "the players run as root"
        if self._no_cgroup and not self._counts_alone(user):
            yield "a limit of processes for each player"


def summary(sandbox: Sandbox = NO_SANDBOX) -> str:
    """Return one sentence on what keeps players apart from each other, the referee and the system."""
    return Confinement(sandbox).layers.summary()


# -- what the system is asked --------------------------------------------------------------------------------------


def _popen(
    argv: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
    steps: Steps,
    descriptors: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    def enter() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        try:
            child.enter(steps)
        except OSError as error:  # subprocess tells the parent no more than that there was one
            os.write(2, f"not confined: {error}\n".encode())
            raise

    return subprocess.Popen(
        list(argv),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
        env=dict(environment),
        start_new_session=True,
        preexec_fn=enter,
        pass_fds=descriptors,
    )


def _at_most(which: int, most: int) -> int:
    """Return the limit for a player: `most`, or what this process may give if that is less."""
    hard = resource.getrlimit(which)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def _group_name() -> str:
    return f"referee-{os.getpid()}-{os.urandom(4).hex()}"


def _has_seccomp() -> bool:
    """Return whether this kernel has seccomp; in a container this process may be under a filter already."""
    return LINUX and libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def _file_of(**order: Any) -> int:
    """Return a descriptor from which an order can be read with marshal: both ends are the same interpreter."""
    descriptor = os.memfd_create("referee-order")
    with open(descriptor, "wb", closefd=False) as file:
        marshal.dump(order, file)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _children(pid: int = 0) -> set[int]:
    """Return the children of a process's first thread; of this one unless told otherwise."""
    pid = pid or os.getpid()
    try:
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return set()


def _inside(pid: int) -> int:
    """Return the pid of the player under bubblewrap's two processes, or as near to it as can be told."""
    for _ in range(2):
        children = _children(pid)
        if len(children) != 1:
            break
        (pid,) = children
    return pid


def _named_user(name: str) -> tuple[int, int] | None:
    """Return the uid and gid of a user; None for no name. Raises SandboxMissing."""
    if not name:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise SandboxMissing(f"there is no user {name!r} for players to run as") from None
    return entry.pw_uid, entry.pw_gid


def _exists(uid: int) -> bool:
    """Return whether a uid can be had: a container may know few."""
    try:
        lines = Path("/proc/self/uid_map").read_text().splitlines()
    except OSError:
        return True
    return any(int(first) <= uid < int(first) + int(count) for first, _, count in map(str.split, lines))


def _processes_of_user() -> int:
    """Return how many processes and threads this process's user has now."""
    uid, count = os.geteuid(), 0
    for entry in os.listdir("/proc") if LINUX else ():
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{entry}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{entry}/task"))
    return count


def _version(program: str) -> str:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=PROBE_S)
        return said.stdout.split()[-1]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "of unknown version"
