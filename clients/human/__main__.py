"""Start the human client: `python clients/human [GAME] [OPTIONS]`, or `python -m human` with clients/ on the path."""

import sys
from pathlib import Path

if not __package__:
    # Run by path: the first entry is this folder, whose modules must not be found by their bare names.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from human.start import main

if __name__ == "__main__":
    sys.exit(main())
