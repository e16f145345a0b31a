"""It closes its standard output when it hears `end`, and lives on."""

import os
import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "referee":
        say("ready")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "end":
        os.close(1)
    elif verb == "bye":
        os._exit(0)
