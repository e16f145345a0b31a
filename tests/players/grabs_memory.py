"""It uses memory as long as it can; here it ends at 192 MiB, for the machine's sake."""

from _attack import attack


def grab() -> int:
    taken: list[bytes] = []
    while len(taken) < 24:
        taken.append(b"x" * (8 << 20))
    return len(taken) * 8


attack(grab)
