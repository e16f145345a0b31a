"""The home screen: which game, how many opponents, how strong. Pure, like the table's screen; and the same in lines."""

from dataclasses import dataclass, replace
from typing import TextIO

from human.grammar import quoted
from human.look import Look, Row, dressed

GAMES = ("scat", "scout")
LEVELS = ("easy", "medium", "hard", "best")
MOST = {"scat": 8, "scout": 4}
ABOUT = {
    "scat": "31 in one suit, or not the lowest: draw, drop, knock",
    "scout": "beat the set on the table or scout from it; your hand's order is fixed",
}


@dataclass(frozen=True)
class Home:
    """What is chosen so far. row: the line the cursor is on; done: ``, play, resume or leave; saved: what can go on."""

    game: str = "scat"
    opponents: int = 3
    level: str = "medium"
    row: int = 0
    saved: str = ""
    done: str = ""


def key(home: Home, name: str) -> Home:
    """Return the home screen after one key."""
    if name in ("q", "c-d", "c-c", "escape"):
        return replace(home, done="leave")
    if name == "enter":
        return replace(home, done="play")
    if name == "r" and home.saved:
        return replace(home, done="resume")
    if name in ("up", "s-tab"):
        return replace(home, row=(home.row - 1) % 3)
    if name in ("down", "tab"):
        return replace(home, row=(home.row + 1) % 3)
    if name in ("left", "right", "space"):
        return _changed(home, -1 if name == "left" else 1)
    return home


def _changed(home: Home, step: int) -> Home:
    if home.row == 0:
        game = GAMES[(GAMES.index(home.game) + step) % len(GAMES)]
        return replace(home, game=game, opponents=min(home.opponents, MOST[game]))
    if home.row == 1:
        return replace(home, opponents=(home.opponents - 1 + step) % MOST[home.game] + 1)
    return replace(home, level=LEVELS[(LEVELS.index(home.level) + step) % len(LEVELS)])


def screen(home: Home, width: int, height: int, look: Look) -> list[Row]:
    """Return the rows of the home screen."""
    rows = [Row(" referee: play SCAT or SCOUT", "bold"), Row("─" * width), Row("")]
    values = (home.game.upper(), str(home.opponents), home.level)
    for at, (name, value) in enumerate(zip(("game", "opponents", "level"), values, strict=True)):
        mark = "►" if at == home.row else " "
        rows.append(Row(f" {mark} {name:<10} ← {value} →", "bold" if at == home.row else ""))
    rows += [Row(""), Row(f"   {ABOUT[home.game]}")]
    if home.saved:
        rows += [Row(""), Row(f"   r  resume: {home.saved}")]
    keys = Row(" Enter play  Up Down line  ←→ change" + ("  r resume" if home.saved else "") + "  q leave")
    rows += [Row("")] * max(height - len(rows) - 1, 0)
    return [dressed(row, look, width) for row in [*rows[: height - 1], keys]]


def ask(home: Home, inp: TextIO, out: TextIO) -> Home:
    """Ask the same in lines; an empty answer takes what is offered, the end of input leaves."""
    if home.saved:
        print(f"A match is saved: {home.saved}. Type resume to go on with it, or choose a new one.", file=out)
    answers: dict[str, str] = {}
    questions = (
        ("game", f"Which game: {' or '.join(GAMES)}? Empty for {home.game}.", GAMES),
        ("opponents", "How many opponents? Empty for {}.", ()),
        ("level", f"How strong: {', '.join(LEVELS)}? Empty for {home.level}.", LEVELS),
    )
    for name, question, choices in questions:
        while True:
            offered = min(home.opponents, MOST[answers.get("game") or home.game])
            print(question.format(offered), file=out)
            out.write("> ")
            out.flush()
            line = inp.readline()
            word = line.strip().lower()
            if not line or word in ("leave", "quit", "q"):
                return replace(home, done="leave")
            if word == "resume" and home.saved:
                return replace(home, done="resume")
            most = MOST[answers.get("game") or home.game]
            allowed = choices or tuple(str(number) for number in range(1, most + 1))
            if not word or word in allowed:
                answers[name] = word
                break
            print(f"{quoted(word)} is none of {', '.join(allowed)}.", file=out)
    game = answers["game"] or home.game
    opponents = int(answers["opponents"] or min(home.opponents, MOST[game]))
    return Home(game, opponents, answers["level"] or home.level, saved=home.saved, done="play")
