"""It closes its standard error, which is its own business."""

import os

from _kit import requests, say

os.close(2)
for number, legal in requests():
    say(f"move {number} {legal[0]}")
