"""The table of a league after each night, kept as a file for seasons, receipts and the site.

One fit rates all versions over all nights; divisions rank them.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct, structs

from tourney.addons.league.folder import League, read_kept
from tourney.addons.league.ledger import BotVersion, Night, Season
from tourney.bots.catalogue.shipped import HOUSE
from tourney.errors import UsageError
from tourney.files import write_file
from tourney.results.versions import Wanted, pool_versions
from tourney.schema import Count, Digest
from tourney.store.database import Database
from tourney.store.values import Ordinal


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A version in the table: ``elo`` is the mean over the numbers of seats, with a 95 % interval.

    ``by_seats`` has the Elo for each number of seats. ``place`` counts, in the division, the newest rated
    version of each bot that plays; it is None for other versions and for bots of the house.
    """

    author: str
    bot: str
    version: Ordinal
    digest: Digest
    alive: bool
    division: Ordinal
    place: Ordinal | None
    elo: float
    low: float
    high: float
    games: Count
    night_games: Count
    by_seats: dict[str, float]

    @property
    def name(self) -> str:
        """AUTHOR/BOT."""
        return f"{self.author}/{self.bot}"


class NightTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table after a night: all versions that have games, by division and place, the others by Elo."""

    format: Literal["tourney-league-night/1"]
    league: str
    night: Ordinal
    season: Ordinal
    rows: tuple[TableRow, ...]

    def row_of(self, version: BotVersion) -> TableRow | None:
        """The row of a version, or None before its first game."""
        return next((row for row in self.rows if row.digest == version.digest), None)


def keep_table(league: League, table: NightTable) -> None:
    """Write the table of a night."""
    write_file(_path(league, table.night), msgspec.json.format(msgspec.json.encode(table)) + b"\n")


def night_table(league: League, night: int) -> NightTable | None:
    """The table after a night, or None if there is none. Raises StoreError for a damaged file."""
    return read_kept(_path(league, night), NightTable, "is not the table of a night")


def latest_table(league: League) -> NightTable | None:
    """The table after the last night that has one."""
    nights = sorted(league.ledger.nights, reverse=True)
    return next((table for night in nights if (table := night_table(league, night))), None)


def _path(league: League, night: int) -> Path:
    return league.records / "nights" / f"{night:04}.json"


class RatedLine(NamedTuple):
    """A rating of a version at one number of seats: Elo, both lengths of its interval, and games."""

    elo: float
    below: float
    above: float
    games: int


def rate_league(league: League, night: Night, season: Season) -> NightTable:
    """The table after a night. Tournaments with other limits or options than the night's do not count."""
    lines: dict[str, dict[int, RatedLine]] = defaultdict(dict)
    tonight: dict[str, int] = defaultdict(int)
    with Database.open(league.database) as opened, opened.snapshot() as database:
        for played in night.tournaments:
            tournament = database.tournaments.get(played.name)
            scores = database.totals.standings(tournament.id).scores
            for entrant in database.tournaments.entrants(tournament.id):
                if entrant.number in scores:
                    tonight[entrant.entrant.digest] += scores[entrant.number].games
        for seats in league.seats:
            for digest, line in _ratings(league, database, seats).items():
                lines[digest][seats] = line
    rows = [
        _row(league, night, season, version, lines[version.digest], tonight[version.digest])
        for version in league.ledger.versions
        if version.digest in lines
    ]
    return NightTable("tourney-league-night/1", league.table.name, night.number, season.number, _ranked(rows))


def _ratings(league: League, database: Database, seats: int) -> Mapping[str, RatedLine]:
    """The line of each version that played at tables of this size, by digest."""
    try:
        pool = pool_versions(database, Wanted(game=league.table.game, seats=seats, any_host=True))
    except UsageError:
        return {}  # nothing is played yet
    pooled = {version.digest for version in pool.versions}
    anchors: dict[str, float] = {}
    for name, elo in league.table.anchors.items():
        versions = league.ledger.versions_of(HOUSE, name)
        anchors |= {version.digest: elo for version in versions[-1:] if version.digest in pooled}
    return {
        pool.versions[line.entrant].digest: RatedLine(
            line.elo, line.elo - line.low, line.high - line.elo, line.games
        )
        for line in pool.rate(anchors).ratings
    }


def _row(
    league: League,
    night: Night,
    season: Season,
    version: BotVersion,
    lines: Mapping[int, RatedLine],
    games: int,
) -> TableRow:
    # The ratings by seats come from different matches: their errors are independent, so squares add up.
    elo = sum(line.elo for line in lines.values()) / len(lines)
    below = sum(line.below**2 for line in lines.values()) ** 0.5 / len(lines)
    above = sum(line.above**2 for line in lines.values()) ** 0.5 / len(lines)
    return TableRow(
        *(version.author, version.bot, version.number, version.digest),
        alive=version in league.ledger.alive(night.number),
        division=season.division_of(f"{version.author}/{version.bot}", league.table.season.divisions),
        place=None,
        elo=round(elo, 1),
        low=round(elo - below, 1),
        high=round(elo + above, 1),
        games=sum(line.games for line in lines.values()),
        night_games=games,
        by_seats={str(seats): line.elo for seats, line in lines.items()},
    )


def _ranked(rows: list[TableRow]) -> tuple[TableRow, ...]:
    """The rows with places, by division and Elo; the newest version of each bot that plays has a place."""
    newest = {(row.author, row.bot): row for row in rows if row.alive and row.author != HOUSE}
    order = sorted(rows, key=lambda row: (row.division, -row.elo, row.name, row.version))
    count: dict[int, int] = defaultdict(int)
    placed = []
    for row in order:
        if newest.get((row.author, row.bot)) is row:
            count[row.division] += 1
            placed.append(structs.replace(row, place=count[row.division]))
        else:
            placed.append(row)
    return tuple(placed)
