"""Play a run's jobs on the workers of a Dask cluster, through distributed's own Executor.

Theory of operation. Nothing here schedules, retries or moves data: distributed does all of it. A job is played on a
Dask worker just as here, by `python -m referee.worker`, and what comes back is committed here by the one writer, so a
run gives the same bytes on a cluster as on one machine. A Dask worker that is lost has its jobs played elsewhere by
distributed itself; a job that brings down worker after worker is given up by distributed and then by `tournament.run`.
While no worker is left distributed waits in silence: a thread looks after them and says so. When the scheduler is gone
everything that ran is cancelled, and that ends the run.

Paths mean nothing on another machine. So a player travels as what it came from (`Ware`):

    builtin   by its name
    files     a program, a source file or a folder, as its bytes: they go once to each worker, also to one that joins
              later (a worker plugin does that), are kept in its cache folder under their SHA-256, and are resolved
              there like a word of the command line: source files are built there, on first use
    command   a quoted command, as it is: its program and files must be on the workers

Dask's own rule holds: whoever reaches a scheduler may run anything on its workers. Use a network that you trust, or
Dask's TLS.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import hashlib
import importlib
import json
import logging
import os
import shutil
import socket
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from referee import __version__, confine
from referee.launch import LaunchError, Player, cache_folder, data_folder, resolve
from referee.process import Command, WorkerDied
from referee.tournament import Crew, CrewLost, Entry, preflight, run_preflight, run_task
from referee.words import counted

CONNECT_S: Final = 10  # seconds to find the scheduler, and then a worker
LOOK_S: Final = 2  # seconds between two looks at who is there
ALONE_LOOKS: Final = 3  # looks without any worker before it is said: one that is started again is back by then
PARCEL_MOST: Final = 256 * 1024 * 1024  # bytes of one player
LEFT_OUT: Final = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", "node_modules"})  # folders not shipped
LOGGERS: Final = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
GONE: Final = (OSError, asyncio.CancelledError, concurrent.futures.CancelledError)  # raised when a scheduler is gone


class NoCluster(Exception):
    """There is no cluster to play on, or it is not fit for it. Its text is a sentence."""


class Unprepared(CrewLost):
    """A worker cannot start a player that others can. Its text is a sentence."""


class Ware(NamedTuple):
    """A player as it travels.

    kind   -- see the top of this module
    name   -- str, of the player; in sentences
    word   -- the built-in name; the name of the file or folder
    digest -- SHA-256 of the parcel, hex
    argv, cwd, env -- how it starts here; of a command also there
    """

    kind: Literal["builtin", "files", "command"]
    name: str
    word: str
    digest: str
    argv: tuple[str, ...]
    cwd: str
    env: tuple[tuple[str, str], ...]


class Parcel(NamedTuple):
    """The files of a player: (path within the parcel, whether it is executable, bytes), in order."""

    files: tuple[tuple[str, bool, bytes], ...]

    def digest(self) -> str:
        """Return the name under which it is kept, 64 hex digits."""
        seen = hashlib.sha256()
        for path, executable, content in self.files:
            seen.update(f"{len(path.encode())} {executable:d} {len(content)}\n".encode() + path.encode() + content)
        return seen.hexdigest()


# -- here


def pack(name: str, source: str, command: Command) -> tuple[Ware, Parcel | None]:
    """Return a player as it travels, and the parcel that must travel with it.

    source -- what the player came from, see launch.Player
    Raises NoCluster when its files cannot be read, or are too many.
    """
    path = Path(source)
    env = tuple(sorted(command.env.items()))
    ware = Ware("command", name, "", "", tuple(command.argv), command.cwd, env)
    if not path.is_absolute() or not path.exists():
        return ware, None
    if path.parent == data_folder("clients"):
        return ware._replace(kind="builtin", word=path.stem), None
    if command.cwd != str(path if path.is_dir() else path.parent):
        return ware, None  # the configuration chose another folder: a matter of that machine
    try:
        parcel = Parcel(tuple(_files(path)))
    except OSError as error:
        raise NoCluster(f"{name} cannot be sent to the workers: {error}") from None
    size = sum(len(content) for _, _, content in parcel.files)
    if size > PARCEL_MOST:
        raise NoCluster(f"{name} is too large to be sent to the workers: {size:,} bytes, of {PARCEL_MOST:,} at most")
    return ware._replace(kind="files", word=path.name, digest=parcel.digest()), parcel


def _files(path: Path) -> Iterator[tuple[str, bool, bytes]]:
    if path.is_file():
        yield path.name, os.access(path, os.X_OK), path.read_bytes()
        return
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(set(inner) - LEFT_OUT)
        for file in sorted(Path(folder, name) for name in names):
            if file.is_file():  # no socket, no dangling link
                yield str(file.relative_to(path.parent)), os.access(file, os.X_OK), file.read_bytes()


class Cluster:
    """A Dask cluster that has been found fit. Use `connect`."""

    def __init__(self, client: Any, address: str, note: Callable[[str], None]) -> None:
        self._client = client
        self._address = address
        self._note = note
        self._executor = client.get_executor(pure=False)
        self._wares: dict[str, Ware] = {}
        self._plugins: list[str] = []
        self._cannot: dict[str, str] = {}

    def preflight(
        self,
        players: Sequence[Player],
        start_ms: int,
        *,
        sandbox: Mapping[str, Any] | None = None,
        told: Callable[[str], object] = lambda sentence: None,
    ) -> list[tuple[tuple[str, ...] | None, str]]:
        """Do on a worker what tournament.preflight does here."""
        self._ship([(player.name, player.source, player.command) for player in players], sandbox)
        able = [player for player in players if player.name not in self._cannot]
        perform = functools.partial(greet, wares=self._wares)

        def elsewhere(job: str) -> str:
            return str(self._executor.submit(perform, job).result())

        checked = iter(preflight(able, start_ms, elsewhere, sandbox=sandbox, told=told))
        return [
            (None, self._cannot[player.name]) if player.name in self._cannot else next(checked) for player in players
        ]

    @contextmanager
    def crew(self, entries: Sequence[Entry], jobs: int, sandbox: Mapping[str, Any] | None = None) -> Iterator[Crew]:
        """Yield the crew of the cluster.

        entries -- the players of the plan
        jobs    -- int, matches at once; 0: as many as the workers have threads
        sandbox -- that of the plan
        Raises CrewLost when the scheduler is gone.
        """
        if not self._wares:
            self._ship(
                [(entry.name, entry.source, Command(entry.argv, entry.cwd, dict(entry.env))) for entry in entries],
                sandbox,
            )
            if self._cannot:
                raise NoCluster(next(iter(self._cannot.values())))
        workers = self._client.nthreads()
        threads = sum(workers.values())
        self._note(f"playing on {counted(len(workers), 'Dask worker')}, {counted(jobs or threads, 'match')} at once")
        killed = importlib.import_module("distributed").scheduler.KilledWorker
        lost = (WorkerDied, killed)
        try:
            yield Crew(self._executor, jobs or 2 * threads, functools.partial(play, wares=self._wares), lost)
        except CrewLost as error:
            if self._client.status == "running" or isinstance(error, Unprepared):
                raise
            raise CrewLost(f"{gone(self._address)}; what was finished is kept") from None

    def look_after(self, ended: threading.Event) -> None:
        """Say when no worker has been there for some seconds, and when there is one again; returns when it is over."""
        alone = 0
        while not ended.wait(LOOK_S):
            workers = self._workers()
            if workers is None or ended.is_set():
                continue
            if workers and alone >= ALONE_LOOKS:
                self._note(
                    f"the run goes on: {counted(workers, 'Dask worker')} {'is' if workers == 1 else 'are'} there"
                )
            alone = 0 if workers else alone + 1
            if alone == ALONE_LOOKS:
                self._note(
                    f"no Dask worker is left: the run waits for one (dask worker {self._address}); Ctrl-C twice stops"
                    " it, and referee resume goes on"
                )

    def _workers(self) -> int | None:
        """Return how many workers there are; None when the scheduler does not say."""
        with suppress(*GONE, RuntimeError):
            return len(self._client.nthreads())
        return None

    def close(self) -> None:
        """Give up what runs and what was sent."""
        if self._client.status == "running":
            self._executor.shutdown(wait=False)
            for plugin in self._plugins:
                self._client.unregister_worker_plugin(plugin)

    def _ship(self, players: Sequence[tuple[str, str, Command]], sandbox: Mapping[str, Any] | None) -> None:
        """Send the players to all workers and have them prepared there."""
        wares, kept = self._wares, _sandbox_of_builds(sandbox)
        parcels: dict[str, Parcel] = {}
        for name, source, command in players:
            ware, parcel = pack(name, source, command)
            wares[key_of(ware.argv, ware.cwd)] = ware
            if parcel is not None:
                parcels[ware.digest] = parcel
        if parcels:
            plugin = _plugin(parcels)
            self._plugins.append(plugin.name)
            self._client.register_plugin(plugin)
        workers = list(self._client.nthreads())
        asked = [
            self._client.submit(prepare_all, tuple(wares.values()), kept, workers=[worker], pure=False)
            for worker in workers
        ]
        refusals: dict[str, dict[str, str]] = {}
        for worker, answer in zip(workers, self._client.gather(asked), strict=True):
            for name, reason in answer.items():
                refusals.setdefault(name, {})[worker] = reason
        for name, reasons in refusals.items():
            worker, reason = next(iter(reasons.items()))
            if len(reasons) < len(workers):
                raise NoCluster(f"{name} can be started on some workers, but not on {worker}: {reason}")
            self._cannot[name] = reason


def _plugin(parcels: Mapping[str, Parcel]) -> Any:
    """Return a worker plugin that unpacks the parcels on every worker, those that join later too."""
    base: Any = importlib.import_module("distributed.diagnostics.plugin").WorkerPlugin

    class Shipment(base):  # type: ignore[misc]  # distributed is imported only when a cluster is asked for
        name = f"referee-players-{uuid.uuid4().hex}"

        def setup(self, worker: Any) -> None:
            for parcel in parcels.values():
                unpack(parcel)

    return Shipment()


@contextmanager
def connect(address: str, note: Callable[[str], None]) -> Iterator[Cluster]:
    """Yield the cluster whose scheduler has this address, such as tcp://host:8786.

    note -- is told what the organiser should know
    Raises NoCluster when it is not there, has no worker, or its workers have not this version of referee.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise NoCluster("--cluster needs Dask: pip install 'referee[cluster]', here and on the workers") from None
    _silence()
    try:
        asyncio.run(_knock(address))  # a client that cannot connect takes half a minute to give up
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise NoCluster(
            f"no Dask scheduler answers at {address or 'an empty address'} ({_without_stop(error)});"
            " an address looks like tcp://host:8786"
        ) from None
    try:
        _check(client, address)
        cluster = Cluster(client, address, note)
        ended = threading.Event()
        threading.Thread(target=cluster.look_after, args=(ended,), name="cluster", daemon=True).start()
        try:
            yield cluster
        finally:
            ended.set()
            cluster.close()
    except GONE:
        if client.status == "running":
            raise
        raise NoCluster(gone(address)) from None
    finally:
        with suppress(*GONE):
            client.close(timeout=2)


def gone(address: str) -> str:
    """Return the sentence, without its full stop, on a scheduler that was there a moment ago."""
    return f"the Dask scheduler at {address} is gone"


def _without_stop(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__


def _silence() -> None:
    """Keep distributed and what is under it from writing: what matters of it is told in sentences."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


async def _knock(address: str) -> None:
    """Connect to a scheduler once. Raises OSError when nobody answers, ValueError when that is no address."""
    distributed = importlib.import_module("distributed")
    words = distributed.Security().get_connection_args("client")
    comm = await distributed.comm.connect(address, timeout=CONNECT_S, **words)
    comm.abort()


def _check(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        raise NoCluster(f"the scheduler at {address} has no workers; start some: dask worker {address}") from None
    for worker, version in client.run(_version_there()).items():
        if version != __version__:
            found = f"version {version}" if version else "none"
            raise NoCluster(
                f"the worker {worker} needs referee {__version__}, as here, and has {found}:"
                f" pip install 'referee[cluster]=={__version__}' there"
            )


def _version_there() -> Callable[[], str | None]:
    """Return a function that tells the version of referee on a worker, None without one.

    It is made here because distributed sends what is local as code, and what a module has as the module's name.
    """

    def version() -> str | None:
        try:
            found: str = importlib.import_module("referee").__version__
        except ImportError:
            return None
        return found

    return version


# -- on a worker


def key_of(argv: Sequence[str], cwd: str) -> str:
    """Return by what a job's player is found among the wares."""
    return "\0".join([cwd, *argv])


def play(job: str, wares: Mapping[str, Ware]) -> str:
    """Play a job with the players as they are started on this machine; see tournament.run_task."""
    return run_task(_translated(job, "players", wares))


def greet(job: str, wares: Mapping[str, Ware]) -> str:
    """Run the job of a preflight with the players as they are started on this machine."""
    return run_preflight(_translated(job, "preflight", wares))


def _translated(job: str, players: str, wares: Mapping[str, Ware]) -> str:
    """Return a job whose players start as they do on this machine."""
    asked = json.loads(job)
    sandbox = _sandbox_of_builds(asked.get("sandbox"))
    for player in asked[players]:
        ware = wares[key_of(player["argv"], player["cwd"])]
        try:
            command = prepare(ware, sandbox)
        except (LaunchError, confine.SandboxMissing) as error:
            raise Unprepared(f"{ware.name} cannot be started on {socket.gethostname()}: {error}") from None
        # No `files`: those are watched by their paths here, and what was shipped does not change.
        player.update(argv=command.argv, cwd=command.cwd, env=dict(command.env), files={})
    return json.dumps(asked)


def _sandbox_of_builds(stored: Mapping[str, Any] | None) -> confine.Sandbox:
    """Return the sandbox of a plan or a job as far as builds are concerned: the run directory is another machine's."""
    return confine.Sandbox.from_json(stored)._replace(hidden=())


def prepare_all(wares: Sequence[Ware], sandbox: confine.Sandbox = confine.NO_SANDBOX) -> dict[str, str]:
    """Prepare players on this worker; return for those that cannot be the reason why."""
    reasons = {}
    for ware in wares:
        try:
            prepare(ware, sandbox)
        except (LaunchError, confine.SandboxMissing) as error:
            reasons[ware.name] = str(error)
    return reasons


@functools.lru_cache(maxsize=4096)
def prepare(ware: Ware, sandbox: confine.Sandbox = confine.NO_SANDBOX) -> Command:
    """Return how a player is started on this machine; a source file has been built then, in this sandbox.

    Raises LaunchError and SandboxMissing.
    """
    env = dict(ware.env)
    if ware.kind == "builtin":
        return resolve(ware.word).command._replace(env=env)
    if ware.kind == "files":
        path = _shelf() / ware.digest / ware.word
        if not path.exists():
            raise LaunchError(f"its files have not come to {path.parent}.")
        return resolve(str(path), sandbox=sandbox).command._replace(env=env)
    program, *words = ware.argv
    found = program if os.access(program, os.X_OK) else shutil.which(os.path.basename(program))
    if found is None:
        raise LaunchError(f"there is no program {program}, and no {os.path.basename(program)} on PATH.")
    if ware.cwd and not os.path.isdir(ware.cwd):
        raise LaunchError(f"there is no folder {ware.cwd}, where it is to run.")
    return Command((found, *words), ware.cwd, env)


def _shelf() -> Path:
    return cache_folder() / "shipped"


def unpack(parcel: Parcel) -> Path:
    """Keep a parcel's files on this machine and return the folder that holds them; it appears by one rename."""
    kept = _shelf() / parcel.digest()
    if kept.is_dir():
        return kept
    _shelf().mkdir(mode=0o700, parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="new-", dir=_shelf()))
    try:
        for name, executable, content in parcel.files:
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if executable else 0o644)
        try:
            work.rename(kept)
        except OSError:
            if not kept.is_dir():  # else another worker of this machine was quicker
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return kept
