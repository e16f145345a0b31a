"""It writes cards in small letters."""

from _kit import requests, say

for number, legal in requests("ready games=scat"):
    say(f"move {number} {legal[-1].lower()}")
