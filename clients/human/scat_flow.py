"""Choosing a move of SCAT: by keys, by typed commands, with the same preview before anything is sent.

Taking the top discard is public and could be undone, so it is only tried out here: the wire's `pile` is held back
until the drop is chosen. A draw from the stock shows a hidden card and is sent at once.
"""

from dataclasses import replace

from human import grammar
from human.grammar import Command, Misread, plural, shown
from human.model import Confirm, Model, ScatPick
from human.scat import (
    Scat,
    advice,
    aloud,
    aloud_all,
    drops,
    face,
    faces,
    figure,
    makes31,
    purse,
    spoken_worth,
    taken_value,
    value,
    without,
    worth,
)

VERBS = ("take", "draw", "knock", "stand", "drop", "throw", "look")
# Typed verb -> word of the wire, in the order in which choices are listed.
WORDS = {"take": "pile", "draw": "stock", "knock": "knock", "stand": "stand", "throw": "throwdown", "look": "look"}


def table_of(model: Model) -> Scat:
    """Return the model's table, known to be one of SCAT."""
    assert isinstance(model.table, Scat)
    return model.table


def dropping(model: Model) -> bool:
    """Return whether a card to drop is being chosen, after a draw or while taking is tried out."""
    return bool(model.request) and (model.pick_scat.taking or table_of(model).phase == "discard")


def cards(model: Model) -> tuple[str, ...]:
    """Return the hand as it would be: with the top discard while taking it is tried out."""
    table = table_of(model)
    return (*table.hand, table.pile[-1]) if model.pick_scat.taking and table.pile else table.hand


def kept(model: Model) -> str:
    """Return the card that may not be dropped, since it came from the discard pile this turn; `` for none."""
    table = table_of(model)
    if model.pick_scat.taking:
        return table.pile[-1]
    return table.drawn if table.source == "pile" else ""


def choices(model: Model) -> tuple[str, ...]:
    """Return the legal typed verbs at the start of a turn."""
    return tuple(verb for verb, word in WORDS.items() if word in model.legal)


def refusal(model: Model, verb: str) -> str:
    """Return why a move is not open now, as a sentence."""
    table = table_of(model)
    if dropping(model):
        return "You have drawn; choose a card to drop."
    if table.phase == "throw":
        return "Before the first turn you throw down or look at your hand."
    if verb == "knock":
        if table.knocker is not None:
            return f"You cannot knock: {table.called(table.knocker)} knocked already."
        least = float(table.options.get("min_knock", 0))
        if value(table.hand, table.options) < least:
            return f"You cannot knock: it takes {figure(least)} and you hold {worth(table.hand, table.options)}."
        return "You cannot knock on your first turn (first_turn_knock=false)."
    if verb == "draw":
        return "You cannot draw: the stock is empty." if table.stock == 0 else "You cannot draw: the deal is ending."
    if verb == "take":
        return "You cannot take: the discard pile is empty."
    if verb == "stand":
        return "You cannot stand: that needs a knock, and an empty stock or final_stand=true."
    return f"You cannot {verb} now."


# --- what a choice does ----------------------------------------------------------------------------------------


def consequence(model: Model, verb: str) -> str:
    """Return what a choice at the start of a turn means, for the row beside it; a refusal when it is not legal."""
    table = table_of(model)
    if WORDS[verb] not in model.legal:
        sentence = refusal(model, verb)
        reason = sentence.partition(": ")[2] or sentence
        return f"not now: {reason.rstrip('.')}"
    options = table.options
    if verb == "take":
        hand = (*table.hand, table.pile[-1])
        if three := makes31(hand):
            return f"31 with {faces(three)}: you win the hand"
        if model.settings.assist == "off":
            return "then drop one of the others"
        best = drops(hand, table.pile[-1], options)[0]
        return f"best {worth(without(hand, best), options)} (drop {face(hand[best])})"
    if verb == "knock":
        return f"end it with {worth(table.hand, options)}; all others have one more turn"
    return {
        "draw": "unknown card; cannot be undone",
        "stand": "keep your hand and end your turn",
        "throw": "show the hand unseen; counts as a knock",
        "look": "play this deal as usual",
    }[verb]


def confirm(model: Model, words: tuple[str, ...]) -> Model:
    """Return the model with the preview of a decision, ready to be sent."""
    table = table_of(model)
    options = table.options
    if words[0] == "pile" or table.phase == "discard":
        return model_with(model, _confirm_drop(model, words))
    lines, speech = {
        "stock": (
            ("Draw the top card of the stock?  Nobody knows it; a draw cannot be undone.",),
            "Draw from the stock. This cannot be undone.",
        ),
        "knock": (
            (
                f"Knock with {worth(table.hand, options)}?  All others have one more turn, then hands are shown.",
                "If your hand alone is lowest you lose 2 coins.",
            ),
            f"Knock with {spoken_worth(table.hand, table)}. All others have one more turn.",
        ),
        "stand": ((f"Stand pat with {worth(table.hand, options)}?",), f"Stand with {spoken_worth(table.hand, table)}."),
        "throwdown": (
            ("Throw down the hand unseen?  All must show now; it counts as your knock.",),
            "Throw down your hand unseen. It counts as a knock.",
        ),
        "look": (("Look at your hand and play on?",), "Look at your hand."),
    }[words[0]]
    return model_with(model, Confirm(words, lines, speech, costly=words[0] != "look"))


def _confirm_drop(model: Model, words: tuple[str, ...]) -> Confirm:
    table = table_of(model)
    if words == ("pile",):
        top = table.pile[-1]
        three = makes31((*table.hand, top))
        lines: tuple[str, ...] = (f"Take {face(top)}?  {faces(three)} make 31: the hand ends and all others pay.",)
        return Confirm(words, lines, f"Take the {aloud(top)}. That makes 31 and wins the hand.")
    hand = (*table.hand, table.pile[-1]) if words[0] == "pile" else table.hand
    card = words[-1]
    place = hand.index(card)
    keep = without(hand, place)
    chose = "take " + face(hand[-1]) + ", drop" if words[0] == "pile" else "drop"
    lines = (f"You chose {shown(place)}: {chose} {face(card)}, keep {faces(keep)} ({worth(keep, table.options)}).",)
    taken = f"Take the {aloud(hand[-1])} and drop" if words[0] == "pile" else "Drop"
    speech = f"{taken} the {aloud(card)}. You keep {aloud_all(keep)}: {spoken_worth(keep, table)}."
    return Confirm(words, lines, speech, costly=False)


def model_with(model: Model, confirm: Confirm) -> Model:
    """Return the model showing a preview."""
    return replace(model, confirm=confirm, note="")


# --- keys ------------------------------------------------------------------------------------------------------


def key(model: Model, acts: frozenset[str], name: str) -> Model:
    """Return the model after a key while the referee waits for a move; no key here sends."""
    if dropping(model):
        return _key_drop(model, acts, name)
    for verb in WORDS:
        if verb in acts:
            return choose(model, verb)
    listed = choices(model)
    if acts & {"next-legal", "down", "previous-legal", "up"} and listed:
        step = 1 if acts & {"next-legal", "down"} else -1
        now = model.pick_scat.choice
        at = listed.index(now) + step if now in listed else 0 if step == 1 else -1
        return replace(model, pick_scat=ScatPick(listed[at % len(listed)]), note="")
    if "confirm" in acts:
        verb = model.pick_scat.choice
        if not verb:
            return model.noted("Nothing is chosen yet: press one of the letters on the left, or Tab.")
        return _taking(model) if verb == "take" else confirm(model, (WORDS[verb],))
    if "undo" in acts:
        return model.noted("Nothing to undo: you have not drawn yet, and moves that were sent stand.")
    return model


def choose(model: Model, verb: str) -> Model:
    """Return the model with a choice of the turn's start marked; taking goes straight on to the drop."""
    if WORDS[verb] not in model.legal:
        return model.noted(refusal(model, verb))
    if verb == "take" and not makes31((*table_of(model).hand, *table_of(model).pile[-1:])):
        return _taking(model)
    return replace(model, pick_scat=ScatPick(verb), note="")


def _taking(model: Model) -> Model:
    table = table_of(model)
    if makes31((*table.hand, table.pile[-1])):
        return confirm(model, ("pile",))
    return replace(model, pick_scat=ScatPick("take", taking=True), note="")


def _key_drop(model: Model, acts: frozenset[str], name: str) -> Model:
    hand = cards(model)
    pick = model.pick_scat
    if acts & {"next-legal", "previous-legal"}:
        order = drops(hand, kept(model), table_of(model).options)
        step = 1 if "next-legal" in acts else -1
        at = order.index(pick.place) + step if pick.place in order else 0
        return replace(model, pick_scat=replace(pick, place=order[at % len(order)]), note="")
    if acts & {"left", "right", "up", "down"}:
        step = 1 if acts & {"right", "down"} else -1
        at = (pick.place + step) % len(hand) if pick.place is not None else 0 if step == 1 else len(hand) - 1
        return replace(model, pick_scat=replace(pick, place=at), note=_forbidden(model, at))
    if (number := grammar.whole(name)) is not None and 1 <= number <= len(hand):
        at = grammar.wired(number)
        return replace(model, pick_scat=replace(pick, place=at), note=_forbidden(model, at))
    if "confirm" in acts:
        if pick.place is None:
            return model.noted("Choose a card to drop first: ← → or Tab (best first).")
        return drop(model, pick.place)
    if "undo" in acts:
        return back(model)
    if acts & {"take", "draw", "knock", "stand"}:
        return model.noted("You have drawn; choose a card to drop." + (" Esc puts it back." if pick.taking else ""))
    return model


def _forbidden(model: Model, place: int) -> str:
    card = cards(model)[place]
    if card != kept(model):
        return ""
    return f"{face(card)} comes from the discard pile this turn; it may not be dropped in the same turn."


def drop(model: Model, place: int) -> Model:
    """Return the model with the preview of dropping the card at a place, or with the reason why not."""
    if sentence := _forbidden(model, place):
        return model.noted(sentence)
    card = cards(model)[place]
    return confirm(model, ("pile", card) if model.pick_scat.taking else (card,))


def point(model: Model, place: int) -> Model:
    """Return the model with the card at a place chosen by the mouse, when one is to be dropped."""
    if not dropping(model) or place >= len(cards(model)):
        return model
    return replace(model, pick_scat=replace(model.pick_scat, place=place), note=_forbidden(model, place))


def depth(model: Model) -> int:
    """Return how many steps Esc can walk back."""
    pick = model.pick_scat
    return (pick.place is not None) + pick.taking + bool(pick.choice and not pick.taking)


def back(model: Model) -> Model:
    """Return the model one step back, or with the reason why there is none."""
    pick = model.pick_scat
    if pick.place is not None:
        return replace(model, pick_scat=replace(pick, place=None), note="")
    if pick.taking:
        return replace(model, pick_scat=ScatPick(), note="Put back: nothing was sent.")
    if pick.choice:
        return replace(model, pick_scat=ScatPick(), note="")
    if model.request and table_of(model).source == "stock":
        return model.noted("The draw cannot be undone: you have seen the card from the stock.")
    return model.noted("")


# --- typed commands --------------------------------------------------------------------------------------------


def command(model: Model, typed: Command) -> Model:
    """Return the model after a typed move: with a preview, or with what is still to be chosen; raises Misread."""
    table = table_of(model)
    if typed.verb == "drop":
        if not dropping(model):
            raise Misread("You hold three cards: draw or take one first.")
        return _command_drop(model, typed.rest)
    if WORDS[typed.verb] not in model.legal or model.pick_scat.taking:
        if model.pick_scat.taking and typed.verb != "take":
            return command(replace(model, pick_scat=ScatPick()), typed)
        if WORDS[typed.verb] not in model.legal:
            raise Misread(refusal(model, typed.verb))
    if typed.verb != "take":
        return confirm(replace(model, pick_scat=ScatPick(typed.verb)), (WORDS[typed.verb],))
    if makes31((*table.hand, table.pile[-1])):
        return confirm(replace(model, pick_scat=ScatPick("take")), ("pile",))
    model = replace(model, pick_scat=ScatPick("take", taking=True), note="")
    rest = tuple(word for word in typed.rest if word not in ("then", "and", "drop"))
    if rest:
        return _command_drop(model, rest)
    hand = cards(model)
    best = drops(hand, kept(model), table.options)[0]
    keep = spoken_worth(without(hand, best), table)
    return model.say(
        f"You would take the {aloud(hand[-1])}; nothing is sent yet.",
        f"Type drop and a card or its place. Best: drop {shown(best)}, the {aloud(hand[best])}, leaves {keep}.",
    ).noted("Choose a card to drop.")


def _command_drop(model: Model, rest: tuple[str, ...]) -> Model:
    hand = cards(model)
    if not rest:
        raise Misread("Drop which card? Type drop and its place or its name, such as drop 2 or drop 9H.")
    card = grammar.card(rest)
    if card is not None:
        if card not in hand:
            raise Misread(f"The {aloud(card)} is not in your hand. You hold {aloud_all(hand)}.")
        place = hand.index(card)
    else:
        place = grammar.place(rest[0], len(hand), "card")
    if sentence := _forbidden(model, place):
        raise Misread(sentence.replace(face(hand[place]), f"The {aloud(hand[place])}"))
    return drop(replace(model, pick_scat=replace(model.pick_scat, place=place)), place)


def next_words(model: Model, typed: Command) -> tuple[str, ...]:
    """Return the words that may follow a typed move: `drop` after take, the cards that may be dropped."""
    taking = typed.verb == "take" and "pile" in model.legal
    if taking and not typed.rest:
        return () if makes31((*table_of(model).hand, *table_of(model).pile[-1:])) else ("drop",)
    if not (taking and typed.rest == ("drop",)) and not (typed.verb == "drop" and dropping(model) and not typed.rest):
        return ()
    hand = table_of(model).hand if taking else cards(model)
    return tuple(grammar.typed(card).removeprefix("drop ") for card in hand if card != kept(model))


def moves(model: Model) -> list[tuple[tuple[str, ...], str]]:
    """Return the numbered choices of linear mode: the words of the wire and what they do."""
    table = table_of(model)
    hand = cards(model)
    if dropping(model):
        found: list[tuple[tuple[str, ...], str]] = []
        for place in range(len(hand)):
            if hand[place] != kept(model):
                words = ("pile", hand[place]) if model.pick_scat.taking else (hand[place],)
                left = spoken_worth(without(hand, place), table)
                found.append((words, f"drop {shown(place)}, the {aloud(hand[place])}: leaves {left}."))
        return found
    texts = {
        "draw": "draw from the stock: an unknown card.",
        "knock": f"knock with {spoken_worth(table.hand, table)}." if table.hand else "",
        "stand": "stand: keep your hand.",
        "throw": "throw down the hand unseen.",
        "look": "look at your hand.",
    }
    if table.pile and table.hand:
        texts["take"] = f"take the {aloud(table.pile[-1])}: best {figure(taken_value(table))}."
    return [((WORDS[verb],), texts.get(verb, verb)) for verb in choices(model)]


def pick_move(model: Model, words: tuple[str, ...]) -> Model:
    """Return the model after a numbered choice; taking goes on to the drop."""
    if words == ("pile",) and not makes31((*table_of(model).hand, *table_of(model).pile[-1:])):
        return command(model, Command("take", ()))
    return confirm(model, words)


def hint(model: Model) -> tuple[tuple[str, ...], str]:
    """Return the words of the move advised and a sentence that says why."""
    table = table_of(model)
    if model.pick_scat.taking:
        hand = cards(model)
        place = drops(hand, kept(model), table.options)[0]
        left = worth(without(hand, place), table.options)
        return ("pile", hand[place]), f"Drop {face(hand[place])}: that leaves {left}."
    word, why = advice(table, model.legal)
    return (word,), why


def your_turn(model: Model) -> list[str]:
    """Return the sentences that linear mode says when the referee waits for a move."""
    table = table_of(model)
    if table.phase == "throw":
        return ["Before the first turn: throw down your hand unseen, or look at it. Type throw or look."]
    if table.phase == "discard":
        return [f"You hold {aloud_all(table.hand)}. Drop one."]
    top = f"The discard pile shows the {aloud(table.pile[-1])}" if table.pile else "The discard pile is empty"
    knocked = ""
    if table.knocker is not None:
        knocked = f" This is your last turn: {table.called(table.knocker)} has knocked."
    stock = f"{plural(table.stock, 'card')} in the stock"
    return [
        f"Your turn.{knocked} {top}; {stock}.",
        f"You hold {aloud_all(table.hand)}: {spoken_worth(table.hand, table)}.",
    ]


# --- queries ---------------------------------------------------------------------------------------------------


def query_hand(model: Model, first: int) -> list[str]:
    """Return the hand in words."""
    table = table_of(model)
    hand = cards(model)
    if not hand:
        return ["You have not looked at your hand yet."]
    listed = ". ".join(f"{shown(at)}: {aloud(card)}" for at, card in enumerate(hand))
    total = f" Counts {spoken_worth(hand, table)}." if len(hand) == 3 else ""
    return [f"{plural(len(hand), 'card')}. {listed}.{total}"]


def query_card(model: Model, place: int) -> str:
    """Return one card in words."""
    return f"Card {shown(place)}: {aloud(cards(model)[place])}."


def query_table(model: Model) -> list[str]:
    """Return the table in words."""
    table = table_of(model)
    top = f"The discard pile shows the {aloud(table.pile[-1])}" if table.pile else "The discard pile is empty"
    below = f", below it the {aloud(table.pile[-2])}" if len(table.pile) > 1 else ""
    lines = [f"{top}{below}. {plural(table.stock, 'card')} in the stock."]
    if table.knocker is not None:
        lines.append(f"{table.does(table.knocker, 'have', 'knocked')}.")
    for seat in table.living():
        if seat != table.me:
            last = table.last[seat].replace("KNOCKED", "knocked") or "no turn yet"
            lines.append(f"Seat {shown(seat)}, {table.names[seat]}: {last}.")
    return [aloud_text(line) for line in lines]


def aloud_text(text: str) -> str:
    """Return a log text with its cards in words."""
    for rank in ("10", *"23456789JQKA"):
        for suit in "SHDC":
            text = text.replace(face(rank.replace("10", "T") + suit), f"the {aloud(rank.replace('10', 'T') + suit)}")
    return text


def query_score(model: Model) -> list[str]:
    """Return the coins in words."""
    table = table_of(model)
    parts = []
    for seat in range(table.seats):
        coins = table.coins[seat]
        held = "out" if coins is None else "on the dole" if coins == 0 else plural(coins, "coin")
        parts.append(f"{'you' if seat == table.me else f'seat {shown(seat)}, {table.names[seat]}'}: {held}")
    return [f"Coins. {'; '.join(parts)}."]


def query_seen(model: Model) -> list[str]:
    """Return the cards known to be in hands, and those thrown, in words."""
    table = table_of(model)
    lines = [
        f"Seat {shown(seat)}, {table.names[seat]}, took and still holds {aloud_all(held)}."
        for seat, held in enumerate(table.known)
        if held and seat != table.me
    ]
    lines.append(
        f"Discarded in this round: {aloud_all(table.thrown)}." if table.thrown else "Nothing was discarded yet."
    )
    return lines


def places(model: Model) -> list[tuple[str, ...]]:
    """Return seat, name and coins per seat, best first, at the end of a match."""
    table = table_of(model)
    order = sorted(range(table.seats), key=lambda seat: (table.ranks[seat], seat))
    return [(str(table.ranks[seat]), table.name(seat), purse(table, seat)) for seat in order]
