"""It kills all that it may: with the signal that its aims name, harmless where others would be hit."""

import os

from _attack import AIMS, attack

attack(lambda: os.kill(-1, AIMS["signal"]))
