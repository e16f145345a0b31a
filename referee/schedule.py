"""Who meets whom, in which seats, on which deals: tables, cyclic orders, rotations, blocks and their seeds.

Theory of operation. A table is one set of players. A block is one deal seed that a table plays in one cyclic order
of its players, once for every rotation of that order over the seats, so that each player meets the same cards in
each seat. Rotation alone is biased: of two identical players the one that always sits behind the weaker neighbour
does better. So successive blocks of a table step through cyclic orders in which every player sits immediately before
every other equally often. Block seeds depend on the master seed, the game, the number of seats and the number of
the block alone: all tables of a game and a number of seats meet the same luck in block 7.

The tables of a game are all sets of players or, for a large field, a few of them that bring everybody together with
everybody about equally often (see designs).

A task is a table, one rotation and a slice of its blocks. One worker plays it with one set of player processes; as
the rotation is fixed, no process meets a block twice. Slices are the outermost loop: the first tasks of a schedule
bring every table to the same number of blocks, so a run that is stopped early is balanced up to one slice.

Nothing is materialised: a schedule of a million tasks costs what is taken from it.
"""

import hmac
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from referee import designs
from referee.cards import deal_seed

MAX_SEATS: Final = 9


class Contest(NamedTuple):
    """A game to be scheduled, and who plays it.

    game     -- str, the game's word
    players  -- indices into the players of the run, distinct
    seats    -- the numbers of seats to play with, distinct; one that exceeds the number of players has no table
    anchors  -- indices, some of `players`, that sit at every table (`compare` anchors both its players); usually none
    few      -- number of seats -> about how many tables, 0: as many as it takes for each two players to meet. Numbers
                of seats that are not named here are played by every set of players
    """

    game: str
    players: tuple[int, ...]
    seats: tuple[int, ...]
    anchors: tuple[int, ...] = ()
    few: Mapping[int, int] = MappingProxyType({})


class Task(NamedTuple):
    """One table in one rotation over a slice of its blocks.

    index       -- int, the task's place in the schedule, from 0; (index, block) identifies a match
    game, seats -- what is played
    table       -- int, the number of the table within (game, seats), from 0
    players     -- indices into the players of the run, ascending: who sits at the table
    rotation    -- int, 0 .. seats - 1
    first_block -- int, the first block of the slice
    blocks      -- int, how many blocks the slice has
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of a task
    game: str
    seats: int
    table: int
    players: tuple[int, ...]
    rotation: int
    first_block: int
    blocks: int


class Size(NamedTuple):
    """How large a schedule is. A block of a table counts as many matches as the table has seats."""

    tables: int
    tasks: int
    matches: int


class Numbers(NamedTuple):
    """The numbers of the matches of a schedule, from 0 in its order, as in DIR#318 and in exports.

    width        -- int, the tasks of a slice, which are as many as the matches of one block of all tables
    blocks       -- int, how many blocks every table plays
    slice_blocks -- int, how many of them a task takes at most
    """

    width: int
    blocks: int
    slice_blocks: int

    def of(self, task: int, block: int) -> int:
        """Return the number of a match. What is in no schedule has a number of no meaning, see `holds`."""
        first = task // max(1, self.width) * self.slice_blocks
        blocks = min(self.slice_blocks, self.blocks - first)
        return first * self.width + task % max(1, self.width) * blocks + block - first

    def key(self, number: int) -> tuple[int, int] | None:
        """Return (task, block) of the match of a number, or None when there is none."""
        if not 0 <= number < self.width * self.blocks:
            return None
        a_slice, within = divmod(number, self.width * self.slice_blocks)
        first = a_slice * self.slice_blocks
        column, block = divmod(within, min(self.slice_blocks, self.blocks - first))
        return a_slice * self.width + column, first + block

    def holds(self, task: int, block: int) -> bool:
        """Say whether a match is in the schedule."""
        return self.key(self.of(task, block)) == (task, block)


# For 4 and 6 seats no set of n - 1 cyclic orders is balanced (Tillson, J. Combin. Theory B 29 (1980) 68-74): 4 seats
# take all six orders, each order followed by its reverse. The sets for 6 and 8 seats were found by exhaustive
# search; that they are balanced is tested.
_FOUND: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    2: ((0, 1),),
    4: ((0, 1, 2, 3), (0, 3, 2, 1), (0, 2, 1, 3), (0, 3, 1, 2), (0, 1, 3, 2), (0, 2, 3, 1)),
    6: (
        (0, 1, 2, 4, 5, 3),
        (0, 5, 3, 2, 4, 1),
        (0, 2, 1, 3, 5, 4),
        (0, 4, 3, 1, 2, 5),
        (0, 3, 4, 1, 5, 2),
        (0, 1, 5, 4, 2, 3),
        (0, 4, 5, 2, 3, 1),
        (0, 2, 1, 4, 3, 5),
        (0, 5, 1, 3, 4, 2),
        (0, 3, 2, 5, 1, 4),
    ),
    8: (
        (0, 1, 4, 2, 3, 6, 7, 5),
        (0, 6, 5, 3, 2, 1, 7, 4),
        (0, 2, 5, 1, 6, 4, 3, 7),
        (0, 7, 3, 4, 1, 5, 6, 2),
        (0, 3, 1, 2, 4, 5, 7, 6),
        (0, 4, 6, 3, 5, 2, 7, 1),
        (0, 5, 4, 7, 2, 6, 1, 3),
    ),
}


def cyclic_orders(n: int) -> tuple[tuple[int, ...], ...]:
    """Return cyclic orders of 0 .. n-1 in which every one sits immediately before every other equally often.

    n -- int, 2 .. 9
    There are n - 1 orders, but 6 for 4 and 10 for 6, where n - 1 cannot be balanced; each pair is met once,
    for 4 and 6 twice. For 3, 5 and 7 the balance holds at every distance round the table, not only for neighbours.
    """
    if not 2 <= n <= MAX_SEATS:
        raise ValueError(f"a table has 2 to {MAX_SEATS} seats, not {n}")
    if n in _FOUND:
        return _FOUND[n]
    if n == 9:
        # Walecki's construction: one player beside a path through the other eight whose steps all differ mod 8, and
        # its eight translates. Of all such paths this one is also balanced at distance 3, and nearly so at 2 and 4.
        path = (0, 7, 5, 2, 6, 1, 3, 4)
        return tuple((8, *((step + shift) % 8 for step in path)) for shift in range(8))
    # n is prime: stepping round by d = 1, -1, 2, -2, ... puts each pair at each distance in exactly one order.
    steps = [d for half in range(1, n // 2 + 1) for d in (half, n - half)]
    return tuple(tuple(d * i % n for i in range(n)) for d in steps)


def seating(task: Task, block: int) -> tuple[int, ...]:
    """Return who sits at each seat in one block of a task, as indices into the players of the run.

    The order of the block is number (block + table) of the cyclic orders, round and round, so that tables are
    out of step and even one block of many tables is fair to neighbours; seat s holds (s + rotation) of it.
    """
    orders = cyclic_orders(task.seats)
    order = orders[(block + task.table) % len(orders)]
    return tuple(task.players[order[(seat + task.rotation) % task.seats]] for seat in range(task.seats))


def tables(contests: Sequence[Contest], blocks: int, slice_blocks: int) -> Iterator[Task]:
    """Yield the tasks of a schedule, lazily, always in the same order.

    contests     -- what is played by whom; each pair (game, number of seats) at most once
    blocks       -- int >= 0, how many blocks every table plays
    slice_blocks -- int >= 1, how many of them a task takes at most; it decides the tasks, so it must not depend on
                    the number of jobs

    The loops, outermost first: slices, contests, numbers of seats, tables (all sets in lexicographic order of their
    players, or the base tables of a design, each turned round), rotations. So every prefix of the tasks is balanced
    over tables up to one slice.
    """
    _check(contests, blocks, slice_blocks)
    index = itertools.count()
    for first in range(0, blocks, slice_blocks):
        count = min(slice_blocks, blocks - first)
        for contest in contests:
            for seats in contest.seats:
                for table, players in enumerate(_line_ups(contest, seats)):
                    for rotation in range(seats):
                        yield Task(next(index), contest.game, seats, table, players, rotation, first, count)


def size(contests: Sequence[Contest], blocks: int, slice_blocks: int) -> Size:
    """Return how many tables, tasks and matches `tables` would yield, without making them."""
    _check(contests, blocks, slice_blocks)
    slices = -(-blocks // slice_blocks)
    each = [(seats, _table_count(contest, seats)) for contest in contests for seats in contest.seats]
    rotations = sum(seats * count for seats, count in each)
    return Size(sum(count for _, count in each), rotations * slices, rotations * blocks)


def numbers(contests: Sequence[Contest], blocks: int, slice_blocks: int) -> Numbers:
    """Return the numbers of the matches that `tables` would yield."""
    return Numbers(size(contests, 1, 1).matches, blocks, slice_blocks)


def balanced_blocks(seats: int) -> int:
    """Return the number of blocks after which a table has played each of its cyclic orders once."""
    return len(cyclic_orders(seats))


def block_seed(master: bytes, game: str, seats: int, block: int) -> bytes:
    """Return the seed of the matches of one block (32 bytes), the same at every table of (game, seats)."""
    return deal_seed(master, f"{game}/{seats}", block)


def player_seed(master: bytes, task: Task, block: int, seat: int) -> str:
    """Return a player's own random seed, 16 hex digits, unique to the match and the seat.

    It says nothing of the deal and does not depend on how the schedule was cut into slices.
    """
    text = f"referee-player-v1\n{task.game}/{task.seats}\n{task.table}\n{task.rotation}\n{block}\n{seat}"
    return hmac.digest(master, text.encode(), "sha256")[:8].hex()


def design_of(contest: Contest, seats: int) -> tuple[tuple[int, ...], ...] | None:
    """Return the base tables (see designs) that a contest is played at, None when every set of players meets.

    Raises ValueError when the field is too large for a design.
    """
    if seats not in contest.few or contest.anchors or seats > len(contest.players):
        return None
    return designs.base_tables(len(contest.players), seats, contest.few[seats])


def _line_ups(contest: Contest, seats: int) -> Iterator[tuple[int, ...]]:
    """Yield the tables of a contest, players ascending: its design, or its anchors and every choice of the others."""
    if base := design_of(contest, seats):
        field = sorted(contest.players)
        for places in designs.turned(base, len(field)):
            yield tuple(field[place] for place in places)
    elif seats >= len(contest.anchors):
        others = sorted(set(contest.players) - set(contest.anchors))
        for chosen in itertools.combinations(others, seats - len(contest.anchors)):
            yield tuple(sorted(contest.anchors + chosen))


def _table_count(contest: Contest, seats: int) -> int:
    if base := design_of(contest, seats):
        return len(base) * len(contest.players)
    if seats < len(contest.anchors):
        return 0
    return math.comb(len(contest.players) - len(contest.anchors), seats - len(contest.anchors))


def _check(contests: Sequence[Contest], blocks: int, slice_blocks: int) -> None:
    if blocks < 0 or slice_blocks < 1:
        raise ValueError(f"blocks is at least 0 and a slice at least 1, not {blocks} and {slice_blocks}")
    pairs = [(contest.game, seats) for contest in contests for seats in contest.seats]
    if len(set(pairs)) < len(pairs):
        raise ValueError("a game and a number of seats were scheduled twice")
    for game, players, seats, anchors, _ in contests:
        if len(set(players)) < len(players) or not set(anchors) <= set(players) or len(set(anchors)) < len(anchors):
            raise ValueError(f"the players of {game} are not distinct, or an anchor is not one of them")
        if not all(2 <= count <= MAX_SEATS for count in seats):
            raise ValueError(f"a table has 2 to {MAX_SEATS} seats, not {seats}")
