"""The run directory: one SQLite file that holds all of a run, written by one process.

    DIR/run.sqlite    everything; the schema is below
    DIR/run.lock      held (flock) by the referee that is writing
    DIR/seed          the master seed while the run goes on, mode 0600; moved into run.sqlite at the end

Theory of operation. WAL with synchronous=FULL: a result is announced after its COMMIT, so `kill -9` and a power cut
lose nothing announced. A match is a row keyed by (task, block), so a result that comes twice is refused by the key,
and what remains to be played is the schedule minus the rows. A failed write is never retried: the run stops.

A match that is played again does not vanish: its first row moves to `superseded`.

Every row and every value of `meta` has a checksum, written in the same transaction. It tells damage, and whatever was
changed by another program; against who changes the checksum too there is `referee verify`, which derives anew all that
can be derived. Readers trust what they read. When they fail over it, the checksums say whether that is damage or a bug
of ours: see Store.__exit__. A run of an earlier version has none, and gets none when it goes on.

WAL needs memory that all readers share, which a network file system does not give. There the journal is an ordinary
one, slower and as safe as that file system's own promises.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

SCHEMA = 2
FIRST_SUMMED = 2  # the schema from which on there are checksums; a run of schema 1 is read and gone on with as it is
DATABASE = "run.sqlite"
LOCK = "run.lock"

_TABLES = """
CREATE TABLE meta (
    key    TEXT PRIMARY KEY,   -- schema, version, plan, commitment, state, seed (once the run is over), checksums, ...
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
CREATE TABLE checksum (
    task   INTEGER NOT NULL,
    block  INTEGER NOT NULL,
    sha256 BLOB NOT NULL,      -- of a row of match or superseded, see checksum_of
    PRIMARY KEY (task, block, sha256)
) WITHOUT ROWID;
"""
# Made when it is first needed, so that a run of an earlier version may be played again, too.
_SUPERSEDED = """
CREATE TABLE IF NOT EXISTS superseded (
    task INTEGER NOT NULL, block INTEGER NOT NULL, result TEXT NOT NULL, record BLOB NOT NULL, timings BLOB NOT NULL,
    notes TEXT NOT NULL        -- the columns of match. A match may be here more than once
);
"""
COLUMNS = "task, block, result, record, timings, notes"
# File systems of other machines, as /proc/self/mountinfo calls them.
_NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ceph fuse.sshfs fuse.glusterfs fuse.ceph glusterfs lustre gpfs beegfs ocfs2 gfs2"
    " fuse.s3fs fuse.gcsfuse fuse.rclone davfs fuse.davfs2 vboxsf prl_fs virtiofs".split()
)


class StoreError(Exception):
    """The run directory cannot be used, or a write failed. Its text is a sentence."""


# What reading a damaged run may raise, and a bug of ours as well; a StoreError and what the user did wrong are neither.
_UNFORESEEN: Final = (
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    sqlite3.Error,
)
_PATIENCE: Final = (0.0, 0.02, 0.1)  # seconds between tries to get the lock: who asks whether it is held holds it, too


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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the run. What was raised over data that is damaged becomes a StoreError; a bug of ours stays one."""
        try:
            damage = self.damage() if isinstance(error, _UNFORESEEN) else ""
        finally:
            self.close()
        if damage:
            raise StoreError(f"{damage}. referee verify {self.folder} says all that is wrong with it") from error

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

    def abandon(self) -> None:
        """Close without writing anything."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # -- the run as a whole

    def meta(self, key: str) -> Any:
        """Return a value of the run, or None when it has none of that name."""
        with self._reading(f"its {key}"):
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return None if row is None else json.loads(row[0])

    def set_meta(self, **values: Any) -> None:
        """Write values of the run in one transaction; raise StoreError when that fails."""
        with _sentences(self.folder), self._db:
            self._db.execute("BEGIN")
            sums = self._db.execute("SELECT value FROM meta WHERE key = ?", (CHECKSUMS,)).fetchone()
            known = None if sums is None else json.loads(sums[0])
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", _meta_rows(values, known))

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
        with _sentences(self.folder):
            (self.folder / "seed").unlink(missing_ok=True)

    # -- matches

    def append(self, rows: Iterable[Row]) -> None:
        """Commit matches, all or none; raise StoreError when they could not be, and never try again."""
        values = [_stored(row) for row in rows]
        with _sentences(self.folder), self._db:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT INTO match VALUES (?, ?, ?, ?, ?, ?)", values)
            if self.summed:
                sums = [(task, block, checksum_of((task, block, *rest))) for task, block, *rest in values]
                # A match that was played again and came out the same has the same checksum.
                self._db.executemany("INSERT OR IGNORE INTO checksum VALUES (?, ?, ?)", sums)

    def done(self) -> set[tuple[int, int]]:
        """Return (task, block) of every match in the store."""
        return set(self._select("SELECT task, block FROM match"))

    def count(self) -> int:
        """Return the number of matches in the store."""
        return int(next(self._select("SELECT count(*) FROM match"))[0])

    def results(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yield (task, block, result) of every match in schedule order, without its record."""
        for task, block, result in self._select("SELECT task, block, result FROM match ORDER BY task, block"):
            yield task, block, self._json(task, block, result)

    def rows(self, *, whole: bool = True) -> Iterator[Row]:
        """Yield every match in schedule order, one at a time; without its record and timings unless `whole`."""
        if whole:
            for values in self.stored():
                yield self._row(values)
            return
        for task, block, result, notes in self._select("SELECT task, block, result, notes FROM match ORDER BY 1, 2"):
            yield Row(task, block, self._json(task, block, result), "", [], self._json(task, block, notes))

    def row_of(self, task: int, block: int) -> Row | None:
        """Return the match of a task and block, or None when it is not finished."""
        found = self._select(f"SELECT {COLUMNS} FROM match WHERE task = ? AND block = ?", task, block)
        values = next(found, None)
        return None if values is None else self._row(values)

    def result_of(self, task: int, block: int) -> dict[str, Any] | None:
        """Return the result of a match without its record, or None when it is not finished."""
        found = next(self._select("SELECT result FROM match WHERE task = ? AND block = ?", task, block), None)
        result: dict[str, Any] | None = None if found is None else self._json(task, block, found[0])
        return result

    def version(self) -> int:
        """Return a number that changes whenever another connection has committed; cheap, for who follows a run."""
        return int(next(self._select("PRAGMA data_version"))[0])

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
        return [self._row(values) for values in self.stored("superseded")]

    def noted(self, key: str) -> Iterator[tuple[tuple[int, int], dict[str, Any], Any]]:
        """Yield ((task, block), result, note) of the matches that have a note of this name, in schedule order."""
        for task, block, result, notes in self._select("SELECT task, block, result, notes FROM match ORDER BY 1, 2"):
            if f'"{key}":' in str(notes):
                yield (task, block), self._json(task, block, result), self._json(task, block, notes)[key]

    def waited(self) -> tuple[float, float]:
        """Return the wall time of all measured answers, and how much of it was waiting for a CPU, in ms."""
        sums = (0.0, 0.0)
        for task, block, notes in self._select("SELECT task, block, notes FROM match"):
            if '"measured_ms":' in str(notes):
                noted = self._json(task, block, notes)
                with self._reading(_called(task, block)):
                    sums = sums[0] + noted["measured_ms"], sums[1] + noted.get("waited_ms", 0)
        return sums

    # -- whether all is as it was written

    def stored(self, table: str = "match") -> Iterator[tuple[Any, ...]]:
        """Yield the rows of match or superseded in schedule order as they are stored; see `row_from` and `checksum_of`.

        Raises StoreError when the database cannot be read.
        """
        if table != "superseded" or table in self.tables():
            yield from self._select(f"SELECT {COLUMNS} FROM {table} ORDER BY task, block")

    def tables(self) -> set[str]:
        """Return the names of the tables that there are."""
        return {name for (name,) in self._select("SELECT name FROM sqlite_master WHERE type = 'table'")}

    @property
    def summed(self) -> bool:
        """Whether there are checksums: a run that an earlier version began has none."""
        return bool(self.meta("schema") >= FIRST_SUMMED)

    def checksums(self) -> set[tuple[int, int, bytes]]:
        """Return (task, block, checksum) of every row as it was written."""
        return set(self._select("SELECT task, block, sha256 FROM checksum")) if self.summed else set()

    def wrong_values(self) -> list[str]:
        """Return the keys of `meta` whose values are not what was written, and of those that are gone."""
        if not self.summed:
            return []
        values = dict(self._select("SELECT key, value FROM meta"))
        if CHECKSUMS not in values:
            return [CHECKSUMS]
        with self._reading(f"its {CHECKSUMS}"):
            sums = json.loads(values.pop(CHECKSUMS))
            return sorted(
                key for key in {*values, *sums} if key not in values or sums.get(key) != _meta_sum(key, values[key])
            )

    def structure(self) -> str:
        """Return what SQLite finds wrong with the database, in a line, or "" when it is sound."""
        found = [str(line) for (line,) in self._select("PRAGMA integrity_check(3)")]
        return "" if found == ["ok"] else "; ".join(found).replace("\n", " ")

    def damage(self) -> str:
        """Return the first damage that is found, or "" when there is none that can be told."""
        try:
            if wrong := self.structure() or ", ".join(self.wrong_values()):
                return f"{self.folder / DATABASE} is damaged: {wrong}"
            plan = self.meta("plan") or {}
            games, players = {contest[0] for contest in plan["contests"]}, len(plan["players"])
            sums = self.checksums()
            for table in ("match", "superseded"):
                for values in self.stored(table):
                    if reason := self._wrong_row(values, sums, games, players):
                        return f"{self.folder / DATABASE} is damaged: {_called(*values[:2])} {reason}"
        except StoreError as error:
            return str(error)
        except _UNFORESEEN:
            return f"{self.folder / DATABASE} is damaged: its plan cannot be read"
        return ""

    def _wrong_row(
        self, values: tuple[Any, ...], sums: set[tuple[int, int, bytes]], games: set[str], players: int
    ) -> str:
        """Return what is wrong with a row, in words that follow its name, or ""."""
        row = self._row(values)
        if self.summed and (*values[:2], checksum_of(values)) not in sums:
            return "is not what was written"
        try:
            sound = _sound_result(row.result, games, players) and _sound_beside(row)
        except _UNFORESEEN:
            sound = False
        return "" if sound else "lacks something, or has what does not fit"

    # -- reading

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Turn what damaged data raises into StoreError."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.folder / DATABASE} could not be read: {error}") from error
        except (ValueError, TypeError, AttributeError, zlib.error) as error:
            raise StoreError(f"{self.folder / DATABASE} is damaged: {what} cannot be read ({error})") from error

    def _select(self, statement: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that a statement gives. Raises StoreError when they cannot be read."""
        with self._reading("a row"):
            # `yield from` would close the cursor with this generator, perhaps when the database is closed already.
            for row in self._db.execute(statement, values):  # noqa: UP028
                yield row

    def _row(self, values: tuple[Any, ...]) -> Row:
        with self._reading(_called(*values[:2])):
            return row_from(values)

    def _json(self, task: int, block: int, text: str) -> Any:
        with self._reading(_called(task, block)):
            return json.loads(text)


CHECKSUMS: Final = "checksums"  # the key of meta that has the checksums of the others


def _called(task: object, block: object) -> str:
    return f"the match of task {task}, block {block}"


def _stored(row: Row) -> tuple[Any, ...]:
    """Return a match as the columns of its row."""
    return (
        row.task,
        row.block,
        json.dumps(row.result, separators=(",", ":")),
        zlib.compress(row.record.encode()),
        zlib.compress(json.dumps(row.timings, separators=(",", ":")).encode()),
        json.dumps(row.notes),
    )


def row_from(values: tuple[Any, ...]) -> Row:
    """Return the match that the columns of a row hold. Raises ValueError, TypeError or zlib.error if there is none."""
    task, block, result, record, timings, notes = values
    return Row(
        task,
        block,
        json.loads(result),
        zlib.decompress(record).decode(),
        json.loads(zlib.decompress(timings)),
        json.loads(notes),
    )


def checksum_of(values: tuple[Any, ...]) -> bytes:
    """Return the SHA-256 of a row: of each column its kind and length in a line, then its bytes; numbers as text."""
    digest = hashlib.sha256()
    for value in values:
        content = value if isinstance(value, bytes) else str(value).encode()
        digest.update(f"{type(value).__name__} {len(content)}\n".encode() + content)
    return digest.digest()


def _meta_sum(key: str, value: object) -> str:
    return hashlib.sha256(f"{key}\n{value}".encode()).hexdigest()


def _meta_rows(values: Mapping[str, Any], known: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Return the rows of meta for these values, and for the checksums of all when there are any.

    known -- key -> checksum of those that are there already; None: the run has no checksums
    """
    rows = [(key, json.dumps(value)) for key, value in values.items()]
    if known is None:
        return rows
    return [*rows, (CHECKSUMS, json.dumps({**known, **{key: _meta_sum(key, value) for key, value in rows}}))]


def _sound_result(result: Any, games: set[str], players: int) -> bool:
    """Say whether a result has all that belongs to one, in numbers that fit each other; may raise what it must not."""
    seats = len(result["players"])
    return (
        result["game"] in games
        and result["seats"] == seats
        and set(result["players"]) <= set(range(players))
        and all(len(each) == seats for each in (result["ranks"], result["scores"], *result["deals"]))
        and all(isinstance(value, int) for value in (*result["ranks"], *result["scores"]))
        and all(isinstance(value, int | None) for deal in result["deals"] for value in deal)
        and all(isinstance(result[key], int) for key in ("table", "rotation", "counted"))
        and isinstance(result["void"], str)
        and all(
            seat in range(seats) and isinstance(code, str) and isinstance(text, str)
            for seat, code, text in result["faults"]
        )
    )


def _sound_beside(row: Row) -> bool:
    """Say whether timings and notes are of the kinds that they should be; may raise what it must not."""
    number = (int, float)
    kinds: dict[str, type | tuple[type, ...]] = {"measured_ms": number, "waited_ms": number}
    kinds |= dict.fromkeys(("asked", "heard", "stderr"), dict)
    kinds |= dict.fromkeys(("again", "changed", "overran", "pondered_ms"), list)
    return all(len(each) == 5 and all(isinstance(ms, int | float) for ms in each) for each in row.timings) and all(
        isinstance(value, kinds.get(key, object)) for key, value in row.notes.items()
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
        rows = _meta_rows({"schema": SCHEMA, "state": "running", **meta}, {})
        database.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    return Store(folder, database, lock)


def resume(folder: Path) -> Store:
    """Open a run directory for writing. Raises StoreError when there is no run, or another referee is writing."""
    _must_exist(folder)
    lock = _take_lock(folder)  # first: opening for writing changes files
    return _checked(Store(folder, _open(folder, "rw"), lock))


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
    except StoreError as error:
        store.abandon()
        raise StoreError(f"{store.folder / DATABASE} is no run of ours, or was never begun. {error}") from None
    if found not in range(1, SCHEMA + 1):
        store.abandon()
        raise StoreError(
            f"{store.folder} was written with schema {found}; this version reads schemas 1 to {SCHEMA}. "
            "Use the version of referee that wrote it to go on with it, or to export it"
            f" (referee export {store.folder} --format jsonl)."
        )
    return store


def _open(folder: Path, mode: str) -> sqlite3.Connection:
    path = (folder / DATABASE).absolute()
    wal = path.with_name(f"{DATABASE}-wal")
    # To read with a WAL, SQLite makes files beside it. Where none can be made and none is, nobody writes either.
    fixed = mode == "ro" and not os.access(folder, os.W_OK) and not wal.exists()
    try:
        database = sqlite3.connect(
            f"{path.as_uri()}?mode={mode}{'&immutable=1' if fixed else ''}", uri=True, timeout=10
        )
        if mode != "ro":
            shared = file_system(folder) in _NETWORK
            database.execute(f"PRAGMA journal_mode={'DELETE' if shared else 'WAL'}")
            database.execute("PRAGMA synchronous=FULL")
            database.execute("PRAGMA fullfsync=1")  # macOS: a flush that reaches the disk
        return database
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from None


def being_written(folder: Path) -> bool:
    """Say whether a referee is writing to a run directory; one that cannot be asked counts as written to."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _take_lock(folder: Path) -> int:
    """Return the handle that holds the lock of a run directory. Raises StoreError when it cannot be had."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written to: {LOCK}: {error.strerror}") from None
    for seconds in _PATIENCE:
        time.sleep(seconds)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except OSError:
            continue
    os.close(handle)
    raise StoreError(f"another referee is writing to {folder}; wait for it or stop it")
