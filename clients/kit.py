"""The read loop for players written in Python: it reads the referee's lines and sends your answers.

A whole player is a function from a request to one word:

    import kit

    def choose(request):
        return request.match.rng.choice(request.legal)

    kit.run(choose, games="scat,scout")

A player that counts cards is a `Player` with `heard` as well. Only the standard library is used, so this file can be
copied beside a bot. protocol.md tells what every line means; print to stderr, never to stdout, which is the wire.
"""

from __future__ import annotations

import os
import sys
from random import Random

TYPE_CHECKING = False  # what typing says too, without the time that importing it takes
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Answer: TypeAlias = str | tuple[str, str]  # an action, or an action and a remark for the record


class Match:
    """The match being played, as its `match` and `options` lines told it.

    id, game, seat, seats, names -- as in the `match` line; seat and seats are int, names has one entry per seat
    options -- option -> value, both text: `match.options["dole"] == "true"`
    rng     -- this player's own random numbers, the same whenever the match is played again
    """

    def __init__(self, words: dict[str, str]) -> None:
        self.id = words.get("id", "-")
        self.game = words.get("game", "-")
        self.seat = int(words.get("seat", "0"))
        self.seats = int(words.get("seats", "0"))
        self.names = words.get("names", "-").split(",")
        self.options: dict[str, str] = {}
        self.rng = Random(words.get("rng", ""))


class Line:
    """One line from the referee: `line.verb`, and `line["hand"]` for the words `hand=...`."""

    def __init__(self, verb: str, words: dict[str, str], match: Match) -> None:
        self.verb, self.words, self.match = verb, words, match

    def __getitem__(self, key: str) -> str:
        return self.words[key]

    def get(self, key: str, default: str = "-") -> str:
        """Return the value of a key, or `default` when the line has no such key."""
        return self.words.get(key, default)

    def list(self, key: str) -> list[str]:
        """Return the items of a list; none for `-` and for a key that the line does not have."""
        text = self.words.get(key, "-")
        return [] if text == "-" else text.split(",")


class Request(Line):
    """An `act` line. id -- to be sent back with the answer; legal -- the legal actions, empty under legal=off."""

    def __init__(self, id: str, words: dict[str, str], match: Match) -> None:
        super().__init__("act", words, match)
        self.id = id
        self.legal = self.list("legal")


class Player:
    """A player with a memory: `choose` is required, `heard` is optional."""

    def choose(self, request: Request) -> Answer:
        """Return the action, one word, or the pair of an action and a remark."""
        raise NotImplementedError

    def heard(self, event: Line) -> None:
        """Take notice of deal, did, reshuffle, over, strike, fault, end or void; ignore verbs that you do not know."""


class Session:
    """One conversation without the pipes: lines in, answers out. `over` is True after `bye`."""

    def __init__(
        self, player: Player | Callable[[Request], Answer], games: str = "", legal: bool = True, live: bool = False
    ) -> None:
        self._player = player if isinstance(player, Player) else None
        self._choose = player.choose if isinstance(player, Player) else player
        self._ready = "ready" + (f" games={games}" if games else "")
        self._ready += ("" if legal else " legal=off") + (" events=live" if live else "")
        self._match = Match({})
        self.over = False

    def receive(self, line: str) -> str | None:
        """Return the answer to one line, without its newline, or None when the line asks for none."""
        verb, arguments, words = parse(line)
        match verb:
            case "act":
                return self._answer(Request(arguments[0], words, self._match))
            case "referee":
                return self._ready
            case "match":
                self._match = Match(words)
            case "options":
                self._match.options = words
            case "bye":
                self.over = True
            case _ if verb and self._player:
                self._player.heard(Line(verb, words, self._match))
        return None

    def _answer(self, request: Request) -> str:
        answer = self._choose(request)
        action, remark = (answer, "") if isinstance(answer, str) else answer
        # The wire is printable ASCII, 1024 bytes a line at most: a remark must never cost a match.
        remark = "".join(letter if " " <= letter <= "~" else "?" for letter in remark[:500])
        return f"move {request.id} {action}" + (f" # {remark}" if remark else "")


def parse(line: str) -> tuple[str, list[str], dict[str, str]]:
    """Return a line's verb, its plain words, and its key=value words; `text=` takes the rest of the line."""
    head, is_there, text = line.strip().partition(" text=")
    verb, *rest = head.split() or [""]
    words = dict(word.split("=", 1) for word in rest if "=" in word)
    if is_there:
        words["text"] = text
    return verb, [word for word in rest if "=" not in word], words


def run(player: Player | Callable[[Request], Answer], games: str = "", legal: bool = True, live: bool = False) -> None:
    """Play until the referee says `bye` or is gone.

    games -- the games this player knows, with commas; empty for all
    legal -- whether requests carry the legal actions; without them a request is shorter and costs less
    live  -- whether events come as they happen instead of with the next request
    """
    session = Session(player, games, legal, live)
    line = ""
    try:
        while not session.over and (line := sys.stdin.readline()):
            answer = session.receive(line)
            if answer is not None:
                sys.stdout.write(answer + "\n")
                sys.stdout.flush()
    except BrokenPipeError:
        # The referee is gone. Python would complain once more when it flushes stdout at exit, so stdout goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        pass
    except Exception:
        print(f"This line could not be answered: {line.strip()}", file=sys.stderr)
        raise
