"""Linear mode: golden transcripts, its queries, no escape byte, whole matches over a plain pipe."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from human import play
from human.linear import PLAIN
from scenes import Seat, scat_nine, scout_four
from terminal import CLIENT, environment, fake
from test_screens import compare

GOLDEN = Path(__file__).parent / "golden"
SHORT = {"scat": "start_coins=2", "scout": "turn_cap=1000"}
SCAT_ASKS = ["moves", "hand", "card 2", "table", "score", "seen", "rules knock", "best", "knock", "draw", "no"]
SCAT_ASKS += ["take", "drop 4", "drop 3", "no", "take drop 3c", "yes"]
SCOUT_ASKS = [
    "moves",
    "hand",
    "hand 9",
    "card 4",
    "table",
    "score",
    "seen",
    "scout",
    "scout right",
    "flip",
    "at 11",
    "no",
]
SCOUT_ASKS += ["show 10-11", "show 5-6", "no", "2", "no", "scout right at 11 then show 11-13", "undo", "last 2", "help"]
SCOUT_ASKS += ["scout left at 3 then", "no", "show 5-6", "yes"]


@pytest.fixture
def write(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--write-playthroughs"))


@pytest.mark.parametrize(
    ("name", "start", "asks"),
    [("scat", scat_nine, SCAT_ASKS), ("scout", scout_four, SCOUT_ASKS)],
    ids=["scat", "scout"],
)
def test_conversation_is_the_golden_one(name, start, asks, write) -> None:  # type: ignore[no-untyped-def]
    model = start()
    lines = [PLAIN.dress(play.aloud(sentence)) for sentence in model.said]
    for text in asks:
        before = len(model.said)
        model, _ = play.command(model, text)
        lines += [f"> {text}", *(PLAIN.dress(play.aloud(sentence)) for sentence in model.said[before:])]
    assert all(line.isascii() for line in lines)
    compare(f"linear-{name}.txt", lines, write)


@pytest.mark.parametrize(("game", "seats"), [("scat", 3), ("scout", 2), ("scout", 4)])
def test_whole_match_is_played_by_typed_commands_alone(game: str, seats: int) -> None:
    seat = Seat(game, seats=seats, seed=2)
    for _ in range(3000):
        if seat.model.ended:
            break
        before = len(seat.model.moves)
        seat.say("1")
        if seat.model.confirm is None:
            seat.say("1")
        if seat.model.confirm is None:
            seat.say("scout left at 1")
        seat.say("yes")
        assert seat.model.ended or len(seat.model.moves) > before, seat.model.said[-6:]
    assert seat.model.ended
    assert any(line.startswith("1st: ") for line in seat.model.said)


def converse(home: Path, lines: list[str], *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the client on pipes."""
    return subprocess.run(
        [sys.executable, str(CLIENT), *words],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        env=environment(home, **more),
        timeout=60,
    )


@pytest.mark.process
@pytest.mark.parametrize(("game", "answer"), [("scat", "scat"), ("scout", "scout")])
def test_whole_match_over_a_plain_pipe_ends_in_the_final_table(tmp_path: Path, game: str, answer: str) -> None:
    script = ["help", *["1", "1", "scout left at 1", "yes"] * 400]
    done = converse(tmp_path, script, "--referee", fake(game, "--seed", "3", "--seats", "3"))
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert "The match is over." in text and re.search(r"^1st: ", text, re.M) and re.search(r"^3rd|^2nd", text, re.M)
    assert b"\x1b" not in done.stdout and b"\r" not in done.stdout and done.stdout.isascii()
    for line in text.splitlines():
        assert line.startswith("> ") or not line.startswith(">") or line == ">"
    assert not done.stderr


@pytest.mark.process
@pytest.mark.parametrize("game", ["scat", "scout"])
def test_transcript_of_a_whole_match_is_the_golden_one(tmp_path: Path, game: str, write: bool) -> None:
    script = ["1", "1", "scout left at 1", "yes"] * 200
    done = converse(tmp_path, script, "--referee", fake(game, "--seed", "5", "--seats", "2", "--set", SHORT[game]))
    text = done.stdout.decode()
    assert "The match is over." in text
    compare(f"linear-match-{game}.txt", text.partition("The match is over.")[0].splitlines(), write)


@pytest.mark.process
def test_leaving_saves_and_resume_goes_on(tmp_path: Path) -> None:
    words = ("scout", "--seed", "7", "--opponents", "2", "--level", "easy", "--ui", "linear")
    first = converse(tmp_path, ["keep", "yes", "1", "yes", "score"], *words)
    assert first.returncode == 0, first.stderr.decode()
    assert b"The match is saved; referee play --resume" in first.stdout
    second = converse(tmp_path, ["score"], "--resume")
    assert b"2 moves replayed; the match goes on where it was." in second.stdout
    score = [line for line in first.stdout.decode().splitlines() if "Totals." in line]
    assert score[0] in second.stdout.decode().splitlines()


@pytest.mark.process
def test_replay_that_departs_says_so_and_plays_on(tmp_path: Path) -> None:
    referee = fake("scat", "--seed", "3", "--restless")
    seen = set()
    converse(tmp_path, ["draw", "yes", "drop 1", "yes", "draw", "yes", "drop 1", "yes"], "--referee", referee)
    for _ in range(6):
        done = converse(tmp_path, [], "--resume")
        seen |= {
            part for part in (b"The replay departed after", b"the match goes on where it was") if part in done.stdout
        }
        if b"The replay departed after" in seen:
            return
    raise AssertionError(f"six restless matches and never a departure: {seen}")


@pytest.mark.process
def test_a_referee_that_cannot_start_is_told_with_its_own_words(tmp_path: Path) -> None:
    done = converse(tmp_path, [], "scat", "--vs", "no_such_player")
    assert done.returncode != 0
    assert b"no_such_player" in done.stdout + done.stderr
    assert b"Traceback" not in done.stdout + done.stderr
    missing = converse(tmp_path, [], "--referee", "/no/such/program")
    assert missing.returncode != 0 and b"cannot be started" in missing.stderr


@pytest.mark.process
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict", "latin-1:strict"])
def test_no_byte_typed_ends_the_match(tmp_path: Path, encoding: str) -> None:
    garbage = b"\xff\xfe\x00\n\xc3\xa9\n\x1b[31m\n" + b"9" * 6000 + b"\n" + b"x" * 70000 + b"\nlast \xb2\nhand\n"
    done = subprocess.run(
        [sys.executable, str(CLIENT), "--referee", fake("scat", "--seed", "3")],
        input=garbage,
        capture_output=True,
        env=environment(tmp_path, PYTHONIOENCODING=encoding),
        timeout=60,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr.decode()
    assert done.stdout.isascii() and b"3 cards." in done.stdout
    assert all(len(line) < 200 for line in done.stdout.splitlines()), "what was typed is repeated in part only"


@pytest.mark.process
def test_a_referee_plays_several_matches_in_one_process(tmp_path: Path) -> None:
    script = [*["1", "1", "scout left at 1", "yes"] * 900]
    words = ("--seed", "3", "--seats", "3", "--matches", "3", "--set", "start_coins=1", "--set", "hand_cap=1")
    done = converse(tmp_path, script, "--referee", fake("scat", *words))
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert text.count("The match is over.") == 3 and text.count("Scat. Three players.") == 3
    assert text.count("Type again for another match") == 1


@pytest.mark.process
def test_a_saved_match_that_is_not_the_first_of_its_referee_goes_on(tmp_path: Path) -> None:
    words = ("--seed", "3", "--seats", "2", "--matches", "2", "--set", "hand_cap=1", "--set", "turn_cap=2")
    script = ["draw", "yes", "drop 1", "yes", "draw", "yes", "hand"]
    first = converse(tmp_path, script, "--referee", fake("scat", *words))
    assert first.stdout.decode().count("Scat. Two players.") == 2, first.stdout.decode()
    again = converse(tmp_path, ["hand"], "--resume")
    held = [line for line in first.stdout.decode().splitlines() if " cards. 1: " in line]
    assert "the match goes on where it was" in again.stdout.decode(), again.stdout.decode()
    assert held[-1:] == [line for line in again.stdout.decode().splitlines() if " cards. 1: " in line][-1:]


@pytest.mark.process
def test_the_clock_is_told_when_asked_for(tmp_path: Path) -> None:
    done = converse(tmp_path, ["clock"], "--referee", fake("scat", "--seed", "3", "--ms", "90500"))
    assert re.search(r"^> (90|89) seconds left for this move\.$", done.stdout.decode(), re.M)
    done = converse(tmp_path, ["clock"], "--referee", fake("scat", "--seed", "3"))
    assert "There is no clock." in done.stdout.decode()


@pytest.mark.process
@pytest.mark.parametrize(
    "line", ["act", "deal n=x", "did seat=9 move=knock", "match id=m0", "end ranks=-", "fault seat=77"]
)
def test_a_referee_that_talks_nonsense_is_answered_by_a_sentence(tmp_path: Path, line: str) -> None:
    match = "match id=m0 game=scat seats=2 seat=0 names=stdio,b rng=0 move_ms=- bank_ms=0 increment_ms=0 strikes=0"
    said = "\\n".join(
        ["referee 1 version=1 games=scat", match, "deal n=0 dealer=0 hand=KS,TS,4H pile=7D coins=3,3", line]
    )
    done = converse(tmp_path, [], "--referee", f"printf '{said}\\n'")
    assert b"Traceback" not in done.stdout + done.stderr, done.stderr.decode()


@pytest.mark.process
@pytest.mark.parametrize("home", ["/proc", "/dev/null"])
def test_where_nothing_can_be_saved_nothing_is_called_saved(home: str, tmp_path: Path) -> None:
    words = ("--referee", fake("scat", "--seed", "3"))
    done = converse(tmp_path, ["draw", "yes", "leave", "leave"], *words, XDG_STATE_HOME=home)
    text = done.stdout.decode()
    assert done.returncode == 0 and "cannot be saved in" in text
    assert "The match is lost then" in text and "The match is saved" not in text


@pytest.mark.process
def test_home_is_asked_in_lines(tmp_path: Path) -> None:
    done = converse(tmp_path, ["chess", "scout", "9", "2", "easy", "hand", "leave", "leave"])
    text = done.stdout.decode()
    assert "Which game: scat or scout?" in text and "'chess' is none of scat, scout." in text
    assert "'9' is none of 1, 2, 3, 4." in text and "Scout. Three players." in text
    assert done.returncode == 0
