"""It stops its opponent's clock hand: SIGSTOP."""

import os
import signal

from _attack import AIMS, attack

attack(lambda: os.kill(AIMS["opponent"], signal.SIGSTOP))
