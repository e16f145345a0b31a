"""Make the pictures of the README from scenes of the golden screens: `./run python -m tests.human.pictures`.

Static SVG, one per game: text stays text, no font, script or link from elsewhere.
"""

import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "clients"), str(HERE)]

from human.look import Look, painted  # noqa: E402 - the path comes first
from human.screen import screen  # noqa: E402
from scenes import SCENES  # noqa: E402

PICTURES = {
    "scat": (
        "scat-two-preview",
        "SCAT in the terminal: four cards in hand, the drop chosen and explained, not yet sent",
    ),
    "scout": (
        "scout-four-scout",
        "SCOUT in the terminal: a scouted card is tried in the hand, the set it forms is marked",
    ),
}
WIDTH, HEIGHT = 80, 24
CELL, LINE, SIZE, EDGE = 8.4, 17, 14, 14
FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
INK, PAPER = "#d8dee9", "#22272e"
COLOURS = {"ansired": "#ff7b72", "ansibrightblue": "#79c0ff", "ansigreen": "#7ee787", "ansiyellow": "#e3b341"}


def picture(scene: str, words: str) -> str:
    """Return one screen as SVG text; words: what it shows, for those who cannot see it."""
    width, height = WIDTH * CELL + 2 * EDGE, HEIGHT * LINE + 2 * EDGE
    look = Look()
    rows = screen(SCENES[scene](), WIDTH, HEIGHT, look)
    lines = []
    for at, row in enumerate(rows):
        column = 0
        for style, text in painted(row, look):
            if text.strip():
                lines.append(_span(text, column, at, style.split()))
            column += len(text)
    told = escape("\n".join(row.text for row in rows))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(words)}</title>',
            f'<desc id="desc">{told}</desc>',
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
            f'<g font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">',
            *lines,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _span(text: str, column: int, row: int, style: list[str]) -> str:
    lead = len(text) - len(text.lstrip(" "))
    text, column = text.strip(" "), column + lead
    x, y = EDGE + column * CELL, EDGE + row * LINE + SIZE
    bold = ' font-weight="bold"' if "bold" in style else ""
    fill = next((f' fill="{COLOURS[one]}"' for one in style if one in COLOURS), "")
    # textLength keeps the columns whatever font the reader has.
    place = f'x="{x:g}" y="{y:g}" textLength="{len(text) * CELL:g}" xml:space="preserve"'
    return f"<text {place}{bold}{fill}>{escape(text)}</text>"


def main() -> None:
    """Write docs/scat.svg and docs/scout.svg."""
    for game, (scene, words) in PICTURES.items():
        path = ROOT / "docs" / f"{game}.svg"
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture(scene, words))
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
