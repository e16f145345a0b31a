"""It greets with a game that is not played here."""

from _kit import requests

for _ in requests("ready games=skat"):
    pass
