"""The rules and the keys in the games' own words, for `?`, for `rules WORD` and for the first visit."""

from collections.abc import Mapping

WELCOME: Mapping[str, tuple[str, ...]] = {
    "scat": (
        "Collect cards of one suit: 31 wins at once, else the lowest hand pays a coin.",
        "On your turn draw from the stock or take the top discard, then drop one card;",
        "or knock: all others have one more turn, then hands are shown.",
        "Letters choose, Enter previews, Enter again sends, Esc steps back. ? explains all.",
    ),
    "scout": (
        "Show neighbouring cards that beat the table, or scout a card from it into your hand.",
        "More cards win; then equal numbers beat a run; then the greater number.",
        "Cards you win and tokens count +1, cards left in your hand -1. The hand's order is fixed.",
        "Tab goes through your legal Shows, Enter previews, Enter again sends. ? explains all.",
    ),
}

RULES: Mapping[str, Mapping[str, str]] = {
    "scat": {
        "goal": "Hold cards of one suit that add to 31, or as near as you can get. The last player with coins wins.",
        "cards": "An ace counts 11; king, queen and jack 10; the others their number. Only one suit counts.",
        "turn": "Draw one card, from the stock or the top of the discard pile, then drop one; or knock instead.",
        "discard": "A card taken from the discard pile may not be dropped in the same turn; one from the stock may.",
        "knock": "Instead of drawing. All others have one more turn, then all hands are shown.",
        "showdown": "The lowest hand loses a coin, all who tie for lowest too. "
        "A knocker who is lowest alone loses two; a knocker who ties is safe.",
        "31": "31 ends the hand at once, as dealt or after a draw: all the others lose a coin.",
        "coins": "Each player has three coins. Without a coin you are on the dole; the next loss puts you out.",
        "stock": "When the stock runs out the turn is finished and hands are shown; the lowest lose a coin.",
    },
    "scout": {
        "goal": "Score most over as many rounds as players: cards won and tokens +1 each, cards in hand -1 each.",
        "cards": "Each card has two numbers; only the upper one counts. Places in your hand never change; "
        "before the first move you may turn the whole hand over.",
        "show": "One card, or neighbours with the same number (a set) or in step (a run, up or down), that beat the "
        "active Show. You win the cards that it beats.",
        "beats": "More cards; with as many, a set beats a run; then the greater smallest number. Equal does not beat.",
        "scout": "Take the left or right end of the active Show, turn it if you like, put it anywhere in your hand. "
        "Its owner gets a token. With two players it costs one of your three tokens and your turn goes on.",
        "both": "Once a round, with three players and more: Scout and Show in one turn.",
        "end": "The round ends when a hand is empty, or when all others have only scouted since the latest Show.",
    },
}

QUERIES: Mapping[str, str] = {
    "hand": "your cards; hand 8 goes on from place 8",
    "card": "card 5 tells one card",
    "table": "what lies on the table and what the others did",
    "score": "coins or points",
    "clock": "the time left for this move",
    "last": "last 5 repeats the latest five entries",
    "moves": "your choices, numbered; a bare number picks one",
    "best": "advice",
    "seen": "cards known to be in hands, cards gone",
    "rules": "rules WORD explains one thing; rules lists the words",
    "help": "this list",
    "yes": "send what was previewed",
    "no": "take it back; nothing was sent",
    "leave": "leave; the match is saved",
}

GRAMMAR: Mapping[str, tuple[tuple[str, str], ...]] = {
    "scat": (
        ("draw", "draw from the stock"),
        ("take", "take the top discard; take drop 2 names the drop at once"),
        ("drop 2, drop 9H", "drop the card at a place, or by its name"),
        ("knock, stand", "end the hand; keep yours"),
    ),
    "scout": (
        ("show 5-6, show 3", "show the cards at these places"),
        ("scout left flip at 4", "scout: end, turned over or not, place"),
        ("scout left at 4 then show 2-4", "Scout & Show in one turn"),
        ("keep, turn", "which way up to hold the hand, at the start of a round"),
    ),
}


def key_rows(game: str, key: Mapping[str, str]) -> list[str]:
    """Return the keys of a game as rows of text; key: action -> its key's name."""
    own = {
        "scat": (
            ("take", "take the top discard, then choose the drop"),
            ("draw", "draw from the stock"),
            ("knock", "knock"),
            ("stand", "stand pat, when the rules allow it"),
            ("throw", "throw down the hand unseen, where that is played"),
            ("look", "look at the hand instead"),
            ("next-legal", "next choice; when dropping, the best card first"),
        ),
        "scout": (
            ("next-legal", "next legal Show, strongest first; when scouting, next useful place"),
            ("mark", "mark one end of a slice; arrows set the other"),
            ("scout", "scout a card"),
            ("scout-show", "Scout & Show"),
            ("flip", "turn the scouted card, or the whole hand at the start of a round"),
            ("other-end", "scout from the other end"),
        ),
    }.get(game, ())
    shared = (
        ("left", "move; while others play, look back through the match"),
        ("right", "move; look forward"),
        ("confirm", "preview, then send; while others play, show at once what they do"),
        ("back", "one step back"),
        ("undo", "undo, or say why not"),
        ("hint", "advice"),
        ("log", "the log; ← → look back from there"),
        ("review-back", "look back at any time"),
        ("review-forward", "look forward"),
        ("seen", "cards seen"),
        ("pace", "pace of the others: slow, normal, fast, none"),
        ("palette", "colours: four, two, mono, safe"),
        ("command", "type a command"),
        ("leave", "leave; the match is saved"),
    )
    return [f"{key[action]:>9}  {text}" for action, text in (*own, *shared)]
