"""The report of a run: what it says is so, it is small and whole, and what players wrote stays text."""

import base64
import dataclasses
import gzip
import hashlib
import itertools
import json
import random
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from referee import compare, store
from referee.compare import answers_of
from referee.games import game_class, load
from referee.games._base import Event
from referee.match import Answer, Ask, Faulted, Limits, Move, Reply, play
from referee.ratings import Result, SeatEffect, Tally, rate
from referee.record import from_text, game_of, replay, to_text
from referee.report import charts, embed
from referee.report.narrate import Narrator
from referee.report.page import (
    Replays,
    and_list,
    course_part,
    head,
    pick,
    replays_text,
    seat_sentence,
    setup_text,
    spread,
    standings_part,
    verdict,
    write_report,
)
from referee.schedule import block_seed, seating
from referee.sequential import Interval
from referee.store import Row
from referee.tournament import Entry, Plan, commitment_of
from referee.wire import Fault

MASTER = bytes(range(32))
HOSTILE = "</script><script>alert(1)</script><!-- {{ 7*7 }} <img src=x onerror=alert(2)> &amp; \"'"


def plan_of(names: list[str], games: list[str], blocks: int, seats: tuple[int, ...] = (2,)) -> Plan:
    players = tuple(Entry(name, ("python", f"{name}.py"), "/bots", {"SECRET": "hush"}, tuple(games)) for name in names)
    contests = tuple((game, "seed", dict(load(game).options), seats, tuple(range(len(names)))) for game in games)
    return Plan(players, contests, blocks, 2, Limits(strikes=0), not_started=((HOSTILE, HOSTILE),))


def play_out(plan: Plan, task, block: int, sinner: int | None) -> Row:
    """Play a match of the plan with random players; the sinner's 5th answer is none of the game's."""
    rng = random.Random(f"{task.index} {block}")
    players = seating(task, block)
    game, preset = plan.game(task.game)
    names = tuple(f"p{index}" for index in players)
    playing = play(game, block_seed(MASTER, task.game, task.seats, block), names, plan.limits, preset)
    reply: Reply = None
    answers = 0
    while True:
        try:
            request = playing.send(reply)
        except StopIteration as stop:
            record = stop.value
            break
        reply = None
        if isinstance(request, Ask):
            answers += players[request.seat] == sinner
            words = request.legal().split(",")
            # The first player is the better one: it knocks at once, or shows what it can.
            word = words[-1] if players[request.seat] == 0 else rng.choice(words)
            reply = Answer(word, HOSTILE if sinner is not None else "", 1.0, 0.5, 0.0, round(rng.random() * 9, 3))
            if players[request.seat] == sinner and answers == 5:
                reply = rng.choice([Answer("<b>5C</b>"), Fault("exit", f"it said {HOSTILE}")])
    result = {
        "game": task.game,
        "seats": task.seats,
        "table": task.table,
        "rotation": task.rotation,
        "players": list(players),
        "ranks": record.outcome.ranks,
        "scores": record.outcome.scores,
        "deals": record.results,
        "counted": record.counted,
        "faults": [(fault.seat, fault.code, fault.text) for fault in record.faults],
        "void": "",
    }
    notes = {
        "stderr": {str(fault.seat): f"\x1b[31m{HOSTILE}\nline 2" for fault in record.faults},
        "asked": {str(fault.seat): "act 7 ms=1000 deal=0" for fault in record.faults},
        "heard": {str(fault.seat): f"move 7 {HOSTILE}" for fault in record.faults},
        "overran": [1] * task.seats if sinner is not None else [],
    }
    notes = {key: value for key, value in notes.items() if value}
    return Row(task.index, block, result, to_text(record), [list(times) for times in record.timings], notes)


def make_run(folder: Path, plan: Plan, sinner: int | None = None, matches: int | None = None) -> Path:
    with store.create(folder, MASTER, version="0.1.0", plan=plan.to_json(), commitment=commitment_of(MASTER)) as opened:
        blocks = [(task, task.first_block + at) for task in plan.schedule() for at in range(task.blocks)]
        opened.append([play_out(plan, task, block, sinner) for task, block in blocks[:matches]])
        if matches is None:
            opened.publish_seed()
    return folder


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A run whose players have hostile names, and one of whom sins."""
    names = [f"{HOSTILE}{n}" for n in range(3)]
    return make_run(tmp_path_factory.mktemp("runs") / "faulty", plan_of(names, ["scat", "scout"], 3), sinner=1)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    names = ["ann", "bob", "cid"]
    return make_run(tmp_path_factory.mktemp("runs") / "clean", plan_of(names, ["scat"], 2, (2, 3)))


class Page(HTMLParser):
    """What is looked at of a page: its elements with their attributes, and the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inner: list[tuple[str, dict[str, str | None], str]] = []
        self.words: list[str] = []
        self._open: tuple[str, dict[str, str | None]] | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.inner.append((*self._open, data))
        else:
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def data(self, name: str):
        """Return what the script element with this id holds, unpacked."""
        text = next(text for tag, attrs, text in self.inner if tag == "script" and attrs.get("id") == name)
        return json.loads(text) if name == "run" else json.loads(gzip.decompress(base64.b64decode(text)))

    def replays(self) -> dict[int, list[dict]]:
        pieces = [attrs["id"] for attrs in self.all("script") if str(attrs.get("id", "")).startswith("piece-")]
        return {int(number): told for piece in pieces for number, told in self.data(piece).items()}


def page_of(folder: Path, out: Path, **how) -> Page:
    return Page(write_report(folder, out, **how).read_text())


# -- the file


def test_it_has_landmarks_one_title_and_headings_without_gaps(clean, tmp_path):
    page = page_of(clean, tmp_path / "r.html")
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]

    assert page.all("html")[0]["lang"] == "en"
    assert all(len(page.all(tag)) == 1 for tag in ("main", "header", "nav", "h1", "title"))
    assert levels[0] == 1 and all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_its_parts_come_in_the_documented_order(clean, tmp_path):
    page = page_of(clean, tmp_path / "r.html")
    headings = re.findall(r"<h[234][^>]*>([^<]+)", page.text)

    wanted = [
        "Result",
        "SCAT",
        "Standings",
        "Means",
        "Head to head",
        "Places",
        "Results of deals",
        "Seats",
        "Move times",
    ]
    assert headings[:14] == [*wanted, "Over the run", "Faults", "Replays", "Match", "Moves"]
    assert headings[-2:] == ["Method", "Seeds"]


def test_tables_have_captions_and_heads_with_a_scope(clean, tmp_path):
    page = page_of(clean, tmp_path / "r.html")

    assert len(page.all("caption")) == len(page.all("table")) > 6
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
    assert [attrs for attrs in page.all("th") if attrs.get("aria-sort")] == [{"scope": "col", "aria-sort": "ascending"}]


def test_drawings_are_hidden_from_readers_because_their_values_are_printed(clean, tmp_path):
    page = page_of(clean, tmp_path / "r.html")

    # One with a viewBox of its own lies inside another.
    assert all(attrs.get("aria-hidden") == "true" for attrs in page.all("svg") if "viewbox" not in attrs)


def test_it_asks_nothing_of_a_network(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html", games=0)

    assert "://" not in page.text
    assert all(attrs["href"].startswith(("#", "data:")) for _, attrs in page.elements if "href" in attrs)
    assert not [attrs for _, attrs in page.elements if "src" in attrs or "srcset" in attrs]


def test_its_policy_allows_the_one_script_and_the_one_style_that_it_brings(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")
    policy = next(attrs for attrs in page.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy")[
        "content"
    ]
    run = [text for tag, attrs, text in page.inner if tag == "script" and not attrs]
    style = [text for tag, _, text in page.inner if tag == "style"]

    assert policy.startswith("default-src 'none'; ")
    for kind, texts in (("script-src", run), ("style-src", style)):
        assert len(texts) == 1
        assert f"{kind} 'sha256-{base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()}';" in policy
    assert "unsafe" not in policy
    assert not [attrs for _, attrs in page.elements if "style" in attrs or any(key.startswith("on") for key in attrs)]


def test_what_players_wrote_is_only_ever_text(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")
    told = "".join(page.words)

    assert not page.all("img") and not page.all("b5C")
    assert {attrs.get("type") for attrs in page.all("script")} == {None, "application/json", "text/plain"}
    assert HOSTILE + "0" in told and f"it said {HOSTILE}" in told and "<b>5C</b>" in told
    assert "act 7 ms=1000 deal=0" in told and f"move 7 {HOSTILE}" in told
    assert "forgiven by the grace: " in told
    assert "\\x1b[31m" in told and "\x1b" not in page.text
    assert "7*7" in told and "49" not in re.findall(r"<!-- (.*?) <img", told)
    assert page.data("run")["players"] == [f"{HOSTILE}{n}" for n in range(3)]
    assert "\\u003c/script" in page.text and "<!-- {{" not in page.text


def test_the_values_of_the_environment_are_not_in_it(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")

    assert "SECRET" in page.text and "hush" not in page.text


def test_without_replays_it_stays_below_100_kb(tmp_path):
    names = [f"player_with_a_name_{n}" for n in range(6)]
    folder = make_run(tmp_path / "run", plan_of(names, ["scat", "scout"], 2), sinner=3)
    out = write_report(folder, games=0, made="2025-01-01 12:00", machine="a machine")

    assert out == folder / "report.html"
    assert out.stat().st_size < 100_000


def test_the_same_run_gives_the_same_bytes(faulty, tmp_path):
    first = write_report(faulty, tmp_path / "1.html", made="today").read_bytes()

    assert write_report(faulty, tmp_path / "2.html", made="today").read_bytes() == first
    later = write_report(faulty, tmp_path / "3.html", made="tomorrow").read_bytes()
    assert later.replace(b"tomorrow", b"today") == first


def test_links_lead_somewhere(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    moves = {row[0]: row[7] for row in page.data("index")}
    links = [attrs["href"][1:] for tag, attrs in page.elements if tag in ("a", "use") and attrs["href"].startswith("#")]
    deep = [re.fullmatch(r"game=(\d+)(?:&move=(\d+))?", link) for link in links]

    assert len(set(ids)) == len(ids)
    assert all(found or link in ids for link, found in zip(links, deep, strict=True))
    assert sum(bool(found) for found in deep) > 3
    assert all(int(found[2] or 0) < moves[int(found[1])] for found in deep if found)
    for attrs in (attrs for _, attrs in page.elements if "aria-labelledby" in attrs):
        assert attrs["aria-labelledby"] in ids


def test_a_link_to_a_fault_leads_to_the_moment_of_the_fault(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")
    replays = page.replays()
    links = re.findall(r'href="#game=(\d+)&amp;move=(\d+)"', page.text)

    assert links
    assert all("f" in replays[int(match)][int(move)] for match, move in links)


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing(clean, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        write_report(clean, tmp_path / "nowhere" / "r.html")
    with pytest.raises(OSError):
        write_report(clean, tmp_path)
    assert list(tmp_path.iterdir()) == []


# -- what it says


def test_a_run_that_is_not_over_says_so_and_keeps_its_seed_secret(tmp_path):
    folder = make_run(tmp_path / "run", plan_of(["ann", "bob"], ["scat"], 4), matches=3)
    page = page_of(folder, tmp_path / "r.html")

    assert "5 of 8 matches are still to be played" in page.text
    assert "secret until the run is over" in page.text and MASTER.hex() not in page.text


def test_a_run_without_a_match_has_a_page(tmp_path):
    folder = make_run(tmp_path / "run", plan_of(["ann", "bob"], ["scat"], 4), matches=0)

    assert "No match is finished yet." in page_of(folder, tmp_path / "r.html").text


def test_void_matches_are_named_and_not_replayed(tmp_path):
    plan = plan_of(["ann", "bob"], ["scat"], 2)
    folder = make_run(tmp_path / "run", plan, matches=2)
    task = list(plan.schedule())[1]
    row = play_out(plan, task, task.first_block, None)
    with store.resume(folder) as opened:
        opened.append([row._replace(result={**row.result, "void": "the referee failed"})])
    page = page_of(folder, tmp_path / "r.html", games="all")

    assert "1 match in which the referee failed" in page.text and f"{folder}#2 --wire" in page.text
    assert [row[0] for row in page.data("index")] == [0, 1]


def outcomes(*deals: tuple[int, ...], players: int = 2) -> Tally:
    """A tally of one-deal matches of SCOUT, one for each block."""
    tally = Tally(players, {"scout": True})
    for block, deal in enumerate(deals):
        ranks = tuple(1 + sum(other > own for other in deal) for own in deal)
        tally.add(Result("scout", players, 0, block, 0, tuple(range(players)), ranks, deal, (deal,), 1))
    return tally


@pytest.mark.parametrize(
    ("deals", "sentence"),
    [
        ([(5, 1), (6, 1), (7, 1), (5, 2)], "ann is ahead of bob at 95 %."),
        ([(5, 1), (1, 5), (6, 1), (1, 7)], "bob and ann cannot be told apart at 95 %."),
        ([(5, 1)], "There are too few blocks for any interval, so nothing can be told apart yet."),
    ],
)
def test_the_verdict_claims_what_the_table_shows(deals, sentence):
    plan = plan_of(["ann", "bob"], ["scout"], 4)

    assert verdict(plan, rate(outcomes(*deals), "scout")).startswith(sentence)


def test_the_verdict_does_not_put_one_ahead_when_two_share_the_top():
    plan = plan_of(["ann", "bob", "cid"], ["scout"], 6, (3,))
    rated = rate(outcomes((9, 8, 0), (8, 9, 0), (9, 7, 1), (7, 9, 1), (9, 8, 0), (8, 9, 1), players=3), "scout")
    told = verdict(plan, rated)

    assert told.startswith(
        "Nobody is shown to be ahead of ann and bob at 95 %. 2 of 3 pairs of players are told apart."
    )


def test_the_verdict_of_two_others_says_both():
    plan = plan_of(["ann", "bob", "cid"], ["scout"], 6, (3,))
    rated = rate(outcomes((90, 8, 0), (91, 0, 8), (89, 7, 1), (92, 1, 7), (90, 8, 0), (93, 0, 8), players=3), "scout")

    assert verdict(plan, rated).startswith("ann is ahead of both others at 95 %.")


def test_the_verdict_and_the_table_of_pairs_are_about_the_ranked_alone():
    plan = plan_of(["ann", "bob", "cid"], ["scout"], 9, (3,))
    tally = outcomes((9, 8, 0), (8, 9, 0), (9, 7, 1), (7, 9, 1), (9, 8, 0), (8, 9, 1), players=3)
    tally.add(Result("scout", 3, 0, 7, 0, (2, 0, 1), (3, 1, 1), (0, 5, 5), ((0, 5, 5),), 1, ((0, "exit"),)))
    rated = rate(tally, "scout")

    assert 1 == len(rated.pairs)
    assert [False, False, True] == [row["forfeits"] for row in standings_part(plan, rated)]
    told = verdict(plan, rated)
    assert "cannot be told apart at 95 %." in told and "pairs of players" not in told
    assert told.endswith("cid forfeited too often to be ranked.")


@pytest.mark.parametrize(
    ("matches", "sentence"),
    [
        (8, "SCOUT: players have not met the same opponents yet, so nobody is ranked."),
        (13, "1 match of unfinished blocks is not in the table of SCOUT."),
    ],
)
def test_the_page_of_an_unfinished_run_claims_only_what_whole_blocks_show(tmp_path, matches, sentence):
    folder = make_run(tmp_path / "run", plan_of(["ann", "bob", "cid"], ["scout"], 4), matches=matches)
    text = " ".join(page_of(folder, tmp_path / "r.html").words)

    assert text.index(sentence) < text.index("The run is not over")
    assert ("Holm’s" in text or "Holm's procedure over all" in text) == (matches == 13)


def test_a_comparison_says_its_own_sentence_and_that_the_intervals_do_not_judge_it(tmp_path):
    plan = dataclasses.replace(plan_of(["ann", "bob"], ["scout"], 8), anchors=(0, 1), notes={"compare": {}})
    folder = make_run(tmp_path / "run", plan, matches=8)
    page = page_of(folder, tmp_path / "r.html")

    with store.read(folder) as opened:
        assert answers_of(plan, opened)[0].sentence in "".join(page.words)
    assert "do not judge it" in page.text


def answer_of(*course: Interval, margin: float | None = None) -> compare.Answer:
    last = course[-1]
    return compare.Answer(
        "scout", 2, "ann", "bob", "a", "ann is stronger.", "points a deal", margin, 90, 9, 9, 0.5, last, last, False,
        None, (), 0, course,
    )  # fmt: skip


def test_the_course_of_a_comparison_is_drawn_within_its_frame():
    course = [
        Interval(0, None, None, None, 1.0),
        Interval(30, 1.0, -200.0, 202.0, 1.0),
        Interval(40, 2.0, -1.0, 5.0, 0.2),
        Interval(60, 2.5, 0.5, 4.5, 0.01),
    ]
    part = course_part(answer_of(*course, margin=0.25))

    assert part is not None
    assert course[1:] == part["looks"]
    assert (49.5, 97.0) == (part["line"][0][0], part["line"][-1][0])
    assert 6 == len(part["band"]), "there and back"
    assert all(12 <= y <= 228 for _, y in [*part["band"], *part["line"]])
    assert 12 == part["band"][0][1] and 228 == part["band"][-1][1], "the wide first interval goes on beyond"
    zero = next(tick.x for tick in part["grid"] if tick.label == "0")
    assert part["margins"][1] < zero < part["margins"][0]
    assert part["band"][3][1] < zero, "the last interval lies above nought"


def test_there_is_nothing_to_draw_before_anything_is_known():
    assert course_part(answer_of(Interval(0, None, None, None, 1.0))) is None
    assert course_part(answer_of(Interval(1, 2.0, None, None, 1.0))) is None


def test_the_page_of_a_comparison_shows_how_it_was_decided(tmp_path):
    plan = dataclasses.replace(plan_of(["ann", "bob"], ["scout"], 60), anchors=(0, 1), notes={"compare": {"margin": 9}})
    page = page_of(make_run(tmp_path / "run", plan, matches=120), tmp_path / "r.html")

    assert "ann and bob compared" in page.words
    assert "<polygon" in page.text and "± 9" in "".join(page.words)


def test_lists_and_setups_are_words():
    assert and_list(["a"]) == "a"
    assert and_list(["a", "b", "c"]) == "a, b and c"
    assert and_list(list("abcdefgh"), 4) == "a, b, c and 5 others"
    assert "strikes 0" in setup_text(plan_of(["ann"], ["scat"], 1))


def test_the_sentence_on_seats_needs_enough_blocks():
    effect = rate(outcomes((5, 1)), "scout").seat_effects[0]

    assert seat_sentence(effect) == "There are too few blocks to test whether the seats are worth the same."


def test_only_the_head_of_standard_error_is_shown():
    assert head("one\ntwo") == "one\ntwo"
    assert head("x\n" * 100).count("\n") == 12
    assert len(head("y" * 10_000)) < 1_300
    assert head("\u202e\x00") == "\\xe2\\x80\\xae\\x00"


def test_the_colour_of_a_place_does_not_hang_on_the_places_before_it(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html", games=0)
    parts = [attrs for attrs in page.all("rect") if re.fullmatch(r"p\d", attrs.get("class") or "")]

    assert {attrs["class"] for attrs in parts} == {"p0", "p4"}  # tables of two
    assert all(attrs["x"] == "0.0%" for attrs in parts if attrs["class"] == "p0")


# -- replays


def test_matches_with_faults_come_first_and_others_are_spread_over_the_run(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html", games=6)
    rows = page.data("index")

    assert len(rows) == 6 and all(row[8] for row in rows)
    assert "6 of 36 matches are here: 6 of the " in page.text
    assert len(page_of(faulty, tmp_path / "r.html", games="all").data("index")) == 36


@pytest.mark.parametrize("count", [0, 1, 2, 7, 64, 100])
def test_spread_takes_every_number_once_and_any_beginning_is_even(count):
    order = list(spread(count))

    assert sorted(order) == list(range(count))
    if count == 100:
        quarters = [sum(number // 25 == quarter for number in order[:20]) for quarter in range(4)]
        assert min(quarters) >= 4


def test_pick_leaves_void_matches_out():
    class Found:
        void, faulty = (2,), (4,)
        spread = staticmethod(lambda: range(6))

    assert sorted(pick(Found, [5])) == [0, 1, 3, 4, 5]
    assert list(pick(Found, [5]))[:2] == [5, 4]


def tables_of(moments: list[dict]) -> list[dict[str, str]]:
    """What the viewer does: lay the changes of each moment over the table before it."""
    tables, table = [], {}
    for moment in moments:
        table = {key: value for key, value in {**table, **moment["d"]}.items() if value is not None}
        tables.append(table)
    return tables


@pytest.mark.parametrize("fixture", ["clean", "faulty"])
def test_a_replay_gives_each_seat_its_view_and_a_spectator_nothing_more_than_all_may_know(fixture, request, tmp_path):
    folder = request.getfixturevalue(fixture)
    replays = page_of(folder, tmp_path / "r.html", games="all").replays()
    with store.read(folder) as opened:
        rows = list(opened.rows())

    assert len(replays) == len(rows)
    for number, row in enumerate(rows):
        record = from_text(row.record)
        game = game_of(record)
        for at, (moment, table) in enumerate(zip(replay(record), tables_of(replays[number]), strict=True)):
            views = [game.view(moment.state, seat) for seat in range(record.seats)]
            public = {key: value for key, value in table.items() if "." not in key and not key.startswith("hand")}
            public.pop("act")
            actor = game.to_act(moment.state)
            for seat, view in enumerate(views):
                seen = {"hand": table[f"hand{seat}"], **public}
                seen |= {key[2:]: value for key, value in table.items() if key.startswith(f"{seat}.")}
                assert seen == dict(view), (number, at, seat)
                if seat != actor:
                    assert public.items() <= view.items()
            hands = dict(game.truth(moment.state))["hands"].split(";")
            assert [table[f"hand{seat}"] for seat in range(record.seats)] == hands


def test_every_line_of_a_record_is_in_its_replay(faulty, tmp_path):
    replays = page_of(faulty, tmp_path / "r.html", games="all").replays()
    with store.read(faulty) as opened:
        for number, row in enumerate(opened.rows()):
            assert "\n".join(moment["l"] for moment in replays[number]) + "\n" == row.record


def test_everybody_hears_what_the_events_say_to_them_and_only_the_culprit_why_it_is_out(faulty, tmp_path):
    replays = page_of(faulty, tmp_path / "r.html", games="all").replays()
    with store.read(faulty) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        rows = list(opened.rows())

    for number, row in enumerate(rows):
        record = from_text(row.record)
        narrator = Narrator(record.game, [plan.players[index].name for index in row.result["players"]])
        for moment, told in zip(replay(record), replays[number], strict=True):
            heard = {None: told.get("p", told["a"])}
            for seat in range(record.seats):
                own = told.get(str(seat), heard[None])
                heard[seat] = told["a"] if own == 1 else own
            if "f" in told:
                assert [seat for seat, text in heard.items() if told["x"].rstrip(".") in text] == [told["s"]]
                continue
            for listener, text in heard.items():
                lines = [narrator.sentence(event.heard_by(listener), listener) for event in moment.events]
                assert text == "\n".join(filter(None, lines)) or (listener is not None and "r" in told)


def test_times_go_to_the_moves_that_took_them():
    steps = [Move(0, "stock"), Move(1, "knock", "caretaker"), Faulted(0, "illegal", ""), Faulted(1, "timeout", "")]
    timings = [[0, 9, 9, 9, 1.234], [0, 9, 9, 9, 5]]

    assert list(embed.times(steps, timings)) == [None, 1.23, None, 5, None]


def test_a_strike_is_not_told_to_others():
    steps = "did seat=0 move=stock\nstrike seat=1 code=illegal text=no\nfault seat=1 code=exit text=x\n"

    assert embed.fault_moments("record 1\n" + steps) == {1: 3}


# -- drawings


def test_scales_hold_zero_and_end_where_intervals_go_astray():
    scale, (one, two, none) = charts.dots([(1.0, 0.5, 1.5), (2.0, -500.0, 504.0), (None, None, None)])

    assert scale.low < 0 and scale.high < 20
    assert one is not None and two is not None and none is None
    assert (two.cut_low, two.cut_high) == (True, True) and not one.cut_low
    assert 0 < one.low < one.x < one.high < 100


def test_scales_of_nothing_are_still_scales():
    assert charts.dots([(0.0, None, None)])[0].ticks()
    assert charts.dots([])[0].at(0) == 50


def test_ticks_are_round():
    assert [tick.label for tick in charts.Scale(-0.72, 0.61).ticks()] == ["−0.5", "0", "+0.5"]
    assert [tick.label for tick in charts.Scale(0.01, 1000, True).ticks(6)] == [
        "0.01",
        "0.1",
        "1",
        "10",
        "100",
        "1,000",
    ]


def test_columns_hold_every_result():
    counts = {-21: 1, 0: 2, 30: 1}
    columns = charts.bins(counts)
    bars = columns.bars(counts, columns.tallest(counts), 50)

    assert columns.width in (2, 5) and columns.columns <= 27
    assert max(bar.height for bar in bars) == 50 and sum(bar.height for bar in bars) == 100
    assert [charts.quantile(counts, share) for share in (0.25, 0.5, 1)] == [-21, 0, 30]


def test_labels_keep_apart_and_in_order():
    assert charts.apart([10, 11, 50], 15, 0, 100) == [10, 25, 50]
    assert charts.apart([95, 96, 97], 15, 0, 100) == [70, 85, 100]


# -- a real browser

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --host-resolver-rules=MAP&*&~NOTFOUND --virtual-time-budget=8000"
)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(not CHROMIUM, reason="There is no Chromium here; Debian's package chromium has it.")
def test_a_browser_opens_a_replay_by_link_and_runs_no_script_of_a_players(faulty, tmp_path):
    page = page_of(faulty, tmp_path / "r.html")
    match, move = re.findall(r'href="#game=(\d+)&amp;move=(\d+)"', page.text)[0]
    flags = [flag.replace("&", " ") for flag in FLAGS.split()]
    net = tmp_path / "net.json"
    url = f"{(tmp_path / 'r.html').as_uri()}#game={match}&move={move}"
    shown = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={net}", "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    dom = Page(shown)

    game = next(row[2] for row in page.data("index") if row[0] == int(match))
    assert f"Match {match}: {game_class(game).title}" in "".join(dom.words)
    assert f"move {move} of" in "".join(dom.words)
    assert not dom.all("img") and [attrs for attrs in dom.all("section") if attrs.get("id") == "viewer"] == [
        {"id": "viewer", "aria-labelledby": "viewer-h"}
    ]
    # Chromium asks its maker for the time and for updates whatever it is told; the page asks nobody.
    asked = set(re.findall(r'"url":"\w+://([^/"]+)', net.read_text()))
    assert {host for host in asked if not host.endswith((".google.com", ".googleapis.com"))} == set()


# -- what a person reads, who counts from 1


def test_seats_moves_and_deals_count_from_one_and_matches_from_nought(clean, tmp_path):
    page = page_of(clean, tmp_path / "r.html")
    effect = SeatEffect("scat", 2, (), 0, 1, 0.5, 0.01)
    told = " ".join("".join(page.words).split())

    assert "seat 1 does best, seat 2 worst" in seat_sentence(effect)
    assert "Matches count from 0, as in" in told and "deals, moves and seats from 1" in told
    rows = re.findall(r'<tr><th scope="row">(\d)</th><td class="plot">', page.text)
    assert "1 2 1 2 3".split() == rows, "seats of tables of two, then of three"


@pytest.mark.parametrize(
    ("here", "faulty", "count", "sentence"),
    [
        (50, 0, 0, "All 50 matches are here."),
        (0, 4, 0, "None of the 50 matches is here."),
        (6, 4, 4, "6 of 50 matches are here: 4 of the 4 with faults, the rest spread evenly over the run."),
        (3, 4, 3, "3 of 50 matches are here: 3 of the 4 with faults."),
        (6, 0, 0, "6 of 50 matches are here, spread evenly over the run."),
    ],
)
def test_it_says_which_matches_can_be_replayed(here, faulty, count, sentence):
    class Found:
        matches = 50

    Found.faulty = [0] * faulty
    assert replays_text(Found, Replays([[]] * here, count, [])) == sentence


def test_a_comparison_says_how_many_blocks_were_played_of_its_limit(tmp_path):
    plan = dataclasses.replace(plan_of(["ann", "bob"], ["scout"], 2_000), anchors=(0, 1), notes={"compare": {}})
    told = "".join(page_of(make_run(tmp_path / "run", plan, matches=4), tmp_path / "r.html").words)

    assert "2 of at most 2,000" in told and "slices" not in told
    assert "Faults (0)" in told and "Failures" not in told


def frames_of(moments: list[dict]) -> list[tuple[int, dict[str, str], dict]]:
    """What the viewer looks at: (number of the move, table, what is heard), ended deals before what follows."""
    found = []
    for number, (moment, table) in enumerate(zip(moments, tables_of(moments), strict=True)):
        found += [(number, deal["d"], deal) for deal in moment.get("o", [])]
        found.append((number, table, moment))
    return found


@pytest.mark.parametrize("fixture", ["clean", "faulty"])
def test_the_move_that_ends_a_deal_shows_that_deal_and_the_hands_that_were_shown(fixture, request, tmp_path):
    folder = request.getfixturevalue(fixture)
    replays = page_of(folder, tmp_path / "r.html", games="all").replays()
    ended = [(number, *frame) for number, told in replays.items() for frame in frames_of(told) if "n" in frame[2]]
    with store.read(folder) as opened:
        records = [row.record for row in opened.rows()]

    assert sum(record.count("\nover ") for record in records) == len(ended) > 20
    for number, move, table, told in ended:
        line = replays[number][move]["l"].split("\n")[told["n"] - 1]
        over = dict(word.split("=") for word in line.split()[1:])
        assert line.startswith("over ") and over["deal"] == table["deal"] and table["act"] == "-"
        for seat, hand in enumerate(over["hands"].split(";")):
            assert hand == "-" or hand == table[f"shown{seat}"] == table[f"hand{seat}"]
        assert "is over: " in told["a"] and told["a"].count("Deal ") + told["a"].count("Round ") == 1
        assert replays[number][move]["a"].startswith(told["a"])


def test_a_seat_that_shows_no_hand_keeps_it_to_itself():
    over = "over deal=2 reason=31 hands=AH,KH,QH;- values=31,- lost=0,1 coins=3,-"
    before = {"hand0": "AH,KH,2C", "hand1": "3C,4C,5C", "0.phase": "draw", "pile": "2C"}
    table = embed.showdown([Event("did seat=0 move=2C"), Event(over)], before, 2)

    assert {"hand0": "AH,KH,QH", "shown0": "AH,KH,QH", "hand1": "3C,4C,5C", "deal": "2"}.items() <= table.items()
    assert "shown1" not in table and "pile" not in table and "0.phase" not in table


def test_a_deal_that_ends_as_it_is_dealt_shows_what_was_dealt():
    dealt = Event("deal n=0 pile=2C", {0: "deal n=0 hand=AH,KH,QH pile=2C", 1: "deal n=0 hand=3C,4C,5C pile=2C"})
    over = Event("over deal=0 reason=31 hands=AH,KH,QH;- values=31,- lost=0,1 coins=3,2")
    table = embed.showdown([dealt, over], {}, 2)

    assert ("AH,KH,QH", "3C,4C,5C") == (table["hand0"], table["hand1"])


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(not CHROMIUM, reason="There is no Chromium here; Debian's package chromium has it.")
@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("#game=x", 'The link asks for match "x", which is no number.'),
        ("#game=0&move=x", 'The link asks for move "x", which is no number: here is the beginning.'),
        ("#game=0&move=-1", 'The link asks for move "-1", which is no number'),
        ("#game=0&move=99999", "The link asks for move 99999, but the last is"),
        ("#game=77777", "Match 77777 is not in this page."),
        ("#game=0&move={ends}", "Deal 1, move {ends} of"),
        ("#game=0&move={ends}&part=2", "Deal 2, move {ends} of"),
    ],
)
def test_a_link_shows_its_move_or_says_what_is_wrong_with_it(clean, tmp_path, link, says):
    page = page_of(clean, tmp_path / "r.html")
    moments = page.replays()[0]
    ends = next(at for at, moment in enumerate(moments) if "o" in moment)
    flags = [flag.replace("&", " ") for flag in FLAGS.split()]
    url = (tmp_path / "r.html").as_uri() + link.format(ends=ends)
    shown = subprocess.run(
        [CHROMIUM, *flags, "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert says.format(ends=ends) in "".join(Page(shown.stdout).words)
    assert "Uncaught" not in shown.stderr
