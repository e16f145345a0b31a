"""It finds the legal actions by their place in the line, which a new key changes."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        place = 13 if "phase=discard" in words else 11
        say(f"move {words[0]} {words[place][6:].split(',')[0]}")
    elif verb == "bye":
        break
