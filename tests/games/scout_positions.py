"""Playing SCOUT in tests, in words."""

from referee.games._base import Event
from referee.games.scout import Cards, Scout, State, cards


def hands(*texts: str) -> tuple[Cards, ...]:
    return tuple(cards(text.replace(" ", ",")) for text in texts)


def play(game: Scout, state: State, *words: str) -> tuple[State, tuple[Event, ...]]:
    """Play words one after the other; return the last state and all that happened."""
    events: tuple[Event, ...] = ()
    for word in words:
        state, more = game.apply(state, game.parse(word))
        events += more
    return state, events


def over(events: tuple[Event, ...]) -> dict[str, str]:
    """Return the words of the line that says that the round is over; none if it is not."""
    line = next((event.public for event in events if event.public.startswith("over ")), "over")
    return dict(word.split("=", 1) for word in line.split()[1:])


def legal(game: Scout, state: State) -> list[str]:
    return [game.format(action) for action in game.legal_actions(state)]
