"""One run, whole: open, lock, amend, play. What the command line and the demo call."""

import time
from collections.abc import Callable
from pathlib import Path

from tourney.bots.sandbox import Sandbox, open_sandbox
from tourney.bots.store import BotStore
from tourney.run.coordinator import Coordinator, Summary
from tourney.run.pool import Pool
from tourney.run.progress import Listener
from tourney.run.start import amend_tournament, open_tournament
from tourney.run.timetable import Timetable
from tourney.run.tournament_file import TournamentFile


def run_tournament(
    file: TournamentFile,
    url: str,
    bots: Path,
    pool: Callable[[], Pool],
    *,
    listener: Listener | None = None,
    timetable: Timetable | None = None,
) -> Summary:
    """Run the tournament of a file until its end, or until the time is up or a signal comes.

    Starts it, or goes on where it stopped: rows without a result are played. ``pool`` makes the workers
    once all has been checked. Raises TournamentError for a file that cannot be played or that changes what
    may not change, UsageError if the tournament is being run already, SandboxError if its sandbox cannot be
    had, StoreError, and WorkerError.
    """
    listener = listener or Listener()
    store = BotStore(bots.absolute())
    sandbox = open_sandbox(file.run.sandbox)
    repository, tournament = open_tournament(file, url, store, listener.say)
    with repository, repository.run_lock(tournament, time.time()):
        tournament = amend_tournament(repository, tournament, file, store, listener.say)
        listener.say(sandbox_text(sandbox))
        coordinator = Coordinator(
            repository, tournament.id, pool(), store.root, listener=listener, timetable=timetable
        )
        try:
            return coordinator.run()
        finally:
            sandbox.sweep()


def sandbox_text(sandbox: Sandbox) -> str:
    """Return in one line what stands between the bots and this machine, and what does not."""
    lacking = [name for name, degree in sandbox.protections.items() if degree != "enforced"]
    held = len(sandbox.protections) - len(lacking)
    said = (
        f"sandbox {sandbox.level}: {sandbox.kind}, {held} of {len(sandbox.protections)} protections enforced"
    )
    if sandbox.kind == "plain":
        return f"{said}: the bots run with your rights, so let play only those that you trust"
    if lacking:
        said += f", not {', '.join(lacking)}"
    return f"{said} (see `tourney doctor`)"
