"""It answers a request with bytes without end, and no line end."""

import os

from _kit import requests

for _ in requests():
    while True:
        os.write(1, b"x" * 65536)
