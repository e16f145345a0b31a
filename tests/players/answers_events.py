"""It confirms every line that it hears."""

import sys

from _kit import say

for line in sys.stdin:
    verb, *words = line.split()
    if verb == "bye":
        break
    say({"referee": "ready", "act": f"move {words[0]} {words[-1][6:].split(',')[0]}"}.get(verb, "ok"))
