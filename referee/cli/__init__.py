"""The command line: the only package that prints and exits.

Results go to standard output; progress, notes and errors to standard error. The modules, from the ground up:

    output, unfold, options   what is said and how it ends; records of options, and commands that take them
    reading, plans            what was typed -> players, seats, settings; a run as it was asked for -> its plan
    running, one_match        a run of many matches in its folder; one match, told as it goes
    playing, continuing, looking, watching, authoring, machine, topics
                              the commands, by what a person wants of them
    entry                     all commands in the order of `referee --help`, and the way in and out

Heavy imports stay inside the commands, so that `--help` and shell completion start fast.
"""

from referee.cli.entry import main

__all__ = ["main"]
