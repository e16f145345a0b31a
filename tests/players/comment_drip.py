"""It writes a comment every 20 ms and never answers."""

import time

from _kit import requests, say

for _ in requests():
    while True:
        say("# still thinking")
        time.sleep(0.02)
