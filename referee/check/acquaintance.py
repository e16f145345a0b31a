"""The first conversation: the greeting, silence, the first requests, and leaving at `bye`."""

from referee.check.causes import trouble_of
from referee.check.desk import PROBES, QUIET_MS, Desk
from referee.check.report import FAIL, PASS, WARN
from referee.check.talk import LEAVE_S, STAY_S, Leaving, Talk
from referee.games import load, names, nearest
from referee.match import Answer
from referee.wire import Fault, quote


def greet(desk: Desk, talk: Talk) -> bool:
    """Greet the player for the first time. Returns whether it can be asked for a game."""
    fault = talk.start(names())
    if fault is not None:
        trouble = trouble_of(talk, fault)
        key = {"exit": "start", "signal": "start", "closed": "start", "handshake": "ready"}.get(fault.code, "ready")
        if "got none in" in fault.text:
            key = "greeting"
        desk.why_not = f"it was not greeted (probe {PROBES[key][0]})"
        if key != "start":
            desk.put("start", PASS)
        desk.put(key, FAIL, fault.code, trouble=trouble)
        return False
    desk.put("start", PASS)
    took, allowed = talk.start_ms[0], desk.limits.start_ms
    close = took > allowed / 2
    desk.put(
        "greeting",
        WARN if close else PASS,
        f"{took:.0f} ms",
        problem=f"It took {took:.0f} ms of the {allowed} that it has." if close else "",
    )
    desk.put("ready", PASS, "" if not talk.said() else quote(talk.said()[0].data, 60))
    return _choose_games(desk, talk)


def _choose_games(desk: Desk, talk: Talk) -> bool:
    """Judge the games that the player claims. Returns whether one of them is checked."""
    claimed = talk.process.ready.games
    seated = [game for game in names() if not set(desk.seats).isdisjoint(load(game).seats)]
    known = [game for game in seated if claimed is None or game in claimed]
    desk.games = [game for game in known if desk.asked is None or game in desk.asked]
    strange = [game for game in claimed or () if game not in names()]
    hints = "".join(nearest(game, names()) for game in strange)
    if not desk.games:
        wanted = ", ".join(desk.asked or seated)
        said = quote(",".join(claimed or ()))
        desk.put(
            "games",
            FAIL,
            problem=f"It says that it plays {said}; it was to be checked for {wanted}.{hints}",
            fix=("say 'ready games=scat,scout', or 'ready' alone",),
        )
        desk.why_not = f"it plays no game that is checked (probe {PROBES['games'][0]})"
        return False
    if strange:
        desk.put(
            "games", WARN, problem=f"This referee does not know {', '.join(map(quote, strange))}.{hints} It is not"
            f" asked for such games; it knows {', '.join(names())}.",
        )  # fmt: skip
    desk.put("games", PASS, ", ".join(desk.games) + ("" if claimed is not None else " (it did not say)"))
    return True


def get_acquainted(desk: Desk) -> None:
    """Greet the player, listen, ask a little, and see it off with `bye`."""
    with desk.talk() as talk:
        if greet(desk, talk):
            pieces = talk.listen(QUIET_MS)
            for game in desk.games:
                if desk.why_not or not desk.alive(talk):
                    break
                _first_requests(desk, talk, game, bool(pieces))
                pieces = []
            for key in ("ready-once", "silent", "first", "ids", "once"):
                if key not in desk.results and not (key in ("ids", "once") and not desk.open()):
                    desk.put(key, PASS, _first_times(talk) if key == "first" else "")
            if talk.usable() or talk.start(names()) is None:
                _leave_politely(desk, talk.leave("bye"))
    desk.count(talk)


def _first_requests(desk: Desk, talk: Talk, game: str, early: bool) -> None:
    """Ask for the first decisions of a game, listening in between; a fault is put down to the habit behind it.

    early -- whether lines came before anything was told
    """
    ordinary = [position for position in desk.sample(game) if position.kind != "a big hand"]
    for number, position in enumerate(ordinary[:3]):
        if number == 0:
            talk.open(position.game, position.seats, position.seat, position.heard)
            spoke = bool(talk.listen(QUIET_MS))
            outcome = talk.request(position)
            if not isinstance(outcome, Fault):
                talk.tell("void text=this was a single question")
        else:
            outcome = talk.pose(position)
        if isinstance(outcome, Fault):
            trouble = trouble_of(talk, outcome)
            key = {"ready": "ready-once"}.get(trouble.sort, trouble.sort)
            if key == "silent" and early and not spoke:
                key = "ready-once"
            desk.put(key, FAIL, f"{game}: {outcome.code}", trouble=trouble, repeat=desk.command_line(game))
            why = f"its answers cannot be relied on (probe {PROBES[key][0]})"
            if key == "first":
                desk.mute[game] = why
            else:
                desk.why_not = why
            return
        if number == 0:
            talk.listen(QUIET_MS)


def _first_times(talk: Talk) -> str:
    found = [f"{asked.outcome.charge_ms:.1f}" for asked in talk.asked if isinstance(asked.outcome, Answer)]
    return f"{', '.join(found[::3])} ms" if found else ""


def _leave_politely(desk: Desk, leaving: Leaving) -> None:
    """Judge how the player left after `bye`."""
    if leaving.ms is None or leaving.ms > LEAVE_S * 1000:
        took = "It was still running 1 s" if leaving.ms is None else f"It exited only {leaving.ms:.0f} ms"
        desk.put(
            "bye",
            FAIL,
            problem=f"{took} after 'bye' and the end of its input; it has {LEAVE_S * 1000:.0f} ms.",
            notes=[f"still running: {each}" for each in leaving.left[:6]],
            fix=("exit at the line 'bye', and when reading finds the end of the input",),
        )
    else:
        desk.put("bye", PASS, f"{leaving.ms:.0f} ms")
        if leaving.code:
            how = f"code {leaving.code}" if leaving.code > 0 else f"signal {-leaving.code}"
            desk.put("exit-code", WARN, how, problem=f"It ended with {how} after 'bye'.")
        elif leaving.code is not None:
            desk.put("exit-code", PASS)
    if judge_orphans(desk, leaving, "'bye'"):
        desk.why_not = f"it leaves processes behind at every request (probe {PROBES['orphans'][0]})"


def judge_orphans(desk: Desk, leaving: Leaving, after: str) -> bool:
    """Judge what a player that has exited left behind. Returns whether it left something.

    after -- what it left at
    """
    if leaving.ms is None:
        return False
    if not leaving.left:
        desk.put("orphans", PASS)
        return False
    count = "a process" if len(leaving.left) == 1 else f"{len(leaving.left)} processes"
    desk.put(
        "orphans",
        FAIL,
        f"{len(leaving.left)} left",
        problem=f"It exited, and {count} of its own still ran {STAY_S:g} s after {after}.",
        notes=[f"still running: {each}" for each in leaving.left[:6]],
        fix=("end what you have started before you exit; the referee kills it without a word",),
    )
    return True
