"""It takes its hand from what it has heard, and knows none when it has not heard the deal."""

import sys

from _kit import say

hand: list[str] = []
for line in sys.stdin:
    verb, *rest = line.split()
    words = dict(word.split("=", 1) for word in rest if "=" in word)
    if verb == "referee":
        say("ready games=scat legal=off")
    elif verb == "match":
        seat, hand = words["seat"], []
    elif verb == "deal":
        hand = words.get("hand", "-").split(",")
    elif verb == "did" and words["seat"] == seat:
        if "card" in words:
            hand.append(words["card"])
        elif words["move"] in hand:
            hand.remove(words["move"])
    elif verb == "act":
        # With a knocker and no stock there may be nothing to draw; the pile is taken then.
        draw = "stock" if words["stock"] != "0" else "pile" if words["pile"] != "-" else "stand"
        say(f"move {rest[0]} " + (draw if words["phase"] == "draw" else hand[0]))
    elif verb == "bye":
        break
