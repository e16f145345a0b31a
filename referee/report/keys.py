r"""The keys of the live view: what each means, what a run is asked to do, and the terminal that they come from.

Theory of operation. `press` is a pure function: a state and a key give a state. `Control` is what the run obeys: plain
flags, which a signal handler may set as well. `Keyboard` reads in a thread of its own, so that a run never waits for a
key; prompt_toolkit parses what comes, and is loaded in that thread because loading it takes a tenth of a second.

The terminal is put into cbreak mode: no echo, no waiting for whole lines; Ctrl-C, Ctrl-Z and Ctrl-\ still send their
signals. Its settings are put back on every way out: at the end, whatever brings it about; when SIGTERM, SIGHUP or
SIGQUIT comes; before Ctrl-Z stops the process, which takes them again when it goes on. After `kill -9` nobody can:
`stty sane` mends what is left. In the background nothing is read and nothing is set. Workers and players have sessions
of their own and pipes for standard input, so that no key is ever theirs.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import termios
import threading
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from referee.tournament import Crew

if TYPE_CHECKING:
    from prompt_toolkit.input import Input

ESCAPE_S: Final = 0.05  # how long Esc waits to see whether it begins another key
LOOK_S: Final = 0.2  # between two looks at what has changed while nothing comes
LEAP: Final = 10  # lines that PageUp and PageDown scroll

# prompt_toolkit's names for keys -> ours; all others are called what prompt_toolkit calls them
NAMES: Final = MappingProxyType({"c-m": "enter", "c-j": "enter", " ": "space"})


# -- what a key means


class Page(StrEnum):
    """What fills the screen."""

    TABLE = "table"
    FAULTS = "faults"
    PLAYER = "player"
    HELP = "help"


class Sort(StrEnum):
    """What decides the order of the rows, as it is called on the screen."""

    MEAN = "mean"
    NAME = "name"
    FAULTS = "faults"
    P99 = "p99 ms"
    FIRST = "1st %"


class State(NamedTuple):
    """What the keys have brought about.

    page     -- what fills the screen
    under    -- the page that help lies on
    sort     -- of the rows of the table
    chosen   -- int, the player of the marked row; None: none is marked
    scroll   -- int, lines of the page above the screen
    paused   -- bool: nothing new begins until it goes on
    pausable -- bool, whether the run can be paused
    stopping -- bool: nothing new begins any more
    """

    page: Page = Page.TABLE
    under: Page = Page.TABLE
    sort: Sort = Sort.MEAN
    chosen: int | None = None
    scroll: int = 0
    paused: bool = False
    pausable: bool = True
    stopping: bool = False


def press(state: State, key: str, rows: Sequence[int], beyond: int) -> State:
    """Return the state after a key; a key without a meaning changes nothing.

    key    -- a character, or space, enter, escape, up, down, pageup, pagedown
    rows   -- the players of the table, from above
    beyond -- int, lines of the page shown that find no room on the screen: how far it can be scrolled
    """
    match key:
        case "q":
            return state._replace(stopping=True)
        case "space" if state.pausable and not state.stopping:
            return state._replace(paused=not state.paused)
        case "?":
            return _back(state) if state.page is Page.HELP else _turned(state, Page.HELP)
        case "f":
            return _turned(state, Page.TABLE if state.page is Page.FAULTS else Page.FAULTS)
        case "escape":
            return _back(state)
        case "up" | "k":
            return _moved(state, -1, rows, beyond)
        case "down" | "j":
            return _moved(state, 1, rows, beyond)
        case "pageup":
            return _moved(state, -LEAP, rows, beyond)
        case "pagedown":
            return _moved(state, LEAP, rows, beyond)
        case "s" if state.page is Page.TABLE:
            sorts = list(Sort)
            return state._replace(sort=sorts[(sorts.index(state.sort) + 1) % len(sorts)])
        case "enter" if state.page is Page.TABLE and rows:
            chosen = state.chosen if state.chosen in rows else rows[0]
            return _turned(state._replace(chosen=chosen), Page.PLAYER)
    return state


def _turned(state: State, page: Page) -> State:
    return state._replace(page=page, under=state.page, scroll=0)


def _back(state: State) -> State:
    """Go to the page below: from help to where it was asked for, else to the table, where no row is marked then."""
    if state.page is Page.TABLE:
        return state._replace(chosen=None)
    return _turned(state, state.under if state.page is Page.HELP else Page.TABLE)


def _moved(state: State, by: int, rows: Sequence[int], beyond: int) -> State:
    """Mark another row of the table, or scroll another page."""
    if state.page is not Page.TABLE:
        return state._replace(scroll=min(max(0, min(state.scroll, beyond) + by), beyond))
    if not rows:
        return state
    if state.chosen not in rows:
        return state._replace(chosen=rows[0] if by > 0 else rows[-1])
    return state._replace(chosen=rows[min(max(0, rows.index(state.chosen) + by), len(rows) - 1)])


# -- what the run obeys


class Control:
    """What is asked of a run while it goes on.

    stopping -- what runs is finished, and nothing more is begun
    paused   -- nothing is begun for now
    pausable -- whether anybody heeds `paused`
    running  -- how many jobs are being played, of those that heed it
    ended    -- the run is over, or has failed: whoever waits is let go, and begins nothing
    """

    def __init__(self) -> None:
        self.stopping = self.paused = self.pausable = self.ended = False
        self.running = 0
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Begin nothing more. Takes no lock, so a signal handler may call it."""
        self.stopping = True

    def heeded_by(self, crew: Crew) -> Crew:
        """Return a crew of this process that begins a job only when it may.

        A job waits while the run is paused. Once it stops, a job that was not begun gives no output: none of its
        matches is played.
        """
        self.pausable = True

        def perform(job: str) -> str:
            while self.paused and not (self.stopping or self.ended):
                time.sleep(LOOK_S)
            if self.stopping or self.ended:
                return ""
            with self._lock:
                self.running += 1
            try:
                return crew.perform(job)
            finally:
                with self._lock:
                    self.running -= 1

        return crew._replace(perform=perform)


# -- the terminal


class Keyboard:
    """Reads keys from a terminal while it is entered. A context manager for the main thread, as it handles signals.

    stdin   -- a terminal
    pressed -- is called with the name of each key, in another thread; once more, at most, when this has been left
    resumed -- is called when the process goes on after a stop, in a signal handler: it must take no lock
    """

    def __init__(self, stdin: TextIO, pressed: Callable[[str], object], resumed: Callable[[], object]) -> None:
        self._stdin, self._fd = stdin, stdin.fileno()
        self._pressed, self._resumed = pressed, resumed
        self._settings: list[Any] | None = None  # those of before; None while the terminal is not ours
        self._away = False  # closed, or about to be stopped
        self._lock = threading.RLock()  # a signal handler may interrupt its own thread within it
        self._closing = threading.Event()
        self._handlers: dict[int, Any] = {}
        self._thread = threading.Thread(target=self._read, name="keys", daemon=True)

    def __enter__(self) -> Keyboard:
        atexit.register(self._give_back)
        for number in (signal.SIGTSTP, signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` and the like have their reasons
                self._handlers[number] = signal.signal(number, self._step_aside)
        self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._go_on)
        self._take()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._away = True
        self._closing.set()
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        atexit.unregister(self._give_back)

    def in_foreground(self) -> bool:
        """Return whether the terminal is ours now: from the background, to read or set it would stop the process."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return True  # not our controlling terminal: nobody else's turn

    def _take(self) -> None:
        """Put the terminal into cbreak mode, unless it is not ours to set."""
        with self._lock, contextlib.suppress(termios.error):  # the terminal may be gone
            if self._away or not self.in_foreground():
                return
            if self._settings is None:
                self._settings = termios.tcgetattr(self._fd)
            changed = [*self._settings]
            changed[3] &= ~(termios.ECHO | termios.ICANON)
            changed[6] = [*self._settings[6]]
            changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._fd, termios.TCSANOW, changed)

    def _give_back(self) -> None:
        """Put the settings of before back, unless the terminal is another's by now."""
        with self._lock, contextlib.suppress(termios.error):
            settings, self._settings = self._settings, None
            if settings is not None and self.in_foreground():
                termios.tcsetattr(self._fd, termios.TCSANOW, settings)

    def _step_aside(self, number: int, _: FrameType | None) -> None:
        """Give the terminal back and let a signal do what it does; only a stop returns from that."""
        self._away = True
        self._give_back()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._step_aside)
        self._away = self._closing.is_set()
        self._go_on()

    def _go_on(self, *_: object) -> None:
        """Take the terminal again after a stop; also after SIGSTOP, of which nobody hears before."""
        self._take()
        self._resumed()

    def _read(self) -> None:
        from prompt_toolkit.input import create_input

        with contextlib.suppress(OSError, ValueError):  # the terminal may be closed by then, after a very short run
            self._listen(create_input(self._stdin))

    def _listen(self, source: Input) -> None:
        wait = LOOK_S
        while not source.closed and not self._closing.is_set():
            if not self.in_foreground():
                self._closing.wait(LOOK_S)
                continue
            if self._settings is None:
                self._take()
            ready = bool(select.select([self._fd], [], [], wait)[0])
            if self._closing.is_set() or not self.in_foreground():
                continue
            keys = source.read_keys() if ready else source.flush_keys()
            wait = ESCAPE_S if ready else LOOK_S
            for key in keys:
                self._pressed(NAMES.get(key.key, key.key))
            if ready and not keys:
                self._closing.wait(ESCAPE_S / 10)  # half a key; or the terminal is gone, which is ready for ever
