"""It wants to hear events as they happen, and repeats each as a comment."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready events=live legal=off")
    elif verb == "act":
        say(f"move {words[0]} a")
    else:
        print(line, end="", file=sys.stderr, flush=True)
