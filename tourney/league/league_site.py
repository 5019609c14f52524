"""The site of a league: plain files, written after each night.

Each file is replaced in one step and only if it changes, the first page last; other files there stay.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from tourney.errors import EnvironmentFailure
from tourney.files import write_file
from tourney.games.registry import find_game
from tourney.league.league_folder import League
from tourney.league.league_news import league_news
from tourney.league.league_tables import night_table
from tourney.league.ledger import HOUSE
from tourney.league.night_games import league_records, night_games, write_reports
from tourney.league.seasons import season_files
from tourney.report.output.layout import SHIPPED, File, Layout, Section, SiteValues

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
