"""It computes for ever when it is asked."""

from _kit import requests

for _ in requests():
    while True:
        pass
