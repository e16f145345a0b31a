"""It kills its opponent."""

import os
import signal

from _attack import AIMS, attack

attack(lambda: os.kill(AIMS["opponent"], signal.SIGKILL))
