"""Which tables a large field plays: a few sets of players, chosen so that all meet each other about equally often.

Theory of operation. The players stand in a circle. A base table is a set of places in that circle; turned by every
number of places it gives one table for each player, and every player sits at as many of them as the table has seats.
Two players meet as often as their distance round the circle occurs between places of the base tables, so the whole
design is even when the distances are. Base tables are found one after the other: each is grown place by place so that
distances that are rare so far come first, and then improved by exchanging single places while that helps. Nothing is
random: the same field gives the same tables.

Such cyclic designs are classical (Bose, Annals of Eugenics 9 (1939) 353-399); where an exact one exists it is often
found, and elsewhere the pairs differ by one or two meetings.
"""

import itertools
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import comb
from typing import Final

LARGEST: Final = 500  # players for whom a design is sought; the search takes some seconds there


@lru_cache(maxsize=64)
def base_tables(players: int, seats: int, tables: int = 0) -> tuple[tuple[int, ...], ...] | None:
    """Return the base tables of a design, each a tuple of places 0 .. players - 1.

    players, seats -- ints, 2 <= seats <= players
    tables         -- int, how many tables are wanted; there will be the next multiple of `players`. 0: as many as it
                      takes for each two players to meet
    Returns None when that is no fewer than all sets of players, which then are the design. Raises ValueError for more
    than LARGEST players.
    """
    if not 2 <= seats <= players:
        raise ValueError(f"{seats} of {players} players cannot be chosen for a table")
    everything = comb(players, seats)
    if tables >= everything or (seats == 2 and not tables):
        return None
    if players > LARGEST:
        raise ValueError(f"a design is sought for at most {LARGEST} players, not {players}; play --tables all")
    search = _Search(players, seats)
    while len(search.found) * players < tables if tables else 0 in search.meetings.values():
        if (len(search.found) + 1) * players >= everything or not search.add():
            return None
    return tuple(search.found)


def turned(base: Iterable[tuple[int, ...]], players: int) -> Iterator[tuple[int, ...]]:
    """Yield the tables of a design: each base table turned by 0 .. players - 1 places, places ascending."""
    for places in base:
        for turn in range(players):
            yield tuple(sorted((place + turn) % players for place in places))


def meetings(base: Iterable[tuple[int, ...]], players: int) -> tuple[int, int]:
    """Return how often two players meet in a design, at least and at most, in tables."""
    counts = dict.fromkeys(range(1, players // 2 + 1), 0)
    for places in base:
        _count(counts, places, players)
    return min(counts.values()), max(counts.values())


def _count(counts: dict[int, int], places: Iterable[int], players: int) -> None:
    for one, other in itertools.combinations(places, 2):
        counts[_distance(one, other, players)] += _weight(one, other, players)


def _distance(one: int, other: int, players: int) -> int:
    around = (one - other) % players
    return min(around, players - around)


def _weight(one: int, other: int, players: int) -> int:
    """Return how often a turned table brings together two that stand so: those face to face meet twice in a round."""
    return 2 if 2 * _distance(one, other, players) == players else 1


class _Search:
    """Finds one base table after the other. `meetings` counts by distance, `found` holds the tables."""

    def __init__(self, players: int, seats: int) -> None:
        self.players, self.seats = players, seats
        self.meetings = dict.fromkeys(range(1, players // 2 + 1), 0)
        self.found: list[tuple[int, ...]] = []
        self._taken: set[tuple[int, ...]] = set()

    def add(self) -> bool:
        """Find one more base table; return whether there is one that can be turned into new tables."""
        places = self._improved(self._grown())
        if not self._is_new(places):
            return False
        _count(self.meetings, places, self.players)
        self._taken.add(min(self._turns(places)))
        self.found.append(places)
        return True

    def _grown(self) -> tuple[int, ...]:
        places: tuple[int, ...] = (0,)
        while len(places) < self.seats:
            free = (place for place in range(1, self.players) if place not in places)
            places = min(((*places, place) for place in free), key=lambda chosen: (self._cost(chosen), chosen[-1]))
        return places

    def _improved(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """Exchange single places while that evens the meetings out, or makes the table a new one."""
        best = (not self._is_new(places), self._cost(places))
        better = True
        while better:
            better = False
            for at, place in itertools.product(range(1, self.seats), range(1, self.players)):
                if place in places:
                    continue
                tried = (*places[:at], place, *places[at + 1 :])
                cost = self._cost(tried)
                # new or not is asked last, as it costs more
                if (best[0] or cost < best[1]) and (rated := (not self._is_new(tried), cost)) < best:
                    places, best, better = tried, rated, True
        return places

    def _cost(self, places: tuple[int, ...]) -> int:
        """Return by how much the sum of squared meetings grows with this table."""
        added: dict[int, int] = {}
        for one, other in itertools.combinations(places, 2):
            distance = _distance(one, other, self.players)
            added[distance] = added.get(distance, 0) + _weight(one, other, self.players)
        return sum(more * (2 * self.meetings[distance] + more) for distance, more in added.items())

    def _is_new(self, places: tuple[int, ...]) -> bool:
        """Say whether turning this table gives `players` different tables, none of which is there yet."""
        turns = self._turns(places)
        return len(turns) == self.seats and min(turns) not in self._taken

    def _turns(self, places: tuple[int, ...]) -> set[tuple[int, ...]]:
        """Return what a table looks like from each of its places; the least of them names it and all its turns."""
        return {tuple(sorted((place - start) % self.players for place in places)) for start in places}
