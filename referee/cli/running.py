"""A run from its beginning to its table: the players are tried, the folder is made, the matches are played."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from referee.cli.looking import print_table
from referee.cli.options import USUAL, Format, Style, Telling
from referee.cli.output import Code, UsageProblem, note, say, stream
from referee.cli.plans import Run, Started, describe, plan_of
from referee.cli.reading import check_games, master_seed
from referee.words import counted

if TYPE_CHECKING:
    from referee.cluster import Cluster
    from referee.report.keys import Control
    from referee.store import Store
    from referee.tournament import Plan


def begin(run: Run) -> None:
    """Try the players of a run, make its plan and its folder, and play it.

    Raises UsageProblem and BadOption for what cannot be done, TooFewPlayers, NoCluster, SandboxMissing, StoreError; and
    typer.Exit when the run was stopped.
    """
    from referee import store, tournament

    check_games(run.games)
    if any(player.source == "stdio" for player in run.field.players):
        raise UsageProblem("stdio can take one seat of one match: referee match GAME stdio PLAYER")
    with connected(run.cluster) as helpers:
        started, absent, isolation = _started(run, helpers)
        plan = plan_of(run, started, absent)
        if run.dry:
            say(describe(plan))
            return
        master = master_seed(run.deals.seed)
        commitment = tournament.commitment_of(master)
        meta = {
            **tournament.about(plan),
            "commitment": commitment,
            "seed_given": run.deals.seed is not None,
            "isolation": [isolation],
        }
        with store.create(run.running.out or _new_folder(), master, **meta) as opened:
            note(describe(plan))
            note(f"commitment {commitment}  (SHA-256 of the master seed, which is published at the end)")
            carry_on(plan, opened, run.running.jobs, run.telling, helpers, run.style)


def connected(address: str | None) -> AbstractContextManager[Cluster | None]:
    """Return the cluster at an address as a context manager; of none when there is no address: all runs here."""
    if address is None:
        return nullcontext()
    from referee.cluster import connect

    return connect(address, note)


def _started(run: Run, helpers: Cluster | None) -> tuple[list[Started], list[tuple[str, str]], str]:
    """Return the players that could be started, (name, reason) of the others, and what keeps them apart.

    All but the first is noted. Raises TooFewPlayers when too few are left.
    """
    from referee import tournament
    from referee.games import names

    players, absent = run.field.players, list(run.field.absent)
    said: list[str] = []
    preflight = helpers.preflight if helpers else tournament.preflight
    checked = preflight(players, run.terms.clock.start_time, sandbox=run.terms.sandbox.planned(), told=said.append)
    note(said[0])
    started = []
    for player, (plays, reason) in zip(players, checked, strict=True):
        if reason:
            absent.append((player.name, reason))
        else:
            known = player.games or names()
            started.append(Started(player, tuple(game for game in known if plays is None or game in plays)))
    for name, reason in absent:
        note(f"not started: {name}: {reason}")
    if absent and run.strict:
        of_a_comparison = "a player of the comparison could not start"
        raise tournament.TooFewPlayers(of_a_comparison if run.question else "--strict: a player could not start")
    if len(started) < 2:
        raise tournament.TooFewPlayers(
            f"{len(started)} of {counted(len(players), 'player')} could start; a match needs two"
        )
    return started, absent, said[0]


def _new_folder() -> Path:
    import datetime

    stem = f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}"
    for extra in ("", *(f"-{n}" for n in range(2, 1000))):
        folder = Path("results", stem + extra)
        if not folder.exists():
            return folder
    raise UsageProblem("results/ holds a thousand runs of this second; name another folder with --out")


# -- playing what is left


def carry_on(
    plan: Plan, opened: Store, jobs: int, telling: Telling, helpers: Cluster | None = None, style: Style = USUAL
) -> None:
    """Play what remains of a run, publish its seed and print its table, or the answers of a comparison.

    jobs    -- matches at once; 0 is half of the cores
    helpers -- the cluster that plays them; None: this machine does
    Raises typer.Exit when the run was stopped before its end.
    """
    from referee import compare, confine

    confine.hide_memory()  # it holds the master seed
    if opened.warning:
        note(opened.warning)
    streamed = telling.format is Format.JSONL and not compare.question_of(plan)
    held = opened.count()
    if not _played(plan, opened, jobs, telling, helpers, streamed):
        total = counted(plan.size().matches, "match")
        note(f"Stopped at {opened.count():,} of {total}. Resume with: referee resume {opened.folder}")
        raise typer.Exit(Code.INTERRUPTED)
    if opened.count() == held:
        note("nothing was left to play: the run is finished")
    if opened.meta("seed") is None:
        opened.publish_seed()
    print_table(opened, telling.format, style)
    if streamed:
        _end_stream(opened)
    note(f"results  {opened.folder}   (referee show {opened.folder}; referee export {opened.folder} --format jsonl)")


def _played(plan: Plan, opened: Store, jobs: int, telling: Telling, helpers: Cluster | None, streamed: bool) -> bool:
    """Play what remains of a run and return whether it is finished.

    streamed -- whether each match is written to standard output as it ends
    """
    from referee import compare, tournament
    from referee.report.keys import Control
    from referee.report.progress import watcher

    control = Control()
    said = False

    def stop() -> bool:
        nonlocal said
        if control.stopping and not said:
            said = True
            watching.note("finishing the matches that run; Ctrl-C again stops now")
        watching.tick()
        return control.stopping

    width = jobs or max(1, (os.cpu_count() or 1) // 2)
    play = compare.run if compare.question_of(plan) else tournament.run
    try:
        with (
            _heeding_signals(control),
            helpers.crew(plan.players, jobs, plan.sandbox) if helpers else tournament.local_crew(width) as crew,
            watcher(telling.progress.value, plan, opened, note, stream if streamed else None, control) as watching,
        ):
            # nobody can hold back the workers of a cluster
            return play(plan, opened, crew if helpers else control.heeded_by(crew), watching, stop)
    except KeyboardInterrupt:
        return False
    except tournament.CrewLost as error:
        note(f"referee: {error}")
        return False


@contextmanager
def _heeding_signals(control: Control) -> Iterator[None]:
    """Let Ctrl-C ask a run to stop; a second one, SIGTERM and a closed terminal raise KeyboardInterrupt at once."""
    import signal

    def interrupted(number: int, _: object) -> None:
        already = control.stopping
        control.stop()
        if already or number != signal.SIGINT:
            raise KeyboardInterrupt

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` has its reasons
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, interrupted) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_stream(opened: Store) -> None:
    """Write the last line of a stream of matches."""
    import json

    ended = {"type": "end", "v": 1, "matches": opened.count(), "seed": opened.meta("seed")}
    stream(json.dumps(ended, separators=(",", ":")) + "\n")
