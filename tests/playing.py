"""Play a match without processes: one function answers for every seat."""

from collections.abc import Callable, Generator

from referee.match import Ask, Record, Reply, Request


def play_out(match: Generator[Request, Reply, Record], answer: Callable[[Ask], Reply]) -> tuple[Record, list[Request]]:
    """Return the record of a match (see `referee.match.play`) and every request that it made."""
    requests: list[Request] = []
    reply: Reply = None
    while True:
        try:
            request = match.send(reply)
        except StopIteration as stop:
            record: Record = stop.value
            return record, requests
        requests.append(request)
        reply = answer(request) if isinstance(request, Ask) else None
