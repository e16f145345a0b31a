"""It says on standard error what it finds of its confinement."""

import os
import resource
import signal
import sys

from _kit import requests, say


def tell() -> None:
    """Write what can be seen, one `key=value` a line."""
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    facts = {
        "no_new_privs": status["NoNewPrivs"],
        "blocked": int(status["SigBlk"], 16),
        "ignored": int(status["SigIgn"], 16) & (1 << signal.SIGPIPE - 1),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "nofile": resource.getrlimit(resource.RLIMIT_NOFILE),
        "fsize": resource.getrlimit(resource.RLIMIT_FSIZE),
        "session": os.getsid(0) == os.getpid() == os.getpgid(0),
        "fds": sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1],
        "variables": ",".join(sorted(os.environ)),
        "cwd": os.getcwd(),
    }
    for path in ("mem", "fd/0"):
        facts[f"referee_{path}"] = readable(f"/proc/{os.getppid()}/{path}")
    for pid in sys.argv[1:]:
        facts["other_mem"] = readable(f"/proc/{pid}/mem")
        facts["other_fd"] = readable(f"/proc/{pid}/fd/0")
        facts["other_signal"] = signals(int(pid))
    for key, value in facts.items():
        print(f"{key}={value}", file=sys.stderr)


def readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def signals(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


for number, legal in requests():
    tell()
    say(f"move {number} {legal[0]}")
