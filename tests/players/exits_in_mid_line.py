"""It exits after an answer that has no line end."""

import os

from _kit import requests

for number, legal in requests():
    os.write(1, f"move {number} {legal[0]}".encode())
    os._exit(0)
