"""It answers a request with lines without end."""

import os

from _kit import requests

for _ in requests():
    while True:
        os.write(1, b"info depth 1\n" * 4096)
