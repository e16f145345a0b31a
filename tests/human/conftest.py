"""The clients' folder goes on the path, so that `human` is the package that `python clients/human` runs."""

import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
for folder in (str(CLIENTS), str(Path(__file__).parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)
