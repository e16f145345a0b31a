"""It answers, and exits at once."""

import os

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}")
    os._exit(4)
