"""It greets, and never answers a request."""

from _kit import requests

for _ in requests():
    pass
