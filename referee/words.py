"""Words for people: numbers with their nouns."""

_PLURALS = {"match": "matches"}


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 match", "1,200 matches"."""
    return f"{number:,} {noun if number == 1 else _PLURALS.get(noun, noun + 's')}"
