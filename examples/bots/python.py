# A player for SCAT and SCOUT in Python. SCAT: knock with 25, else draw at random and keep the best three cards.
# SCOUT: the longest show, else anything legal.
# By hand: python3 python.py    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

import random
import sys


def value(hand):
    points = dict.fromkeys("CDHS", 0)
    for card in hand:
        points[card[1]] += {"A": 11}.get(card[0]) or (10 if card[0] in "TJQK" else int(card[0]))
    return max(points.values())


def length(word):
    first, _, last = word.removeprefix("show:").partition("-")
    return int(last or first) - int(first) + 1


def choose(phase, hand, legal):
    if phase == "draw":
        if "knock" in legal and value(hand) >= 25:
            return "knock"
        return rng.choice([word for word in legal if word != "knock"] or legal)
    if phase == "discard":
        return max(legal, key=lambda card: value([other for other in hand if other != card]))
    shows = [word for word in legal if word.startswith("show:")]
    return max(shows, key=length) if shows else rng.choice(legal)


rng = random.Random(1)
for line in sys.stdin:
    verb, *words = line.split() or [""]
    said = dict(word.split("=", 1) for word in words if "=" in word)
    if verb == "referee":
        print("ready games=scat,scout", flush=True)
    elif verb == "match":
        rng = random.Random(said.get("rng", "1"))
    elif verb == "act":
        word = choose(said.get("phase"), said.get("hand", "-").split(","), said["legal"].split(","))
        print("move", words[0], word, flush=True)
    elif verb == "bye":
        break
