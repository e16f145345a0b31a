"""Choosing a move of SCOUT: any slice by arrows, legal Shows by Tab, a Scout with end, flip and place, or both.

A Scout & Show is built as one decision and sent as the wire's two requests; nothing leaves before the last Enter.
"""

from dataclasses import replace

from human import grammar
from human.grammar import Command, Misread, Scouting, plural, shown, span
from human.model import Confirm, Model, ScoutPick
from human.scout import (
    Scout,
    advice,
    down,
    group_at,
    groups,
    inserted,
    joins,
    judged,
    numbers,
    outdoes,
    shows,
    strength,
    turned,
    up,
    useful,
)

VERBS = ("show", "scout", "at", "flip", "then", "keep", "turn")
LISTED = 8  # cards that one answer of linear mode names


def table_of(model: Model) -> Scout:
    """Return the model's table, known to be one of SCOUT."""
    assert isinstance(model.table, Scout)
    return model.table


def orienting(model: Model) -> bool:
    """Return whether the hand may be turned now."""
    return "keep" in model.legal


def scout_of(model: Model) -> Scouting:
    """Return the Scout being built."""
    pick = model.pick_scout
    return Scouting(pick.end, pick.place, pick.flip)


def hand_of(model: Model) -> tuple[str, ...]:
    """Return the hand as it would be: with the scouted card while a Scout is being built."""
    table = table_of(model)
    if model.pick_scout.stage != "show" and table.active:
        return inserted(table.hand, table.active, scout_of(model))[0]
    return table.hand


def active_of(model: Model) -> tuple[str, ...]:
    """Return the active set as it would be."""
    table = table_of(model)
    if model.pick_scout.stage != "show" and table.active:
        return inserted(table.hand, table.active, scout_of(model))[1]
    return table.active


def legal_shows(model: Model) -> tuple[tuple[int, int], ...]:
    """Return the slices that may be shown, strongest first: as the referee lists them, or after the Scout built."""
    table = table_of(model)
    if model.pick_scout.stage != "then":
        legal = {grammar.slice_of(word) for word in model.legal if word.startswith("show:")}
        return tuple(one for one in shows(table.hand, ()) if one in legal)
    return shows(hand_of(model), active_of(model))


def chosen(model: Model) -> tuple[int, int] | None:
    """Return the slice marked, first and last place."""
    pick = model.pick_scout
    if pick.cursor is None:
        return None
    anchor = pick.cursor if pick.anchor is None else pick.anchor
    return min(anchor, pick.cursor), max(anchor, pick.cursor)


def scout_refusal(model: Model, both: bool) -> str:
    """Return why scouting (with a Show: both) is not open now, `` when it is."""
    table = table_of(model)
    verb = "scoutshow:" if both else "scout:"
    if any(word.startswith(verb) for word in model.legal):
        return ""
    if orienting(model):
        return "First choose which way up to hold the hand: keep it or turn it."
    if table.phase == "show":
        return "The Scout of your Scout & Show is done; now choose the Show."
    if not table.active:
        return "There is nothing on the table to scout."
    if both and table.seats == 2:
        return "With two players there is no Scout & Show."
    if both and table.me is not None and not table.marker[table.me]:
        return "Your Scout & Show of this round is used."
    if both:
        return "No Scout here would leave you a legal Show, so Scout & Show is not possible."
    return "You have no token left, and a Scout costs one."


# --- keys ------------------------------------------------------------------------------------------------------


def key(model: Model, acts: frozenset[str], name: str) -> Model:
    """Return the model after a key while the referee waits for a move; no key here sends."""
    if orienting(model):
        return _key_orient(model, acts)
    if model.pick_scout.stage == "scout":
        return _key_scout(model, acts)
    if "scout" in acts or "scout-show" in acts:
        return open_scout(model, both="scout-show" in acts)
    return _key_show(model, acts)


def _key_orient(model: Model, acts: frozenset[str]) -> Model:
    pick = model.pick_scout
    if acts & {"flip", "left", "right", "up", "down", "next-legal", "previous-legal", "mark"}:
        return replace(model, pick_scout=replace(pick, turn=not pick.turn), note="")
    if "confirm" in acts:
        return confirm(model, ("turn" if pick.turn else "keep",))
    if acts & {"scout", "scout-show"}:
        return model.noted(scout_refusal(model, False))
    if "undo" in acts:
        return back(model)
    return model


def _key_show(model: Model, acts: frozenset[str]) -> Model:
    pick = model.pick_scout
    size = len(hand_of(model))
    if acts & {"next-legal", "previous-legal"}:
        legal = legal_shows(model)
        if not legal:
            return model.noted("No Show is legal now; scout with s.")
        step = 1 if "next-legal" in acts else -1
        now = chosen(model)
        at = legal.index(now) + step if now in legal else 0 if step == 1 else -1
        first, last = legal[at % len(legal)]
        return replace(model, pick_scout=replace(pick, anchor=first, cursor=last), note="")
    if acts & {"left", "right"}:
        step = 1 if "right" in acts else -1
        at = (0 if step == 1 else size - 1) if pick.cursor is None else min(max(pick.cursor + step, 0), size - 1)
        return replace(model, pick_scout=replace(pick, cursor=at), note="")
    if "mark" in acts:
        if pick.cursor is None:
            return replace(model, pick_scout=replace(pick, cursor=0, anchor=0), note="")
        return replace(model, pick_scout=replace(pick, anchor=pick.cursor if pick.anchor is None else None), note="")
    if "confirm" in acts:
        return show(model)
    if "undo" in acts:
        return back(model) if depth(model) else model.noted("Nothing to undo: moves that were sent stand.")
    if acts & {"flip", "other-end"}:
        return model.noted("Nothing is being scouted; s scouts a card.")
    return model


def show(model: Model) -> Model:
    """Return the model with the preview of the slice marked, or with the reason why it is not legal."""
    slice_ = chosen(model) if model.pick_scout.stage != "scout" else None
    if slice_ is None:
        return model.noted("Nothing is chosen: Tab goes through your legal Shows, ← → move, Space marks.")
    first, last = slice_
    if slice_ not in legal_shows(model):
        fine, why = judged(hand_of(model)[first : last + 1], active_of(model))
        return model.noted("That Show is not legal now." if fine else f"{why}.")
    words: tuple[str, ...] = (grammar.show_word(first, last),)
    if model.pick_scout.stage == "then":
        words = (scout_of(model).wire("scoutshow"), *words)
    return confirm(model, words)


def open_scout(model: Model, both: bool) -> Model:
    """Return the model with the Scout screen open, on the most useful place."""
    if sentence := scout_refusal(model, both):
        return model.noted(sentence)
    table = table_of(model)
    places = useful(table.hand, table.active, "L", False)
    place = places[0] if places else len(table.hand)
    return replace(model, pick_scout=ScoutPick("scout", place=place, both=both), note="")


def _key_scout(model: Model, acts: frozenset[str]) -> Model:
    table, pick = table_of(model), model.pick_scout
    size = len(table.hand)
    if "other-end" in acts:
        if len(table.active) == 1:
            return model.noted("Only one card is on the table: it is both ends.")
        return replace(model, pick_scout=replace(pick, end="R" if pick.end == "L" else "L"), note="")
    if "flip" in acts:
        return replace(model, pick_scout=replace(pick, flip=not pick.flip), note="")
    if acts & {"left", "right"}:
        place = min(max(pick.place + (1 if "right" in acts else -1), 0), size)
        return replace(model, pick_scout=replace(pick, place=place), note="")
    if acts & {"next-legal", "previous-legal"}:
        places = useful(table.hand, table.active, pick.end, pick.flip)
        if not places:
            return model.noted("No place makes a group this way; try f (flip) or e (other end).")
        step = 1 if "next-legal" in acts else -1
        at = places.index(pick.place) + step if pick.place in places else 0
        return replace(model, pick_scout=replace(pick, place=places[at % len(places)]), note="")
    if "scout-show" in acts or ("confirm" in acts and pick.both):
        return then_show(model)
    if "scout" in acts:
        return replace(model, pick_scout=replace(pick, both=False), note="")
    if "confirm" in acts:
        return confirm(model, (scout_of(model).wire(),))
    if "undo" in acts:
        return back(model)
    return model


def then_show(model: Model) -> Model:
    """Return the model going on from the Scout being built to the Show after it."""
    if sentence := scout_refusal(model, both=True):
        return model.noted(sentence)
    if scout_of(model).wire("scoutshow") not in model.legal:
        return model.noted("After this Scout no Show would be legal; try another place, f (flip) or e (other end).")
    pick = replace(model.pick_scout, stage="then", both=True, anchor=None, cursor=None)
    return replace(model, pick_scout=pick, note="")


def point(model: Model, place: int) -> Model:
    """Return the model after a click on a card: it is a slice, the next click extends it, the third begins anew."""
    pick = model.pick_scout
    if orienting(model):
        return model
    if pick.stage == "scout":
        return replace(model, pick_scout=replace(pick, place=min(place, len(table_of(model).hand))))
    anchor = pick.cursor if pick.cursor is not None and pick.anchor is None else None
    return replace(model, pick_scout=replace(pick, anchor=anchor, cursor=place))


def depth(model: Model) -> int:
    """Return how many steps Esc can walk back."""
    pick = model.pick_scout
    steps = {"show": 0, "scout": 1, "then": 2}[pick.stage]
    return steps + (pick.cursor is not None) + (pick.anchor is not None) + pick.turn


def back(model: Model) -> Model:
    """Return the model one step back; nothing built so far is lost but that step."""
    pick = model.pick_scout
    if pick.turn:
        return replace(model, pick_scout=replace(pick, turn=False), note="")
    if pick.anchor is not None or pick.cursor is not None:
        return replace(model, pick_scout=replace(pick, anchor=None, cursor=None), note="")
    if pick.stage == "then":
        return replace(model, pick_scout=replace(pick, stage="scout"), note="")
    if pick.stage == "scout":
        return replace(model, pick_scout=ScoutPick(), note="Back. Nothing was sent.")
    return model.noted("")


# --- previews --------------------------------------------------------------------------------------------------


def confirm(model: Model, words: tuple[str, ...]) -> Model:
    """Return the model with the preview of a decision."""
    if words[0] in ("keep", "turn"):
        lines: tuple[str, ...] = (f"{words[0].capitalize()} the hand?  It then stays this way up for the whole round.",)
        speech = "Keep the hand as dealt." if words[0] == "keep" else "Turn the whole hand over."
        built = Confirm(words, lines, speech)
    elif len(words) == 1 and words[0].startswith("scout:"):
        built = _confirm_scout(model, grammar.scouting(words[0]), words)
    else:
        built = _confirm_show(model, words)
    return replace(model, confirm=built, note="")


def makes(hand: tuple[str, ...], place: int) -> str:
    """Return what the card at a place forms with its neighbours: `set of 3 (7s)`, or ``."""
    first, last = group_at(hand, place)
    power = strength(hand[first : last + 1])
    return power.name() if power is not None and last > first else ""


def between(place: int, size: int) -> str:
    """Return `between 6 and 7` for a place to insert at, in the numbers that the hand has now."""
    if place == 0:
        return "before the first card"
    return "after the last card" if place == size else f"between {shown(place - 1)} and {shown(place)}"


def costs(model: Model) -> str:
    """Return who gains or loses a token by a Scout."""
    table = table_of(model)
    if table.seats == 2:
        mine = table.tokens[table.me or 0]
        return f"Costs 1 token ({mine - 1} left); your turn goes on."
    return "" if table.owner is None else f"{table.name(table.owner)} gets 1 token."


def _confirm_scout(model: Model, scout: Scouting, words: tuple[str, ...]) -> Confirm:
    table = table_of(model)
    hand, _ = inserted(table.hand, table.active, scout)
    card = hand[scout.place]
    formed = makes(hand, scout.place)
    first, last = group_at(hand, scout.place)
    power = strength(hand[first : last + 1])
    ends = " It ends the round." if table.closing() else ""
    lines = (
        f"{grammar.typed(words[0]).capitalize()}?   takes {up(card)} ({down(card)}).  "
        f"{f'Makes {formed}.' if formed else 'Makes no group.'}  Hand {len(hand)}.",
        f"{costs(model)}{ends}",
    )
    group = f"Makes {power.aloud()}." if formed and power else "Makes no group."
    where = f"Place {shown(scout.place)}, {between(scout.place, len(table.hand))}."
    speech = f"Takes {up(card)}, under {down(card)}. {where} {group} {costs(model)}{ends}"
    asks = f"{grammar.typed(words[0]).capitalize()}?"
    short = (f"{asks}  {up(card)} ({down(card)}), {f'makes {formed}' if formed else 'no group'}.", lines[1])
    return Confirm(words, lines, speech, costly=table.closing(), short=short)


def _confirm_show(model: Model, words: tuple[str, ...]) -> Confirm:
    table = table_of(model)
    hand, active = table.hand, table.active
    before = ""
    if len(words) == 2:
        scout = grammar.scouting(words[0])
        hand, active = inserted(hand, active, scout)
        card = hand[scout.place]
        before = f"Scout {up(card)} ({down(card)}) to {shown(scout.place)}, then show"
    first, last = grammar.slice_of(words[-1])
    cards = hand[first : last + 1]
    power = strength(cards)
    rest = len(hand) - len(cards)
    asks = f"{before or 'Show'} {span(first, last)}?"
    takes = f"Takes {plural(len(active), 'card')}, hand {rest}."
    first_line = f"{asks}   {outdoes(cards, active)}.  {takes}"
    over = f" beats {numbers(active)}" if active else ""
    short = (
        f"{asks}  {numbers(cards)}{over}.  +{len(active)}, hand {rest}.",
        f"After it  {joins(hand, first, last)}",
    )
    if before:
        first_line = f"{asks}  {numbers(cards)}{over}; +{len(active)}, hand {rest}."
    lines = (
        first_line,
        f"After it   {neighbours(hand, first, last)}{joins(hand, first, last)}",
    )
    aloud_before = f"Scout {up(card)}, under {down(card)}, to {shown(scout.place)}, then show" if before else "Show"
    said = f"{aloud_before} {span(first, last).replace('-', ' to ')}, {power.aloud() if power else numbers(cards)}."
    stays = f"{plural(rest, 'card')} {'stays' if rest == 1 else 'stay'} in hand"
    speech = f"{said} Takes {plural(len(active), 'card')}; {stays}. {joins(hand, first, last)}"
    return Confirm(words, lines, speech, costly=rest == 0 or len(words) == 2, short=short)


def neighbours(hand: tuple[str, ...], first: int, last: int) -> str:
    """Return the numbers around the gap that a Show leaves: `... 5 10 | 2 9 ...  `; nothing at an end."""
    if first == 0 or last == len(hand) - 1:
        return ""
    left, right = hand[max(first - 2, 0) : first], hand[last + 1 : last + 3]
    dots = "... " if first > 2 else "", " ..." if last + 3 < len(hand) else ""
    return f"{dots[0]}{numbers(left)} | {numbers(right)}{dots[1]}   "


# --- typed commands --------------------------------------------------------------------------------------------


def command(model: Model, typed: Command) -> Model:
    """Return the model after a typed move: with a preview, or with what is still to be chosen; raises Misread."""
    match typed.verb:
        case "keep" | "turn":
            if not orienting(model):
                raise Misread("The hand can be turned only at the start of a round, before the first move.")
            turn = replace(model.pick_scout, turn=typed.verb == "turn")
            return confirm(replace(model, pick_scout=turn), (typed.verb,))
        case "show":
            if orienting(model):
                raise Misread("First choose which way up to hold the hand: type keep or turn.")
            stage = model.pick_scout if model.pick_scout.stage == "then" else ScoutPick()
            return _command_show(replace(model, pick_scout=stage), typed.rest)
        case "then":
            return _command_then(model, typed.rest)
        case "scout":
            return _command_scout(model, typed.rest)
    if model.pick_scout.stage == "show":
        raise Misread("Nothing is being scouted. Type scout left or scout right first.")
    pick = replace(model.pick_scout, stage="scout", anchor=None, cursor=None)
    model = replace(model, pick_scout=pick)
    if typed.verb == "flip":
        return _scouting_said(replace(model, pick_scout=replace(pick, flip=not pick.flip)))
    size = len(table_of(model).hand) + 1
    place = grammar.place(typed.rest[0] if typed.rest else "", size)
    return confirm(replace(model, pick_scout=replace(pick, place=place)), (scout_of_place(pick, place).wire(),))


def scout_of_place(pick: ScoutPick, place: int) -> Scouting:
    """Return the Scout that a pick stands for, at another place."""
    return Scouting(pick.end, place, pick.flip)


def _command_show(model: Model, rest: tuple[str, ...]) -> Model:
    first, last = grammar.places(rest, len(hand_of(model)))
    cards = hand_of(model)[first : last + 1]
    if (first, last) not in legal_shows(model):
        fine, why = judged(cards, active_of(model))
        raise Misread("That Show is not legal now." if fine else f"Not legal: {why}.")
    return show(replace(model, pick_scout=replace(model.pick_scout, anchor=first, cursor=last)))


def _command_scout(model: Model, rest: tuple[str, ...]) -> Model:
    """Return the model after `scout [left|right] [flip] [at] [PLACE] [then show SLICE]`."""
    cut = rest.index("then") if "then" in rest else len(rest)
    words, after = rest[:cut], rest[cut + 1 :]
    both = "then" in rest
    if sentence := scout_refusal(model, both):
        raise Misread(sentence)
    table = table_of(model)
    sides = [word for word in words if word in ("left", "right", "l", "r")]
    if not sides and len(table.active) > 1:
        left, right = table.active[0], table.active[-1]
        return model.say(
            f"Type scout left, for {up(left)} under {down(left)}, or scout right, for {up(right)} under {down(right)}."
        )
    end = "R" if sides and sides[0][0] == "r" and len(table.active) > 1 else "L"
    flip = bool({"flip", "f", "turned"} & set(words))
    places = useful(table.hand, table.active, end, flip)
    pick = ScoutPick("scout", end=end, flip=flip, place=places[0] if places else len(table.hand), both=both)
    left_over = [word for word in words if word not in ("left", "right", "l", "r", "flip", "f", "turned", "at")]
    if not left_over:
        model = _scouting_said(replace(model, pick_scout=pick, confirm=None, note=""))
        return _command_then(model, after) if both else model
    pick = replace(pick, place=grammar.place(left_over[0], len(table.hand) + 1))
    model = replace(model, pick_scout=pick, confirm=None)
    return _command_then(model, after) if both else confirm(model, (scout_of(model).wire(),))


def _scouting_said(model: Model) -> Model:
    table, pick = table_of(model), model.pick_scout
    places = useful(table.hand, table.active, pick.end, pick.flip)
    card = hand_of(model)[pick.place]
    if not places:
        best = "No place makes a group; flip turns the card over."
    else:
        hand, _ = inserted(table.hand, table.active, scout_of_place(pick, places[0]))
        first, last = group_at(hand, places[0])
        power = strength(hand[first : last + 1])
        formed = power.aloud() if power else ""
        best = f"{plural(len(places), 'useful place')}. Best: place {shown(places[0])}, makes {formed}."
    then = "flip, or then show" if not scout_refusal(model, both=True) else "or flip"
    return model.say(f"Takes {up(card)}, under {down(card)}. {best}", f"Type at and a place, {then}.")


def _command_then(model: Model, rest: tuple[str, ...]) -> Model:
    if model.pick_scout.stage == "show":
        raise Misread("First say what to scout, such as scout left at 3 then show 2-4.")
    built = then_show(replace(model, confirm=None))
    if built.pick_scout.stage != "then":
        raise Misread(built.note)
    rest = tuple(word for word in rest if word != "show")
    if rest:
        return _command_show(built, rest)
    slices = legal_shows(built)
    listed = "; ".join(
        f"show {span(*one)}, {power.aloud()}"
        for one in slices[:4]
        if (power := strength(hand_of(built)[one[0] : one[1] + 1])) is not None
    )
    return built.say(f"After the Scout you have {plural(len(slices), 'legal Show')}: {listed}.", "Nothing is sent yet.")


def next_words(model: Model, typed: Command) -> tuple[str, ...]:
    """Return the words that may follow a typed move: sides, `flip`, `at`, places that help, legal Shows."""
    table, rest = table_of(model), typed.rest
    match typed.verb:
        case "show" if not rest:
            return tuple(span(*one) for one in legal_shows(model))
        case "at" if not rest and model.pick_scout.stage != "show":
            pick = model.pick_scout
            return tuple(str(shown(at)) for at in useful(table.hand, table.active, pick.end, pick.flip))
        case "then" if model.pick_scout.stage != "show":
            return _words_of_then(model, rest)
        case "scout" if not scout_refusal(model, both=False):
            return _words_of_scout(model, rest)
    return ()


def _words_of_then(model: Model, rest: tuple[str, ...]) -> tuple[str, ...]:
    """Return what may follow `then`: `show`, then the Shows that the Scout built would leave legal."""
    if not rest:
        return ("show",)
    built = then_show(model)
    if rest != ("show",) or built.pick_scout.stage != "then":
        return ()
    return tuple(span(*one) for one in legal_shows(built))


def _words_of_scout(model: Model, rest: tuple[str, ...]) -> tuple[str, ...]:
    table = table_of(model)
    if "then" in rest:
        cut = rest.index("then")
        try:
            built = _command_scout(model, rest[:cut])
        except Misread:
            return ()
        return _words_of_then(built, rest[cut + 1 :]) if built.pick_scout.stage != "show" else ()
    if rest[-1:] == ("at",):
        end = "R" if {"right", "r"} & set(rest) and len(table.active) > 1 else "L"
        return tuple(str(shown(at)) for at in useful(table.hand, table.active, end, "flip" in rest))
    if rest and grammar.whole(rest[-1]) is not None:
        return () if scout_refusal(model, both=True) else ("then",)
    sides = () if {"left", "right", "l", "r"} & set(rest) or len(table.active) == 1 else ("left", "right")
    flip = () if {"flip", "f", "turned"} & set(rest) else ("flip",)
    return sides or (*flip, "at")


def moves(model: Model) -> list[tuple[tuple[str, ...], str]]:
    """Return the numbered choices of linear mode: the words of the wire and what they do."""
    if orienting(model):
        return [(("keep",), f"keep: {_reading(table_of(model).hand)}"), (("turn",), f"turn: {_reading(_over(model))}")]
    found: list[tuple[tuple[str, ...], str]] = []
    hand = hand_of(model) if model.pick_scout.stage == "then" else table_of(model).hand
    for first, last in legal_shows(model):
        power = strength(hand[first : last + 1])
        words: tuple[str, ...] = (grammar.show_word(first, last),)
        if model.pick_scout.stage == "then":
            words = (scout_of(model).wire("scoutshow"), *words)
        text = f"show {span(first, last).replace('-', ' to ')}: {power.aloud() if power else ''}."
        found.append((words, text))
    if not scout_refusal(model, both=False):
        found.append((("scout",), "scout left or right, any place. Type scout for details."))
    return found


def _over(model: Model) -> tuple[str, ...]:
    return tuple(map(turned, table_of(model).hand))


def _reading(hand: tuple[str, ...]) -> str:
    found = groups(hand)
    listed = [
        f"{power.aloud()} at {span(*one).replace('-', ' to ')}"
        for one in found[:3]
        if (power := strength(hand[one[0] : one[1] + 1])) is not None
    ]
    return f"{numbers(hand)}. {'; '.join(listed) if listed else 'No group'}."


def pick_move(model: Model, words: tuple[str, ...]) -> Model:
    """Return the model after a numbered choice."""
    if words == ("scout",):
        return command(model, Command("scout", ()))
    if words[0] in ("keep", "turn"):
        return command(model, Command(words[0], ()))
    first, last = grammar.slice_of(words[-1])
    pick = model.pick_scout if len(words) == 2 else ScoutPick()
    return show(replace(model, pick_scout=replace(pick, anchor=first, cursor=last)))


def hint(model: Model) -> tuple[tuple[str, ...], str]:
    """Return the words of the move advised and a sentence that says why."""
    return advice(table_of(model), model.legal)


def your_turn(model: Model) -> list[str]:
    """Return the sentences that linear mode says when the referee waits for a move."""
    table = table_of(model)
    if orienting(model):
        first = f"As dealt: {_reading(table.hand)}"
        return [
            "Choose which way up to hold your hand, for the whole round.",
            first,
            f"Turned: {_reading(_over(model))}",
        ]
    slices = plural(len(legal_shows(model)), "legal Show")
    if table.phase == "show":
        return [f"Now the Show of your Scout & Show. You have {slices}."]
    if not table.active:
        return [f"Your turn. The table is empty: show anything. You have {slices}."]
    power = strength(table.active)
    whose = f"by {table.called(table.owner)}" if table.owner is not None else ""
    lines = [f"Your turn. Active Show: {power.aloud() if power else ''}, {whose}. You have {slices}."]
    if table.closing():
        lines.append("Warning: if you only scout, the round ends.")
    return lines


# --- queries ---------------------------------------------------------------------------------------------------


def query_hand(model: Model, first: int) -> list[str]:
    """Return up to eight cards from a place on, in words."""
    hand = hand_of(model)
    part = hand[first : first + LISTED]
    listed = " ".join(f"{shown(first + at)}: {up(card)}, under {down(card)}." for at, card in enumerate(part))
    more = f" Type hand {shown(first + LISTED)} for the rest." if first + LISTED < len(hand) else ""
    start = f"{plural(len(hand), 'card')}. " if first == 0 else ""
    return [f"{start}{listed}{more}"]


def query_card(model: Model, place: int) -> str:
    """Return one card in words."""
    card = hand_of(model)[place]
    return f"Card {shown(place)}: {up(card)}, under {down(card)}."


def query_table(model: Model) -> list[str]:
    """Return the table in words."""
    table = table_of(model)
    power = strength(table.active)
    if power is None:
        lines = ["The table is empty: anything may be shown."]
    else:
        whose = table.called(table.owner) if table.owner is not None else "nobody"
        cards = ", ".join(f"{up(card)} under {down(card)}" for card in table.active)
        lines = [f"Active Show by {whose}: {power.aloud()}. Left to right: {cards}."]
    for seat in range(table.seats):
        if seat != table.me:
            held = (
                f"{plural(table.cards[seat], 'card')}, {table.taken[seat]} won, {plural(table.tokens[seat], 'token')}"
            )
            lines.append(f"Seat {shown(seat)}, {table.names[seat]}: {held}; {table.last[seat] or 'no turn yet'}.")
    return lines


def query_score(model: Model) -> list[str]:
    """Return the points in words."""
    table = table_of(model)
    parts = [
        f"{'you' if seat == table.me else f'seat {shown(seat)}, {table.names[seat]}'}: "
        f"{table.totals[seat]}, this round {table.standing(seat)}"
        for seat in range(table.seats)
    ]
    return [f"Totals. {'; '.join(parts)}."]


def query_seen(model: Model) -> list[str]:
    """Return the cards that others scouted and still hold, and those shown, in words."""
    table = table_of(model)
    lines = [
        f"Seat {shown(seat)}, {table.names[seat]}, scouted {', '.join(held)}."
        for seat, held in enumerate(table.known)
        if held and seat != table.me
    ]
    lines.append(f"Shown in this round: {', '.join(table.gone)}." if table.gone else "Nothing was shown yet.")
    return lines


def places(model: Model) -> list[tuple[str, ...]]:
    """Return place, name and points per seat, best first, at the end of a match."""
    table = table_of(model)
    order = sorted(range(table.seats), key=lambda seat: (table.ranks[seat], seat))
    return [(str(table.ranks[seat]), table.name(seat), plural(table.scores[seat], "point")) for seat in order]
