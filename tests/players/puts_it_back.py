"""It takes a card from the discard pile and discards the same card."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        words = dict(word.split("=", 1) for word in rest[1:])
        say(f"move {rest[0]} " + words.get("drawn", words["legal"].split(",")[-1]))
    elif verb == "bye":
        break
