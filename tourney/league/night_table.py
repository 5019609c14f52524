"""Rates all versions of a league over all nights in one fit, and ranks them by division."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from msgspec import structs

from tourney.errors import UsageError
from tourney.league.league_folder import League
from tourney.league.league_tables import NightTable, TableRow
from tourney.league.ledger import HOUSE, BotVersion, Night, Season
from tourney.results.versions import Wanted, pool_versions
from tourney.store.database import Database

Line = tuple[float, float, float, int]
"""Elo, how far its interval reaches below and above, and games."""


def rate_league(league: League, night: Night, season: Season) -> NightTable:
    """The table after a night. Tournaments with other limits or options than the night's do not count."""
    lines: dict[str, dict[int, Line]] = defaultdict(dict)
    tonight: dict[str, int] = defaultdict(int)
    with Database.open(league.database) as opened, opened.snapshot() as database:
        for one in night.tournaments:
            tournament = database.tournaments.get(one.name)
            scores = database.totals.standings(tournament.id).scores
            for entrant in database.tournaments.entrants(tournament.id):
                tonight[entrant.entrant.digest] += (
                    scores[entrant.number].games if entrant.number in scores else 0
                )
        for seats in league.seats:
            for digest, line in _ratings(league, database, seats).items():
                lines[digest][seats] = line
    rows = [
        _row(league, night, season, version, lines[version.digest], tonight[version.digest])
        for version in league.ledger.versions
        if version.digest in lines
    ]
    return NightTable("tourney-league-night/1", league.table.name, night.number, season.number, _ranked(rows))


def _ratings(league: League, database: Database, seats: int) -> Mapping[str, Line]:
    """The line of each version that played at tables of this size, by digest."""
    try:
        pool = pool_versions(database, Wanted(game=league.table.game, seats=seats, any_host=True))
    except UsageError:
        return {}  # nothing is played yet
    pooled = {one.digest for one in pool.versions}
    anchors: dict[str, float] = {}
    for name, elo in league.table.anchors.items():
        versions = league.ledger.versions_of(HOUSE, name)
        anchors |= {one.digest: elo for one in versions[-1:] if one.digest in pooled}
    by_bot: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in league.ledger.versions:
        if one.digest in pooled:
            by_bot[one.author, one.bot].append(one.digest)
    follows = [pair for digests in by_bot.values() for pair in pairwise(digests)]
    return {
        pool.versions[line.entrant].digest: (line.elo, line.elo - line.low, line.high - line.elo, line.games)
        for line in pool.rate(anchors, follows=follows).ratings
    }


def _row(
    league: League,
    night: Night,
    season: Season,
    version: BotVersion,
    lines: Mapping[int, Line],
    games: int,
) -> TableRow:
    elo = sum(line[0] for line in lines.values()) / len(lines)
    below, above = (sum(line[k] ** 2 for line in lines.values()) ** 0.5 / len(lines) for k in (1, 2))
    return TableRow(
        *(version.author, version.bot, version.number, version.digest),
        alive=version in league.ledger.alive(night.number),
        division=season.division_of(f"{version.author}/{version.bot}", league.table.season.divisions),
        place=None,
        elo=round(elo, 1),
        low=round(elo - below, 1),
        high=round(elo + above, 1),
        games=sum(line[3] for line in lines.values()),
        night_games=games,
        by_seats={str(seats): line[0] for seats, line in lines.items()},
    )


def _ranked(rows: list[TableRow]) -> tuple[TableRow, ...]:
    """The rows with places, by division and Elo; the newest version of each bot that plays has a place."""
    newest = {(row.author, row.bot): row for row in rows if row.alive and row.author != HOUSE}
    order = sorted(rows, key=lambda row: (row.division, -row.elo, row.name, row.version))
    count: dict[int, int] = defaultdict(int)
    found = []
    for row in order:
        if newest.get((row.author, row.bot)) is row:
            count[row.division] += 1
            found.append(structs.replace(row, place=count[row.division]))
        else:
            found.append(row)
    return tuple(found)
