"""It greets only a referee that plays exactly what it knows."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        if words[-1] != "games=scat,scout":
            sys.exit(f"unknown games: {words[-1]}")
        say("ready games=scat")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "bye":
        break
