"""The first page, and the topics of `referee help`."""

from typing import Annotated, Any, cast

import typer

from referee import __version__
from referee.cli.output import UsageProblem, say

HOME = f"""
referee {__version__}: play and judge SCAT and SCOUT between people and programs

Start here
  referee play scat                     you against three players of ours
  referee play scout --opponents 3
  referee match scat scat_greedy scat_threshold
  referee check ./mybot.py              does it follow the protocol? says why not
  referee tournament bots/*             a round robin of every program in a folder
  referee compare ./mybot ./mybot-1     which is stronger, and how sure is that?

A player is a built-in name (referee bots), a program, a source file in one of
fifteen languages, a folder with an executable `run`, or a quoted command.

Then
  referee resume DIR    referee show DIR      referee export DIR
  referee rerun DIR     plays matches again that a player or the machine spoiled
  referee replay FILE   referee watch DIR     referee verify FILE
  referee rules scat    referee protocol      referee doctor

  referee COMMAND --help says what a command takes; referee help exit-codes and
  referee help environment say the rest.
"""

TOPICS = {
    "exit-codes": """\
0    done; forfeits are results
1    a check said no: check, verify
2    the command line is wrong, or a player is unknown
3    too few players could start
70   a bug of ours; the sentence names the file with the details
74   the results could not be stored or read; what was announced is safe
130  interrupted; a run can be resumed
141  the reader of our output went away""",
    "environment": """\
NO_COLOR        not empty: no colour anywhere
REFEREE_JOBS    matches at once, as --jobs
REFEREE_CACHE   where built programs are kept
REFEREE_SANDBOX on or strict, as --sandbox
REFEREE_READABLE  files and folders, with `:` between them, that sandboxed players may read beside their own
REFEREE_UI      linear or full, for `referee play`, `replay` and `watch`
REFEREE_ASCII   not empty: no glyphs, for the same
ACCESSIBLE      not empty and not 0: they speak in lines
CI              not empty: no live progress""",
    "accessibility": """\
`referee play --ui linear` speaks in lines: nothing is repainted, no colour or glyph carries a fact, and every
question is answered by typing a command. `referee replay --ui linear` and `referee watch --ui linear` tell a match
and a run in sentences, one event a line. REFEREE_UI=linear makes it the rule. Every other command prints plain lines
when its output is not a terminal, and with --progress plain also when it is.""",
}


def home(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Play and judge SCAT and SCOUT between people and programs."""
    if version:
        say(f"referee {__version__}")
    elif context.invoked_subcommand is None:
        say(HOME)


def help_topic(
    context: typer.Context, topic: Annotated[str | None, typer.Argument(help=", ".join(TOPICS))] = None
) -> None:
    """Explain a topic, or a command."""
    commands = cast(Any, context.find_root().command)  # a group, whichever click typer brings along
    if topic is None:
        say(HOME)
        say("Topics: " + ", ".join(TOPICS))
    elif topic in TOPICS:
        say(TOPICS[topic])
    elif topic in commands.commands:
        with commands.make_context("referee", [topic, "--help"]) as asked:
            commands.invoke(asked)
    else:
        from referee.games import nearest

        raise UsageProblem(
            f"there is no help on {topic!r}, but on {', '.join(TOPICS)} and on every command that referee --help"
            f" lists.{nearest(topic, (*TOPICS, *commands.commands))}"
        )
