"""It ignores every signal that can be ignored, `bye` and the end of its input, too."""

import signal
import time

from _kit import requests, say

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for number, legal in requests():
    say(f"move {number} {legal[0]}")
while True:
    time.sleep(1)
