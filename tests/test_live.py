"""The table of a run while it goes on: what fits into which screen, and what it leaves behind on a terminal."""

import json
import random
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match import Limits
from referee.report.live import Board, Live, Pace, Times, View, screen
from referee.report.progress import Plain, Stream, watcher
from referee.report.tables import Column, fitted, table
from referee.report.watching import Follower
from referee.store import Row, create
from referee.tournament import Entry, Plan, about
from tests.test_tournament import referee, start, wait_for

ROOT = Path(__file__).parent.parent
NAMES = ("mcts-200", "expert", "greedy", "a-name-that-is-as-long-as-it-gets", "rusty")


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def plan_of(games: tuple[str, ...] = ("scout",), names: tuple[str, ...] = NAMES, blocks: int = 50) -> Plan:
    entries = tuple(Entry(name, ("true",), "", {}, ("scat", "scout")) for name in names)
    everyone = tuple(range(len(names)))
    return Plan(entries, tuple((game, "seed", {}, (2,), everyone) for game in games), blocks, 10, Limits())


def rows_of(plan: Plan, source: random.Random, blocks: int) -> list[Row]:
    """Matches of the first blocks of a plan; players of a higher index play worse, the last one faults at times."""
    rows = []
    for task in plan.schedule():
        for block in range(task.first_block, min(blocks, task.first_block + task.blocks)):
            players = list(task.players if task.rotation == 0 else reversed(task.players))
            points = [round(source.gauss(10 - player, 3)) for player in players]
            faults = []
            if source.random() < 0.02:
                faults = [[players.index(max(players)), "illegal", "scout:L9 is \x1b[31mno place\n of a hand of 3"]]
            result = {
                "game": task.game, "seats": 2, "table": task.table, "rotation": task.rotation, "players": players,
                "ranks": [1 + sum(other > own for other in points) for own in points], "scores": points,
                "deals": [points, points[::-1]], "counted": 1, "faults": faults, "void": "",
            }  # fmt: skip
            timings = [[seat, 9.0, 1.0, 0.0, 0.5 + player] for seat, player in enumerate(players)]
            rows.append(Row(task.index, block, result, "", timings, {}))
    return rows


def view_of(plan: Plan, blocks: int = 20, **changes: object) -> View:
    board = Board(plan, ())
    board.take(rows_of(plan, random.Random(5), blocks))
    view = View(
        "results/cup", board.done, board.total, False, 65.4, 87.0, 18.4, board.names, board.ratings(), {},
        board.paces(), "", board.faults, board.void, tuple(board.recent), "Ctrl-C stops",
    )  # fmt: skip
    return view._replace(**changes)


# -- the screen


@pytest.mark.parametrize("height", [8, 12, 24, 50])
@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("games", [("scout",), ("scat", "scout")])
def test_every_screen_fits(games, width, height):
    lines = screen(view_of(plan_of(games), status="How it stands. " * 9), width, height)

    assert len(lines) < height
    assert max(map(len, lines)) < width
    assert "400 of 1,000 matches" in lines[1] or len(games) == 2
    assert lines[-1].startswith(" Ctrl-C stops")


def test_a_screen_of_80_columns_has_all_that_is_known():
    text = "\n".join(lines := screen(view_of(plan_of(names=NAMES[:3] + NAMES[4:])), 80, 24))

    assert lines[0] == " results/cup"
    assert re.fullmatch(r" 240 of 600 matches ━+─+   40 %  18.4/s", lines[1])
    assert lines[2] == " elapsed 1:05   left about 1:27   intervals at 95 %"
    assert lines[4] == " SCOUT, tables of 2, 20 blocks: points a deal"
    assert lines[5].split() == "rank player mean ±95% matches 1st % p50 ms p99 ms faults".split()
    first = next(line for line in lines if "mcts-200" in line).split()
    assert ["mcts-200", "120"] == [first[1], first[4]]
    assert first[0] in ("1", "1-2")
    assert 0.5 <= float(first[-3]) <= 0.525, "the players' own time, to 5 %"
    assert "more blocks would separate" in text
    assert "rusty  illegal: scout:L9 is \\x1b[31mno place\\x0a of a hand of 3" in text


def test_a_screen_says_at_its_top_what_is_not_in_its_table_yet():
    plan = plan_of()
    rows = rows_of(plan, random.Random(5), 20)
    board = Board(plan, ())
    board.take(rows[:205])
    some = screen(view_of(plan, ratings=board.ratings()), 80, 30)
    board = Board(plan, ())
    board.take(rows[:150])
    none = screen(view_of(plan, ratings=board.ratings()), 80, 30)

    assert some[3] == " 5 matches of unfinished blocks are not in the table of SCOUT."
    assert some[5].startswith(" SCOUT, tables of 2, 10 blocks")
    assert none[3] == " SCOUT: players have not met the same opponents yet, so nobody is ranked."
    assert {"-"} == {line.split()[0] for line in none[7:11]}
    assert "separate" not in "\n".join(none)
    assert not any("unfinished" in line for line in screen(view_of(plan), 80, 30))


def test_narrow_screens_do_without_times_before_they_cut_names():
    sixty = screen(view_of(plan_of()), 60, 24)
    hundred = screen(view_of(plan_of()), 100, 24)

    assert "p99" not in sixty[5]
    assert "faults" in sixty[5]
    assert any(" a-name-that-is-as~ " in line for line in screen(view_of(plan_of()), 50, 24))
    assert any(" a-name-that-is-as-long-as-it-gets " in line for line in hundred)
    assert "p99 ms" in hundred[5]


def test_a_low_screen_shows_the_first_rows_and_says_how_many_there_are():
    names = tuple(f"player-{n}" for n in range(16))
    lines = screen(view_of(plan_of(names=names), 5), 80, 16)

    assert any(re.fullmatch(r"       and 1\d more", line) for line in lines)
    assert any("player-0" in line for line in lines)


def test_ascii_screens_are_ascii():
    text = "\n".join(screen(view_of(plan_of()), 80, 24, plain=True))

    assert text.isascii()
    assert "+-95%" in text
    assert "####" in text


def test_a_run_without_results_has_a_screen_too():
    lines = screen(view_of(plan_of(), 0, left=None), 80, 24)

    assert lines[1].startswith(" 0 of 1,000 matches ")
    assert "left" not in lines[2]


def test_a_comparison_says_that_its_total_is_a_limit():
    lines = screen(view_of(plan_of(), cap=True, status="Not decided yet: a - b is +1"), 80, 24)

    assert "matches at most" in lines[1]
    assert "95 %" not in lines[2]
    assert "±95%" not in lines[5], "an interval to be looked at once is none for who looks all the time"
    assert " Not decided yet: a - b is +1" in lines


@given(st.lists(st.floats(0.01, 100_000), min_size=1, max_size=60))
def test_percentiles_of_times_are_exact_to_a_class(values):
    times = Times()
    for value in values:
        times.add(value)

    middle = sorted(values)[(len(values) - 1) // 2]
    found = times.percentile(0.5)
    assert found is not None
    assert middle * 0.999 <= found <= middle * 1.051
    assert times.percentile(1.0) >= max(values) * 0.999


def test_rows_given_an_order_keep_it():
    plan = plan_of()
    lines = screen(view_of(plan, orders={"scout": (4, 2, 0)}), 100, 24)

    shown = [line.split()[1] for line in lines[6:11]]
    assert ["rusty", "greedy", "mcts-200"] == shown[:3]
    assert set(NAMES) == set(shown)


# -- the painter


class Terminal:
    """A file that is a terminal, of which pyte shows what a person would see."""

    encoding = "utf-8"

    def __init__(self, width: int = 80, height: int = 24) -> None:
        import pyte

        self.screen = pyte.Screen(width, height)
        self.stream = pyte.Stream(self.screen)
        self.written: list[str] = []

    def write(self, text: str) -> int:
        self.written.append(text)
        self.stream.feed(text.replace("\n", "\r\n"))
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    @property
    def display(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)


def painter(tmp_path: Path, plan: Plan) -> tuple[Live, Terminal, Clock]:
    from rich.console import Console

    terminal, clock = Terminal(), Clock()
    store = create(tmp_path / "run", bytes(32), **about(plan))
    console = Console(file=terminal, force_terminal=True, width=80, height=24, legacy_windows=False)
    with store:
        return Live(plan, store, console, "results/cup", "Ctrl-C stops", clock), terminal, clock


def test_it_repaints_at_most_four_times_a_second_and_keeps_rows_for_two(tmp_path):
    plan = plan_of()
    live, terminal, clock = painter(tmp_path, plan)
    rows = rows_of(plan, random.Random(5), 20)
    with live:
        live.committed(rows[:100])
        assert "0 of 1,000" in terminal.display, "it is too soon to paint again"
        clock.now = 0.3
        live.committed(rows[100:200])
        assert "200 of 1,000" in terminal.display
        order = live.orders
        clock.now = 1.9
        live.committed(rows[200:])
        assert order is live.orders
        clock.now = 2.5
        live.tick()
        assert order is live.orders, "nothing came, and a second is not over"
        clock.now = 3.0
        live.tick()
        assert order is not live.orders


def test_notes_stand_above_the_table_and_the_cursor_is_there_all_the_time(tmp_path):
    live, terminal, clock = painter(tmp_path, plan_of())
    with live:
        live.note("the worker of task 3 died; the task is played again")
        clock.now = 1.0
        live.status("Not decided yet")
        assert not terminal.screen.cursor.hidden
        assert "the worker of task 3 died" in terminal.display.splitlines()[0]
        assert "Not decided yet" in terminal.display
    assert not terminal.screen.cursor.hidden
    assert "\x1b[?1049h" not in "".join(terminal.written), "no second screen"


@pytest.mark.process
@pytest.mark.screen
def test_ctrl_c_leaves_a_terminal_as_it_was(tmp_path):
    import pexpect
    import pyte

    shell = pexpect.spawn("/bin/sh", dimensions=(24, 80), timeout=60, encoding="utf-8", cwd=str(ROOT))
    view = pyte.Screen(80, 24)
    stream = pyte.Stream(view)
    shell.sendline(f"PS1='> '; unset CI; stty -a > {tmp_path}/before")
    shell.sendline(
        f"{sys.executable} -m referee tournament scat_random scat_greedy --blocks 500 --out {tmp_path}/run;"
        f" echo 'exit '$?; stty -a > {tmp_path}/after; echo 'it is o''ver'"
    )
    shell.expect("elapsed 0:0[1-9]")
    stream.feed(shell.before + shell.after)
    shell.sendintr()
    shell.expect("finishing the matches that run")
    stream.feed(shell.before + shell.after)
    shell.expect("it is over")
    stream.feed(shell.before + shell.after)
    shell.close(force=True)

    assert "exit 130" in "\n".join(view.display)
    assert not view.cursor.hidden
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


@pytest.mark.process
def test_a_run_that_is_terminated_stops_at_once_and_can_be_resumed(tmp_path):
    run = start("tournament", "scat_random", "scat_greedy", "--blocks", "500", "--out", tmp_path / "run")
    wait_for(tmp_path / "run", 1)
    run.terminate()
    _, err = run.communicate(timeout=30)

    assert run.returncode == 130
    assert f"Resume with: referee resume {tmp_path / 'run'}" in err


# -- plain lines and the stream


def test_plain_lines_come_at_marks_of_five_per_cent_and_not_more_often_than_every_half_minute():
    plan, clock, said = plan_of(), Clock(), []
    plain = Plain(Board(plan, ()), said.append, clock)
    rows = sorted(rows_of(plan, random.Random(5), 50), key=lambda row: row.block)

    clock.now = 10.0
    plain.committed(rows[:100])
    assert said == [], "ten seconds are not thirty"
    clock.now = 31.0
    plain.committed(rows[100:120])
    assert said[0].startswith("120/1000 matches 12% 3.9/s left 227s faults ")
    assert re.search(r" lead mcts-200 \+\d\.\d{3} \+-\d\.\d{3}$", said[0])
    clock.now = 65.0
    plain.committed(rows[120:140])
    assert len(said) == 1, "the next mark is at 15 %"
    plain.committed(rows[140:150])
    assert len(said) == 2
    clock.now = 66.0
    plain.committed(rows[150:])
    assert said[-1].startswith("1000/1000 matches 100% ")
    assert "".join(said).isascii()


@pytest.mark.parametrize(("matches", "lead"), [(15, ""), (20, r" lead greedy \+\d\.\d{3}")])
def test_a_plain_line_leads_with_nobody_before_a_block_is_whole_and_gives_no_interval_of_one(matches, lead):
    plan, clock, said = plan_of(blocks=1), Clock(), []
    plain = Plain(Board(plan, ()), said.append, clock)
    rows = [row._replace(result={**row.result, "faults": []}) for row in rows_of(plan, random.Random(5), 1)]
    clock.now = 31.0
    plain.committed(rows[:matches])

    assert re.search(rf"faults 0{lead}$", said[0])


def test_a_plain_line_of_a_comparison_says_how_it_stands():
    plan, clock, said = plan_of(), Clock(), []
    plain = Plain(Board(plan, ()), said.append, clock)
    plain.status("Not decided yet: a - b is +1")
    clock.now = 31.0
    plain.committed(rows_of(plan, random.Random(5), 10))

    assert ["Not decided yet: a - b is +1"] == said[0].splitlines()[1:]


def test_the_stream_numbers_matches_as_the_export_does(tmp_path):
    plan = plan_of(("scat", "scout"), blocks=25)
    rows = rows_of(plan, random.Random(5), 25)
    numbers = [plan.numbers().of(row.task, row.block) for row in sorted(rows, key=lambda row: (row.task, row.block))]

    assert numbers == list(range(plan.size().matches))


def test_the_stream_says_what_came_as_whole_lines(tmp_path):
    plan, lines = plan_of(), []
    with create(tmp_path / "run", bytes(32), **about(plan), commitment="c0") as store:
        with watcher("none", plan, store, print, lines.append) as watching:
            assert isinstance(watching, Stream)
            watching.committed(rows_of(plan, random.Random(5), 20))
            watching.status("")
            watching.tick()
    said = [json.loads(line) for line in lines]

    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    assert ("start", 1, 1000, list(NAMES)) == (said[0]["type"], said[0]["v"], said[0]["matches"], said[0]["players"])
    games = [each for each in said if each["type"] == "game"]
    fails = [each for each in said if each["type"] == "fail"]
    assert 400 == len(games)
    assert {"illegal"} == {each["kind"] for each in fails}
    assert {each["id"] for each in fails} <= {each["id"] for each in games}


@pytest.mark.process
def test_a_tournament_streams_its_matches_and_then_its_table(tmp_path):
    out, _ = referee(
        "tournament", "scat_random", "scat_greedy", "--blocks", "2", "--format", "jsonl", "--out", tmp_path / "run"
    )
    said = [json.loads(line) for line in out.splitlines()]

    assert "start game game game game standing standing end".split() == [each["type"] for each in said]
    assert {0, 1, 2, 3} == {each["id"] for each in said if each["type"] == "game"}
    assert said[-1]["seed"]


# -- final tables


@pytest.mark.parametrize("count", [2, 5, 14, 22])
def test_a_final_table_fits_80_columns_whatever_the_names(tmp_path, count):
    names = tuple(f"a-name-that-is-rather-long-{n:05}" for n in range(count))
    plan = plan_of(names=names, blocks=6)
    with create(tmp_path / "run", bytes(32), **about(plan)) as store:
        rows = rows_of(plan, random.Random(5), 6)
        store.append([row._replace(result={**row.result, "faults": []}) for row in rows])
        text = table(plan, store, "text")
        few = table(plan, store, "text", top=3)
        whole = [json.loads(line) for line in table(plan, store, "jsonl", "match").splitlines()]

    assert max(map(len, text.splitlines())) <= 80
    assert f"{names[0]}  " in text, "names are whole where there is room for them"
    assert ("and 2 more, for whom there is no room" in text) == (count == 22)
    assert len(few.splitlines()) < len(text.splitlines()) or count == 2
    assert (f"and {count - 3} more" in few) == (count > 3)
    assert {"match"} == {row["unit"] for row in whole}
    assert all(abs(row["mean"]) <= 0.5 for row in whole)


@pytest.mark.parametrize(
    ("matches", "sentence", "left_out"),
    [
        (205, "5 matches of unfinished blocks are not in the table of SCOUT.", 5),
        (150, "SCOUT: players have not met the same opponents yet, so nobody is ranked.", 0),
        (1000, "", 0),
    ],
)
def test_every_form_of_an_unfinished_table_says_so(tmp_path, matches, sentence, left_out):
    plan = plan_of()
    with create(tmp_path / "run", bytes(32), **about(plan)) as store:
        store.append(rows_of(plan, random.Random(5), 50)[:matches])
        text, whole = table(plan, store, "text"), json.loads(table(plan, store, "json"))
        rows = [json.loads(line) for line in table(plan, store, "jsonl").splitlines()]
        separated = [line.split(",")[1] for line in table(plan, store, "csv").splitlines()[1:]]
        follower = Follower(store)
        follower.news()
        standings = follower.standings()

    assert text.startswith(f"{sentence}\n\nSCOUT, tables" if sentence else "SCOUT, tables")
    assert whole.get("unfinished") == ([sentence] if sentence else None)
    assert rows == whole["standings"]
    assert {left_out} == {row.get("left_out", 0) for row in rows}
    assert [row["rank"] for row in rows] == separated
    assert ("-" in separated) == (matches == 150)
    assert [f"{line}." for line in standings[:-1]] == ([sentence] if sentence else [])
    assert f"{separated[0]} {rows[0]['player']}" in standings[-1]


def test_a_table_says_what_a_seat_is_worth(tmp_path):
    plan = plan_of(names=NAMES[:2], blocks=40)
    rows = []
    for row in rows_of(plan, random.Random(5), 40):
        deals = [[20 + block % 3, 10] for block in (row.block, row.block + 1)]
        rows.append(row._replace(result={**row.result, "deals": deals, "counted": 2, "faults": []}))
    with create(tmp_path / "run", bytes(32), **about(plan)) as store:
        store.append(rows)
        text = table(plan, store, "text")

    assert "Seats: seat 1 does best, seat 2 worst, 21.975 a deal apart (p < 0.001)" in text
    assert "(p < 0.001)" in text


def test_columns_go_before_names_are_cut():
    columns = [Column("mean", ["+1.000"], 6), Column("deals", ["12"], 7, spare=1)]

    wide = fitted(["1"], ["x" * 36], columns, 60)
    assert [" rank  player" + " " * 30 + "    mean    deals", "    1  " + "x" * 36 + "  +1.000       12"] == wide
    narrow = fitted(["1"], ["x" * 48], columns, 60)
    assert "deals" not in narrow[0]
    assert "x" * 44 + "~" in narrow[1]
    assert all(len(line) <= 60 for line in narrow)


def test_the_pace_of_who_has_not_answered_is_unknown():
    assert [Pace(None, None)] * len(NAMES) == Board(plan_of(), ()).paces()
