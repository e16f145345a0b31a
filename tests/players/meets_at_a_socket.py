"""It talks to a service of the system at its socket's file."""

import socket

from _attack import AIMS, attack

attack(lambda: socket.socket(socket.AF_UNIX).connect(AIMS["socket"]))
