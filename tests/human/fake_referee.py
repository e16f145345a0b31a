"""A small referee for the tests of the human client: real rules, random opponents, the wire, nothing else.

As a module it is `FakeReferee`, a match without a process. As a program it speaks on standard input and output:

    python tests/human/fake_referee.py GAME [--seats N] [--seed N] [--set NAME=VALUE]... [--me SEAT] [--restless]
                                       [--matches N] [--ms N]

--restless makes the opponents move differently in every run; --matches plays several, one after another, in the same
process; --ms tells of a clock, which is not kept.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator

from referee.games import _base, load, option_lines


class FakeReferee:
    """One match. `start` and `answer` return the lines that the person's seat hears, up to its next request."""

    def __init__(
        self,
        game: str,
        seats: int = 3,
        seed: int = 1,
        me: int = 0,
        luck: int | None = None,
        ms: str = "-",
        first_request: int = 0,
        **options: object,
    ):
        self.game = load(game, **options)
        self.name, self.seats, self.me = game, seats, me
        self.random = random.Random(seed if luck is None else luck)
        self.seed = seed.to_bytes(32, "big")
        self.request = first_request - 1
        self.ms = ms
        self.over = False

    def start(self) -> list[str]:
        """Return the lines from the match's start on."""
        names = ",".join("stdio" if seat == self.me else f"bot-{seat}" for seat in range(self.seats))
        clock = "rng=0123456789abcdef move_ms=- bank_ms=0 increment_ms=0 strikes=0"
        head = [
            f"match id=m0 game={self.name} seats={self.seats} seat={self.me} names={names} {clock}",
            f"options preset=seed {option_lines(self.game.options)}",
        ]
        self.state, events = self.game.deal(self.seats, self.seed)
        return [*head, *self._heard(events), *self._run()]

    def answer(self, line: str) -> list[str]:
        """Return what follows the person's move; AssertionError when it is not a legal answer."""
        verb, number, word = line.split()
        assert verb == "move" and int(number) == self.request, f"{line!r} does not answer request {self.request}"
        legal = [self.game.format(action) for action in self.game.legal_actions(self.state)]
        assert word in legal, f"{line!r} is illegal; legal are {legal}"
        return [*self._apply(word), *self._run()]

    def _heard(self, events: tuple[_base.Event, ...]) -> list[str]:
        return [event.heard_by(self.me) for event in events]

    def _apply(self, word: str) -> list[str]:
        self.state, events = self.game.apply(self.state, self.game.parse(word))
        return self._heard(events)

    def _run(self) -> Iterator[str]:
        while (seat := self.game.to_act(self.state)) is not None:
            legal = [self.game.format(action) for action in self.game.legal_actions(self.state)]
            if seat == self.me:
                self.request += 1
                view = " ".join(f"{key}={value}" for key, value in self.game.view(self.state, seat).items())
                yield f"act {self.request} ms={self.ms} {view} legal={','.join(legal)}"
                return
            yield from self._apply(self._choice(legal))
        outcome = self.game.outcome(self.state)
        self.over = True
        yield f"end ranks={','.join(map(str, outcome.ranks))} scores={','.join(map(str, outcome.scores))}"

    def _choice(self, legal: list[str]) -> str:
        """Shows and knocks come often enough that matches end soon."""
        shows = [word for word in legal if word.startswith("show:")]
        if shows and self.random.random() < 0.8:
            return max(shows, key=lambda word: len(word))
        if "look" in legal and self.random.random() < 0.95:
            return "look"
        if "knock" in legal and self.random.random() < 0.25:
            return "knock"
        return self.random.choice(legal)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--me", type=int, default=0)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--restless", action="store_true")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--ms", default="-")
    given = parser.parse_args()
    luck = time.time_ns() if given.restless else None
    options = dict(pair.split("=", 1) for pair in given.set)
    print("referee 1 version=0.1.0 games=scat,scout", flush=True)
    assert sys.stdin.readline().startswith("ready "), "the client greets first"
    asked = 0
    for number in range(given.matches):
        seed = given.seed + number
        referee = FakeReferee(given.game, given.seats, seed, given.me, luck, given.ms, asked, **options)
        lines = referee.start()
        print("\n".join(lines), flush=True)
        while not referee.over:
            line = sys.stdin.readline()
            if not line:
                return
            print("\n".join(referee.answer(line.strip())), flush=True)
        asked = referee.request + 1
    print("bye", flush=True)


if __name__ == "__main__":
    main()
