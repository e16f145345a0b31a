"""Source files are built on first use, once, whoever asks; what cannot be built is told in the compiler's words."""

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from referee.launch import Finished, NotStarted, cache_folder, resolve, resolve_all
from tests.languages import needs

pytestmark = pytest.mark.process

# A language whose "compiler" is a script of ours, so that these tests need no compiler and no patience.
COMPILER = """\
#!/bin/sh
case $1 in
--version) echo "zed $(cat "$0.version")"; exit ;;
esac
echo "$2" >> "$0.log"
grep -q 'take long' "$1" && { sleep 60 & echo $! > "$0.pid"; wait; }
grep -q 'shout' "$1" && { head -c 5000000 /dev/zero | tr '\\0' x; exit 1; }
grep -q 'error' "$1" && { printf '%s:1: bad \\033[31mred\\033[0m\\n\\tone\\n' "$1"; exit 3; }
grep -q 'slowly' "$1" && sleep 0.3
{ echo '#!/bin/sh'; cat "$1"; } > "$2" && chmod +x "$2"
"""


@pytest.fixture
def zed(tmp_path, monkeypatch) -> dict:
    """The configuration that knows the language, in an empty current folder with an empty cache."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    compiler = tmp_path / "zc"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    (tmp_path / "zc.version").write_text("1")
    row = {
        "extensions": [".zed"],
        "tools": [str(compiler)],
        "build": ["{tool}", "{src}", "{out}"],
        "version": ["{tool}", "--version"],
        "run": ["{out}"],
    }
    return {"languages": {"zed": row}}


def builds(zed: dict) -> int:
    log = Path(zed["languages"]["zed"]["tools"][0] + ".log")
    return len(log.read_text().split()) if log.exists() else 0


def kept() -> list[Path]:
    return [path for path in (cache_folder() / "builds").iterdir() if path.suffix != ".lock"]


def test_source_is_built_once_and_runs_in_its_own_folder(zed, tmp_path):
    Path("bot.zed").write_text("echo hello\n")

    first, second = resolve("bot.zed", config=zed), resolve("bot.zed", config=zed)

    assert first == second
    assert builds(zed) == 1
    assert first.command.cwd == str(tmp_path / "here")
    assert subprocess.check_output(first.command.argv) == b"hello\n"


def test_nothing_is_written_beside_the_source(zed):
    Path("bot.zed").write_text("echo hello\n")

    resolve("bot.zed", config=zed)

    assert os.listdir() == ["bot.zed"]
    assert [path.name for path in kept()[0].iterdir()] == ["program"]


def test_same_source_elsewhere_is_not_built_again(zed):
    Path("bot.zed").write_text("echo hello\n")
    shutil.copy("bot.zed", "other name.zed")

    resolve_all(["bot.zed", "./other name.zed"], config=zed)

    assert builds(zed) == 1


def test_change_of_source_row_or_compiler_builds_anew(zed, tmp_path):
    Path("bot.zed").write_text("echo 1\n")
    resolve("bot.zed", config=zed)

    Path("bot.zed").write_text("echo 2\n")
    assert subprocess.check_output(resolve("bot.zed", config=zed).command.argv) == b"2\n"
    assert builds(zed) == 2

    (tmp_path / "zc.version").write_text("2")
    resolve("bot.zed", config=zed)
    assert builds(zed) == 3

    zed["languages"]["zed"]["build"].append("--fast")
    resolve("bot.zed", config=zed)
    assert builds(zed) == 4


def test_failing_build_shows_the_compilers_first_lines_escaped(zed):
    Path("my bot.zed").write_text("error\n")

    (skipped,) = resolve_all(["./my bot.zed"], config=zed)[1]

    assert skipped.kind == "not-started"
    assert skipped.sentence == (
        "my bot.zed could not be built: zc says:\n    my bot.zed:1: bad \\x1b[31mred\\x1b[0m\n        one"
    )
    assert kept() == []


def test_long_winded_compiler_is_cut_short(zed):
    Path("bot.zed").write_text("shout\n")

    (skipped,) = resolve_all(["bot.zed"], config=zed)[1]

    assert len(skipped.sentence) < 300


def test_build_that_takes_too_long_is_ended_with_its_children(zed, tmp_path):
    Path("bot.zed").write_text("take long\n")

    with pytest.raises(NotStarted, match=r"bot\.zed was not built within 0\.5 seconds"):
        resolve("bot.zed", config=zed, build_s=0.5)

    stat = Path(f"/proc/{(tmp_path / 'zc.pid').read_text().strip()}/stat")
    for _ in range(100):  # the orphan is reaped by init in its own time
        if not stat.exists() or stat.read_text().split()[2] == "Z":
            break
        time.sleep(0.01)
    else:
        pytest.fail("the compiler's child is alive")
    assert kept() == []


def test_two_builders_at_once_build_once(zed):
    Path("bot.zed").write_text("echo slowly\n")
    players = []
    threads = [threading.Thread(target=lambda: players.append(resolve("bot.zed", config=zed))) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(player.command.argv for player in players)) == 1
    assert len(players) == 4
    assert builds(zed) == 1


def test_what_a_killed_builder_left_is_swept_away(zed):
    Path("bot.zed").write_text("echo hello\n")
    folder = Path(resolve("bot.zed", config=zed).command.argv[0]).parent
    left = folder.rename(folder.with_suffix(".tmp"))
    (left / "half").write_text("")

    resolve("bot.zed", config=zed)

    assert [path.name for path in folder.iterdir()] == ["program"]
    assert kept() == [folder]


def test_compiler_that_cannot_tell_its_version_is_quoted(zed, tmp_path):
    Path("bot.zed").write_text("")
    (tmp_path / "zc").write_text("#!/bin/sh\necho no toolchain is chosen\nexit 1\n")

    with pytest.raises(NotStarted, match=r"--version fails:\n    no toolchain is chosen"):
        resolve("bot.zed", config=zed)


def test_cache_that_cannot_be_written_is_named(zed, tmp_path, monkeypatch):
    Path("bot.zed").write_text("")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "file"))

    with pytest.raises(NotStarted, match="REFEREE_CACHE names another folder"):
        resolve("bot.zed", config=zed)


def test_compiler_sees_few_variables(zed, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    Path("bot.zed").write_text("")
    seen = []

    def run(argv, folder, env, timeout, limit):
        seen.append(dict(env))
        (Path(folder) / "program").touch()
        return Finished(0, b"")

    resolve("bot.zed", config=zed, run=run)

    assert seen and all(set(env) <= {"PATH", "HOME", "LC_ALL", "TMPDIR"} for env in seen)


def test_java_class_need_not_be_named_as_its_file(tmp_path, monkeypatch):
    needs("javac")
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "my-bot.java"
    main = 'public static void main(String[] words) { System.out.println("hi"); }'
    source.write_text(f"import java.util.*;\n\npublic final class Bot {{\n    {main}\n}}\n")

    argv = resolve(str(source)).command.argv

    assert subprocess.check_output(argv) == b"hi\n"
    (tmp_path / "empty.java").write_text("// class Bot\n")
    with pytest.raises(NotStarted, match="nothing in it for Java to start"):
        resolve(str(tmp_path / "empty.java"))


def test_c_error_names_the_authors_file(tmp_path, monkeypatch):
    needs("cc")
    monkeypatch.setenv("REFEREE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bot.c").write_text("int main(void) { retrun 0; }\n")

    with pytest.raises(NotStarted, match=r"(?s)bot\.c could not be built: cc says:.*bot\.c:1:18: error"):
        resolve(str(tmp_path / "bot.c"))
