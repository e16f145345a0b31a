"""It answers a request with comments without end."""

import os

from _kit import requests

for _ in requests():
    while True:
        os.write(1, b"#\n" * 4096)
