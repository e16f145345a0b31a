"""It answers in colour."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"\x1b[32mmove %d stock\x1b[0m\n" % number)
