"""The present state of a tournament, as `tourney status` shows it and prints it as JSON."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

from tourney.check.root import commitment_of, compute_root
from tourney.errors import UsageError
from tourney.games.registry import known_game
from tourney.match.result import Playing
from tourney.results.standings import State, planned_matches, setup_of, state_of
from tourney.results.texts import origin_text
from tourney.results.until import until_now
from tourney.run.listeners import read_status, status_path, withdrawn_path
from tourney.run.summary import RunStatus
from tourney.schedule.format import FORMATS, find_format
from tourney.schema import Part
from tourney.store.database import Database
from tourney.store.run_lock import Running
from tourney.store.schedules import RowCounts
from tourney.store.totals import OverloadTotals
from tourney.store.values import StoredEntrant, Tournament


class EntrantFaults(Part, frozen=True, kw_only=True):
    """The faults of one kind of an entrant."""

    entrant: str
    kind: str
    count: int


class VoidMatch(Part, frozen=True, kw_only=True):
    """A match that the machine made void, and why."""

    match: int
    note: str


class BenchedEntrant(Part, frozen=True, kw_only=True):
    """An entrant that is benched, and how many of its matches are void."""

    entrant: str
    void: int


class BrokenEntrant(Part, frozen=True, kw_only=True):
    """An entrant whose bot cannot be built or fetched, and why."""

    entrant: str
    why: str


class PlayingMatch(Part, frozen=True, kw_only=True):
    """A match in progress: its entrants in seat order, and the seconds since its start."""

    match: int
    entrants: tuple[str, ...]
    seconds: float


class ArchiveFile(Part, frozen=True, kw_only=True):
    """The file that has a tournament's records: its name without a folder, its SHA-256, and its date."""

    file: str
    sha256: str
    created: str


class HostSetAside(Part, frozen=True, kw_only=True):
    """A host that gets no more matches, and the number of its stored matches, which must be withdrawn."""

    host: str
    matches: int


class TournamentStatus(Part, frozen=True, kw_only=True):
    """A tournament.

    `rows` are the matches paired so far, `matches` those of the whole tournament as far as its schedule is
    known, `done` those with a result, `void` those of them that are void.
    `rounds` are the rounds paired so far, `planned_rounds` all rounds, where the format knows their number.
    `process` is that of an active run on this machine; `workers` are the matches that it plays at a time,
    `rate` its matches a second, `left` the seconds that the known matches still take. `until` says what
    `[until]` asks, or why it ended the tournament. `root` is that of a finished tournament. `commitment`
    fixes plan and seed from before the first match; null for old tournaments. `seed` says where the seed
    comes from. `archive` is null where the records are in the database. `withdrawn` is the file of
    withdrawn matches, if there is one.
    """

    tournament: str
    game: str
    format: str
    state: State
    process: int | None
    done: int
    rows: int
    matches: int
    rounds: int
    planned_rounds: int | None
    until: str | None
    void: int
    workers: int | None
    rate: float | None
    left: int | None
    faults: tuple[EntrantFaults, ...]
    overload: OverloadTotals | None
    void_matches: tuple[VoidMatch, ...]
    benched: tuple[BenchedEntrant, ...]
    broken: tuple[BrokenEntrant, ...]
    set_aside: tuple[HostSetAside, ...]
    withdrawn: str | None
    playing: tuple[PlayingMatch, ...]
    paused: str | None
    paused_since: str | None
    last_match: str | None
    root: str | None
    commitment: str | None
    seed: str
    archive: ArchiveFile | None


def status_of(database: Database, tournament: Tournament, now: float) -> TournamentStatus:
    """The status of a tournament; ``now`` in seconds since the epoch."""
    id_ = tournament.id
    progress = database.schedules.progress(id_)
    running = database.running(id_)
    entrants = database.tournaments.entrants(id_)
    names = {entrant.number: entrant.name for entrant in entrants}
    state = state_of(tournament, progress, running)
    matches = planned_matches(tournament, entrants, progress.rows)
    rate, left = _pace(progress, matches, running if state == "running" else None, now)
    # Of a run on a server the status is known only in the folder in which the run began.
    status = RunStatus() if running is None else read_status(status_path(database.place, id_))
    totals = database.totals
    overload = totals.overload(id_)[0]
    archive = database.tournaments.archives().get(id_)
    return TournamentStatus(
        tournament=tournament.name,
        game=tournament.game,
        format=tournament.plan.format,
        state=state,
        process=running.pid or None if running is not None and state == "running" else None,
        **progress._asdict(),
        matches=matches,
        planned_rounds=_planned_rounds(tournament, entrants, progress.rounds),
        until=until_now(database, tournament),
        workers=status.workers or None,
        rate=rate,
        left=left,
        faults=tuple(
            EntrantFaults(entrant=names[number], kind=kind, count=count)
            for number, kind, count in totals.faults(id_)
        ),
        overload=overload if overload.turns else None,
        void_matches=tuple(VoidMatch(match=number, note=note) for number, note in totals.void_matches(id_)),
        benched=tuple(
            BenchedEntrant(entrant=names[number], void=count) for number, count in totals.benched(id_)
        ),
        broken=tuple(
            BrokenEntrant(entrant=entrant.name, why=entrant.broken) for entrant in entrants if entrant.broken
        ),
        set_aside=tuple(
            HostSetAside(host=refusal.host, matches=len(refusal.matches))
            for refusal in database.hosts.refused(id_)
        ),
        withdrawn=_withdrawn(database, tournament),
        playing=tuple(_playing(database, id_, match, names, now) for match in status.playing),
        paused=status.paused or None,
        paused_since=_moment(status.paused_since),
        last_match=_moment(status.last_match),
        root=(tournament.root or compute_root(database, tournament)) if state == "finished" else None,
        commitment=commitment_of(tournament, entrants) or None,
        seed=origin_text(tournament, known_game(tournament.game)),
        archive=archive and ArchiveFile.of(archive),
    )


def _moment(seconds: float) -> str | None:
    """A time in UTC; None for 0."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None


def _pace(
    progress: RowCounts, matches: int, running: Running | None, now: float
) -> tuple[float | None, int | None]:
    """The matches a second of a run, and the seconds that the rest of the ``matches`` takes."""
    if running is None or not now > running.since > 0:  # not known, or the clock was set back
        return None, None
    rate = max(0, progress.done - running.done) / (now - running.since)
    return round(rate, 2), round((matches - progress.done) / rate) if rate else None


def _playing(
    database: Database, tournament: int, playing: Playing, names: Mapping[int, str], now: float
) -> PlayingMatch:
    entrants: tuple[str, ...] = ("?",)
    with suppress(UsageError):  # the snapshot is older than the round
        entrants = tuple(names[seat] for seat in database.matches.get(tournament, playing.number).seats)
    seconds = round(max(0.0, now - playing.since), 1)
    return PlayingMatch(match=playing.number, entrants=entrants, seconds=seconds)


def _withdrawn(database: Database, tournament: Tournament) -> str | None:
    """The file of matches that no longer count, if it is there and can be seen."""
    with suppress(OSError, ValueError):  # a name that someone altered may not be possible for a file
        path = withdrawn_path(database.place, tournament)
        return str(path) if path.exists() else None
    return None


def _planned_rounds(tournament: Tournament, entrants: tuple[StoredEntrant, ...], paired: int) -> int | None:
    if tournament.complete:
        return paired
    plan = tournament.plan
    if not FORMATS.knows(plan.format):  # of a package that is not installed here
        return plan.rounds
    return find_format(plan.format).planned_rounds(setup_of(plan, tournament.seed, entrants))
