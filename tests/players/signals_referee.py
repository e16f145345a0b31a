"""It sends the referee a signal; one that does no harm stands for all."""

import os
import signal

from _attack import AIMS, attack

attack(lambda: os.kill(AIMS["referee"], signal.SIGCONT))
