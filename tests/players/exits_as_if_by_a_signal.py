"""It exits with the code that a shell gives for a crash, and has not crashed."""

import os

from _kit import requests

for _ in requests():
    os._exit(139)
