"""It writes the number of the request in three digits."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %03d stock\n" % number)
