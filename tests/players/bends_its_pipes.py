"""It makes its ends of the pipes small and impatient, and looks for a terminal; all of that is its own business."""

import fcntl
import os
import time

from _kit import requests

for number, legal in requests():
    for descriptor in (0, 1):
        fcntl.fcntl(descriptor, 1031, 4096)  # F_SETPIPE_SZ
    os.set_blocking(1, False)
    try:
        os.open("/dev/tty", os.O_RDWR)
        os._exit(9)  # there is none in its session
    except OSError:
        pass
    os.write(1, b"# a comment in time\n")
    time.sleep(0.01)
    os.write(1, f"move {number} {legal[0]}\n".encode())
