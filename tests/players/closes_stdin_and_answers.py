"""It closes its standard input when it is asked, and answers a moment later all the same."""

import os
import time

from _kit import requests, say

for number, legal in requests():
    os.close(0)
    time.sleep(0.005)
    say(f"move {number} {legal[0]}")
    time.sleep(60)
