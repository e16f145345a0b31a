"""One tournament of everybody: the example players beside every misbehaving one, with the sandbox and without."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.test_tournament import alive

pytestmark = [pytest.mark.process, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
BOUND_S = 900.0  # for some 290 matches, in most of which somebody sins; 170 s on two idle cores


def referee(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=BOUND_S,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "CI": "true", "NO_COLOR": "1"},
    )


@pytest.mark.parametrize("sandbox", [[], ["--sandbox"]], ids=["plain", "sandbox"])
def test_a_tournament_of_everybody_ends_and_leaves_nobody(tmp_path: Path, sandbox: list[str]) -> None:
    tmp_path.chmod(0o755)
    for folder in ("examples/bots", "tests/players"):  # some write where they live
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    examples = sorted((tmp_path / "examples/bots").iterdir())
    sinners = sorted((tmp_path / "tests/players").glob("[a-z]*.py"))
    start = time.monotonic()
    run = referee(
        "tournament", *examples, *sinners, *sandbox, "--game", "scat", "--tables", 1, "--blocks", 1, "--move-time", 200,
        "--start-time", 5000, "--seed", "everybody", "--jobs", 2, "--out", tmp_path / "run", "--progress", "none",
    )  # fmt: skip
    took = time.monotonic() - start

    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stdout + run.stderr
    plan, results = read(tmp_path / "run")
    names = [player["name"] for player in plan["players"]]
    assert len(names) + len(plan["not_started"]) == len(examples) + len(sinners) - unavailable(run.stderr)
    ((_, _, _, _, playing),) = plan["contests"]
    assert len(results) == 2 * len(playing)
    assert not [result["void"] for result in results if result["void"]]
    guilty = {names[result["players"][seat]]: text for result in results for seat, _, text in result["faults"]}
    innocent = {*(path.stem for path in examples), "honest", "thinks", "ponders"}
    assert not {name: text for name, text in guilty.items() if name in innocent}
    assert len(guilty) > 40
    assert "matches verify" in referee("verify", tmp_path / "run").stdout
    assert alive(str(tmp_path)) == []
    print(f"\n{len(names)} players, {len(results)} matches, {len(guilty)} at fault, in {took:.0f} s")


def read(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the plan and the results of a run."""
    with sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True) as database:
        (plan,) = database.execute("SELECT value FROM meta WHERE key = 'plan'").fetchone()
        results = [json.loads(text) for (text,) in database.execute("SELECT result FROM match")]
    database.close()
    return json.loads(plan), results


def unavailable(notes: str) -> int:
    """How many example players were skipped since this machine lacks their language."""
    return sum(line.startswith("skipped") for line in notes.splitlines())
