"""The typed grammar, and the only place where numbers change: people count from 1, the wire counts from 0.

What the keys build is shown as a command of this grammar, the `:` line and linear mode read it, and the log
prints it. Words for the wire come out of it again, so the two can never mean different things.
"""

import difflib
import re
from itertools import takewhile
from typing import NamedTuple

from human.look import LETTER_OF_SUIT

RANK_NAMES = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
_RANK_WORDS = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T", "10": "T"} | {
    name: str(2 + at) for at, name in enumerate("two three four five six seven eight nine".split())
}
MOST_DIGITS = 9  # of a typed number
MOST_QUOTED = 30  # characters of a word that an answer repeats
COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split()


class Misread(Exception):
    """What was typed is no command; the text is a sentence that says what would do."""


def shown(number: int) -> int:
    """Return a number of the wire as a person counts: seats, places, turns and rounds start at 1."""
    return number + 1


def wired(number: int) -> int:
    """Return a number that a person counted as the wire counts it."""
    return number - 1


def whole(word: str) -> int | None:
    """Return the whole number that a person typed, None when it is none; digits of other alphabets are none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS else None


def quoted(word: str) -> str:
    """Return what was typed in quotation marks: printable, and not much of it."""
    return repr(word if len(word) <= MOST_QUOTED else f"{word[:MOST_QUOTED]}...")


def span(first: int, last: int) -> str:
    """Return places of a hand, wire numbers, as a person types them: `5` or `5-6`."""
    return str(shown(first)) if first == last else f"{shown(first)}-{shown(last)}"


def count(number: int) -> str:
    """Return a count as a word up to twelve, else in digits."""
    return COUNTS[number] if 0 <= number < len(COUNTS) else str(number)


def plural(number: int, word: str) -> str:
    """Return `1 card`, `2 cards`, `no cards`."""
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def nearest(word: str, known: tuple[str, ...]) -> str:
    """Return ` Did you mean X?` for the nearest known word, or nothing."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


# --- wire words as typed commands -------------------------------------------------------------------------------


class Scouting(NamedTuple):
    """One Scout: the end taken (`L` or `R`), the place it will have (from 0), whether it is turned over."""

    end: str
    place: int
    flip: bool

    def wire(self, verb: str = "scout") -> str:
        """Return the word of the wire."""
        return f"{verb}:{self.end}{self.place}{'f' if self.flip else ''}"


def scouting(word: str) -> Scouting:
    """Return the Scout that a word of the wire spells, such as `scout:L3f`."""
    found = re.fullmatch(r"scout(?:show)?:([LR])(\d*)(f?)", word)
    assert found is not None, f"{word} is no Scout"
    return Scouting(found[1], int(found[2] or 0), bool(found[3]))


def slice_of(word: str) -> tuple[int, int]:
    """Return first and last place (from 0) of a Show on the wire, such as `show:2-4`."""
    first, _, last = word.removeprefix("show:").partition("-")
    return int(first), int(last or first)


def show_word(first: int, last: int) -> str:
    """Return a Show on the wire; places count from 0."""
    return f"show:{first}" if first == last else f"show:{first}-{last}"


def typed(word: str) -> str:
    """Return a word of the wire as a person types it: `show:2-4` is `show 3-5`, `pile` is `take`."""
    verb = word.partition(":")[0]
    if verb == "show":
        return f"show {span(*slice_of(word))}"
    if verb in ("scout", "scoutshow"):
        scout = scouting(word)
        side = "left" if scout.end == "L" else "right"
        return f"scout {side}{' flip' if scout.flip else ''} at {shown(scout.place)}"
    plain = {"stock": "draw", "pile": "take", "throwdown": "throw"}
    if word in plain:
        return plain[word]
    if len(word) == 2 and word[0] in "23456789TJQKA":
        return f"drop {word[0].replace('T', '10')}{word[1]}"
    return word


def typed_all(words: tuple[str, ...]) -> str:
    """Return the words of one decision as one command: `take, drop 9H`, `scout left at 3 then show 2-4`."""
    return " then ".join(typed(word) for word in words)


# --- typed commands as values -----------------------------------------------------------------------------------


class Command(NamedTuple):
    """One typed command: the verb in full, and the rest as typed, in lower case words."""

    verb: str
    rest: tuple[str, ...]


def command(text: str, known: tuple[str, ...]) -> Command:
    """Return what was typed. A verb may be cut short while only one known verb begins so; raises Misread."""
    words = re.sub(r"(\d)\s*-\s*(\d)", r"\1-\2", text.replace(",", " ").lower()).split()
    if not words:
        raise Misread("Nothing was typed. Type help for the commands.")
    if words[0] in known:
        return Command(words[0], tuple(words[1:]))
    begun = tuple(verb for verb in known if verb.startswith(words[0]))
    if len(begun) == 1:
        return Command(begun[0], tuple(words[1:]))
    if begun:
        raise Misread(f"{quoted(words[0])} may be {' or '.join(begun)}. Type a little more.")
    near = nearest(words[0][:MOST_QUOTED], known)
    raise Misread(f"There is no command {quoted(words[0])}.{near} Type help for the commands.")


class Completion(NamedTuple):
    """What Tab makes of a line: the line, and the words that could stand last in it."""

    line: str
    choices: tuple[str, ...]


def completed(line: str, known: tuple[str, ...]) -> Completion:
    """Return the line with its last word completed as far as the known words agree."""
    start, blank, part = line.rpartition(" ")
    found = tuple(word for word in known if word.lower().startswith(part.lower()))
    if len(found) == 1:
        return Completion(f"{start}{blank}{found[0]} ", found)
    columns = zip(*(word.lower() for word in found), strict=False)
    common = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, columns))
    return Completion(f"{start}{blank}{common}" if len(common) > len(part) else line, found)


def place(word: str, size: int, what: str = "place") -> int:
    """Return a typed place as the wire counts it; raises Misread when it is not 1 .. size."""
    number = whole(word)
    if not word:
        raise Misread(f"Which {what}? Type a number from 1 to {size} after it.")
    if number is None or not 1 <= number <= size:
        raise Misread(f"{quoted(word)} is no {what} here; type a number from 1 to {size}.")
    return wired(number)


def places(words: tuple[str, ...], size: int) -> tuple[int, int]:
    """Return the first and last place of `5-6`, `5 6`, `5 to 6` or `5`, as the wire counts; raises Misread."""
    parts = [part for word in words for part in word.split("-") if part not in ("", "to")]
    if len(parts) not in (1, 2):
        raise Misread("Type the first and the last place, such as show 5-6, or one place, such as show 3.")
    first, last = place(parts[0], size), place(parts[-1], size)
    return min(first, last), max(first, last)


def card(words: tuple[str, ...]) -> str | None:
    """Return the card of the 52 that the words name, as the wire spells it, or None.

    Read are KS, K♠, 10h, th, `king of spades`, `10 of hearts`, `ten hearts`.
    """
    text = "".join(word for word in words if word != "of")
    for glyph, letter in LETTER_OF_SUIT.items():
        text = text.replace(glyph, letter)
    found = re.fullmatch(r"(10|[2-9tjqka]|[a-z]+?)(s|h|d|c|spades?|hearts?|diamonds?|clubs?)", text.lower())
    if found is None:
        return None
    rank = _RANK_WORDS.get(found[1], found[1].upper())
    return rank + found[2][0].upper() if len(rank) == 1 and rank in "23456789TJQKA" else None
