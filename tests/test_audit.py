"""`referee verify DIR` finds every change to a run, and no command takes damage for a bug of ours."""

import contextlib
import io
import json
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import store
from referee.cli.entry import guarded
from referee.cli.output import Code
from referee.report.audit import _differs, findings
from referee.store import checksum_of
from tests.test_tournament import referee

pytestmark = pytest.mark.process

ILLEGAL = Path(__file__).parent / "players" / "illegal.py"
SHORT = ("--game", "scat", "--set", "start_coins=1", "--seed", "x", "--jobs", 1)
VIEWS = (
    ("show", "--format", "json"),
    ("export", "--format", "json", "--records", "--timings"),
    ("export", "--superseded"),
)
FLIPS = 16  # bits that are flipped in a run


def called(*words: object) -> tuple[int, str, str]:
    """Run a command line in this process; return its code and what it said on both streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = guarded([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tournament with faults and a match played again, an anonymous one, and a comparison; all are over."""
    folder = tmp_path_factory.mktemp("runs")
    found = {name: folder / name for name in ("open", "anonymous", "compared")}
    players = ("scat_greedy", "scat_random", ILLEGAL)
    referee("tournament", *players, *SHORT, "--blocks", 2, "--out", found["open"])
    referee("rerun", f"{found['open']}#3")
    referee("tournament", *players[:2], *SHORT, "--blocks", 2, "--anonymous", "--out", found["anonymous"])
    referee("compare", *players[:2], *SHORT, "--blocks", 12, "--out", found["compared"])
    return found


@pytest.fixture
def copied(runs: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    def copy(name: str) -> Path:
        return Path(shutil.copytree(runs[name], tmp_path / name))

    return copy


def altered(folder: Path, *statements: str, forged: bool = True) -> Path:
    """Change a run with SQL; a forger writes the checksums anew, too."""
    with sqlite3.connect(folder / "run.sqlite") as database:
        for statement in statements:
            database.execute(statement)
        if forged:
            database.execute("DELETE FROM checksum")
            for table in ("match", "superseded") if folder.name == "open" else ("match",):
                rows = database.execute(f"SELECT * FROM {table}").fetchall()
                sums = [(*row[:2], checksum_of(row)) for row in rows]
                database.executemany("INSERT OR IGNORE INTO checksum VALUES (?, ?, ?)", sums)
            values = database.execute("SELECT key, value FROM meta WHERE key != 'checksums'").fetchall()
            sums_of_meta = json.dumps({key: store._meta_sum(key, value) for key, value in values})
            database.execute("UPDATE meta SET value = ? WHERE key = 'checksums'", (sums_of_meta,))
    database.close()
    return folder


def said(folder: Path) -> list[tuple[int | None, str]]:
    with store.read(folder) as opened:
        return [tuple(each) for each in findings(opened)]


def result(change: str, where: str = "task = 2 AND block = 1", table: str = "match") -> str:
    return f"UPDATE {table} SET result = json_set(result, {change}) WHERE {where}"


def plan(change: str) -> str:
    return f"UPDATE meta SET value = json_set(value, {change}) WHERE key = 'plan'"


def test_what_nobody_touched_verifies(runs: dict[str, Path]) -> None:
    assert [[], [], []] == [said(folder) for folder in runs.values()]
    for folder, count in zip(runs.values(), (12, 4, None), strict=True):
        code, out, err = called("verify", folder)
        assert (0, "") == (code, err) and out.endswith("matches verify\n")
        assert count is None or out == f"{folder}: {count} matches verify\n"
    code, out, _ = called("verify", f"{runs['open']}#3", f"{runs['compared']}#0")
    assert (0, 2) == (code, out.count(": verifies\n"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("'$.players', json('[2,1]')", "players of its result differs: stored [2, 1], derived ["),
        ("'$.ranks', json('[9,9]')", "ranks of its result differs: stored [9, 9], derived ["),
        ("'$.scores', json('[9,9]')", "scores of its result differs"),
        ("'$.deals', json('[[0,0]]')", "deals of its result differs"),
        ("'$.counted', 99", "counted of its result differs: stored 99, derived "),
        ("'$.void', 'rain'", 'void of its result differs: stored "rain", derived ""'),
        ("'$.faults', json('[[0,\"exit\",\"\"]]')", "faults of its result differs"),
        ("'$.table', 7", "table of its result differs: stored 7, derived "),
        ("'$.rotation', 7", "rotation of its result differs"),
        ("'$.seats', 3", "seats of its result differs: stored 3, derived 2"),
        ("'$.game', 'scout'", 'game of its result differs: stored "scout", derived "scat"'),
        ("'$.more', 1", "more of its result differs: stored 1, derived null"),
    ],
)
@pytest.mark.parametrize("table", ["match", "superseded"])
def test_each_part_of_a_result_is_derived_from_the_record_and_the_schedule(
    copied: Callable[[str], Path], change: str, says: str, table: str
) -> None:
    where = "task = 2 AND block = 1" if table == "match" else "1"
    number, first = (5, "") if table == "match" else (3, "superseded: ")
    folder = altered(copied("open"), result(change, where, table))

    ((found, text),) = said(folder)
    assert found == number and text.startswith(first + says)
    code, out, err = called("verify", folder)
    assert (1, "") == (code, err) and out == f"{folder}#{number}: {text}\n"
    if table == "match":
        assert 1 == called("verify", f"{folder}#{number}")[0] and 0 == called("verify", f"{folder}#0")[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (plan("'$.players[0].name', 'scat_random', '$.players[1].name', 'scat_greedy'"), "the players of its record"),
        (plan("'$.contests[0][2].start_coins', 2"), "the options of its record differs"),
        (plan("'$.contests[0][1]', 'pub'"), "its plan is damaged"),
        (plan("'$.blocks', 3"), "it is missing, though the run is over"),
        (plan("'$.blocks', 1"), "is in no schedule of this plan"),
        (plan("'$.anonymous', json('true')"), "the players of its record differs"),
        (plan("'$.contests[0][0]', 'chess'"), "its plan is damaged"),
        ("UPDATE meta SET value = '{}' WHERE key = 'plan'", "its plan is damaged"),
        ("DELETE FROM meta WHERE key = 'plan'", "its plan is damaged"),
        ("DELETE FROM meta WHERE key = 'seed'", "the run is over, and its master seed is not there"),
        ("UPDATE meta SET value = replace(value, 'a', 'b') WHERE key = 'seed'", "not the one whose hash was published"),
        ("UPDATE meta SET value = '\"00\"' WHERE key = 'commitment'", "not the one whose hash was published"),
        ("DELETE FROM match WHERE task = 0 AND block = 1", "it is missing, though the run is over"),
        ("UPDATE match SET block = 9 WHERE task = 0 AND block = 1", "is in no schedule of this plan"),
        ("INSERT INTO match SELECT 77, block, result, record, timings, notes FROM match LIMIT 1", "is in no schedule"),
        ("UPDATE match SET record = (SELECT record FROM match WHERE task = 1)", "the seed of its record differs"),
        ("UPDATE match SET record = x'00ff'", "what is stored of it cannot be read"),
        ("UPDATE match SET timings = x'00ff'", "what is stored of it cannot be read"),
        ("UPDATE match SET notes = 'x'", "what is stored of it cannot be read"),
        ("UPDATE match SET result = '[]'", "what is stored of it cannot be read"),
        ("UPDATE match SET result = json_remove(result, '$.deals')", "deals of its result differs: stored null"),
    ],
)
def test_the_plan_the_seed_and_the_list_of_matches_are_compared_with_the_records(
    copied: Callable[[str], Path], change: str, says: str
) -> None:
    folder = altered(copied("open"), change)

    texts = [text for _, text in said(folder)]
    assert any(says in text for text in texts), texts
    assert Code.NO == called("verify", folder)[0]


@pytest.mark.parametrize("name", ["open", "anonymous", "compared"])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE match SET notes = '{}' WHERE task = 1", "its row in the database is not what was written"),
        ("UPDATE match SET timings = (SELECT timings FROM match)", "its row in the database is not what was written"),
        ("DELETE FROM match WHERE task = 1", "it was stored, and is not there any more"),
        (plan("'$.players[0].name', 'x'"), "its plan is not what was written"),
        (plan("'$.limits.move_ms', 5"), "its plan is not what was written"),
        ("UPDATE meta SET value = 'true' WHERE key = 'seed_given'", "its seed_given is not what was written"),
        ("DELETE FROM meta WHERE key = 'isolation'", "its isolation is not what was written"),
        ("DELETE FROM meta WHERE key = 'checksums'", "its checksums is not what was written"),
        ("DROP TABLE match", "no such table: match"),
    ],
)
def test_what_cannot_be_derived_has_checksums(copied: Callable[[str], Path], name: str, change: str, says: str) -> None:
    folder = copied(name)
    with sqlite3.connect(folder / "run.sqlite") as database:
        database.execute("UPDATE match SET notes = '{\"a\":1}' WHERE task = 1")
    database.close()
    altered(folder)
    before = said(folder)
    altered(folder, change, forged=False)

    texts = [text for _, text in said(folder)]
    if "seed_given" in change:
        assert not before and not texts, "it is true already"
    else:
        assert not before and any(says in text for text in texts), texts
        assert Code.NO == called("verify", folder)[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE meta SET value = json_set(value, '$[0].verdict', 'a') WHERE key = 'answers'", "verdict of its answer"),
        ("UPDATE meta SET value = json_set(value, '$[0].interval.mean', 0.0) WHERE key = 'answers'", "interval of its"),
        ("UPDATE meta SET value = json_set(value, '$[0].sentence', 'x') WHERE key = 'answers'", "sentence of its"),
        ("UPDATE meta SET value = 'null' WHERE key = 'answers'", "the comparison is over and has no answers"),
        ("UPDATE meta SET value = '[]' WHERE key = 'answers'", "not as many as its matches give"),
        ("DELETE FROM match WHERE task = 0 AND block = 1", "it is missing, though the run is over"),
    ],
)
def test_the_answers_of_a_comparison_are_those_that_its_matches_give(
    copied: Callable[[str], Path], change: str, says: str
) -> None:
    folder = altered(copied("compared"), change)

    assert any(says in text for _, text in said(folder))
    assert Code.NO == called("verify", folder)[0]


def test_a_comparison_that_ended_at_a_look_lacks_nothing(tmp_path: Path) -> None:
    referee(
        "compare", "scat_greedy", "scat_random", *SHORT[:2], "--seed", "x", "--blocks", 400, "--out", tmp_path / "run"
    )

    assert [] == said(tmp_path / "run")
    with store.read(tmp_path / "run") as opened:
        assert opened.count() < 800


def test_every_difference_is_told_up_to_a_bound(copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = altered(copied("open"), result("'$.table', 7", "1"))

    assert 12 == called("verify", folder)[1].count("table of its result differs")
    monkeypatch.setattr("referee.cli.looking.FINDINGS_SHOWN", 5)
    *lines, last = called("verify", folder)[1].splitlines()
    assert (5, f"{folder}: and 7 more") == (len(lines), last)


def test_a_run_that_goes_on_verifies_as_far_as_it_is(copied: Callable[[str], Path]) -> None:
    folder = copied("anonymous")
    with store.read(folder) as opened:
        master = opened.master_seed()
    change = "UPDATE meta SET value = '\"running\"' WHERE key = 'state'", "DELETE FROM meta WHERE key = 'seed'"
    altered(folder, *change, "DELETE FROM match WHERE task = 0 AND block = 1")
    assert ["the master seed cannot be read"] == [text.partition(" (")[0] for _, text in said(folder)]

    (folder / "seed").write_text(master.hex())
    assert [] == said(folder)
    (folder / "seed").write_text(bytes(32).hex())
    assert "the master seed is not the one whose hash was published at the start" == said(folder)[0][1]


def test_a_run_of_the_first_schema_is_read_gone_on_with_and_verified_but_for_its_times(
    copied: Callable[[str], Path],
) -> None:
    folder = altered(
        copied("open"),
        "DROP TABLE checksum",
        "DELETE FROM meta WHERE key = 'checksums'",
        "UPDATE meta SET value = '1' WHERE key = 'schema'",
        forged=False,
    )

    code, out, err = called("verify", folder)
    assert (0, f"{folder}: 12 matches verify\n") == (code, out)
    assert "without checksums: its times, notes and names are not covered" in err
    referee("rerun", f"{folder}#0")
    with store.read(folder) as opened:
        assert not opened.summed and [1, 2] == [opened.meta("schema"), len(opened.superseded())]
    assert [] == said(folder)
    altered(folder, result("'$.ranks', json('[9,9]')"), forged=False)
    assert 1 == len(said(folder))


# -- damage and other commands


@pytest.mark.parametrize("first_schema", [False, True])
@pytest.mark.parametrize(
    ("change", "views"),
    [
        ("UPDATE match SET record = x'00ff'", ("export --records", "replay #0", "report")),
        (f"UPDATE match SET record = x'{zlib.compress(b'junk').hex()}'", ("replay #0",)),
        ("UPDATE match SET timings = x'00ff'", ("export --timings", "replay #0", "report")),
        ("UPDATE match SET notes = '\"measured_ms\":'", ("show", "report")),
        ('UPDATE match SET notes = \'{"measured_ms":"x"}\'', ("show",)),
        (
            "DROP TABLE match",
            ("show", "export", "report", "watch", "resume", "replay #0", "rerun #0", "rerun --failed"),
        ),
        (result("'$.game', 'scit'", "1"), ("show", "report")),
        (result("'$.players', json('[7,8]')", "1"), ("show", "export", "report", "watch")),
        ("UPDATE match SET result = json_remove(result, '$.deals')", ("show", "export", "report")),
        ("UPDATE match SET result = 'x'", ("show", "export", "report", "watch", "rerun --failed")),
        ("UPDATE match SET result = '[]'", ("show", "export", "report", "watch", "rerun --failed")),
        (
            "UPDATE meta SET value = '{' WHERE key = 'plan'",
            ("show", "export", "report", "watch", "resume", "replay #0"),
        ),
        (
            "UPDATE meta SET value = '{}' WHERE key = 'plan'",
            ("show", "export", "report", "watch", "resume", "replay #0"),
        ),
        (plan("'$.contests[0][0]', 'chess'"), ("show", "resume", "rerun #0")),
    ],
)
def test_damage_is_told_in_a_sentence_and_is_no_bug_of_ours(
    copied: Callable[[str], Path], change: str, views: tuple[str, ...], first_schema: bool
) -> None:
    folder = altered(copied("open"), change, forged=False)
    if first_schema:
        altered(folder, "DROP TABLE checksum", "UPDATE meta SET value = '1' WHERE key = 'schema'", forged=False)
    if not (first_schema and '"x"' in change):  # notes of that schema have neither checksums nor a source
        assert Code.NO == called("verify", folder)[0]
    for view in views:
        command, *more = view.split()
        words = [f"{folder}{more.pop()}"] if more and more[0].startswith("#") else [folder]
        code, _, err = called(command, *words, *more)
        told = [line for line in err.splitlines() if line.startswith("referee: ")]
        assert code == Code.STORE and len(told) == 1, (view, code, err)


def test_a_bug_of_ours_over_sound_data_stays_one(copied: Callable[[str], Path]) -> None:
    with pytest.raises(KeyError), store.read(copied("open")):
        raise KeyError("ours")


@pytest.mark.parametrize("name", ["open", "compared"])
def test_a_flipped_bit_is_found_or_changes_nothing_that_is_shown(copied: Callable[[str], Path], name: str) -> None:
    folder = copied(name)
    whole = (folder / "run.sqlite").read_bytes()
    used = [at for at, byte in enumerate(whole) if byte]
    rng = random.Random(name)

    def shown() -> list[Any]:
        return [called(command, folder, *more)[:2] for command, *more in VIEWS]

    calm = shown()
    assert [0, 0, 0] == [code for code, _ in calm]
    for flips in range(FLIPS):
        at, bit = (rng.choice(used) if rng.random() < 0.9 else rng.randrange(len(whole))), rng.randrange(8)
        (folder / "run.sqlite").write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        code, _, err = called("verify", folder)
        assert code in (0, Code.NO, Code.STORE), (at, bit, err)
        if code == 0:
            assert calm == shown(), (at, bit)
        elif flips % 5 == 0:
            assert {code for code, _ in shown()} <= {0, Code.STORE}, (at, bit)
        for beside in ("run.sqlite-wal", "run.sqlite-shm"):
            (folder / beside).unlink(missing_ok=True)


def test_of_two_mappings_only_what_differs_is_shown() -> None:
    seen = {"same": "x" * 500, "coins": 3, "gone": 1}

    assert _differs("it", seen, {**seen, "coins": 4}) == 'it differs: stored {"coins": 3}, derived {"coins": 4}'
    assert _differs("it", seen, dict(seen)) == ""
    assert "gone" in _differs("it", seen, {"same": "x" * 500, "coins": 3})
