"""docs/data.md says exactly what is written: its tables are compared with a real run."""

import csv
import io
import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.test_tournament import referee

PAGE = Path(__file__).parent.parent / "docs" / "data.md"
ILLEGAL = Path(__file__).parent / "players" / "illegal.py"

pytestmark = pytest.mark.process


def tables() -> dict[str, list[str]]:
    """Return for each heading of the third level the names in the first column of its table, in order."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("### "):
            heading = line[4:].replace("`", "")
            found[heading] = []
        elif line.startswith("## "):
            heading = ""
        elif heading and line.startswith("| `"):
            found[heading] += re.findall(r"`(\w+)`", line.split("|")[1])
    return found


TABLES = tables()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tournament with a fault in it, and what it streamed."""
    folder = tmp_path_factory.mktemp("data") / "run"
    out, _ = referee(
        "tournament", "scat_random", ILLEGAL, "--game", "scat", "--blocks", "1", "--seed", "x", "--out", folder,
        "--format", "jsonl",
    )  # fmt: skip
    return folder, [json.loads(line) for line in out.splitlines()]


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison that ends at its cap."""
    folder = tmp_path_factory.mktemp("data") / "compare"
    out, _ = referee("compare", "scat_random", "scat_greedy", "--blocks", "2", "--out", folder, "--format", "jsonl")
    return folder, json.loads(out)


def keys_of_csv(*words: object) -> list[str]:
    out, _ = referee(*words, "--format", "csv")
    return next(csv.reader(io.StringIO(out)))


def test_the_database_has_these_tables_and_columns(run, compared):
    with sqlite3.connect(f"file:{run[0]}/run.sqlite?mode=ro", uri=True) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        columns = [row[1] for row in database.execute("PRAGMA table_info(match)")]
        sums = [row[1] for row in database.execute("PRAGMA table_info(checksum)")]
        keys = {key for (key,) in database.execute("SELECT key FROM meta")}
        (result,) = database.execute("SELECT result FROM match").fetchone()
    database.close()
    with sqlite3.connect(f"file:{compared[0]}/run.sqlite?mode=ro", uri=True) as database:
        keys |= {key for (key,) in database.execute("SELECT key FROM meta")}
    database.close()

    assert {"meta", "match", "checksum"} == names
    assert TABLES["Table match"] == columns
    assert TABLES["Table checksum"] == sums
    assert set(TABLES["Table meta"]) == keys
    assert sorted(TABLES["JSON result"]) == sorted(json.loads(result))


def test_the_columns_of_superseded_are_those_of_match(tmp_path):
    folder = tmp_path / "run"
    referee("tournament", "scat_random", ILLEGAL, "--game", "scat", "--blocks", "1", "--out", folder)
    referee("rerun", f"{folder}#0")
    with sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(superseded)")]
    database.close()

    assert TABLES["Table match"] == columns


def test_exports_have_these_keys_and_columns(run):
    out, _ = referee("export", run[0], "--format", "jsonl", "--records", "--timings")
    whole = json.loads(out.splitlines()[0])
    faults = [fault for line in out.splitlines() for fault in json.loads(line)["faults"]]

    assert set(TABLES["JSON of a match"]) == set(whole)
    assert {"seat", "code", "text"} == set(faults[0])
    assert TABLES["Columns of a match"] == keys_of_csv("export", run[0], "--timings")
    assert TABLES["Columns of a match"][:-2] == keys_of_csv("export", run[0])


def test_standings_have_these_keys_and_columns(run):
    out, _ = referee("show", run[0], "--format", "json")
    whole = json.loads(out)
    beside = PAGE.read_text().partition("### JSON of a standing")[2].partition("| key")[0]

    assert TABLES["JSON of a standing"] == list(whole["standings"][0])
    assert set(whole) - {"v"} <= set(re.findall(r"`(\w+)`", beside))
    assert TABLES["Columns of a standing"] == keys_of_csv("show", run[0])


def test_a_stream_has_these_objects_and_keys(run):
    kinds = {each["type"]: each for each in run[1]}

    assert {"start", "game", "fail", "standing", "end"} == set(kinds)
    assert TABLES["JSON of the start"] == list(kinds["start"])
    assert sorted(TABLES["JSON of a game"]) == sorted(kinds["game"])
    assert TABLES["JSON of a fail"] == list(kinds["fail"])
    assert TABLES["JSON of the end"] == list(kinds["end"])
    assert TABLES["JSON of a standing"] == list(kinds["standing"])


def test_answers_have_these_keys_and_columns(compared):
    assert TABLES["JSON of an answer"] == list(compared[1])
    assert TABLES["Columns of an answer"] == keys_of_csv("show", compared[0])
