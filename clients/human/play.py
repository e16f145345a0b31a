"""What a line of the referee, a key and a typed command do to a Model. All three are pure functions.

    hear(model, line)     -> the model and effects: what the referee said
    key(model, name)      -> the model and effects: one key of the keyboard
    command(model, text)  -> the model and effects: one typed line; linear mode knows nothing else

A move leaves only by `_send`, and `_send` runs only from a preview: on Enter, on `yes`, or for the rest of a
decision that was confirmed as a whole.
"""

from dataclasses import replace
from types import ModuleType

from human import grammar, scat, scat_flow, scout, scout_flow, wire, words
from human.grammar import Misread, plural, shown
from human.look import PALETTES
from human.model import (
    PACES,
    Again,
    Bell,
    Confirm,
    Effect,
    Hurry,
    Leave,
    Model,
    Moment,
    Planned,
    Request,
    Send,
    Step,
    mark,
)
from human.table import Told, ordinal
from human.wire import Message

COMMON = (*words.QUERIES, "undo", "log", "quit", "again")


def flow(model: Model) -> ModuleType:
    """Return the module that chooses moves of the game being played."""
    return scout_flow if model.game == "scout" else scat_flow


# --- what the referee says -------------------------------------------------------------------------------------


def hear(model: Model, line: str) -> Step:
    """Return the model after one line of the referee, and what is to be answered."""
    message = wire.parse(line)
    match message.verb:
        case "referee":
            if message.args[:1] != (wire.PROTOCOL,):
                text = f"This referee speaks protocol {' '.join(message.args[:1])}; this client speaks {wire.PROTOCOL}."
                return replace(model, gone=text).say(text), ()
            return model, (Send(wire.READY, move=False),)
        case "match":
            return _match(model, message), ()
        case "options" if model.table is not None:
            return replace(model, table=replace(model.table, options=dict(message.fields))), ()
        case "deal" | "did" | "reshuffle" | "over" if model.table is not None:
            return _event(model, message), ()
        case "act" if model.table is not None:
            return _act(model, message, line)
        case "fault" if model.table is not None:
            return _fault(model, message), ()
        case "strike":
            text = f"The referee refused that: {message.fields.get('text', message.fields.get('code', ''))}"
            return model.say(text).noted(text), ()
        case "end" if model.table is not None:
            return _end(model, message), ()
        case "void":
            text = f"The referee stopped the match; it counts for nobody: {message.fields.get('text', '')}"
            return replace(model, void=text, overlay="end", ended=True, request=None).say(text), ()
    return model, ()  # verbs of later protocols


def _match(model: Model, message: Message) -> Model:
    game = message.fields.get("game", "")
    me = message.number("seat")
    names = tuple(_told_apart(name, seat, me) for seat, name in enumerate(message.items("names")))
    kind = scout.Scout if game == "scout" else scat.Scat
    table = kind(names=names, me=me, last=("",) * len(names), faults=("",) * len(names))
    seat = f" You are seat {shown(me)}." if me is not None else ""
    others = ", ".join(name for at, name in enumerate(names) if at != me)
    greeting = f"{game.capitalize()}. {grammar.count(len(names)).capitalize()} players.{seat} Against {others}."
    clock = message.number("move_ms")
    timed = f" You have {clock / 1000:g} seconds for each move." if clock else ""
    overlay = "" if model.overlay in ("over", "end") else model.overlay
    model = replace(model.cleared(), game=game, table=table, overlay=overlay, review=None, next_match=False)
    return replace(model, ended=False, void="", past=(), request=None).say(greeting + timed)


def _told_apart(name: str, seat: int, me: int | None) -> str:
    """Return a name as it is shown; a program that calls itself YOU is told apart from the person."""
    return f"{name} (seat {shown(seat)})" if name.lower() == "you" and seat != me else name


def _event(model: Model, message: Message) -> Model:
    table = model.table
    if isinstance(table, scout.Scout):
        after: scat.Scat | scout.Scout
        after, told = scout.hear(table, message)
    else:
        assert isinstance(table, scat.Scat)
        after, told = scat.hear(table, message)
    past = model.past
    model = model.say(*(one.speech for one in told))
    for one in told:
        # A drop ends the turn that a draw began: one entry of the log for both.
        joins = one.joins and past and past[-1].told.seat == one.seat
        if joins:
            one = one._replace(speech=f"{past[-1].told.speech} {one.speech}")
        if joins and one.seat is not None and model.game == "scat":
            one = one._replace(text=after.last[one.seat])
        elif joins:
            one = one._replace(text=f"{past[-1].told.text}, {one.text}")
        past = (*(past[:-1] if joins else past), Moment(one, after))
    model = replace(model, table=after, past=past)
    if message.verb == "over" and not model.replaying:
        return replace(model, overlay="over", scroll=0, review=None)
    return model


def _fault(model: Model, message: Message) -> Model:
    table = model.table
    assert table is not None
    seat, code = message.number("seat") or 0, message.fields.get("code", "")
    faults = tuple(code if at == seat else old for at, old in enumerate(table.faults))
    why = f": {message.fields['text']}" if message.fields.get("text") else ""
    mine = seat == table.me
    goes_on = "with two seats the match ends here" if table.seats == 2 else "the referee's caretaker plays on for it"
    rest = "" if mine else f"; {goes_on}"
    speech = f"{table.does(seat, 'are', f'out by a fault, {code}{why}')}{rest}."
    table = replace(table, faults=faults)
    told = Told(seat, f"FAULT {code}" + ("" if table.seats == 2 else "; the caretaker plays on"), speech)
    model = replace(model, table=table, past=(*model.past, Moment(told, table))).say(speech)
    if mine:
        # The referee says no more to a seat that is out. The saved match can be resumed before the fault.
        return replace(model.cleared(), request=None, plan=(), ended=True, void=speech, overlay="end")
    return model


def _act(model: Model, message: Message, line: str) -> Step:
    table = model.table
    if isinstance(table, scout.Scout):
        after: scat.Scat | scout.Scout = scout.view(table, message)
    else:
        assert isinstance(table, scat.Scat)
        after = scat.view(table, message)
    request = Request(message.args[0], message.items("legal"), message.number("ms"), mark(line))
    model = replace(model, table=after, request=request, left=None)
    if model.plan:
        planned = model.plan[0]
        same = planned.mark in ("", request.mark)
        if planned.word in request.legal and same:
            model = replace(model, plan=model.plan[1:], replayed=model.replayed + model.replaying)
            return _send_word(model, planned.word)
        model = _departed(model)
    elif model.replaying:
        model = _caught_up(model)
    keep_note = model.note
    model = replace(model.cleared(), note=keep_note, replaying=False)
    if model.settings.assist == "advice":
        model = replace(model, hint=flow(model).hint(model)[1])
    model = model.say(*flow(model).your_turn(model))
    return model, (Bell(),) if model.settings.bell else ()


def _departed(model: Model) -> Model:
    """Return the model once a planned word does not fit the request: the replay or the decision stops here."""
    left = len(model.plan)
    if model.replaying:
        text = (
            f"The replay departed after {plural(model.replayed, 'move')}: the others moved differently this time. "
            f"{plural(left, 'saved move')} dropped; the match goes on from here."
        )
    else:
        text = "The second half of that move is not legal after all; choose again."
    return replace(model, plan=(), replaying=False).say(text).noted(text)


def _caught_up(model: Model) -> Model:
    text = f"{plural(model.replayed, 'move')} replayed; the match goes on where it was."
    return replace(model, replaying=False).say(text).noted(text)


def _end(model: Model, message: Message) -> Model:
    table = model.table
    assert table is not None
    ranks = tuple(number or 0 for number in message.numbers("ranks"))
    scores = tuple(number or 0 for number in message.numbers("scores"))
    # What is left of a replay belongs to the next match of the same referee.
    replaying = model.replaying and bool(model.plan)
    plan = model.plan if replaying else ()
    overlay = model.overlay if model.overlay == "over" else "" if replaying else "end"
    model = replace(model.cleared(), table=replace(table, ranks=ranks, scores=scores), request=None, ended=True)
    model = replace(model, plan=plan, replaying=replaying, overlay=overlay)
    return model.say("The match is over.", *final_lines(model))


def final_lines(model: Model) -> list[str]:
    """Return the final table, one sentence per seat, best first."""
    return [
        f"{ordinal(int(place))}: {name.replace('YOU', 'you')}, {score}." for place, name, score in final_places(model)
    ]


def final_places(model: Model) -> list[tuple[str, ...]]:
    """Return (place, name, score) per seat, best first, once the match is over."""
    table = model.table
    assert table is not None
    rows: list[tuple[str, ...]] = flow(model).places(model)
    order = sorted(range(table.seats), key=lambda seat: (table.ranks[seat], seat))
    if model.game == "scat":
        rows = [(place, name, _coins(table.scores[seat])) for (place, name, _), seat in zip(rows, order, strict=True)]
    return [
        (place, name, f"{score}, out by a fault ({table.faults[seat]})" if table.faults[seat] else score)
        for (place, name, score), seat in zip(rows, order, strict=True)
    ]


def _coins(coins: int) -> str:
    return f"{plural(coins, 'coin')} left"


# --- sending ---------------------------------------------------------------------------------------------------


def _send_word(model: Model, word: str) -> Step:
    request = model.request
    assert request is not None
    moves = (*model.moves, Planned(word, request.mark))
    return replace(model, request=None, moves=moves), (Send(f"move {request.id} {word}"),)


def _send(model: Model, confirmed: Confirm) -> Step:
    """Return the model with a confirmed decision on its way: the first word now, the others as they are asked for."""
    if confirmed.words[0] not in model.legal:
        return replace(model, confirm=None).noted("That move is not legal now; choose again."), ()
    rest = tuple(Planned(word) for word in confirmed.words[1:])
    return _send_word(replace(model.cleared(), plan=rest), confirmed.words[0])


# --- keys ------------------------------------------------------------------------------------------------------

OVERLAYS = ("welcome", "help", "log", "seen", "text", "over", "end")


def depth(model: Model) -> int:
    """Return how many steps Esc walks back from here; 0 when there is nothing to leave."""
    inside = flow(model).depth(model) if model.table is not None and model.request else 0
    layers = (model.line is not None, model.confirm is not None, model.review is not None)
    overlay = model.overlay not in ("", "end")
    return sum(layers) + overlay + (model.overlay == "leave" and model.before_leave not in ("", "end")) + inside


def key(model: Model, name: str) -> Step:
    """Return the model after one key.

    name -- a character, or one of enter escape tab s-tab left right up down space pageup pagedown home end
            backspace c-c c-d c-u
    """
    acts = model.settings.actions(name)
    if name == "c-d":
        return _leave_asked(model)
    if name == "c-c":
        overlay = model.overlay if model.overlay in ("over", "end") else ""
        model = replace(model.cleared(), overlay=overlay, line=None, review=None)
        return model.noted("Nothing is chosen now; nothing was sent. q leaves."), ()
    if model.line is not None:
        return _key_line(model, name)
    if model.overlay == "leave":
        if "leave" in acts:
            return model, (Leave(),)
        return replace(model, overlay=model.before_leave, note=""), ()
    if "leave" in acts:
        return _leave_asked(model)
    if model.overlay and model.overlay != "welcome":
        return _key_overlay(model, acts, name)
    if model.overlay == "welcome":
        return replace(model, overlay=""), ()
    if model.review is not None or acts & {"review-back", "review-forward"}:
        return _key_review(model, acts, name)
    if (answer := _key_anywhere(model, acts)) is not None:
        return answer, ()
    if model.confirm is not None:
        if "confirm" in acts:
            return _send(model, model.confirm)
        if acts & {"back", "undo"}:
            return replace(model, confirm=None, note="Back. Nothing was sent."), ()
        model = replace(model, confirm=None)
    if model.request is None:
        return _key_waiting(model, acts)
    if "back" in acts:
        return flow(model).back(replace(model, hint="")), ()
    model = flow(model).key(replace(model, note="", hint=""), acts, name)
    cheap = model.confirm is not None and not model.confirm.costly and model.settings.confirm == "costly"
    if cheap and model.confirm is not None and _two_steps(model):
        return _send(model, model.confirm)
    return model, ()


def click(model: Model, what: str) -> Model:
    """Return the model after a click on a card (`place:3`) or a choice (`choose:draw`); it chooses, never sends."""
    if model.request is None or model.overlay or model.review is not None or model.line is not None:
        return model
    model = replace(model, confirm=None, note="", hint="")
    verb, _, word = what.partition(":")
    clicked: Model = flow(model).choose(model, word) if verb == "choose" else flow(model).point(model, int(word))
    return clicked


def _two_steps(model: Model) -> bool:
    """Return whether something was chosen before Enter, so that confirm = "costly" still needs two keys."""
    return bool(flow(model).depth(model))


def _leave_asked(model: Model) -> Step:
    if model.overlay == "leave" or model.ended or model.gone:
        return model, (Leave(),)
    return replace(model, overlay="leave", before_leave=model.overlay, line=None), ()


def _key_waiting(model: Model, acts: frozenset[str]) -> Step:
    if acts & {"confirm", "mark"}:
        return model, (Hurry(),)
    if "left" in acts and model.past:
        return _look_back(model, -1), ()
    if acts & {"undo"}:
        return model.noted("A move that was sent stands; there is nothing to undo."), ()
    return model, ()


def _key_anywhere(model: Model, acts: frozenset[str]) -> Model | None:
    """Return the model after a key that means the same everywhere, None for the others."""
    settings = model.settings
    if "help" in acts:
        return replace(model, overlay="help", scroll=0)
    if "log" in acts:
        return replace(model, overlay="log", scroll=0)
    if "command" in acts:
        return replace(model, line="", note="")
    if "pace" in acts:
        pace = _after(tuple(PACES), settings.pace)
        return replace(model, settings=replace(settings, pace=pace), note=f"Pace of the others: {pace}.")
    if "palette" in acts:
        palette = _after(PALETTES, settings.look.palette)
        look = replace(settings.look, palette=palette)
        return replace(model, settings=replace(settings, look=look), note=f"Colours: {palette}.")
    if model.table is None:
        return None
    if "seen" in acts:
        return replace(model, overlay="seen", show_seen=not model.show_seen, scroll=0)
    if "hint" in acts:
        if model.request is None:
            return model.noted("It is not your turn; advice comes when you move.")
        return replace(model, hint=f"Hint: {flow(model).hint(model)[1]}", note="")
    return None


def _after(items: tuple[str, ...], item: str) -> str:
    return items[(items.index(item) + 1) % len(items)]


def _key_overlay(model: Model, acts: frozenset[str], name: str) -> Step:
    if model.overlay == "end":
        if "again" in acts:
            return model, (Again(),)
        if "confirm" in acts and model.next_match:
            return replace(model, overlay="", next_match=False), ()
        if "log" in acts:
            return replace(model, overlay="log", before_leave="end", scroll=0), ()
        return model, ()
    if model.overlay == "log" and acts & {"left", "review-back"} and model.past:
        return _look_back(replace(model, overlay=_under(model)), -1), ()
    if acts & {"down", "up", "review-forward", "review-back"} or name in ("home", "end"):
        step = {"home": -10000, "end": 10000}.get(name, 1 if acts & {"down", "review-forward"} else -1)
        step *= 10 if acts & {"review-forward", "review-back"} else 1
        return replace(model, scroll=max(model.scroll + step, 0)), ()
    closes = {"confirm", "back", "mark", "help", "log", "seen"}
    if acts & closes:
        return replace(model, overlay=_under(model), scroll=0, text=()), ()
    return model, ()


def _under(model: Model) -> str:
    """Return what an overlay closes to: the final table once the match is over."""
    return "end" if model.ended else ""


# --- review ----------------------------------------------------------------------------------------------------


def _look_back(model: Model, step: int) -> Model:
    last = len(model.past) - 1
    at = (last if model.review is None else model.review) + step
    if at >= last:
        return replace(model, review=None, note="", overlay=_under(model))
    return replace(model, review=max(at, 0), confirm=None, note="", overlay="")


def _key_review(model: Model, acts: frozenset[str], name: str) -> Step:
    if not model.past:
        return model.noted("Nothing has happened yet."), ()
    if acts & {"left", "up", "review-back"}:
        return _look_back(model, -10 if "review-back" in acts and model.review is not None else -1), ()
    if acts & {"right", "down", "review-forward", "mark"}:
        return _look_back(model, 10 if "review-forward" in acts and model.review is not None else 1), ()
    if name == "home":
        return replace(model, review=0), ()
    if "help" in acts:
        return replace(model, overlay="help", scroll=0, review=None), ()
    if acts & {"back", "confirm", "log"} or name == "end":
        return replace(model, review=None, note="", overlay=_under(model)), ()
    return model, ()


# --- the command line ------------------------------------------------------------------------------------------


def verbs(model: Model) -> tuple[str, ...]:
    """Return the verbs of typed commands in the game being played."""
    return (*(flow(model).VERBS if model.game else ()), *COMMON)


def next_words(model: Model, before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that may follow what is typed so far, most useful first: what Tab completes."""
    if not before:
        return verbs(model)
    try:
        typed = grammar.command(" ".join(before), verbs(model))
    except Misread:
        return ()
    if typed.verb == "rules" and not typed.rest:
        return tuple(rules(model))
    if model.table is None:
        return ()
    if typed.verb in ("hand", "card") and not typed.rest:
        return tuple(str(shown(at)) for at in range(len(_hand(model))))
    if typed.verb in flow(model).VERBS and model.request is not None:
        found: tuple[str, ...] = flow(model).next_words(model, typed)
        return found
    return ()


def _key_line(model: Model, name: str) -> Step:
    line = model.line or ""
    if name == "escape":
        return replace(model, line=None, note=""), ()
    if name == "enter":
        if not line.strip():
            return replace(model, line=None), ()
        model = replace(model, line=None, typed_before=(*model.typed_before, line)[-50:])
        return _typed_in_full_screen(model, line)
    if name == "tab":
        known = next_words(model, tuple(line.rpartition(" ")[0].split()))
        line, choices = grammar.completed(line, known)
        note = (
            "" if len(choices) == 1 else f"Choices: {' '.join(choices or known)}" if known else "Nothing to complete."
        )
        return replace(model, line=line, note=note), ()
    if name == "backspace":
        return replace(model, line=line[:-1] if line else None), ()
    if name == "c-u":
        return replace(model, line=""), ()
    if name == "up" and model.typed_before:
        return replace(model, line=model.typed_before[-1]), ()
    character = " " if name == "space" else name
    if len(character) == 1 and character.isprintable() and len(line) < 60:
        return replace(model, line=line + character), ()
    return model, ()


def _typed_in_full_screen(model: Model, line: str) -> Step:
    """Return the model after a typed line: what linear mode would say comes as a note or an overlay."""
    before = len(model.said)
    model, effects = command(model, line)
    answer = model.said[before:]
    if model.confirm is not None or effects or model.overlay:
        return model, effects
    if len(answer) == 1 and len(answer[0]) < 150:
        return model.noted(answer[0]), ()
    return (replace(model, text=answer, overlay="text", scroll=0) if answer else model), ()


def peek(model: Model) -> str:
    """Return in one sentence what the line being typed would do, `` while it is no whole move."""
    if not model.line or model.request is None:
        return ""
    try:
        typed = grammar.command(model.line, verbs(model))
        if typed.verb not in flow(model).VERBS:
            return words.QUERIES.get(typed.verb, "")
        tried: Model = flow(model).command(replace(model, confirm=None), typed)
    except Misread as error:
        return str(error)
    return tried.confirm.lines[0] if tried.confirm else " ".join(tried.said[len(model.said) :][:1])


# --- typed commands --------------------------------------------------------------------------------------------


def command(model: Model, text: str) -> Step:
    """Return the model after one typed line; answers are added to `said`. Nothing is sent without a preview and yes."""
    text = text.strip()
    if model.overlay == "leave" and text.lower() not in ("leave", "quit", "q", "yes", "y"):
        model = replace(model, overlay="")
    if (number := grammar.whole(text)) is not None:
        return _numbered(model, number)
    try:
        typed = grammar.command(text, verbs(model))
        if typed.verb in flow(model).VERBS:
            return _move_typed(model, typed)
        return _query(model, typed)
    except Misread as error:
        return model.say(str(error)).noted(str(error)), ()


def _move_typed(model: Model, typed: grammar.Command) -> Step:
    if model.request is None:
        raise Misread(not_your_turn(model))
    before = model
    model = flow(model).command(replace(model, confirm=None, note="", hint=""), typed)
    return _previewed(before, model)


def not_your_turn(model: Model) -> str:
    """Return why no move can be chosen."""
    return "The match is over: type again for another, leave to go." if model.ended else "It is not your turn."


def _previewed(before: Model, model: Model) -> Step:
    """Return the model with the preview said aloud, or sent when the person wants no question for cheap moves."""
    if model.confirm is None:
        return model, ()
    if model.settings.confirm == "costly" and not model.confirm.costly:
        sent, effects = _send(model, model.confirm)
        return sent.say(f"{model.confirm.speech} Sent."), effects
    return model.say(f"{model.confirm.speech} Not sent. Send? yes/no"), ()


def _numbered(model: Model, number: int) -> Step:
    if model.request is None:
        return model.say(not_your_turn(model)), ()
    listed = flow(model).moves(model)
    if not 1 <= number <= len(listed):
        text = f"There is no choice {number}; moves lists {plural(len(listed), 'choice')}."
        return model.say(text).noted(text), ()
    picked = flow(model).pick_move(replace(model, confirm=None, note="", hint=""), listed[grammar.wired(number)][0])
    return _previewed(model, picked)


def _query(model: Model, typed: grammar.Command) -> Step:
    match typed.verb:
        case "yes":
            if model.overlay == "leave":
                return model, (Leave(),)
            if model.confirm is None:
                return model.say("Nothing waits to be sent."), ()
            model, effects = _send(model, model.confirm)
            return model.say("Sent."), effects
        case "no" | "undo":
            return _no(model, typed.verb), ()
        case "leave" | "quit":
            return _leave_typed(model)
        case "again":
            return (model, (Again(),)) if model.ended else (model.say("The match is not over yet."), ())
        case "help":
            return model.say(*help_lines(model)), ()
        case "rules":
            return model.say(*rules_lines(model, typed.rest)), ()
        case "last" | "log":
            return model.say(*_last(model, typed.rest)), ()
    if model.table is None:
        return model.say("The match has not begun."), ()
    return model.say(*_answers(model, typed)), ()


def _leave_typed(model: Model) -> Step:
    if model.ended or model.overlay == "leave":
        return model, (Leave(),)
    text = f"{leave_question(model)} Type leave again, or anything else to stay."
    return replace(model, overlay="leave", before_leave="").say(text), ()


def leave_question(model: Model) -> str:
    """Return the question whether to leave, and what becomes of the match."""
    if not model.moves:
        return "Leave? Nothing was played yet."
    if model.unsaved:
        return "Leave? The match is lost then: it cannot be saved."
    return f"Leave? {saved_sentence(model)}"


def saved_sentence(model: Model) -> str:
    """Return how a match that was left goes on."""
    return f"The match is saved; {model.settings.resume_words} goes on with it."


def _no(model: Model, verb: str) -> Model:
    if model.confirm is not None:
        return replace(model.cleared(), note="Back. Nothing was sent.").say("Back. Nothing was sent. Your turn.")
    if model.request is not None and flow(model).depth(model):
        return model.cleared().noted("Back. Nothing was sent.").say("Back. Nothing was sent.")
    model = replace(model, note="")
    if model.request is not None and verb == "undo":
        model = flow(model).back(model)
    text = model.note or "Nothing to take back: nothing is chosen, and moves that were sent stand."
    return model.say(text).noted(text)


def _last(model: Model, rest: tuple[str, ...]) -> list[str]:
    wanted = max(grammar.whole(rest[0]) or 1, 1) if rest else 1
    return [moment.told.speech.replace("\n", " ") for moment in model.past[-wanted:]] or ["Nothing has happened yet."]


def _hand(model: Model) -> tuple[str, ...]:
    return scout_flow.hand_of(model) if model.game == "scout" else scat_flow.cards(model)


def _answers(model: Model, typed: grammar.Command) -> list[str]:
    """Return the answer to a query about the cards and the table."""
    game = flow(model)
    hand = _hand(model)
    answers: list[str] = []
    match typed.verb:
        case "hand":
            first = grammar.place(typed.rest[0], len(hand), "card") if typed.rest else 0
            answers = game.query_hand(model, first)
        case "card":
            answers = [game.query_card(model, grammar.place(typed.rest[0] if typed.rest else "", len(hand), "card"))]
        case "table":
            answers = game.query_table(model)
        case "score":
            answers = game.query_score(model)
        case "seen":
            answers = game.query_seen(model)
        case "clock" if model.request is not None:
            answers = [clock(model)]
        case "moves" if model.request is not None:
            answers = [f"{number}. {text}" for number, (_, text) in enumerate(game.moves(model), 1)]
        case "best" if model.request is not None:
            advised, why = game.hint(model)
            answers = [f"{aloud(why)} Type {grammar.typed_all(advised)}."]
        case _:
            answers = [not_your_turn(model)]
    return answers


def clock(model: Model) -> str:
    """Return how long the person has for the move asked for, as a sentence."""
    request = model.request
    if request is None or request.ms is None:
        return "There is no clock."
    left = model.left if model.left is not None else request.ms // 1000
    return f"{plural(left, 'second')} left for this move."


def aloud(text: str) -> str:
    """Return a sentence with cards and suits in words, for linear mode."""
    return scat_flow.aloud_text(text)


def help_lines(model: Model) -> list[str]:
    """Return the commands of linear mode."""
    own = [f"{how}: {what}." for how, what in words.GRAMMAR.get(model.game, ())]
    return [*own, *(f"{verb}: {what}." for verb, what in words.QUERIES.items())]


def rules_lines(model: Model, rest: tuple[str, ...]) -> list[str]:
    """Return the rule that a word names, or the words there are."""
    known = rules(model)
    if not rest:
        return [f"Type rules and one of these words: {', '.join(known)}."]
    word = rest[0] if rest[0] in known else next((one for one in known if one.startswith(rest[0])), "")
    if not word:
        return [f"No rule is called {grammar.quoted(rest[0])}. The words are {', '.join(known)}."]
    return [known[word]]


def rules(model: Model) -> dict[str, str]:
    """Return the rules of the game by their words, and the options that this match is played with."""
    known = dict(words.RULES.get(model.game, {}))
    if model.table is not None and model.table.options:
        listed = ", ".join(f"{name}={value}" for name, value in model.table.options.items())
        known["options"] = f"{listed}. Where these differ from what the other words say, these hold."
    return known


def fresh(model: Model) -> Model:
    """Return a model for the same sitting with another referee: settings stay, moves sent so far are replayed."""
    plan = model.moves
    return Model(
        settings=model.settings,
        seed=model.seed,
        plan=plan,
        replaying=bool(plan),
        typed_before=model.typed_before,
        show_seen=model.show_seen,
        unsaved=model.unsaved,
    )


__all__ = ["Effect", "command", "depth", "fresh", "hear", "key", "peek"]
