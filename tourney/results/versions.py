"""Ratings over all tournaments of a game: the tournaments that one fit may pool, and their bots' versions.

A version is a bot's files with arguments; versions of one bot are linked by its name and arguments, in the
order in which tournaments met them first.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from tourney.errors import UsageError
from tourney.ratings.batch import Batch, differences, rate
from tourney.ratings.counts import Clusters, Counts
from tourney.ratings.method import Forfeits
from tourney.ratings.sequential import EVERY_LOOK, PlannedGames
from tourney.results.columns import WIDE, range_text
from tourney.results.luck import compute_luck, shows_luck
from tourney.results.ratings import Rows
from tourney.store.database import Database
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import legible

NOT_PLAYED_BY: Final = ("startup-ms", "memory-mb", "laws")
"""Limits that may differ in a pool: they decide no action of a bot that keeps to them, or, as ``laws``, only
the results of few matches."""
LOOK_GAMES: Final = 1000
"""Games of a version for which intervals are tuned: a pool grows, and people look at it all the time."""
UNLIKE: Final = 1.1
"""Hosts are unlike if one is faster than another by more than this."""
SHORT: Final = 8


class Bot(NamedTuple):
    """A bot's name and arguments, which link its versions."""

    name: str
    args: tuple[str, ...]


class Entry(NamedTuple):
    """An entrant of a tournament in a pool."""

    tournament: Tournament
    stored: StoredEntrant


class VersionKey(NamedTuple):
    """The identity of a version: its bot, and the digest of its files."""

    bot: Bot
    digest: str


_HOST_SAMPLE: Final = 32
"""Matches of a tournament from which its hosts are read."""


@dataclass(frozen=True, slots=True)
class Version:
    """An entrant of a pool: a bot's files with arguments.

    ``since`` is the start of its first tournament (ISO 8601, UTC). ``before`` is the number of the version
    before it, or None; ``names`` are the names of its entrants.
    """

    number: int
    bot: Bot
    version: str
    digest: str
    label: str
    since: str
    before: int | None
    names: tuple[str, ...]
    tournaments: int
    faults: int


@dataclass(frozen=True, slots=True)
class VersionPool:
    """The tournaments of a game that one fit rates, those left out with the reason, and the versions.

    ``reference`` is the tournament whose settings all others have. ``alone``: games of a version against
    itself, which say nothing.
    """

    reference: Tournament
    tournaments: tuple[Tournament, ...]
    left_out: tuple[tuple[str, str], ...]
    versions: tuple[Version, ...]
    counts: Counts
    alone: int

    @property
    def look(self) -> PlannedGames:
        """The plan that the intervals are tuned for."""
        return PlannedGames(LOOK_GAMES, self.reference.seats)

    def rate(self, anchors: Mapping[str, float] | None = None, *, pairs: bool = False) -> Batch:
        """Rate all versions in one fit; ``anchors`` give some of them their Elo by name (``find``)."""
        levels: dict[int, float] = {}
        for name, elo in (anchors or {}).items():
            number = self.find(name).number
            if number in levels:
                raise UsageError(f"--anchor names {self.versions[number].label} twice")
            levels[number] = elo
        return rate(self.counts, pairs=pairs, anchors=levels, look=self.look)

    def find(self, name: str) -> Version:
        """The version of a name: a bot's, name@version, a label, or the first digits of a digest.

        Raises UsageError if there is none, or more than one.
        """
        versions = self.matching(name)
        if len(versions) == 1:
            return versions[0]
        if not versions:
            labels = ", ".join(version.label for version in self.versions)
            raise UsageError(f"no version is called {name!r}; there are: {labels}")
        raise UsageError(
            f"{name} means {len(versions)} versions: write one as NAME@VERSION or by its digest:"
            f" {', '.join(f'{version.label} ({version.digest[:SHORT]})' for version in versions)}"
        )

    def matching(self, name: str) -> list[Version]:
        """The versions that a name may mean, as ``find`` says."""
        versions = [
            version
            for version in self.versions
            if name
            in (version.bot.name, f"{version.bot.name}@{version.version}", version.label, *version.names)
        ]
        return versions or [
            version for version in self.versions if len(name) >= 6 and version.digest.startswith(name)
        ]

    @property
    def labels(self) -> dict[int, str]:
        """The labels of all versions by number."""
        return {version.number: version.label for version in self.versions}


def conditions_of(plan: Plan) -> dict[str, str]:
    """The settings that tournaments of a pool must have in common, beside the game."""
    limits = {key: text for key, text in plan.limits.texts().items() if key not in NOT_PLAYED_BY}
    return {
        "the rules version": plan.rules,
        "seats": str(plan.seats),
        **{f"option {key}": value for key, value in plan.options},
        **{f"limit {key}": text for key, text in sorted(limits.items())},
    }


@dataclass(frozen=True, slots=True)
class Wanted:
    """The settings of a pool's tournaments; None or empty: as in the newest tournament that has the others.

    ``game`` None: the only one of the database. ``like`` names the reference. ``any_host`` pools
    tournaments of all hosts; ``name_hosts``: reasons name them.
    """

    game: str | None = None
    like: str | None = None
    seats: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    any_host: bool = False
    name_hosts: bool = True

    def fits(self, plan: Plan) -> bool:
        """Whether a tournament has all settings that are named."""
        has = {f"limit {key}": text for key, text in plan.limits.texts().items()} | conditions_of(plan)
        named = {f"option {key}": value for key, value in self.options.items()}
        named |= {f"limit {key}": value for key, value in self.limits.items()}
        named |= {} if self.seats is None else {"seats": str(self.seats)}
        return all(has.get(key) == value for key, value in named.items())


def pool_versions(
    database: Database,
    wanted: Wanted,
    forfeits: Forfeits = "loss",
    prepare: Callable[[Database, Tournament], object] = compute_luck,
) -> VersionPool:
    """Pool the tournaments of a game that have the same settings. Raises UsageError if there are none.

    ``prepare`` computes the luck of each before its results are read.
    """
    every = database.tournaments.all()
    game = wanted.game or _only_game(database, every, wanted)
    of_game = [tournament for tournament in every if tournament.game == game]
    if not of_game:
        games = ", ".join(sorted({tournament.game for tournament in every})) or "none"
        raise UsageError(f"the database holds no tournament of {game}; it has tournaments of: {games}")
    played = {tournament.id for tournament in of_game if database.schedules.progress(tournament.id).done}
    fitting = [
        tournament
        for tournament in of_game
        if tournament.recorded and tournament.id in played and wanted.fits(tournament.plan)
    ]
    if wanted.like is not None:
        fitting = [tournament for tournament in fitting if tournament.name == wanted.like]
    if not fitting:
        raise UsageError(f"no tournament of {game} has a match with a record and what was named")
    # The newest: its settings are those that people play by now.
    reference = fitting[-1]
    hosts = hosts_of(database, reference)
    pooled = []
    left_out = []
    for tournament in of_game:
        why = _difference(database, tournament, reference, hosts, wanted)
        if not why and tournament.id not in played:
            why = "no match is played yet"
        if why:
            left_out.append((tournament.name, why))
        else:
            pooled.append(tournament)
    for tournament in pooled:
        prepare(database, tournament)
    return _pool(database, reference, pooled, left_out, forfeits)


def pools_of_games(database: Database, wanted: Wanted) -> tuple[VersionPool, ...]:
    """Each pool of several tournaments, of the ``wanted`` game or of all, the newest first."""
    pools: list[VersionPool] = []
    seen: set[int] = set()
    for tournament in reversed(database.tournaments.all()):
        if tournament.id in seen or not tournament.recorded or wanted.game not in (None, tournament.game):
            continue
        if database.schedules.progress(tournament.id).done:
            pool = pool_versions(database, replace(wanted, game=tournament.game, like=tournament.name))
            seen |= {pooled.id for pooled in pool.tournaments}
            if len(pool.tournaments) > 1:
                pools.append(pool)
    return tuple(pools)


def _only_game(database: Database, every: Sequence[Tournament], wanted: Wanted) -> str:
    if wanted.like is not None:
        return database.tournaments.get(wanted.like).game
    games = sorted({tournament.game for tournament in every})
    if len(games) != 1:
        raise UsageError(
            f"name the game by --game; the database has tournaments of: {', '.join(games) or 'none'}"
        )
    return games[0]


def _difference(
    database: Database,
    tournament: Tournament,
    reference: Tournament,
    hosts: Mapping[str, int],
    wanted: Wanted,
) -> str:
    """The reason that a tournament may not be pooled with the reference, or ""."""
    if not tournament.recorded:
        return "imported results without records"
    mine = conditions_of(tournament.plan)
    theirs = conditions_of(reference.plan)
    unlike = [
        f"{key} is {mine.get(key, 'not set')}, and {theirs.get(key, 'not set')} in {reference.name}"
        for key in dict.fromkeys((*mine, *theirs))
        if mine.get(key) != theirs.get(key)
    ]
    if unlike:
        return "; ".join(unlike)
    if wanted.any_host or tournament.plan.limits.charge != "wall" or tournament.id == reference.id:
        return ""
    # By the wall clock a slower host makes a bot weaker, so one fit would mix two bots in one rating.
    others = hosts_of(database, tournament)
    if all(_alike(name, speed, hosts) for name, speed in others.items()):
        return ""
    if not wanted.name_hosts:
        return "played on a host of other or unknown speed, and charge is wall, so that speed counts"
    here, there = (", ".join(map(_host_text, group.items())) for group in (others, hosts))
    return f"played on {here}, not on {there}, and charge is wall, so the speed of the host counts"


def _alike(host: str, speed: int, others: Mapping[str, int]) -> bool:
    """Whether a host is one of the others, or as fast as all of them."""
    if host in others or not others:
        return True
    return all(
        speed and other_speed and max(speed, other_speed) <= UNLIKE * min(speed, other_speed)
        for other_speed in others.values()
    )


def _host_text(host: tuple[str, int]) -> str:
    name, speed = host
    printable = legible(name, "?")
    return f"{printable} (speed {speed})" if speed else printable


def _pool(
    database: Database,
    reference: Tournament,
    pooled: Sequence[Tournament],
    left_out: Sequence[tuple[str, str]],
    forfeits: Forfeits,
) -> VersionPool:
    entered: dict[VersionKey, list[Entry]] = {}
    key_of: dict[tuple[int, int], VersionKey] = {}
    for tournament in pooled:
        for stored in database.tournaments.entrants(tournament.id):
            entrant_bot = stored.entrant
            key = VersionKey(Bot(entrant_bot.bot, entrant_bot.args), entrant_bot.digest)
            key_of[tournament.id, stored.number] = key
            entered.setdefault(key, []).append(Entry(tournament, stored))
    order = sorted(entered, key=lambda key: (key.bot, _age(entered[key])))
    numbers = {key: number for number, key in enumerate(order)}
    # Only where the plan mirrors dice do the games of a group share them.
    shared = Clusters(forfeits=forfeits)
    unshared = Clusters(shared_dice=False, forfeits=forfeits)
    faults: Counter[int] = Counter()
    alone = 0
    for tournament in pooled:
        mine = {number: numbers[key] for (of, number), key in key_of.items() if of == tournament.id}
        for entrant, count in database.totals.faults_by_entrant(tournament.id).items():
            faults[mine[entrant]] += count
        results = []
        for result in database.matches.results(tournament.id, luck=shows_luck(tournament)):
            seats = tuple(mine[number] for number in result.entrants)
            # A version against itself is even by definition, and would only narrow its interval.
            if len(set(seats)) == len(seats):
                results.append(result._replace(entrants=seats))
            else:
                alone += not result.void
        (shared if tournament.plan.mirrored_dice else unshared).take(results)
    clusters = shared.found() + unshared.found()
    counts = Counts.of_clusters(
        clusters, numbers.values(), reference.seats, shared.distinct + unshared.distinct
    )
    versions = tuple(_versions(order, entered, faults))
    return VersionPool(reference, tuple(pooled), tuple(left_out), versions, counts, alone)


def _age(entries: Sequence[Entry]) -> tuple[int, tuple[tuple[bool, int, str], ...], int]:
    """The key that sorts a bot's versions: the first tournament, then the version and place in it.

    A gate or comparison names the newer bot first.
    """
    tournament, stored = entries[0]
    parts = re.findall(r"\d+|\D+", stored.entrant.version)
    natural = tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)
    return tournament.id, natural, -stored.number


def _versions(
    order: Sequence[VersionKey], entered: Mapping[VersionKey, Sequence[Entry]], faults: Mapping[int, int]
) -> Iterator[Version]:
    same_name = Counter((key.bot, entered[key][0].stored.entrant.version) for key in order)
    before: dict[Bot, int] = {}
    for number, key in enumerate(order):
        bot, digest = key
        entries = entered[key]
        version = entries[0].stored.entrant.version
        words = [bot.name, version, *bot.args]
        # Two builds may carry one version number; then only the digest tells them apart.
        if same_name[bot, version] > 1:
            words.append(f"({digest[:SHORT]})")
        yield Version(
            number,
            bot,
            version,
            digest,
            " ".join(words),
            entries[0].tournament.created,
            before.get(bot),
            tuple(sorted({stored.name for _, stored in entries})),
            len({tournament.id for tournament, _ in entries}),
            faults.get(number, 0),
        )
        before[bot] = number


def version_rows(pool: VersionPool, batch: Batch) -> Rows:
    """The versions as rows, the strongest first, with the gain of each over the one before it.

    ``gain``, ``gain_low`` and ``gain_high`` are None for the first version of a bot. ``vague_gain``: the
    prior decides the gain, or its interval is wide.
    """
    later = [(version.number, version.before) for version in pool.versions if version.before is not None]
    # One call for all gains: each call fits all games again.
    contrasts = [{number: 1.0, before: -1.0} for number, before in later]
    elos = differences(pool.counts, contrasts, pool.look)
    gains = {number: gain for (number, _), gain in zip(later, elos, strict=True)}
    rows: Rows = []
    for line in batch.ratings:
        version = pool.versions[line.entrant]
        before = None if version.before is None else pool.versions[version.before]
        gain, low, high = gains.get(version.number, (None, None, None))
        vague = before is not None and batch.prior_decides(before.number, version.number)
        rows.append(
            {
                **line._asdict(),
                "label": version.label,
                "name": version.bot.name,
                "args": list(version.bot.args),
                "version": version.version,
                "digest": version.digest,
                "intervals": EVERY_LOOK,
                "predecessor": before and before.label,
                "gain": gain,
                "gain_low": low,
                "gain_high": high,
                "vague_gain": vague or (low is not None and high is not None and high - low > WIDE),
                "since": version.since,
                "day": version.since[:10],
                "interval": range_text(line.low, line.high),
                "gain_interval": None if low is None or high is None else range_text(low, high),
                "over": before and before.version,
                "tournaments": version.tournaments,
                "faults": version.faults,
            }
        )
    return rows


def version_notes(pool: VersionPool) -> Iterator[str]:
    """Yield a sentence for each tournament that is left out, and further notes on the pool."""
    names = ", ".join(tournament.name for tournament in pool.tournaments)
    yield f"Rated in one fit, with the settings of {pool.reference.name}: {names}."
    for name, why in pool.left_out:
        yield f"Left out: {name}: {why}."
    yield f"The intervals are {EVERY_LOOK}: a pool has no planned end."
    if pool.alone:
        yield f"Games of a version against itself, which say nothing: {pool.alone}."


def hosts_of(database: Database, tournament: Tournament) -> Mapping[str, int]:
    """The hosts of a tournament with their speeds (0: unknown), by a sample of its matches.

    For an archived tournament they were noted when it was archived.
    """
    if (archive := database.tournaments.archives().get(tournament.id)) is not None:
        unknown = {f"a host named in the archive {archive.file}": 0}
        return unknown if archive.hosts is None else archive.hosts
    numbers = database.matches.finished_numbers(tournament.id)
    speeds: dict[str, int] = {}
    for number in numbers[:: max(1, len(numbers) // _HOST_SAMPLE)]:
        measured = database.records.measured(tournament.id, number)
        if host := measured.host:
            speeds[host] = measured.speed
    return speeds
