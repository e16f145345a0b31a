"""The report of a run: one HTML file with its tables, drawings, failures and replays, that asks nothing of a network.

Theory of operation. The store is read once for its results, which go into tallies and counters that do not grow with
the number of matches. Replays and move times are taken from matches picked by number, spread evenly over the run and
always the same ones. All statistics are those of `referee.ratings`; here they are only put into words and drawings.

Whatever players wrote - names, remarks, sentences about faults, standard error - is hostile: templates escape it, the
data for the script is base64 or has no `<`, and the page's policy allows the one script and style that it brings.
"""

from __future__ import annotations

import array
import base64
import collections
import hashlib
import itertools
import json
import math
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias

import jinja2

from referee import __version__
from referee.compare import Answer, answers_of, question_of
from referee.games import game_class
from referee.games._base import show_value
from referee.ratings import MANY_FORFEITS, Estimate, Pair, Ratings, SeatEffect, Standing
from referee.record import BadRecord, from_text
from referee.report import charts, embed
from referee.report.files import written_whole
from referee.report.ledger import Ledger, caution
from referee.report.tables import blocks_text, cause_of, listed, rank_text, remarks, without_deals
from referee.store import Row, Store, read
from referee.tournament import Plan, result_of
from referee.wire import safe
from referee.words import counted

Games: TypeAlias = int | Literal["all"] | None

REPLAY_BYTES = 3_000_000  # of replays in the page, unless more are asked for
REPLAY_MOMENTS = 60_000  # likewise: to replay them takes some 6 s
LARGE = 20_000  # matches; a run with more has a third of these moments, and its parts are drawn from this many
TIMED_MATCHES = 1_000  # matches whose times are looked at
TENTHS = 10  # parts of the run whose means are drawn
KINDS_SHOWN = 40  # kinds of faults in the table
LINKED = 8  # matches named for each kind of fault
STDERR_LINES, STDERR_CHARS = 12, 1_200
FURTHER_SHOWN = 99_999  # blocks; more than these say only that the difference is as good as none
LINES_DRAWN = 12  # players in the drawing over the run
MARK = "<!-- replays -->"  # nobody else can write this: `<` is escaped in all that is not ours


class Fault(NamedTuple):
    """One fault: the match's number, the seat, and the sentence."""

    match: int
    seat: int
    text: str


class Kind:
    """The faults of one kind by one player in one game: how many, the first of them, and where they are."""

    def __init__(self, first: Fault) -> None:
        self.first = first
        self.count = 0
        self.matches: list[int] = []


class Scan:
    """What one pass over the results keeps of them."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.ledger = Ledger(plan)
        self.blocks = 1 + max((block for _, block in store.done()), default=0)
        self.parts = [Ledger(plan) for _ in range(min(TENTHS, self.blocks))]
        # One of so many blocks is in the parts; coprime to the numbers of cyclic orders, so that all of them are.
        least = -(-store.count() // LARGE)
        self.every = next(every for every in itertools.count(max(1, least)) if math.gcd(every, 210) == 1)
        self.results: dict[tuple[str, int], collections.Counter[int]] = collections.defaultdict(collections.Counter)
        self.kinds: dict[tuple[str, int, str], Kind] = {}
        self.numbers = array.array("q")  # of the matches that there are, ascending
        self.faulty = array.array("q")
        self.void = array.array("q")
        self.faults = 0
        self.deals = 0
        self._of_schedule = plan.numbers()
        for task, block, stored in store.results():
            number = self._of_schedule.of(task, block)
            self.numbers.append(number)
            ledgers = [self.ledger]
            if block % self.every == 0:
                ledgers.append(self.parts[min(len(self.parts) - 1, block * len(self.parts) // self.blocks)])
            if stored["void"]:
                self.void.append(number)
                for ledger in ledgers:
                    ledger.add_void(stored["game"], stored["seats"], block)
                continue
            result = result_of(block, stored)
            for ledger in ledgers:
                ledger.add(result)
            self.deals += len(result.deals)
            counters = [self.results[result.game, player] for player in result.players]
            for deal in result.deals[: result.counted]:
                for counter, value in zip(counters, deal, strict=True):
                    if value is not None:
                        counter[value] += 1
            if stored["faults"]:
                self._faults(number, stored)

    def _faults(self, number: int, stored: Mapping[str, Any]) -> None:
        self.faulty.append(number)
        for seat, code, text in stored["faults"]:
            key = (stored["game"], stored["players"][seat], code)
            kind = self.kinds.setdefault(key, Kind(Fault(number, seat, text)))
            kind.count += 1
            self.faults += 1
            if len(kind.matches) < LINKED:
                kind.matches.append(number)

    @property
    def matches(self) -> int:
        """The number of matches in the store, void ones too."""
        return len(self.numbers)

    def key(self, number: int) -> tuple[int, int]:
        """Return (task, block) of a match that there is."""
        key = self._of_schedule.key(number)
        assert key is not None, f"match {number} is in no schedule"
        return key

    def spread(self) -> Iterator[int]:
        """Yield the numbers of all matches so that the first of them, however many are taken, lie evenly."""
        return (self.numbers[at] for at in spread(len(self.numbers)))


def spread(count: int) -> Iterator[int]:
    """Yield 0 .. count-1 so that the first of them, however many are taken, lie evenly (van der Corput's order)."""
    bits = max(1, (count - 1).bit_length())
    for at in range(1 << bits):
        number = int(f"{at:0{bits}b}"[::-1], 2)
        if number < count:
            yield number


def row_of(store: Store, scan: Scan, number: int) -> Row:
    """Return a match by its number."""
    row = store.row_of(*scan.key(number))
    assert row is not None, f"match {number} was there a moment ago"
    return row


# -- replays


class Replays(NamedTuple):
    """The replays that go into the page.

    rows     -- one for each match, see `_index_row`
    faulty   -- how many of the matches with faults are there
    unusable -- matches whose records cannot be replayed
    """

    rows: list[list[Any]]
    faulty: int
    unusable: list[int]


def pick(scan: Scan, first: Iterable[int]) -> Iterator[int]:
    """Yield the numbers of matches, each once: `first`, all others with faults, then the rest spread over the run."""
    seen: set[int] = set(scan.void)
    for number in (*first, *scan.faulty, *scan.spread()):
        if number not in seen:
            seen.add(number)
            yield number


def replays(plan: Plan, scan: Scan, store: Store, games: Games, pieces: IO[str]) -> Replays:
    """Replay as many matches as are wanted and write them to `pieces`, packed, in base64, a line for each pack.

    games -- how many; "all"; None: until REPLAY_BYTES or REPLAY_MOMENTS is reached
    """
    most = REPLAY_MOMENTS if scan.matches <= LARGE else REPLAY_MOMENTS // 3
    chosen = Replays([], 0, [])
    waiting: dict[int, Any] = {}
    piece = size = moments = faulty = 0
    has_fault = set(scan.faulty)
    for number in pick(scan, (kind.first.match for kind in scan.kinds.values())):
        if games != "all" and len(chosen.rows) >= (scan.matches if games is None else games):
            break
        if games is None and (size >= REPLAY_BYTES or moments >= most):
            break
        row = row_of(store, scan, number)
        names = [plan.players[index].name for index in row.result["players"]]
        try:
            told = embed.replay_of(from_text(row.record), row.record, row.timings, names)
        except BadRecord:
            chosen.unusable.append(number)
            continue
        waiting[number] = told
        moments += len(told)
        faulty += number in has_fault
        chosen.rows.append(_index_row(number, row, told, piece))
        if len(waiting) == embed.PACK:
            size += pieces.write(embed.packed_json(waiting) + "\n")
            waiting, piece = {}, piece + 1
    if waiting:
        pieces.write(embed.packed_json(waiting) + "\n")
    chosen.rows.sort()
    return chosen._replace(faulty=faulty)


def _index_row(number: int, row: Row, told: Sequence[Mapping[str, Any]], piece: int) -> list[Any]:
    """Return a match's row: number, piece, game, players, ranks, scores, block, moments, [seat, code, struck] ..."""
    faults = [[at["s"], at["f"], at.get("k", 0)] for at in told if "f" in at]
    game, players, ranks, scores = (row.result[key] for key in ("game", "players", "ranks", "scores"))
    return [number, piece, game, players, ranks, scores, row.block, len(told), faults]


# -- move times


class Times(NamedTuple):
    """How long a player took for its answers, in ms as charged to its clock.

    cuts -- what 5, 25, 50, 75 and 95 % of the answers do not exceed
    most -- the longest
    """

    player: str
    answers: int
    cuts: tuple[float, ...]
    most: float


def move_times(plan: Plan, scan: Scan, store: Store) -> tuple[dict[str, list[Times]], int]:
    """Return each game's times by player, and how many matches were looked at."""
    taken: dict[tuple[str, int], array.array[float]] = {}
    looked = 0
    for looked, number in enumerate(scan.spread(), 1):
        row = row_of(store, scan, number)
        players, game = row.result["players"], row.result["game"]
        for seat, _, _, _, charge in row.timings:
            taken.setdefault((game, players[int(seat)]), array.array("d")).append(charge)
        if looked >= TIMED_MATCHES:
            break
    times: dict[str, list[Times]] = {}
    for (game, player), charges in sorted(taken.items()):
        ordered = sorted(charges)
        cuts = [ordered[len(ordered) * percent // 100] for percent in (5, 25, 50, 75, 95)]
        times.setdefault(game, []).append(Times(plan.players[player].name, len(ordered), tuple(cuts), ordered[-1]))
    return times, looked


# -- sentences


def and_list(names: Sequence[str], most: int = 6) -> str:
    """Return `a, b and c`, or `a, b and 5 others` when there are many."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def verdict(plan: Plan, rated: Ratings) -> str:
    """Return what the table of one game shows, and no more than that, in a few sentences.

    Players that are listed below the others for their forfeits are in none of them but the last.
    """
    names = [entry.name for entry in plan.players]
    rows = listed(rated)
    fair = [standing.player for standing, _ in rows if standing.ranks is not None]
    out = [names[standing.player] for standing, forfeits in rows if forfeits]
    why_out = f" {and_list(out)} forfeited too often to be ranked." if out else ""
    why_out += f" {unranked}" if (unranked := without_deals(rows, names)) else ""
    warned = caution(rated)
    if not rated.claims:
        return f"{warned}{why_out}"
    told = _told_apart(names, rated, fair)
    return f"{warned} {told}{why_out}" if warned else f"{told}{why_out}"


def _told_apart(names: Sequence[str], rated: Ratings, fair: Sequence[int]) -> str:
    """Return the sentences on who can be told apart; `fair` are the ranked players, best first."""
    if len(fair) < 2:
        return "There are not enough deals that count to compare anybody."
    pairs = rated.pairs
    if all(pair.p is None for pair in pairs):
        return "There are too few blocks for any interval, so nothing can be told apart yet."
    below = {pair.b for pair in pairs if pair.apart}
    top = [names[player] for player in fair if player not in below]
    if not below:
        told = "No two of the players can be told apart at 95 %."
        if len(fair) == 2:
            told = f"{and_list(top)} cannot be told apart at 95 %."
    elif len(top) == 1 and all(pair.apart for pair in pairs if names[pair.a] == top[0]):
        others = {1: names[min(below)], 2: "both others"}.get(len(below), f"all {len(below)} others")
        told = f"{top[0]} is ahead of {others} at 95 %."
    else:
        told = f"Nobody is shown to be ahead of {and_list(top)} at 95 %."
    if len(fair) > 2:
        told += f" {sum(pair.apart for pair in pairs)} of {len(pairs)} pairs of players are told apart."
    return f"{told}{_open_question(names, pairs)}"


def _open_question(names: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Return what more blocks would settle: the pair that wants the fewest."""
    wanting = [pair for pair in pairs if pair.further and pair.further <= FURTHER_SHOWN]
    if not wanting:
        return ""
    pair = min(wanting, key=lambda pair: pair.further or 0)
    return (
        f" About {pair.further:,} more {'block' if pair.further == 1 else 'blocks'} at every table would separate"
        f" {names[pair.a]} from {names[pair.b]},"
        " if the difference is as it looks now."
    )


def groups_text(plan: Plan, rated: Ratings) -> list[str]:
    """Return a sentence for each group of players that cannot be told apart."""
    return [
        f"{and_list([plan.players[player].name for player in group], 20)} cannot be told apart."
        for group in rated.groups
    ]


def seat_sentence(effect: SeatEffect) -> str:
    """Return the sentence of the one test that all seats are worth the same."""
    if effect.p is None or effect.best is None or effect.worst is None or effect.spread is None:
        return "There are too few blocks to test whether the seats are worth the same."
    p = f"p = {effect.p:.3f}" if effect.p >= 0.001 else "p < 0.001"
    if effect.p <= 0.05:
        return (
            f"The seats are not worth the same ({p}, one test over all seats): seat {effect.best + 1} does best,"
            f" seat {effect.worst + 1} worst, {effect.spread:.3f} per deal apart."
        )
    return f"No difference between the seats can be shown ({p}, one test over all seats)."


def replays_text(scan: Scan, chosen: Replays) -> str:
    """Return the sentence on which matches can be replayed in the page."""
    here, faulty = len(chosen.rows), len(scan.faulty)
    if here == scan.matches:
        return f"All {scan.matches:,} matches are here." if here > 1 else f"{here or 'No'} match is here."
    if not here:
        return f"None of the {counted(scan.matches, 'match')} is here."
    told = f"{here:,} of {scan.matches:,} matches are here"
    if not faulty:
        return f"{told}, spread evenly over the run."
    rest = ", the rest spread evenly over the run" if here > chosen.faulty else ""
    return f"{told}: {chosen.faulty:,} of the {faulty:,} with faults{rest}."


def signed(value: float | None, digits: int = 3) -> str:
    """Return a number with its sign, or a dash."""
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")


def plain(value: float | None) -> str:
    """Return a number, or a dash."""
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def half_width(estimate: Estimate) -> str:
    """Return the ± of an estimate, or a dash."""
    return "–" if estimate.high is None or estimate.mean is None else f"{estimate.high - estimate.mean:.3f}"


def percent(share: float | None) -> str:
    """Return a share in percent with one digit, or a dash."""
    return "–" if share is None else f"{100 * share:.1f}"


def milliseconds(value: float) -> str:
    """Return a time in ms with two or three figures that matter."""
    if value < 0.005:
        return "< 0.01"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


# -- the parts of a game's section


def standings_part(plan: Plan, rated: Ratings) -> list[dict[str, Any]]:
    """Return the rows of the table of one game."""
    return [
        {
            "rank": rank_text(standing, forfeits),
            "order": at,
            "player": plan.players[standing.player].name,
            "index": standing.player,
            "mean": standing.rating.mean,
            "estimate": standing.rating,
            "deals": standing.deals,
            "matches": standing.matches,
            "result": standing.result,
            "first": standing.first_share,
            "points": standing.points,
            "strength": standing.strength,
            "faults": sum(count for _, count in standing.faults),
            "standing": standing,
            "forfeits": forfeits,
        }
        for at, (standing, forfeits) in enumerate(listed(rated))
    ]


def _estimates(estimates: Sequence[Estimate]) -> tuple[charts.Scale, list[charts.Dot | None]]:
    return charts.dots([(estimate.mean, estimate.low, estimate.high) for estimate in estimates])


def heat_part(plan: Plan, rated: Ratings, order: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of the head-to-head table; `level` -5 .. 5 is the colour."""
    rows = []
    for a in order:
        cells: list[dict[str, Any] | None] = []
        for b in order:
            share = rated.ahead[a][b]
            if a == b or share is None:
                cells.append(None)
            else:
                level = max(-5, min(5, round((share - 0.5) * 10)))
                cells.append({"percent": round(100 * share), "level": level, "matches": rated.shared[a][b]})
        rows.append({"player": plan.players[a].name, "cells": cells})
    return rows


def places_part(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each player's shares of places, with where each begins, in percent."""
    parts = []
    for row in rows:
        standing: Standing = row["standing"]
        total = max(1, standing.matches)
        begin, shares = 0.0, []
        for often in standing.places:
            share = 100 * often / total
            shares.append({"x": round(begin, 2), "width": round(share, 2), "percent": f"{share:.1f}"})
            begin += share
        mean = "–" if standing.mean_place is None else f"{standing.mean_place:.2f}"
        parts.append({"player": row["player"], "shares": shares, "mean": mean})
    return parts


def results_part(scan: Scan, game: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return small histograms of the results of deals, all on one scale; None without results."""
    counters = [(row["player"], scan.results.get((game, row["index"]), collections.Counter())) for row in rows]
    values = {value for _, counts in counters for value in counts}
    if not values:
        return None
    columns = charts.bins(values)
    height = 56.0
    tallest = max(columns.tallest(counts) for _, counts in counters if counts)
    return {
        "height": height,
        "first": columns.label(0),
        "last": columns.label(columns.columns - 1),
        "tallest": percent(tallest),
        "zero": round((0 - columns.low) / columns.width * 100 / columns.columns, 2)
        if min(values) < 0 < max(values)
        else None,
        "players": [
            {
                "player": player,
                "bars": columns.bars(counts, tallest, height),
                "quartiles": [charts.quantile(counts, share) for share in (0.25, 0.5, 0.75)],
            }
            for player, counts in counters
            if counts
        ],
    }


def seats_part(rated: Ratings) -> list[dict[str, Any]]:
    """Return the effect of the seats for each number of seats."""
    parts = []
    for effect in rated.seat_effects:
        scale, dots = _estimates(effect.means)
        parts.append(
            {
                "seats": effect.seats,
                "sentence": seat_sentence(effect),
                "scale": scale,
                "rows": list(enumerate(zip(effect.means, dots, strict=True))),
            }
        )
    return parts


def times_part(plan: Plan, times: Sequence[Times], order: Sequence[str]) -> dict[str, Any] | None:
    """Return the move times of one game on a logarithmic scale, in the order of the table."""
    if not times:
        return None
    least = max(0.001, min(row.cuts[0] for row in times))
    most = max(max(row.most for row in times), least * 10, plan.limits.move_ms or 0)
    low = next(power for power in (10.0**n for n in range(2, -4, -1)) if power <= least)
    high = next(power for power in (10.0**n for n in range(-2, 12)) if power >= most)
    scale = charts.Scale(low, high, log=True)
    by_name = {row.player: row for row in times}
    limit = plan.limits.move_ms
    return {
        "scale": scale,
        "limit": None if limit is None else {"x": scale.at(limit), "ms": limit},
        "rows": [by_name[name] for name in order if name in by_name],
    }


def progress_part(scan: Scan, game: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the means of each part of the run, as lines; None when the run has only one part."""
    rated = [part.whole(game) for part in scan.parts]
    if sum(part is not None for part in rated) < 2:
        return None
    means = [{} if part is None else {one.player: one.rating.mean for one in part.standings} for part in rated]
    drawn = rows if len(rows) <= LINES_DRAWN else [*rows[: LINES_DRAWN - 3], *rows[-3:]]
    series = [[mean.get(row["index"]) for mean in means] for row in drawn]
    known = [value for line in series for value in line if value is not None] + [0.0]
    heights = charts.Heights(min(known), max(known))
    xs = [round(2 + 95 * at / (len(means) - 1), 2) for at in range(len(means))]
    lines = []
    for row, values in zip(drawn, series, strict=True):
        points = [(x, heights.at(value)) for x, value in zip(xs, values, strict=True) if value is not None]
        if points:
            lines.append({"player": row["player"], "points": points, "values": [signed(value) for value in values]})
    labels = charts.apart([line["points"][-1][1] for line in lines], 15.0, heights.top, heights.bottom)
    for line, label in zip(lines, labels, strict=True):
        line["label_y"] = round(label, 1)
    cuts = [at * scan.blocks // len(means) for at in range(len(means) + 1)]
    heads = [f"{a}" if b - a == 1 else f"{a}–{b - 1}" for a, b in itertools.pairwise(cuts)]
    return {
        "every": scan.every,
        "lines": lines,
        "grid": heights.grid(),
        "heads": heads,
        "xs": xs,
        "left_out": len(rows) - len(drawn),
    }


def course_part(answer: Answer) -> dict[str, Any] | None:
    """Return how a comparison came to its answer: the interval at each look; None before anything is known."""
    looks = [look for look in answer.course if look.low is not None]
    known = [
        (look.blocks, look.mean, look.low, look.high)
        for look in looks
        if look.mean is not None and look.low is not None and look.high is not None
    ]
    if not known:
        return None
    blocks, means, lows, highs = zip(*known, strict=True)
    margins = [] if answer.margin is None else [-answer.margin, answer.margin]
    # The first intervals are so wide that nothing else could be seen beside them: they go on beyond the drawing.
    late = len(known) // 2
    reach = 1.1 * max(map(abs, (*lows[late:], *highs[late:], *means, *margins)))
    heights = charts.Heights(-reach, reach)

    def points(values: Sequence[float]) -> list[tuple[float, float]]:
        return [
            (round(2 + 95 * at / blocks[-1], 2), heights.at(max(-reach, min(reach, value))))
            for at, value in zip(blocks, values, strict=True)
        ]

    return {
        "answer": answer,
        "looks": looks,
        "grid": heights.grid(),
        "margins": [heights.at(margin) for margin in margins],
        "band": [*points(highs), *reversed(points(lows))],
        "line": points(means),
    }


def game_part(plan: Plan, scan: Scan, rated: Ratings, times: Sequence[Times], answer: Answer | None) -> dict[str, Any]:
    """Return everything about one game; `answer` is that of a comparison."""
    game = rated.games[0]
    rows = standings_part(plan, rated)
    kind = game_class(game)
    scale, dots = _estimates([row["estimate"] for row in rows])
    for row, dot in zip(rows, dots, strict=True):
        row["dot"] = dot
    order = [row["index"] for row in rows]
    return {
        "name": game,
        "title": kind.title,
        "unit": kind.unit,
        "more": kind.more_is_better,
        "rated": rated,
        "blocks": blocks_text(rated),
        "verdict": answer.sentence if answer else verdict(plan, rated),
        "course": course_part(answer) if answer else None,
        "groups": groups_text(plan, rated),
        "rows": rows,
        "scale": scale,
        "heat": heat_part(plan, rated, order),
        "places": places_part(rows),
        "results": results_part(scan, game, rows),
        "seats": seats_part(rated),
        "times": times_part(plan, times, [row["player"] for row in rows]),
        "progress": progress_part(scan, game, rows),
        "pairs": [_pair_part(plan, pair) for pair in rated.neighbours()],
        "forfeits": any(row["forfeits"] for row in rows),
    }


def _pair_part(plan: Plan, pair: Pair) -> dict[str, Any]:
    many = pair.further is not None and pair.further > FURTHER_SHOWN
    further = "–" if pair.further is None else f"over {FURTHER_SHOWN:,}" if many else f"{pair.further:,}"
    return {
        "a": plan.players[pair.a].name,
        "b": plan.players[pair.b].name,
        "difference": pair.difference,
        "p": "–" if pair.p is None else f"{pair.p:.3f}" if pair.p >= 0.001 else "< 0.001",
        "apart": pair.apart,
        "further": further,
    }


# -- failures


def head(text: str) -> str:
    """Return the first lines of what a player wrote to standard error, harmless to show."""
    lines = [safe(line) for line in text.splitlines()]
    shown = "\n".join(lines[:STDERR_LINES])
    if len(shown) > STDERR_CHARS or len(lines) > STDERR_LINES:
        return shown[:STDERR_CHARS] + "\n..."
    return shown


def failures_part(plan: Plan, scan: Scan, store: Store, shown: set[int]) -> list[dict[str, Any]]:
    """Return the kinds of faults, the most frequent first, each with the evidence of its first."""
    parts = []
    kinds = sorted(scan.kinds.items(), key=lambda item: (-item[1].count, item[1].first.match))
    for (game, player, code), kind in kinds[:KINDS_SHOWN]:
        first = kind.first
        row = row_of(store, scan, first.match)
        kept = {word: str(row.notes.get(word, {}).get(str(first.seat), "")) for word in ("asked", "heard", "stderr")}
        parts.append(
            {
                "game": game,
                "player": plan.players[player].name,
                "code": code,
                "count": kind.count,
                "text": safe(first.text),
                "asked": head(kept["asked"]),
                "heard": head(kept["heard"]),
                "stderr": head(kept["stderr"]),
                "cause": cause_of(code, bool(plan.sandbox)),
                "match": first.match,
                "move": embed.fault_moments(row.record).get(first.seat),
                "links": [(match, match in shown) for match in kind.matches],
                "more": kind.count - len(kind.matches),
                "command": replay_command(store.folder, first.match),
                "again": f"referee rerun {shlex.quote(str(store.folder))}#{first.match} --trace",
            }
        )
    return parts


def replay_command(folder: Path, match: int) -> str:
    """Return the command that prints a match, ready to be pasted."""
    return f"referee replay {shlex.quote(str(folder))}#{match}"


# -- the page


def write_report(
    folder: Path, out: Path | None = None, *, games: Games = None, made: str = "", machine: str = ""
) -> Path:
    """Write the report of a run, finished or not, and return where it is.

    folder  -- the run directory
    out     -- the file; None: report.html in the run directory
    games   -- how many matches can be replayed in the page, those with faults first; "all"; None: all with faults
               and a sample of the others, up to about 3 MB
    made, machine -- when and where the report was made, for its reader; the same words give the same bytes
    Raises StoreError when there is no run, OSError when the file cannot be written; no half of it is left then.
    """
    out = out or folder / "report.html"
    with read(folder) as store, tempfile.TemporaryFile("w+", encoding="ascii", dir=out.parent) as pieces:
        plan = Plan.from_json(store.meta("plan"))
        scan = Scan(plan, store)
        chosen = replays(plan, scan, store, games, pieces)
        _write(out, _render(plan, scan, store, chosen, made, machine), pieces)
    return out


def _write(out: Path, text: str, pieces: IO[str]) -> None:
    before, _, after = text.partition(MARK)
    pieces.seek(0)
    with written_whole(out) as file:
        file.write(before)
        for number, piece in enumerate(pieces):
            file.write(f'<script type="text/plain" id="piece-{number}">{piece.rstrip()}</script>\n')
        file.write(after)


def _render(plan: Plan, scan: Scan, store: Store, chosen: Replays, made: str, machine: str) -> str:
    folder = store.folder
    meta = {key: store.meta(key) for key in ("version", "commitment", "seed", "state")}
    times, timed = move_times(plan, scan, store)
    answers = {answer.game: answer for answer in answers_of(plan, store)} if question_of(plan) else {}
    ratings = {rated.games[0]: rated for rated in scan.ledger.ratings()}
    shown = {row[0] for row in chosen.rows}
    size = plan.size()
    files = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    environment = jinja2.Environment(
        loader=files, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters.update(signed=signed, plain=plain, percent=percent, half_width=half_width, ms=milliseconds)
    environment.filters.update(counted=counted)
    style, script = (files.get_source(environment, name)[0] for name in ("page.css", "viewer.js"))
    style, script = _dense(style), _dense(script)
    data = {
        "players": [entry.name for entry in plan.players],
        "titles": {game: game_class(game).title for game in ratings},
        "limit": plan.limits.move_ms,
        "folder": shlex.quote(str(folder)),
    }
    return environment.get_template("page.html.j2").render(
        title=f"{folder.resolve().name}: referee report",
        run=folder.resolve().name,
        folder=shlex.quote(str(folder)),
        plan=plan,
        size=size,
        scan=scan,
        left=0 if meta["state"] == "finished" else size.matches - scan.matches,
        compared=bool(answers),
        remarks=remarks(plan, store),
        meta=meta,
        made=made,
        machine=machine,
        version=__version__,
        games=[game_part(plan, scan, rated, times.get(game, []), answers.get(game)) for game, rated in ratings.items()],
        contests=[*(_contest_part(plan, contest) for contest in plan.contests), *plan.meetings()],
        setup=setup_text(plan),
        timed=timed,
        failures=failures_part(plan, scan, store, shown),
        void=[(number, replay_command(folder, number) + " --wire") for number in scan.void[:LINKED]],
        chosen=chosen,
        replays_text=replays_text(scan, chosen),
        not_started=[(name, safe(reason)) for name, reason in plan.not_started],
        many_forfeits=f"{MANY_FORFEITS:.0%}".replace("%", " %"),
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
        data=json.dumps(data).replace("<", "\\u003c"),
        index=embed.packed_json(chosen.rows),
        mark=MARK,
    )


def _dense(text: str) -> str:
    """Return a script or style without indentation and lines of comment."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"


def _policy_hash(text: str) -> str:
    """Return the word by which a content security policy allows exactly this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _contest_part(plan: Plan, contest: tuple[str, str, Mapping[str, Any], tuple[int, ...], tuple[int, ...]]) -> str:
    game, preset, options, seats, players = contest
    changed = [
        f"{option.name}={show_value(options[option.name])}"
        for option in game_class(game).declared
        if option.name in options and options[option.name] != option.default
    ]
    rules = f", {' '.join(changed)}" if changed else ""
    sizes = "/".join(map(str, seats))
    return f"{game_class(game).title}: preset {preset}{rules}; tables of {sizes}, {len(players)} players"


def setup_text(plan: Plan) -> str:
    """Return what decides the run but its seed, for copying; of the environment the names only, it may hold secrets."""
    lines = []
    for entry in plan.players:
        lines.append(f"{safe(entry.name)}: {safe(shlex.join(entry.argv))}  (in {safe(entry.cwd)})")
        if entry.env:
            lines.append(f"    with {', '.join(map(safe, sorted(entry.env)))} set")
    limits = plan.limits
    clock = "no clock" if limits.move_ms is None else f"{limits.move_ms} ms for each answer"
    lines.append(
        f"blocks {plan.blocks}; {clock}, bank {limits.bank_ms} ms, increment"
        f" {limits.increment_ms} ms, start {limits.start_ms} ms, grace {limits.grace_ms} ms, strikes {limits.strikes}"
    )
    if plan.fresh or plan.anonymous:
        lines.append(", ".join(word for word in ("fresh" * plan.fresh, "anonymous" * plan.anonymous) if word))
    return "\n".join(lines)
