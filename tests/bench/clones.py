"""Identical players under different names must not be told apart: 300-block tournaments of real programs.

    ./run python tests/bench/clones.py [SEEDS]

Each seed below gives one tournament of three copies of `scat_random` at tables of two. An exception is a tournament in
which any two of them are told apart at 95 % for the whole table: of 20, one is expected, and more than three is a
failure (exit code 1). The seeds were written down before the first run.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = tuple(f"clones-{number}" for number in range(1, 21))
BLOCKS = 300
ALLOWED = 3


def ranges(seed: str, folder: Path) -> list[str]:
    """Return the rank range of each clone after one tournament."""
    words = [
        "tournament",
        "ann=scat_random",
        "bob=scat_random",
        "cy=scat_random",
        "--game",
        "scat",
        "--blocks",
        str(BLOCKS),
    ]
    command = [sys.executable, "-m", "referee", *words, "--seed", seed, "--out", str(folder), "--progress", "none"]
    done = subprocess.run([*command, "--format", "json"], check=True, capture_output=True, text=True)
    return [row["rank"] for row in json.loads(done.stdout)["standings"]]


def main() -> None:
    seeds = SEEDS[: int(sys.argv[1])] if len(sys.argv) > 1 else SEEDS
    exceptions = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as parent:
            found = ranges(seed, Path(parent, "run"))
        apart = any(rank != "1-3" for rank in found)
        exceptions += apart
        print(f"{seed:<12} {' '.join(found)}{'   told apart' if apart else ''}", flush=True)
    print(f"{exceptions} of {len(seeds)} tournaments told identical players apart (at most {ALLOWED} of 20)")
    sys.exit(exceptions > ALLOWED)


if __name__ == "__main__":
    main()
