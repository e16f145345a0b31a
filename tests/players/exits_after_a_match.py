"""It plays one match and exits."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb in ("bye", "end"):
        break
