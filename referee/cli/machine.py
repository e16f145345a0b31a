"""The machine and the shell: doctor and completion."""

from typing import Annotated

import typer

from referee.cli.output import UsageProblem, say


def doctor() -> None:
    """Say what this machine offers: languages, isolation, terminal, folders."""
    from referee.report.checkup import report

    say("\n".join(report()))


def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the completion script of a shell; nothing is written to your files."""
    from typer._completion_shared import get_completion_script

    if shell not in ("bash", "zsh", "fish"):
        raise UsageProblem(f"there is completion for bash, zsh and fish, not for {shell!r}")
    say(get_completion_script(prog_name="referee", complete_var="_REFEREE_COMPLETE", shell=shell))
