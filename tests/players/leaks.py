"""It keeps a megabyte for each request."""

from _kit import requests, say

kept = []
for number, legal in requests("ready games=scat"):
    kept.append(b"x" * 1_000_000)
    say(f"move {number} {legal[0]}")
