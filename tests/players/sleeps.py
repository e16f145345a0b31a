"""It sleeps when it is asked."""

import time

from _kit import requests

for _ in requests():
    time.sleep(60)
