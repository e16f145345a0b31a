"""In a real terminal: start, resize, Ctrl-C, leaving, death of the referee, whole matches by documented keys."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from terminal import CLIENT, Terminal, children, fake, kill_hard

pytestmark = [pytest.mark.screen, pytest.mark.process]


def table(home: Path, game: str, *words: str, **more: object) -> Terminal:
    """Return a terminal with a match against the fake referee, at full speed."""
    extra = ("--pace", "none", "--ui", "full")
    return Terminal(home, "--referee", fake(game, *words), *extra, **more)  # type: ignore[arg-type]


def test_starts_against_the_built_in_players_and_welcomes_once(tmp_path: Path) -> None:
    words = ("scat", "--seed", "7", "--opponents", "2", "--pace", "none")
    with Terminal(tmp_path, *words) as window:
        window.until("Welcome to SCAT.")
        window.press("enter")
        text = window.until("Choose with a letter")
        assert "seed 7" in text and "greedy-2" in text
        window.press("q", "q")
        assert window.ended() == 0
    with Terminal(tmp_path, *words) as window:
        window.until("Choose with a letter")


def test_home_screen_chooses_game_opponents_and_level(tmp_path: Path) -> None:
    with Terminal(tmp_path) as window:
        window.until("← SCAT →")
        window.press("right")
        window.until("← SCOUT →")
        window.press("down", "left")
        window.until("← 2 →")
        window.press("down", "left")
        window.until("← easy →")
        window.press("enter")
        text = window.until("Welcome to SCOUT.")
        assert "round 1 of 3" in text
        window.press("q", "q")
        assert window.ended() == 0


def test_resize_degrades_and_comes_back(tmp_path: Path) -> None:
    with table(tmp_path, "scout", "--seats", "5", "--seed", "2") as window:
        window.until("Which way up?")
        window.resize(60, 24)
        window.until("tok S&S  round total")
        window.resize(48, 16)
        window.until("As dealt:")
        window.resize(30, 8)
        window.until("the game needs")
        window.resize(80, 24)
        window.until("cards  taken  tokens  S&S")
        window.resize(30, 8)
        window.until("the game needs")
        window.press("q")
        window.until("q = leave")
        window.press("q")
        assert window.ended() == 0


def test_ctrl_c_cancels_and_ctrl_d_asks_once(tmp_path: Path) -> None:
    with table(tmp_path, "scat", "--seats", "2", "--seed", "2") as window:
        window.until("Choose with a letter")
        window.press("d")
        window.until("►d  draw")
        window.press("c-c")
        window.until(lambda text: "nothing was sent" in text and "►d" not in text)
        window.press("c-d")
        window.until("Leave?")
        window.press("escape")
        window.until(lambda text: "Leave?" not in text)
        window.press("c-d")
        window.until("Leave?")
        window.press("c-d")
        assert window.ended() == 0


@pytest.mark.parametrize("way", ["q", pytest.param("term", marks=pytest.mark.slow), "gone"])
def test_terminal_is_restored_however_it_ends(tmp_path: Path, way: str) -> None:
    referee = "/bin/false" if way == "gone" else fake("scat", "--seed", "2")
    client = f"{sys.executable} {CLIENT} --referee '{referee}' --ui full"
    program = f"stty -a >before; {client}; echo LEFT $?; stty -a >after; cmp before after && echo SAME"
    with Terminal(tmp_path, program=program) as window:
        if way == "q":
            window.until("Choose with a letter")
            window.press("q", "q")
        elif way == "term":
            window.until("Choose with a letter")
            (client_pid,) = children(window.child.pid)
            os.kill(client_pid, signal.SIGTERM)
        text = window.until("SAME")
        assert "LEFT" in text
        assert b"\x1b[?1049l" in window.raw and window.raw.rindex(b"\x1b[?25h") > window.raw.index(b"\x1b[?1049h")
        window.ended()


def test_killed_referee_is_started_again_and_the_match_goes_on(tmp_path: Path) -> None:
    with table(tmp_path, "scat", "--seats", "3", "--seed", "9") as window:
        window.until("Choose with a letter")
        window.press("d", "enter", "enter")
        window.until("You drew")
        before = window.text()
        (referee,) = children(window.child.pid)
        kill_hard(referee)
        after = window.until("1 move replayed; the match goes on where it was.")
        drawn = re.search(r"Your hand .*", before)
        assert drawn is not None and drawn[0] in after
        window.press("tab", "enter", "enter")
        window.until(lambda text: "choose a card to drop" not in text)
        window.press("q")
        window.until("Leave?")
        window.press("q")
        assert window.ended() == 0


def test_a_fault_of_the_person_ends_the_match_with_the_reason(tmp_path: Path) -> None:
    with Terminal(tmp_path, "scat", "--opponents", "1", "--move-time", "300", "--pace", "none") as window:
        window.until("Welcome")
        window.press("enter")
        text = window.until("You are out by a fault, timeout")
        assert "play again" in text
        window.press("q")
        assert window.ended() == 0


def test_a_referee_that_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    line = "referee 1 version=1 games=scat"
    match = "match id=m0 game=scat seats=2 seat=0 names=stdio,b rng=0 move_ms=- bank_ms=0 increment_ms=0 strikes=0"
    with Terminal(tmp_path, "--referee", f"printf '{line}\\n{match}\\n'", "--ui", "full") as window:
        window.until("ended (exit code 0)")
        window.press("q")
        assert window.ended() == 70


@pytest.mark.parametrize("game", [pytest.param("scat", marks=pytest.mark.slow), "scout"])
def test_whole_match_by_documented_keys_to_the_final_table(tmp_path: Path, game: str) -> None:
    with table(tmp_path, game, "--seats", "3", "--seed", "1") as window:
        while "FINAL TABLE" not in (text := window.until(_waits_for_a_key, "the next decision")):
            window.press(_key_for(text))
            window.until(lambda now, seen=text: now != seen, "an answer to the key")  # type: ignore[misc]
        assert "a play again" in text
        window.press("a")
        window.until(lambda text: "FINAL TABLE" not in text and "round 1" in text)
        window.press("q", "q")
        assert window.ended() == 0


def _waits_for_a_key(text: str) -> bool:
    bar = text.rstrip().rpartition("\n")[2]
    return "Enter" in bar or "h hint" in bar or "play again" in bar


def _key_for(text: str) -> str:
    """Return the key that somebody would press who has read the screen."""
    answers = (
        ("Enter go on", "enter"),
        ("Enter = send", "enter"),
        ("Which way up?", "enter"),
        ("PREVIEW", "enter"),
        ("no legal Show", "s"),
        ("Tab 1 of", "enter"),
        ("legal Show", "tab"),
        ("►drop", "enter"),
        ("►t  take", "enter"),
        ("►d  draw", "enter"),
        ("►k  knock", "enter"),
    )
    return next((key for part, key in answers if part in text), "tab")


def test_no_color_and_ascii_are_obeyed(tmp_path: Path) -> None:
    with table(tmp_path, "scat", "--seed", "2", NO_COLOR="1", REFEREE_ASCII="1") as window:
        text = window.until("Choose with a letter")
        assert text.isascii()
        sgr = set(re.findall(rb"\x1b\[([0-9;]*)m", window.raw))
        assert all(set(one.split(b";")) <= {b"", b"0", b"1", b"4", b"7"} for one in sgr), sgr


@pytest.mark.parametrize("term", ["linux", "dumb"])
def test_terminal_type_decides(tmp_path: Path, term: str) -> None:
    with Terminal(tmp_path, "--referee", fake("scat", "--seed", "2"), "--pace", "none", TERM=term) as window:
        if term == "dumb":
            window.until("Your turn.")
            assert b"\x1b" not in window.raw
        else:
            assert window.until("Choose with a letter").isascii()
