"""The catalogue of what hostile and faulty players do: for each behaviour the tests that show what the referee does.

A name is `file::test`, where the file lies in tests/ and, with `[words]`, the words must stand in that file: a player,
a case. A sentence instead says why there is nothing to show. Behaviours that had no test elsewhere have one here.
"""

import ast
import functools
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.match import Answer
from referee.process import CannotStart, Command, Table
from referee.report import tables
from referee.store import DATABASE
from referee.wire import Fault, safe
from referee.worker import _evidence

from .conftest import Bench

TESTS = Path(__file__).parents[1]
FAULT = "process/test_players.py::test_a_fault_is_named_in_time_and_its_player_is_gone"
HONEST = "process/test_players.py::test_an_honest_player_is_left_in_peace_and_leaves_nothing"
ATTACK = "process/test_attacks.py::test_an_attack_works_where_the_matrix_says_so_and_nowhere_else"
WIRE = "test_wire.py::test_a_message_read_byte_by_byte"
START = "process/test_start.py::test_each_cause_has_its_own_sentence"
HERE = "process/test_catalogue.py::"
PAGE = "test_report.py::test_what_players_wrote_is_only_ever_text"

# number: (behaviour, tests or the reason why there are none)
CATALOGUE: dict[int, tuple[str, *tuple[str, ...]]] = {
    # -- pipes and lines
    1: (
        "never reads a long request",
        "process/test_players.py::test_a_player_that_does_not_read_a_long_request_is_blocked",
        "process/test_players.py::test_a_live_player_that_never_reads_is_blocked",
    ),
    2: ("never reads a short request", f"{FAULT}[never_reads]"),
    3: (
        "pipes are small on a busy system",
        "process/test_players.py::test_a_long_request_reaches_a_player_that_reads",
        f"{HERE}test_an_honest_player_may_do_with_its_process_what_it_likes[bends_its_pipes]",
    ),
    4: ("answers before the request is whole", f"{FAULT}[answers_early]"),
    5: ("floods with lines", f"{FAULT}[floods_lines]"),
    6: ("floods without a line end", f"{FAULT}[floods_no_newline]"),
    7: ("one line of 10 MB", f"{FAULT}[long_line]", "test_wire.py::test_a_channel_holds_no_more_than_a_line"),
    8: (
        "floods standard error",
        f"{FAULT}[floods_stderr]",
        "process/test_players.py::test_a_flood_on_standard_error_is_not_read_for_ever",
    ),
    9: ("a megabyte of standard error a move", f"{HONEST}[chatty_stderr]"),
    10: ("half a line, then silence", f"{FAULT}[half_line]"),
    11: ("a byte at a time for ever", f"{FAULT}[slow_drip]"),
    12: (
        "a comment at a time for ever",
        f"{FAULT}[comment_drip]",
        f"{FAULT}[floods_comments]",
        "process/test_fair_clock.py::test_a_player_that_drips_comments_is_late_at_its_limit_and_the_grace",
    ),
    13: ("does not flush", f"{FAULT}[no_flush]"),
    14: ("closes standard output and lives", f"{FAULT}[closes_stdout]"),
    15: ("closes standard input and lives", f"{FAULT}[closes_stdin]"),
    16: ("closes standard error", f"{HONEST}[closes_stderr]"),
    17: ("answers unasked", f"{FAULT}[empty_line]"),
    18: ("all answers in advance", f"{FAULT}[answers_early]"),
    19: (
        "two answers to one request",
        f"{FAULT}[answers_twice]",
        "process/test_players.py::test_an_answer_after_the_answer_is_seen_before_the_next_request",
    ),
    20: ("a stale answer", f"{FAULT}[stale_id]"),
    21: (
        "bends its ends of the pipes, looks for a terminal",
        f"{HERE}test_an_honest_player_may_do_with_its_process_what_it_likes[bends_its_pipes]",
    ),
    22: ("a grandchild answers", f"{HONEST}[grandchild_answers]"),
    23: ("answers, then exits", f"{FAULT}[last_gasp]"),
    24: ("talks when all is over", f"{HERE}test_talk_after_bye_is_read_to_a_bound_and_no_fault"),
    # -- bytes and text
    25: ("no UTF-8", f"{FAULT}[bad_utf8]"),
    26: ("NUL bytes", f"{FAULT}[nul_byte]"),
    27: ("byte order mark, UTF-16", f"{FAULT}[bom]", f"{FAULT}[utf16]"),
    28: ("CR LF", f"{HONEST}[crlf]"),
    29: ("CR alone ends a line", f"{FAULT}[lone_cr]"),
    30: ("CR inside a line", f"{WIRE}[carriage return inside a line]"),
    31: ("other line ends of Unicode", f"{WIRE}[U+2028, a line end to str.splitlines]"),
    32: ("digits of other scripts", f"{FAULT}[unicode_digits]", f"{WIRE}[Arabic-Indic digit seven]"),
    33: ("numbers spelled otherwise", f"{FAULT}[padded_id]", f"{WIRE}[the id is a whole number in plain digits]"),
    34: ("a number of thousands of digits", f'{WIRE}[b"9" * 900]', f"{WIRE}[MAX_LINE_IN]"),
    35: ("blanks and tabs around", f"{WIRE}[a tab]", f"{WIRE}[move 7 stock   ]"),
    36: ("NaN and infinity", f"{WIRE}[7e0]"),
    37: ("an empty line", f"{WIRE}[an empty line]", f"{FAULT}[empty_line]"),
    38: ("terminal escapes on standard output", f"{FAULT}[ansi]"),
    39: ("terminal escapes on standard error", f"{HERE}test_last_words_reach_nobodys_terminal_raw"),
    40: ("8-bit terminal escapes", f"{WIRE}[x9b31mmove]"),
    41: ("text that JSON cannot hold", f"{HERE}test_whatever_a_player_wrote_can_be_stored_and_shown"),
    # -- the life of the process
    42: ("exits with 0", f"{HERE}test_how_it_ended_is_said[exits_in_peace]"),
    43: ("exits with another code", f"{FAULT}[exits_mid_game]"),
    44: ("crashes", f"{FAULT}[crashes_sigsegv]"),
    45: ("aborts", f"{HERE}test_how_it_ended_is_said[aborts]"),
    46: ("ends in a traceback", f"{FAULT}[raises]"),
    47: ("stops itself", f"{FAULT}[stops_itself]"),
    48: (
        "ignores signals",
        f"{HONEST}[ignores_sigterm]",
        "process/test_players.py::test_bye_takes_half_a_second_at_most_for_all_together",
    ),
    49: ("kills its process group", f"{FAULT}[kills_its_group]"),
    50: ("exits while a grandchild holds the pipe", f"{FAULT}[grandchild_holds_pipe]"),
    51: ("leaves a daemon", f"{HONEST}[double_fork_daemon]", f"{ATTACK}[outlives_itself]"),
    52: ("a daemon that is never the same process", f"{HONEST}[hydra]"),
    53: (
        "leaves its session",
        f"{HERE}test_an_honest_player_may_do_with_its_process_what_it_likes[leaves_its_session]",
    ),
    54: ("forks without end", f"{ATTACK}[forks_without_end]"),
    55: (
        "leaves dead children",
        f"{HERE}test_an_honest_player_may_do_with_its_process_what_it_likes[makes_zombies]",
        "process/test_players.py::test_dead_orphans_do_not_pile_up",
    ),
    56: (
        "lives when the referee is killed",
        "process/test_workers.py::test_a_coordinator_that_is_killed_takes_workers_and_players_with_it",
        "process/test_workers.py::test_a_worker_that_is_killed_takes_its_players_with_it",
    ),
    57: (
        "is killed with the thread that started it",
        f"{HERE}test_a_table_belongs_to_the_main_thread",
    ),
    58: ("its pid is used again", f"{HERE}test_the_number_of_a_dead_player_stays_taken_until_its_group_is_killed"),
    59: (
        "keeps state between matches",
        "test_tournament.py::test_fresh_players_give_the_same_bytes_as_kept_ones",
        f"{ATTACK}[writes_its_folder]",
        f"{ATTACK}[writes_shm]",
    ),
    # -- resources
    60: ("takes memory without end", f"{ATTACK}[grabs_memory]", f"{ATTACK}[grabs_shared_memory]"),
    61: ("writes a file without end", f"{FAULT}[fills_the_disk]"),
    62: ("fills shared memory", f"{ATTACK}[writes_shm]"),
    63: ("opens files without end", f"{HERE}test_a_player_has_files_to_a_bound"),
    64: (
        "the referee has no descriptors left",
        "process/test_start.py::test_the_referees_own_want_is_no_fault_of_the_player",
    ),
    65: ("dumps core", "process/test_confine.py::test_a_player_has_small_limits_and_gains_no_privileges"),
    66: (
        "the disk is full",
        "test_under_fire.py::test_a_full_disk_stops_the_run_with_its_code_and_costs_nothing_that_was_announced",
    ),
    # -- time
    67: ("hangs", f"{FAULT}[sleeps]"),
    68: ("computes for ever", f"{FAULT}[spins]"),
    69: (
        "is late by little",
        "process/test_players.py::test_an_answer_within_the_grace_counts_and_shows_its_overrun",
        "process/test_fair_clock.py::test_with_strikes_the_grace_is_free_and_what_is_later_costs_one_and_is_not_played",
    ),
    70: ("starts slowly", "process/test_players.py::test_a_player_that_does_not_greet"),
    71: ("never greets", "process/test_players.py::test_a_player_that_does_not_greet[silent_at_start]"),
    72: (
        "thinks while others move",
        "process/test_fair_clock.py::test_a_player_that_rests_uses_no_cpu_while_others_move_nor_do_its_helpers",
        "process/test_fair_clock.py::test_a_player_that_may_ponder_uses_cpu_while_others_move_and_it_is_known_how_much",
    ),
    73: (
        "burns all the time it has",
        "process/test_clock.py::test_the_hard_cap_holds_whatever_the_machine_does",
        "test_match.py::test_the_bank_pays_for_what_exceeds_the_move_time_and_the_increment_refills_it",
    ),
    74: (
        "the machine is suspended",
        "process/test_fair_clock.py::test_a_suspended_machine_spoils_the_match_at_hand_and_not_the_next",
        "process/test_fair_clock.py::test_a_spoiled_match_is_played_again_by_fresh_processes",
    ),
    # -- attacks
    75: ("reads the referee's environment", f"{ATTACK}[reads_referee_environ]"),
    76: ("reads the referee's memory", f"{ATTACK}[reads_referee_memory]"),
    77: ("reads its opponent's memory", f"{ATTACK}[reads_opponent_memory]"),
    78: ("process_vm_readv", f"{ATTACK}[vm_reads_opponent]"),
    79: ("ptrace", f"{ATTACK}[traces_opponent]"),
    80: ("opens its opponent's pipes", f"{ATTACK}[forges_answers]", f"{ATTACK}[overhears_opponent]"),
    81: ("reads the seed's file", f"{ATTACK}[reads_the_seed]"),
    82: ("alters the results", f"{ATTACK}[alters_results]"),
    83: ("writes where others read", f"{ATTACK}[writes_its_folder]", f"{ATTACK}[writes_tmp]", f"{ATTACK}[writes_shm]"),
    84: ("TCP", f"{ATTACK}[connects_tcp]"),
    85: ("UDP", f"{ATTACK}[sends_udp]"),
    86: ("abstract sockets", f"{ATTACK}[meets_in_the_abstract]", f"{ATTACK}[meets_at_a_socket]"),
    87: ("pins its opponent to a CPU", f"{ATTACK}[pins_opponent]"),
    88: ("renices its opponent", f"{ATTACK}[renices_opponent]"),
    89: ("limits its opponent", f"{ATTACK}[limits_opponent]"),
    90: ("stops or kills its opponent", f"{ATTACK}[stops_opponent]", f"{ATTACK}[kills_opponent]"),
    91: ("signals the referee", f"{ATTACK}[signals_referee]"),
    92: ("kills all it may", f"{ATTACK}[kills_everybody]"),
    93: (
        "finds descriptors of the referee's",
        f"{ATTACK}[inherits_descriptors]",
        f"{ATTACK}[reads_referee_files]",
        "process/test_confine.py::test_a_player_lives_in_a_session_of_its_own_with_three_descriptors",
    ),
    94: (
        "finds a seed in its environment",
        "process/test_confine.py::test_a_player_gets_no_variable_that_was_not_meant_for_it",
    ),
    95: ("finds a seed on a command line", f"{ATTACK}[reads_referee_cmdline]"),
    96: (
        "goes for the kernel",
        f"{ATTACK}[unshares]",
        f"{ATTACK}[uses_io_uring]",
        f"{ATTACK}[uses_keyring]",
        "process/test_sandbox.py::test_the_filter_denies_what_it_names_and_nothing_else",
    ),
    97: ("signals by locks and shared memory", f"{ATTACK}[locks_a_shared_file]", f"{ATTACK}[shares_memory]"),
    98: ("types into the terminal", f"{ATTACK}[types_into_terminal]", f"{ATTACK}[prints_on_terminal]"),
    99: (
        "kills the worker when it is losing",
        f"{ATTACK}[signals_referee]",
        "test_tournament.py::test_a_killed_worker_costs_nothing_but_time",
    ),
    100: ("reads its opponent's program", f"{ATTACK}[reads_opponents_program]"),
    101: ("writes into its opponent's folder", f"{ATTACK}[writes_opponents_folder]"),
    102: (
        "links the results into its folder",
        f"{ATTACK}[links_results]",
        "process/test_sandbox.py::test_the_run_directory_is_closed_even_inside_a_players_folder",
    ),
    103: (
        "replaces its program",
        f"{ATTACK}[replaces_itself]",
        "test_under_fire.py::test_a_program_that_is_replaced_while_the_run_goes_on_is_noticed",
    ),
    # -- players that cannot start
    104: ("missing file", f"{START}[missing file]"),
    105: ("not executable", f"{START}[not executable]"),
    106: ("a folder", f"{START}[folder]", "test_launch.py::test_folder_without_run_is_no_player"),
    107: ("a circle of links", f"{START}[circle of links]"),
    108: ("missing interpreter", f"{START}[missing interpreter]"),
    109: ("Windows line ends", f"{START}[Windows line ends]"),
    110: ("text without a first line", f"{START}[no first line]"),
    111: ("a truncated program", f"{START}[truncated program]"),
    112: ("an empty file", f"{START}[empty file]"),
    113: ("another machine's program", f"{START}[other machine]"),
    114: ("NUL in the path", f"{START}[NUL in the path]"),
    115: ("a path that is too long", f"{START}[long path]"),
    116: ("a name that is not on PATH", f"{START}[name not on PATH]"),
    117: ("a FIFO", f"{START}[FIFO]", "test_launch.py::test_pipe_and_dangling_link_are_never_opened"),
    118: ("blanks in the path", "process/test_start.py::test_blanks_in_a_path_and_a_relative_program_work"),
    119: ("a relative path", "process/test_start.py::test_blanks_in_a_path_and_a_relative_program_work"),
    120: ("the same command twice", "test_launch.py::test_same_word_twice_is_numbered"),
    121: ("dies at once", "process/test_players.py::test_a_player_that_does_not_greet[exits_at_start]"),
    122: ("lies where nothing may be executed", f"{HERE}test_a_program_on_a_noexec_file_system_is_told_so"),
    123: ("too many arguments", "process/test_start.py::test_arguments_that_are_too_long"),
    # -- names and reports
    124: ("a path as its name", "test_launch.py::test_bad_name_is_refused", f"{HERE}test_no_name_is_a_path[../../x]"),
    125: (
        "a device of Windows as its name",
        "Names are never used for files: those of a run directory are fixed, and Windows is not supported.",
    ),
    126: ("names that differ in case", "test_launch.py::test_names_are_told_apart_whatever_the_case"),
    127: ("markup in what it says", f"{PAGE}[</script><script>]"),
    128: ("a formula in what it says", f"{HERE}test_no_cell_of_a_table_is_a_formula"),
    129: (
        "orders to a terminal, text that runs backwards",
        "test_wire.py::test_safe_is_printable_ascii_and_changes_no_such_text",
        f"{HERE}test_last_words_reach_nobodys_terminal_raw",
    ),
    130: (
        "a name that is empty or long or a dot",
        "test_launch.py::test_bad_name_is_refused",
        "test_launch.py::test_long_names_stay_within_32_letters",
    ),
    131: ("templates in what it says", f"{PAGE}[{{{{ 7*7 }}}}]"),
    132: ("the same name twice", "test_launch.py::test_same_word_twice_is_numbered"),
}

WORDS = "ms=1000 deal=0"
LONG = 20_000


@functools.cache
def _tests_of(file: str) -> tuple[set[str], str]:
    text = (TESTS / file).read_text()
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}, text


def missing(name: str) -> str:
    """Return what is wrong with the name of a test; "" when it is there."""
    found = re.fullmatch(r"([\w/]+\.py)::(\w+)(?:\[(.*)\])?", name, re.DOTALL)
    if not found:
        return "" if name.endswith(".") and " " in name else f"{name!r} is neither a test nor a sentence"
    file, test, words = found.groups()
    if not (TESTS / file).exists():
        return f"there is no file {file}"
    tests, text = _tests_of(file)
    if test not in tests:
        return f"there is no test {test} in {file}"
    if words and words not in text:
        return f"{words!r} is not in {file}"
    if words and re.fullmatch(r"[a-z_]+_[a-z_]+", words) and not (TESTS / "players" / f"{words}.py").exists():
        return f"there is no player {words}"
    return ""


def test_every_behaviour_of_the_catalogue_is_covered(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [
        f"{number}: {wrong}" for number, (_, *names) in CATALOGUE.items() for wrong in map(missing, names) if wrong
    ]
    without = [number for number, (_, *names) in CATALOGUE.items() if all("::" not in name for name in names)]
    applicable = len(CATALOGUE) - len(without)
    covered = applicable - len({problem.partition(":")[0] for problem in problems})
    with capsys.disabled():
        print(f"\ncatalogue: {covered} of {applicable} applicable behaviours covered", end=" ")

    assert list(range(1, 133)) == list(CATALOGUE)
    assert [] == problems
    assert [125] == without


def test_what_is_not_there_is_noticed() -> None:
    assert "there is no file" in missing("test_nothing.py::test_x")
    assert "there is no test" in missing("test_wire.py::test_x")
    assert "is not in" in missing(f"{FAULT}[no such words]")
    assert "neither a test nor a sentence" in missing("nothing")


# -- what had no test elsewhere


@pytest.mark.parametrize("player", ["bends_its_pipes", "leaves_its_session", "makes_zombies"])
def test_an_honest_player_may_do_with_its_process_what_it_likes(bench: Bench, player: str) -> None:
    process = bench.greeted(player)

    for _ in range(3):
        answer = process.ask(WORDS, lambda: "a,b", LONG, 0)
        assert isinstance(answer, Answer) and answer.action == "a", answer
    process.bye()

    assert not process.alive()


def test_talk_after_bye_is_read_to_a_bound_and_no_fault(bench: Bench) -> None:
    process = bench.greeted("talks_after_bye")
    assert isinstance(process.ask(WORDS, lambda: "a", LONG, 0), Answer)

    start = time.monotonic()
    process.bye()

    assert time.monotonic() - start < 3
    assert not process.alive()
    assert process._discarded < 4 * 65536


@pytest.mark.parametrize(
    ("player", "code", "text"),
    [("exits_in_peace", "exit", "it exited with code 0"), ("aborts", "signal", "it was ended by SIGABRT")],
)
def test_how_it_ended_is_said(bench: Bench, player: str, code: str, text: str) -> None:
    fault = bench.greeted(player).ask(WORDS, lambda: "a", LONG, 0)

    assert isinstance(fault, Fault) and code == fault.code, fault
    assert text in fault.text


def test_last_words_reach_nobodys_terminal_raw(bench: Bench) -> None:
    """They are kept as they came, and shown escaped: in the sentence, on the wire, in the report."""
    process = bench.greeted("paints_its_last_words")

    fault = process.ask(WORDS, lambda: "a", LONG, 0)
    process.kill()

    assert isinstance(fault, Fault)
    assert b"\x1b[2J" in process.stderr_head
    assert "\\x1b[2J" in fault.text
    assert fault.text == safe(fault.text)


def test_whatever_a_player_wrote_can_be_stored_and_shown(bench: Bench) -> None:
    """All of it is ASCII or Latin-1 by then: no half of a surrogate pair can stop the writing of results."""
    process = bench.greeted("bad_utf8")
    process.ask(WORDS, lambda: "a", LONG, 0)
    process.stderr_head = bytes(range(256)) + b"\xed\xa0\x80"

    evidence = _evidence(process)

    assert evidence == json.loads(json.dumps(evidence, ensure_ascii=False).encode().decode())
    assert "\\xff" in evidence["heard"]


def test_the_number_of_a_dead_player_stays_taken_until_its_group_is_killed(bench: Bench) -> None:
    process = bench.greeted("exits_in_peace")
    process.ask(WORDS, lambda: "a", LONG, 0)

    assert not process.alive()
    os.kill(process.pid, 0)  # dead, and not reaped: nobody else can have its number
    process.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_a_table_belongs_to_the_main_thread() -> None:
    """Players die with the thread that started them: one that ends before the process would take them along."""
    raised: list[BaseException] = []

    def sit_down() -> None:
        try:
            Table().__enter__()
        except ValueError as error:
            raised.append(error)

    thread = threading.Thread(target=sit_down)
    thread.start()
    thread.join()

    assert len(raised) == 1


def test_a_player_has_files_to_a_bound(bench: Bench) -> None:
    process = bench.greeted("opens_files_without_end")

    assert isinstance(process.ask(WORDS, lambda: "a", LONG, 0), Answer)
    process.kill()

    assert b"opened 253\n" == process.stderr_head


def noexec_folders() -> Iterator[str]:
    for folder in ("/dev/shm", "/run", "/run/lock", "/tmp", "/var/tmp"):
        if os.access(folder, os.W_OK) and os.statvfs(folder).f_flag & os.ST_NOEXEC:
            yield folder


def test_a_program_on_a_noexec_file_system_is_told_so(bench: Bench) -> None:
    folder = next(noexec_folders(), None)
    if folder is None:
        pytest.skip("No file system here is writable and mounted noexec.")
    path = Path(folder, f"referee-test-{os.getpid()}")
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)

    try:
        with pytest.raises(CannotStart, match="mounted noexec; move it elsewhere"):
            bench.table.start(Command((str(path),), "/"), "player")
    finally:
        path.unlink()


@pytest.mark.parametrize("name", ["../../x", "..\\x", "a/b", "/etc/passwd", "."])
def test_no_name_is_a_path(name: str) -> None:
    from referee.launch import NAME, fit

    assert not NAME.fullmatch(name)
    assert NAME.fullmatch(fit(name))
    assert DATABASE == Path(DATABASE).name  # the files of a run are named here, not by players


@pytest.mark.parametrize("text", ["=HYPERLINK()", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_a_table_is_a_formula(text: str) -> None:
    assert str(tables._cell(text))[0] not in "=+-@\t\r\n"
