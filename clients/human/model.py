"""The whole state of a sitting as one immutable value, and the effects that keys and lines may ask for."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from human.look import Look
from human.scat import Scat
from human.scout import Scout
from human.table import Told

AnyTable: TypeAlias = Scat | Scout
PACES: Mapping[str, float] = {"slow": 1.5, "normal": 0.6, "fast": 0.2, "none": 0.0}
ASSISTS = ("off", "legal", "seen", "advice")

# Every action and its default keys; `[keys]` of the configuration changes them.
KEYS: Mapping[str, tuple[str, ...]] = {
    "confirm": ("enter",),
    "back": ("escape",),
    "next-legal": ("tab",),
    "previous-legal": ("s-tab",),
    "left": ("left",),
    "right": ("right",),
    "up": ("up",),
    "down": ("down",),
    "mark": ("space",),
    "take": ("t",),
    "draw": ("d",),
    "knock": ("k",),
    "stand": ("s",),
    "throw": ("w",),
    "look": ("o",),
    "scout": ("s",),
    "scout-show": ("x",),
    "flip": ("f",),
    "other-end": ("e",),
    "undo": ("u",),
    "help": ("?",),
    "hint": ("h",),
    "log": ("l",),
    "seen": ("v",),
    "pace": ("p",),
    "palette": ("c",),
    "command": (":",),
    "leave": ("q",),
    "again": ("a",),
    "review-back": ("pageup",),
    "review-forward": ("pagedown",),
}
SCAT_ONLY = frozenset({"take", "draw", "knock", "stand", "throw", "look"})
SCOUT_ONLY = frozenset({"scout", "scout-show", "flip", "other-end"})


@dataclass(frozen=True)
class Settings:
    """What the person likes. keys: action -> the names of its keys; see KEYS and PACES."""

    look: Look = field(default_factory=Look)
    pace: str = "normal"
    assist: str = "legal"
    confirm: str = "always"
    bell: bool = False
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: KEYS)
    resume_words: str = "referee play --resume"

    def actions(self, name: str) -> frozenset[str]:
        """Return the actions that a key stands for; which one is meant depends on where the person is."""
        return frozenset(action for action, names in self.keys.items() if name in names)

    def key(self, action: str) -> str:
        """Return the name of an action's key, for the key bar and the help."""
        first = self.keys[action][0]
        nice = {"enter": "Enter", "escape": "Esc", "tab": "Tab", "s-tab": "Shift-Tab", "space": "Space"}
        nice |= {"pageup": "PgUp", "pagedown": "PgDn", "left": "←", "right": "→", "up": "Up", "down": "Down"}
        return nice.get(first, first)


class Request(NamedTuple):
    """What the referee waits for: its id, the legal words (empty: not told), the time in ms, a mark of the view."""

    id: str
    legal: tuple[str, ...]
    ms: int | None
    mark: str


def mark(line: str) -> str:
    """Return eight hex digits that stand for what a request shows, its id and its times left out."""
    words = [word for word in line.split()[2:] if not word.startswith(("ms=", "bank_ms="))]
    return f"{zlib.crc32(' '.join(words).encode()):08x}"


class Planned(NamedTuple):
    """A word to send at a later request without asking again; mark: the request it was an answer to, if known."""

    word: str
    mark: str = ""


class Moment(NamedTuple):
    """One entry of the log: what happened, and the table after it, for the review."""

    told: Told
    table: AnyTable


class Confirm(NamedTuple):
    """A move chosen and explained, not yet sent.

    words -- the words of the wire, sent one per request
    lines -- what it does, for the screen; short: the same for narrow screens, where it differs
    costly -- it ends a deal, reveals a card or cannot be taken back
    """

    words: tuple[str, ...]
    lines: tuple[str, ...]
    speech: str
    costly: bool = True
    short: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScatPick:
    """What is chosen in SCAT: one of the wire's moves, whether the top discard is in hand by way of trial, a place."""

    choice: str = ""
    taking: bool = False
    place: int | None = None


@dataclass(frozen=True)
class ScoutPick:
    """What is chosen in SCOUT.

    stage  -- "show" a slice, "scout" a card, "then" show a slice of the hand that the Scout would make
    anchor, cursor -- the ends of the slice, in the order they were set; None: none
    end, flip, place -- the Scout
    both   -- a Scout & Show is being built
    turn   -- at the start of a round: the turned reading is chosen
    """

    stage: str = "show"
    anchor: int | None = None
    cursor: int | None = None
    end: str = "L"
    flip: bool = False
    place: int = 0
    both: bool = False
    turn: bool = False


@dataclass(frozen=True)
class Model:
    """Everything that a screen shows.

    table    -- the table, None before the match
    past     -- the log, with the table after each entry
    request  -- what the referee waits for, None while others move
    plan     -- words to send at the next requests: the second half of a decision, or a replay
    replayed -- moves replayed so far, when a saved or broken match is being resumed
    moves    -- own words sent so far, with the mark of each request
    pick_scat, pick_scout -- what is chosen; confirm -- the preview
    note     -- one sentence for the person; hint -- the advice asked for
    overlay  -- "", welcome, help, log, seen, text, over, end, leave
    before_leave -- the overlay under the question whether to leave
    text     -- the rows of the text overlay
    scroll   -- first row of a long overlay
    review   -- the entry of `past` under review, None: live
    line     -- the command being typed, None: none
    said     -- sentences for linear mode, not yet printed
    void     -- why there is no final table: the referee's own fault, or the person's; `` when there is one
    gone     -- why the referee is gone, `` while it is there
    unsaved  -- why the match cannot be saved, `` while it can
    left     -- seconds left of the person's clock, None without one; only shown, the referee decides
    next_match -- the referee has begun another match, which waits until the final table is left
    """

    settings: Settings = Settings()
    game: str = ""
    seed: str = ""
    table: AnyTable | None = None
    past: tuple[Moment, ...] = ()
    request: Request | None = None
    plan: tuple[Planned, ...] = ()
    replaying: bool = False
    replayed: int = 0
    moves: tuple[Planned, ...] = ()
    pick_scat: ScatPick = ScatPick()
    pick_scout: ScoutPick = ScoutPick()
    confirm: Confirm | None = None
    note: str = ""
    hint: str = ""
    overlay: str = ""
    before_leave: str = ""
    text: tuple[str, ...] = ()
    scroll: int = 0
    review: int | None = None
    line: str | None = None
    typed_before: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    show_seen: bool = False
    ended: bool = False
    void: str = ""
    gone: str = ""
    unsaved: str = ""
    left: int | None = None
    next_match: bool = False

    def say(self, *sentences: str) -> "Model":
        """Return the model with sentences for linear mode added; a sentence may hold several lines."""
        lines = tuple(line for sentence in sentences for line in sentence.split("\n") if line)
        return replace(self, said=(*self.said, *lines))

    def noted(self, note: str) -> "Model":
        """Return the model with a sentence for the person."""
        return replace(self, note=note)

    def cleared(self) -> "Model":
        """Return the model with nothing chosen and nothing said."""
        return replace(self, pick_scat=ScatPick(), pick_scout=ScoutPick(), confirm=None, note="", hint="")

    @property
    def legal(self) -> tuple[str, ...]:
        """Return the legal words of the request, () when none is open."""
        return self.request.legal if self.request else ()


class Send(NamedTuple):
    """A line for the referee; move: it is a move, so the sitting is to be saved."""

    line: str
    move: bool = True


class Leave(NamedTuple):
    """The person leaves."""


class Again(NamedTuple):
    """The person wants another match of the same kind."""


class Hurry(NamedTuple):
    """Show at once what has been held back for the pace."""


class Bell(NamedTuple):
    """Ring the terminal's bell."""


Effect: TypeAlias = Send | Leave | Again | Hurry | Bell
Step: TypeAlias = tuple[Model, tuple[Effect, ...]]
