"""It begins an answer and never ends the line."""

import os
import time

from _kit import requests

for number, _ in requests():
    os.write(1, b"move %d" % number)
    time.sleep(60)
