"""What a player's word means: the order of the table, names, and the sentences for what gives no player."""

import os
import sys
from pathlib import Path

import pytest

from referee import launch
from referee.launch import NAME, LaunchError, NotAPlayer, NotStarted, languages, resolve, resolve_all


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """An empty current folder, with a blank in its name, and a cache of its own."""
    folder = tmp_path / "my bots"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def clients(tmp_path, monkeypatch) -> Path:
    """A folder of built-in players."""
    folder = tmp_path / "clients"
    folder.mkdir()
    (folder / "scat_greedy.py").write_text('"""Takes what helps most."""\n')
    (folder / "scout_rusty.py").write_text('# a comment\n"""Shows the longest.\n\nMore."""\n')
    (folder / "kit.py").write_text("")
    monkeypatch.setattr(launch, "data_folder", lambda name: tmp_path / name)
    return folder


def put(name: str, text: str = "", mode: int = 0o644) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path.absolute()


def only(directory: Path, monkeypatch, *programs: str) -> None:
    """Make PATH a folder with nothing but these programs, which do nothing."""
    directory.mkdir()
    for program in programs:
        put(str(directory / program), "#!/bin/sh\n", 0o755)
    monkeypatch.setenv("PATH", str(directory))


def sentence(word: str, **arguments) -> str:
    with pytest.raises(LaunchError) as caught:
        resolve(word, **arguments)
    text = str(caught.value)
    assert text.replace("\n", "").isascii() and text.replace("\n", "").isprintable()
    return text


# -- what a word may be, in order


def test_configured_player_comes_before_a_built_in_one(clients):
    config = {"players": {"scat_greedy": {"cmd": ["sh", "-c", "true"], "games": ["scat"]}}}

    player = resolve("scat_greedy", config=config)

    assert player.command.argv[1:] == ("-c", "true")
    assert player.games == ("scat",)


def test_built_in_player_comes_before_a_file_of_its_name(clients):
    put("scat_greedy", "#!/bin/sh\n", 0o755)

    player = resolve("scat_greedy")

    assert player.command == ((sys.executable, str(clients / "scat_greedy.py")), str(clients), {})
    assert player.games == ("scat",)


def test_built_in_players_have_captions(clients):
    assert launch.builtin_players() == [
        ("scat_greedy", "Takes what helps most."),
        ("scout_rusty", "Shows the longest."),
    ]


@pytest.mark.parametrize("word", ["stdio", "human"])
def test_marker_comes_back_as_a_marker(word):
    put(word, "#!/bin/sh\n", 0o755)

    player = resolve(word)

    assert (player.name, player.source, player.command.argv) == (word, word, ())
    assert resolve(f"me={word}").name == "me"
    assert resolve(f"./{word}").source != word


def test_executable_runs_in_its_own_folder_under_its_absolute_path(here):
    path = put("deep/er/bot", "#!/bin/sh\n", 0o755)

    player = resolve("deep/er/bot")

    assert player.command == ((str(path),), str(path.parent), {})
    assert player.name == "bot"
    assert player.games is None


def test_folder_with_an_executable_run_is_a_player():
    run = put("mine/run", "#!/bin/sh\n", 0o755)

    assert resolve("mine").command == ((str(run),), str(run.parent), {})
    assert resolve("mine/").name == "mine"


def test_folder_without_run_is_no_player():
    put("mine/bot.py")

    with pytest.raises(NotAPlayer, match="folder without an executable `run`"):
        resolve("mine")


def test_folder_whose_run_is_not_executable_is_a_player_that_cannot_start():
    put("mine/run", "#!/bin/sh\n")

    with pytest.raises(NotStarted, match=r"mine/run is not executable; chmod \+x"):
        resolve("mine")


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_table_is_asked_before_the_executable_bit(mode):
    path = put("bot.py", "#!/no/such/interpreter\n", mode)

    argv = resolve("bot.py").command.argv

    assert os.path.basename(argv[0]).startswith("python")
    assert argv[1:] == (str(path),)


def test_extension_is_known_in_capitals_too():
    put("BOT.PY")

    assert resolve("./BOT.PY").command.argv[1].endswith("BOT.PY")


def test_path_with_a_blank_is_a_path_before_it_is_a_command():
    path = put("sh -c.py")

    player = resolve("sh -c.py")

    assert player.command.argv[-1] == str(path)
    assert player.name == "sh--c"


def test_command_line_is_split_without_a_shell_and_stays_where_it_was_typed(here):
    put("bot.py")

    player = resolve("python3 -u bot.py '--name=a b' $HOME;true")

    assert os.path.isabs(player.command.argv[0])
    assert player.command.argv[1:] == ("-u", "bot.py", "--name=a b", "$HOME;true")
    assert player.command.cwd == str(here)
    assert player.name == "bot"


def test_command_line_may_begin_with_a_source_file():
    path = put("bots/bot.py")

    argv = resolve("bots/bot.py --depth 3").command.argv

    assert argv[1:] == (str(path), "--depth", "3")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("pythom3 bot.py", "no program 'pythom3' on PATH"),
        ("./none --fast", "no file './none'"),
        ("sh 'bot", "no command line: no closing quotation"),
        ("   ", 'No player "   "'),
        ("", 'No player ""'),
        ("no/such/bot", "no file 'no/such/bot'"),
        ("a\0b", 'No player "a\\x00b"'),
        ("\x1b[31mred", 'No player "\\x1b[31mred"'),
        ("x" * 5000, "A program must be given as a path"),
    ],
)
def test_word_that_names_nothing_is_answered_by_a_sentence(word, said):
    assert said in sentence(word)
    assert resolve_all([word])[1][0].kind == "unknown"


@pytest.mark.parametrize("word", ["gredy", "scat_gredy"])
def test_unknown_word_is_answered_by_the_nearest_player(clients, word):
    assert sentence(word) == (
        f'No player "{word}". Did you mean scat_greedy? A program must be given as a path: ./{word}'
    )


# -- renaming, names


def test_name_can_be_set_in_front_of_any_word():
    put("bot.py")

    assert resolve("old=bot.py").name == "old"
    assert resolve("old=python3 bot.py --x=1").name == "old"
    assert resolve("python3 bot.py --x=1").name == "bot"


@pytest.mark.parametrize("name", ["", "b\u00f6t", "-x", ".x", "a,b", "x" * 33, "<b>", "a\n", "=HYPERLINK()"])
def test_bad_name_is_refused(name):
    put("bot.py")

    assert "cannot be a player's name: a name is 1 to 32" in sentence(f"{name}=bot.py")


def test_file_whose_name_has_an_equals_sign_is_a_file():
    put("a=b.py")

    assert resolve("a=b.py").name == "a-b"
    assert resolve("./a=b.py").name == "a-b"


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("bot.v2", "bot.v2"),
        ("b\u00f6t", "bot"),
        ("-rf", "rf"),
        ("__", "player"),
        ("\u202egpj", "gpj"),
        ("<script>", "script"),
        ("a  b", "a-b"),
        ("x" * 100, "x" * 32),
        ("\U0001f600", "player"),
        ("{{7*7}}%s", "7-7-s"),
    ],
)
def test_name_of_a_file_is_made_fit(stem, name):
    put(f"./{stem}.py")

    assert resolve(f"./{stem}.py").name == name
    assert NAME.fullmatch(name)


def names(*words: str) -> list[str]:
    for word in words:
        path = word.rpartition("=")[2]
        if path not in ("stdio", "human"):
            put(path)
    players, skipped = resolve_all(words)
    assert not skipped
    shown = [player.name for player in players]
    assert len({name.lower() for name in shown}) == len(words)
    assert all(NAME.fullmatch(name) for name in shown)
    return shown


def test_same_word_twice_is_numbered():
    assert names("bot.py", "bot.py", "bot.py") == ["bot", "bot-2", "bot-3"]


def test_number_never_collides_with_a_name():
    assert names("bot.py", "bot.py", "bot-2.py") == ["bot", "bot-3", "bot-2"]


def test_names_are_told_apart_whatever_the_case():
    assert names("human", "a=bot.py", "A=bot.py") == ["human", "a", "A-2"]


def test_languages_tell_files_of_one_stem_apart():
    assert names("bot.py", "bot.pl", "other.py") == ["bot-py", "bot-pl", "other"]


def test_folders_tell_files_of_one_name_apart():
    assert names("v1/bot.py", "v2/bot.py", "v2/bot.py") == ["v1-bot", "v2-bot", "v2-bot-2"]


def test_chosen_name_is_never_the_one_to_give_way():
    assert names("bot.py", "bot=other.py") == ["bot-2", "bot"]


def test_long_names_stay_within_32_letters():
    long = "x" * 40
    assert [len(name) for name in names(f"{long}.py", f"{long}.pl", f"{long}.pl")] == [32, 32, 32]


# -- what is no player


@pytest.mark.parametrize("mode", [0o644, 0o755])
@pytest.mark.parametrize(
    "name", ["README", "README.md", "readme.txt", "Makefile", "book.json", "common.h", "bot.o", "LICENSE", ".hidden.py"]
)
def test_file_that_lies_beside_players_is_skipped_whatever_its_mode(name, mode):
    put(name, "#!/bin/sh\n", mode)

    players, skipped = resolve_all([f"./{name}", "stdio"])

    assert [player.name for player in players] == ["stdio"]
    assert [(skip.word, skip.kind) for skip in skipped] == [(f"./{name}", "not-a-player")]
    assert skipped[0].sentence.endswith("no player.")


def test_file_without_row_bit_and_shebang_is_no_player():
    put("weights", "0.1 0.2\n")

    with pytest.raises(NotAPlayer):
        resolve("weights")


def test_script_without_the_executable_bit_is_a_player_that_cannot_start():
    put("bot", "#!/bin/sh\n")

    with pytest.raises(NotStarted, match=r"bot is not executable; chmod \+x bot"):
        resolve("bot")


def test_pipe_and_dangling_link_are_never_opened(here):
    os.mkfifo("pipe.py")
    os.symlink("nowhere", "link.py")
    os.symlink("loop", "loop")

    kinds = [skip.kind for skip in resolve_all(["pipe.py", "link.py", "loop"])[1]]

    assert kinds == ["not-a-player", "not-started", "not-started"]


# -- languages


def test_missing_interpreter_names_the_package(tmp_path, monkeypatch):
    put("bot.lua")
    put("bot.go")
    only(tmp_path / "bin", monkeypatch)

    skipped = resolve_all(["bot.lua", "bot.go", "tclsh bot.tcl"])[1]

    assert [skip.sentence for skip in skipped] == [
        "lua5.4 is not installed: Debian's package lua5.4 has it (apt-get install lua5.4).",
        "go is not installed: Debian's package golang-go has it (apt-get install golang-go).",
        "tclsh is not installed: Debian's package tcl has it (apt-get install tcl).",
    ]
    assert {skip.kind for skip in skipped} == {"not-started"}


def test_python_is_always_there(tmp_path, monkeypatch):
    put("bot.py")
    only(tmp_path / "bin", monkeypatch)

    assert resolve("bot.py").command.argv[0] == sys.executable


def test_second_tool_serves_when_the_first_is_missing(tmp_path, monkeypatch):
    put("bot.lua")
    only(tmp_path / "bin", monkeypatch, "luajit")

    assert resolve("bot.lua").command.argv[0] == str(tmp_path / "bin/luajit")


def test_shebang_chooses_among_the_tools_of_a_language(tmp_path, monkeypatch):
    put("a.sh", "#!/usr/bin/env bash\n")
    put("b.sh", "#!/bin/true\n")
    put("c.sh", "#!/no/such/zsh\n")
    only(tmp_path / "bin", monkeypatch, "sh", "bash")

    assert resolve("a.sh").command.argv[0] == str(tmp_path / "bin/bash")
    assert resolve("b.sh").command.argv[0] == str(tmp_path / "bin/sh")
    assert "zsh, which the first line of c.sh asks for, is not installed" in sentence("c.sh")


def test_mawk_is_told_not_to_wait_for_a_full_buffer(tmp_path, monkeypatch):
    path = put("bot.awk")
    only(tmp_path / "bin", monkeypatch, "mawk")
    os.symlink(tmp_path / "bin/mawk", tmp_path / "bin/awk")

    assert resolve("bot.awk").command.argv[1:] == ("-W", "interactive", "-f", str(path))

    os.rename(tmp_path / "bin/mawk", tmp_path / "bin/mawk-1.3")
    os.remove(tmp_path / "bin/awk")
    os.symlink(tmp_path / "bin/mawk-1.3", tmp_path / "bin/awk")

    assert resolve("bot.awk").command.argv[1:] == ("-W", "interactive", "-f", str(path))


def test_windows_line_ends_are_named_where_the_tool_trips_over_them():
    put("bot.sh").write_bytes(b"echo hello\r\n")
    put("bot.py").write_bytes(b"print()\r\n")

    assert "bot.sh has Windows line ends (CR LF)" in sentence("bot.sh")
    assert resolve("bot.py").name == "bot"


def test_configuration_adds_and_changes_languages(tmp_path, monkeypatch):
    put("bot.zz")
    put("bot.py")
    only(tmp_path / "bin", monkeypatch, "zed", "pypy3")
    rows = {
        "zed": {"extensions": [".zz"], "tools": ["zed"], "run": ["{tool}", "-x", "{src}", "{odd}"]},
        "python": {"tools": ["pypy3"]},
    }

    zed, python = resolve_all(["bot.zz", "bot.py"], config={"languages": rows})[0]

    assert zed.command.argv == (str(tmp_path / "bin/zed"), "-x", os.path.abspath("bot.zz"), "{odd}")
    assert python.command.argv[0] == str(tmp_path / "bin/pypy3")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"extensions": [".z"], "tools": ["z"]}, "needs run"),
        ({"extensions": [".z"], "tools": ["z"], "run": "z"}, "run cannot be 'z'"),
        ({"extensions": ["z"], "tools": ["z"], "run": ["z"]}, "an extension starts with a dot"),
        ({"extensions": [".z"], "tools": ["z"], "run": ["z"], "biuld": []}, "unknown key 'biuld'"),
        ({"extensions": [".z"], "tools": ["z"], "run": ["z"], "entry": "("}, "entry is no pattern"),
        ({"extensions": [".z"], "tools": ["z"], "run": ["z"], "entry": "x"}, "entry has no group"),
        ("z", "is a table"),
    ],
)
def test_bad_row_is_refused_by_a_sentence(row, said):
    with pytest.raises(LaunchError, match=r"^\[languages\.z\].*" + said.replace("(", r"\(")):
        languages({"z": row})


def test_own_table_is_well_formed():
    table = languages()
    extensions = [extension for language in table for extension in language.extensions]

    assert len(extensions) == len(set(extensions))
    assert len(table) >= 14
    assert all(language.package for language in table)
    assert all(language.version for language in table if language.build)


# -- the configuration


def test_configured_player_may_be_any_word(tmp_path):
    path = put("bots/bot.py")
    rows = {
        "fast": {"cmd": "bots/bot.py", "games": ["scout"], "env": {"DEPTH": "1"}},
        "deep": {"cmd": ["bots/bot.py", "--depth", "9"], "cwd": "bots"},
        "loop": {"cmd": "loop"},
    }

    (fast, deep), (loop,) = resolve_all(["fast", "deep", "loop"], config={"players": rows})

    assert (fast.name, fast.games, fast.command.env) == ("fast", ("scout",), {"DEPTH": "1"})
    assert fast.command.argv[1:] == (str(path),)
    assert deep.command.argv[1:] == (str(path), "--depth", "9")
    assert deep.command.cwd == str(path.parent)
    assert 'No player "loop"' in loop.sentence


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({}, "needs cmd"),
        ({"cmd": []}, "needs cmd"),
        ({"cmd": [1]}, "needs cmd"),
        ("sh", "needs cmd"),
        ({"cmd": "stdio", "games": "scat"}, "games is a list of"),
        ({"cmd": "stdio", "games": ["chess"]}, "games is a list of"),
        ({"cmd": "stdio", "env": {"A": 1}}, "env a table of texts"),
    ],
)
def test_bad_configured_player_is_refused(row, said):
    text = sentence("x", config={"players": {"x": row}})

    assert text.startswith("[players.x]") and said in text
