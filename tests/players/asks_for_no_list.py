"""It wants no list of the legal actions, and does not know the rules."""

from _kit import requests, say

for number, _ in requests("ready games=scat legal=off"):
    say(f"move {number} stock")
