"""It writes a file of more than 64 MiB when it is asked."""

import sys

from _kit import requests

for _ in requests():
    with open(sys.argv[1], "wb") as file:
        file.truncate(65 * 1024 * 1024)
