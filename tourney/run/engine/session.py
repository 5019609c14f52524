"""One run from start to end: open the tournament, lock it, apply the file's changes, and play.

It is long because a run opens, changes and plays a tournament, and each step refuses in its own words.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.command import bot_command
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Sandbox, open_sandbox
from tourney.errors import (
    BotError,
    SandboxError,
    StoreError,
    StoreUnavailable,
    TournamentError,
    UsageError,
)
from tourney.games.external import OUTSIDE
from tourney.games.registry import find_game
from tourney.results.texts import risk_text, sharing_text
from tourney.results.until import until_now
from tourney.run.config.amend import compare
from tourney.run.config.entrants import (
    check_playable,
    enter,
    naming,
    refuse_unrated,
    seeds_by_rating,
    with_ratings,
)
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.bench_policy import failed_starts_of
from tourney.run.engine.broken import (
    broken_text,
    find_broken,
    refuse_broken,
    rejoin,
    restore_bots,
    skip_broken,
    without_broken,
)
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.distrust import settle, take_back_from
from tourney.run.engine.ponder import Pinning, ponder_text, with_ponder
from tourney.run.engine.recorder import pair_next, replay_spool
from tourney.run.engine.spool import Spool
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.progress import Listener, Listeners
from tourney.run.monitoring.run_log import StatusFile, status_path
from tourney.run.monitoring.summary import End, Summary
from tourney.run.workers.executor import MatchExecutor, Run
from tourney.store.engine import database_exists, parse_url, place_of, shown
from tourney.store.maintenance import check_parts
from tourney.store.mounts import network_file_system
from tourney.store.repository import Repository
from tourney.store.root import compute_root
from tourney.store.values import StoredEntrant, Tournament

MANY = 50_000
"""From this many stored matches on, a run does not read each of them before it goes on."""
SAMPLE = 64
"""The number of latest matches whose lengths the deadline takes into account at the start."""
BUSY_SECONDS = 2.0
"""Seconds that a write waits for another writer; then the run pauses."""

Say = Callable[[str], None]


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
    skip: bool = False,
    pinning: Pinning = Pinning(),  # noqa: B008 - a frozen value
) -> Summary:
    """Start the tournament of a file, or continue it: play the rows without a result.

    It ends when all is played, at the deadline, or at a signal. ``make_executor`` starts the workers once
    everything is checked; ``pinning`` says which processors their matches share. ``max_faults`` and
    ``retry_seconds`` are those of ``Coordinator``; the matches of the ``unbenched`` entrants are played
    again. ``skip`` benches the entrants whose bots cannot be started on this host, which are refused
    otherwise. Raises TournamentError for a file that cannot be played or changes a fixed key, UsageError if
    the tournament is being run already, SandboxError if the sandbox is not available, StoreError, and
    WorkerError.
    """
    listener = listener or Listener()
    deadline = deadline or Deadline()
    store = BotStore(bots.absolute())
    if find_game(file.plan.game).outside:
        if file.run.sandbox == "strict":
            raise SandboxError(
                'sandbox = "strict" cannot be had with an outside referee, which nothing contains'
            )
        file = replace(file, ponder="allow")
    sandbox = open_sandbox(file.run.sandbox)
    file = with_ponder(file, sandbox, pinning)
    check_contents(url, listener.say)
    repository, tournament = open_tournament(file, url, store, listener.say, unbenched, skip=skip)
    if kind := network_file_system(repository.place):
        listener.say(
            f"the database is on a network file system ({kind}): use it from this machine only while the run"
            " goes on; for several machines, use PostgreSQL"
        )
    with repository, repository.run_lock(tournament, time.time()):
        tournament = amend_tournament(repository, tournament, file, store, listener.say, skip=skip)
        place = place_of(url)
        spool = Spool(place.with_name(f"{place.name}-{tournament.name}.spool"), tournament)
        replay_spool(repository, tournament, spool.path, listener.say)
        restore_bots(repository, tournament, file, store, skip=skip)
        come_back = partial(rejoin, repository, tournament, bots=store, sandbox=sandbox)
        unbench(repository, tournament, unbenched, listener.say, come_back)
        if skip:
            skip_broken(repository, tournament, store, sandbox)
        tournament = repository.tournament_by_id(tournament.id)
        for entrant in repository.entrants(tournament.id):
            if entrant.broken:
                listener.say(broken_text(entrant))
        for seconds in repository.recent_seconds(tournament.id, SAMPLE):
            deadline.add(seconds)
        outside = find_game(tournament.game).outside
        listener.say(f"sandbox none: {OUTSIDE}" if outside else sandbox_text(sandbox))
        if sharing := sharing_text(tournament.plan, find_game(tournament.game)):
            listener.say(f"seeds: {sharing}")
        if not outside:
            listener.say(ponder_text(tournament.plan, sandbox, pinning))
            rehearse(repository, tournament, store, sandbox, listener.say)
        status = StatusFile(status_path(place, tournament.id))
        spool.open()
        try:
            summary = _play(
                repository,
                tournament.id,
                make_executor,
                store,
                lambda executor: Coordinator(
                    repository,
                    tournament.id,
                    executor,
                    store.root,
                    listener=Listeners(listener, status),
                    deadline=deadline,
                    max_faults=max_faults,
                    retry_seconds=retry_seconds,
                    spool=spool,
                ).run(),
                listener.say,
            )
            ended = repository.tournament_by_id(tournament.id)
            return replace(
                summary,
                until=until_now(repository, ended),
                root=keep_root(repository, tournament.id, listener.say),
            )
        finally:
            spool.close()
            status.close()
            sandbox.sweep()


def _play(
    repository: Repository,
    tournament: int,
    make_executor: Callable[[], MatchExecutor],
    bots: BotStore,
    coordinate: Callable[[MatchExecutor], Summary],
    say: Say,
) -> Summary:
    """Play by an executor; where it sets hosts aside, take their matches back and go on without them."""
    why = "results of it were taken back, and are not all played again"
    distrusted = {old.host: why for old in repository.replaced(tournament) if old.host}
    while True:
        stored = repository.tournament_by_id(tournament)
        entrants = repository.entrants(tournament)
        executor = make_executor()
        executor.begin(
            Run(
                seed=stored.seed,
                game=stored.plan.game,
                limits=stored.plan.limits,
                sandbox=stored.run.sandbox,
                reuse=stored.run.reuse,
                bots=str(bots.root),
                digests=tuple(sorted({one.entrant.digest for one in entrants if not one.broken})),
                say=say,
                distrusted=distrusted,
                resumed=repository.progress(tournament).done > 0,
            )
        )
        summary = coordinate(executor)
        aside = executor.set_aside()
        distrusted |= aside
        take_back_from(repository, tournament, aside, say)  # what was stored since the coordinator did so
        if summary.end is End.AGAIN:
            continue
        if summary.end is not End.FINISHED or not settle(repository, tournament, say):
            return summary


def rehearse(
    repository: Repository, tournament: Tournament, bots: BotStore, sandbox: Sandbox, say: Say
) -> None:
    """Start each bot of an unfinished tournament once, as ``Sandbox.rehearse`` says; by fuel, none.

    Say which protections are only partial for a bot; with "strict" that raises SandboxError.
    """
    if tournament.root is not None or tournament.plan.limits.by_fuel:
        return
    memory_mb = tournament.plan.limits.memory_mb
    stored = repository.entrants(tournament.id)
    entrants = {one.entrant.digest: one.entrant for one in stored if not one.broken}
    for digest, entrant in entrants.items():
        try:
            bot = bots.fetch(digest)
            command = bot_command(bot, entrant.args, runnable_folder(bots, bot, sandbox))
        except BotError:
            continue  # its matches name it
        for protection, why in sandbox.weakened(command.folder, memory_mb).items():
            text = f"{protection} is only partial for {bot.label}: {why}"
            if sandbox.level == "strict":
                raise SandboxError(f'sandbox = "strict" cannot be had: {text}; use sandbox = "auto"')
            say(text)
        if not tournament.run.reuse:
            sandbox.rehearse(command, memory_mb=memory_mb)


def keep_root(repository: Repository, tournament: int, say: Say) -> str | None:
    """Return a tournament's root and keep it in the database; None before all is played.

    A root that was kept before stays: a difference from it shows that the database was altered since.
    """
    stored = repository.tournament_by_id(tournament)
    root = compute_root(repository, stored)
    if root is None or root == stored.root:
        return root
    if stored.root is not None:
        say(
            f"{stored.name} ended with the root {stored.root}, and has the root {root} now: its matches or"
            " its plan were altered; see `tourney verify --all`"
        )
        return root
    try:
        repository.keep_root(tournament, root)
    except StoreUnavailable as error:
        say(f"the root of {stored.name} could not be kept: {error}")
    return root


def check_contents(url: str, say: Say) -> None:
    """Check the stored contents before a run adds to them. Raises StoreError for damage to results.

    Damaged logs and measurements are only named: nothing is counted from them. Of ``MANY`` matches, only
    pages, references and totals are checked, which is said.

    Call this before this process opens the database to stay: the check opens the file once more, and closing
    it drops all locks of the process on it, SQLite's own among them.
    """
    if not database_exists(url):
        return
    with Repository.open(url) as repository:
        done = sum(repository.progress(tournament.id).done for tournament in repository.tournaments())
    if done >= MANY:
        say(
            f"checking pages, references and totals of {done:,} stored matches, about 2 seconds per 100,000;"
            " `tourney db check` reads each match"
        )
    problems, beside = check_parts(url, every_match=done < MANY)
    if beside:
        more = f" (and {len(beside) - 1} more)" if len(beside) > 1 else ""
        first = beside[0].removesuffix("; restore a backup")
        say(f"{first}{more}: this is outside all results, so the run goes on; see `tourney db check`")
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
    without = f", not {', '.join(missing)}" if missing else ""
    return f"{text}{without} (see `tourney doctor`)"


def open_tournament(
    file: TournamentFile,
    url: str,
    bots: BotStore,
    say: Say,
    unbenched: Sequence[str] = (),
    *,
    skip: bool = False,
) -> tuple[Repository, Tournament]:
    """Find the tournament of a file in the database ``url``, or start it.

    Everything is checked before anything is stored: a database is created only for a tournament that can be
    played. Entrants can be ``unbenched`` only in a tournament that has started; ``skip`` is that of
    ``run_tournament``. The caller closes the repository. Raises TournamentError, StoreError, or UsageError.
    """
    entrants = None if database_exists(url) else _first_entrants(file, None, bots, unbenched, skip=skip)
    repository = Repository.open(url, create=True, busy=BUSY_SECONDS)
    try:
        for tournament in repository.tournaments():
            if tournament.name == file.plan.name:
                return repository, tournament
        if entrants is None:
            entrants = _first_entrants(file, repository, bots, unbenched, skip=skip)
        tournament = repository.begin(
            file.plan,
            seed=secrets.randbits(64) if file.seed is None else file.seed,
            seed_chosen=file.seed is not None,
            run=file.run,
            entrants=entrants,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        if file.presentation:
            repository.keep_presentation(tournament.id, file.presentation)
        risk = risk_text(tournament.plan, find_game(tournament.game))
        if tournament.seed_chosen and risk:
            say(f"the seed {tournament.seed} was chosen by a person: a bot that knows it can compute {risk}")
        pair_next(repository, tournament.id)
        return repository, repository.tournament_by_id(tournament.id)
    except BaseException:
        repository.close()
        raise


def _first_entrants(
    file: TournamentFile,
    repository: Repository | None,
    bots: BotStore,
    unbenched: Sequence[str],
    *,
    skip: bool,
) -> tuple[StoredEntrant, ...]:
    """Return the entrants of a tournament that has not started, once it can be played; builds their bots.

    Without a ``repository`` there are no ratings from earlier tournaments.
    """
    for name in unbenched:
        raise UsageError(f"--unbench {name}: {file.plan.name} has not started, so it has no benched entrant")
    if file.run.withdrawn:
        raise TournamentError(
            f"{file.path}, [run]: withdrawn names {file.run.withdrawn[0]}, but {file.plan.name} has not"
            " started: remove it from withdrawn and from the entrants",
            file=file.path,
            key="withdrawn",
        )
    by_rating = seeds_by_rating(file)
    if by_rating and repository is None:
        refuse_unrated(file)
    entrants = enter(file, file.entrants, bots)
    entrants = _check_entrants(file, file.seed or 0, entrants, bots, skip=skip)
    if by_rating and repository is not None:
        entrants = with_ratings(repository, file, entrants)
        if all(entrant.rating is None for entrant in entrants):
            refuse_unrated(file)
    return entrants


def _check_entrants(
    file: TournamentFile,
    seed: int,
    entrants: Sequence[StoredEntrant],
    bots: BotStore,
    before: Sequence[StoredEntrant] = (),
    *,
    skip: bool,
) -> tuple[StoredEntrant, ...]:
    """Check that a tournament can be played, and build the bots of these entrants; return the entrants.

    So a bot that cannot be started is refused, or marked to be skipped, before anything is played.
    """
    plan = file.plan
    check_playable(file, seed, entrants, before)
    with naming(file.path):
        broken = find_broken(entrants, bots, open_sandbox(file.run.sandbox), plan.limits)
        if not skip:
            refuse_broken(entrants, broken)
        return without_broken(plan, entrants, broken, before)


def amend_tournament(
    repository: Repository,
    tournament: Tournament,
    file: TournamentFile,
    bots: BotStore,
    say: Say,
    *,
    skip: bool = False,
) -> Tournament:
    """Apply the file's changes to a stored tournament; the caller holds its lock.

    Raises TournamentError for a key that may not change; then nothing is changed.
    """
    stored = repository.entrants(tournament.id)
    paired = repository.progress(tournament.id).rounds
    amendment = compare(tournament, stored, paired, file)
    if file.presentation != repository.presentation(tournament.id):
        repository.keep_presentation(tournament.id, file.presentation)
        say(f"the title, description, logo or links of {tournament.name} have changed")
    if not amendment.changed:
        return tournament
    added = enter(file, amendment.added, bots, before=stored, joined=paired + 1)
    added = _check_entrants(file, tournament.seed, added, bots, before=stored, skip=skip)
    if seeds_by_rating(file):
        added = with_ratings(repository, file, added, before=tournament.id)
    left = dict.fromkeys(amendment.withdrawn, paired + 1)
    repository.amend(tournament.id, rounds=file.plan.rounds, run=file.run, entrants=added, left=left)
    for entrant in added:
        say(f"{entrant.name} joins {tournament.name} from round {entrant.joined} on")
    for number, round_ in left.items():
        say(f"{stored[number].name} is withdrawn from {tournament.name} from round {round_} on")
    return repository.tournament_by_id(tournament.id)


def unbench(
    repository: Repository,
    tournament: Tournament,
    names: Sequence[str],
    say: Say,
    come_back: Callable[[StoredEntrant], None],
) -> None:
    """Open the matches of benched entrants again: those lost at start-up and those that are void.

    ``come_back`` enters one again whose bot was broken. Raises UsageError for a name that is no entrant or is
    not benched, and what ``come_back`` does.
    """
    if not names:
        return
    entrants = repository.entrants(tournament.id)
    numbers = {entrant.name: entrant.number for entrant in entrants}
    void = dict(repository.benched(tournament.id))
    failed_starts = failed_starts_of(repository.faulty_matches(tournament.id))
    for name in names:
        if name not in numbers:
            raise UsageError(
                f"--unbench {name}: {tournament.name} has no such entrant; see `tourney standings`"
            )
        benched = numbers[name] in void or numbers[name] in failed_starts
        if not benched and not entrants[numbers[name]].broken:
            raise UsageError(f"--unbench {name}: {name} is not benched in {tournament.name}")
    for name in dict.fromkeys(names):
        entrant = numbers[name]
        if entrants[entrant].broken:
            come_back(entrants[entrant])
        lost = failed_starts.get(entrant, ())
        back = sorted({*lost, *repository.void_for(tournament.id, entrant)})
        repository.take_back(tournament.id, back)
        say(
            f"{name} is no longer benched: {len(back)} of its matches are played again,"
            f" including {len(lost)} lost at start-up"
        )
