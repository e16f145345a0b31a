"""Run a compiler so that it, and all that it has started, ends; `python -m referee.building` watches over one build.

Theory of operation. Between the referee and a compiler stands this process. It dies with the referee: by a signal,
which here means an orderly exit. It confines the compiler (`confine.build`), which dies with it, keeps its time, and
then kills whatever the compiler has left: as a subreaper it is the parent of all that. Inside bubblewrap the kernel
does the same once more. Should this very process be killed, what is left has a limit of CPU time.

A build arrives as one JSON object on standard input; how it ended leaves as another on standard output.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee import confine
from referee.confine import build, reach
from referee.process import Finished, Orphanage, WorkerDied, run_command, run_job

# -P: the folder where the referee was started may hold a json.py of anybody's.
_BUILDER: Final = (sys.executable, "-P", "-m", "referee.building")
_GRACE_S: Final = confine.SANDBOX_S + 60.0  # beside the build: to find out what the machine has, to bury what is left


def run_build(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    limit: int,
    sandbox: confine.Sandbox = confine.NO_SANDBOX,
    reads: Sequence[str] = (),
) -> Finished:
    """Run a compiler in a folder of its own and return how it ended; nothing that it has started is alive then.

    cwd     -- the absolute path of that folder; in a sandbox nothing else can be written to
    timeout -- seconds, of wall time for the whole and of CPU time for each process
    sandbox -- what it is kept from
    reads   -- paths that it may read beside what a player may
    The rest is as in process.run_command. Raises OSError when it cannot be started, and confine.SandboxMissing.
    """
    job = {
        "argv": list(argv),
        "cwd": cwd,
        "env": dict(env),
        "timeout": timeout,
        "limit": limit,
        "sandbox": sandbox._asdict(),
        "reads": list(reads),
    }
    try:
        answer = json.loads(run_job(_BUILDER, json.dumps(job), timeout + _GRACE_S))
    except WorkerDied as error:
        raise OSError(0, str(error).replace("the worker", "the process that watches over it")) from None
    if "missing" in answer:
        raise confine.SandboxMissing(answer["missing"])
    if "reason" in answer:
        raise OSError(answer["errno"], answer["reason"])
    return Finished(answer["code"], answer["output"].encode("latin-1"), tuple(answer["unreachable"]))


def main() -> None:
    """Run the build that standard input describes."""
    confine.referee_start()
    job = json.load(sys.stdin)
    try:
        with Orphanage():
            answer = _answer(job)
    except SystemExit:  # whose folder it is may be dead
        shutil.rmtree(job["cwd"], ignore_errors=True)
        raise
    print(json.dumps(answer))


def _answer(job: Mapping[str, Any]) -> dict[str, Any]:
    more = [os.environ.get(reach.READABLE, ""), *job["reads"]]
    os.environ[reach.READABLE] = os.pathsep.join(filter(None, more))
    sandbox = confine.Sandbox.from_json(job["sandbox"])
    argv, cwd, env = job["argv"], job["cwd"], job["env"]
    try:
        workshop = build.Workshop(cwd, job["timeout"], sandbox)
        finished = run_command(argv, cwd, env, job["timeout"], job["limit"], workshop)
    except confine.SandboxMissing as error:
        return {"missing": str(error)}
    except OSError as error:
        return {"errno": error.errno or 0, "reason": error.strerror or str(error)}
    except (confine.Obstacle, subprocess.SubprocessError) as error:
        return {"errno": 0, "reason": str(error)}
    blamed: tuple[str, ...] = ()
    if finished.code and sandbox.level != confine.OFF:
        blamed = build.unreachable(finished.output, argv, cwd, env)
    return {"code": finished.code, "output": finished.output.decode("latin-1"), "unreachable": blamed}


if __name__ == "__main__":
    main()
