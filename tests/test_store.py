"""The run directory: what is committed stays, what is there twice is refused, who is second is refused."""

import sqlite3

import pytest

from referee import store
from referee.store import Row, StoreError

MASTER = bytes(range(32))


def row(task: int, block: int = 0) -> Row:
    result = {"game": "scat", "seats": 2, "table": 0, "rotation": 0, "players": [0, 1], "void": ""}
    return Row(task, block, result, f"record {task}\n", [[0, 1.5, 0.5, 0.0, 1.0]], {})


def test_matches_come_back_in_schedule_order(tmp_path):
    with store.create(tmp_path / "run", MASTER, plan={"x": 1}) as opened:
        opened.append([row(3), row(1, 5)])
        opened.append([row(1, 2), row(0)])

        assert [(r.task, r.block) for r in opened.rows()] == [(0, 0), (1, 2), (1, 5), (3, 0)]
        assert opened.row_of(1, 5) == row(1, 5)
        assert opened.row_of(4, 0) is None
        assert opened.done() == {(0, 0), (1, 2), (1, 5), (3, 0)}


def test_a_match_is_stored_once_and_a_refused_batch_leaves_nothing(tmp_path):
    with store.create(tmp_path, MASTER) as opened:
        opened.append([row(1)])

        with pytest.raises(StoreError):
            opened.append([row(2), row(1)])
        assert opened.done() == {(1, 0)}


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path):
    with store.create(tmp_path, MASTER) as opened:
        opened.append([row(1)])

        with pytest.raises(StoreError, match="another referee is writing"):
            store.resume(tmp_path)
        with store.read(tmp_path) as reader:
            assert reader.count() == 1


def test_a_run_is_not_begun_on_top_of_another(tmp_path):
    store.create(tmp_path, MASTER).close()

    with pytest.raises(StoreError, match="holds a run already"):
        store.create(tmp_path, MASTER)


def test_the_seed_is_in_a_file_of_its_own_until_it_is_published(tmp_path):
    with store.create(tmp_path, MASTER) as opened:
        assert opened.meta("seed") is None
        assert opened.master_seed() == MASTER
        assert (tmp_path / "seed").stat().st_mode & 0o777 == 0o600
        assert MASTER.hex().encode() not in (tmp_path / "run.sqlite").read_bytes()

        opened.publish_seed()

        assert opened.meta("seed") == MASTER.hex()
        assert opened.master_seed() == MASTER
        assert not (tmp_path / "seed").exists()


def test_another_schema_is_refused_with_what_to_do(tmp_path):
    store.create(tmp_path, MASTER).close()
    with sqlite3.connect(tmp_path / "run.sqlite") as database:
        database.execute("UPDATE meta SET value = '7' WHERE key = 'schema'")
    database.close()

    with pytest.raises(StoreError, match="written with schema 7"):
        store.read(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"not a database, not at all" * 100])
def test_what_is_no_run_directory_is_refused_with_a_sentence(tmp_path, content):
    if content is not None:
        (tmp_path / "run.sqlite").write_bytes(content)

    with pytest.raises(StoreError):
        store.read(tmp_path)
