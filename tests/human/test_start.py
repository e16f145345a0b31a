"""Arguments, configuration and saved matches."""

import subprocess
import sys
from pathlib import Path

import pytest
from human import config, start, store
from human.model import KEYS, Planned
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
        ("[ui", "config.toml"),
    ],
)
def test_mistakes_in_the_configuration_are_named(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(config.BadConfig) as error:
        configured(tmp_path, text)
    assert part in str(error.value) and "config.toml" in str(error.value)


def test_saved_match_reads_back_and_old_ones_go(tmp_path: Path) -> None:
    place = {"XDG_STATE_HOME": str(tmp_path)}
    assert store.newest(place) is None
    saved = store.Saved(store.new_path(place, "scat"), "scat", ("@python", "x"), "7", (Planned("stock", "00ff"),))
    store.write(saved)
    assert store.newest(place) == saved
    for at in range(store.KEEP + 5):
        store.write(replace_path(saved, at))
    assert len(list(store.folder(place).glob("*.json"))) == store.KEEP
    (store.folder(place) / "99999999.json").write_text("{}")
    assert store.newest(place) is not None, "a broken file is passed over"
    with pytest.raises(store.BadSave):
        store.read(tmp_path / "none.json")


def replace_path(saved: store.Saved, at: int) -> store.Saved:
    return saved._replace(path=saved.path.with_name(f"2026{at:04}.json"))


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
