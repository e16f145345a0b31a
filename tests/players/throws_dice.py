"""It plays at random, and not by the seed that it is given."""

import random

from _kit import requests, say

for number, legal in requests():
    say(f"move {number} {random.choice(legal)}")
