"""It becomes another program for its next match."""

import sys
from pathlib import Path

from _attack import attack


def replace() -> int:
    own = Path(sys.argv[0])
    return own.write_text(own.read_text() + "# replaced\n")


attack(replace)
