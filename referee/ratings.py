"""From results to a table: means with honest intervals, places, head-to-head, seat effect, rank ranges, strengths.

Theory of operation. `Tally` takes results one at a time, in any order, and keeps only sums: whole numbers, so the
ratings are the same bit for bit whatever the order. `rate` turns a tally into `Ratings` and can be called at any time.

The unit of statistics is the block. All matches of one block of (game, seats) share a deal seed, at whatever table
and in whatever rotation, so they share luck and are one observation; different blocks are independent. A mean is a
ratio of sums over blocks, its error comes from the spread of the blocks' residuals (the linearised, cluster-robust
variance), and the interval is a t interval with (blocks - 1) degrees of freedom. Intervals that take matches as
independent (Hessian, Elo, openskill) or resample them do not keep 95 % when tables share deals.

Two units:

    deal    a deal's result relative to the table: own minus the mean of the others who were in that deal, with the
            sign turned where less is better, so that more is always better. Deals from a fault on do not count.
    match   the share of the others left behind in the match, ties half, less one half: 0 is the fair share.
            It has no unit of its own, so it can be pooled over games.

Who can be told apart: each two players are compared by their paired difference block by block, and the p-values of
all pairs together go through Holm's procedure, so that the chance of even one false separation in the whole table is
at most 5 %, however the comparisons depend on each other. From it follow the rank ranges (1 + the number of players
that are surely better ... n - the number that are surely worse), which hold simultaneously.

Who is ranked: of deals, players that have some and do not forfeit too often. Who does leaves no fair sample of deals
behind - it could stop while it is ahead - so it stands below the others, and neither is in a pair nor counts in a rank
range. Of matches a forfeit is just a lost match, and everybody is ranked.

Sources: cluster-robust t: Cameron and Miller, J. Human Resources 50 (2015) 317-372. Holm, Scand. J. Statist. 6 (1979)
65-70. Ranks from pairwise tests: Mohamad, van Zwet, Goeman and Solari, "Simultaneous confidence intervals for ranks
using the partitioning principle", Electron. J. Statist. 15 (2021).
"""

import collections
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from operator import add
from statistics import NormalDist
from typing import Final, Literal, NamedTuple, TypeAlias

Unit: TypeAlias = Literal["deal", "match"]
UNITS: Final[tuple[Unit, ...]] = ("deal", "match")

LEVEL: Final = 0.95
MANY_FORFEITS: Final = 0.05  # who forfeits more of its matches than this has no fair sample of deals, and no rank
POWER: Final = 0.8  # the chance aimed at by "further blocks would separate them"
FORESEEN: Final = 6  # blocks before which that is not said: the spread of fewer says too little of what is to come
ELO: Final = 400 / math.log(10)  # strengths are shown on the scale on which 400 is ten to one

# Sums are kept in whole numbers of 1/5040, which is a multiple of everything that they are divided by: the others
# (up to 8, twice for half a tie), the whole table, or those who share a first place (up to 9).
SCALE: Final = 5040


class Result(NamedTuple):
    """One finished match. A void match is no result.

    game, seats -- what was played
    table, block, rotation -- ints, where in the schedule
    players -- index of the player at each seat
    ranks   -- place of each seat, from 1; ties share the better place (1-2-2-4)
    scores  -- score of each seat at the end of the match
    deals   -- for each finished deal the result of each seat; None for a seat that was out of the match
    counted -- int, how many of these deals count: those finished before the first fault
    faults  -- (seat, code) of each fault
    """

    game: str
    seats: int
    table: int
    block: int
    rotation: int
    players: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    deals: tuple[tuple[int | None, ...], ...]
    counted: int
    faults: tuple[tuple[int, str], ...] = ()


class Estimate(NamedTuple):
    """A mean and its 95 % interval.

    mean   -- float; None when nothing was observed
    error  -- float, its standard error; None when fewer than two blocks (or too few blocks without any spread)
    low, high -- the interval; None with `error`
    blocks -- int, how many blocks were observed
    """

    mean: float | None
    error: float | None
    low: float | None
    high: float | None
    blocks: int


class Standing(NamedTuple):
    """One player's line of the table.

    player      -- int, index into the players of the run
    place       -- int, from 1: the ranked by mean, equal means share a place; then players without a mean; then those
                   that forfeit too often, by points
    ranks       -- (best, worst) place among the ranked that cannot be excluded at 95 % for the whole table; None for
                   who is not ranked
    rating      -- Estimate in the unit of the ratings, relative to the table, more is better
    strength    -- float, Plackett-Luce on the Elo scale, 0 on average; for display, claims nothing
    matches, deals -- ints; deals are those that count and that the player was in
    result      -- float, own result per deal as the game counts it; None without deals or over several games
    score       -- float, own score per match as the game counts it; None without matches or over several games
    places      -- how often each place was taken: places[0] counts first places
    first_share -- float, share of matches won, a shared first place split; None without matches
    mean_place  -- float; None without matches
    points      -- float, share of the others left behind, ties half: 0 .. 1, 0.5 is fair; None without matches
    faults      -- (code, how often), sorted by code
    forfeits    -- bool, it forfeits too often to be ranked (see MANY_FORFEITS); never when matches are rated
    """

    player: int
    place: int
    ranks: tuple[int, int] | None
    rating: Estimate
    strength: float
    matches: int
    deals: int
    result: float | None
    score: float | None
    places: tuple[int, ...]
    first_share: float | None
    mean_place: float | None
    points: float | None
    faults: tuple[tuple[str, int], ...]
    forfeits: bool


class Pair(NamedTuple):
    """Two players compared: `a` stands at or above `b` in the table.

    difference -- Estimate of rating a - rating b, paired by blocks; its interval is for this pair alone
    p          -- float, after Holm's procedure over all pairs; None when it cannot be known
    apart      -- bool, told apart at 95 % for the whole table
    further    -- int, about how many further blocks would tell them apart with a chance of 80 % if the difference
                  is as it looks now; 0 when they are apart, None when it cannot be said (or not yet)
    """

    a: int
    b: int
    difference: Estimate
    p: float | None
    apart: bool
    further: int | None


class SeatEffect(NamedTuple):
    """What the seat is worth, whoever sits there.

    game, seats -- where
    means -- an Estimate for each seat, relative to the table
    best, worst -- ints, the seats with the greatest and the least mean; None when nothing was observed
    spread -- float, the greatest mean minus the least; None likewise
    p     -- float, of the one test that all seats are worth the same (Hotelling's T2 over blocks); None when there
             are too few blocks
    """

    game: str
    seats: int
    means: tuple[Estimate, ...]
    best: int | None
    worst: int | None
    spread: float | None
    p: float | None


class Ratings(NamedTuple):
    """Everything a table may claim.

    unit      -- "deal" or "match"
    games, seats -- what was pooled, sorted
    matches, blocks -- ints; a block counts once for each (game, seats)
    standings -- best first
    pairs     -- every two of the ranked players, in the order of the standings
    groups    -- the longest runs of the ranked (two or more players) in which no two are told apart
    ahead     -- ahead[a][b]: share of their shared matches in which a finished ahead of b, ties half; None if none
    shared    -- shared[a][b]: number of matches that a and b shared
    seat_effects -- one for each (game, seats)
    blocks_each -- ints, likewise: how many of the blocks are of this (game, seats)
    claims    -- bool; False: the players have not met the same opponents, so that their means cannot be compared, and
                 there are no ranks, intervals, pairs and groups
    left_out  -- int, how many matches are not in it, since not everybody has played their blocks yet
    """

    unit: Unit
    games: tuple[str, ...]
    seats: tuple[int, ...]
    matches: int
    blocks: int
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[int, ...], ...]
    ahead: tuple[tuple[float | None, ...], ...]
    shared: tuple[tuple[int, ...], ...]
    seat_effects: tuple[SeatEffect, ...]
    blocks_each: tuple[int, ...]
    claims: bool = True
    left_out: int = 0

    def neighbours(self) -> tuple[Pair, ...]:
        """Return the pairs that stand next to each other in the table."""
        order = [standing.player for standing in self.standings]
        beside = set(itertools.pairwise(order))
        return tuple(pair for pair in self.pairs if (pair.a, pair.b) in beside)


class _Sums:
    """The sums of one block in one unit: an entry for each player, then one for each seat.

    total -- in 1/SCALE, relative to the others
    level -- in 1/SCALE, relative to the whole table, oneself included
    count -- deals or matches
    """

    __slots__ = ("count", "level", "total")

    def __init__(self, entries: int) -> None:
        self.total = [0] * entries
        self.level = [0] * entries
        self.count = [0] * entries

    def merge(self, other: "_Sums") -> None:
        for own, its in ((self.total, other.total), (self.level, other.level), (self.count, other.count)):
            own[:] = map(add, own, its)


class _Group:
    """The sums of one (game, seats)."""

    def __init__(self, players: int, seats: int) -> None:
        self.blocks: dict[Unit, dict[int, _Sums]] = {"deal": {}, "match": {}}
        self.entries = players + seats
        self.matches = 0
        self.places = [[0] * seats for _ in range(players)]
        self.firsts = [0] * players  # in 1/SCALE
        self.results = [0] * players
        self.scores = [0] * players
        self.faults: list[collections.Counter[str]] = [collections.Counter() for _ in range(players)]
        self.ahead = [[0] * players for _ in range(players)]  # twice how often: a tie is 1
        self.shared = [[0] * players for _ in range(players)]

    def sums(self, unit: Unit, block: int) -> _Sums:
        blocks = self.blocks[unit]
        if block not in blocks:
            blocks[block] = _Sums(self.entries)
        return blocks[block]

    def merge(self, other: "_Group") -> None:
        """Add the sums of another group of the same (game, seats), which stays as it is."""
        for unit, blocks in other.blocks.items():
            for block, sums in blocks.items():
                self.sums(unit, block).merge(sums)
        self.matches += other.matches
        for own, its in (
            (self.firsts, other.firsts),
            (self.results, other.results),
            (self.scores, other.scores),
            *zip(self.places, other.places, strict=True),
            *zip(self.ahead, other.ahead, strict=True),
            *zip(self.shared, other.shared, strict=True),
        ):
            own[:] = map(add, own, its)
        for counts, more in zip(self.faults, other.faults, strict=True):
            counts.update(more)


class Tally:
    """The sums over results: they grow with players and blocks, not with matches.

    players        -- int, the number of players of the run; results name them by index
    more_is_better -- game -> whether a greater result of a deal is the better one
    """

    def __init__(self, players: int, more_is_better: Mapping[str, bool]) -> None:
        self.players = players
        self._sign = {game: 1 if more else -1 for game, more in more_is_better.items()}
        self._groups: dict[tuple[str, int], _Group] = {}

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The pairs (game, seats) that have results, sorted."""
        return tuple(sorted(self._groups))

    @property
    def matches(self) -> int:
        """How many results there are."""
        return sum(group.matches for group in self._groups.values())

    def merge(self, other: "Tally") -> None:
        """Count all that is in another tally of the same players, which stays as it is."""
        for (game, seats), group in other._groups.items():
            self._group(game, seats).merge(group)

    def _group(self, game: str, seats: int) -> _Group:
        if (game, seats) not in self._groups:
            self._groups[game, seats] = _Group(self.players, seats)
        return self._groups[game, seats]

    def add(self, result: Result) -> None:
        """Count one match. The caller gives each match once."""
        group = self._group(result.game, result.seats)
        group.matches += 1
        self._add_deals(group, result)
        self._add_places(group, result)
        for seat, code in result.faults:
            group.faults[result.players[seat]][code] += 1

    def _add_deals(self, group: _Group, result: Result) -> None:
        sums = group.sums("deal", result.block)
        deals = result.deals[: result.counted]
        if not deals:
            return
        sign = self._sign[result.game]
        own, total, level, count = _relative(deals, result.seats)
        for seat, player in enumerate(result.players):
            group.results[player] += own[seat]
            for entry in (player, self.players + seat):
                sums.total[entry] += sign * total[seat]
                sums.level[entry] += sign * level[seat]
                sums.count[entry] += count[seat]

    def _add_places(self, group: _Group, result: Result) -> None:
        sums = group.sums("match", result.block)
        ranks, players = result.ranks, result.players
        others = result.seats - 1
        winners = ranks.count(1)
        for seat, player in enumerate(players):
            rank = ranks[seat]
            group.places[player][rank - 1] += 1
            group.scores[player] += result.scores[seat]
            if rank == 1:
                group.firsts[player] += SCALE // winners
            ahead, shared = group.ahead[player], group.shared[player]
            points = -1  # of twice the others left behind: the player ties with itself below
            for other, its in zip(players, ranks, strict=True):
                won = 2 if rank < its else 1 if rank == its else 0
                points += won
                ahead[other] += won
                shared[other] += 1
            relative = (points - others) * (SCALE // 2 // others)
            for entry in (player, self.players + seat):
                sums.total[entry] += relative
                sums.level[entry] += relative
                sums.count[entry] += 1


def _relative(deals: Sequence[tuple[int | None, ...]], seats: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return per seat, summed over deals: its own result, its total and level as in `_Sums`, and its deals."""
    own, total, level, count = [0] * seats, [0] * seats, [0] * seats, [0] * seats
    # Deals with all seats present, nearly all of them, are added up first: relative to sums is the sum of relatives.
    full = [deal for deal in deals if None not in deal]
    whole = tuple(sum(filter(None, column)) for column in zip(*full, strict=True))
    for deal, times in [(whole, len(full)), *((deal, 1) for deal in deals if None in deal)]:
        got = [(seat, value) for seat, value in enumerate(deal) if value is not None]
        present = len(got)
        if present < 2:
            continue  # nobody to compare with
        table = sum(value for _, value in got)
        for seat, value in got:
            above = present * value - table
            own[seat] += value
            total[seat] += above * (SCALE // (present - 1))
            level[seat] += above * (SCALE // present)
            count[seat] += times
    return own, total, level, count


class _Column:
    """One player's (or seat's) sums over the blocks: total, count and the residual of each block, exact."""

    def __init__(self, blocks: Sequence[_Sums], entry: int) -> None:
        totals = [sums.total[entry] for sums in blocks]
        self.counts = [sums.count[entry] for sums in blocks]
        self.total, self.count = sum(totals), sum(self.counts)
        # The linearised ratio: block k moves the mean by (total_k - mean * count_k) / count.
        self.residuals = [
            total * self.count - self.total * count for total, count in zip(totals, self.counts, strict=True)
        ]

    @property
    def mean(self) -> float | None:
        return self.total / (SCALE * self.count) if self.count else None

    def estimate(self) -> Estimate:
        blocks = sum(map(bool, self.counts))
        return _interval(self.mean, self.residuals, SCALE * self.count**2, blocks)


def _difference(a: _Column, b: _Column) -> Estimate:
    """Return the estimate of mean a - mean b, paired by blocks; both have a mean."""
    blocks = sum(bool(one or other) for one, other in zip(a.counts, b.counts, strict=True))
    mean = (a.total * b.count - b.total * a.count) / (SCALE * a.count * b.count)
    if a.count == b.count:
        residuals = [one - other for one, other in zip(a.residuals, b.residuals, strict=True)]
        return _interval(mean, residuals, SCALE * a.count**2, blocks)
    weigh_a, weigh_b = b.count**2, a.count**2
    residuals = [weigh_a * one - weigh_b * other for one, other in zip(a.residuals, b.residuals, strict=True)]
    return _interval(mean, residuals, SCALE * weigh_a * weigh_b, blocks)


def _interval(mean: float | None, residuals: Sequence[int], unit: int, blocks: int) -> Estimate:
    """Return the block-clustered t interval of a mean; residuals are in 1/unit, exact."""
    squares = sum(residual * residual for residual in residuals)
    # Without any spread t would claim certainty. What blocks of one sign can prove is 2 ** (1 - blocks), so the
    # claim is made only when that is below 5 %.
    if mean is None or blocks < 2 or (squares == 0 and 2.0 ** (1 - blocks) > 1 - LEVEL):
        return Estimate(mean, None, None, None, blocks)
    error = math.sqrt(blocks * squares / ((blocks - 1) * unit**2))
    reach = t_quantile(0.5 + LEVEL / 2, blocks - 1) * error
    return Estimate(mean, error, mean - reach, mean + reach, blocks)


def rate(
    tally: Tally, game: str | None = None, seats: int | None = None, unit: Unit = "deal", claims: bool = True
) -> Ratings:
    """Return the ratings of a tally, of one game and number of seats or pooled over all that it has.

    claims -- bool; False: figures only, for results whose players have not met the same opponents
    Raises ValueError when unit is "deal" and the results pooled are of several games: their units do not add.
    """
    keys = [key for key in tally.groups if game in (None, key[0]) and seats in (None, key[1])]
    games = tuple(sorted({key[0] for key in keys}))
    if unit == "deal" and len(games) > 1:
        raise ValueError(f"deals of {' and '.join(games)} have different units; rate one game, or rate matches")
    groups = [tally._groups[key] for key in keys]
    blocks_of = [[group.blocks[unit][block] for block in sorted(group.blocks[unit])] for group in groups]
    blocks = list(itertools.chain.from_iterable(blocks_of))
    everyone = range(tally.players)
    columns = [_Column(blocks, player) for player in everyone]
    forfeits = [unit == "deal" and _forfeits_often(groups, player) for player in everyone]
    standing_keys = [
        (forfeits[player], -(_points(groups, player) or 0.0) if forfeits[player] else 0.0, *_by_mean(columns[player]))
        for player in everyone
    ]
    order = sorted(everyone, key=lambda player: standing_keys[player])
    ranked = [player for player in order if claims and columns[player].count and not forfeits[player]]
    ahead = [[sum(group.ahead[a][b] for group in groups) for b in everyone] for a in everyone]
    shared = [[sum(group.shared[a][b] for group in groups) for b in everyone] for a in everyone]
    pairs = _pairs(columns, ranked, len(groups))
    apart = {(pair.a, pair.b) for pair in pairs if pair.apart}
    strengths = _strengths(ahead, shared)
    ranks = _ranks(ranked, apart)
    standings = [
        _standing(player, columns[player], strengths[player], groups, len(games) == 1)._replace(
            place=1 + sum(key < standing_keys[player] for key in standing_keys),
            ranks=ranks.get(player),
            forfeits=forfeits[player],
        )
        for player in order
    ]
    effects = [_seat_effect(key, its, tally.players) for key, its in zip(keys, blocks_of, strict=True)]
    if not claims:
        standings = [standing._replace(rating=_only_mean(standing.rating)) for standing in standings]
        effects = [effect._replace(means=tuple(map(_only_mean, effect.means)), p=None) for effect in effects]
    return Ratings(
        unit=unit,
        games=games,
        seats=tuple(sorted({key[1] for key in keys})),
        matches=sum(group.matches for group in groups),
        blocks=len(blocks),
        standings=tuple(standings),
        pairs=tuple(pairs),
        groups=tuple(_groups(ranked, apart)),
        ahead=tuple(
            tuple(ahead[a][b] / (2 * shared[a][b]) if a != b and shared[a][b] else None for b in everyone)
            for a in everyone
        ),
        shared=tuple(tuple(shared[a][b] if a != b else 0 for b in everyone) for a in everyone),
        seat_effects=tuple(effects),
        blocks_each=tuple(map(len, blocks_of)),
        claims=claims,
    )


def block_differences(
    tally: Tally, a: int, b: int, game: str, seats: int, unit: Unit = "deal"
) -> Iterator[tuple[int, float | None, int]]:
    """Yield (block, mean of a - mean of b in the block, deals or matches of a in it), by number of block.

    What `sequential` looks at. Of deals these are means relative to the whole table, so that where both were in
    the deal the difference is just that of their results; of matches, the shares of the others left behind.
    None where either has nothing that counts in the block.
    """
    group = tally._groups.get((game, seats))
    for block, sums in sorted(group.blocks[unit].items()) if group else ():
        n, m = sums.count[a], sums.count[b]
        yield block, (sums.level[a] * m - sums.level[b] * n) / (SCALE * n * m) if n and m else None, n


def _by_mean(column: _Column) -> tuple[bool, float]:
    """Sort key: the greatest mean first, players without one last."""
    return (column.mean is None, -(column.mean or 0.0))


def _forfeits_often(groups: Sequence[_Group], player: int) -> bool:
    """Return whether a player forfeits more of its matches than can be ranked by deals."""
    matches = sum(sum(group.places[player]) for group in groups)
    return sum(group.faults[player].total() for group in groups) > MANY_FORFEITS * matches


def _points(groups: Sequence[_Group], player: int) -> float | None:
    """Return the share of the others left behind by a player, ties half; None without matches."""
    matches = sum(sum(group.places[player]) for group in groups)
    total = sum(sums.total[player] for group in groups for sums in group.blocks["match"].values())
    return 0.5 + total / (SCALE * matches) if matches else None


def _ranks(ranked: Sequence[int], apart: set[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Return the rank range of each of the ranked players."""
    better = collections.Counter(b for _, b in apart)
    worse = collections.Counter(a for a, _ in apart)
    return {player: (1 + better[player], len(ranked) - worse[player]) for player in ranked}


def _only_mean(estimate: Estimate) -> Estimate:
    return estimate._replace(error=None, low=None, high=None)


def _standing(player: int, column: _Column, strength: float, groups: Sequence[_Group], one_game: bool) -> Standing:
    """Return a player's line without what depends on the others: its place, ranks and whether it forfeits."""
    places = [0] * max((len(group.places[player]) for group in groups), default=0)
    for group in groups:
        for place, often in enumerate(group.places[player]):
            places[place] += often
    faults = sum((group.faults[player] for group in groups), collections.Counter[str]())
    matches = sum(places)
    deals = sum(sums.count[player] for group in groups for sums in group.blocks["deal"].values())
    return Standing(
        player=player,
        place=0,
        ranks=None,
        rating=column.estimate(),
        strength=strength,
        matches=matches,
        deals=deals,
        result=_ratio(sum(group.results[player] for group in groups), deals) if one_game else None,
        score=_ratio(sum(group.scores[player] for group in groups), matches) if one_game else None,
        places=tuple(places),
        first_share=_ratio(sum(group.firsts[player] for group in groups), SCALE * matches),
        mean_place=_ratio(sum(place * often for place, often in enumerate(places, 1)), matches),
        points=_points(groups, player),
        faults=tuple(sorted(faults.items())),
        forfeits=False,
    )


def _ratio(total: int, count: int) -> float | None:
    return total / count if count else None


def _pairs(columns: Sequence[_Column], order: Sequence[int], groups: int) -> list[Pair]:
    """Return every pair of the players in order, with p-values by Holm's procedure over all of them."""
    names = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    differences = [_difference(columns[a], columns[b]) for a, b in names]
    raw = [_p_value(difference) for difference in differences]
    # Holm: the k-th smallest of m p-values is multiplied by m - k, and never falls below the one before it.
    adjusted: list[float | None] = [None] * len(raw)
    known = sorted((p, at) for at, p in enumerate(raw) if p is not None)
    running = 0.0
    for k, (p, at) in enumerate(known):
        running = max(running, min(1.0, p * (len(raw) - k)))
        adjusted[at] = running
    return [
        Pair(
            a,
            b,
            difference,
            p,
            apart := p is not None and p <= 1 - LEVEL,
            _further(difference, apart, len(raw), groups),
        )
        for (a, b), difference, p in zip(names, differences, adjusted, strict=True)
    ]


def _p_value(difference: Estimate) -> float | None:
    """Return the two-sided p-value of no difference; None when it cannot be known."""
    if difference.error is None or difference.mean is None:
        return None
    if difference.error == 0:
        return 1.0 if difference.mean == 0 else 2.0 ** (1 - difference.blocks)
    return 2 * t_tail(abs(difference.mean) / difference.error, difference.blocks - 1)


def _further(difference: Estimate, apart: bool, pairs: int, groups: int) -> int | None:
    """Return how many further blocks would separate a pair: the error falls with the root of the blocks.

    pairs  -- int, how many comparisons the table makes; the level is shared among them
    groups -- int, over how many (game, seats) was pooled; each plays its own blocks
    """
    if apart:
        return 0
    if not difference.error or not difference.mean or difference.blocks < FORESEEN:
        return None
    ratio = difference.error / abs(difference.mean)
    # A critical value that holds for the blocks wanted, not for the few at hand: two rounds settle it.
    wanted = float(difference.blocks)
    for _ in range(2):
        reach = t_quantile(1 - (1 - LEVEL) / (2 * pairs), max(1, math.ceil(wanted) - 1)) + NormalDist().inv_cdf(POWER)
        wanted = difference.blocks * (ratio * reach) ** 2
    return max(1, math.ceil((wanted - difference.blocks) / groups))


def _groups(order: Sequence[int], apart: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Yield the longest runs of two or more players of the order in which no pair is apart."""
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and all((a, order[end]) not in apart for a in order[start:end]):
            end += 1
        if end > reached and end - start > 1:
            yield tuple(order[start:end])
        reached = max(reached, end)


def _seat_effect(key: tuple[str, int], blocks: Sequence[_Sums], players: int) -> SeatEffect:
    game, seats = key
    columns = [_Column(blocks, players + seat) for seat in range(seats)]
    means = [column.mean for column in columns]
    known = [(mean, -seat) for seat, mean in enumerate(means) if mean is not None]
    best, worst = (max(known), min(known)) if known else (None, None)
    return SeatEffect(
        game,
        seats,
        tuple(column.estimate() for column in columns),
        -best[1] if best else None,
        -worst[1] if worst else None,
        best[0] - worst[0] if best and worst else None,
        _all_equal(columns) if len(known) == seats else None,
    )


def _all_equal(columns: Sequence[_Column]) -> float | None:
    """Return the p-value of the hypothesis that all columns have the same mean (Hotelling's T2 over blocks)."""
    contrasts = len(columns) - 1
    blocks = sum(any(counts) for counts in zip(*(column.counts for column in columns), strict=True))
    if blocks <= contrasts:
        return None
    means = [column.total / (SCALE * column.count) for column in columns]
    moved = [[residual / (SCALE * column.count**2) for residual in column.residuals] for column in columns]
    away = [mean - means[-1] for mean in means[:-1]]
    rows = [[one - last for one, last in zip(row, moved[-1], strict=True)] for row in moved[:-1]]
    factor = blocks / (blocks - 1)
    covariance = [[factor * sum(x * y for x, y in zip(a, b, strict=True)) for b in rows] for a in rows]
    solved = solve(covariance, away)
    if solved is None:
        return None
    square = sum(x * y for x, y in zip(away, solved, strict=True))
    return f_tail(square * (blocks - contrasts) / (contrasts * (blocks - 1)), contrasts, blocks - contrasts)


def _strengths(ahead: Sequence[Sequence[int]], shared: Sequence[Sequence[int]]) -> list[float]:
    """Return Plackett-Luce strengths on the Elo scale, 0 on average.

    ahead, shared -- [a][b]: twice how often a finished ahead of b (a tie is 1), and how often they met

    Every ranking is broken into all its pairs, a tie half to each, which estimates the Plackett-Luce model
    consistently (Azari Soufiani, Chen, Parkes and Xia, NIPS 2013) and needs no order of results. Each player also
    has half a win and half a loss against a player of strength 0: so strengths are finite and unique, whoever lost
    everything or met nobody. Newton's method with halved steps on the (strictly concave) log-likelihood.
    """
    everyone = range(len(ahead))
    x = [0.0] * len(ahead)

    def likelihood(x: Sequence[float]) -> float:
        duels = sum(ahead[a][b] / 2 * _log_chance(x[a] - x[b]) for a in everyone for b in everyone if a != b)
        return duels + sum((_log_chance(one) + _log_chance(-one)) / 2 for one in x)

    now = likelihood(x)
    for _ in range(100):
        slope = [0.5 - _chance(one) for one in x]
        bend = [[0.0] * len(x) for _ in everyone]
        for a in everyone:
            bend[a][a] = _chance(x[a]) * _chance(-x[a])
            for b in everyone:
                if a != b and shared[a][b]:
                    expected = _chance(x[a] - x[b])
                    weight = shared[a][b] * expected * (1 - expected)
                    slope[a] += ahead[a][b] / 2 - shared[a][b] * expected
                    bend[a][a] += weight
                    bend[a][b] -= weight
        step = solve(bend, slope)
        if step is None or max(map(abs, step), default=0.0) < 1e-9:
            break
        while (then := likelihood(moved := [one + by for one, by in zip(x, step, strict=True)])) < now:
            step = [by / 2 for by in step]
            if max(map(abs, step)) < 1e-9:
                break
        x, now = moved, then
    middle = math.fsum(x) / max(1, len(x))
    return [ELO * (one - middle) for one in x]


def _chance(x: float) -> float:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _log_chance(x: float) -> float:
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float] | None:
    """Return the solution of matrix x = right by Gaussian elimination, or None when the matrix is singular."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    # A pivot is nothing when it is nothing beside the entry that it is left of.
    nothing = [1e-12 * abs(row[at]) for at, row in enumerate(rows)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        if abs(rows[pivot][at]) <= nothing[at]:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            if factor:
                rows[below] = [one - factor * other for one, other in zip(rows[below], rows[at], strict=True)]
    x = [0.0] * size
    for at in reversed(range(size)):
        x[at] = (rows[at][size] - sum(rows[at][k] * x[k] for k in range(at + 1, size))) / rows[at][at]
    return x


def t_tail(t: float, df: float) -> float:
    """Return the chance that Student's t with df > 0 degrees of freedom exceeds t."""
    half = beta_share(df / 2, 0.5, df / (df + t * t)) / 2
    return half if t >= 0 else 1 - half


def t_quantile(p: float, df: float) -> float:
    """Return the value that Student's t with df > 0 degrees of freedom does not exceed with chance p, 0 < p < 1."""
    if p < 0.5:
        return -t_quantile(1 - p, df)
    front = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    # The tail is convex and heavier than the normal one, so Newton's method climbs to the answer from below.
    t = NormalDist().inv_cdf(p)
    for _ in range(200):
        density = front * (1 + t * t / df) ** (-(df + 1) / 2)
        step = (t_tail(t, df) - (1 - p)) / density
        t += step
        if step <= 1e-13 * t:
            break
    return t


def f_tail(f: float, df1: float, df2: float) -> float:
    """Return the chance that Fisher's F exceeds f."""
    return beta_share(df2 / 2, df1 / 2, df2 / (df2 + df1 * f)) if f > 0 else 1.0


def beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), 0 <= x <= 1.

    Source: the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, evaluated by the
    modified Lentz method.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - beta_share(b, a, 1 - x)
    tiny = 1e-300
    fraction, c, d = 1.0, 1.0, 0.0
    for k in range(10_000):
        m = k // 2
        if k == 0:
            term = 1.0
        elif k % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + term * d or tiny)
        c = 1 + term / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return front * (fraction - 1) / a
