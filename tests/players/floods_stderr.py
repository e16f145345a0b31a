"""It writes to standard error for ever when it is asked."""

import os

from _kit import requests

for _ in requests():
    while True:
        os.write(2, b"debug\n" * 4096)
