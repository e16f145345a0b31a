"""It reads, and never says `ready`."""

import sys

for _ in sys.stdin:
    pass
