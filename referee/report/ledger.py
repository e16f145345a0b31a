"""What a run may claim: the tally of the blocks that everybody has played, and what is not in it yet.

Theory of operation. Tables play their slices of blocks one after another, so while a run goes on some players have met
opponents that others have not, and their means cannot be compared. A block of (game, seats) is whole once every table
has played it in every rotation; a void match is played, too. The ledger has a tally of the whole blocks of each game,
into which each other block is poured with its last match. Until then a block is a tally of its own and a few results
that are not in it yet, since most blocks are so small that a tally for each would cost more than they do. So a ledger
grows with players and blocks, not with matches.

A game with two whole blocks is rated by those alone. With fewer, all that was played is shown, and nothing claimed.

The matches of a comparison are all counted: it has a verdict of its own, and its table claims nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from referee.games import game_class
from referee.ratings import Ratings, Result, Tally, Unit, rate
from referee.schedule import size
from referee.tournament import Plan
from referee.words import counted

LEAST_BLOCKS: Final = 2  # whole blocks of a game from which a table may claim something
KEPT: Final = 24  # results of a block that are kept before they are tallied


class _Open:
    """A block that not everybody has played.

    played  -- int, how many matches of it, void ones too
    results -- the latest
    tally   -- of those before them; None: there are none
    """

    __slots__ = ("played", "results", "tally")

    def __init__(self) -> None:
        self.played = 0
        self.results: list[Result] = []
        self.tally: Tally | None = None

    @property
    def matches(self) -> int:
        """How many results there are."""
        return len(self.results) + (self.tally.matches if self.tally else 0)

    def pour(self, into: Tally) -> None:
        """Count all that there is in another tally."""
        if self.tally:
            into.merge(self.tally)
        for result in self.results:
            into.add(result)


class Ledger:
    """The results of a run, in whatever order they come."""

    def __init__(self, plan: Plan) -> None:
        self._players = len(plan.players)
        self._whole = {game: self._tally(game) for game, *_ in plan.contests}
        # How many matches a block has, by (game, seats); nothing for a comparison: its blocks are not waited for.
        self._due = {
            (contest.game, seats): size([contest._replace(seats=(seats,))], 1, 1).matches
            for contest in plan.schedulable()
            for seats in contest.seats
            if not plan.anchors
        }
        self._open: dict[tuple[str, int, int], _Open] = {}

    def add(self, result: Result) -> None:
        """Count one match. The caller gives each match once."""
        if not self._due:
            self._whole[result.game].add(result)
            return
        opened = self._block(result.game, result.seats, result.block)
        opened.results.append(result)
        if len(opened.results) == KEPT:
            opened.tally = opened.tally or self._tally(result.game)
            while opened.results:
                opened.tally.add(opened.results.pop())
        self._played(opened, result.game, result.seats, result.block)

    def add_void(self, game: str, seats: int, block: int) -> None:
        """Know of a match that counts for nobody: there will be no other in its place."""
        if self._due:
            self._played(self._block(game, seats, block), game, seats, block)

    def ratings(self, unit: Unit = "deal") -> list[Ratings]:
        """Return the ratings of each game that has results, in the order of the plan."""
        return [rated for game in self._whole if (rated := self.rated(game, unit))]

    def rated(self, game: str, unit: Unit = "deal") -> Ratings | None:
        """Return the ratings of one game: of its whole blocks, or of all its matches, claiming nothing; None without
        results."""
        parts = [opened for key, opened in self._open.items() if key[0] == game and opened.matches]
        rated = self.whole(game, unit)
        if not parts:
            return rated
        if rated and rated.blocks >= LEAST_BLOCKS:
            return rated._replace(left_out=sum(part.matches for part in parts))
        everything = self._tally(game)
        everything.merge(self._whole[game])
        for part in parts:
            part.pour(everything)
        return rate(everything, game, unit=unit, claims=False)

    def whole(self, game: str, unit: Unit = "deal") -> Ratings | None:
        """Return the ratings of the whole blocks of one game; None without results in them."""
        return rate(self._whole[game], game, unit=unit) if self._whole[game].matches else None

    def _tally(self, game: str) -> Tally:
        return Tally(self._players, {game: game_class(game).more_is_better})

    def _block(self, game: str, seats: int, block: int) -> _Open:
        key = (game, seats, block)
        if key not in self._open:
            self._open[key] = _Open()
        return self._open[key]

    def _played(self, opened: _Open, game: str, seats: int, block: int) -> None:
        opened.played += 1
        if opened.played == self._due[game, seats]:
            opened.pour(self._whole[game])
            del self._open[game, seats, block]


def caution(rated: Ratings) -> str:
    """Return the sentence that a reader of an unfinished table must know first; "" when there is nothing to say."""
    title = game_class(rated.games[0]).title
    if not rated.claims:
        return f"{title}: players have not met the same opponents yet, so nobody is ranked."
    if rated.left_out:
        are = "is" if rated.left_out == 1 else "are"
        return f"{counted(rated.left_out, 'match')} of unfinished blocks {are} not in the table of {title}."
    return ""


def cautions(ratings: Sequence[Ratings]) -> list[str]:
    """Return the cautions of some tables, without the empty ones."""
    return [sentence for rated in ratings if (sentence := caution(rated))]
