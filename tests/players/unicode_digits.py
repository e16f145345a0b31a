"""It writes the number of the request in Arabic-Indic digits."""

import os

from _kit import requests

for _number, _ in requests():
    os.write(1, "move \u0660 stock\n".encode())
