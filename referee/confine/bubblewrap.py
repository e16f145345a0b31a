"""The command line of bubblewrap around a player: a view of the system that holds what it may read and nothing else.

In the sandbox there are no other processes, no network, no shared memory of others, and a small /tmp and /dev/shm of
the player's own, which end with it. As root the namespaces are made with root's rights, and the player takes another
user inside, after folders that are closed to that user have been put in place; else a user namespace is needed.

Source: bwrap(1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from . import reach

TMP_BYTES: Final = 64 * 1024 * 1024
SHM_BYTES: Final = 16 * 1024 * 1024


def command(
    bwrap: str,
    readable: Sequence[str],
    hidden: Iterable[str],
    cwd: str,
    *,
    as_root: bool,
    writable: Iterable[str] = (),
) -> list[str]:
    """Return the words that go before the command inside.

    readable -- absolute paths, none beneath another, as in reach.Reach
    hidden   -- absolute paths that are covered where they lie beneath a readable one
    cwd      -- made as an empty folder when it is not readable
    writable -- folders that may be written to: a build's own
    """
    words = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if not as_root:
        words.append("--unshare-user")
    words += ["--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    words += ["--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"]
    words += ["--perms", "1777", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm"]
    for folder in _above([*readable, cwd]):
        words += ["--dir", folder]  # made on the way to something else, it would be closed to all but root
    for path in readable:
        if os.path.islink(path) and path in reach.SYSTEM:  # /bin -> usr/bin
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    words += ["--dir", cwd]
    for path in writable:
        words += ["--bind", path, path]
    for path in hidden:
        if any((path + "/").startswith(top + "/") for top in readable) and os.path.exists(path):
            words += _covered(path)
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return words


def _above(paths: Iterable[str]) -> list[str]:
    """Return the folders above these paths, outer ones first, but for those that every sandbox has."""
    found = {str(folder) for path in paths for folder in Path(path).parents}
    return sorted(found - {"/", "/tmp", "/dev", "/dev/shm", "/proc"})


def _covered(path: str) -> list[str]:
    if os.path.isdir(path):
        return ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
    return ["--ro-bind", "/dev/null", path]
