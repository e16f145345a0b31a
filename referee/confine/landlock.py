"""Landlock: a domain that keeps players apart, and rules for the files and the network that they may use.

It needs no privilege and no program. What is not named in a ruleset that handles it is denied. What a kernel offers is
told by its ABI: 1 files, 2 moving files between folders, 3 truncation, 4 TCP, 5 device ioctls, 6 signals and abstract
sockets.

Source: landlock(7), Linux's include/uapi/linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

from .child import LINUX, allow, syscall

_CREATE_RULESET: Final = 444  # the same number on every architecture but alpha
_CREATE_RULESET_VERSION: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_MAKE_BLOCK: Final = 1 << 11
_REFER: Final = 1 << 13
_ACCESS_COUNT: Final = (0, 13, 14, 15, 15, 16)  # bits of file access by ABI; later ones have no more
_BIND_AND_CONNECT_TCP: Final = 3
_SCOPE_ABSTRACT_UNIX_SOCKET: Final = 1
_SCOPE_SIGNAL: Final = 2

READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
READ_FILE: Final = _EXECUTE | _READ_FILE
USE: Final = _READ_FILE | _WRITE_FILE
FILES_SINCE: Final = 1  # the ABI from which on files can be kept
DOMAIN_SINCE: Final = 2  # ... from which on a domain can forbid nothing inside it
NETWORK_SINCE: Final = 4  # ... from which on TCP can be kept
SCOPES_SINCE: Final = 6  # ... from which on a domain also stops signals and abstract sockets


def abi() -> int:
    """Return the version of Landlock that this kernel offers; 0 is none."""
    return max(0, syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)) if LINUX else 0


def domain_only(version: int) -> int:
    """Return the descriptor of a ruleset that makes a domain and forbids nothing inside it; -1 where there is none.

    A domain alone keeps a process from tracing any process outside it, and so from its memory and descriptors. From
    ABI 6 on two scopes add signals and abstract sockets, and need no rule. Before, a ruleset must handle some access:
    this one handles making block devices and moving files between folders, and allows both everywhere. ABI 1 cannot
    allow the latter.
    """
    if version < DOMAIN_SINCE:
        return -1
    if version >= SCOPES_SINCE:
        return _new(struct.pack("=QQQ", 0, 0, _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL))
    ruleset = _new(struct.pack("=Q", _MAKE_BLOCK | _REFER))
    if ruleset >= 0:
        allow(ruleset, "/", _MAKE_BLOCK | _REFER)
    return ruleset


def closed(version: int, readable: Iterable[str], usable: Iterable[str], writable: Iterable[str] = ()) -> int:
    """Return the descriptor of a ruleset that allows what is named and no other file, and no TCP; -1 where none.

    readable -- files and folders, with all beneath, that may be read and executed
    usable   -- files, such as devices, that may be read and written
    writable -- folders beneath which all may be done
    Names of nothing are left out.
    """
    if version < FILES_SINCE:
        return -1
    files = (1 << _ACCESS_COUNT[min(version, len(_ACCESS_COUNT) - 1)]) - 1
    attributes = [files]
    if version >= NETWORK_SINCE:
        attributes.append(_BIND_AND_CONNECT_TCP)
    if version >= SCOPES_SINCE:
        attributes.append(_SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL)
    ruleset = _new(struct.pack(f"={len(attributes)}Q", *attributes))
    if ruleset >= 0:
        for path in readable:
            allow(ruleset, path, READ if os.path.isdir(path) else READ_FILE)
        for path in usable:
            allow(ruleset, path, USE)
        for path in writable:
            allow(ruleset, path, files)
    return ruleset


def _new(attributes: bytes) -> int:
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    return syscall(_CREATE_RULESET, ctypes.addressof(buffer), len(attributes), 0)
