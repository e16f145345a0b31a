"""protocol.md is true: its conversations are played again, its players play, its numbers come out, its tables hold.

`REFEREE_WRITE=1 pytest tests/test_protocol_md.py` writes the transcripts, the options and the vectors anew; review them
as prose in the diff. A transcript says in its first line how it is made:

    ```transcript GAME seed=N seats=N seat=N show=WHAT [player=NAME] [legal=off] [say=SEAT:ID:ACTION] [LIMIT=N] [NAME=V]

NAME   -- an option of the game
LIMIT  -- a limit of the match, such as strikes
player -- who sits in every seat, a file in clients/
say    -- SEAT answers request ID with this action instead
show   -- pieces VERB[:TEXT][#NTH][-BEFORE][+AFTER], joined by commas: lines of the conversation of `seat`
"""

import functools
import hashlib
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from referee import cards, games, wire
from referee.games._base import IllegalAction, MalformedAction, show_value
from referee.match import Answer, Limits, Record, greeting_of_match
from referee.process import Command, Table
from referee.worker import Seats, drive

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "protocol.md"
TEXT = DOCUMENT.read_text()
WRITE = os.environ.get("REFEREE_WRITE") == "1"
FENCE = re.compile(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = ("ann", "ben", "cleo", "dan", "eve", "finn", "gus", "hal", "ida")
BEST = {"scat": "scat_threshold", "scout": "scout_planner"}


def fences(kind: str) -> list[tuple[str, str]]:
    """Return (the words after the kind, the body) of every fenced block of a kind."""
    return [(match[2] or "", match[3]) for match in FENCE.finditer(TEXT) if match[1] == kind]


def client(name: str) -> ModuleType:
    """Return a module of clients/, found as when it is run by path."""
    folder = str(ROOT / "clients")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def new_player(name: str) -> Any:
    module = client(name)
    return module.Threshold() if name == "scat_threshold" else module.choose


# --- conversations, played by the real match and the real wire ------------------------------------------------------


class Seated:
    """A reference player at the real channel, as `drive` wants a player, and the lines that pass between them.

    say -- request -> the action that is said instead of the player's own
    """

    def __init__(self, player: Any, game: str, legal: bool, say: dict[int, str]) -> None:
        self.channel = wire.Channel()
        self.session = client("kit").Session(player, games=game, legal=legal)
        self.say = say
        self.lines: list[str] = []
        self._hear(self.channel.greet(games.names()))
        self._send(self.session.receive(self.lines[-1][2:]))

    @property
    def id(self) -> int:
        return self.channel.id

    def tell(self, line: str) -> None:
        self.channel.tell(line)

    def ask(self, words: str, legal: Callable[[], str], ms: float | None, grace_ms: float) -> Answer | wire.Fault:
        start = len(self.lines)
        self._hear(self.channel.ask(words, legal))
        answers = [answer for line in self.lines[start:] if (answer := self.session.receive(line[2:])) is not None]
        assert len(answers) == 1, f"one request, {len(answers)} answers"
        said = self.say.get(self.id)
        got = self._send(answers[0] if said is None else f"move {self.id} {said}")
        return got if isinstance(got, wire.Fault) else Answer(got.action, got.remark)

    def dismiss(self, line: str) -> None:
        self._hear(line.encode() + b"\n")

    def bye(self) -> None:
        self.tell("bye")
        self._hear(self.channel.take())

    def _hear(self, data: bytes) -> None:
        self.lines += [f"> {line}" for line in data.decode().splitlines()]

    def _send(self, line: str) -> Any:
        self.lines.append(f"< {line}")
        return self.channel.receive(line.encode() + b"\n")


@functools.cache
def transcript(info: str) -> list[str]:
    """Return a whole conversation as the first line of a transcript describes it, but for `show`."""
    name, *words = info.split()
    given = [word.split("=", 1) for word in words]
    values = {key: value for key, value in given if key not in ("say", "show")}
    seed, seats, seat = (int(values.pop(key)) for key in ("seed", "seats", "seat"))
    player = values.pop("player", BEST[name])
    legal = values.pop("legal", "on") == "on"
    limits = Limits(**{key: int(values.pop(key)) for key in Limits._fields if key in values})
    says: list[dict[int, str]] = [{} for _ in range(seats)]
    for who, number, action in (value.split(":", 2) for key, value in given if key == "say"):
        says[int(who)][int(number)] = action
    table = [Seated(new_player(player), name, legal, say) for say in says]
    rngs = tuple(hashlib.sha256(f"{seed}/{place}".encode()).hexdigest()[:16] for place in range(seats))
    record = drive(games.load(name, **values), seed.to_bytes(32, "big"), Seats(NAMES[:seats], rngs, table, {}), limits)
    assert not record.void, record.void
    if seat not in {fault.seat for fault in record.faults}:
        table[seat].bye()
    return table[seat].lines


PIECE = re.compile(r"(\w+)(?::([^#+-]+))?(?:#(\d+))?(?:-(\d+))?(?:\+(\d+))?")


def shown(lines: list[str], show: str) -> Iterator[str]:
    """Yield the lines that `show` asks for, `…` between pieces that do not touch."""
    end = None
    for piece in show.split(","):
        found = PIECE.fullmatch(piece)
        assert found, f"show={piece} is not VERB[:TEXT][#NTH][-BEFORE][+AFTER]"
        verb, text, nth, before, after = found.groups()
        hits = [at for at, line in enumerate(lines) if line[2:].split()[0] == verb and (text or "") in line]
        assert len(hits) > int(nth or 0), f"the conversation has no {piece}"
        at = hits[int(nth or 0)]
        start = at - int(before or 0)
        if end is not None and start > end:
            yield "…"
        end = at + int(after or 0) + 1
        yield from map(shortened, lines[start:end])


def shortened(line: str) -> str:
    """Return a line with the middle of a long legal list left out."""
    head, legal, words = line.partition(" legal=")
    actions = words.split(",")
    return line if len(actions) < 16 else f"{head}{legal}{','.join(actions[:6])},…,{actions[-1]}"


def without_show(info: str) -> str:
    return " ".join(word for word in info.split() if not word.startswith("show="))


def played(info: str) -> str:
    """Return the body that a transcript block must have."""
    show = next(word for word in info.split() if word.startswith("show=")).removeprefix("show=")
    return "".join(f"{line}\n" for line in shown(transcript(without_show(info)), show))


# --- the generated parts: written anew on demand, and compared ------------------------------------------------------


def options_table(name: str) -> str:
    """Return the Markdown table of a game's options."""
    rows = ["| option | default | values | decides | rules |", "|---|---|---|---|---|"]
    for option in games.game_class(name).declared:
        values = ", ".join(f"`{choice}`" for choice in option.choices)
        if isinstance(option.default, bool):
            values = "`true`, `false`"
        elif isinstance(option.default, int):
            values = f"{option.low} to {option.high}"
        rows.append(f"| `{option.name}` | `{show_value(option.default)}` | {values} | {option.help} | {option.rules} |")
    return "\n".join(rows)


def vectors(body: str) -> str:
    """Return the vectors block with what follows `=` on each line computed anew."""
    master = seed = b""
    lines = []
    for line in body.splitlines():
        words = line.partition(" = ")[0].split()
        match words:
            case ["master", text]:
                master = bytes.fromhex(text)
                lines.append(line)
                continue
            case ["deal_seed", name, block]:
                seed = cards.deal_seed(master, name, int(block))
                result = seed.hex()
            case ["commitment"]:
                result = cards.commitment(seed).hex()
            case ["shuffled", label, n]:
                result = " ".join(map(str, cards.shuffled(seed, label, int(n))))
            case ["below", label, *bounds]:
                stream = cards.Stream(seed, label)
                result = " ".join(str(stream.below(int(bound))) for bound in bounds)
            case ["deal", name, seats]:
                _, events = games.load(name).deal(int(seats), seed)
                heard = [wire.words(events[0].heard_by(seat))[2] for seat in range(int(seats))]
                result = ";".join(words["hand"] for words in heard)
                if name == "scat":
                    result += f" pile={heard[0]['pile']}"
            case _:
                raise AssertionError(f"the vectors have a line {line!r}")
        lines.append(f"{' '.join(words)} = {result}")
    return "".join(f"{line}\n" for line in lines)


def rewritten() -> str:
    """Return the document with its generated parts made anew."""

    def fence(match: re.Match[str]) -> str:
        kind, info, body = match[1], match[2] or "", match[3]
        if kind == "transcript":
            body = played(info)
        elif kind == "vectors":
            body = vectors(body)
        return f"```{kind}{' ' if info else ''}{info}\n{body}```"

    text = FENCE.sub(fence, TEXT)
    return re.sub(
        r"<!-- options (\w+) -->\n.*?<!-- end -->",
        lambda match: f"<!-- options {match[1]} -->\n{options_table(match[1])}\n<!-- end -->",
        text,
        flags=re.DOTALL,
    )


if WRITE:
    DOCUMENT.write_text(TEXT := rewritten())


@pytest.mark.parametrize("number", range(len(fences("transcript"))))
def test_transcript_is_what_the_referee_and_the_player_say(number: int) -> None:
    info, body = fences("transcript")[number]
    assert body == played(info)


def asked(number: int) -> wire.Channel:
    """Return a channel whose player owes the answer to request `number`."""
    channel = wire.Channel()
    channel.greet(games.names())
    channel.receive(b"ready\n")
    for request in range(number):
        channel.ask("ms=-", lambda: "stock")
        channel.receive(b"move %d stock\n" % request)
    channel.ask("ms=-", lambda: "stock")
    return channel


@pytest.mark.parametrize(("number", "body"), fences("accepted"))
def test_accepted_lines_are_accepted(number: str, body: str) -> None:
    channel = asked(int(number))
    for line in body.splitlines():
        got = channel.receive(line.removeprefix("< ").encode() + b"\n")
        assert got is None if line.startswith("< #") else isinstance(got, wire.Move), f"{line}: {got}"
        if got is not None:
            channel = asked(int(number))


def test_refused_lines_are_refused_as_the_document_says() -> None:
    ((number, body),) = fences("refused")
    game = games.load("scat")
    state, _ = game.deal(2, bytes(32))
    assert "7D" not in game.view(state, 1)["hand"]
    for row in body.splitlines():
        code, line = row.split(None, 1)
        got = asked(int(number)).receive(line.replace("\\t", "\t").encode() + b"\n")
        if isinstance(got, wire.Move):
            with pytest.raises((MalformedAction, IllegalAction)) as refusal:
                game.apply(state, game.parse(got.action))
            seen = "malformed" if refusal.type is MalformedAction else "illegal"
        else:
            assert isinstance(got, wire.Fault)
            seen = got.code
        assert seen == code, row


def test_void_is_what_players_hear_when_the_referee_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, body),) = fences("void")
    game = games.load("scat")

    def fail(state: object, action: object) -> None:
        raise MemoryError

    monkeypatch.setattr(game, "apply", fail)
    table = [Seated(new_player("scat_random"), "scat", True, {}) for _ in range(2)]
    assert drive(game, bytes(32), Seats(NAMES[:2], ("0", "1"), table, {}), Limits()).void
    for seated in table:
        seated.bye()
        assert seated.lines[-2:] == [*body.splitlines(), "> bye"]


def test_vectors_come_out() -> None:
    ((_, body),) = fences("vectors")
    assert body.count("=") > 10
    assert body == vectors(body)


def test_shuffle_in_python_gives_the_vectors() -> None:
    """The program in the document is run as it stands and agrees with the referee's own."""
    code = next(body for info, body in fences("python") if info == "shuffle")
    theirs: dict[str, Any] = {}
    exec(compile(code, "protocol.md", "exec"), theirs)
    master = bytes(range(32))
    for block in range(3):
        seed = theirs["deal_seed"](master, "scat/4", block)
        assert seed == cards.deal_seed(master, "scat/4", block)
        assert theirs["shuffled"](seed, "scat-deck-0", 52) == cards.shuffled(seed, "scat-deck-0", 52)


def test_deals_follow_from_the_labels_alone() -> None:
    """The sentences on dealing, followed word by word, give the hands that the games deal."""
    for block in range(5):
        seed = cards.deal_seed(b"m" * 32, "scat/3", block)
        deck = [cards.TEXT[card] for card in cards.shuffled(seed, "scat-deck-0", 52)]
        event = games.load("scat").deal(3, seed)[1][0]
        for seat in range(3):
            first = (seat - 1) % 3  # seat 0 deals, so seat 1 gets the first card
            assert f"hand={','.join(deck[first:9:3])} pile={deck[9]} " in event.heard_by(seat)
        for seats, count, tens in ((2, 44, True), (3, 36, False), (4, 44, True), (5, 45, True)):
            pairs = [(a, b) for a in range(1, 11) for b in range(a + 1, 11) if tens or b < 10]
            pairs = [pair for pair in pairs if seats == 5 or pair != (9, 10)]
            assert len(pairs) == count
            stream = cards.Stream(seed, "scout-turn-0")
            dealt = []
            for number in cards.shuffled(seed, "scout-deck-0", count):
                low, high = pairs[number]
                dealt.append(f"{high}/{low}" if stream.below(2) else f"{low}/{high}")
            dealt = dealt[:22] if seats == 2 else dealt
            event = games.load("scout").deal(seats, seed)[1][0]
            for seat in range(seats):
                assert event.heard_by(seat).endswith(f" hand={','.join(dealt[seat::seats])}")


@pytest.mark.parametrize("name", games.names())
def test_options_are_the_games_options(name: str) -> None:
    assert f"<!-- options {name} -->\n{options_table(name)}\n<!-- end -->" in TEXT


# --- tables of fields, held against what is really sent -------------------------------------------------------------


def field_tables() -> dict[str, list[str]]:
    """Return, per section heading, the keys that its tables list."""
    tables = {}
    for section in re.split(r"^###? ", TEXT, flags=re.MULTILINE)[1:]:
        heading = section.split("\n", 1)[0].replace("`", "")
        body = FENCE.sub("", section)
        tables[heading] = [key for row in re.findall(r"^\| (`[^|]*) \|", body, re.MULTILINE) for key in keys_of(row)]
    return tables


def keys_of(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


VARIANTS: dict[str, tuple[dict[str, str], ...]] = {
    "scat": (
        {},
        {"throw_down": "any", "trips": "30.5"},
        {"stock_out": "reshuffle", "min_knock": "31"},
        {"stock_out": "void", "min_knock": "31", "hand_cap": "3"},
        {"final_stand": "true", "turn_cap": "6", "dealt31": "off"},
    ),
    "scout": ({}, {"scout_insert_public": "true", "orientation": "until_own_move"}, {"turn_cap": "9"}),
}


@functools.cache
def said(name: str) -> dict[str, set[tuple[str, ...]]]:
    """Return verb -> the sequences of keys in which random matches use it, all seats and spectators together."""
    seen: dict[str, set[tuple[str, ...]]] = {"act": set()}
    reasons: set[tuple[str, ...]] = set()
    rng = random.Random(name)
    for number, variant in enumerate(VARIANTS[name] * 3):
        game = games.load(name, **variant)
        seats = (2, 3, game.seats[-1])[number // len(VARIANTS[name])]
        state, events = game.deal(seats, number.to_bytes(32, "big"))
        while True:
            for line in {event.heard_by(seat) for event in events for seat in (None, *range(seats))} - {""}:
                verb, arguments, words = wire.words(line)
                assert not arguments
                seen.setdefault(verb, set()).add(tuple(words))
                if verb == "over":
                    reasons.add((words["reason"],))
            seat = game.to_act(state)
            if seat is None:
                break
            seen["act"].add(tuple(game.view(state, seat)))
            state, events = game.apply(state, rng.choice(list(game.legal_actions(state))))
    return seen | {"reason": reasons}


@pytest.mark.parametrize("name", games.names())
def test_tables_list_exactly_the_keys_that_are_sent(name: str) -> None:
    """Nothing is sent that the document does not list, in another order, and nothing is listed that is never sent."""
    tables = field_tables()
    for verb, sequences in said(name).items():
        if verb == "reason":
            continue
        listed = tables[f"{name.upper()} {verb}"]
        assert set().union(*sequences) == set(listed), f"{name} {verb}"
        for sequence in sequences:
            assert list(sequence) == [key for key in listed if key in sequence], f"{name} {verb}: the order differs"


@pytest.mark.parametrize("name", games.names())
def test_reasons_of_a_deal_that_is_over_are_documented(name: str) -> None:
    section = TEXT.split(f"### {name.upper()} `over`")[1].split("###")[0]
    row = next(line for line in section.splitlines() if line.startswith("| `reason` "))
    documented = set(re.findall(r"`(\w+)`:", row))
    seen = {reason for (reason,) in said(name)["reason"]}
    assert seen <= documented
    source = (ROOT / "referee" / "games" / f"{name}.py").read_text()
    assert all(f'"{reason}"' in source for reason in documented), "a documented reason that the game cannot give"


def test_tables_of_the_general_lines_are_whole() -> None:
    tables = field_tables()
    game = games.load("scat")
    match, options = greeting_of_match(game, ("a", "b"), 0, "m0", "0" * 16, Limits(), "seed")
    assert list(wire.words(match)[2]) == tables["match"]
    assert list(wire.words(options)[2]) == [*tables["options"], *game.options]
    assert list(wire.words(wire.Channel().greet(["scat"]).decode())[2]) == tables["referee"]
    assert tables["act"] == ["ms", "bank_ms", "legal"]
    assert tables["ready"] == ["games", "legal", "events"]
    assert tables["strike"] == ["id", "code", "left", "text"]
    assert tables["fault"] == ["seat", "code", "id", "text"]
    assert tables["end"] == ["ranks", "scores"]


def test_every_fault_code_is_explained_and_no_other() -> None:
    assert set(field_tables()["9. Faults"]) == set(wire.CODES)


def test_limits_are_the_limits_of_the_wire() -> None:
    assert f"at most {wire.MAX_LINE_OUT} bytes and a line from a player at most {wire.MAX_LINE_IN}," in TEXT
    assert f"at most {wire.MAX_COMMENTS} comments" in TEXT
    assert f"the first {wire.MAX_REMARK} characters" in TEXT
    assert Limits().grace_ms == 50 and "up to 50 ms" in TEXT
    assert Limits().start_ms == 10_000 and "10 seconds" in TEXT


def test_links_inside_the_document_lead_somewhere() -> None:
    headings = re.findall(r"^##+ (.*)$", FENCE.sub("", TEXT), re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-") for heading in headings}
    targets = set(re.findall(r"\]\(#([^)]*)\)", TEXT))
    assert targets <= anchors, targets - anchors


def test_rule_ids_are_in_the_rulebooks() -> None:
    books = games.rulebook("scat") + games.rulebook("scout")
    cited = set(re.findall(r"\b([SCQR]\d+a?)\b", TEXT)) - {"C", "S"}
    missing = [rule for rule in sorted(cited) if rule not in books]
    assert not missing, missing


# --- the players of the document, played as programs ----------------------------------------------------------------


def play_program(argv: list[str], name: str, options: dict[str, str]) -> Record:
    """Play a short match of three with the program in every seat, as processes of the real referee."""
    limits = Limits(move_ms=10_000)
    with Table() as table:
        players = [table.start(Command(tuple(argv)), name) for name in NAMES[:3]]
        for player in players:
            assert not isinstance(ready := player.greet(games.names(), limits.start_ms), wire.Fault), ready
        record = drive(games.load(name, **options), bytes(32), Seats(NAMES[:3], ("0" * 16,) * 3, players, {}), limits)
        table.bye()
    return record


def sh_player(code: str, folder: Path) -> list[str]:
    (folder / "player.sh").write_text(code)
    return ["sh", str(folder / "player.sh")]


def python_player(code: str, folder: Path) -> list[str]:
    (folder / "player.py").write_text(code)
    return [sys.executable, str(folder / "player.py")]


def c_player(code: str, folder: Path) -> list[str]:
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    (folder / "player.c").write_text(code)
    program = str(folder / "player")
    build = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", program, str(folder / "player.c")]
    subprocess.run(build, check=True, timeout=60)
    return [program]


BUILD: dict[str, Callable[[str, Path], list[str]]] = {"sh": sh_player, "python": python_player, "c": c_player}


@pytest.mark.process
@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("language", BUILD)
def test_player_of_the_document_plays_legally(language: str, name: str, tmp_path: Path) -> None:
    ((_, code),) = [(info, body) for info, body in fences(language) if info == "player"]
    assert len(code.splitlines()) <= 12, "ten lines, more or less"
    argv = BUILD[language](code, tmp_path)
    options = {"scat": {"hand_cap": "4"}, "scout": {"turn_cap": "40"}}[name]
    record = play_program(argv, name, options)
    assert (record.faults, record.void) == ((), "")
    assert len(record.results) >= 3
    for farewell in ("bye\n", ""):
        ran = subprocess.run(argv, input=f"referee 1\n{farewell}", capture_output=True, text=True, timeout=20)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ready\n", "")
