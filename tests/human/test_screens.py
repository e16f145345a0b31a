"""Screens as text, without a terminal: golden files, widths, ASCII, and the same text with and without colour.

`pytest tests/human --write-playthroughs` writes the golden files anew; review them as pictures in the diff.
"""

from pathlib import Path

import pytest
from human.look import PALETTES, Look, painted
from human.screen import screen
from scenes import SCENES
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
