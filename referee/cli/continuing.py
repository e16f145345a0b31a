"""Runs that are there already and are played on: resume and rerun."""

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import AcceptChanged, ClusterAddress, DryRun, Folder, Jobs, Telling
from referee.cli.output import UsageProblem, note
from referee.cli.reading import match_of, run_and_number
from referee.cli.unfold import unfolded
from referee.words import counted

if TYPE_CHECKING:
    from referee.store import Store
    from referee.tournament import Plan


@unfolded
def resume(
    folder: Folder,
    *,
    accept_changed: AcceptChanged = False,
    jobs: Jobs = 0,
    cluster: ClusterAddress = None,
    telling: Telling,
) -> None:
    """Go on with a run that was stopped, at any point and by whatever."""
    from referee import store
    from referee.cli.running import carry_on, connected
    from referee.tournament import Plan

    with store.resume(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        _check_programs(plan, opened, accept_changed)
        with connected(cluster) as helpers:
            carry_on(plan, opened, jobs, telling, helpers)


@unfolded
def rerun(
    word: Annotated[str, typer.Argument(metavar="DIR", help="A run directory, or DIR#N for match N of it.")],
    *,
    failed: Annotated[
        bool, typer.Option("--failed", help="The matches in which a player faulted, and those that are void.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Only play DIR#N here and show every line, both ways; store nothing.")
    ] = False,
    accept_changed: AcceptChanged = False,
    dry_run: DryRun = False,
    jobs: Jobs = 0,
    telling: Telling,
) -> None:
    """Play matches of a run again on the same deals. The old ones are kept, count no more, and the table says so."""
    from referee import store
    from referee.cli.one_match import play_here, stored_sitting
    from referee.cli.running import carry_on
    from referee.tournament import Plan

    folder, number = run_and_number(word)
    if failed == (number is not None) or (trace and number is None):
        raise UsageProblem(
            f"say what to play again: referee rerun {folder} --failed, for all matches with a fault and void ones, or "
            f"referee rerun {folder}#N, for match N; with --trace, match N is only shown"
        )
    if trace:
        with store.read(folder) as opened:
            play_here(stored_sitting(opened, number or 0), traced=True)
        return
    with store.resume(folder) as opened:
        plan = Plan.from_json(opened.meta("plan"))
        keys = _failed(opened) if number is None else [match_of(opened, number)[:2]]
        if not keys:
            note("no match failed: there is nothing to play again")
            return
        note(f"to be played again: {len(keys):,} of {counted(opened.count(), 'match')}")
        if dry_run:
            return
        _check_programs(plan, opened, accept_changed)
        opened.supersede(keys)
        carry_on(plan, opened, jobs, telling)


def _failed(opened: "Store") -> list[tuple[int, int]]:
    """Return (task, block) of the matches in which a player faulted, and of those that are void."""
    return [(task, block) for task, block, result in opened.results() if result["faults"] or result["void"]]


def _check_programs(plan: "Plan", opened: "Store", accept: bool) -> None:
    """Raise UsageProblem when a player's program is not the one that began the run, unless that is accepted."""
    from referee.programs import changed_files

    changed = {entry.name: files for entry in plan.players if (files := changed_files(entry.files))}
    if not changed:
        return
    told = "; ".join(f"{name} ({', '.join(files)})" for name, files in changed.items())
    if not accept:
        raise UsageProblem(
            f"not the program that began the run {opened.folder}: {told}. Results of two programs would be mixed in one"
            " row of the table: put the old one back, begin a new run, or go on with --accept-changed"
        )
    note(f"changed since the run began: {told}; the table counts their matches and says so")
