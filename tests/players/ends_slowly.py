"""It tidies up for most of a second before it exits."""

import time

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}")
time.sleep(0.8)
