"""The run directory: one SQLite file that holds all of a run, written by one process.

    DIR/run.sqlite    everything; the schema is below
    DIR/run.lock      held (flock) by the referee that is writing
    DIR/seed          the master seed while the run goes on, mode 0600; moved into run.sqlite at the end

Theory of operation. WAL with synchronous=FULL: a result is announced after its COMMIT, so `kill -9` and a power cut
lose nothing announced. A match is a row keyed by (task, block), so a result that comes twice is refused by the key,
and what remains to be played is the schedule minus the rows. A failed write is never retried: the run stops.
"""

from __future__ import annotations

import fcntl
import json
import os
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
    notes   TEXT NOT NULL,     -- JSON: evidence that is no part of the record: {"stderr": {seat: text}}
    PRIMARY KEY (task, block)
) WITHOUT ROWID;
"""


class StoreError(Exception):
    """The run directory cannot be used, or a write failed. Its text is a sentence."""


class Row(NamedTuple):
    """One finished match, as it is stored.

    task, block -- the match's place in the schedule
    result      -- what statistics need, JSON values
    record      -- the record's text
    timings     -- [seat, wall, cpu, wait, charge] per answer, ms
    notes       -- evidence beside the record, such as {"stderr": {"0": "Traceback ..."}}
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
        self._db = database
        self._lock = lock

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._lock is not None:
            with _sentences(self.folder):
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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

    def rows(self) -> Iterator[Row]:
        """Yield every match in schedule order, one at a time."""
        cursor = self._db.execute("SELECT * FROM match ORDER BY task, block")
        yield from (_row(values) for values in cursor)

    def row(self, number: int) -> Row | None:
        """Return match `number` of the schedule order, from 0, or None when there are fewer."""
        cursor = self._db.execute("SELECT * FROM match ORDER BY task, block LIMIT 1 OFFSET ?", (number,))
        values = cursor.fetchone()
        return None if values is None else _row(values)

    def delete(self, keys: Iterable[tuple[int, int]]) -> None:
        """Remove matches so that they are played again."""
        with _sentences(self.folder), self._db:
            self._db.executemany("DELETE FROM match WHERE task = ? AND block = ?", list(keys))


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
        if (folder / DATABASE).exists():
            raise StoreError(f"{folder} holds a run already; resume it (referee resume {folder}) or name another --out")
        lock = _take_lock(folder)
        handle = os.open(folder / "seed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(master.hex())
            file.flush()
            os.fsync(file.fileno())
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
        raise StoreError(f"{folder} is no run directory: it has no {DATABASE}")


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
            "Use the version that wrote it to export it (referee export DIR --format jsonl)."
        )
    return store


def _open(folder: Path, mode: str) -> sqlite3.Connection:
    path = (folder / DATABASE).absolute()
    try:
        database = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, timeout=10)
        if mode != "ro":
            database.execute("PRAGMA journal_mode=WAL")
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
