"""It leaves children behind, in its group and out of it."""

import subprocess

from _kit import requests, say

for number, legal in requests():
    subprocess.Popen(["sleep", "60"])
    subprocess.Popen(["sleep", "60"], start_new_session=True)
    say(f"move {number} {legal[0]}")
