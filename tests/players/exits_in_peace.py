"""It exits in the middle of a match as if all were well."""

from _kit import requests

for _ in requests():
    raise SystemExit(0)
