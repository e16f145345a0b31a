"""The full-screen shells of `replay` and `watch`: prompt_toolkit paints rows and hands every key on.

All that is shown and all that a key means is decided in viewer.py and watching.py; here is the terminal alone.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth, Output

from referee.report import viewer, watching
from referee.report.viewer import Model, Row
from referee.report.watching import Follower, Watch

ESCAPE_SECONDS = 0.05  # how long Esc waits to see whether it begins another key
LOOK_SECONDS = 0.5  # between two looks at a run
RATE_SECONDS = 2.0  # between two standings: they cost more than a look

_NAMES: Mapping[str, str] = {
    Keys.Enter: "enter",
    Keys.Escape: "escape",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.Backspace: "backspace",
    Keys.ControlC: "c-c",
    Keys.SIGINT: "c-c",
    Keys.ControlD: "c-d",
}
_SUIT = re.compile("(10|[2-9JQKA])([♠♥♦♣])")
_COLOURS = {"♠": "", "♥": "ansired", "♦": "ansibrightblue", "♣": "ansigreen"}


class Display(NamedTuple):
    """What the terminal shows: unicode or ascii; colour or none."""

    charset: str
    color: bool


def _dim() -> str:
    """Return the style for what is still to come; older versions of prompt_toolkit know no dim, and show it plain."""
    from prompt_toolkit.styles import Attrs

    return "dim" if "dim" in Attrs._fields else ""


_ROLES = {"head": "bold", "now": "bold", "later": _dim(), "fault": "ansired", "plain": ""}


def painted(row: Row) -> StyleAndTextTuples:
    """Return a row as (style, text) spans. Colour is laid on top of the text and never changes it."""
    base = _ROLES[row.role]
    spans: StyleAndTextTuples = []
    end = 0
    for card in _SUIT.finditer(row.text):
        spans += [(base, row.text[end : card.start()]), (f"{base} {_COLOURS[card[2]]}".strip(), card[0])]
        end = card.end()
    return [*spans, (base, row.text[end:])]


class Shell:
    """A full-screen Application over three functions: rows to show, what a key does, what time does.

    rows    -- (width, height) -> rows
    pressed -- takes one key by its name; returns whether to go on
    passed  -- called when its own last answer, in seconds, has passed; None: not again before the next key
    """

    def __init__(
        self,
        rows: Callable[[int, int], Sequence[Row]],
        pressed: Callable[[str], bool],
        passed: Callable[[], float | None],
        display: Display,
        inp: Input | None = None,
        out: Output | None = None,
    ) -> None:
        self._rows, self._pressed, self._passed = rows, pressed, passed
        self._timer: asyncio.TimerHandle | None = None
        self.app: Application[int] = Application(
            layout=Layout(Window(FormattedTextControl(self._fragments, focusable=True), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            full_screen=True,
            color_depth=ColorDepth.DEPTH_4_BIT if display.color else ColorDepth.DEPTH_1_BIT,
            include_default_pygments_style=False,
            input=inp,
            output=out,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = ESCAPE_SECONDS

    def leave(self, code: int = 0) -> None:
        """End the Application; a second call does nothing."""
        if self.app.future is not None and not self.app.future.done():
            self.app.exit(result=code)

    def _fragments(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        fragments: StyleAndTextTuples = []
        for at, row in enumerate(self._rows(size.columns, size.rows)):
            fragments += [("", "\n"), *painted(row)] if at else painted(row)
        return fragments

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        def press(event: KeyPressEvent) -> None:
            for one in event.key_sequence:
                name = _NAMES.get(one.key) or ("space" if one.data == " " else one.data)
                if not self._pressed(name):
                    self.leave()
            self._wait()
            self.app.invalidate()

        for key in (*_NAMES, Keys.Any):
            bindings.add(key, eager=key in _NAMES)(press)

        @bindings.add("c-z")
        def _(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        @bindings.add("c-l")
        def _(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        return bindings

    def _wait(self) -> None:
        """Ask how long to wait, and come back after it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if (seconds := self._passed()) is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._again)

    def _again(self) -> None:
        self._wait()
        self.app.invalidate()

    async def run(self) -> int:
        """Show it until the person leaves; return the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.leave, 128 + number)
        self._wait()
        try:
            return await self.app.run_async()
        finally:
            if self._timer is not None:
                self._timer.cancel()


class ReplayShell:
    """A replay, and the clock that plays it."""

    def __init__(self, model: Model, display: Display) -> None:
        self.model, self.display = model, display
        self._due: float | None = None

    def rows(self, width: int, height: int) -> Sequence[Row]:
        return viewer.rows(self.model, width, height, self.display.charset)

    def pressed(self, name: str) -> bool:
        self.model = viewer.key(self.model, name)
        return not self.model.done

    def passed(self) -> float | None:
        """Step when the moment has been looked at long enough; a key in between does not hasten it."""
        self.model, self._due = _played(self.model, self._due)
        return None if self._due is None else max(0.0, self._due - time.monotonic())


def _played(model: Model, due: float | None) -> tuple[Model, float | None]:
    """Return the model after what is due, and when the next step is due: None while nothing plays."""
    now = time.monotonic()
    if not model.playing:
        return model, None
    if due is None:
        return model, now + viewer.seconds(model)
    if now >= due:
        model = viewer.tick(model)
        return model, now + viewer.seconds(model) if model.playing else None
    return model, min(due, now + viewer.seconds(model))


class WatchShell:
    """The list of a run, which is looked at every now and then, and the replay opened from it."""

    def __init__(self, follower: Follower, display: Display) -> None:
        self.follower, self.display = follower, display
        self.watch = Watch(str(follower.store.folder), follower.total)
        self._due: float | None = None
        self._look_at = self._rate_at = 0.0
        self._stale = False
        self._height = 24

    def rows(self, width: int, height: int) -> Sequence[Row]:
        self._height = height
        return watching.rows(self.watch, width, height, self.display.charset)

    def pressed(self, name: str) -> bool:
        self.watch = watching.key(self.watch, name, max(1, self._height - 8))
        if self.watch.wanted is not None:
            self.watch = watching.opened(self.watch, self.follower.replay(self.watch.wanted))
        return not self.watch.done

    def passed(self) -> float | None:
        """Look at the run when it is time, and step an open replay that plays."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look(now)
        if self.watch.replay is not None:
            model, self._due = _played(self.watch.replay, self._due)
            self.watch = replace(self.watch, replay=model)
        else:
            self._due = None
        soonest = min(self._look_at, self._due) if self._due is not None else self._look_at
        if self.watch.finished and not self._stale:
            return None if self._due is None else max(0.0, self._due - time.monotonic())
        return max(0.0, soonest - time.monotonic())

    def _look(self, now: float) -> None:
        matches = self.follower.news()
        self._stale = self._stale or bool(matches) or not self.watch.standings
        standings = self.watch.standings
        if self._stale and now >= self._rate_at:
            standings, self._stale = self.follower.standings(), False
            self._rate_at = time.monotonic() + RATE_SECONDS
        finished, stopped = self.follower.finished, self.follower.stopped
        self.watch = watching.hear(self.watch, matches, standings, finished, stopped)
        spent = time.monotonic() - now
        self._look_at = time.monotonic() + max(LOOK_SECONDS, 5 * spent)  # a big run is looked at less often


def display_of(environment: Mapping[str, str]) -> Display:
    """Return what the terminal shows, by its encoding and the environment; an empty NO_COLOR counts as unset."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "").replace("_", "")
    plain = environment.get("REFEREE_ASCII", "") not in ("", "0") or environment.get("TERM") == "linux"
    return Display("ascii" if plain or encoding != "utf8" else "unicode", not environment.get("NO_COLOR"))


def show_replay(model: Model) -> int:
    """Show a replay until the person leaves; return the exit code."""
    display = display_of(os.environ)
    shell = ReplayShell(model, display)
    return _run(Shell(shell.rows, shell.pressed, shell.passed, display))


def show_watch(follower: Follower) -> int:
    """Show a run until the person leaves; return the exit code."""
    display = display_of(os.environ)
    shell = WatchShell(follower, display)
    return _run(Shell(shell.rows, shell.pressed, shell.passed, display))


def _run(shell: Shell) -> int:
    os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"  # it would warn on terminals that do not say where the cursor is
    return asyncio.run(shell.run())
