"""It starts its answer with a UTF-8 byte order mark."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"\xef\xbb\xbfmove %d stock\n" % number)
