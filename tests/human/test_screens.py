"""Screens as text, without a terminal: golden files, widths, ASCII, and the same text with and without colour.

`pytest tests/human --write-playthroughs` writes the golden files anew; review them as pictures in the diff.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from human import play
from human.look import PALETTES, Look, painted
from human.model import Model
from human.screen import screen
from scenes import SCENES, heard, pressed
from wcwidth import wcswidth

GOLDEN = Path(__file__).parent / "golden"
SIZES = [(80, 24), (60, 20)]
SMALL = [(50, 16), (40, 12), (100, 40), (39, 24), (80, 11), (20, 5)]
ASCII = Look(ascii=True)
LETTERS = Look(letters=True)


def text(scene: str, width: int, height: int, look: Look | None = None) -> list[str]:
    return [row.text for row in screen(SCENES[scene](), width, height, look)]


def compare(name: str, lines: list[str], write: bool) -> None:
    path = GOLDEN / name
    body = "\n".join(lines).rstrip("\n") + "\n"
    if write:
        path.write_text(body)
    assert path.exists(), f"{path} is missing; pytest --write-playthroughs writes it"
    assert path.read_text() == body, f"the screen differs from {path}"


@pytest.fixture
def write(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--write-playthroughs"))


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_screen_is_the_golden_one(scene: str, width: int, height: int, write: bool) -> None:
    compare(f"{scene}-{width}x{height}.txt", text(scene, width, height), write)


@pytest.mark.parametrize("scene", ["scat-nine", "scat-two-preview", "scout-four-scout", "scout-five"])
def test_ascii_screen_is_the_golden_one(scene: str, write: bool) -> None:
    compare(f"{scene}-80x24-ascii.txt", text(scene, 80, 24, ASCII), write)


@pytest.mark.parametrize("scene", ["scat-nine-preview", "scout-four-tab"])
def test_small_screen_is_the_golden_one(scene: str, write: bool) -> None:
    compare(f"{scene}-50x16.txt", text(scene, 50, 16), write)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize(("width", "height"), SIZES + SMALL)
@pytest.mark.parametrize("look", [Look(), ASCII, LETTERS], ids=["glyphs", "ascii", "letters"])
def test_every_line_fits_the_window(scene: str, width: int, height: int, look: Look) -> None:
    lines = text(scene, width, height, look)
    assert len(lines) == height
    for line in lines:
        assert 0 <= wcswidth(line) <= width, line
        if look.ascii:
            assert line.isascii(), line
        if look.letters:
            assert not set(line) & set("♠♥♦♣"), line


@pytest.mark.parametrize("scene", SCENES)
def test_colour_adds_nothing_but_colour(scene: str) -> None:
    rows = screen(SCENES[scene](), 80, 24)
    for palette in PALETTES:
        for row in rows:
            spans = painted(row, Look(palette=palette))
            assert "".join(part for _, part in spans) == row.text
            assert not any("bg:" in style for style, _ in spans), "the background is never painted"


def test_suits_are_told_apart_by_letters_in_every_palette() -> None:
    lines = "\n".join(text("scat-nine", 80, 24, LETTERS))
    assert "KH" in lines and "3C" in lines and "hearts" in lines


@pytest.mark.parametrize(("width", "height"), [(40, 12), (48, 16), (59, 20), (60, 20), (80, 24)])
@pytest.mark.parametrize(
    ("scene", "key"),
    [
        ("scout-orient", "f"),
        ("scout-four", "tab"),
        ("scout-four-scout", "e"),
        ("scout-four-scout", "f"),
        ("scout-four-scout", "left"),
        ("scout-four-scout", "tab"),
        ("scat-nine", "tab"),
        ("scat-nine-take", "right"),
        ("scat-two-drop", "tab"),
    ],
)
def test_every_choice_is_seen_in_every_window(scene: str, key: str, width: int, height: int) -> None:
    model = SCENES[scene]()
    seen = []
    for _ in range(3):
        # The key bar may change with the first key only; what is chosen must be seen each time.
        seen.append([row.text for row in screen(model, width, height)][:-1])
        model = pressed(model, key)
    assert seen[0] != seen[1] != seen[2]


@pytest.mark.parametrize("scene", ["scout-four-tab", "scout-five-14", "scat-nine-take"])
def test_nothing_above_the_choice_moves_when_something_is_chosen(scene: str) -> None:
    before = text(scene.replace("-tab", "").replace("-take", ""), 80, 24)
    after = text(scene, 80, 24)
    seats = 10 if scene.startswith("scat") else 7
    assert [line[:6] for line in before[:seats]] == [line[:6] for line in after[:seats]]


@pytest.mark.parametrize(("width", "height"), [(39, 24), (80, 11), (20, 5), (1, 1)])
def test_a_window_too_small_says_so_and_how_to_leave(width: int, height: int) -> None:
    lines = text("scat-nine", width, height)
    if width >= 20:
        assert "40x12" in " ".join(lines) and "q leaves" in " ".join(lines)


def test_scene_facts_are_on_the_screen() -> None:
    nine = "\n".join(text("scat-nine", 80, 24))
    for fact in (
        "seed 42",
        "round 6",
        "8 of 9 alive",
        "Stock 17",
        "[7♥]",
        "counts 19 in ♥",
        "KNOCKED",
        "not now: mcts-200",
    ):
        assert fact in nine
    four = "\n".join(text("scout-four-tab", 80, 24))
    for fact in ("Tab 1 of 2", "run of 3 (3-5) beats it, longer", "the round ends", "set of 2 (7s)", "-10"):
        assert fact in four
    assert "does not beat set of 2 (7s): a set beats a run" in "\n".join(text("scout-four-illegal", 80, 24))
    insertion = "\n".join(text("scout-four-scout", 80, 24))
    for fact in ("PREVIEW  your hand would be 15 cards", "▼▼▼ new", "Place 11, between 10 and 11", "◄ taking"):
        assert fact in insertion
    assert "REVIEW, 3 moves behind live" in "\n".join(text("scat-review", 80, 24))


# --- tables that somebody else names and sets -----------------------------------------------------------------

UNKIND = ("a" * 32, "YOU", "you")
ODD = {
    "rich": (("start_coins=100",), "coins=100,99,7,100"),
    "plain": ((), "coins=3,2,1,0"),
}


def odd_table(coins: str, *options: str, seed: str = "7") -> Model:
    names = ",".join(("stdio", *UNKIND))
    return replace(
        heard(
            [
                f"match id=m0 game=scat seats=4 seat=0 names={names} rng=0 move_ms=-",
                f"options preset=seed {' '.join(options)}",
                f"deal n=11 dealer=0 hand=KS,TS,4H pile=7D {coins}",
                f"act 3 ms=- deal=11 turn=3 phase=draw hand=KS,TS,4H pile=7D stock=39 {coins} knocker=- dealer=0 "
                "legal=stock,pile,knock",
            ]
        ),
        seed=seed,
    )


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_columns_stand_under_their_heads_whatever_the_names_and_coins(odd: str, width: int) -> None:
    options, coins = ODD[odd]
    lines = [row.text for row in screen(odd_table(coins, *options), width, 24)]
    head = next(line for line in lines if "last action" in line)
    seats = [line for line in lines if line[6:7] in "1234" and line[2:6].strip() == ""][:4]
    assert len(seats) == 4 and head.index("coins") == seats[0].index("100 of 100" if odd == "rich" else "●●●")
    assert head.index("last action") == seats[0].index("your turn")


def test_a_program_that_calls_itself_you_is_told_apart_from_the_person() -> None:
    model = odd_table("coins=3,2,1,0")
    lines = "\n".join(row.text for row in screen(model, 80, 24))
    assert lines.count(" YOU  ") == 1 and "YOU (seat 3)" in lines and "you (seat 4)" in lines


def test_a_long_seed_gives_way_to_the_round() -> None:
    for width in (60, 80, 100):
        head = screen(odd_table("coins=3,2,1,0", seed="s" * 70), width, 24)[0].text
        assert "round 12" in head and len(head) <= width


@pytest.mark.parametrize(("seats", "goes_on"), [(2, "the match ends here"), (3, "caretaker plays on")])
def test_a_fault_says_what_follows_and_stays_in_the_final_table(seats: int, goes_on: str) -> None:
    names, coins = ",".join(("stdio", "b", "c")[:seats]), ",".join("333"[:seats])
    start = f"match id=m0 game=scat seats={seats} seat=0 names={names} rng=0 move_ms=-"
    model = heard([start, f"deal n=0 dealer=0 hand=KS,TS,4H pile=7D coins={coins}", "fault seat=1 code=exit"])
    assert goes_on in model.said[-1]
    ends = {2: ("1,2", "3,3"), 3: ("1,3,2", "3,1,2")}[seats]
    model = heard([start, f"deal n=0 dealer=0 hand=KS,TS,4H pile=7D coins={coins}", "fault seat=1 code=exit"])
    model, _ = play.hear(model, f"end ranks={ends[0]} scores={ends[1]}")
    lines = "\n".join(row.text for row in screen(model, 80, 24))
    assert "out by a fault (exit)" in lines and any("b, " in line and "fault (exit)" in line for line in model.said)


def test_help_and_rules_tell_the_options_of_this_match() -> None:
    model = odd_table("coins=3,2,1,0", "stock_out=reshuffle", "start_coins=3")
    told, _ = play.command(model, "rules options")
    assert "stock_out=reshuffle" in told.said[-1] and "these hold" in told.said[-1]
    assert any("stock_out=reshuffle" in row.text for row in screen(replace(model, overlay="help"), 100, 80))
