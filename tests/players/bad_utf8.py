"""It answers with bytes that are no text."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %d st\xffck\n" % number)
