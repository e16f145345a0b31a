"""How fast SCOUT plays: rounds a second of random play, and one request's view and legal list.

    ./run python tests/bench/playouts_scout.py [SECONDS]

Process time, so that a busy machine matters less; the ratio to a fixed loop of pure Python, timed in turns with the
playing, says how much of the figure is the machine.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from referee.games import load
from referee.games._base import IllegalAction
from referee.games.scout import MOVE, ORIENT, Action, Scout, State, scout, shows, strength

SEATS = 4


def random_action(game: Scout, state: State, rng: random.Random) -> Action:
    """Return an action: any Show or Scout alike; now and then a Scout & Show instead, not yet known to be legal."""
    if state.phase == ORIENT:
        return rng.randrange(2)
    hand, active = state.hands[state.mover], state.active
    options = list(shows(hand, strength(active)))
    if state.phase != MOVE or not active:
        return options[int(rng.random() * len(options))]
    ends, gaps = min(len(active), 2), len(hand) + 1
    scouts = 2 * ends * gaps
    pick = int(rng.random() * (len(options) + scouts))
    if pick < len(options):
        return options[pick]
    pick -= len(options)
    end, place, turned = pick // (2 * gaps), pick // 2 % gaps, pick % 2 == 1
    if state.markers[state.mover] and rng.random() < 0.25:
        return scout(end, place, turned, and_show=True)
    return scout(end, place, turned)


def play(game: Scout, seed: int) -> tuple[int, int]:
    """Play one match at random; return its rounds and actions."""
    rng = random.Random(seed)
    state, _ = game.deal(SEATS, seed.to_bytes(32, "big"))
    actions = 0
    while game.to_act(state) is not None:
        action = random_action(game, state, rng)
        try:
            state, _ = game.apply(state, action)
        except IllegalAction:  # the Scout & Show that was tried is not one: then the Scout alone
            state, _ = game.apply(state, action - (1 << 14))
        actions += 1
    return len(game.results(state)), actions


def calibration() -> int:
    """Return a sum that takes about 10 ms of pure Python."""
    total = 0
    for number in range(200_000):
        total += number & 7
    return total


def clocked(job: Callable[[], object], repeat: int = 1) -> float:
    """Return the process seconds of one run of a job."""
    start = time.process_time()
    for _ in range(repeat):
        job()
    return (time.process_time() - start) / repeat


def requests(game: Scout, matches: int) -> list[State]:
    """Return the states at which a seat of a random match must move."""
    states = []
    for seed in range(matches):
        rng = random.Random(seed)
        state, _ = game.deal(SEATS, seed.to_bytes(32, "big"))
        while game.to_act(state) is not None:
            states.append(state)
            state, _ = game.apply(state, rng.choice(list(game.legal_actions(state))))
    return states


def main() -> None:
    game = load("scout")
    assert isinstance(game, Scout)
    budget = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    play(game, 0)
    rounds = actions = seed = loops = 0
    playing = looping = 0.0
    while playing < budget:
        seed += 1
        start = time.process_time()
        more, did = play(game, seed)
        playing += time.process_time() - start
        rounds, actions = rounds + more, actions + did
        looping, loops = looping + clocked(calibration), loops + 1
    loop = looping / loops
    print(f"random play, {SEATS} seats: {rounds / playing:.0f} rounds/s, {actions / rounds:.0f} actions a round,")
    print(f"  {1e6 * playing / actions:.1f} us an action; {rounds / playing * loop:.2f} rounds per calibration loop")
    print(f"calibration loop: {1e3 * loop:.1f} ms")

    states = requests(game, 3)
    words = [sum(1 for _ in game.legal_actions(state)) for state in states]

    def ask_all() -> None:
        for state in states:
            game.view(state, state.mover)
            ",".join(map(game.format, game.legal_actions(state)))

    each = clocked(ask_all, 3) / len(states)
    longest = states[max(range(len(states)), key=lambda at: words[at])]
    one = clocked(lambda: ",".join(map(game.format, game.legal_actions(longest))), 50)
    print(f"one request's view and legal list: {1e6 * each:.0f} us (mean of {sum(words) / len(words):.0f} words);")
    print(f"  the longest list ({max(words)} words): {1e6 * one:.0f} us")


if __name__ == "__main__":
    main()
