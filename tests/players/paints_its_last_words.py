"""It dies with a terminal's orders on standard error."""

import sys

from _kit import requests

for _ in requests():
    sys.stderr.write("\33]0;owned\7\33[2J\33[31mTypeError\u202e\n")
    raise SystemExit(3)
