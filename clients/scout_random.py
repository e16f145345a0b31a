"""A SCOUT player that answers with any legal action: the floor under every other player."""

from __future__ import annotations

import kit


def choose(request: kit.Request) -> str:
    """Return a legal action, each equally likely."""
    return request.match.rng.choice(request.legal)


if __name__ == "__main__":
    kit.run(choose, games="scout")
