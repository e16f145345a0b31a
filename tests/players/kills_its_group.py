"""It kills its whole process group when it is asked."""

import os
import signal

from _kit import requests

for _ in requests():
    os.killpg(0, signal.SIGKILL)
