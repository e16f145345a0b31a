"""Arguments, configuration and saved matches."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from human import config, start, store
from human.model import KEYS, Planned, Settings
from human.scat import Scat
from human.sitting import Sitting, saved_path
from terminal import CLIENT, environment


def words(*argv: str) -> tuple[str, ...]:
    return start.referee_words(start.arguments().parse_args(argv))[0]


def test_levels_name_built_in_players() -> None:
    assert words("scat", "--level", "easy", "--opponents", "2", "--seed", "5") == (
        *("@python", "-m", "referee", "match", "scat", "stdio", "random=scat_random", "random-2=scat_random"),
        *("--no-clock", "--seed", "5"),
    )
    for level in ("easy", "medium", "hard", "best"):
        for game in ("scat", "scout"):
            (player,) = start.level_players(game, level, 1)
            assert (CLIENT.parent / f"{player.partition('=')[2]}.py").exists()


def test_named_opponents_come_first_and_levels_fill_up() -> None:
    made = words("scout", "--vs", "./bot --deep", "--opponents", "2", "--level", "hard", "--move-time", "900")
    assert made[5:8] == ("stdio", "./bot --deep", "planner=scout_planner")
    assert ("--move-time", "900") == made[8:10]
    assert words("scout", "--vs", "a", "--vs", "b", "--set", "turn_cap=9", "--preset", "official")[-4:] == (
        *("--set", "turn_cap=9", "--preset", "official"),
    )


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (("scta",), "Did you mean scat?"),
        (("scout", "--opponents", "5"), "1 to 4 opponents"),
        (("scat", "--opponents", "0"), "1 to 8 opponents"),
        (("--referee", "'unclosed"), "is no command"),
        (("--referee", "x", "--seed", "4"), "give --seed to it"),
        (("scat", "--vs", "human"), "that is you"),
        (("scat", "--vs", "me=stdio"), "that is you"),
        (("scat", "--move-time", "-1"), "not -1"),
    ],
)
def test_wrong_arguments_are_answered_in_sentences(argv: tuple[str, ...], part: str) -> None:
    with pytest.raises(start.Usage) as error:
        words(*argv)
    assert part in str(error.value)


def configured(tmp_path: Path, text: str) -> config.Config:
    folder = tmp_path / "referee"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(text)
    return config.load({"XDG_CONFIG_HOME": str(tmp_path), "REFEREE_CONFIG": "/none"})


def test_configuration_sets_looks_and_keys(tmp_path: Path) -> None:
    found = configured(tmp_path, '[ui]\npalette = "two"\nbell = true\n[keys]\nscout = "j"\nnext-legal = ["n", "Tab"]\n')
    assert found.ui == {"palette": "two", "bell": "true"}
    assert found.keys == {**KEYS, "scout": ("j",), "next-legal": ("n", "tab")}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[ui]\npalete = "two"', "Did you mean palette?"),
        ('[ui]\npalette = "pink"', "is one of four, two, mono, safe"),
        ('[keys]\nscuot = "j"', "Did you mean scout?"),
        ('[keys]\nscout = "hyper-9"', "is no key"),
        ('[keys]\nscout = "q"', "stands for"),
        ("[keys]\nhelp = []", "names no key"),
        ("[ui", "config.toml"),
    ],
)
def test_mistakes_in_the_configuration_are_named(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(config.BadConfig) as error:
        configured(tmp_path, text)
    assert part in str(error.value) and "config.toml" in str(error.value)


def a_match(place: dict[str, str], game: str = "scat") -> store.Saved:
    path = store.new_path(place, game)
    return store.Saved(path, game, ("@python", "x"), "7", (Planned("stock", "00ff"),), "/here")


def test_saved_match_reads_back_and_old_ones_go(tmp_path: Path) -> None:
    place = {"XDG_STATE_HOME": str(tmp_path)}
    assert store.newest(place) is None
    saved = a_match(place)
    store.write(saved)
    assert store.newest(place) == saved
    for at in range(store.KEEP + 5):
        store.write(replace_path(saved, at))
    store.prune(place)
    assert len(list(store.folder(place).glob("*.json"))) == store.KEEP
    (store.folder(place) / "99999999.json").write_text("{}")
    assert store.newest(place) is not None, "a broken file is passed over"
    with pytest.raises(store.BadSave):
        store.read(tmp_path / "none.json")


def test_a_save_named_by_the_person_costs_no_other_file(tmp_path: Path) -> None:
    """Whatever lies beside it, and however much: only our own folder is kept short."""
    home = tmp_path / "documents"
    home.mkdir()
    mine = [home / f"{at}.json" for at in range(store.KEEP + 15)]
    for path in mine:
        path.write_text('{"mine": 1}')
    sitting = Sitting.resumed(a_match({"XDG_STATE_HOME": str(tmp_path)})._replace(path=home / "zz.json"), Settings())
    sitting.model = replace(sitting.model, replaying=False, moves=(Planned("stock"),))
    sitting.save()
    assert all(path.exists() for path in mine) and (home / "zz.json").exists()
    sitting.model = replace(
        sitting.model, game="scat", table=Scat(names=("a", "b"), me=0, coins=(3, 0), faults=("", ""))
    )
    sitting.hear("end ranks=1,2 scores=3,0")
    assert sitting.model.ended and (home / "zz.json").exists(), "a file of theirs is not ours to remove"


def test_resume_goes_on_with_the_match_left_last_of_the_game_named(tmp_path: Path) -> None:
    place = {"XDG_STATE_HOME": str(tmp_path)}
    old = replace_path(a_match(place), 1)
    new = replace_path(a_match(place, "scout"), 2)
    for at, saved in enumerate((old, new)):
        store.write(saved)
        os.utime(saved.path, (at, at))
    assert store.newest(place) == new
    assert saved_path("", place, "scat") == old
    store.touch(old.path)
    assert store.newest(place) == old
    with pytest.raises(store.BadSave, match="is a match of SCOUT"):
        saved_path(str(new.path), place, "scat")
    old.path.unlink()
    with pytest.raises(store.BadSave, match="no saved match of SCAT"):
        saved_path("", place, "scat")


@pytest.mark.process
def test_resume_finds_a_player_named_by_a_relative_path_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "else").mkdir()
    bot = tmp_path / "bot" / "mine.py"
    bot.write_text((CLIENT.parent / "scat_greedy.py").read_text())
    (tmp_path / "bot" / "kit.py").write_text((CLIENT.parent / "kit.py").read_text())
    command = [sys.executable, str(CLIENT), "--ui", "linear"]
    told = {"env": environment(tmp_path), "capture_output": True, "text": True}
    first = [*command, "scat", "--vs", f"{sys.executable} mine.py", "--seed", "3"]
    subprocess.run(first, input="draw\nyes\n", cwd=tmp_path / "bot", **told)  # type: ignore[call-overload]
    done = subprocess.run([*command, "--resume"], input="", cwd=tmp_path / "else", **told)  # type: ignore[call-overload]
    assert "1 move replayed; the match goes on where it was." in done.stdout, done.stdout + done.stderr


def replace_path(saved: store.Saved, at: int) -> store.Saved:
    return saved._replace(path=saved.path.with_name(f"2026{at:04}.json"))


@pytest.mark.parametrize(
    ("locale", "plain"),
    [
        ({}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "en_GB.utf8@euro"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),  # what Python makes of the line above for its children
        ({"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LC_CTYPE": "en_GB.UTF-8", "LANG": "C"}, False),
    ],
)
def test_a_locale_without_utf8_shows_ascii_only(locale: dict[str, str], plain: bool) -> None:
    assert start._locale_is_plain(locale) == plain


def test_resume_takes_no_option_that_would_change_the_match() -> None:
    for argv in (("--seed", "3"), ("--vs", "x"), ("--set", "a=b"), ("--move-time", "9"), ("--preset", "seed")):
        with pytest.raises(start.Usage, match=f"leave out {argv[0]}"):
            start._resumes_alone(start.arguments().parse_args(["--resume", "f", *argv]))
    start._resumes_alone(start.arguments().parse_args(["scat", "--resume", "--pace", "none"]))


def test_first_visit_is_the_first_only(tmp_path: Path) -> None:
    place = {"XDG_STATE_HOME": str(tmp_path)}
    assert (
        store.first_visit(place, "scat") and not store.first_visit(place, "scat") and store.first_visit(place, "scout")
    )


@pytest.mark.process
def test_help_loads_no_terminal_library_and_full_screen_needs_a_terminal(tmp_path: Path) -> None:
    code = (
        f"import sys, runpy; sys.argv = ['play', '--help']\ntry: runpy.run_path({str(CLIENT)!r}, run_name='__main__')\n"
        "except SystemExit: print('LOADED', 'prompt_toolkit' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(tmp_path))
    assert "LOADED False" in done.stdout and "--opponents" in done.stdout
    done = subprocess.run(
        [sys.executable, str(CLIENT), "scat", "--ui", "full"], capture_output=True, text=True, env=environment(tmp_path)
    )
    assert done.returncode == 2 and "needs a terminal" in done.stderr
