"""It explains itself at length in front of its answer."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %d " % number + b"x" * 2000 + b"\n")
