"""It answers, and its answer stays in its own buffer: the commonest honest bug."""

from _kit import requests

out = open(1, "w", buffering=65536, closefd=False)
for number, legal in requests():
    out.write(f"move {number} {legal[0]}\n")
