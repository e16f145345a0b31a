"""It answers once; asked again, it closes its standard input and sleeps."""

import os
import time

from _kit import requests, say

for number, legal in requests():
    if number:
        os.close(0)
        time.sleep(60)
    say(f"move {number} {legal[0]}")
