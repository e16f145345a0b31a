"""It numbers the requests by itself, from 0 in each match, and does not look at theirs."""

import sys

from _kit import say

number = 0
for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready")
    elif verb == "match":
        number = 0
    elif verb == "act":
        say(f"move {number} {words[-1][6:].split(',')[0]}")
        number += 1
    elif verb == "bye":
        break
