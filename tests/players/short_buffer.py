"""It has room for 4096 bytes of a line, and drops the rest."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line[:4096].split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "bye":
        break
