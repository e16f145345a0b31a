"""It takes the number behind the slash for the one that a card shows."""

import sys

from _kit import say


def choose(words: dict[str, str]) -> str:
    """Show the first pair that the hidden numbers make, if there is one; what is legal is not looked at then."""
    hidden = [card.split("/")[1] for card in words["hand"].split(",")]
    pairs = [n for n in range(len(hidden) - 1) if hidden[n] == hidden[n + 1]]
    if pairs and words["phase"] == "move" and words["active"] == "-":
        return f"show:{pairs[0]}-{pairs[0] + 1}"
    return words["legal"].split(",")[0]


for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "referee":
        say("ready games=scout")
    elif verb == "act":
        say(f"move {rest[0]} " + choose(dict(word.split("=", 1) for word in rest[1:])))
    elif verb == "bye":
        break
