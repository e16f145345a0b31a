"""It exits when it is asked, while a child of its own holds all its pipes."""

import os
import time

from _kit import requests

for _ in requests():
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    os._exit(5)
