"""It plays the first legal action."""

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]} # first of {len(legal)}")
