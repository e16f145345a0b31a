"""Lines of the wire as words for a person. Here, and only here, seats, places, deals and turns count from 1.

A sentence tells one event to somebody who listens; `brief` is the same move as a person would type it, for lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from referee.games import scout
from referee.wire import safe, words

_SCAT_REASONS = {
    "knock": "showdown after the knock",
    "31": "31 is declared",
    "stock": "the stock ran out",
    "cap": "the deal reached its turn cap",
    "void": "the stock ran out and the deal is void",
    "throwdown": "showdown after the throw down",
}
_SCOUT_REASONS = {
    "empty": "a hand is empty",
    "unbeaten": "nobody beat the latest Show",
    "stuck": "no move is left",
    "cap": "the round reached its turn cap",
}
_SCAT_BRIEF = {"stock": "draw", "pile": "take", "knock": "KNOCK", "throwdown": "THROW DOWN"}


class Narrator:
    """Turns the lines that one listener hears into sentences; a line that needs none gives an empty string.

    names -- what the seats are called
    """

    def __init__(self, game: str, names: Sequence[str]) -> None:
        self.names = names
        self.scat = game == "scat"
        self.deal = "Deal" if self.scat else "Round"
        self.reasons = _SCAT_REASONS if self.scat else _SCOUT_REASONS

    def sentence(self, line: str, listener: int | None = None) -> str:
        """Return the sentence for one line of the wire or of a record; several, indented, where seats are listed.

        listener -- the seat that heard the line; its own hand is told under its name
        """
        verb, _, keys = words(line)
        if verb == "deal" and listener is not None and keys.get("hand", "-") != "-":
            return f"{self._deal(keys)}\n    {self.names[listener]} holds {cards(keys['hand'])}."
        telling: Callable[[Mapping[str, str]], str] | None = getattr(self, f"_{verb}", None)
        return telling(keys) if telling else ""

    def brief(self, line: str) -> str:
        """Return a `did` line as few words, such as `show 3-6`, `scout left flip at 4`, `draw 10H`, `drop 4C`."""
        _, _, keys = words(line)
        return _scat_brief(keys) if self.scat else _scout_brief(keys)

    def reason(self, word: str) -> str:
        """Return why a deal ended."""
        return self.reasons.get(word, safe(word))

    def _name(self, keys: Mapping[str, str]) -> str:
        return self.names[int(keys["seat"])]

    def _deal(self, keys: Mapping[str, str]) -> str:
        number = int(keys.get("n", keys.get("deal", "0"))) + 1  # a record spells it as a view does
        if self.scat:
            head = f"Deal {number}: {self.names[int(keys['dealer'])]} deals; the upcard is {cards(keys['pile'])}."
        else:
            head = f"Round {number}: {self.names[int(keys['starter'])]} starts."
        hands = keys["hands"].split(";") if "hands" in keys else []
        held = [(seat, hand) for seat, hand in enumerate(hands) if hand != "-"]
        return "\n".join([head, *(f"    {self.names[seat]} holds {cards(hand)}." for seat, hand in held)])

    def _did(self, keys: Mapping[str, str]) -> str:
        by = f" (the {keys['by']} plays)" if "by" in keys else ""
        remark = f'  "{safe(keys["text"])}"' if "text" in keys else ""
        return f"{self._name(keys)} {_scat_did(keys) if self.scat else _scout_did(keys)}{by}.{remark}"

    def _reshuffle(self, keys: Mapping[str, str]) -> str:
        return f"The discards are shuffled into a new stock of {count(keys['stock'], 'card')}."

    def _over(self, keys: Mapping[str, str]) -> str:
        heading = f"{self.deal} {int(keys['deal']) + 1} is over: {self.reason(keys['reason'])}."
        return "\n".join([heading, *(f"    {name} {told}" for name, told in self._ledger(keys))])

    def _ledger(self, keys: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return what a deal brought to each seat that was in it, as (name, clause)."""
        columns = {key: value.split(";" if key == "hands" else ",") for key, value in keys.items()}
        seats = [{key: column[seat] for key, column in columns.items() if seat < len(column)} for seat in self._seats()]
        tell = _scat_ledger if self.scat else _scout_ledger
        return [(self.names[seat], told) for seat in self._seats() if (told := tell(seats[seat]))]

    def _seats(self) -> range:
        return range(len(self.names))

    def _fault(self, keys: Mapping[str, str]) -> str:
        return f"{self._name(keys)} is out of the match by a fault, {_fault_text(keys)}"

    def _strike(self, keys: Mapping[str, str]) -> str:
        return f"{self._name(keys)} gets a strike, {_fault_text(keys)}"

    def _end(self, keys: Mapping[str, str]) -> str:
        ranks, scores = keys["ranks"].split(","), keys["scores"].split(",")
        order = sorted(self._seats(), key=lambda seat: (int(ranks[seat]), seat))
        unit = "coin" if self.scat else "point"
        rows = [f"    {ordinal(ranks[seat])}: {self.names[seat]}, {count(scores[seat], unit)}." for seat in order]
        return "\n".join(["The match is over.", *rows])

    def _void(self, keys: Mapping[str, str]) -> str:
        return f"The match is void and counts for nobody: {safe(keys.get('text', '')).rstrip('.')}."


# -- words for cards and numbers


def card(word: str) -> str:
    """Return one card as people write it: `10H` for `TH`; SCOUT's `7/2` (7 up, 2 down) stays."""
    return f"10{word[1]}" if len(word) == 2 and word[0] == "T" else safe(word)


def cards(text: str) -> str:
    """Return a list of the wire, such as `KS,TS`, as `KS 10S`."""
    return "no cards" if text == "-" else " ".join(map(card, text.split(",")))


def up_numbers(text: str) -> str:
    """Return the visible numbers of SCOUT cards: `7 7 7` for `7/2,7/9,7/4`."""
    return "" if text == "-" else " ".join(word.partition("/")[0] for word in text.split(","))


def set_name(text: str) -> str:
    """Return what SCOUT cards are when they are shown: `single 7`, `set of 2 (7s)`, `run of 3 (3-5)`."""
    return scout.describe(scout.cards(text))


def count(number: str, what: str) -> str:
    """Return `1 card`, `2 cards`, `no cards`."""
    return f"{'no' if number == '0' else number} {what}{'' if number in ('1', '-1') else 's'}"


def ordinal(rank: str) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`; there are at most nine seats."""
    return rank + {"1": "st", "2": "nd", "3": "rd"}.get(rank, "th")


def places(where: str) -> str:
    """Return places of a hand as people count them: `3-5` for `2-4`."""
    return "-".join(str(int(place) + 1) for place in where.split("-"))


def _fault_text(keys: Mapping[str, str]) -> str:
    code = safe(keys["code"])
    if "text" not in keys:
        return f"{code}."
    text = safe(keys["text"])
    return f"{code}: {text}" if text.endswith((".", "?")) else f"{code}: {text}."


# -- SCAT


def _scat_did(keys: Mapping[str, str]) -> str:
    shown = card(keys.get("card", ""))
    match keys["move"]:
        case "stock":
            return f"draws {shown} from the stock" if shown else "draws from the stock"
        case "pile":
            return f"takes {shown} from the discard pile"
        case "knock":
            return "knocks"
        case "stand":
            return "stands"
        case "throwdown":
            return "throws the hand down"
        case "look":
            return f"looks at the hand, {cards(keys['hand'])}" if "hand" in keys else "looks at the hand"
        case discard:
            return f"discards {card(discard)}"


def _scat_brief(keys: Mapping[str, str]) -> str:
    move = keys["move"]
    if len(move) == 2:
        return f"drop {card(move)}"
    return f"{_SCAT_BRIEF.get(move, safe(move))} {card(keys.get('card', ''))}".rstrip()


def _scat_ledger(seat: Mapping[str, str]) -> str:
    """Return what a deal brought to one seat, `` for one that was out of the match already."""
    if seat["lost"] == "-":
        return ""
    shows = f"shows {cards(seat['hands'])}, " if seat["hands"] != "-" else ""
    worth = f"{count(seat['values'], 'point')}: " if seat["values"] != "-" else ""
    loses = "loses nothing" if seat["lost"] == "0" else f"loses {count(seat['lost'], 'life').replace('lifes', 'lives')}"
    match seat["coins"]:
        case "-":
            left = " and is out"
        case "0":
            left = ", no coins left, on the dole"
        case coins:
            left = f", {count(coins, 'coin')} left"
    return f"{shows}{worth}{loses}{left}."


# -- SCOUT


def _scout_did(keys: Mapping[str, str]) -> str:
    move, _, where = keys["move"].partition(":")
    match move:
        case "keep":
            return "keeps the hand as dealt"
        case "turn":
            return f"turns the hand over: {cards(keys['hand'])}" if "hand" in keys else "turns the hand over"
        case "orient":
            return "has chosen which way up to hold its hand"
        case "show":
            return _scout_show(keys, where)
        case "scout":
            return f"scouts {_scouted(keys['card'], where)}"
        case "scoutshow":
            return f"makes a Scout & Show: scouts {_scouted(keys['card'], where)}"
        case other:
            return safe(other)


def _scout_show(keys: Mapping[str, str], where: str) -> str:
    from_ = f", from {'places' if '-' in where else 'place'} {places(where)}" if where else ""
    wins = f", and wins {count(keys['took'], 'card')}" if keys.get("took", "0") != "0" else ""
    return f"shows a {set_name(keys['cards'])}: {cards(keys['cards'])}{from_}{wins}"


def _scouted(shown: str, where: str) -> str:
    end = "left" if where.startswith("L") else "right"
    place = where[1:].rstrip("f")
    flipped = f", turned over to {'/'.join(reversed(shown.split('/')))}" if where.endswith("f") else ""
    return f"{card(shown)} from the {end}{flipped}{f', to place {int(place) + 1}' if place else ''}"


def _scout_brief(keys: Mapping[str, str]) -> str:
    move, _, where = keys["move"].partition(":")
    if move == "orient":
        return "keep or turn"
    if move == "show":
        return f"show {places(where)}" if where else "show"
    if move not in ("scout", "scoutshow"):
        return safe(move)
    place = where[1:].rstrip("f")
    parts = ["scout", "left" if where.startswith("L") else "right"]
    parts += ["flip"] if where.endswith("f") else []
    parts += ["at", str(int(place) + 1)] if place else []
    return " ".join(parts)


def _scout_ledger(seat: Mapping[str, str]) -> str:
    held = 0 if seat["hands"] == "-" else len(seat["hands"].split(","))
    won, tokens, points = (int(seat[key]) for key in ("taken", "tokens", "points"))
    free = ", which cost nothing" if won + tokens - held != points else ""
    parts = [f"{count(str(won), 'card')} won", count(str(tokens), "token"), f"{count(str(held), 'card')} in hand{free}"]
    return f"has {', '.join(parts)}: {points:+d} {'point' if abs(points) == 1 else 'points'}, {seat['scores']} in all."
