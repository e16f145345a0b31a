"""It complains and exits before it greets."""

import sys

print("no weights found", file=sys.stderr)
sys.exit(3)
