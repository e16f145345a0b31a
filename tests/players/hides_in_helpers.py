"""Three helpers compute for it and crowd it out of its core, so that it seems to wait for a CPU and use little."""

import subprocess
import sys
import time

from _kit import requests, say

COMPUTE = "import time; end = time.monotonic() + 20\nwhile time.monotonic() < end: pass"

for number, legal in requests():
    helpers = [subprocess.Popen([sys.executable, "-S", "-c", COMPUTE]) for _ in range(3)]
    until = time.process_time() + 0.04
    while time.process_time() < until:
        pass
    say(f"move {number} {legal[0]}")
    for helper in helpers:
        helper.kill()
        helper.wait()
