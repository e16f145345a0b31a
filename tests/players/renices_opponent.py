"""It makes its opponent wait."""

import os

from _attack import AIMS, attack

attack(lambda: os.setpriority(os.PRIO_PROCESS, AIMS["opponent"], 19))
