"""It answers once, closes its standard input, and lives on."""

import os
import time

from _kit import requests, say

for number, legal in requests():
    os.close(0)
    say(f"move {number} {legal[0]}")
    time.sleep(60)
