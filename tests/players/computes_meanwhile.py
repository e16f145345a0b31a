"""It computes while others move, in a thread and in a helper with a session of its own."""

import subprocess
import sys
import threading
import time

from _kit import requests, say

COMPUTE = "import time; end = time.monotonic() + 20\nwhile time.monotonic() < end: pass"

subprocess.Popen([sys.executable, "-S", "-c", COMPUTE], start_new_session=True, stdin=subprocess.DEVNULL)
threading.Thread(target=exec, args=(COMPUTE, {"time": time}), daemon=True).start()
for number, legal in requests():
    say(f"move {number} {legal[0]}")
