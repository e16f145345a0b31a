"""It forgets that an answer starts with `move`."""

from _kit import requests, say

for _number, legal in requests():
    say(legal[0])
