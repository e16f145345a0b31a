"""Lines of the wire as sentences for a person. Here, and only here, seats, places, deals and turns count from 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from referee.wire import safe, words

_SCAT_REASONS = {
    "knock": "showdown after the knock",
    "31": "31",
    "stock": "the stock ran out",
    "cap": "the deal reached its turn cap",
    "void": "the stock ran out, the deal is void",
    "throwdown": "showdown after the throw down",
}
_SCOUT_REASONS = {
    "empty": "a hand is empty",
    "unbeaten": "nobody beat the latest Show",
    "stuck": "no move is left",
    "cap": "the round reached its turn cap",
}


class Narrator:
    """Turns the lines that one listener hears into sentences; a line that needs none gives an empty string.

    names -- what the seats are called
    """

    def __init__(self, game: str, names: Sequence[str]) -> None:
        self.names = names
        self.did = _scat_did if game == "scat" else _scout_did
        self.deal = "Deal" if game == "scat" else "Round"
        self.reasons = _SCAT_REASONS if game == "scat" else _SCOUT_REASONS

    def sentence(self, line: str) -> str:
        """Return the sentence for one line of the wire or of a record."""
        verb, _, keys = words(line)
        telling: Callable[[Mapping[str, str]], str] | None = getattr(self, f"_{verb}", None)
        return telling(keys) if telling else ""

    def _name(self, keys: Mapping[str, str]) -> str:
        return self.names[int(keys["seat"])]

    def _deal(self, keys: Mapping[str, str]) -> str:
        number = int(keys.get("n", keys.get("deal", "0"))) + 1  # a record spells it as a view does
        first = "dealer" if "dealer" in keys else "starter"
        extra = f", upcard {keys['pile']}" if "pile" in keys else ""
        hands = keys.get("hands")
        told = "".join(f"\n    {self.names[s]:<12} {h}" for s, h in enumerate(hands.split(";"))) if hands else ""
        return f"{self.deal} {number}: {first} {self.names[int(keys[first])]}{extra}.{told}"

    def _did(self, keys: Mapping[str, str]) -> str:
        by = f" (by the {keys['by']})" if "by" in keys else ""
        remark = f'  "{safe(keys["text"])}"' if "text" in keys else ""
        return f"{self._name(keys)} {self.did(keys)}{by}.{remark}"

    def _reshuffle(self, keys: Mapping[str, str]) -> str:
        return f"The discards are shuffled into a new stock of {keys['stock']}."

    def _over(self, keys: Mapping[str, str]) -> str:
        heading = f"{self.deal} {int(keys['deal']) + 1} is over: {self.reasons.get(keys['reason'], keys['reason'])}."
        columns = {key: value.split(";" if key == "hands" else ",") for key, value in keys.items()}
        shown = [key for key in columns if len(columns[key]) == len(self.names) and key not in ("deal", "reason")]
        rows = [
            f"    {name:<12} " + "  ".join(f"{key} {columns[key][seat]}" for key in shown)
            for seat, name in enumerate(self.names)
        ]
        return "\n".join([heading, *rows])

    def _fault(self, keys: Mapping[str, str]) -> str:
        return f"{self._name(keys)} is out: {keys['code']}{_because(keys)}."

    def _strike(self, keys: Mapping[str, str]) -> str:
        return f"{self._name(keys)} gets a strike: {keys['code']}{_because(keys)}."

    def _end(self, keys: Mapping[str, str]) -> str:
        ranks, scores = keys["ranks"].split(","), keys["scores"].split(",")
        order = sorted(range(len(self.names)), key=lambda seat: (int(ranks[seat]), seat))
        rows = [f"    {ranks[seat]:>2}  {self.names[seat]:<12} {scores[seat]:>5}" for seat in order]
        return "\n".join(["The match is over. Place, player, score:", *rows])

    def _void(self, keys: Mapping[str, str]) -> str:
        return f"The match is void: {safe(keys.get('text', ''))}."


def _because(keys: Mapping[str, str]) -> str:
    return f" - {safe(keys['text']).rstrip('.')}" if "text" in keys else ""


def _scat_did(keys: Mapping[str, str]) -> str:
    card = keys.get("card")
    match keys["move"]:
        case "stock":
            return f"draws {card} from the stock" if card else "draws from the stock"
        case "pile":
            return f"takes {card} from the discard pile"
        case "knock":
            return "knocks"
        case "stand":
            return "stands"
        case "throwdown":
            return "throws the hand down"
        case "look":
            return "looks at the hand"
        case discard:
            return f"discards {safe(discard)}"


def _scout_did(keys: Mapping[str, str]) -> str:
    move, _, where = keys["move"].partition(":")
    took = f", takes {keys['took']}" if keys.get("took", "0") != "0" else ""
    match move:
        case "keep":
            return "keeps the hand as dealt"
        case "turn":
            return "turns the hand"
        case "orient":
            return "has chosen which way up"
        case "show":
            places = f" (places {_places(where)})" if where else ""
            return f"shows {keys['cards']}{places}{took}"
        case "scout" | "scoutshow":
            end = "left" if where.startswith("L") else "right"
            place = where[1:].rstrip("f")
            to = f" to place {int(place) + 1}" if place else ""
            flipped = ", turned over" if where.endswith("f") else ""
            then = ", then:" if move == "scoutshow" else ""
            return f"scouts {keys['card']} from the {end}{to}{flipped}{then}"
        case other:
            return safe(other)


def _places(where: str) -> str:
    return "-".join(str(int(place) + 1) for place in where.split("-"))
