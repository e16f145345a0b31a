"""A run as tables for a person and as exports for a program.

Exports hold no time, date or path: the same plan, seed and deterministic players give the same bytes. Each row of an
export carries `v`, the version of its schema.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from referee.games import game_class
from referee.ratings import Estimate, Ratings, Result, Standing, Tally, rate
from referee.store import Row, Store
from referee.tournament import Plan
from referee.wire import safe

EXPORT_VERSION = 1
MANY_FORFEITS = 0.05  # who forfeits more of its matches than this is listed below the others
FAULTS_SHOWN = 12

MATCH_COLUMNS = ("v", "match", "game", "seats", "table", "block", "rotation")
SEAT_COLUMNS = ("seat", "player", "place", "score", "deals", "counted", "result", "fault", "fault_text", "void")


def tally_of(plan: Plan, store: Store) -> tuple[Tally, list[tuple[int, int, int, str, str]], int]:
    """Return the tally of a run, its faults as (match, player, seat, code, text), and how many matches are void."""
    more = {game: game_class(game).more_is_better for game, *_ in plan.contests}
    tally = Tally(len(plan.players), more)
    faults: list[tuple[int, int, int, str, str]] = []
    void = 0
    for number, (_, block, stored) in enumerate(store.results()):
        if stored["void"]:
            void += 1
            continue
        tally.add(result_of(block, stored))
        faults += [(number, stored["players"][seat], seat, code, text) for seat, code, text in stored["faults"]]
    return tally, faults, void


def result_of(block: int, stored: dict[str, Any]) -> Result:
    """Return a stored result as statistics take it."""
    return Result(
        stored["game"],
        stored["seats"],
        stored["table"],
        block,
        stored["rotation"],
        tuple(stored["players"]),
        tuple(stored["ranks"]),
        tuple(stored["scores"]),
        tuple(map(tuple, stored["deals"])),
        stored["counted"],
        tuple((seat, code) for seat, code, _ in stored["faults"]),
    )


def table(plan: Plan, store: Store, form: str) -> str:
    """Return the table of a run as text, json, jsonl, csv or tsv."""
    tally, faults, void = tally_of(plan, store)
    played = {game for game, _ in tally.groups}
    ratings = [rate(tally, game) for game, *_ in plan.contests if game in played]
    if form in ("json", "jsonl"):
        return _table_json(plan, store, ratings, void, form)
    if form in ("csv", "tsv"):
        return _table_separated(plan, ratings, "," if form == "csv" else "\t")
    parts = [_text_table(plan, rated) for rated in ratings]
    parts += [_not_started(plan)] if plan.not_started else []
    parts += [_faults_text(plan, store, faults)] if faults else []
    if void:
        parts.append(f"{void} matches are void: the referee itself failed in them. They count for nobody.")
    if not ratings:
        parts.append("No match is finished yet.")
    left = plan.size().matches - store.count()
    if left:
        parts.append(f"{left} of {plan.size().matches} matches are still to be played: referee resume {store.folder}")
    return "\n\n".join(parts)


def listed(rated: Ratings) -> list[tuple[Standing, bool]]:
    """Return the standings in the order of the table, each with whether it is listed for its many forfeits.

    Who forfeits often leaves no fair sample of deals behind - it could stop while it is ahead - so such players
    come below the others, in the order of their points.
    """

    def many(standing: Standing) -> bool:
        forfeits = sum(count for _, count in standing.faults)
        return bool(standing.matches) and forfeits > MANY_FORFEITS * standing.matches

    plays = [standing for standing in rated.standings if standing.matches]
    fair = [(standing, False) for standing in plays if not many(standing)]
    unfair = [(standing, True) for standing in plays if many(standing)]
    return fair + sorted(unfair, key=lambda pair: -(pair[0].points or 0.0))


def rank_text(standing: Standing, forfeits: bool) -> str:
    """Return a rank range such as `2-3`; `*` for a player listed below the others for its forfeits."""
    if forfeits or standing.ranks is None:
        return "*"
    low, high = standing.ranks
    return str(low) if low == high else f"{low}-{high}"


def _text_table(plan: Plan, rated: Ratings) -> str:
    game = game_class(rated.games[0])
    sense = "" if game.more_is_better else ", turned so that more is better"
    width = max([12, *(len(entry.name) for entry in plan.players)])
    lines = [
        f"{game.title}, tables of {'/'.join(map(str, rated.seats))}: {rated.matches} matches, {rated.blocks} blocks",
        f"mean: {game.unit} per deal against the rest of the table{sense}; intervals at 95 %",
        "",
        f" rank  {'player':<{width}}    mean    ±95%    deals  matches  1st %  ahead %  faults",
    ]
    rows = listed(rated)
    for standing, forfeits in rows:
        faults = sum(count for _, count in standing.faults)
        lines.append(
            f"{rank_text(standing, forfeits):>5}  {plan.players[standing.player].name:<{width}}"
            f"  {_signed(standing.rating.mean):>6}  {_half_width(standing.rating):>6}  {standing.deals:>7}"
            f"  {standing.matches:>7}  {_percent(standing.first_share):>5}  {_percent(standing.points):>7}  {faults:>6}"
        )
    lines += ["", " Same rank range = not separated at 95 % over the whole table."]
    if any(forfeits for _, forfeits in rows):
        lines.append(f" * forfeited more than {MANY_FORFEITS:.0%} of its matches, so its deals are no fair sample.")
    lines += _crosstable(plan, rated, [standing.player for standing, _ in rows])
    return "\n".join(lines)


def _crosstable(plan: Plan, rated: Ratings, order: list[int]) -> list[str]:
    if not 3 <= len(order) <= 14:  # wider does not fit 80 columns; the export has every pair
        return []
    head = "".join(f"{column + 1:>4}" for column in range(len(order)))
    lines = ["", " row finished ahead of column, % of shared matches (ties count half)", f"{'':<19}{head}"]
    for row, a in enumerate(order):
        cells = "".join(
            "   -" if a == b or (share := rated.ahead[a][b]) is None else f"{round(100 * share):>4}" for b in order
        )
        lines.append(f" {row + 1:>2} {plan.players[a].name[:15]:<15}{cells}")
    return lines


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"


def _half_width(estimate: Estimate) -> str:
    if estimate.high is None or estimate.mean is None:
        return "-"
    return f"{estimate.high - estimate.mean:.3f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _not_started(plan: Plan) -> str:
    return "\n".join(["not started", *(f"    {name}: {safe(reason)}" for name, reason in plan.not_started)])


def _faults_text(plan: Plan, store: Store, faults: list[tuple[int, int, int, str, str]]) -> str:
    by_kind: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for number, player, _, code, text in faults:
        by_kind.setdefault((player, code), []).append((number, text))
    lines = [f"{len(faults)} faults; the first of each kind:"]
    for (player, code), found in sorted(by_kind.items(), key=lambda item: -len(item[1]))[:FAULTS_SHOWN]:
        number, text = found[0]
        lines.append(f"    {plan.players[player].name}  {code} x{len(found)}: {safe(text)}")
        lines.append(f"        referee replay {store.folder}#{number}")
    if len(by_kind) > FAULTS_SHOWN:
        lines.append(f"    and {len(by_kind) - FAULTS_SHOWN} kinds more: referee export {store.folder} --format csv")
    return "\n".join(lines)


def _table_json(plan: Plan, store: Store, ratings: Sequence[Ratings], void: int, form: str) -> str:
    rows = [
        {
            "v": EXPORT_VERSION,
            "game": rated.games[0],
            "seats": rated.seats,
            "rank": rank_text(standing, forfeits),
            "player": plan.players[standing.player].name,
            "mean": standing.rating.mean,
            "low": standing.rating.low,
            "high": standing.rating.high,
            "blocks": standing.rating.blocks,
            "deals": standing.deals,
            "matches": standing.matches,
            "result": standing.result,
            "first_share": standing.first_share,
            "points": standing.points,
            "strength": standing.strength,
            "faults": dict(standing.faults),
        }
        for rated in ratings
        for standing, forfeits in listed(rated)
    ]
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    whole = {
        "v": EXPORT_VERSION,
        "matches": store.count(),
        "of": plan.size().matches,
        "void": void,
        "commitment": store.meta("commitment"),
        "seed": store.meta("seed"),
        "standings": rows,
        "not_started": [{"player": name, "reason": reason} for name, reason in plan.not_started],
    }
    return json.dumps(whole, indent=1) + "\n"


def _table_separated(plan: Plan, ratings: Sequence[Ratings], separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(
        ["game", "rank", "player", "mean", "low", "high", "deals", "matches", "first_share", "points", "faults"]
    )
    for rated in ratings:
        for standing, forfeits in listed(rated):
            rating = standing.rating
            faults = sum(count for _, count in standing.faults)
            cells: list[Any] = [rated.games[0], rank_text(standing, forfeits), plan.players[standing.player].name]
            cells += [rating.mean, rating.low, rating.high, standing.deals, standing.matches]
            cells += [standing.first_share, standing.points, faults]
            writer.writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def exported(plan: Plan, store: Store, form: str, *, records: bool, timings: bool) -> Iterator[str]:
    """Yield an export of every match, in schedule order, in pieces.

    json and jsonl have one object a match; csv, tsv and text (the same as tsv) one row a match and seat.
    """
    if form in ("json", "jsonl"):
        yield from _exported_json(plan, store, form, records=records, timings=timings)
        return
    separator = "," if form == "csv" else "\t"
    columns = MATCH_COLUMNS + SEAT_COLUMNS + (("moves", "charge_ms") if timings else ())
    yield separator.join(columns) + "\n"
    for number, row in enumerate(store.rows()):
        yield from _exported_seats(plan, number, row, separator, timings)


def _exported_json(plan: Plan, store: Store, form: str, *, records: bool, timings: bool) -> Iterator[str]:
    first = True
    if form == "json":
        yield "["
    for number, row in enumerate(store.rows()):
        result = row.result
        whole: dict[str, Any] = {
            "v": EXPORT_VERSION,
            "match": number,
            "game": result["game"],
            "seats": result["seats"],
            "table": result["table"],
            "block": row.block,
            "rotation": result["rotation"],
            "players": [plan.players[index].name for index in result["players"]],
            "ranks": result["ranks"],
            "scores": result["scores"],
            "deals": result["deals"],
            "counted": result["counted"],
            "faults": [{"seat": seat, "code": code, "text": text} for seat, code, text in result["faults"]],
            "void": result["void"],
        }
        if records:
            whole["record"] = row.record
        if timings:
            whole["timings"] = row.timings
        text = json.dumps(whole, separators=(",", ":"))
        yield text + "\n" if form == "jsonl" else ("\n" if first else ",\n") + text
        first = False
    if form == "json":
        yield "\n]\n"


def _exported_seats(plan: Plan, number: int, row: Row, separator: str, timings: bool) -> Iterator[str]:
    result = row.result
    faults = {seat: (code, text) for seat, code, text in result["faults"]}
    for seat, index in enumerate(result["players"]):
        own = [deal[seat] for deal in result["deals"][: result["counted"]] if deal[seat] is not None]
        code, text = faults.get(seat, ("", ""))
        cells: list[Any] = [EXPORT_VERSION, number, result["game"], result["seats"], result["table"], row.block]
        cells += [result["rotation"], seat, plan.players[index].name, result["ranks"][seat], result["scores"][seat]]
        cells += [len(result["deals"]), result["counted"], sum(own), code, text, result["void"]]
        if timings:
            charges = [charge for at, _, _, _, charge in row.timings if at == seat]
            cells += [len(charges), round(sum(charges), 3)]
        out = io.StringIO()
        csv.writer(out, delimiter=separator, lineterminator="\n").writerow([_cell(cell) for cell in cells])
        yield out.getvalue()


def _cell(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula."""
    if isinstance(value, str):
        shown = safe(value)
        return "'" + shown if shown[:1] in ("=", "+", "-", "@") else shown
    return "" if value is None else value
