"""At its twentieth answer it leaves children behind, and none before."""

import subprocess

from _kit import requests, say

for count, (number, legal) in enumerate(requests()):
    if count == 19:
        subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL)
    say(f"move {number} {legal[0]}")
