"""It takes so many milliseconds for every answer: `late.py 300`; 60 unless said."""

import sys
import time

from _kit import requests, say

for number, legal in requests():
    time.sleep(int([*sys.argv, "60"][1]) / 1000)
    say(f"move {number} {legal[0]}")
