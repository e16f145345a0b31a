"""What all the illegal answers of a player have in common: the habit behind them, which no single one shows.

A habit is found by trying it: when the places of every refused Show are one too high, and each is legal once 1 is
taken off, then the program counts from 1. Where no known habit fits, what the requests have in common is said.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from referee.games import scout

ENOUGH: Final = 0.9  # of the failures must fit a habit
BARE: Final = re.compile(r"show:(\d+)(?:-(\d+))?|(scout|scoutshow):([LR])(\d+)(f?)")


class Case(NamedTuple):
    """A request and its answer.

    where  -- which position or match, for a person
    before -- the legal actions of the request before in the same match; none when there was none
    wrong  -- why the answer was refused; "" when it was legal
    ms     -- how long it took
    """

    where: str
    game: str
    view: Mapping[str, str]
    legal: tuple[str, ...]
    word: str
    wrong: str = ""
    ms: float = 0.0
    before: tuple[str, ...] = ()


def pattern_of(cases: Sequence[Case]) -> str:
    """Return a sentence on what the refused answers have in common, or "" when nothing is found.

    cases -- all answers of one game, legal and refused
    """
    failures = [case for case in cases if case.wrong]
    if len(failures) < 2:
        habit = habit_of(failures[0]) if failures else ""
        return f"the one failure is of this kind: {habit}" if habit else ""
    for habit, mended in _HABITS:
        fitting = [(case, better) for case in failures if (better := mended(case))]
        if len(fitting) >= ENOUGH * len(failures):
            case, better = fitting[0]
            whole = f"all {len(failures)}" if len(fitting) == len(failures) else f"{len(fitting)} of {len(failures)}"
            example = "" if better == case.word else f": {case.word} for {better}"
            return f"{whole} failures are {habit}{example}"
    return _shared(failures, [case for case in cases if not case.wrong])


def habit_of(case: Case) -> str:
    """Return the one known habit that explains a single refused answer; "" when none does, or several do."""
    found = [(habit, better) for habit, mended in _HABITS if (better := mended(case))]
    if len(found) != 1:
        return ""
    habit, better = found[0]
    return habit if better == case.word else f"{habit}: {case.word} for {better}"


def late_pattern(late: Sequence[Case], answered: Sequence[Case]) -> str:
    """Return a sentence on what the requests share whose answers came too late."""
    sizes = [_cards(case) for case in late]
    smaller = [case for case in answered if _cards(case) < min(sizes)]
    larger = len(answered) - len(smaller)
    if min(sizes) > 4 and len(smaller) > len(answered) * 0.5 and larger <= len(late) * 2:
        slowest = max(case.ms for case in smaller)
        return (
            f"all {len(late)} late answers are to hands of {min(sizes)} cards or more; the {len(smaller)} answers to"
            f" smaller hands took at most {slowest:.1f} ms: it is slow only on big hands"
        )
    return _shared(late, answered)


# -- habits: each returns the word that was meant when it explains a refused answer, else ""


def _shifted(by: int) -> Callable[[Case], str]:
    def mended(case: Case) -> str:
        match = BARE.fullmatch(case.word)
        if case.game != "scout" or not match:
            return ""
        if match[3]:
            word = f"{match[3]}:{match[4]}{int(match[5]) + by}{match[6]}"
        else:
            word = _show(int(match[1]) + by, int(match[2] or match[1]) + by)
        return word if word in case.legal else ""

    return mended


def _show(first: int, last: int) -> str:
    return f"show:{first}" if first == last else f"show:{first}-{last}"


def _places(case: Case) -> tuple[int, int] | None:
    """Return the first and last place of a refused Show that lies within the hand."""
    match = BARE.fullmatch(case.word)
    if case.game != "scout" or not match or match[3] or match[1] == match[2]:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    return (first, last) if first <= last < _cards(case) else None


def _from_the_right(case: Case) -> str:
    if not (places := _places(case)):
        return ""
    size = _cards(case)
    word = _show(size - 1 - places[1], size - 1 - places[0])
    return word if word in case.legal else ""


def _hidden_side(case: Case) -> str:
    """The Show would be good with the hidden numbers of these cards: the whole hand is taken for turned."""
    if not (places := _places(case)):
        return ""
    turned = tuple(scout.TURNED[card] for card in _named(case, places))
    return case.word if scout.strength(turned) > scout.strength(scout.cards(case.view["active"])) else ""


def _one_turned(case: Case) -> str:
    """The Show would be good if one of its cards were the other way up."""
    if not (places := _places(case)):
        return ""
    cards, bar = _named(case, places), scout.strength(scout.cards(case.view["active"]))
    for n, card in enumerate(cards):
        if scout.strength((*cards[:n], scout.TURNED[card], *cards[n + 1 :])) > bar:
            return case.word
    return ""


def _named(case: Case, places: tuple[int, int]) -> scout.Cards:
    return scout.cards(case.view["hand"])[places[0] : places[1] + 1]


def _other_way_round(case: Case) -> str:
    match = re.fullmatch(r"show:(\d+)-(\d+)", case.word)
    word = _show(int(match[2]), int(match[1])) if match and int(match[2]) < int(match[1]) else ""
    return word if word in case.legal else ""


def _spelled(case: Case) -> str:
    """The answer is a legal action in another spelling."""
    plain = case.word.upper().replace("10", "T").replace("-", "").replace(":", "")
    for word in case.legal:
        if word != case.word and word.upper().replace("-", "").replace(":", "") == plain:
            return word
    match = re.fullmatch(r"show:(\d+)-\1", case.word)
    return f"show:{match[1]}" if match and f"show:{match[1]}" in case.legal else ""


def _stale(case: Case) -> str:
    """The answer names cards or places, and was legal at the request before."""
    names_cards = ":" in case.word or not case.word.isalpha() or case.word.isupper()
    return case.word if names_cards and case.word in case.before else ""


def _back_to_the_pile(case: Case) -> str:
    discards = case.view.get("phase") == "discard" and case.view.get("from") == "pile"
    return case.word if case.game == "scat" and discards and case.word == case.view.get("drawn") else ""


def _beaten(case: Case) -> str:
    """The Show is a set, but does not beat what lies on the table."""
    if not (places := _places(case)) or case.view["active"] == "-":
        return ""
    return case.word if scout.strength(_named(case, places)) else ""


_HABITS: Final[tuple[tuple[str, Callable[[Case], str]], ...]] = (
    ("places counted from 1; places in a hand count from 0", _shifted(-1)),
    ("places that are one too low", _shifted(1)),
    ("legal actions in another spelling", _spelled),
    ("places given last first", _other_way_round),
    ("places counted from the right; hands are listed and counted from the left", _from_the_right),
    ("Shows of the hidden numbers: 7/2 shows 7 and hides 2, or the hand was turned and that was ignored", _hidden_side),
    ("Shows with one card the wrong way up: the f of a Scout turns the card over", _one_turned),
    ("discards of the card just taken from the pile, which must be kept in that turn (S19)", _back_to_the_pile),
    ("sets that do not beat the active set", _beaten),
    ("answers that were legal at the request before: an old hand is remembered", _stale),
)


# -- what requests have in common


def _features(case: Case) -> dict[str, str]:
    """Return what can be said of a request and its answer, as a clause each."""
    view, verb = case.view, case.word.partition(":")[0]
    found = {"phase": f"in phase {view.get('phase', '-')}"}
    if verb.isalpha() and verb.islower():
        found["verb"] = f"the answer {verb}"
    if "from" in view:
        found["from"] = f"after a draw from the {view['from']}"
    if "knocker" in view:
        found["knocker"] = "after a knock" if view["knocker"] != "-" else "before any knock"
    if "active" in view:
        found["active"] = "with nothing to beat" if view["active"] == "-" else "against an active set"
    if "coins" in view:
        found["coins"] = "with a seat out of the match" if "-" in view["coins"].split(",") else "with all seats in"
    if view.get("pile") == "-":
        found["pile"] = "with no discard pile"
    return found


def _shared(failures: Sequence[Case], rest: Sequence[Case]) -> str:
    """Return the clauses that hold for all failures and seldom for the rest, as a sentence; "" when there are none."""
    if len(failures) < 2:
        return ""
    common = set(_features(failures[0]).values())
    for case in failures[1:]:
        common &= set(_features(case).values())
    others = [set(_features(case).values()) for case in rest]
    telling = sorted((sum(clause in other for other in others), clause) for clause in common)
    telling = [(count, clause) for count, clause in telling if count < len(others) * 0.8 or not others]
    if not telling:
        return ""
    clauses = [clause for _, clause in telling[:3]]
    same = sum(all(clause in other for clause in clauses) for other in others)
    ending = f"; {same} other answers there were legal" if same else "; no other answer there was legal"
    return f"all {len(failures)} failures are {', '.join(clauses)}{ending}"


def _cards(case: Case) -> int:
    hand = case.view.get("hand", "-")
    return 0 if hand == "-" else hand.count(",") + 1
