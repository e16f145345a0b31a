"""How many deals of SCAT a second the rules play, beside a loop that measures the machine.

    python tests/bench/playouts_scat.py [DEALS] [SEATS]

Every seat takes the discard if it betters the hand and else draws, keeps the best three cards, and knocks at 25: the
light policy of a search player's playouts. Matches go through deal, to_act and apply as the referee plays them, with
all the lines that the seats hear. Deals a second change with the machine and its load; their ratio to the calibration
loop, run in turns with the playouts, is the figure to compare.
"""

import hashlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from referee.games import load
from referee.games.scat import DRAW, FROM_STOCK, KNOCK, PILE, STOCK, Scat, State

KNOCK_AT = 2 * 25
ROUNDS = 10


def choose(game: Scat, state: State) -> int:
    """Return the threshold policy's action."""
    hand = state.hands[state.seat]
    value = game.value
    if state.phase == DRAW:
        now = value(hand)
        if now >= KNOCK_AT and state.knocker < 0:
            return KNOCK
        a, b, c = hand
        top = state.pile[-1]
        gains = value((a, b, top)) > now or value((a, top, c)) > now or value((top, b, c)) > now
        return PILE if gains or not state.stock else STOCK
    a, b, c, drawn = hand
    best, discard = value((drawn, b, c)), a
    if (kept := value((a, drawn, c))) > best:
        best, discard = kept, b
    if (kept := value((a, b, drawn))) > best:
        best, discard = kept, c
    if state.phase == FROM_STOCK and value((a, b, c)) > best:
        discard = drawn
    return discard


def play(game: Scat, seats: int, deals: int, first: int) -> int:
    """Play whole matches until at least `deals` deals are done; return how many were."""
    done = 0
    while done < deals:
        seed = hashlib.sha256(b"bench %d %d" % (first, done)).digest()
        state, _ = game.deal(seats, seed)
        while game.to_act(state) is not None:
            state, _ = game.apply(state, choose(game, state))
        done += len(game.results(state))
    return done


def calibrate(rounds: int = 20_000) -> int:
    """Do a fixed amount of plain Python: small ints, tuples, dict look-ups, calls."""
    table = {(i, j): i ^ j for i in range(16) for j in range(16)}
    row: tuple[int, ...] = tuple(range(16))
    total = 0
    for turn in range(rounds):
        row = (*row[1:], table[row[turn & 15], row[(turn + 5) & 15]])
        total += max(row[0], row[7])
    return total


def main() -> None:
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seats = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    game = load("scat")
    assert isinstance(game, Scat)
    play(game, seats, 100, -1)
    done, playing, calibrating = 0, [], []
    for turn in range(ROUNDS):
        start = time.process_time()
        played = play(game, seats, deals // ROUNDS, turn)
        middle = time.process_time()
        calibrate()
        done += played
        playing.append((middle - start) / played)
        calibrating.append(time.process_time() - middle)
    # The best of the rounds: noise only ever adds.
    each, loop = min(playing), min(calibrating)
    print(
        f"scat seats={seats} deals={done} deals/s={1 / each:.0f} (best of {ROUNDS}; mean {ROUNDS / sum(playing):.0f})"
    )
    print(
        f"calibration loop: {loop * 1000:.2f} ms; a deal costs {each / loop:.5f} loops, {loop / each:.1f} deals a loop"
    )


if __name__ == "__main__":
    main()
