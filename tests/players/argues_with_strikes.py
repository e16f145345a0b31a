"""It answers once more when an answer was refused."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        answer = f"move {words[0]} {words[-1][6:].split(',')[0]}"
        say(answer)
    elif verb == "strike":
        say(answer)
    elif verb == "bye":
        break
