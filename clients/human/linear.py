"""Linear mode: sentences that only ever grow downwards, for screen readers, pipes and terminals without a cursor.

One loop: read the referee until it waits for the person, then read one line of the person. Nothing is repainted,
echoed or coloured, and only ASCII is written.
"""

import io
import sys
import time
from dataclasses import replace
from typing import TextIO

from human import play
from human.child import CannotStart
from human.look import Look
from human.model import Again, Effect, Leave
from human.sitting import Sitting

PLAIN = Look(ascii=True, letters=True)
PROMPT = "> "
NEXT_MATCH_SECONDS = 0.5  # how long the end of a match waits for the start of another from the same referee


def plain(sentence: str) -> str:
    """Return a sentence as linear mode writes it: in ASCII, its cards in words."""
    return PLAIN.dress(play.aloud(sentence)).encode("ascii", "backslashreplace").decode("ascii")


class Linear:
    """The loop around a sitting; reads `inp`, writes `out`."""

    def __init__(self, sitting: Sitting, inp: TextIO, out: TextIO) -> None:
        self.sitting, self.inp, self.out = sitting, inp, out
        self.ended_before = False
        self.interrupted = False
        self.closed = False
        self.deadline = 0.0

    def run(self) -> int:
        """Play until the person leaves; return the exit code."""
        try:
            self.sitting.start()
        except CannotStart as error:
            print(error, file=sys.stderr)
            return 70
        try:
            while not self.step():
                pass
        except BrokenPipeError:
            return 141
        except KeyboardInterrupt:
            return 130
        finally:
            self.sitting.end()
        return self.sitting.code

    def step(self) -> bool:
        """Do the next thing; return whether the sitting is over."""
        model = self.sitting.model
        if model.gone:
            self.tell()
            return True
        if model.ended and not self.ended_before and not self.closed and self._more():
            self.listen()
            return False
        if model.request is not None or model.ended:
            if model.ended and not self.ended_before:
                self.sitting.model = model.say("Type again for another match, leave to go.")
            self.ended_before = model.ended
            return self.ask()
        self.listen()
        return False

    def _more(self) -> bool:
        """Return whether the referee says more after the end of a match."""
        return self.sitting.referee is not None and self.sitting.referee.waits(NEXT_MATCH_SECONDS)

    def listen(self) -> None:
        """Take in what the referee says next."""
        assert self.sitting.referee is not None
        try:
            lines = self.sitting.referee.read()
        except KeyboardInterrupt:
            if self.interrupted:
                raise
            self.interrupted = True
            self.sitting.model = self.sitting.model.say("The others are moving. Ctrl-C again leaves.")
            lines = []
        if lines is None:
            self.closed = not self.sitting.lost()
        for line in lines or ():
            self.sitting.hear(line)
            self.tell()
        self.tell()
        request = self.sitting.model.request
        if request is not None and request.ms is not None:
            self.deadline = time.monotonic() + request.ms / 1000

    def tell(self) -> None:
        """Print the sentences that are new."""
        model = self.sitting.model
        for sentence in model.said:
            print(plain(sentence), file=self.out)
        overlay = model.overlay if model.overlay == "leave" else ""
        self.sitting.model = replace(model, said=(), overlay=overlay)
        self.out.flush()

    def ask(self) -> bool:
        """Read one line of the person and obey it; return whether the sitting is over."""
        self.tell()
        self.interrupted = False
        self.out.write(PROMPT)
        self.out.flush()
        try:
            line = self.inp.readline()
        except KeyboardInterrupt:
            # Ctrl-C takes back what is chosen; leaving has words of its own.
            line = "no\n"
            self.out.write("\n")
        if not line:
            self.out.write("\n")
            if not self.inp.isatty():
                if self.sitting.saved():
                    self.sitting.model = self.sitting.model.say(play.saved_sentence(self.sitting.model))
                self.tell()
                return True
            line = "leave"  # Ctrl-D at a terminal asks first
        if not line.strip():
            return False
        model = self.sitting.model
        if model.request is not None and model.request.ms is not None:
            self.sitting.model = replace(model, left=max(int(self.deadline - time.monotonic()), 0))
        self.sitting.model, effects = play.command(self.sitting.model, line)
        rest = self.sitting.perform(effects)
        self.tell()
        return self.obey(rest)

    def obey(self, effects: tuple[Effect, ...]) -> bool:
        """Do what is left of the effects; return whether the sitting is over."""
        for effect in effects:
            if isinstance(effect, Leave):
                return True
            if isinstance(effect, Again):
                self.ended_before = self.closed = False
                self.sitting.again()
        return False


def forgiving() -> None:
    """Let no byte that is typed, and no character that is to be said, end the match: what is unknown is replaced."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def run(sitting: Sitting, inp: TextIO | None = None, out: TextIO | None = None) -> int:
    """Play in linear mode on the given streams (standard input and output); return the exit code."""
    return Linear(sitting, inp or sys.stdin, out or sys.stdout).run()
