"""One run, whole: open, lock, amend, play. What the command line and the demo call."""

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
from tourney.store.values import Tournament

MANY = 50_000
"""From so many matches on it is said that they are checked, as that takes a while."""
SAMPLE = 64
"""So many of the last matches say, at the start, how long a match may take."""


def run_tournament(
    file: TournamentFile,
    url: str,
    bots: Path,
    pool: Callable[[], MatchExecutor],
    *,
    listener: Listener | None = None,
    timetable: Deadline | None = None,
    max_faults: int | None = None,
    patience: float = 0.0,
    unbenched: Sequence[str] = (),
) -> Summary:
    """Run the tournament of a file until its end, or until the time is up or a signal comes.

    Starts it, or goes on where it stopped: rows without a result are played. ``pool`` makes the workers
    once all has been checked. ``max_faults`` and ``patience`` as for ``Coordinator``; the entrants
    ``unbenched`` get another try. Raises TournamentError for a file that cannot be played or that changes
    what may not change, UsageError if the tournament is being run already, SandboxError if its sandbox cannot
    be had, StoreError, and WorkerError.
    """
    listener = listener or Listener()
    store = BotStore(bots.absolute())
    sandbox = open_sandbox(file.run.sandbox)
    check_contents(url, listener.say)
    repository, tournament = open_tournament(file, url, store, listener.say, unbenched)
    with repository, repository.run_lock(tournament, time.time()):
        tournament = amend_tournament(repository, tournament, file, store, listener.say)
        spool = Spool(spool_path(url, tournament), tournament)
        replay_spool(repository, tournament, spool.path, listener.say)
        unbench(repository, tournament, unbenched, listener.say)
        timetable = timetable or Deadline()
        for seconds in repository.recent_seconds(tournament.id, SAMPLE):
            timetable.note(seconds)
        listener.say(sandbox_text(sandbox))
        posting = StatusFile(status_path(place_of(url), tournament.id))
        spool.open()
        try:
            return Coordinator(
                repository,
                tournament.id,
                pool(),
                store.root,
                listener=Listeners(listener, posting),
                timetable=timetable,
                max_faults=max_faults,
                patience=patience,
                spool=spool,
            ).run()
        finally:
            spool.close()
            posting.close()
            sandbox.sweep()


def check_contents(url: str, say: Callable[[str], None]) -> None:
    """Raise StoreError where what is stored is damaged, be it a bit: nothing is to be built on it.

    To be called before this process opens the database to stay: the check opens its file once more, and who
    closes a file gives up the locks of the whole process on it, SQLite's own among them.
    """
    if not database_exists(url):
        return
    with Repository.open(url) as repository:
        done = sum(repository.progress(tournament.id).done for tournament in repository.tournaments())
    if done >= MANY:
        say(f"checking {done:,} matches that are stored; this takes some 15 seconds per 100,000")
    problems = check_database(url)
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise StoreError(
            f"the database {shown(parse_url(url))} is damaged: {problems[0]}{more}; see `tourney db check`,"
            " and restore a backup"
        )


def spool_path(url: str, tournament: Tournament) -> Path:
    """Return where a run of a tournament keeps what it cannot store."""
    place = place_of(url)
    return place.with_name(f"{place.name}-{tournament.name}.spool")


def sandbox_text(sandbox: Sandbox) -> str:
    """Return in one line what stands between the bots and this machine, and what does not."""
    lacking = [name for name, degree in sandbox.protections.items() if degree != "enforced"]
    held = len(sandbox.protections) - len(lacking)
    said = (
        f"sandbox {sandbox.level}: {sandbox.name}, {held} of {len(sandbox.protections)} protections enforced"
    )
    if sandbox.name == "plain":
        return f"{said}: the bots run with your rights, so let play only those that you trust"
    if lacking:
        said += f", not {', '.join(lacking)}"
    return f"{said} (see `tourney doctor`)"
