"""The read loop that the players in this folder share; each of them is named for its sin."""

import sys
from collections.abc import Iterator


def say(text: str) -> None:
    """Write one line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def requests(ready: str = "ready") -> Iterator[tuple[int, list[str]]]:
    """Greet, then yield (id, legal actions) for each request, until `bye` or the end of the input."""
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "referee":
            say(ready)
        elif verb == "act":
            legal = [word.removeprefix("legal=") for word in words if word.startswith("legal=")]
            yield int(words[0]), legal[0].split(",") if legal else []
        elif verb == "bye":
            return
