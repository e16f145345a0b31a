"""Which languages this machine can really use: a compiler may be there and not work."""

import functools
import shutil
import subprocess

import pytest


@functools.cache
def _trouble(tool: str) -> str:
    if shutil.which(tool) is None:
        return f"{tool} is not installed."
    asked = subprocess.run([tool, "version" if tool == "go" else "--version"], capture_output=True, timeout=60)
    return f"{tool} does not work here." if asked.returncode else ""


def needs(tool: str) -> None:
    """Skip the test when there is no such tool, or when it cannot even say its version."""
    if trouble := _trouble(tool):
        pytest.skip(trouble)


def skip_if_lacking(error: Exception) -> None:
    """Skip the test when a player could not start because this machine lacks its language; else do nothing."""
    if "is not installed" in str(error) or "version fails:" in str(error):
        pytest.skip(str(error).partition("\n")[0])
