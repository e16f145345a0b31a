"""It meets an accomplice at a socket that no file stands for."""

import socket

from _attack import AIMS, attack

attack(lambda: socket.socket(socket.AF_UNIX).connect("\0" + AIMS["token"]))
