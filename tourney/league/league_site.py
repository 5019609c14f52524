"""The site of a league: plain files with its tables and news, written after each night.

Each file is replaced in one step and only if it changes, the first page last; other files there stay.

Rules make the news, from the ledger, the tables of the nights, and the results: a version is new; a version
scores more than half of a night's games against a bot that its own bot met on an earlier night and never
outscored; another bot leads a division; a bot changes its division.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from tourney.errors import EnvironmentFailure
from tourney.files import write_file
from tourney.games.registry import find_game
from tourney.league.league_folder import League
from tourney.league.league_tables import NightTable, night_table
from tourney.league.ledger import Ledger, Season
from tourney.league.night_games import league_records, night_games, write_reports
from tourney.league.seasons import season_files
from tourney.report.output.layout import SHIPPED, File, Layout, Section, SiteValues
from tourney.schedule.neighbours import HOUSE
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


LISTS = ("authors", "nights", "seasons")
NAV = (
    Section("Table", "index.html", ("bots/",)),
    *(Section(name.capitalize(), f"{name}.html", (f"{name}/",)) for name in LISTS),
)


def write_league_site(league: League, say: Callable[[str], None]) -> Path:
    """Write the site of a league; return its first page. Raises EnvironmentFailure, StoreError."""
    write_reports(league)
    for file in site_files(league):
        path = league.site / file.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.read_bytes() == file.content:
                continue
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}") from error
        write_file(path, file.content)
    say(f"the site is {league.site / 'index.html'}")
    return league.site / "index.html"


def site_files(league: League) -> Iterator[File]:
    """Yield the files of the site, the first page last."""
    ledger, table = league.ledger, league.table
    site = Layout(SiteValues(table.title or table.name, find_game(table.game).title, measured=True, nav=NAV))
    nights = {number: night for number, night in sorted(ledger.nights.items()) if night.closed is not None}
    tables = {number: found for number in nights if (found := night_table(league, number)) is not None}
    latest = tables[max(tables)] if tables else None
    placed = {row.name: row for row in (latest.rows if latest else ()) if row.place}
    values = {"league": table, "ledger": ledger, "house": HOUSE, "nights": nights, "tables": tables}
    values |= {"latest": latest, "placed": placed, "news": league_news(league, tables)}
    values["records"] = tuple(league_records(tables))
    yield from (File(f"assets/{name}", SHIPPED.static(name)) for name in ("style.css", "theme.js"))
    for author, bot in sorted({(one.author, one.bot) for one in ledger.versions}):
        about = values | {"author": author, "bot": bot, "versions": ledger.versions_of(author, bot)}
        yield site.page(f"bots/{author}/{bot}.html", "league_bot.html", **about)
        for kind in () if author == HOUSE else ("rank", "rating"):
            yield site.page(f"bots/{author}/{bot}-{kind}.svg", "league_badge.svg", kind=kind, **about)
    for author in sorted({HOUSE, *ledger.authors, *(one.author for one in ledger.versions)}):
        yield site.page(f"authors/{author}.html", "league_author.html", author=author, **values)
    for number, night in nights.items():
        games, reports = (
            night_games(league, number),
            [league.site / "games" / t.name for t in night.tournaments],
        )
        there = {path.name for path in reports if path.is_dir()}
        yield site.page(
            f"nights/{number}.html", "league_night.html", night=night, games=games, reports=there, **values
        )
    for number, file in season_files(league):
        yield File(f"seasons/{number}.json", (league.records / "seasons" / f"{number}.json").read_bytes())
        yield site.page(f"seasons/{number}.html", "league_season.html", closed=number, file=file, **values)
    yield from (site.page(f"{name}.html", f"league_{name}.html", **values) for name in LISTS)
    ids = {n: uuid5(NAMESPACE_URL, f"{table.name}/{ledger.opened.since}/{n}").urn for n in (0, *nights)}
    yield site.page("feed.xml", "league_feed.xml", ids=ids, **values)
    yield site.page("index.html", "league.html", **values)
