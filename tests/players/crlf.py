"""It ends its lines as Windows does, which is forgiven."""

from _kit import requests, say

for number, legal in requests("ready\r"):
    say(f"move {number} {legal[0]}\r")
