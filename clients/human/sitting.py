"""One sitting: the referee that is running, the Model, the saved file. Both shells drive it; it does no terminal I/O.

Recovery: when the referee dies before the match is over it is started again with the same words, and the moves sent
so far are sent again. Opponents are deterministic under the seed, so the match goes on where it was; where they are
not, the departure is told.
"""

import contextlib
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from human import grammar, play, store
from human.child import CannotStart, Referee
from human.model import Effect, Model, Planned, Send, Settings

MAX_RESTARTS = 3  # without a new move of the person between them
PYTHON = "@python"  # stands for this interpreter in saved words


class Sitting:
    """The match being played. `model` is replaced at every step; `code` is the exit code wanted at the end."""

    def __init__(self, words: tuple[str, ...], seed: str, game: str, settings: Settings) -> None:
        self.words, self.seed, self.game = words, seed, game
        self.folder = _here()
        self.model = Model(settings=settings, seed=seed)
        self.path = store.new_path(os.environ, game)
        self.referee: Referee | None = None
        self.code = 0
        self._restarts = 0
        self._moves_at_restart = -1

    @classmethod
    def resumed(cls, saved: store.Saved, settings: Settings) -> "Sitting":
        """Return a sitting that replays a saved match and goes on from there."""
        sitting = cls(saved.words, saved.seed, saved.game, settings)
        sitting.path = saved.path
        sitting.folder = saved.folder or sitting.folder
        sitting.model = replace(sitting.model, plan=saved.moves, replaying=bool(saved.moves))
        return sitting

    def start(self) -> None:
        """Start the referee; raises CannotStart."""
        self.referee = Referee([sys.executable if word == PYTHON else word for word in self.words], self.folder)

    def hear(self, line: str) -> tuple[Effect, ...]:
        """Take in one line of the referee; its answers are sent, the effects for the shell are returned."""
        try:
            self.model, effects = play.hear(self.model, line)
        except (AssertionError, LookupError, ValueError):
            text = f"This client cannot make sense of what the referee said: {grammar.quoted(line)}."
            self.code = 70
            self.model = replace(self.model, gone=text, request=None).say(text)
            return ()
        if self.model.ended and not self.model.void and store.is_own(self.path, os.environ):
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)
        return self.perform(effects)

    def perform(self, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """Send what is to be sent and return the other effects."""
        for effect in effects:
            if isinstance(effect, Send) and self.referee is not None:
                if effect.move:
                    self.save()
                self.referee.send(effect.line)
        return tuple(effect for effect in effects if not isinstance(effect, Send))

    def save(self) -> None:
        """Save the match; when that fails the person is told once and plays on."""
        moves = self.model.moves
        if self.model.replaying:
            # A replay broken off half way must not lose the moves still to come.
            moves = (*moves, *self.model.plan)
        try:
            game = self.game or self.model.game
            store.write(store.Saved(self.path, game, self.words, self.seed, moves, self.folder))
            store.prune(os.environ)
        except OSError as error:
            if not self.model.unsaved:
                text = f"This match cannot be saved in {self.path.parent}: {error.strerror}."
                self.model = replace(self.model, unsaved=text).noted(text).say(text)
        else:
            self.model = replace(self.model, unsaved="")

    def lost(self) -> bool:
        """Take in that the referee closed its output. Return whether it was started again.

        After the end of a match nothing is lost. Otherwise the model says what happened.
        """
        how, said = "", ""
        if self.referee is not None:
            how = self.referee.end()
            said = self.referee.last_words()
        if self.model.ended:
            # A replay that was to go on in another match ends with this one.
            self.model = replace(self.model, overlay=self.model.overlay or "end", replaying=False)
        if self.model.ended or self.model.gone:
            return False
        code = self.referee.code if self.referee is not None else 0
        if self.model.moves and len(self.model.moves) != self._moves_at_restart:
            self._restarts = 0
        if self.model.table is None or self._restarts >= MAX_RESTARTS:
            self.code = code if code > 0 else 70
            last = f" It said:\n{said}" if said else ""
            text = f"The referee ended ({how}) before the match was over.{last}"
            self.model = replace(self.model, gone=text, request=None).say(text)
            return False
        self._restarts += 1
        self._moves_at_restart = len(self.model.moves)
        text = f"The referee stopped ({how}); it is started again and your moves are replayed."
        left = self.model.plan if self.model.replaying else ()
        self.model = play.fresh(replace(self.model, moves=(*self.model.moves, *left))).say(text).noted(text)
        try:
            self.start()
        except CannotStart as error:
            self.model = replace(self.model, gone=str(error)).say(str(error))
            return False
        return True

    def again(self) -> None:
        """Begin another match of the same kind with a new seed; when that fails the model says so."""
        if self.referee is not None:
            self.referee.end()
        seed = new_seed()
        self.words = tuple(
            seed if at and self.words[at - 1] == "--seed" and self.seed else word for at, word in enumerate(self.words)
        )
        self.seed = seed if self.seed else ""
        self.path = store.new_path(os.environ, self.game)
        model = Model(settings=self.model.settings, seed=self.seed, typed_before=self.model.typed_before)
        self.model = replace(model, show_seen=self.model.show_seen)
        try:
            self.start()
        except CannotStart as error:
            self.referee, self.code = None, 70
            self.model = replace(self.model, gone=str(error)).say(str(error))

    def end(self) -> None:
        """End the referee."""
        if self.referee is not None:
            self.referee.end()
        if self.saved():
            store.touch(self.path)  # `--resume` goes on with the match that was left last

    def saved(self) -> bool:
        """Return whether there is something to go on with."""
        model = self.model
        return bool(model.moves) and not (model.ended and not model.void) and not model.unsaved and self.path.exists()


def new_seed() -> str:
    """Return a seed that a person can read out."""
    return str(secrets.randbelow(10**6))


def saved_path(word: str, environment: Mapping[str, str], game: str = "") -> store.Saved:
    """Return the saved match that `--resume` names, the newest (of one game) for ``; raises store.BadSave."""
    saved = store.read(Path(word)) if word else store.newest(environment, game)
    if saved is None:
        of_game = f" of {game.upper()}" if game else ""
        raise store.BadSave(f"There is no saved match{of_game}; `referee play {game or 'scat'}` starts a new one.")
    if game not in ("", saved.game):
        raise store.BadSave(f"{saved.path} is a match of {saved.game.upper()}, not of {game.upper()}.")
    return saved


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # the folder was removed under us


__all__ = ["CannotStart", "Planned", "Sitting", "new_seed", "saved_path"]
