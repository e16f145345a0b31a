"""It answers the line `end`, which asks for nothing."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "end":
        say("move 0 stock")
    elif verb == "bye":
        break
