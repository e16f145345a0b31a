"""It calls home."""

import socket

from _attack import AIMS, attack

attack(lambda: socket.create_connection(("127.0.0.1", AIMS["tcp"]), 2))
