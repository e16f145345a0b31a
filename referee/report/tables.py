"""A run as tables for a person and as exports for a program.

Exports hold no time, date or path: the same plan, seed and deterministic players give the same bytes. Each row of an
export carries `v`, the version of its schema.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from referee.crashes import last_words
from referee.games import game_class
from referee.process import STDERR_KEPT
from referee.ratings import LEVEL, MANY_FORFEITS, Estimate, Ratings, SeatEffect, Standing, Unit
from referee.report.ledger import Ledger, cautions
from referee.store import Row, Store
from referee.tournament import Plan
from referee.tournament import result_of as result_of
from referee.wire import safe
from referee.words import counted

EXPORT_VERSION = 1
FAULTS_SHOWN = 12
WIDTH: Final = 80  # columns of a table of text
CROSSED: Final = 20  # players of the table of pairs that fit into them
ROOMY: Final = 15  # players up to which a column of it has room for 100
CLOSEST: Final = 3  # pairs of which is said how many blocks would separate them
FURTHER_SHOWN: Final = 99_999  # blocks; more than these say only that the difference is as good as none
SHOWN = 160  # characters shown of a line that is evidence
OVERLOADED = 0.2  # of the time of answers spent waiting for a CPU, above which the table says so ...
NEARLY_ALL = 0.95  # of that time, above which no share is said
OVERLOADED_MS = 500.0  # ... if it was this long in all: a single answer that waited is no overload
PONDERED_MS = 1000  # CPU time used in a run while others moved, above which the table says so

# The usual cause of each fault, and what to do; protocol.md, section 9, says more.
CAUSES = MappingProxyType(
    {
        "start": "a wrong path, not executable, or its interpreter is missing: run the command by hand",
        "handshake": "`ready` was not flushed, or something was printed before it: print only to standard error",
        "timeout": "the answer was not flushed, or has no line feed at its end: flush after every line, look at ms=",
        "exit": "an exception, a missing file, or the end of its own input: its standard error says which",
        "signal": "a crash, or a limit of memory or file size: run it under a debugger with the same lines",
        "closed": "a helper program was given the pipe: keep standard input and output open to the end",
        "malformed": "a debugging print on standard output, or a spelling of its own: copy actions from legal=",
        "illegal": "places counted from 1, or a hand remembered from before: take the hand from the act line",
        "unsolicited": "it answered events, or twice: answer `act` alone, once, with its id",
        "too-long": "a dump on standard output: print to standard error",
        "bad-bytes": "UTF-8, UTF-16, a byte order mark, tabs or colours: write plain ASCII",
        "blocked": "it stopped reading: read every line, also those that are ignored",
    }
)

# What it may be besides where players are kept from things.
CAUSES_IN_SANDBOX = MappingProxyType(
    {
        "start": "or a file that the sandbox keeps from it: REFEREE_READABLE names more that players may read",
        "exit": "or something that the sandbox forbids: a file, the network, one process or thread too many",
        "signal": "or a system call that the sandbox forbids (SIGSYS), or its limit of memory (SIGKILL)",
    }
)


def cause_of(code: str, sandboxed: bool) -> str:
    """Return the usual cause of a fault, for a person; "" for a code of a later version."""
    more = CAUSES_IN_SANDBOX.get(code, "") if sandboxed else ""
    return "; ".join(filter(None, (CAUSES.get(code, ""), more)))


MATCH_COLUMNS = ("v", "match", "game", "seats", "table", "block", "rotation")
SEAT_COLUMNS = ("seat", "player", "place", "score", "deals", "counted", "result", "fault", "fault_text", "void")


def ledger_of(plan: Plan, store: Store) -> tuple[Ledger, list[tuple[int, int, int, str, str]], int]:
    """Return the ledger of a run, its faults as (match, player, seat, code, text), and how many matches are void."""
    ledger = Ledger(plan)
    faults: list[tuple[int, int, int, str, str]] = []
    void = 0
    numbers = plan.numbers()
    for task, block, stored in store.results():
        if stored["void"]:
            void += 1
            ledger.add_void(stored["game"], stored["seats"], block)
            continue
        ledger.add(result_of(block, stored))
        number = numbers.of(task, block)
        faults += [(number, stored["players"][seat], seat, code, text) for seat, code, text in stored["faults"]]
    return ledger, faults, void


def table(plan: Plan, store: Store, form: str, unit: Unit = "deal", top: int | None = None) -> str:
    """Return the table of a run as text, json, jsonl, csv or tsv.

    unit -- what the means count: the results of deals, or the others left behind in matches
    top  -- rows of a table of text; None: all
    """
    ledger, faults, void = ledger_of(plan, store)
    ratings = ledger.ratings(unit)
    if form in ("json", "jsonl"):
        return _table_json(plan, store, ratings, void, form)
    if form in ("csv", "tsv"):
        return _table_separated(plan, ratings, "," if form == "csv" else "\t")
    parts = ["\n".join(warned)] if (warned := cautions(ratings)) else []
    parts += [_text_table(plan, rated, top) for rated in ratings]
    parts += [_not_started(plan)] if plan.not_started else []
    parts += [_faults_text(plan, store, faults)] if faults else []
    if void:
        parts.append(
            f"Void, for nobody's count: {counted(void, 'match')} in which the referee failed or the machine stood"
            f" still. referee rerun {store.folder} --failed plays what is void again."
        )
    parts += remarks(plan, store)
    if not ratings:
        parts.append("No match is finished yet.")
    left = plan.size().matches - store.count()
    if left:
        parts.append(
            f"Still to be played: {left:,} of {counted(plan.size().matches, 'match')}: referee resume {store.folder}"
        )
    return "\n\n".join(parts)


def remarks(plan: Plan, store: Store) -> list[str]:
    """Return sentences on what a reader must know before trusting the table; none, if all went as it should."""
    said = []
    if overloaded := _overloaded(plan, store):
        said.append(overloaded)
    if spoiled := [why for _, _, reasons in store.noted("again") for why in reasons]:
        said.append(f"The machine spoiled {counted(len(spoiled), 'match')}, played again at once: {spoiled[0]}.")
    if rerun := store.superseded():
        by = _tally(plan, ((row.result, [seat for seat, *_ in row.result["faults"]]) for row in rerun))
        void = sum(bool(row.result["void"]) for row in rerun)
        said.append(
            f"Rerun on the same deals: {counted(len(rerun), 'match')}, whose first results do not count"
            f" (faults: {by or 'none'}; void: {void}). referee export {store.folder} --superseded shows them."
        )
    if changed := _tally(plan, ((result, seats) for _, result, seats in store.noted("changed"))):
        said.append(f"Matches by another program than the one that began the run: {changed}.")
    late = ((result, [s for s, n in enumerate(times) for _ in range(n)]) for _, result, times in store.noted("overran"))
    if overran := _tally(plan, late):
        said.append(f"Answers that were late, and forgiven by the grace: {overran}.")
    if plan.limits.ponder and (pondered := _pondered(plan, store)):
        said.append(f"CPU time used while others moved: {pondered}. --no-ponder prevents it.")
    return said


def _overloaded(plan: Plan, store: Store) -> str:
    """Return a sentence when answers have waited for a CPU, with what would help; else ""."""
    measured, waited = store.waited()
    if waited <= max(OVERLOADED * measured, OVERLOADED_MS):
        return ""
    # A player, its helpers and the referee may wait at the same time: their waiting can exceed the time that passed.
    share = f"{waited / measured:.0%}" if waited < NEARLY_ALL * measured else "nearly all"
    busy = _pondered(plan, store) if plan.limits.ponder else ""
    took = f" Who computed while others moved took it from them: {busy}." if busy else ""
    return (
        f"Timing unreliable: {share} of the time of longer answers was spent waiting for a CPU. Nobody was charged for"
        f" that, but players had less of the machine than alone.{took} Where several matches were played at once, fewer"
        " --jobs would help."
    )


def _tally(plan: Plan, found: Iterable[tuple[Mapping[str, Any], Iterable[int]]]) -> str:
    """Return how often each player is among (result, seats), such as `alpha 3, beta 1`."""
    counts = Counter(result["players"][seat] for result, seats in found for seat in seats)
    return ", ".join(f"{plan.players[player].name} {count}" for player, count in counts.most_common())


def _pondered(plan: Plan, store: Store) -> str:
    """Return how many seconds each player has computed while others moved, if that is worth a word."""
    used: Counter[int] = Counter()
    for _, result, times in store.noted("pondered_ms"):
        for player, ms in zip(result["players"], times, strict=True):
            used[player] += max(0, ms)
    shown = [(player, ms / 1000) for player, ms in used.most_common() if ms > PONDERED_MS]
    return ", ".join(f"{plan.players[player].name} {seconds:.1f} s" for player, seconds in shown)


def listed(rated: Ratings) -> list[tuple[Standing, bool]]:
    """Return the standings of who played, in the order of the table, each with whether it forfeits too often."""
    return [(standing, standing.forfeits) for standing in rated.standings if standing.matches]


def rank_text(standing: Standing, forfeits: bool) -> str:
    """Return a rank range such as `2-3`; `*` for who forfeits too often to be ranked, `-` for who cannot be yet."""
    if standing.ranks is None:
        return "*" if forfeits else "-"
    low, high = standing.ranks
    return str(low) if low == high else f"{low}-{high}"


def without_deals(rows: Sequence[tuple[Standing, bool]], names: Sequence[str]) -> str:
    """Return a sentence on those of these rows that have no mean, though they do not forfeit often; "" without any."""
    found = [names[standing.player] for standing, forfeits in rows if not (standing.deals or forfeits)]
    if not found:
        return ""
    return (
        f"No deal counts of {', '.join(found)}, so there is no rank: the deals of a match from its first fault on,"
        " whoever's it is, do not count."
    )


class Column(NamedTuple):
    """A column of a table of text.

    head, cells -- its heading and a cell a row
    width -- int, at least
    spare -- int: of the columns that a narrow table can do without (above 0) the greatest goes first
    """

    head: str
    cells: Sequence[str]
    width: int
    spare: int = 0


def fitted(ranks: Sequence[str], names: Sequence[str], columns: Sequence[Column], width: int = WIDTH) -> list[str]:
    """Return the lines of a table, its head first, none longer than `width` (60 or more).

    Columns go before names are cut.
    """
    kept = [
        column._replace(width=max(column.width, len(column.head), *map(len, column.cells), 0)) for column in columns
    ]
    longest = max([12, *map(len, names)])

    def rest() -> int:
        return 7 + sum(2 + column.width for column in kept)

    while rest() + longest > width and any(column.spare for column in kept):
        kept.remove(max(kept, key=lambda column: column.spare))
    room = max(8, min(longest, width - rest()))
    lines = [f" rank  {'player':<{room}}" + "".join(f"  {column.head:>{column.width}}" for column in kept)]
    for row, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        shown = name if len(name) <= room else name[: room - 1] + "~"
        cells = "".join(f"  {column.cells[row]:>{column.width}}" for column in kept)
        lines.append(f"{rank:>5}  {shown:<{room}}{cells}")
    return lines


def _text_table(plan: Plan, rated: Ratings, top: int | None) -> str:
    rows = listed(rated)
    shown = rows[:top]
    standings = [standing for standing, _ in shown]
    names = [entry.name for entry in plan.players]
    lines = [*heading(rated), ""]
    lines += fitted(
        [rank_text(*row) for row in shown],
        [names[standing.player] for standing in standings],
        [
            Column("mean", [signed(standing.rating.mean) for standing in standings], 6),
            Column("±95%", [half_width(standing.rating) for standing in standings], 6),
            Column("deals", [str(standing.deals) for standing in standings], 7, spare=2),
            Column("matches", [str(standing.matches) for standing in standings], 7),
            Column("1st %", [percent(standing.first_share) for standing in standings], 5),
            Column("ahead %", [percent(standing.points) for standing in standings], 7, spare=1),
            Column("faults", [str(sum(count for _, count in standing.faults)) for standing in standings], 6),
        ],
    )
    if len(rows) > len(shown):
        lines.append(f"       and {len(rows) - len(shown)} more")
    lines += ["", *apart_lines(rated, names)]
    if any(forfeits for _, forfeits in shown):
        lines.append(f" * forfeited more than {MANY_FORFEITS:.0%} of its matches, so its deals are no fair sample.")
    if told := without_deals(shown, names):
        lines += [f" {line}" for line in textwrap.wrap(told, WIDTH - 1)]
    lines += [
        f" {line}" for effect in rated.seat_effects for line in textwrap.wrap(_seat_text(effect, rated), WIDTH - 1)
    ]
    lines += _crosstable(plan, rated, [standing.player for standing in standings])
    return "\n".join(lines)


def heading(rated: Ratings) -> list[str]:
    """Return the lines above a table: what was played, and what its means are."""
    game = game_class(rated.games[0])
    sense = "" if game.more_is_better else ", turned so that more is better"
    what = f"{game.unit} per deal against the rest of the table{sense}"
    if rated.unit == "match":
        what = "share of the others left behind in a match, ties half, less one half"
    return [
        *textwrap.wrap(
            f"{game.title}, tables of {'/'.join(map(str, rated.seats))}: {counted(rated.matches, 'match')},"
            f" {blocks_text(rated)}",
            WIDTH,
        ),
        *textwrap.wrap(f"mean: {what}; intervals at 95 %", WIDTH),
    ]


def blocks_text(rated: Ratings) -> str:
    """Return how many blocks there are, such as `20 blocks`, or `2 blocks at each number of seats`."""
    each = rated.blocks_each
    if len(each) < 2:
        return counted(rated.blocks, "block")
    if len(set(each)) == 1:
        return f"{counted(each[0], 'block')} at each number of seats"
    return f"{counted(rated.blocks, 'block')} over {len(each)} numbers of seats"


def apart_lines(rated: Ratings, names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return the lines that say what equal rank ranges mean, if there are any, and what would tell neighbours apart."""
    ranges = Counter(standing.ranks for standing in rated.standings if standing.ranks)
    same = any(often > 1 for often in ranges.values())
    lines = [" Same rank range = not separated at 95 % over the whole table."] if same else []
    return lines + [f" {line}" for line in textwrap.wrap(_further_text(rated, names), width - 1)]


def _further_text(rated: Ratings, names: Sequence[str]) -> str:
    """Return the sentence on what would tell the closest neighbours apart; "" when it cannot be said of any."""
    wanting = sorted((pair.further, pair.a, pair.b) for pair in rated.neighbours() if pair.further)[:CLOSEST]
    counts = [f"{further:,}" if further <= FURTHER_SHOWN else f"over {FURTHER_SHOWN:,}" for further, _, _ in wanting]
    couples = [f"{names[a]} and {names[b]}" for _, a, b in wanting]
    if not wanting:
        return ""
    if len(wanting) == 1:
        return f"About {counts[0]} more block{'s' * (counts[0] != '1')} would separate {couples[0]}."
    each = "; ".join(f"{count} for {couple}" for count, couple in zip(counts, couples, strict=True))
    return f"About so many more blocks would separate neighbours: {each}."


def _seat_text(effect: SeatEffect, rated: Ratings) -> str:
    """Return the sentence of the one test that all seats of a table are worth the same; seats count from 1."""
    where = f"At tables of {effect.seats}" if len(rated.seats) > 1 else "Seats"
    if effect.p is None or effect.best is None or effect.worst is None or effect.spread is None:
        return f"{where}: too few blocks to test whether all seats are worth the same."
    p = "p < 0.001" if effect.p < 0.001 else f"p = {effect.p:.3f}"
    if effect.p > 1 - LEVEL:
        return f"{where}: no difference between them can be shown ({p})."
    return (
        f"{where}: seat {effect.best + 1} does best, seat {effect.worst + 1} worst, {effect.spread:.3f} a {rated.unit}"
        f" apart ({p}); every player sat in each equally often."
    )


def _share_text(share: float | None, full: str) -> str:
    if share is None:
        return "-"
    return full if (rounded := round(100 * share)) == 100 else str(rounded)


def _crosstable(plan: Plan, rated: Ratings, order: list[int]) -> list[str]:
    if len(order) < 3:
        return []
    left_out = len(order) - CROSSED
    order = order[:CROSSED]
    wide, full = (4, "100") if len(order) <= ROOMY else (3, "++")
    head = "".join(f"{column + 1:>{wide}}" for column in range(len(order)))
    lines = ["", " row finished ahead of column, % of shared matches (ties count half)", f"{'':<19}{head}"]
    if wide == 3:
        lines[1] += "; ++ is 100"
    for row, a in enumerate(order):
        cells = "".join(f"{_share_text(None if a == b else rated.ahead[a][b], full):>{wide}}" for b in order)
        name = plan.players[a].name
        lines.append(f" {row + 1:>2} {name if len(name) <= 15 else name[:14] + '~':<15}{cells}")
    if left_out > 0:
        lines.append(f"    and {left_out} more, for whom there is no room: referee export has every match")
    return lines


def signed(value: float | None) -> str:
    """Return a mean as a cell."""
    return "-" if value is None else f"{value:+.3f}"


def half_width(estimate: Estimate) -> str:
    """Return the reach of an interval to either side as a cell."""
    if estimate.high is None or estimate.mean is None:
        return "-"
    return f"{estimate.high - estimate.mean:.3f}"


def percent(share: float | None) -> str:
    """Return a share as a cell, in per cent."""
    return "-" if share is None else f"{100 * share:.1f}"


def _not_started(plan: Plan) -> str:
    lines = ["not started"]
    for name, reason in plan.not_started:
        first, *more = map(safe, reason.splitlines() or [""])
        lines += [f"    {name}: {first}", *(f"        {line}" for line in more)]
    return "\n".join(lines)


def _faults_text(plan: Plan, store: Store, faults: list[tuple[int, int, int, str, str]]) -> str:
    by_kind: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for number, player, _, code, text in faults:
        by_kind.setdefault((player, code), []).append((number, text))
    lines = [f"{counted(len(faults), 'fault')}; the first of each kind:"]
    for (player, code), found in sorted(by_kind.items(), key=lambda item: -len(item[1]))[:FAULTS_SHOWN]:
        number, text = found[0]
        lines.append(f"    {plan.players[player].name}  {code} x{len(found)}: {safe(text)}")
        lines += [f"        {line}" for line in _evidence(plan, store, number, player)]
        lines.append(f"        usually: {cause_of(code, bool(plan.sandbox))}")
        lines.append(f"        referee replay {store.folder}#{number}   referee rerun {store.folder}#{number} --trace")
    if len(by_kind) > FAULTS_SHOWN:
        lines.append(f"    and {len(by_kind) - FAULTS_SHOWN} kinds more: referee export {store.folder} --format csv")
    return "\n".join(lines)


def _evidence(plan: Plan, store: Store, number: int, player: int) -> list[str]:
    """Return what a player that faulted was asked, what came back, and its last words, a line each."""
    key = plan.numbers().key(number)
    row = key and store.row_of(*key)
    if not row:
        return []
    seat = str(row.result["players"].index(player))
    kept = {kind: row.notes.get(kind, {}).get(seat, "") for kind in ("asked", "heard", "stderr")}
    lines = []
    if kept["asked"]:
        lines += [f"sent:  {_shortened(kept['asked'])}", f"got:   {_shortened(kept['heard']) or '(nothing)'}"]
    stderr = kept["stderr"].encode("latin-1", "replace")
    line, is_last = last_words(stderr)
    if line:
        where = "the last line on standard error" if is_last else "on standard error"
        if len(stderr) >= STDERR_KEPT:
            where = f"the last line kept: of standard error, the first {STDERR_KEPT // 1024} KiB are"
        lines.append(f"said:  {_shortened(safe(line))}   ({where})")
    return lines


def _shortened(text: str) -> str:
    """Return printable text with its middle left out when it is long."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 43]} ... {text[-38:]}"


def _table_json(plan: Plan, store: Store, ratings: Sequence[Ratings], void: int, form: str) -> str:
    rows = [
        {
            "type": "standing",
            "v": EXPORT_VERSION,
            "game": rated.games[0],
            "seats": rated.seats,
            "unit": rated.unit,
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
            **({"left_out": rated.left_out} if rated.left_out else {}),
        }
        for rated in ratings
        for standing, forfeits in listed(rated)
    ]
    measured, waited = store.waited()
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    whole = {
        "v": EXPORT_VERSION,
        "matches": store.count(),
        "of": plan.size().matches,
        "void": void,
        "waiting_share": round(min(1.0, waited / measured), 3) if measured else 0.0,
        "remarks": remarks(plan, store),
        "rerun": len(store.superseded()),
        "commitment": store.meta("commitment"),
        "seed": store.meta("seed"),
        "standings": rows,
        "not_started": [{"player": name, "reason": reason} for name, reason in plan.not_started],
    }
    if warned := cautions(ratings):
        whole["unfinished"] = warned
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


def exported(
    plan: Plan, store: Store, form: str, *, records: bool, timings: bool, superseded: bool = False
) -> Iterator[str]:
    """Yield an export of every match, or of those that were played again since, in schedule order, in pieces.

    json and jsonl have one object a match; csv and tsv one row a match and seat. A match is numbered by its place in
    the whole schedule, so that its number stays the same while others are still to come.
    """
    numbers = plan.numbers()
    rows = store.superseded() if superseded else store.rows(whole=records or timings)
    numbered = ((numbers.of(row.task, row.block), row) for row in rows)
    names = [entry.name for entry in plan.players]
    if form in ("json", "jsonl"):
        yield from _exported_json(names, numbered, form, records=records, timings=timings)
    else:
        yield from _exported_separated(names, numbered, form, timings=timings)


def exported_match(names: Sequence[str], row: Row, form: str) -> str:
    """Return one match that is in no run, as its export would have it; as json, too, it is one object.

    names -- by the indices that the result has
    """
    if form in ("json", "jsonl"):
        return "".join(_exported_json(names, [(0, row)], "jsonl", records=False, timings=False))
    return "".join(_exported_separated(names, [(0, row)], form, timings=False))


def _exported_json(
    names: Sequence[str], rows: Iterable[tuple[int, Row]], form: str, *, records: bool, timings: bool
) -> Iterator[str]:
    first = True
    if form == "json":
        yield "["
    for number, row in rows:
        result = row.result
        whole: dict[str, Any] = {
            "v": EXPORT_VERSION,
            "match": number,
            "game": result["game"],
            "seats": result["seats"],
            "table": result["table"],
            "block": row.block,
            "rotation": result["rotation"],
            "players": [names[index] for index in result["players"]],
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


def _exported_separated(
    names: Sequence[str], rows: Iterable[tuple[int, Row]], form: str, *, timings: bool
) -> Iterator[str]:
    separator = "," if form == "csv" else "\t"
    columns = MATCH_COLUMNS + SEAT_COLUMNS + (("moves", "charge_ms") if timings else ())
    yield separator.join(columns) + "\n"
    for number, row in rows:
        yield from _exported_seats(names, number, row, separator, timings)


def _exported_seats(names: Sequence[str], number: int, row: Row, separator: str, timings: bool) -> Iterator[str]:
    result = row.result
    faults = {seat: (code, text) for seat, code, text in result["faults"]}
    for seat, index in enumerate(result["players"]):
        own = [deal[seat] for deal in result["deals"][: result["counted"]] if deal[seat] is not None]
        code, text = faults.get(seat, ("", ""))
        cells: list[Any] = [EXPORT_VERSION, number, result["game"], result["seats"], result["table"], row.block]
        cells += [result["rotation"], seat, names[index], result["ranks"][seat], result["scores"][seat]]
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
        return "'" + shown if shown[:1] in ("=", "+", "-", "@") and shown != "-" else shown  # "-": no rank
    return "" if value is None else value
