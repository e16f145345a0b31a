"""It closes its standard output when it is asked, and lives on."""

import os
import time

from _kit import requests

for _ in requests():
    os.close(1)
    time.sleep(60)
