"""What a channel knows of strikes, and what it advises to who prints on the wire."""

import pytest

from referee.wire import Channel, Fault


def asked() -> Channel:
    channel = Channel()
    channel.greet(("scat",))
    channel.receive(b"ready\n")
    return channel


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ((), 0),
        (("match id=m0 game=scat move_ms=- strikes=2",), 2),
        (("match id=m0 strikes=2", "strike id=0 code=illegal left=1 text=strikes=9 left=9"), 1),
        (("match id=m0 strikes=2", "strike id=0 code=illegal left=0 text=no", "did seat=0 move=stock"), 0),
        (("match id=m0 strikes=0", "match id=m1 strikes=3"), 3),
    ],
)
def test_a_channel_knows_the_strikes_that_it_has_told_of(lines: tuple[str, ...], left: int) -> None:
    channel = asked()

    for line in lines:
        channel.tell(line)

    assert left == channel.strikes


@pytest.mark.parametrize("line", [b"hello, world\n", b"eval = 3\n"])
def test_a_comment_is_not_promised_a_place_in_the_record(line: bytes) -> None:
    channel = asked()
    channel.ask("ms=-", lambda: "stock")

    fault = channel.receive(line)

    assert isinstance(fault, Fault)
    assert fault.text.endswith("is a comment, which is read and dropped; debugging belongs on standard error")
    assert "record" not in fault.text
