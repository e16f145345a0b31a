"""It stops at a verb that it does not know."""

import sys

from _kit import say

KNOWN = "match options deal did reshuffle over strike fault end void".split()

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "bye":
        break
    elif verb not in KNOWN:
        raise ValueError(f"what is {verb}?")
