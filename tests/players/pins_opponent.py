"""It leaves its opponent one CPU."""

import os

from _attack import AIMS, attack

attack(lambda: os.sched_setaffinity(AIMS["opponent"], {min(os.sched_getaffinity(0))}))
