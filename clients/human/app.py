"""The full-screen shell: prompt_toolkit paints `screen(model, ...)` and hands every key to `play.key`.

Lines of the referee wait in a feed. Moves of others are shown one at a time at the pace wanted; the end of a deal
holds the feed until the person has read it.
"""

import asyncio
import contextlib
import math
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output

from human import home, play, wire
from human.child import CannotStart
from human.look import Look, Row, painted
from human.model import PACES, Again, Bell, Effect, Hurry, Leave
from human.screen import screen
from human.sitting import Sitting

ESCAPE_SECONDS = 0.05
HOLDS = ("over", "end", "welcome", "leave")
KEPT_SENTENCES = 200
# prompt_toolkit's names for keys -> ours
NAMES = {
    Keys.Enter: "enter",
    Keys.Escape: "escape",
    Keys.Tab: "tab",
    Keys.BackTab: "s-tab",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.Backspace: "backspace",
    Keys.Delete: "delete",
    Keys.Insert: "insert",
    Keys.ControlC: "c-c",
    Keys.SIGINT: "c-c",
    Keys.ControlD: "c-d",
    Keys.ControlU: "c-u",
    **{Keys(f"f{number}"): f"f{number}" for number in range(1, 13)},
}


def color_depth(color: bool) -> ColorDepth:
    """Return the 16 colours of ANSI, or none."""
    return ColorDepth.DEPTH_4_BIT if color else ColorDepth.DEPTH_1_BIT


class Painter:
    """A full-screen Application over two functions: rows to show, and what a key does."""

    def __init__(self, color: bool, mouse: bool, inp: Input | None = None, out: Output | None = None) -> None:
        self.mouse = mouse
        self.app: Application[int] = Application(
            layout=Layout(Window(FormattedTextControl(self._fragments, focusable=True), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            full_screen=True,
            mouse_support=mouse,
            color_depth=color_depth(color),
            include_default_pygments_style=False,
            input=inp,
            output=out,
        )
        # How long Esc waits to see whether it begins the sequence of another key.
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = ESCAPE_SECONDS

    def rows(self, width: int, height: int) -> tuple[list[Row], Look]:
        """Return what to show."""
        raise NotImplementedError

    def pressed(self, name: str) -> None:
        """Take in one key."""
        raise NotImplementedError

    def pasted(self, text: str) -> None:
        """Take in pasted text; it is never taken for keys."""

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Let a bug end the Application, so that the terminal is restored before the bug is told."""
        try:
            yield
        except Exception as error:
            if self.app.future is None or self.app.future.done():
                raise
            self.app.exit(exception=error)

    def leave(self, code: int = 0) -> None:
        """End the Application; a second call does nothing."""
        if self.app.future is not None and not self.app.future.done():
            self.app.exit(result=code)

    def _fragments(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        rows, look = self.rows(size.columns, size.rows)
        fragments: StyleAndTextTuples = []
        for at, row in enumerate(rows):
            fragments += self._clickable(row, look) if self.mouse and row.hits else painted(row, look)
            if at < len(rows) - 1:
                fragments.append(("", "\n"))
        return fragments

    def _clickable(self, row: Row, look: Look) -> StyleAndTextTuples:
        """Return the spans of a row cut at its hits, each hit with a handler for the mouse."""
        fragments: StyleAndTextTuples = []
        column = 0
        for style, text in painted(row, look):
            for character in text:
                what = next((hit for start, end, hit in row.hits if start <= column < end), "")
                fragments.append((style, character, partial(self._mouse, what)) if what else (style, character))
                column += 1
        return fragments

    def _mouse(self, what: str, event: MouseEvent) -> None:
        if event.event_type == MouseEventType.MOUSE_UP:
            self.clicked(what)
            self.app.invalidate()

    def clicked(self, what: str) -> None:
        """Take in one click."""

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        def press(event: KeyPressEvent) -> None:
            press_ = event.key_sequence[0]
            key = press_.key
            name = NAMES[key] if isinstance(key, Keys) and key in NAMES else " ".join(str(press_.data).split())
            with self.guarded():
                if key == Keys.BracketedPaste:
                    self.pasted(press_.data)
                elif name or press_.data == " ":
                    self.pressed(name or "space")
            self.app.invalidate()

        for key in (*NAMES, Keys.BracketedPaste, Keys.Any):
            bindings.add(key, eager=key in NAMES)(press)

        @bindings.add("c-z")
        def _(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        @bindings.add("c-l")
        def _(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        return bindings


def _timed(line: str) -> float | None:
    """Return the seconds that a request gives, None for one without a clock and for any other line."""
    message = wire.parse(line) if line.startswith("act ") else None
    milliseconds = message.number("ms") if message is not None else None
    return None if milliseconds is None else milliseconds / 1000


class Table(Painter):
    """The shell around a sitting."""

    def __init__(
        self, sitting: Sitting, color: bool, mouse: bool, inp: Input | None = None, out: Output | None = None
    ) -> None:
        super().__init__(color, mouse, inp, out)
        self.sitting = sitting
        self.feed: deque[str] = deque()
        self.next_at = 0.0
        self.hurrying = False
        self.deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._clock: asyncio.TimerHandle | None = None

    def rows(self, width: int, height: int) -> tuple[list[Row], Look]:
        return screen(self.sitting.model, width, height), self.sitting.model.settings.look

    def pressed(self, name: str) -> None:
        self.sitting.model, effects = play.key(self.sitting.model, name)
        self.obey(self.sitting.perform(effects))
        self.pump()

    def pasted(self, text: str) -> None:
        if self.sitting.model.line is None:
            self.sitting.model = self.sitting.model.noted(
                "Pasted text is taken only by the command line: press : first."
            )
            return
        for character in (text.splitlines() or [""])[0]:
            self.pressed("space" if character == " " else character)

    def clicked(self, what: str) -> None:
        self.sitting.model = play.click(self.sitting.model, what)

    def obey(self, effects: tuple[Effect, ...]) -> None:
        """Do the effects that concern the terminal."""
        for effect in effects:
            match effect:
                case Leave():
                    self.leave(self.sitting.code)
                case Hurry():
                    self.hurrying = True
                case Bell():
                    self.app.output.bell()
                case Again():
                    self.unlisten()
                    self.feed.clear()
                    self.sitting.again()
                    self.listen()

    # The referee's lines

    def listen(self) -> None:
        """Watch the referee's output."""
        assert self.sitting.referee is not None
        asyncio.get_running_loop().add_reader(self.sitting.referee.fileno(), self.arrived)

    def unlisten(self) -> None:
        """Stop watching, before its output is closed."""
        if self.sitting.referee is not None:
            try:
                asyncio.get_running_loop().remove_reader(self.sitting.referee.fileno())
            except ValueError:
                return  # closed already

    def arrived(self) -> None:
        """Take lines off the referee's output into the feed."""
        assert self.sitting.referee is not None
        lines = self.sitting.referee.read()
        if lines is None:
            self.unlisten()
            self.feed.append("")  # an empty line stands for the end of its output
        self.feed.extend(line for line in lines or () if line)
        if any(map(_timed, lines or ())):
            self.deadline = time.monotonic() + max(filter(None, map(_timed, lines or ())))
        self.pump()

    def pump(self) -> None:
        """Show what may be shown now, and come back for the rest."""
        with self.guarded():
            self._pump()

    def _pump(self) -> None:
        while self.feed and not self._held():
            wait = self.next_at - time.monotonic()
            if wait > 0 and not self.hurrying and not self._clock_runs():
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = asyncio.get_running_loop().call_later(wait, self.pump)
                break
            line = self.feed.popleft()
            if not line:
                self.end_of_output()
                break
            self.obey(self.sitting.hear(line))
            self._keep_pace(line)
            self.tick()
        model = self.sitting.model
        coming = model.ended and any(line.startswith("match ") for line in self.feed)
        if coming != model.next_match:
            model = self.sitting.model = replace(model, next_match=coming)
        if len(model.said) > KEPT_SENTENCES:
            self.sitting.model = replace(model, said=model.said[-KEPT_SENTENCES // 2 :])
        self.app.invalidate()

    def _held(self) -> bool:
        """Return whether the person is reading something that later events would replace."""
        model = self.sitting.model
        reads = model.table is not None and model.overlay in HOLDS and not self._clock_runs()
        return bool(model.gone) or reads

    def _clock_runs(self) -> bool:
        """Return whether the referee waits for the person, on the clock, behind what is still to be shown."""
        return any(map(_timed, self.feed))

    def tick(self) -> None:
        """Show the seconds left, and come back when there is one less."""
        model = self.sitting.model
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        if model.request is None or model.request.ms is None:
            return
        left = max(self.deadline - time.monotonic(), 0.0)
        self.sitting.model = replace(model, left=math.ceil(left))
        if left > 0:
            self._clock = asyncio.get_running_loop().call_later(left % 1 or 1.0, self.tick)
        self.app.invalidate()

    def _keep_pace(self, line: str) -> None:
        model = self.sitting.model
        if model.request is not None:
            self.hurrying = False
        mine = model.table is not None and f" seat={model.table.me} " in f"{line} "
        if line.startswith("did ") and not mine and not model.replaying:
            self.next_at = time.monotonic() + PACES[model.settings.pace]

    def end_of_output(self) -> None:
        """Start the referee again, or leave when it never began."""
        if self.sitting.lost():
            self.listen()
        elif self.sitting.model.gone and self.sitting.model.table is None:
            self.leave(self.sitting.code)

    async def run(self) -> int:
        """Play until the person leaves; return the exit code."""
        self.sitting.start()
        self.listen()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.leave, 128 + number)
        try:
            return await self.app.run_async()
        finally:
            self.unlisten()
            self.sitting.end()


def run(sitting: Sitting, color: bool, mouse: bool) -> int:
    """Play in full-screen mode; return the exit code."""
    os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
    try:
        code = asyncio.run(Table(sitting, color, mouse).run())
    except CannotStart as error:
        print(error)
        return 70
    if sitting.model.gone:
        print(sitting.model.gone)
    if sitting.saved():
        print(play.saved_sentence(sitting.model))
    return code


class HomeScreen(Painter):
    """The shell around the home screen."""

    def __init__(self, model: home.Home, look: Look, color: bool) -> None:
        super().__init__(color, mouse=False)
        self.model, self.look = model, look

    def rows(self, width: int, height: int) -> tuple[list[Row], Look]:
        return home.screen(self.model, width, height, self.look), self.look

    def pressed(self, name: str) -> None:
        self.model = home.key(self.model, name)
        if self.model.done:
            self.leave()


def ask_home(model: home.Home, look: Look, color: bool) -> home.Home:
    """Show the home screen until something is decided; return it."""
    os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
    shell = HomeScreen(model, look, color)
    asyncio.run(shell.app.run_async())
    return shell.model
