"""The run directory: one SQLite file that holds all of a run, written by one process.

    DIR/run.sqlite    everything; the schema is below
    DIR/run.lock      held (flock) by the referee that is writing
    DIR/seed          the master seed while the run goes on, mode 0600; moved into run.sqlite at the end

Theory of operation. WAL with synchronous=FULL: a result is announced after its COMMIT, so `kill -9` and a power cut
lose nothing announced. A match is a row keyed by (task, block), so a result that comes twice is refused by the key,
and what remains to be played is the schedule minus the rows. A failed write is never retried: the run stops.

A match that is played again does not vanish: its first row moves to `superseded`.

WAL needs memory that all readers share, which a network file system does not give. There the journal is an ordinary
one, slower and as safe as that file system's own promises.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = 1
DATABASE = "run.sqlite"

_TABLES = """
CREATE TABLE meta (
    key    TEXT PRIMARY KEY,   -- schema, version, config, commitment, state, seed (once the run is over), notes
    value  TEXT NOT NULL       -- JSON
) WITHOUT ROWID;
CREATE TABLE match (
    task    INTEGER NOT NULL,  -- index of the task in the schedule
    block   INTEGER NOT NULL,
    result  TEXT NOT NULL,     -- JSON: what statistics need (see ratings.Result)
    record  BLOB NOT NULL,     -- the record's text, zlib
    timings BLOB NOT NULL,     -- JSON, zlib: [seat, wall, cpu, wait, charge] per answer, ms
    notes   TEXT NOT NULL,     -- JSON: what is no part of the record, see Row
    PRIMARY KEY (task, block)
) WITHOUT ROWID;
"""
# Made when it is first needed, so that a run of an earlier version may be played again, too.
_SUPERSEDED = """
CREATE TABLE IF NOT EXISTS superseded (
    task INTEGER NOT NULL, block INTEGER NOT NULL, result TEXT NOT NULL, record BLOB NOT NULL, timings BLOB NOT NULL,
    notes TEXT NOT NULL        -- the columns of match. A match may be here more than once
);
"""
# File systems of other machines, as /proc/self/mountinfo calls them.
_NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ceph fuse.sshfs fuse.glusterfs fuse.ceph glusterfs lustre gpfs beegfs ocfs2 gfs2"
    " fuse.s3fs fuse.gcsfuse fuse.rclone davfs fuse.davfs2 vboxsf prl_fs virtiofs".split()
)


class StoreError(Exception):
    """The run directory cannot be used, or a write failed. Its text is a sentence."""


class WrongFolder(StoreError):
    """The folder that was named is no run directory, or cannot become one. Its text is a sentence."""


class Row(NamedTuple):
    """One finished match, as it is stored.

    task, block -- the match's place in the schedule
    result      -- what statistics need, JSON values
    record      -- the record's text
    timings     -- [seat, wall, cpu, wait, charge] per answer, ms
    notes       -- what is no part of the record, where there is any:
                   asked, heard, stderr -- of a player that faulted, per seat: the request, what came back, its errors
                   again       -- why the match was played again at once, a sentence a time
                   changed     -- seats whose program was not the one that began the run
                   overran     -- per seat, late answers that the grace forgave
                   pondered_ms -- per seat, CPU time used while others moved
                   measured_ms, waited_ms -- wall time of all answers above a millisecond; how much of it was waiting
    """

    task: int
    block: int
    result: Mapping[str, Any]
    record: str
    timings: list[list[float]]
    notes: Mapping[str, Any]


class Store:
    """An open run directory. Use `create`, `resume` or `read` to open one, and as a context manager to close it."""

    def __init__(self, folder: Path, database: sqlite3.Connection, lock: int | None) -> None:
        self.folder = folder
        self.warning = _warning(folder) if lock is not None else ""  # a sentence, or ""
        self._db = database
        self._lock = lock

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        try:
            if self._lock is not None:
                with _sentences(self.folder):
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._db.close()
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    # -- the run as a whole

    def meta(self, key: str) -> Any:
        """Return a value of the run, or None when it has none of that name."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_meta(self, **values: Any) -> None:
        """Write values of the run in one transaction; raise StoreError when that fails."""
        with _sentences(self.folder), self._db:
            rows = [(key, json.dumps(value)) for key, value in values.items()]
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def master_seed(self) -> bytes:
        """Return the master seed, from its file during a run and from the database after it."""
        if published := self.meta("seed"):
            return bytes.fromhex(published)
        try:
            return bytes.fromhex((self.folder / "seed").read_text())
        except (OSError, ValueError) as error:
            raise StoreError(f"the master seed of {self.folder} cannot be read: {error}") from None

    def publish_seed(self) -> None:
        """Put the master seed into the database, where `verify` finds it, and remove its file: the run is over."""
        self.set_meta(seed=self.master_seed().hex(), state="finished")
        (self.folder / "seed").unlink(missing_ok=True)

    # -- matches

    def append(self, rows: Iterable[Row]) -> None:
        """Commit matches, all or none; raise StoreError when they could not be, and never try again."""
        values = [
            (
                row.task,
                row.block,
                json.dumps(row.result, separators=(",", ":")),
                zlib.compress(row.record.encode()),
                zlib.compress(json.dumps(row.timings, separators=(",", ":")).encode()),
                json.dumps(row.notes),
            )
            for row in rows
        ]
        with _sentences(self.folder), self._db:
            self._db.executemany("INSERT INTO match VALUES (?, ?, ?, ?, ?, ?)", values)

    def done(self) -> set[tuple[int, int]]:
        """Return (task, block) of every match in the store."""
        return set(self._db.execute("SELECT task, block FROM match"))

    def count(self) -> int:
        """Return the number of matches in the store."""
        return int(self._db.execute("SELECT count(*) FROM match").fetchone()[0])

    def results(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield (task, block, result) of every match in schedule order, without its record."""
        for task, block, result in self._db.execute("SELECT task, block, result FROM match ORDER BY task, block"):
            yield task, block, json.loads(result)

    def rows(self, *, whole: bool = True) -> Iterator[Row]:
        """Yield every match in schedule order, one at a time; without its record and timings unless `whole`."""
        if whole:
            cursor = self._db.execute("SELECT * FROM match ORDER BY task, block")
            yield from (_row(values) for values in cursor)
            return
        cursor = self._db.execute("SELECT task, block, result, notes FROM match ORDER BY task, block")
        for task, block, result, notes in cursor:
            yield Row(task, block, json.loads(result), "", [], json.loads(notes))

    def row(self, number: int) -> Row | None:
        """Return match `number` of the schedule order, from 0, or None when there are fewer."""
        cursor = self._db.execute("SELECT * FROM match ORDER BY task, block LIMIT 1 OFFSET ?", (number,))
        values = cursor.fetchone()
        return None if values is None else _row(values)

    def row_of(self, task: int, block: int) -> Row | None:
        """Return the match of a task and block, or None when it is not finished."""
        cursor = self._db.execute("SELECT * FROM match WHERE task = ? AND block = ?", (task, block))
        values = cursor.fetchone()
        return None if values is None else _row(values)

    def result_of(self, task: int, block: int) -> dict[str, Any] | None:
        """Return the result of a match without its record, or None when it is not finished."""
        cursor = self._db.execute("SELECT result FROM match WHERE task = ? AND block = ?", (task, block))
        found = cursor.fetchone()
        result: dict[str, Any] | None = None if found is None else json.loads(found[0])
        return result

    def version(self) -> int:
        """Return a number that changes whenever another connection has committed; cheap, for who follows a run."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def supersede(self, keys: Iterable[tuple[int, int]]) -> None:
        """Move matches to where they count no more, so that they are played again; all or none."""
        gone = list(keys)
        with _sentences(self.folder), self._db:
            self._db.execute("BEGIN")
            self._db.execute(_SUPERSEDED)
            self._db.executemany("INSERT INTO superseded SELECT * FROM match WHERE task = ? AND block = ?", gone)
            self._db.executemany("DELETE FROM match WHERE task = ? AND block = ?", gone)

    def superseded(self) -> list[Row]:
        """Return the matches that were played again, as they were, in schedule order."""
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'superseded'").fetchone():
            return []
        return [_row(values) for values in self._db.execute("SELECT * FROM superseded ORDER BY task, block, rowid")]

    def noted(self, key: str) -> Iterator[tuple[int, dict[str, Any], Any]]:
        """Yield (number, result, note) of the matches that have a note of this name, in schedule order."""
        cursor = self._db.execute("SELECT result, notes FROM match ORDER BY task, block")
        for number, (result, notes) in enumerate(cursor):
            if f'"{key}":' in notes:
                yield number, json.loads(result), json.loads(notes)[key]

    def waited(self) -> tuple[float, float]:
        """Return the wall time of all measured answers, and how much of it was waiting for a CPU, in ms."""
        sums = (0.0, 0.0)
        for (notes,) in self._db.execute("SELECT notes FROM match"):
            if '"measured_ms":' in notes:
                noted = json.loads(notes)
                sums = sums[0] + noted["measured_ms"], sums[1] + noted.get("waited_ms", 0)
        return sums


def _row(values: tuple[Any, ...]) -> Row:
    task, block, result, record, timings, notes = values
    return Row(
        task,
        block,
        json.loads(result),
        zlib.decompress(record).decode(),
        json.loads(zlib.decompress(timings)),
        json.loads(notes),
    )


@contextmanager
def _sentences(folder: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise into StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            f"{folder / DATABASE} could not be written: {error}. Nothing that was announced is lost; "
            f"make room or mend the disk, then run: referee resume {folder}"
        ) from error


def create(folder: Path, master: bytes, **meta: Any) -> Store:
    """Make a run directory and open it for writing. Raises StoreError when one is there already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if others := sorted(
            entry.name for entry in folder.iterdir() if entry.name.split(".")[0] not in ("run", "seed")
        ):
            raise WrongFolder(f"{folder} is no folder for a run: it holds {others[0]}; name a new one with --out")
        lock = _take_lock(folder)
        if (folder / DATABASE).exists() and not _never_begun(folder):
            os.close(lock)
            raise WrongFolder(
                f"{folder} holds a run already; resume it (referee resume {folder}) or name another --out"
            )
        handle = os.open(folder / "seed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(master.hex())
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(folder)
    except OSError as error:
        raise StoreError(f"the run directory {folder} cannot be made: {error}") from None
    # The tables and the first values come into being in one transaction, so a run killed here holds nothing yet.
    database = _open(folder, "rwc")
    with _sentences(folder), database:
        database.execute("BEGIN")
        for statement in _TABLES.split(";"):
            database.execute(statement)
        rows = [(key, json.dumps(value)) for key, value in {"schema": SCHEMA, "state": "running", **meta}.items()]
        database.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    return Store(folder, database, lock)


def resume(folder: Path) -> Store:
    """Open a run directory for writing. Raises StoreError when there is no run, or another referee is writing."""
    _must_exist(folder)
    store = Store(folder, _open(folder, "rw"), _take_lock(folder))
    return _checked(store)


def read(folder: Path) -> Store:
    """Open a run directory for reading, also while it is being written."""
    _must_exist(folder)
    return _checked(Store(folder, _open(folder, "ro"), None))


def _must_exist(folder: Path) -> None:
    if not (folder / DATABASE).is_file():
        raise WrongFolder(f"{folder} is no run directory: it has no {DATABASE}")


def _never_begun(folder: Path) -> bool:
    """Remove what a referee left that was killed before its first transaction; return False when there is a run."""
    try:
        database = _open(folder, "ro")
        begun = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
        database.close()
    except (StoreError, sqlite3.Error):
        return False
    if not begun:
        for ending in ("", "-wal", "-shm", "-journal"):
            (folder / f"{DATABASE}{ending}").unlink(missing_ok=True)
    return not begun


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _warning(folder: Path) -> str:
    kind = file_system(folder)
    if kind not in _NETWORK:
        return ""
    return (
        f"{folder} lies on a network file system ({kind}): commits are slower there, and locks may not hold between"
        " machines; never let two referees write to it. A folder on a disk of this machine is better: --out DIR"
    )


def file_system(folder: Path, mounts: str | None = None) -> str:
    """Return the type of the file system that a folder lies on, such as ext4; "" where it cannot be told.

    mounts -- the text of /proc/self/mountinfo, unless that of this process is meant. Source: proc_pid_mountinfo(5)
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
        except OSError:
            return ""
    path = os.path.realpath(folder)
    best, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        at = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        inside = path == at or path.startswith(at.rstrip("/") + "/")
        if inside and len(at) >= best:  # of two mounts on one folder the later one is seen
            best, kind = len(at), after.split(" ")[0]
    return kind


def _checked(store: Store) -> Store:
    try:
        found = store.meta("schema")
    except sqlite3.Error as error:
        store._db.close()
        raise StoreError(f"{store.folder / DATABASE} is no run of ours, or it was never begun: {error}") from None
    if found != SCHEMA:
        store._db.close()
        raise StoreError(
            f"{store.folder} was written with schema {found}; this version reads schema {SCHEMA}. "
            "Use the version of referee that wrote it to go on with it, or to export it"
            f" (referee export {store.folder} --format jsonl)."
        )
    return store


def _open(folder: Path, mode: str) -> sqlite3.Connection:
    path = (folder / DATABASE).absolute()
    try:
        database = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, timeout=10)
        if mode != "ro":
            shared = file_system(folder) in _NETWORK
            database.execute(f"PRAGMA journal_mode={'DELETE' if shared else 'WAL'}")
            database.execute("PRAGMA synchronous=FULL")
            database.execute("PRAGMA fullfsync=1")  # macOS: a flush that reaches the disk
        return database
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from None


def _take_lock(folder: Path) -> int:
    handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise StoreError(f"another referee is writing to {folder}; wait for it or stop it") from None
    return handle
