"""It paints over the organiser's terminal."""

import os

from _attack import AIMS, attack

attack(lambda: os.write(os.open(AIMS["terminal"], os.O_WRONLY | os.O_NOCTTY), b"\33[2J"))
