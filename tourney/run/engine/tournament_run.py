"""One run from start to end: open the tournament of a file, make its bots ready, and play.

Everything is checked before anything is stored, so a database is created only for a tournament that can be
played. The list of calls is in docs/explanation/architecture.md.
"""

import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from tourney.bots.catalogue.store import BotStore, path_of
from tourney.bots.catalogue.submission import digest_of_bot
from tourney.check.database import check_parts
from tourney.check.root import beacon_seed, commitment_of, compute_root
from tourney.errors import BotError, SandboxError, StoreError, StoreUnavailable, UsageError
from tourney.files import network_file_system
from tourney.games.registry import find_game
from tourney.results.texts import origin_text, risk_text
from tourney.results.until import until_now
from tourney.run.engine.bench_policy import BATCH, PlayOrder, again_text, none_started
from tourney.run.engine.containment_floor import floor_of, keep_first, refuse_weaker
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.readiness import (
    BotBuilds,
    PlaySetup,
    make_ready,
    memory_of,
    open_room,
    refuse_broken,
    refuse_unfit_match,
    restore_bots,
    with_ponder,
    without_broken,
)
from tourney.run.engine.recorder import pair_next, replay_spool
from tourney.run.engine.run_control import Deadline, RunControl
from tourney.run.engine.spool import Spool, spool_path
from tourney.run.engine.withdrawal import check_benches, check_hosts
from tourney.run.listeners import Listener, Listeners, StatusFile, status_path
from tourney.run.preparation import Preparation, line_text, naming, prepare
from tourney.run.summary import End, Summary
from tourney.run.tournament_file import TournamentFile
from tourney.run.workers.executor import MatchExecutor, Run, plays_here
from tourney.schedule.format import find_format
from tourney.schema import show
from tourney.store.beacon import Beacon
from tourney.store.database import Database
from tourney.store.engine import database_exists, parse_url, shown
from tourney.store.run_lock import already_running
from tourney.store.values import Origin, Tournament

MANY: Final = 50_000  # from this many stored matches on, a run does not read each of them before it goes on
SAMPLE: Final = 64  # latest matches whose lengths the deadline takes into account at the start
BUSY_SECONDS: Final = 2.0  # that a write waits for another writer; then the run pauses

Say = Callable[[str], None]


class OpenTournament(NamedTuple):
    """A tournament that this process may play: its lock is held, and its bots are in the store."""

    database: Database
    tournament: Tournament
    builds: BotBuilds


@contextmanager
def open_tournament(
    file: TournamentFile, url: str, bots: BotStore, say: Say, options: PlaySetup | None = None
) -> Iterator[OpenTournament]:
    """Start the tournament of a file in the database ``url``, or apply the file's changes to it.

    Its lock is held until the end, and the bots of all entrants are in the store. Raises TournamentError,
    StoreError, UsageError, or SandboxError where bots of a tournament that has begun would be contained less
    than so far.
    """
    options = options or PlaySetup()
    sandbox = open_room(file, url, bots, options)
    file = with_ponder(file, sandbox, options)
    if not (options.sliced or options.commits):
        check_contents(url, say, None if options.unbenched else file)
    builds = BotBuilds(bots, sandbox, file.plan.limits.meter)
    with ExitStack() as stack:
        database = tournament = None
        if database_exists(url):
            database = stack.enter_context(Database.open(url, create=True, busy=BUSY_SECONDS))
            tournament = database.tournaments.find(file.plan.name)
            if tournament is not None:
                tournament = stack.enter_context(_hold(database, tournament, file, options))
        preparation = _prepare(file, database, builds, options, say)
        if database is None:  # only now: a file that cannot be played must leave none behind
            database = stack.enter_context(Database.open(url, create=True, busy=BUSY_SECONDS))
        if tournament is None:
            tournament = _begin(database, preparation, say)
            tournament = stack.enter_context(_hold(database, tournament, file, options))
        else:
            tournament = _amend(database, tournament, preparation, say, sliced=options.sliced)
            restore_bots(database, tournament, file, bots, skip=options.skip_broken)
        yield OpenTournament(database, tournament, builds)


@contextmanager
def _hold(
    database: Database, tournament: Tournament, file: TournamentFile, options: PlaySetup
) -> Iterator[Tournament]:
    """Hold the lock of a tournament, and give it the value of its beacon if that is there now."""
    with database.run_lock(tournament, time.time()):
        opened = _open_beacon(database, tournament, file, options)
        check_hosts(database, opened)  # before rounds are drawn from results that must not count
        yield opened


def _prepare(
    file: TournamentFile, database: Database | None, builds: BotBuilds, options: PlaySetup, say: Say
) -> Preparation:
    """Prepare, and build the bots of new entrants; one that cannot be started is refused, or skipped.

    Nothing is built, or played later, with less containment than the tournament began with.
    """
    preparation = prepare(file, database, builds.store, say=say)
    stored = preparation.stored
    if database is not None and stored is not None and not options.remote:
        # Of one that has ended nothing is played, unless the file adds something; a commitment only builds.
        plays = not options.commits and (stored.root is None or preparation.plan != stored.plan)
        if (plays or preparation.added) and not find_game(stored.game).outside:
            refuse_weaker(database, stored, builds.sandbox, allow=options.allow_weaker, say=say)
    if stored is None and options.unbenched:
        name = options.unbenched[0]
        raise UsageError(f"--unbench {name}: {file.plan.name} has not started, so it has no benched entrant")
    if stored is None and file.beacon and not options.commits:
        raise UsageError(
            f"{file.path} takes its seed from {file.beacon.round}: run `tourney commit {file.path}` and"
            " publish its line before that exists"
        )
    if options.here and not options.commits:
        need = memory_of(preparation.plan, preparation.entrants, builds.store, reuse=file.run.reuse)
        refuse_unfit_match(preparation, need)
    if not preparation.added:
        return preparation
    with naming(file.path):
        broken = builds.find_broken(preparation.added)
        if not options.skip_broken:
            refuse_broken(preparation.added, broken)
        added = without_broken(file.plan, preparation.added, broken, preparation.before)
    return replace(preparation, added=added)


def _begin(database: Database, preparation: Preparation, say: Say) -> Tournament:
    file = preparation.file
    seed = secrets.randbits(128) if file.seed is None else file.seed
    beacon = None if file.beacon is None else Beacon(file.beacon.round)
    try:
        tournament = database.tournaments.add(
            file.plan,
            seed=seed if beacon is None else 0,  # 0 until the beacon's value is known
            origin=Origin(file.seed is not None, secrets.token_hex(16), beacon),
            run=file.run,
            entrants=preparation.added,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    except UsageError:
        _refuse_begun(database, file.plan.name)
        raise
    if file.presentation:
        database.tournaments.keep_presentation(tournament.id, file.presentation)
    game = find_game(tournament.game)
    if tournament.origin.chosen and risk_text(tournament.plan, game):
        say(f"seed: {origin_text(tournament, game)}")
    say(f"commitment to plan and seed: {commitment_of(tournament, preparation.added)}")
    if not tournament.waits:
        pair_next(database, tournament.id)
    return database.tournaments.by_id(tournament.id)


def _refuse_begun(database: Database, name: str) -> None:
    """Raise UsageError for a tournament that another process has begun since this one looked."""
    begun = database.tournaments.find(name)
    if begun is None:
        return
    # Its lock is only looked at: to take it for a moment would stop the other process, which takes it now.
    if database.running(begun.id) is not None:
        raise already_running(name)
    raise UsageError(f"another process began {name} while this one prepared it: start again to continue it")


def _open_beacon(
    database: Database, tournament: Tournament, file: TournamentFile, options: PlaySetup
) -> Tournament:
    """Give a tournament whose seed waits for a beacon that value, and draw its first rounds.

    Raises UsageError where it is still missing, and for another value than the one that it has.
    """
    beacon = tournament.origin.beacon
    value = options.beacon or (None if file.beacon is None else file.beacon.value)
    if value is None or (beacon is not None and beacon.value == value):
        if tournament.waits and not options.commits:
            raise UsageError(
                f"the seed of {tournament.name} waits for {tournament.waits}: give its value by --beacon HEX"
            )
        return tournament
    if beacon is None or beacon.value:
        has = "no beacon" if beacon is None else f"the value {beacon.value} of its beacon"
        raise UsageError(f"{tournament.name} has {has}, so it cannot take the value {value}")
    commitment = commitment_of(tournament, database.tournaments.entrants(tournament.id))
    seed = beacon_seed(commitment, tournament.origin.salt, value)
    database.tournaments.keep_beacon(tournament.id, Beacon(beacon.round, value), seed)
    pair_next(database, tournament.id)
    return database.tournaments.by_id(tournament.id)


def _amend(
    database: Database, tournament: Tournament, preparation: Preparation, say: Say, *, sliced: bool
) -> Tournament:
    file = preparation.file
    if file.presentation != database.tournaments.presentation(tournament.id):
        database.tournaments.keep_presentation(tournament.id, file.presentation)
        say(f"the title, description, logo or links of {tournament.name} have changed")
    for sentence in _changed_bots(preparation):
        say(sentence)
    plan = preparation.plan
    if not (preparation.added or plan != tournament.plan or file.run != tournament.run.settings):
        return tournament
    if tournament.root is not None and not sliced:
        say(
            f"{tournament.name} had ended, and its seed has been open since: anyone who knows it can"
            " compute the dice of further rounds"
        )
    left = dict.fromkeys(preparation.withdrawn, preparation.paired + 1)
    database.tournaments.amend(tournament.id, plan=plan, run=file.run, entrants=preparation.added, left=left)
    for entrant in preparation.added:
        say(f"{entrant.name} joins {tournament.name} from round {entrant.joined} on")
    for number, round_ in left.items():
        say(f"{preparation.before[number].name} is withdrawn from {tournament.name} from round {round_} on")
    return database.tournaments.by_id(tournament.id)


def _changed_bots(preparation: Preparation) -> Iterator[str]:
    """Yield a sentence for each entrant by path whose files changed since it entered."""
    plan = preparation.file.plan
    for entrant in preparation.before:
        bot = json.loads(entrant.line)["bot"]
        path = None if bot is None or entrant.left else path_of(bot, preparation.file.path.parent)
        try:
            same = path is None or digest_of_bot(path) == entrant.entrant.digest
        except BotError:  # the stored copy plays whatever became of the path
            continue
        if not same:
            entry = f'[[entrant]] with bot = {show(bot)} and name = "{entrant.name}-2"'
            new = f"add {entry} to {preparation.file.path}"
            if not find_format(plan.format).takes_entrants:
                new = "choose a new name for the tournament"
            yield (
                f"{bot} has changed since {entrant.name} entered {plan.name}; the stored copy plays on. To"
                f" enter the new one, {new}"
            )


def check_contents(url: str, say: Say, file: TournamentFile | None = None) -> None:
    """Check the stored contents before a run adds to them. Raises StoreError for damage to results.

    Nothing is checked if the tournament of ``file`` has ended and the file adds nothing to it: the run reads
    what it prints, and compares the root.

    Damaged logs and measurements are only named: nothing is counted from them. Of ``MANY`` matches, only
    pages, references and whether tables agree are checked, which is said.

    Call this before this process opens the database to stay: the check opens the file again, and closing
    it drops all locks of the process on it, SQLite's own among them.
    """
    if not database_exists(url):
        return
    with Database.open(url) as database:
        if file is not None and _has_ended(database, file):
            return
        done = sum(
            database.schedules.progress(tournament.id).done for tournament in database.tournaments.all()
        )
    if done >= MANY:
        say(
            f"checking pages and references of {done:,} stored matches, and that tables agree, about 2"
            " seconds per 100,000; `tourney db check` reads each match"
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


def _has_ended(database: Database, file: TournamentFile) -> bool:
    """Whether a file's tournament has its root, and is stored as the file has it.

    False also for some files that add nothing, such as one whose entrants come from another tournament.
    """
    stored = database.tournaments.find(file.plan.name)
    if stored is None or stored.root is None:
        return False
    entrants = database.tournaments.entrants(stored.id)
    same = Preparation(file, stored, entrants, 0, ()).plan == stored.plan and stored.run.settings == file.run
    lines = {entrant.line for entrant in entrants}
    return same and lines.issuperset(map(line_text, file.entrants))


def run_tournament(
    file: TournamentFile,
    url: str,
    folder: Path,
    make_executor: Callable[[], MatchExecutor],
    listener: Listener | None = None,
    options: PlaySetup | None = None,
) -> Summary:
    """Start the tournament of a file, or continue it: play the rows without a result.

    It ends when all is played, at the deadline, or at a signal. ``folder`` is that of the bot store.
    ``make_executor`` starts the workers once everything is checked. Raises TournamentError for a file that
    cannot be played or changes a fixed key, UsageError if the tournament is being run already, SandboxError
    if the sandbox is not available, StoreError, and WorkerError.
    """
    listener = listener or Listener()
    options = replace(options or PlaySetup(), here=plays_here(make_executor))
    outside = find_game(file.plan.game).outside
    if outside and file.run.sandbox == "strict":
        raise SandboxError(
            'sandbox = "strict" is not possible with an outside referee, which nothing contains'
        )
    bots = BotStore(folder.absolute())
    with open_tournament(file, url, bots, listener.say, options) as (database, opened, builds):
        if kind := network_file_system(database.place):
            listener.say(
                f"the database is on a network file system ({kind}): use it from this machine only while the"
                " run goes on; for several machines, use PostgreSQL"
            )
        replay_spool(database, opened, spool_path(database.place, opened), listener.say)
        if not (options.remote or outside) and opened.root is None:
            keep_first(database, opened, builds.sandbox)
        tournament = make_ready(database, opened, builds, listener.say, options)
        try:
            return _play(database, tournament, make_executor, builds, listener, options)
        finally:
            builds.sandbox.sweep()


def commit_tournament(
    file: TournamentFile, url: str, folder: Path, say: Say, options: PlaySetup
) -> tuple[Tournament, str]:
    """Start the tournament of a file without playing; return it and its commitment.

    One that has begun already has the commitment of its start. Raises as ``run_tournament``.
    """
    bots = BotStore(folder.absolute())
    with open_tournament(file, url, bots, say, options) as (database, tournament, _):
        return tournament, commitment_of(tournament, database.tournaments.entrants(tournament.id))


def _play(
    database: Database,
    tournament: Tournament,
    make_executor: Callable[[], MatchExecutor],
    builds: BotBuilds,
    listener: Listener,
    options: PlaySetup,
) -> Summary:
    """Play the open matches of a tournament that is ready, and keep its root once all are played."""
    floor = {} if options.remote and options.allow_weaker else floor_of(database, tournament)
    deadline = options.deadline or Deadline()
    for seconds in database.records.recent_seconds(tournament.id, SAMPLE):
        deadline.add(seconds)
    spool = Spool(spool_path(database.place, tournament), tournament)
    spool.open()  # now, to reserve its space while the disk has some
    status = StatusFile(status_path(database.place, tournament.id))
    control = RunControl(
        listener=Listeners(listener, status),
        deadline=deadline,
        max_faults=options.max_faults,
        retry_seconds=options.retry_seconds,
        spool=spool,
        floor=floor,
    )
    with closing(spool), closing(status):
        executor = make_executor()  # last: a file or a bot that is refused starts no process
        run = executor_run(database, tournament, builds.store, listener.say)
        allowed_floor = None if options.allow_weaker else floor
        executor.begin(replace(run, floor=allowed_floor, patience=options.retry_seconds))
        summary = Coordinator(database, tournament.id, executor, builds.store.root, control).run()
        ended = database.tournaments.by_id(tournament.id)
        if summary.end in (End.FINISHED, End.FAULTS):
            refuse_unstarted(database, ended, builds)
        if summary.end is End.FINISHED:
            check_benches(database, ended)
        root = keep_root(database, ended, listener.say)
        return replace(summary, until=until_now(database, ended), root=root)


def refuse_unstarted(database: Database, tournament: Tournament, builds: BotBuilds) -> None:
    """Raise BotError, with a reason for each bot, if none started in the first batch of matches."""
    faulty = {number: faults for number, _, faults in database.matches.faulty(tournament.id)}
    if not any(map(none_started, faulty.values())):
        return
    entrants = database.tournaments.entrants(tournament.id)
    from tourney.run.check_bot import start_advice  # noqa: PLC0415 - few runs end so

    first = PlayOrder.of(tournament, entrants).sorted(database.schedules.rows(tournament.id))[:BATCH]
    if not all(none_started(faulty.get(number, ())) for number, _ in first):
        return
    limits = tournament.plan.limits
    reasons: dict[int, str] = {}  # by the entrant's number
    for number, row in first:
        log = database.records.log(tournament.id, number)
        notes = {line.seat: line.text for line in log if line.kind == "note"}
        for seat, place in enumerate(row.seats, 1):
            if place not in reasons:
                entrant = entrants[place]
                note = notes.get(seat, "it fails at start-up")
                bot = builds.store.fetch(entrant.entrant.digest)
                advice = start_advice(bot, builds.store, builds.sandbox, limits, note)
                reasons[place] = f"{entrant.name}: {advice or note}"
    number, row = first[0]
    raise BotError(
        f"no bot of {tournament.name} starts, so the run has ended: {'; '.join(reasons.values())}; see"
        f" `tourney show {tournament.name}/{number} --log`, and once the cause is gone,"
        f" {again_text(tournament, entrants[row.seats[0]].name)}"
    )


def executor_run(database: Database, tournament: Tournament, bots: BotStore, say: Say) -> Run:
    """The facts about a tournament that an executor gets before its first match."""
    entrants = database.tournaments.entrants(tournament.id)
    return Run(
        seed=tournament.seed,
        game=tournament.plan.game,
        limits=tournament.plan.limits,
        sandbox=tournament.run.sandbox,
        bots=str(bots.root),
        digests=tuple(sorted({stored.entrant.digest for stored in entrants if not stored.broken})),
        say=say,
        refused={refusal.host: refusal.why for refusal in database.hosts.refused(tournament.id)},
        seats=tournament.seats,
        modules=memory_of(tournament.plan, entrants, bots, reuse=False).modules,
        reuse=tournament.run.reuse,
    )


def keep_root(database: Database, stored: Tournament, say: Say) -> str | None:
    """Keep a tournament's root in the database, and return it; None before all is played.

    A root that was kept before stays: a difference from it shows that the database was altered since.
    """
    root = compute_root(database, stored)
    if root is None or root == stored.root:
        return root
    if stored.root is not None:
        say(
            f"{stored.name} ended with the root {stored.root}, and has the root {root} now: its matches or"
            " its plan were altered; see `tourney verify --all`"
        )
        return root
    try:
        database.tournaments.keep_root(stored.id, root)
    except StoreUnavailable as error:
        say(f"the root of {stored.name} could not be kept: {error}")
    return root
