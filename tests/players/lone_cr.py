"""It ends its lines with CR alone, as nobody has since 2001."""

import os

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %d stock\r" % number)
