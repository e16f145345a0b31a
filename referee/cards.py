"""The 52-card deck and its text; the portable seeded shuffle `referee-shuffle-1`.

A card of the 52 is an int: `13 * suit + rank`, suits in the order CDHS, ranks in the order 23456789TJQKA.
Its text is rank then suit: card 0 is `2C`, card 51 is `AS`.

The shuffle is specified in protocol.md, so that any language can reproduce a deal:

    deal seed   HMAC-SHA256(master, "referee-seed-v1\\n" + tournament + "\\n" + decimal(number))
    stream      SHA256(seed + label + 00 + uint64be(j)) for j = 0, 1, ...; eight uint32be words each
    below(n)    draw words until one is < 2**32 - 2**32 % n; take it modulo n
    shuffle     for i = n-1 ... 1: swap a[i] with a[below(i + 1)]
"""

import hashlib
import hmac
from collections.abc import Iterator, MutableSequence
from typing import Final, TypeVar

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
TEXT: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
CARD: Final[dict[str, int]] = {text: card for card, text in enumerate(TEXT)}

T = TypeVar("T")


def deal_seed(master: bytes, tournament: str, number: int) -> bytes:
    """Return the 32-byte seed of one block of deals.

    master     -- bytes, the secret of the run
    tournament -- str, the name the run was given
    number     -- int >= 0, the block's number
    """
    text = f"referee-seed-v1\n{tournament}\n{number}"
    return hmac.digest(master, text.encode(), "sha256")


def commitment(seed: bytes) -> bytes:
    """Return the hash that binds the referee to a deal seed without telling it (32 bytes)."""
    return hashlib.sha256(b"referee-commit-v1\n" + seed).digest()


class Stream:
    """Unbiased random numbers as a pure function of (seed, label)."""

    def __init__(self, seed: bytes, label: str) -> None:
        self._words = _words(seed + label.encode() + b"\0")

    def below(self, n: int) -> int:
        """Return the next number in 0 .. n-1; n is at least 1 and at most 2**32."""
        limit = 2**32 - 2**32 % n
        while (word := next(self._words)) >= limit:
            pass
        return word % n

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle `items` in place (Fisher-Yates, from the end)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def _words(prefix: bytes) -> Iterator[int]:
    block = 0
    while True:
        digest = hashlib.sha256(prefix + block.to_bytes(8, "big")).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def shuffled(seed: bytes, label: str, n: int) -> list[int]:
    """Return 0 .. n-1 in the order that (seed, label) gives."""
    order = list(range(n))
    Stream(seed, label).shuffle(order)
    return order
