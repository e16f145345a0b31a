"""It answers each request a second time, 50 ms later."""

import time

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {legal[0]}")
    time.sleep(0.05)
    say(f"move {number} {legal[0]}")
