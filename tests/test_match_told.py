"""What `referee match` tells of its players: strikes, whose move it was, and who is not seated."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLAYERS = ROOT / "tests" / "players"

pytestmark = pytest.mark.process


def match(*words: str) -> tuple[str, str]:
    """Return what a match of SCAT prints on standard output and standard error."""
    command = [sys.executable, "-m", "referee", "match", "scat", *words, "--seed", "7", "--move-time", "5000"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert 0 == done.returncode, done.stderr
    return done.stdout, done.stderr


def test_a_strike_is_told_and_the_move_in_its_place_is_the_caretakers() -> None:
    out, _ = match(str(PLAYERS / "slips_once.py"), "scat_greedy", "--strikes", "1")

    lines = out.splitlines()
    struck = next(n for n, line in enumerate(lines) if line.startswith("slips_once gets a strike, malformed: 'knok'"))
    assert lines[struck + 1].startswith("slips_once ") and lines[struck + 1].endswith("(the caretaker plays).")
    assert 1 == out.count("the caretaker plays")


def test_the_moves_of_a_seat_whose_player_is_gone_are_the_caretakers() -> None:
    out, _ = match(str(PLAYERS / "slips_once.py"), "scat_greedy", "scat_random")

    before, _, after = out.partition("slips_once is out of the match by a fault, malformed")
    assert "caretaker" not in before
    own = [line for line in after.splitlines() if line.startswith("slips_once ") and "draws" in line]
    assert own and all(line.endswith("(the caretaker plays).") for line in own)
    assert not [line for line in after.splitlines() if "caretaker" in line and not line.startswith("slips_once ")]


def test_a_player_is_not_seated_in_a_game_that_it_does_not_list() -> None:
    out, err = match(str(PLAYERS / "knows_another_game.py"), "scat_greedy")

    assert "knows_another_game is out of the match by a fault, handshake." in out
    assert "knows_another_game: it is not seated, as it said 'games=skat', which is without scat;" in err


def test_nothing_but_the_end_is_told_when_quiet() -> None:
    out, _ = match(str(PLAYERS / "slips_once.py"), "scat_greedy", "--strikes", "1", "--quiet")

    assert out.startswith("The match is over.")
