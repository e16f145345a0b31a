"""It needs all the time that it has for each card beyond the fourteenth."""

import sys
import time

from _kit import say

for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "referee":
        say("ready games=scout")
    elif verb == "act":
        words = dict(word.split("=", 1) for word in rest[1:])
        cards = words["hand"].count(",") + 1
        time.sleep(max(0, cards - 14) * int(words["ms"]) / 700)
        say(f"move {rest[0]} " + words["legal"].split(",")[0])
    elif verb == "bye":
        break
