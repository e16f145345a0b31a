"""The way in and out: all commands, and what becomes of whatever goes wrong in them."""

import errno
import itertools
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer

from referee import __version__
from referee.cli.authoring import bench, bots, check, new_bot, protocol, rules
from referee.cli.continuing import rerun, resume
from referee.cli.looking import export, report, show, verify
from referee.cli.machine import completion, doctor
from referee.cli.options import SandboxLevel
from referee.cli.output import Code, UsageProblem, note
from referee.cli.playing import compare, match, play, tournament
from referee.cli.topics import help_topic, home
from referee.cli.watching import replay, watch

# typer brings click along in its own package or beside it, as its version has it; this is click's base of all errors
CommandLineError: Any = typer.BadParameter.mro()[2]

COMMANDS = (  # in the order of `referee --help`; play and help, which are registered otherwise, end it
    tournament,
    compare,
    match,
    check,
    resume,
    rerun,
    show,
    export,
    report,
    replay,
    watch,
    verify,
    rules,
    protocol,
    bots,
    bench,
    new_bot,
    doctor,
    completion,
)

app = typer.Typer(add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.callback(invoke_without_command=True)(home)
for command in COMMANDS:
    app.command()(command)
app.command(  # the words after it are for the client, --help too
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)(play)
app.command("help")(help_topic)


def main() -> NoReturn:
    """Run the command line and exit with a documented code; nobody sees a traceback."""
    _open_what_is_closed()
    sys.exit(guarded(sys.argv[1:]))


def guarded(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code, whatever happens on the way."""
    debug = "--debug" in arguments
    try:
        code = _run(with_levels([word for word in arguments if word != "--debug"]))
        sys.stdout.flush()
        return code
    except typer.Exit as stop:
        return int(stop.exit_code)
    except CommandLineError as error:
        note(f"referee: {_complaint(error)}")
        return Code.USAGE
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return Code.INTERRUPTED
    except BrokenPipeError:
        _lose_output()
        return Code.UNREAD
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            return _sentence_for(error, debug)
        _lose_output()
        note(f"referee: the output could not be written: {error.strerror}")
        return Code.STORE
    except Exception as error:
        return _sentence_for(error, debug)


def with_levels(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the level of a bare --sandbox said: the word after it may be a player."""
    levels = set(SandboxLevel)
    return [
        "--sandbox=on" if word == "--sandbox" and (after not in levels) else word
        for word, after in itertools.zip_longest(arguments, arguments[1:], fillvalue="")
    ]


def _run(arguments: list[str]) -> int:
    command: Any = typer.main.get_command(app)
    if "_REFEREE_COMPLETE" in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
        code = command.main(arguments, prog_name="referee", standalone_mode=False)
    else:  # not `main`, which takes a reader that has gone for an error of its own
        with command.make_context("referee", arguments) as context:
            code = command.invoke(context)
    return code if isinstance(code, int) else 0


def _complaint(error: Any) -> str:
    """Return what is wrong with a command line, in a sentence, whichever version of typer found it."""
    sentence = error.format_message()
    if (parameter := getattr(error, "param", None)) and error.message:
        sentence = f"{parameter.opts[0]}: {error.message.removeprefix('Value error, ')}"
    return f"{sentence.rstrip('.')}. {error.ctx.command_path} --help says what it takes" if error.ctx else sentence


def _sentence_for(error: Exception, debug: bool) -> int:
    """Say what went wrong and return the exit code; what is not foreseen is a bug, kept in a file."""
    from referee.cluster import NoCluster
    from referee.confine import SandboxMissing
    from referee.games import BadOption
    from referee.launch import LaunchError
    from referee.record import BadRecord
    from referee.store import StoreError, WrongFolder
    from referee.tournament import TooFewPlayers

    expected: dict[type[Exception], Code] = {
        UsageProblem: Code.USAGE,
        BadOption: Code.USAGE,
        LaunchError: Code.USAGE,
        TooFewPlayers: Code.TOO_FEW,
        WrongFolder: Code.USAGE,
        StoreError: Code.STORE,
        BadRecord: Code.STORE,  # one that a run holds: others are told where they are read
        NoCluster: Code.USAGE,
        SandboxMissing: Code.USAGE,
    }
    for kind, code in expected.items():
        if isinstance(error, kind):
            note(f"referee: {error}")
            return code
    return _bug(error, debug)


def _bug(error: Exception, debug: bool) -> int:
    """Keep what is known of a bug of ours in a file, say so, and return the exit code."""
    import tempfile
    import traceback

    text = traceback.format_exc()
    with tempfile.NamedTemporaryFile("w", prefix="referee-bug-", suffix=".txt", delete=False) as file:
        file.write(f"referee {__version__}\n{sys.argv}\n{text}")
    if debug:
        note(text)
    note(f"referee: a bug of ours: {type(error).__name__}: {error}. Please report it with {file.name}")
    return Code.BUG


# -- standard streams


def _open_what_is_closed() -> None:
    """Put /dev/null where a caller such as cron closed a standard stream: no pipe of ours may take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def _lose_output() -> None:
    """Send what is still to be written to standard output nowhere, or the interpreter complains when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
