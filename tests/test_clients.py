"""The reference players: they speak the protocol, always play legally, repeat themselves, and differ in strength."""

import importlib
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from referee import games, wire
from referee.games._base import AnyGame, Event

CLIENTS = Path(__file__).parent.parent / "clients"
PLAYERS = {"scat": ("random", "greedy", "threshold"), "scout": ("random", "greedy", "planner")}
NAMES = tuple(f"{game}_{name}" for game, names in PLAYERS.items() for name in names)
KNOWS_THE_RULES = ("scout_planner",)  # these ask for legal=off


def client(name: str) -> ModuleType:
    """Return a module of clients/, found as when it is run by path."""
    if str(CLIENTS) not in sys.path:
        sys.path.insert(0, str(CLIENTS))
    return importlib.import_module(name)


kit: Any = client("kit")


def player(name: str) -> Any:
    """Return a fresh player: an object with choose, and perhaps heard."""
    module = client(name)
    return next(
        (value() for value in vars(module).values() if isinstance(value, type) and issubclass(value, kit.Player)),
        module.choose if hasattr(module, "choose") else None,
    )


def sit(name: str, game: AnyGame, seats: int, seat: int, seed: int) -> Any:
    """Return a session with a player that has heard the opening of a match."""
    session = kit.Session(player(name), game.name, legal=name not in KNOWS_THE_RULES)
    assert session.receive("referee 1 version=0 games=scat,scout") is not None
    session.receive(
        f"match id=m0 game={game.name} seats={seats} seat={seat} names=- rng={seed:08x}{seat:08x} move_ms=-"
    )
    session.receive("options preset=seed " + games.option_lines(game.options))
    return session


def play(game: AnyGame, names: Sequence[str], seed: int) -> tuple[tuple[tuple[int | None, ...], ...], list[str]]:
    """Play one match in this process; return the results per deal and the actions. An illegal action raises."""
    seats = len(names)
    table = [sit(name, game, seats, seat, seed) for seat, name in enumerate(names)]
    listens = [isinstance(player(name), kit.Player) for name in names]
    needs_legal = [name not in KNOWS_THE_RULES for name in names]
    state, events = game.deal(seats, random.Random(seed).randbytes(32))
    moves = []

    def tell(events: tuple[Event, ...]) -> None:
        for seat, session in enumerate(table):
            if listens[seat]:
                for event in events:
                    session.receive(event.heard_by(seat))

    tell(events)
    while (seat := game.to_act(state)) is not None:
        line = "act 0 ms=- " + " ".join([f"{key}={value}" for key, value in game.view(state, seat).items()])
        if needs_legal[seat]:
            line += f" legal={','.join(map(game.format, game.legal_actions(state)))}"
        action = table[seat].receive(line).removeprefix("move 0 ")
        moves.append(action)
        state, events = game.apply(state, game.parse(action))
        tell(events)
    return game.results(state), moves


def mean_lead(game: AnyGame, better: str, worse: str, seats: int, blocks: int) -> tuple[float, float]:
    """Return the mean lead per deal of one `better` among `worse`, and its standard error, over blocks.

    In a block the better player sits in each seat once, on the same cards. The lead is its result less the mean of
    the others, in the game's unit, turned so that more is better.
    """
    leads = []
    for block in range(blocks):
        lead = []
        for place in range(seats):
            results, _ = play(game, [better if seat == place else worse for seat in range(seats)], block)
            for result in results:
                others = [value for seat, value in enumerate(result) if seat != place and value is not None]
                mine = result[place]
                if mine is not None and others:
                    lead.append(mine - statistics.mean(others))
        leads.append(statistics.mean(lead))
    sign = 1 if game.more_is_better else -1
    return sign * statistics.mean(leads), statistics.stdev(leads) / math.sqrt(blocks)


# --- legality ---------------------------------------------------------------------------------------------------------

VARIANTS: dict[str, tuple[dict[str, str], ...]] = {
    "scat": (
        {},
        {"throw_down": "any", "trips": "30.5", "double_loss": "floor"},
        {"throw_down": "eldest", "dole": "false", "dealt31": "own_turn"},
        {"stock_out": "reshuffle", "min_knock": "31", "hand_cap": "3"},
        {"final_stand": "true", "turn_cap": "5", "first_turn_knock": "false"},
    ),
    "scout": (
        {},
        {"orientation": "until_own_move", "scout_insert_public": "true", "first_player": "holder12"},
        {"two_player_token_to": "owner", "turn_cap": "30"},
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_plays_legally_with_any_seats_and_options(name: str) -> None:
    """Beside itself and the random player, at every size of table; an illegal action would raise."""
    game_name = name.split("_")[0]
    for number, variant in enumerate(VARIANTS[game_name]):
        game = games.load(game_name, **variant)
        for seats in game.seats:
            others = [f"{game_name}_random"] * (seats // 2)
            play(game, [*others, *[name] * (seats - len(others))], number)


@pytest.mark.parametrize("name", NAMES)
def test_plays_the_same_match_again_from_the_same_seed(name: str) -> None:
    game = games.load(name.split("_")[0])
    _, once = play(game, [name] * 3, 5)
    _, twice = play(game, [name] * 3, 5)
    assert once == twice


def test_planner_knows_exactly_the_legal_actions() -> None:
    """It asks for legal=off, so what it considers must be what the referee would have listed."""
    planner, rng = client("scout_planner"), random.Random(3)
    for seats in (2, 3, 4, 5):
        game = games.load("scout", turn_cap=60)
        state, _ = game.deal(seats, rng.randbytes(32))
        while (seat := game.to_act(state)) is not None:
            legal = list(map(game.format, game.legal_actions(state)))
            if legal != ["keep", "turn"]:
                match = kit.Match({"seat": str(seat), "seats": str(seats)})
                request = kit.Request("0", dict(game.view(state, seat)), match)
                assert sorted(word for _, word in planner.moves(request)) == sorted(legal)
            state, _ = game.apply(state, game.parse(rng.choice(legal)))


def test_threshold_counts_the_cards_of_the_pile_until_they_are_shuffled_again() -> None:
    threshold = player("scat_threshold")

    def hear(line: str) -> None:
        verb, _, words = kit.parse(line)
        threshold.heard(kit.Line(verb, words, kit.Match({})))

    hear("deal n=0 dealer=0 hand=KS,TS,4H pile=7D coins=3,3")
    hear("did seat=1 move=stock card=5S")
    hear("did seat=1 move=4H")
    assert threshold._gone == {"7D", "4H"}
    hear("reshuffle stock=20")
    assert threshold._gone == set()


# --- strength ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse", "seats", "blocks"),
    [
        ("scat_greedy", "scat_random", 2, 20),
        ("scat_threshold", "scat_random", 2, 20),
        ("scout_greedy", "scout_random", 2, 10),
        ("scout_greedy", "scout_random", 4, 3),
        ("scout_planner", "scout_random", 3, 5),
        ("scout_planner", "scout_greedy", 2, 30),
        ("scout_planner", "scout_greedy", 3, 15),
        ("scout_planner", "scout_greedy", 4, 15),
        pytest.param("scat_threshold", "scat_greedy", 2, 800, marks=pytest.mark.slow),
        pytest.param("scat_threshold", "scat_greedy", 4, 300, marks=pytest.mark.slow),
        pytest.param("scout_planner", "scout_greedy", 5, 100, marks=pytest.mark.slow),
    ],
)
def test_stronger_player_leads_by_far_more_than_chance(better: str, worse: str, seats: int, blocks: int) -> None:
    lead, error = mean_lead(games.load(better.split("_")[0]), better, worse, seats, blocks)
    assert lead > 4 * error, f"{better} leads {worse} by {lead:+.3f} ± {error:.3f}"


@pytest.mark.slow
def test_threshold_leads_greedy_at_the_same_cards() -> None:
    """The two are close: the quick run shows two and a half standard errors, the slow one four."""
    lead, error = mean_lead(games.load("scat"), "scat_threshold", "scat_greedy", 2, 300)
    assert lead > 2.5 * error, f"{lead:+.3f} ± {error:.3f}"


# --- the kit and the programs -----------------------------------------------------------------------------------------

OPENING = """\
referee 1 version=0.1.0 games=scat,scout
match id=m0 game=GAME seats=2 seat=0 names=ann,ben rng=0123456789abcdef move_ms=1000 bank_ms=0 increment_ms=0 strikes=0
options preset=seed
news text=a verb of a later version, with seat=1 in its text
"""
ASKING = {
    "scat": "act 7 ms=1000 deal=0 turn=0 phase=draw hand=KS,TS,4H pile=7D stock=45 coins=3,3 knocker=- dealer=1"
    " legal=stock,pile,knock\n",
    "scout": "act 7 ms=1000 deal=0 turn=0 phase=orient hand=3/4,3/5 active=- owner=- cards=2,2 taken=0,0 tokens=3,3"
    " marker=false,false scouts=0 starter=0 scores=0,0 legal=keep,turn\n",
}


def run(name: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run a client by its path, as the referee does, with this input."""
    command = [sys.executable, str(CLIENTS / f"{name}.py")]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=20)


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_program_greets_answers_and_leaves_at_bye(name: str) -> None:
    game = name.split("_")[0]
    ran = run(name, OPENING.replace("GAME", game) + ASKING[game] + "bye\nact 8 this comes too late\n")
    ready, move = ran.stdout.splitlines()
    assert ready.split()[:2] == ["ready", f"games={game}"]
    assert ("legal=off" in ready) == (name in KNOWS_THE_RULES)
    assert move.startswith("move 7 ")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.process
def test_program_leaves_in_silence_when_the_referee_is_gone() -> None:
    """At the end of its input, and when nobody reads its answers."""
    assert run("scat_greedy", "").returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, str(CLIENTS / "scat_greedy.py")],
        input=OPENING.encode() * 2,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=20,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.process
def test_program_that_fails_shows_the_line_and_where() -> None:
    ran = run("scat_greedy", "act 3 ms=- legal=5C\n")
    assert ran.returncode == 1
    assert "This line could not be answered: act 3 ms=- legal=5C\n" in ran.stderr
    assert "Traceback" in ran.stderr


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_program_starts_without_slow_imports(name: str) -> None:
    """Each of these takes longer to load than the rest of the player."""
    slow = "typing dataclasses re enum json argparse subprocess inspect referee"
    code = f"import sys; sys.path.insert(0, {str(CLIENTS)!r}); import {name}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=20)
    assert not set(slow.split()) & set(ran.stdout.split()), ran.stdout + ran.stderr


def session(choose: Any) -> Any:
    session = kit.Session(choose, games="scat")
    for line in OPENING.replace("GAME", "scat").splitlines():
        session.receive(line)
    return session


def test_kit_knows_the_match() -> None:
    seen = []

    def choose(request: Any) -> str:
        seen.append(request)
        return "stock"

    assert session(choose).receive(ASKING["scat"]) == "move 7 stock"
    (request,) = seen
    match = request.match
    assert (match.game, match.seat, match.seats, match.names) == ("scat", 0, 2, ["ann", "ben"])
    assert match.options == {"preset": "seed"}
    assert match.rng.random() == random.Random("0123456789abcdef").random()
    assert request.legal == ["stock", "pile", "knock"]
    assert (request["hand"], request.list("hand"), request.list("knocker")) == ("KS,TS,4H", ["KS", "TS", "4H"], [])
    assert (request.get("no_such_key"), request.list("no_such_key")) == ("-", [])


@pytest.mark.parametrize(
    ("remark", "sent"),
    [("two sixes", "two sixes"), ("naïve \n move 7 pile", "na?ve ? move 7 pile"), ("x" * 5000, "x" * 500)],
)
def test_kit_sends_remarks_that_the_wire_can_carry(remark: str, sent: str) -> None:
    answer = session(lambda request: ("stock", remark)).receive(ASKING["scat"])
    assert answer == f"move 7 stock # {sent}"
    channel = wire.Channel()
    channel.greet(["scat"])
    channel.receive(b"ready\n")
    channel.ask("ms=-", lambda: "stock")
    got = channel.receive(answer.replace("move 7", "move 0", 1).encode() + b"\n")
    assert got == wire.Move(0, "stock", sent[: wire.MAX_REMARK])


def test_kit_lets_a_player_hear_events_and_verbs_that_nobody_knows_yet() -> None:
    heard = []

    class Listener(kit.Player):  # type: ignore[misc]
        def choose(self, request: Any) -> str:
            return "stock"

        def heard(self, event: Any) -> None:
            heard.append((event.verb, event.words, event.match.seat))

    table = session(Listener())
    table.receive("did seat=1 move=pile card=4H")
    table.receive("fault seat=1 code=illegal id=3 text='5C': it is not in your hand; hand=KS would do")
    assert heard == [
        ("news", {"text": "a verb of a later version, with seat=1 in its text"}, 0),
        ("did", {"seat": "1", "move": "pile", "card": "4H"}, 0),
        (
            "fault",
            {"seat": "1", "code": "illegal", "id": "3", "text": "'5C': it is not in your hand; hand=KS would do"},
            0,
        ),
    ]


def test_kit_asks_for_what_the_player_wants() -> None:
    greet = "referee 1 version=0.1.0 games=scat,scout"
    assert kit.Session(lambda request: "stock").receive(greet) == "ready"
    everything = kit.Session(lambda request: "stock", games="scat,scout", legal=False, live=True).receive(greet)
    assert everything == "ready games=scat,scout legal=off events=live"


def test_kit_is_over_at_bye_alone() -> None:
    table = session(lambda request: "stock")
    assert not table.over
    assert table.receive("") is None
    table.receive("end ranks=1,2 scores=3,0")
    assert not table.over
    table.receive("bye")
    assert table.over


if __name__ == "__main__":  # how strong, for a person: python tests/test_clients.py BETTER WORSE SEATS BLOCKS
    one, other, table_size, count = sys.argv[1:]
    start = time.perf_counter()
    lead, error = mean_lead(games.load(one.split("_")[0]), one, other, int(table_size), int(count))
    print(f"{one} leads {other} by {lead:+.3f} ± {error:.3f} a deal ({time.perf_counter() - start:.1f} s)")
