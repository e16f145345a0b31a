"""It says that it is ready, and says so again."""

from _kit import requests, say

for number, legal in requests("ready\nready"):
    say(f"move {number} {legal[0]}")
