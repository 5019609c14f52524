"""News of a league, made by rule from its ledger, the tables of its nights, and the results.

The rules: a version is new; a version scores more than half of a night's games against a bot that its own bot
met on an earlier night and never outscored; another bot leads a division; a bot changes its division.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tourney.league.league_folder import League
from tourney.league.league_tables import NightTable
from tourney.league.ledger import HOUSE, Ledger, Season
from tourney.store.database import Database
from tourney.store.engine import database_exists

Margins = Mapping[tuple[str, str], int]
"""For entrants that met in a night: half points of the first less its games, so 0 is an even score."""


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A sentence on the bot AUTHOR/BOT, and the number of the night that made it news."""

    night: int
    bot: str
    text: str


def league_news(league: League, tables: Mapping[int, NightTable]) -> tuple[NewsItem, ...]:
    """The news of all nights with a table, oldest night first; ``tables`` are by night, in their order."""
    new = [one for one in league.ledger.versions if one.author != HOUSE]
    found = [NewsItem(one.night, f"{one.author}/{one.bot}", f"{one.label} is new") for one in new]
    found += (*_moves(league), *_leaders(tables))
    found += first_wins(league.ledger, _margins(league)) if database_exists(league.database) else ()
    return tuple(item for item in sorted(found, key=lambda item: item.night) if item.night in tables)


def _moves(league: League) -> Iterator[NewsItem]:
    """Yield a piece of news for each bot that begins a season in another division than the one before."""
    ledger, lowest = league.ledger, league.table.season.divisions
    last = {night.season: night.number for night in ledger.nights.values()}
    bots = sorted({f"{one.author}/{one.bot}" for one in ledger.versions if one.author != HOUSE})
    for number, season in sorted(ledger.seasons.items()):
        before = ledger.seasons.get(number - 1, Season(0, season.opened))
        for bot in bots if before.number in last else ():
            old, new = before.division_of(bot, lowest), season.division_of(bot, lowest)
            if old != new:
                how = "rises" if new < old else "falls"
                yield NewsItem(last[before.number], bot, f"{bot} {how} to division {new}")


def _leaders(tables: Mapping[int, NightTable]) -> Iterator[NewsItem]:
    leaders: dict[int, str] = {}
    for number, table in tables.items():
        for row in (row for row in table.rows if row.place == 1):
            if leaders.get(row.division, row.name) != row.name:
                yield NewsItem(number, row.name, f"{row.name} {row.version} leads division {row.division}")
            leaders[row.division] = row.name


def _margins(league: League) -> Iterator[tuple[int, Margins]]:
    with Database.open(league.database) as opened, opened.snapshot() as database:
        known = {one.name: one.id for one in database.tournaments.all()}
        for number, night in sorted(league.ledger.nights.items()):
            sums: Counter[tuple[str, str]] = Counter()
            for key in (known[one.name] for one in night.tournaments if one.name in known):
                names = [one.name for one in database.tournaments.entrants(key)]
                for pair in database.totals.standings(key).pairs:
                    sums[names[pair.entrant], names[pair.opponent]] += pair.half_points - pair.games
            yield number, sums


def first_wins(ledger: Ledger, nights: Iterable[tuple[int, Margins]]) -> Iterator[NewsItem]:
    """Yield the first win of a bot against another, by the newest versions, from the nights' margins."""
    versions = {one.entrant: one for one in ledger.versions}
    bot_of = {one.entrant: f"{one.author}/{one.bot}" for one in ledger.versions}
    met, won = set[tuple[str, str]](), set[tuple[str, str]]()
    for number, margins in nights:
        for pair in sorted(margins, key=lambda pair: [(-versions[one].number, one) for one in pair]):
            one, other = (versions[name] for name in pair)
            bots = bot_of[pair[0]], bot_of[pair[1]]
            if margins[pair] > 0 and bots not in won:
                won.add(bots)
                if bots in met and one.author != HOUSE:
                    yield NewsItem(number, bots[0], f"{one.label} beats {other.label} for the first time")
        met |= {(bot_of[one], bot_of[other]) for one, other in margins}
