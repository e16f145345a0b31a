"""It writes two hundred comments for each request."""

from _kit import requests, say

for number, legal in requests("ready games=scat"):
    say("# hm\n" * 200 + f"move {number} {legal[0]}")
