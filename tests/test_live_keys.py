"""The keys of the live view: what they mean, what they show, and the terminal that they leave as it was."""

import os
import re
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.report.keys import Control, Keyboard, Page, Sort, State, press
from referee.report.live import Fault, View, arranged, beyond, rows_shown, screen
from referee.tournament import Crew
from tests.human.terminal import ROOT, Terminal, children
from tests.test_live import NAMES, plan_of, view_of

ROWS = (3, 0, 2)


# -- what a key means


def after(*keys: str, state: State | None = None, beyond: int = 5) -> State:
    state = state or State()
    for key in keys:
        state = press(state, key, ROWS, beyond)
    return state


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", State()),
        ("x", State()),
        ("q", State(stopping=True)),
        ("q q", State(stopping=True)),
        ("space", State(paused=True)),
        ("space space", State()),
        ("q space", State(stopping=True)),
        ("s", State(sort=Sort.NAME)),
        ("s s s s s", State()),
        ("f", State(page=Page.FAULTS)),
        ("f f", State(under=Page.FAULTS)),
        ("f s", State(page=Page.FAULTS)),
        ("f escape", State(under=Page.FAULTS)),
        ("?", State(page=Page.HELP)),
        ("? ?", State(under=Page.HELP)),
        ("f ? escape", State(page=Page.FAULTS, under=Page.HELP)),
        ("down", State(chosen=3)),
        ("up", State(chosen=2)),
        ("j j", State(chosen=0)),
        ("j j j j j", State(chosen=2)),
        ("j j k k k", State(chosen=3)),
        ("j escape", State()),
        ("enter", State(page=Page.PLAYER, chosen=3)),
        ("j j enter", State(page=Page.PLAYER, chosen=0)),
        ("j j enter escape", State(under=Page.PLAYER, chosen=0)),
        ("f down down", State(page=Page.FAULTS, scroll=2)),
        ("f down up up", State(page=Page.FAULTS)),
        ("f pagedown", State(page=Page.FAULTS, scroll=5)),
        ("f pagedown pageup", State(page=Page.FAULTS)),
        ("f down f f", State(page=Page.FAULTS)),
    ],
)
def test_a_key_has_one_meaning_on_each_page(keys, expected):
    assert expected == after(*keys.split())


def test_what_cannot_be_paused_is_not_paused():
    assert not after("space", state=State(pausable=False)).paused


def test_a_player_that_is_gone_from_the_table_is_marked_no_more():
    assert 3 == press(State(chosen=9), "j", ROWS, 0).chosen
    assert State(page=Page.PLAYER, chosen=3) == press(State(chosen=9), "enter", ROWS, 0)
    assert State() == press(State(), "j", (), 0)
    assert State() == press(State(), "enter", (), 0)


KEYS = ["q", "space", "s", "f", "?", "escape", "enter", "up", "down", "pageup", "pagedown", "j", "k", "Z", "<sigint>"]


@given(st.lists(st.sampled_from(KEYS), max_size=20), st.sampled_from([(20, 5), (40, 10), (80, 24)]), st.booleans())
def test_whatever_is_pressed_the_screen_fits(keys, size, cap):
    view = VIEW._replace(cap=cap)
    state = State()
    for key in keys:
        view = view._replace(state=state)
        state = press(state, key, rows_shown(view), beyond(view, *size))
        lines = screen(view._replace(state=state), *size, plain=True)

        assert len(lines) < size[1]
        assert max(map(len, lines), default=0) < max(21, size[0])
        assert all(line.isascii() and line.isprintable() for line in lines)


# -- what is shown

VIEW = view_of(
    plan_of(("scat", "scout")),
    state=State(),
    running=2,
    job=10,
    latest=(
        Fault(7, None, "void: the worker died"),
        Fault(31, 4, "illegal: scout:L9 is \\x1b[31mno place\\x0a of a hand of 3"),
    ),
    folder="results/my cup",
)


def shown(width: int = 80, height: int = 40, of: View = VIEW, **state: object) -> str:
    return "\n".join(screen(of._replace(state=State(**state)), width, height))


def test_the_last_line_says_what_the_keys_are_in_as_many_words_as_fit():
    def last(width: int, **state: object) -> str:
        return shown(width, **state).splitlines()[-1]

    assert " q stop (finish running)  Space pause  s sort  f faults  Enter player  ? help" == last(80)
    assert " q stop  Space pause  s sort  f faults  Enter player  ? help" == last(70)
    assert " q stop  Space pause  s sort  f faults  Enter  ? help" == last(60)
    assert " q  Space  s  f  Enter  ?" == last(40)
    assert "Space go on" in last(80, paused=True)
    assert "Space" not in last(80, pausable=False)
    assert last(80, stopping=True).startswith(" Ctrl-C stop now  s sort")
    assert " Esc back  ? help  q stop" == last(80, page=Page.FAULTS)


def test_a_pause_is_told_with_what_still_runs():
    held = " PAUSED, Space goes on. No job begins; "

    assert held + "2 still run (up to 10 matches each)." in shown(paused=True)
    assert held + "1 still runs (up to 1 match each)." in shown(of=VIEW._replace(running=1, job=1), paused=True)
    assert held + "none runs." in shown(of=VIEW._replace(running=0), paused=True)
    assert " STOPPING. No job begins; 2 still run" in shown(paused=True, stopping=True)
    assert "PAUSED" not in shown()


def test_the_chosen_row_is_marked_and_in_sight_in_every_table():
    text = shown(chosen=4)
    low = shown(height=16, chosen=4)

    assert 2 == len(re.findall(r"^(     |\s*[-\d*]+) >rusty ", text, re.MULTILINE))
    assert 2 == text.count(">")
    assert 2 == len(re.findall(r">rusty ", low))
    assert ">" not in shown()


def test_rows_are_sorted_as_the_title_says():
    plan = plan_of()
    view = view_of(plan)
    (rated,) = view.ratings

    def names(sort: Sort) -> list[str]:
        return [NAMES[player] for player in arranged(rated, sort, view.names, view.paces)]

    assert sorted(NAMES) == names(Sort.NAME)
    assert "rusty" == names(Sort.P99)[0], "the slowest first"
    faults = {NAMES[row.player]: sum(count for _, count in row.faults) for row in rated.standings}
    assert sorted(faults.values(), reverse=True) == [faults[name] for name in names(Sort.FAULTS)], "most faults first"
    assert names(Sort.MEAN)[:2] == names(Sort.FIRST)[:2]
    assert " SCOUT, tables of 2, 20 blocks: points a deal, sorted by p99 ms" in shown(of=view, sort=Sort.P99)
    assert " SCOUT, tables of 2: points a deal, sorted by p99 ms" in shown(60, of=view, sort=Sort.P99)


def test_the_list_of_faults_says_how_to_see_them_and_escapes_what_players_wrote():
    text = shown(page=Page.FAULTS)

    assert "   #31  rusty  illegal: scout:L9 is \\x1b[31mno place\\x0a of a hand of 3" in text
    assert text.index("#31  rusty") < text.index("#7  void: the worker died"), "the newest first"
    assert " From another terminal, now: referee watch 'results/my cup'" in text
    assert " At any time: referee replay 'results/my cup'#31" in text
    assert "replay" not in shown(of=VIEW._replace(cap=True), page=Page.FAULTS)
    assert " No faults so far." in shown(of=VIEW._replace(latest=()), page=Page.FAULTS)


def test_a_long_list_is_scrolled_and_says_where_it_is():
    view = VIEW._replace(latest=[Fault(n, 0, "exit: it exited with code 7") for n in range(100)])
    view = view._replace(state=State(page=Page.FAULTS))
    first = screen(view, 80, 24)
    last = screen(view._replace(state=State(page=Page.FAULTS, scroll=beyond(view, 80, 24))), 80, 24)

    assert " Esc back  Up/Down lines 1-18 of 104  ? help  q stop" == first[-1]
    assert " Esc back  Up/Down lines 87-104 of 104  ? help  q stop" == last[-1]
    assert "   #99 " in "\n".join(first)
    assert last[-2].startswith("   #0 ")


def test_the_page_of_a_player_has_all_its_figures():
    text = shown(page=Page.PLAYER, chosen=4)

    assert " player rusty" in text
    for game, unit in (("SCAT", "lives lost"), ("SCOUT", "points")):
        figures = text[text.index(f" {game}, tables of 2\n") :]
        assert re.search(rf"^   mean    [+-]\d\.\d{{3}} ±\d\.\d{{3}} {unit} a deal$", figures, re.MULTILINE)
        assert re.search(r"^   rank    (\*|[-\d]+) of 5$", figures, re.MULTILINE)
        assert re.search(r"^   played  160 matches, \d+ deals that count$", figures, re.MULTILINE)
        assert re.search(r"^   places  1\. \d+, 2\. \d+; mean 1\.\d\d, \d+\.\d % first$", figures, re.MULTILINE)
        assert re.search(r"^   faults  illegal \d+$", figures, re.MULTILINE)
        assert re.search(r"^   mcts-200 +\d+\.\d +40  told apart$", figures, re.MULTILINE)
    assert re.search(r"^ its time for an answer: p50 4\.\d ms, p99 4\.\d ms$", text, re.MULTILINE)
    assert "   #31  illegal: scout:L9" in shown(height=60, page=Page.PLAYER, chosen=4)


def test_the_page_of_a_player_in_a_comparison_claims_no_interval():
    text = shown(of=VIEW._replace(cap=True), page=Page.PLAYER, chosen=1)

    assert "lives lost a deal" in text
    assert not re.search("±|rank|told apart", text)


def test_the_page_of_who_has_not_played_yet_says_so():
    view = view_of(plan_of(), 0, state=State(page=Page.PLAYER, chosen=2))

    assert " player greedy" in screen(view, 80, 24)
    assert " its time for an answer: p50 - ms, p99 - ms" in screen(view, 80, 24)


def test_help_names_every_key_and_order():
    text = shown(page=Page.HELP)

    for word in ("q ", "Space", "s ", "f ", "Up Down", "Enter", "Esc", *Sort):
        assert word in text
    assert "not on a cluster" in shown(page=Page.HELP, pausable=False)


# -- what the run obeys


def waits_for(test: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not test():
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.01)


def test_no_job_begins_in_a_pause_and_none_after_a_stop():
    control, begun, release = Control(), [], threading.Event()

    def play(job: str) -> str:
        begun.append(job)
        release.wait(10)
        return f"output of {job}"

    with ThreadPoolExecutor(1) as executor:
        crew = control.heeded_by(Crew(executor, 2, play))
        first = executor.submit(crew.perform, "first")
        waits_for(lambda: control.running == 1)
        control.paused = True
        second = executor.submit(crew.perform, "second")
        release.set()
        assert "output of first" == first.result(10), "what runs is finished"
        time.sleep(0.3)
        assert ["first"] == begun
        assert 0 == control.running
        control.paused = False
        assert "output of second" == second.result(10)
        control.paused = True
        third = executor.submit(crew.perform, "third")
        control.stop()
        assert "" == third.result(10)

    assert ["first", "second"] == begun
    assert control.pausable


def test_the_end_of_a_run_lets_go_whoever_waits():
    control = Control()
    control.paused = True
    with ThreadPoolExecutor(1) as executor:
        waiting = executor.submit(control.heeded_by(Crew(executor, 2, str)).perform, "job")
        control.ended = True
        assert "" == waiting.result(10)


# -- the terminal


class Pty:
    """A terminal that is not ours: `keys` are typed at one end, a keyboard listens at the other."""

    def __init__(self) -> None:
        self.end, other = os.openpty()
        self.stdin = os.fdopen(other)
        self.heard: list[str] = []

    def keyboard(self) -> Keyboard:
        return Keyboard(self.stdin, self.heard.append, lambda: self.heard.append("resumed"))

    def settings(self) -> list[object]:
        return termios.tcgetattr(self.end)

    def hears(self, typed: bytes, *keys: str) -> None:
        self.heard.clear()
        os.write(self.end, typed)
        waits_for(lambda: len(self.heard) >= len(keys))
        assert list(keys) == self.heard


@pytest.fixture
def pty():
    terminal = Pty()
    yield terminal
    terminal.stdin.close()
    os.close(terminal.end)


def test_keys_are_heard_by_their_names(pty):
    with pty.keyboard():
        pty.hears(b"q", "q")
        pty.hears(b"\r", "enter")
        pty.hears(b" ?", "space", "?")
        pty.hears(b"\x1b[A\x1b[B\x1bOA", "up", "down", "up")
        pty.hears(b"\x1b[5~\x1b[6~", "pageup", "pagedown")
        pty.hears(b"\x1b", "escape")
        pty.hears("é\x1b[".encode(), "é")
        pty.hears(b"Aj", "up", "j")


def test_the_settings_of_the_terminal_are_put_back_whatever_happens(pty):
    before = pty.settings()
    with pytest.raises(KeyboardInterrupt), pty.keyboard():
        held = pty.settings()
        assert not held[3] & (termios.ECHO | termios.ICANON)
        assert held[3] & termios.ISIG, "Ctrl-C is still a signal"
        raise KeyboardInterrupt

    assert before == pty.settings()
    assert signal.SIG_DFL == signal.getsignal(signal.SIGTSTP) == signal.getsignal(signal.SIGCONT)


def test_a_continued_process_takes_the_terminal_again_and_says_so(pty):
    before = pty.settings()
    with pty.keyboard():
        termios.tcsetattr(pty.end, termios.TCSANOW, before)  # as a shell does when it hears that its job was stopped
        signal.raise_signal(signal.SIGCONT)
        assert ["resumed"] == pty.heard
        assert not pty.settings()[3] & termios.ECHO
    assert before == pty.settings()


# -- a run in a terminal

PAUSE = "PAUSED, Space goes on. No job begins; none runs."


def counted(text: str) -> int:
    """How many matches the screen says are done; -1 when it says nothing."""
    found = re.search(r"^ ([\d,]+) of [\d,]+ matches", text, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else -1


class Run(Terminal):
    """A run in a terminal whose settings are looked at from the other end; then `over CODE` and a wait for Enter."""

    def __init__(
        self, home: Path, *words: object, shell: str = "", size: tuple[int, int] = (80, 24), more: str = ""
    ) -> None:
        command = f"{sys.executable} -m referee " + " ".join(map(str, words))
        super().__init__(
            home,
            size=size,
            program=shell or f"trap : INT; cd {ROOT}; {command} --out {home}/run {more}; echo over $?; read wait",
        )
        self.before = self.settings()

    def settings(self) -> list[object]:
        return termios.tcgetattr(self.child.child_fd)

    def listens(self) -> None:
        """Wait until keys are read: the first ones may find the parser still being loaded, but are not lost."""
        self.until(lambda text: counted(text) > 0 and "s sort" in text)
        assert not self.settings()[3] & termios.ECHO

    def is_over(self, code: int) -> str:
        text = self.until(f"over {code}")
        assert self.before == self.settings()
        assert not self.screen.cursor.hidden
        return text


TOURNAMENT = ("tournament", "scat_random", "scat_greedy", "--blocks", 2000, "--jobs", 1)


def in_a_terminal(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that spawns programs and drives a terminal."""
    return pytest.mark.process(pytest.mark.screen(test))


@in_a_terminal
def test_q_finishes_what_runs_and_says_how_to_resume(tmp_path):
    with Run(tmp_path, *TOURNAMENT) as run:
        run.listens()
        run.press("q", "q", "q")
        text = run.is_over(130)

    assert "finishing the matches that run" in text
    assert re.search(rf"Stopped at \d+ of 4,000 matches\. Resume with: referee resume {tmp_path}/run", joined(text))
    assert "PAUSED" not in text
    assert "s sort" not in text, "there are no keys any more"


def joined(text: str) -> str:
    """The screen without the line ends that a narrow terminal makes."""
    return text.replace("\n", "")


@in_a_terminal
def test_space_pauses_the_run_and_lets_it_go_on(tmp_path):
    with Run(tmp_path, *TOURNAMENT) as run:
        run.listens()
        run.press("space")
        stands = counted(run.until(PAUSE))
        for _ in range(20):
            run.read(0.1)
        assert stands == counted(run.text())
        run.press("space")
        run.until(lambda text: counted(text) > stands and "PAUSED" not in text)
        run.press("space")
        run.until(PAUSE)
        run.press("q")
        assert "Resume with: " in joined(run.is_over(130))


@in_a_terminal
def test_pages_open_and_close(tmp_path):
    faulty = ROOT / "tests" / "players" / "exits_mid_game.py"
    with Run(tmp_path, "tournament", faulty, "scat_greedy", "--blocks", 2000, "--jobs", 1) as run:
        run.listens()
        run.press("j")
        run.until(" >scat_greedy")
        run.press("j")
        run.until(lambda text: re.search(r" >exits_mid_", text))
        run.press("enter")
        run.until(" player exits_mid_game")
        run.until("against")
        run.press("escape", "escape")
        run.until(lambda text: "s sort" in text and ">" not in text)
        run.press("f")
        run.until("; the newest first")
        run.until(lambda text: f"referee watch {tmp_path}/run"[:60] in joined(text).replace("   ", ""))
        run.press("?")
        run.until("the list of faults, and how")
        run.press("escape")
        run.until("; the newest first")
        run.press("f", "s")
        run.until("sorted by name")
        run.press("down", "down", "down")
        run.until(" >scat_greedy")
        run.resize(60, 16)
        run.until(lambda text: text.rstrip().endswith(" q stop  Space pause  s sort  f faults  Enter  ? help"))
        run.press("q")
        run.is_over(130)


@in_a_terminal
@pytest.mark.slow
def test_the_keys_of_a_comparison_are_the_same(tmp_path):
    words = ("compare", "one=scat_random", "two=scat_random", "--game", "scat", "--blocks", 20_000, "--jobs", 1)
    with Run(tmp_path, *words) as run:
        run.listens()
        run.press("enter")
        assert "±" not in run.until("against")
        run.press("escape", "s")
        run.until("sorted by name")
        run.press("space")
        run.until(PAUSE)
        run.press("q")
        run.is_over(130)


@in_a_terminal
@pytest.mark.parametrize("paused", [pytest.param(False, marks=pytest.mark.slow), True])
def test_ctrl_c_twice_stops_at_once(tmp_path, paused):
    with Run(tmp_path, *TOURNAMENT) as run:
        run.listens()
        if paused:
            run.press("space")
            run.until("PAUSED")
        run.press("c-c", "c-c")
        assert "Resume with: " in joined(run.is_over(130))


@in_a_terminal
@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("SIGTERM", 130),
        pytest.param("SIGHUP", 130, marks=pytest.mark.slow),
        pytest.param("SIGQUIT", 131, marks=pytest.mark.slow),
    ],
)
def test_a_signal_that_ends_the_run_leaves_the_terminal_as_it_was(tmp_path, number, code):
    with Run(tmp_path, *TOURNAMENT) as run:
        run.listens()
        (coordinator,) = children(run.child.pid)
        os.kill(coordinator, getattr(signal, number))
        run.is_over(code)


@in_a_terminal
def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again(tmp_path):
    shell = f"cd {ROOT}; export PS1='$ '; exec bash --norc --noprofile --noediting -i"
    with Run(tmp_path, shell=shell) as run:
        run.until("$")
        before = run.settings()
        run.press(f"{sys.executable} -m referee {' '.join(map(str, TOURNAMENT))} --out {tmp_path}/run\n")
        run.listens()
        run.press("\x1a")
        run.until("Stopped")
        assert before == run.settings()
        run.press("stty -a\n")
        assert " icanon" in run.until("isig")
        run.press("bg\n")
        run.press("sleep 2; echo he''ard; jobs\n")
        run.until("heard")
        assert "--blocks 2000" in run.until("Running").splitlines()[-3], "nothing is painted over what the shell shows"
        assert before == run.settings()
        run.press("fg\n")
        run.until(lambda text: text.count("matches ") > 1 and "s sort" in text.splitlines()[-1])
        waits_for(lambda: not run.settings()[3] & termios.ECHO)
        assert "heard" in run.text(), "what the shell has shown meanwhile stays"
        run.press("q")
        run.until("Resume with: ")
        run.press("echo o''ver\n")
        run.until("over")
        assert before == run.settings()


@in_a_terminal
def test_without_a_terminal_for_input_only_ctrl_c_is_named_and_nothing_is_set(tmp_path):
    with Run(tmp_path, *TOURNAMENT, more="< /dev/null") as run:
        run.until(lambda text: counted(text) > 0 and "Ctrl-C stops when what runs is finished" in text)
        assert run.before == run.settings()
        assert "sorted by" not in run.text()
        run.press("c-c", "c-c")
        run.is_over(130)


PROBE = f"""import os, sys
seen = [os.isatty(fd) for fd in range(3)]
try:
    seen.append(bool(os.open("/dev/tty", os.O_RDWR)))
except OSError:
    seen.append(False)
open(__file__ + ".seen", "w").write(repr((seen, os.getsid(0) == os.getpid())))
os.execv(sys.executable, [sys.executable, {str(ROOT / "clients" / "scat_random.py")!r}])
"""


@in_a_terminal
def test_neither_players_nor_workers_have_the_terminal(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text(PROBE)
    with Run(tmp_path, "tournament", probe, "scat_greedy", "--game", "scat", "--blocks", 2000, "--jobs", 1) as run:
        run.listens()
        (coordinator,) = children(run.child.pid)
        waits_for(lambda: children(coordinator))
        for worker in children(coordinator):
            assert os.getsid(worker) == worker
            assert "pipe:" in os.readlink(f"/proc/{worker}/fd/0")
        run.press("q")
        run.is_over(130)

    assert "([False, False, False, False], True)" == (tmp_path / "probe.py.seen").read_text()
