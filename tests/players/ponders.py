"""It asks again and again whether there is something to read."""

import select
import sys

from _kit import say

while True:
    while not select.select([0], [], [], 0)[0]:
        pass
    verb, *words = sys.stdin.buffer.raw.readline().decode().split() or ["bye"]
    if verb == "referee":
        say("ready games=scat")
    elif verb == "act":
        say(f"move {words[0]} {words[-1][6:].split(',')[0]}")
    elif verb == "bye":
        break
