"""One run from start to end: open the tournament, lock it, apply the file's changes, and play."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Sandbox, open_sandbox
from tourney.errors import StoreError
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.spool import Spool, replay_spool
from tourney.run.engine.start import amend_tournament, open_tournament, unbench
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.monitoring.status_file import StatusFile, status_path
from tourney.run.monitoring.summary import Summary
from tourney.run.workers.executor import MatchExecutor
from tourney.store.engine import database_exists, parse_url, place_of, shown
from tourney.store.maintenance import check_database
from tourney.store.repository import Repository

MANY = 50_000
"""From this many matches on a message announces their check, which takes a while."""
SAMPLE = 64
"""The number of latest matches whose lengths the deadline takes into account at the start."""


def run_tournament(
    file: TournamentFile,
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    deadline: Deadline | None = None,
    max_faults: int | None = None,
    retry_seconds: float = 0.0,
    unbenched: Sequence[str] = (),
) -> Summary:
    """Start the tournament of a file, or continue it: play the rows without a result.

    It ends when all is played, at the deadline, or at a signal. ``make_executor`` starts the workers once
    everything is checked. ``max_faults`` and ``retry_seconds`` are those of ``Coordinator``; the matches of
    the ``unbenched`` entrants are played again. Raises TournamentError for a file that cannot be played or
    changes a fixed key, UsageError if the tournament is being run already, SandboxError if the sandbox is not
    available, StoreError, and WorkerError.
    """
    listener = listener or Listener()
    store = BotStore(bots.absolute())
    sandbox = open_sandbox(file.run.sandbox)
    check_contents(url, listener.say)
    repository, tournament = open_tournament(file, url, store, listener.say, unbenched)
    with repository, repository.run_lock(tournament, time.time()):
        tournament = amend_tournament(repository, tournament, file, store, listener.say)
        place = place_of(url)
        spool = Spool(place.with_name(f"{place.name}-{tournament.name}.spool"), tournament)
        replay_spool(repository, tournament, spool.path, listener.say)
        unbench(repository, tournament, unbenched, listener.say)
        deadline = deadline or Deadline()
        for seconds in repository.recent_seconds(tournament.id, SAMPLE):
            deadline.add(seconds)
        listener.say(sandbox_text(sandbox))
        status = StatusFile(status_path(place, tournament.id))
        spool.open()
        try:
            return Coordinator(
                repository,
                tournament.id,
                make_executor(),
                store.root,
                listener=Listeners(listener, status),
                deadline=deadline,
                max_faults=max_faults,
                retry_seconds=retry_seconds,
                spool=spool,
            ).run()
        finally:
            spool.close()
            status.close()
            sandbox.sweep()


def check_contents(url: str, say: Callable[[str], None]) -> None:
    """Check the stored contents before a run adds to them. Raises StoreError for any damage.

    Call this before this process opens the database to stay: the check opens the file once more, and closing
    it drops all locks of the process on it, SQLite's own among them.
    """
    if not database_exists(url):
        return
    with Repository.open(url) as repository:
        done = sum(repository.progress(tournament.id).done for tournament in repository.tournaments())
    if done >= MANY:
        say(f"checking {done:,} stored matches; this takes about 15 seconds per 100,000")
    problems = check_database(url)
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise StoreError(
            f"the database {shown(parse_url(url))} is damaged: {problems[0]}{more}; see `tourney db check`,"
            " and restore a backup"
        )


def sandbox_text(sandbox: Sandbox) -> str:
    """Return a line on the protections that stand between the bots and this machine, and those missing."""
    missing = [name for name, degree in sandbox.protections.items() if degree != "enforced"]
    count = len(sandbox.protections)
    text = f"sandbox {sandbox.level}: {sandbox.name}, {count - len(missing)} of {count} protections enforced"
    if sandbox.name == "plain":
        return f"{text}: bots run with your permissions, so run only bots that you trust"
    if missing:
        text += f", not {', '.join(missing)}"
    return f"{text} (see `tourney doctor`)"
