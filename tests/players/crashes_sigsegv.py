"""It crashes when it is asked."""

import os
import signal

from _kit import requests

for _ in requests():
    os.kill(os.getpid(), signal.SIGSEGV)
