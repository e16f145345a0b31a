"""The player that sits at the referee's own standard input and output."""

import os
from collections.abc import Iterator

import pytest

from referee.match import Answer
from referee.process import Stdio, Table
from referee.wire import Fault, Ready

from .conftest import descriptors


class Person:
    """Both ends of two pipes: what the referee has as standard input and output, and what a person holds."""

    def __init__(self, table: Table) -> None:
        self.stdin, self.typing = os.pipe()
        self.screen, self.stdout = os.pipe()
        self.seated = Stdio(table, "me", self.stdin, self.stdout)

    def types(self, text: str) -> None:
        os.write(self.typing, text.encode())

    def reads(self) -> str:
        return os.read(self.screen, 65536).decode()

    def close(self) -> None:
        for fd in (self.stdin, self.typing, self.screen, self.stdout):
            if fd >= 0:
                os.close(fd)


@pytest.fixture
def person() -> Iterator[Person]:
    before = descriptors()
    with Table() as table:
        made = Person(table)
        yield made
        made.close()
    assert before == descriptors()


def test_a_conversation(person: Person) -> None:
    person.types("ready events=live\n")
    assert Ready(None, True, True) == person.seated.greet(("scat",), None)
    assert person.reads().startswith("referee 1 ")
    person.seated.tell("match id=m0")
    assert "match id=m0\n" == person.reads()

    person.seated.bye()

    assert "bye\n" == person.reads()


def test_an_answer(person: Person) -> None:
    person.types("ready\n")
    person.seated.greet(("scat",), None)
    asked = iter([lambda: person.types("move 0 stock # hm\n")])

    def legal() -> str:
        next(asked)()  # typed before the request is sent, and read after: fast fingers
        return "stock"

    answer = person.seated.ask("ms=-", legal, None, 0)

    assert isinstance(answer, Answer) and ("stock", "hm") == answer[:2]
    assert person.reads().endswith("act 0 ms=- legal=stock\n")


def test_the_end_of_input_is_a_fault(person: Person) -> None:
    person.types("ready\n")
    person.seated.greet(("scat",), None)
    os.close(person.typing)
    person.typing = -1

    fault = person.seated.ask("ms=-", lambda: "a", None, 0)

    assert isinstance(fault, Fault) and fault.code == "closed"


def test_a_limit_holds_for_people_too(person: Person) -> None:
    person.types("ready\n")
    person.seated.greet(("scat",), None)

    fault = person.seated.ask("ms=50", lambda: "a", 50, 0)

    assert isinstance(fault, Fault) and fault.code == "timeout"
    assert "nothing came on the referee's standard input" in fault.text


def test_the_descriptors_keep_their_blocking_ways(person: Person) -> None:
    """They are shared with the shell, which would find them changed."""
    person.types("ready\n")
    person.seated.greet(("scat",), None)
    for _ in range(100):
        person.seated.tell("did " + "x" * 2000)
    person.seated.flush()

    assert os.get_blocking(person.stdin) and os.get_blocking(person.stdout)
    assert not person.seated.closed


def test_a_dismissed_person_hears_why(person: Person) -> None:
    person.types("ready\n")
    person.seated.greet(("scat",), None)
    person.seated.dismiss("fault seat=0 code=illegal id=- text=no such card")

    assert person.reads().endswith("fault seat=0 code=illegal id=- text=no such card\n")
    assert person.seated.closed
