"""It greets unasked, and never reads its input."""

import time

from _kit import say

say("ready")
time.sleep(60)
