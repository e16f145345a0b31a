"""The referee's lines as values: a verb, then words, mostly `key=value`; `text=` runs to the end of the line."""

from collections.abc import Mapping
from typing import NamedTuple

PROTOCOL = "1"
READY = "ready events=live"
MAX_DIGITS = 18


class Message(NamedTuple):
    """One line of the referee: `verb`, the words without `=` in order, and the others as key -> value."""

    verb: str
    args: tuple[str, ...]
    fields: Mapping[str, str]

    def items(self, key: str) -> tuple[str, ...]:
        """Return the list that `key` holds; `-` and a missing key are the empty list."""
        return listed(self.fields.get(key, "-"))

    def numbers(self, key: str) -> tuple[int | None, ...]:
        """Return the numbers that `key` holds, None for each `-` among several."""
        text = self.fields.get(key, "")
        return tuple(number(item) for item in text.split(",")) if text else ()

    def number(self, key: str) -> int | None:
        """Return the number that `key` holds, None for `-` and for a missing key."""
        return number(self.fields.get(key, "-"))


def number(text: str) -> int | None:
    """Return the whole number that a word spells, or None."""
    digits = text[1:] if text[:1] == "-" else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS else None


def listed(text: str) -> tuple[str, ...]:
    """Return the items of a list of the wire; `-` alone is the empty list."""
    return () if text in ("-", "") else tuple(text.split(","))


def parse(line: str) -> Message:
    """Return a line as a Message; an empty line has the verb ``."""
    head, mark, text = line.strip().partition(" text=")
    words = head.split()
    fields = dict(word.partition("=")[::2] for word in words[1:] if "=" in word)
    if mark:
        fields["text"] = text
    return Message(words[0] if words else "", tuple(word for word in words[1:] if "=" not in word), fields)
