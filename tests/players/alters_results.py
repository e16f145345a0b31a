"""It appends a victory to the results."""

from _attack import AIMS, attack


def alter() -> int:
    with open(AIMS["results"], "a") as file:
        return file.write("I won\n")


attack(alter)
