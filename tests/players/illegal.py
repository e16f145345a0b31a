"""It answers with a word that is not among the legal ones."""

from _kit import requests, say

for number, _ in requests():
    say(f"move {number} castle")
