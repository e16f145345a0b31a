"""It answers in UTF-16, as some shells write."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, f"move {number} stock\n".encode("utf-16"))
