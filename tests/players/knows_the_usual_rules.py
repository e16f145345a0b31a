"""It has never heard of the throw down."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        words = dict(word.split("=", 1) for word in rest[1:])
        say(f"move {rest[0]} " + {"draw": words["legal"], "discard": words["hand"]}[words["phase"]].split(",")[0])
    elif verb == "bye":
        break
