"""It opens its opponent's standard input, to read its cards before it does."""

import os

from _attack import AIMS, attack

attack(lambda: os.open(f"/proc/{AIMS['opponent']}/fd/0", os.O_RDONLY | os.O_NONBLOCK))
