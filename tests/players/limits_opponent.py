"""It takes away its opponent's right to open files."""

import resource

from _attack import AIMS, attack

attack(lambda: resource.prlimit(AIMS["opponent"], resource.RLIMIT_NOFILE, (128, 128)))
