"""It sends the terminator of a C string, too."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %d stock\0\n" % number)
