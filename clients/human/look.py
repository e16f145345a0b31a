"""How text looks: glyphs or letters, ASCII or not, colours from the 16 of ANSI, never a painted background."""

import re
from dataclasses import dataclass
from typing import NamedTuple

SUIT_OF_LETTER = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
LETTER_OF_SUIT = {glyph: letter for letter, glyph in SUIT_OF_LETTER.items()}
SUIT_NAME = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
PALETTES = ("four", "two", "mono", "safe")
# Each palette gives a colour to each suit; "safe" tells red from black suits for colour-blind eyes.
COLOURS = {
    "four": {"♠": "", "♥": "ansired", "♦": "ansibrightblue", "♣": "ansigreen"},
    "two": {"♠": "", "♥": "ansired", "♦": "ansired", "♣": ""},
    "mono": {"♠": "", "♥": "", "♦": "", "♣": ""},
    "safe": {"♠": "ansibrightblue", "♥": "ansiyellow", "♦": "ansiyellow", "♣": "ansibrightblue"},
}
_CARD = re.compile("(10|[2-9JQKA])([♠♥♦♣])")
_LETTER_CARD = re.compile(r"(?<![A-Za-z0-9])(10|[2-9JQKA])([SHDC])(?![A-Za-z0-9])")
_ASCII = str.maketrans("─━│┃┌┐└┘├┤┬┴┼┏┓┗┛►◄●○·═╘╛▼←→…", "--||+++++++++++++><*--=\\/v<>.")


@dataclass(frozen=True)
class Look:
    """What the terminal shows and the person likes.

    ascii   -- only ASCII characters; letters stand for suits then
    letters -- suits as letters: KS, not K♠
    palette -- one of PALETTES
    """

    ascii: bool = False
    letters: bool = False
    palette: str = "four"

    def dress(self, text: str) -> str:
        """Return the text with the suits and lines that this look allows; dressing twice changes nothing."""
        if self.ascii or self.letters:
            text = _CARD.sub(lambda found: found[1] + LETTER_OF_SUIT[found[2]], text)
            for glyph, name in SUIT_NAME.items():
                text = text.replace(glyph, name)
        return text.translate(_ASCII) if self.ascii else text


class Row(NamedTuple):
    """One line of a screen.

    text  -- its characters, each one column wide
    style -- a prompt_toolkit style for the whole line
    marks -- (first column, column after the last, style) on top of it
    hits  -- (first column, column after the last, what a click there chooses), see play.click
    """

    text: str
    style: str = ""
    marks: tuple[tuple[int, int, str], ...] = ()
    hits: tuple[tuple[int, int, str], ...] = ()


def dressed(row: Row, look: Look, width: int) -> Row:
    """Return the row as this look shows it, cut at the width."""
    return row._replace(text=look.dress(row.text)[:width].rstrip())


def painted(row: Row, look: Look) -> list[tuple[str, str]]:
    """Return the row as (style, text) spans; colours are laid on top of the text and never change it."""
    styles = [row.style] * len(row.text)
    for start, end, style in row.marks:
        for at in range(start, min(end, len(styles))):
            styles[at] = f"{styles[at]} {style}".strip()
    for found in (_LETTER_CARD if look.ascii or look.letters else _CARD).finditer(row.text):
        suit = SUIT_OF_LETTER.get(found[2], found[2])
        colour = COLOURS[look.palette][suit]
        for at in range(found.start(), found.end()):
            styles[at] = f"{styles[at]} {colour}".strip()
    spans: list[tuple[str, str]] = []
    for style, character in zip(styles, row.text, strict=True):
        if spans and spans[-1][0] == style:
            spans[-1] = (style, spans[-1][1] + character)
        else:
            spans.append((style, character))
    return spans


def wrap(text: str, width: int) -> list[str]:
    """Return the text in lines of at most `width` characters, broken at blanks where there are any."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        while len(word) > width:
            lines.extend([line] if line else [])
            line, word = "", word[width:] if not line else word
            lines.append(word[:width])
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
