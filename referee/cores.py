"""A core for each worker and its players, so that a message does not have to travel between cores.

A hop between cores costs several times the round trip itself. A core is taken by locking a file named for it, which
all runs of one user on a machine share: two runs do not pile up on the same core, and a lock dies with its holder.
"""

import fcntl
import os
import stat
import tempfile
from pathlib import Path


def take_core() -> int | None:
    """Bind this process, and what it starts from now on, to a core that no other worker holds.

    Returns the core's number; None when none is free, or the system cannot bind. The lock is held until this process
    ends.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    folder = _folder()
    if len(cores) < 2 or folder is None:
        return None
    for core in reversed(cores):  # the first cores are where systems put their own work
        handle = os.open(folder / f"{core}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            continue
        os.sched_setaffinity(0, {core})
        return core
    return None


def _folder() -> Path | None:
    """Return the folder of the locks, this user's alone, or None when somebody else has taken the name."""
    folder = Path(tempfile.gettempdir(), f"referee-cores-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    return folder if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() else None
