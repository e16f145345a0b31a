"""Tables to look at: a scene is the referee's lines up to a moment, then keys. Golden screens and pictures use them."""

from dataclasses import replace

from fake_referee import FakeReferee
from human import play
from human.model import Effect, Model, Send, Settings

SCOUT_HAND = "3/10,4/1,5/9,10/2,8/3,8/6,2/7,9/4,1/5,6/2,7/1,7/9,5/8,4/6"
SCOUT_22 = f"{SCOUT_HAND},9/3,3/1,2/5,6/3,10/7,1/8,9/10,5/10"
NINE = "stdio,rusty,greedy,patient,mcts-200,random,expert,threshold-24,random-2"


def heard(lines: list[str], **settings: object) -> Model:
    """Return the model after some lines of a referee, with seed 42."""
    model = Model(settings=replace(Settings(), **settings), seed="42")  # type: ignore[arg-type]
    for line in lines:
        model, _ = play.hear(model, line)
        if model.overlay == "over" and line != lines[-1]:
            model = replace(model, overlay="")
    return model


def pressed(model: Model, *names: str) -> Model:
    """Return the model after keys that send nothing."""
    for name in names:
        model, effects = play.key(model, name)
        assert not any(isinstance(effect, Send) for effect in effects), f"{name} sent something"
    return model


def typed(model: Model, text: str) -> Model:
    """Return the model with a command in the command line."""
    return pressed(model, ":", *("space" if one == " " else one for one in text))


# --- whole matches against the fake referee --------------------------------------------------------------------


class Seat:
    """A person's seat at the fake referee: keys in, model out; what is sent is answered at once."""

    def __init__(self, game: str, model: Model | None = None, **options: object) -> None:
        self.referee = FakeReferee(game, **options)  # type: ignore[arg-type]
        self.model = model or Model(seed=str(options.get("seed", 1)))
        self.effects: list[Effect] = []
        self.feed = self.referee.start()
        self.pump()

    def pump(self) -> None:
        """Take in lines until the end of a deal is shown."""
        while self.feed and self.model.overlay not in ("over", "end"):
            self.model, effects = play.hear(self.model, self.feed.pop(0))
            self.perform(effects)

    def perform(self, effects: tuple[Effect, ...]) -> None:
        """Send what is to be sent."""
        self.effects += effects
        for effect in effects:
            if isinstance(effect, Send) and effect.move:
                self.feed += self.referee.answer(effect.line)

    def press(self, *names: str) -> None:
        """Press keys."""
        for name in names:
            self.model, effects = play.key(self.model, name)
            self.perform(effects)
            self.pump()

    def say(self, text: str) -> None:
        """Type a line, as in linear mode."""
        self.model, effects = play.command(self.model, text)
        self.perform(effects)
        self.model = replace(self.model, overlay="")
        while self.feed:
            self.model, effects = play.hear(self.model, self.feed.pop(0))
            self.perform(effects)
            self.model = replace(self.model, overlay="")


# --- scenes ----------------------------------------------------------------------------------------------------


def scat_lines(names: str, coins: str, hand: str = "KH,9H,3C", pile: str = "4C") -> list[str]:
    """Return the first lines of a SCAT match in its sixth round."""
    count = len(names.split(","))
    return [
        f"match id=m0 game=scat seats={count} seat=2 names={names} rng=0 move_ms=- bank_ms=0 increment_ms=0 strikes=0",
        "options preset=seed start_coins=3 dole=true trips=0 straight_flush=0 min_knock=0",
        f"deal n=5 dealer=1 hand={hand} pile={pile} coins={coins}",
    ]


def scat_nine() -> Model:
    """Nine seats, one out, one has knocked: the last turn."""
    lines = scat_lines(NINE, "3,2,2,1,3,1,3,1,-")
    lines += ["did seat=2 move=stock card=4D", "did seat=2 move=4D", "did seat=3 move=stock", "did seat=3 move=2S"]
    lines += ["did seat=4 move=knock", "did seat=5 move=stock", "did seat=5 move=8S"]
    lines += ["did seat=6 move=stock", "did seat=6 move=TH", "did seat=7 move=pile card=TH", "did seat=7 move=JC"]
    lines += ["did seat=0 move=pile card=JC", "did seat=0 move=9D", "did seat=1 move=stock", "did seat=1 move=7H"]
    view = "deal=5 turn=30 phase=draw hand=KH,9H,3C pile=7H stock=17 coins=3,2,2,1,3,1,3,1,- knocker=4 dealer=1"
    return heard([*lines, f"act 9 ms=- {view} legal=stock,pile"])


def scat_two_drop() -> Model:
    """Two seats, a card drawn from the stock, choosing the drop."""
    lines = [line.replace("seat=2", "seat=0") for line in scat_lines("stdio,rusty", "3,2", "AS,9H,8S", "6D")]
    lines += ["did seat=0 move=stock card=4C", "did seat=0 move=4C"]
    lines += ["did seat=1 move=pile card=4C", "did seat=1 move=2C", "did seat=0 move=stock card=QS"]
    view = (
        "deal=5 turn=6 phase=discard hand=AS,9H,8S,QS drawn=QS from=stock pile=2C stock=31 coins=3,2 knocker=- dealer=1"
    )
    return heard([*lines, f"act 9 ms=- {view} legal=AS,9H,8S,QS"])


def scat_over() -> Model:
    """The end of a hand after a knock: the knocker ties for lowest and is safe."""
    lines = [line.replace("seat=2", "seat=0") for line in scat_lines("stdio,rusty,greedy", "3,1,2")]
    lines += ["did seat=2 move=knock", "did seat=0 move=stock card=2H", "did seat=0 move=3C", "did seat=1 move=stock"]
    lines += ["did seat=1 move=5D"]
    ends = "hands=KH,9H,2H;KC,4C,2D;9S,5S,KD values=21,14,14 lost=0,1,0 coins=3,0,2"
    return heard([*lines, f"over deal=5 reason=knock {ends}"])


def scat_end() -> Model:
    """The final table of a match of three."""
    model = replace(scat_over(), overlay="")
    return play.hear(model, "end ranks=1,3,1 scores=2,0,2")[0]


def scout_lines(names: str, hand: str) -> list[str]:
    """Return the first lines of a SCOUT match."""
    count = len(names.split(","))
    return [
        f"match id=m0 game=scout seats={count} seat=0 names={names} rng=0 move_ms=- bank_ms=0 increment_ms=0 strikes=0",
        "options preset=seed unbeaten_exempt=false orientation=sealed",
        f"deal n=1 starter=0 hand={hand}",
    ]


def _legal(hand: str, active: str) -> str:
    from human.grammar import show_word
    from human.scout import shows

    cards, table = tuple(hand.split(",")), tuple(active.split(",")) if active != "-" else ()
    words = [show_word(*one) for one in sorted(shows(cards, table))]
    ends = [] if not table else ["L"] if len(table) == 1 else ["L", "R"]
    for verb in ("scout", "scoutshow"):
        words += [f"{verb}:{end}{at}{flip}" for end in ends for at in range(len(cards) + 1) for flip in ("", "f")]
    return ",".join(words)


def scout_four(hand: str = SCOUT_HAND) -> Model:
    """Four seats, a set of two sevens is left of four; a Scout alone would end the round."""
    size = len(hand.split(","))
    lines = scout_lines("stdio,rusty,greedy,mcts-200", hand)
    lines += ["did seat=1 move=show cards=7/2,7/3,7/10,7/6 took=2", "did seat=2 move=scout:L card=7/2"]
    lines += ["did seat=3 move=scout:R card=7/6"]
    view = (
        f"deal=1 turn=8 phase=move hand={hand} active=7/3,7/10 owner=1 cards={size},5,9,7 taken=3,2,0,2 tokens=1,2,3,0 "
        "marker=true,false,true,true scouts=2 starter=0 scores=12,20,9,15"
    )
    return heard([*lines, f"act 40 ms=- {view} legal={_legal(hand, '7/3,7/10')}"])


def scout_five(hand: str = SCOUT_22) -> Model:
    """Five seats and a hand of 22 cards."""
    size = len(hand.split(","))
    lines = scout_lines("stdio,rusty,greedy,mcts-200,expert", hand)
    lines += ["did seat=3 move=show cards=6/2,7/3,8/10 took=1", "did seat=4 move=scout:L card=6/2"]
    view = (
        f"deal=1 turn=8 phase=move hand={hand} active=7/3,8/10 owner=3 cards={size},5,9,7,8 taken=3,2,0,2,1 "
        "tokens=1,2,3,0,0 marker=true,false,true,true,true scouts=1 starter=0 scores=12,20,9,15,-3"
    )
    return heard([*lines, f"act 40 ms=- {view} legal={_legal(hand, '7/3,8/10')}"])


def scout_orient() -> Model:
    """The start of a round with five: which way up."""
    hand = "8/6,6/5,9/1,7/4,2/3,7/2,6/1,4/6,9/4"
    view = (
        f"deal=1 turn=0 phase=orient hand={hand} active=- owner=- cards=9,9,9,9,9 taken=0,0,0,0,0 tokens=0,0,0,0,0 "
        "marker=true,true,true,true,true scouts=0 starter=0 scores=4,0,7,-2,1"
    )
    lines = scout_lines("stdio,rusty,greedy,mcts-200,expert", hand)
    return heard([*lines, f"act 40 ms=- {view} legal=keep,turn"])


def scout_over() -> Model:
    """The end of a round: one hand is empty."""
    model = scout_four()
    ends = "hands=3/10,4/1,5/9;-;2/4,6/1,9/5;7/8 taken=5,6,2,3 tokens=1,2,3,0 points=3,8,2,2 scores=15,28,11,17"
    return play.hear(model, f"over deal=1 reason=empty {ends}")[0]


def scout_end() -> Model:
    """The final table of a SCOUT match."""
    return play.hear(replace(scout_over(), overlay=""), "end ranks=3,1,4,2 scores=15,28,11,17")[0]


SCENES = {
    "scat-nine": scat_nine,
    "scat-nine-take": lambda: pressed(scat_nine(), "t"),
    "scat-nine-preview": lambda: pressed(scat_nine(), "t", "tab", "enter"),
    "scat-nine-refused": lambda: pressed(scat_nine(), "k"),
    "scat-nine-seen": lambda: pressed(scat_nine(), "v", "escape"),
    "scat-two-drop": lambda: pressed(scat_two_drop(), "tab"),
    "scat-two-preview": lambda: pressed(scat_two_drop(), "2", "enter"),
    "scat-over": scat_over,
    "scat-end": scat_end,
    "scat-help": lambda: pressed(scat_nine(), "?"),
    "scat-hint": lambda: pressed(scat_nine(), "h"),
    "scat-review": lambda: pressed(scat_nine(), "l", "left", "left", "left"),
    "scat-leave": lambda: pressed(scat_nine(), "q"),
    "scat-typed": lambda: typed(scat_nine(), "take drop 3"),
    "scout-four": scout_four,
    "scout-four-tab": lambda: pressed(scout_four(), "tab"),
    "scout-four-illegal": lambda: pressed(scout_four(), *["right"] * 10, "space", "right"),
    "scout-four-preview": lambda: pressed(scout_four(), "tab", "tab", "enter"),
    "scout-four-scout": lambda: pressed(scout_four(), "s", "e"),
    "scout-four-scout-preview": lambda: pressed(scout_four(), "s", "e", "enter"),
    "scout-four-then": lambda: pressed(scout_four(), "x", "e", "enter", "tab"),
    "scout-four-both-preview": lambda: pressed(scout_four(), "x", "e", "enter", "tab", "enter"),
    "scout-five": lambda: pressed(scout_five(), "tab"),
    "scout-five-14": lambda: pressed(scout_five(SCOUT_HAND), "tab"),
    "scout-five-14-scout": lambda: pressed(scout_five(SCOUT_HAND), "s"),
    "scout-five-scout": lambda: pressed(scout_five(), "s", "f"),
    "scout-orient": lambda: pressed(scout_orient(), "f"),
    "scout-over": scout_over,
    "scout-end": scout_end,
    "scout-help": lambda: pressed(scout_four(), "?"),
    "scout-log": lambda: pressed(scout_four(), "l"),
    "scout-typed": lambda: typed(scout_four(), "scout right at 11 then show 11-13"),
}
