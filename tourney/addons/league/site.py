"""The site of a league: plain files with tables, news, games and records, written after each night.

Each file is replaced in one step and only if it changes, the first page last; other files there stay. Rules
choose the games of a night. News come from the ledger, the tables of the nights, and the results: a version
is new; a version wins a night against an opponent that earlier versions of its bot had met but never beaten
over a night; another bot leads a division; a bot changes its division.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Struct

from tourney.addons.league.folder import League, read_kept
from tourney.addons.league.ledger import Ledger, Night, Season
from tourney.addons.league.seasons import season_files
from tourney.addons.league.tables import NightTable, night_table
from tourney.bots.catalogue.shipped import HOUSE
from tourney.errors import EnvironmentFailure
from tourney.files import write_file
from tourney.games.registry import find_game
from tourney.report.output.layout import SHIPPED, File, Layout, Options, Section
from tourney.report.output.write import write
from tourney.report.site import site_parts
from tourney.report.source import load
from tourney.results.columns import WIDE
from tourney.results.highlights import highlights_of_result, turning_point
from tourney.store.database import Database
from tourney.store.engine import database_exists
from tourney.store.values import Ordinal

REPORTS: Final = 30
"""The last nights whose reports are on the site."""
KNOWN: Final = 20
"""Games from which on a version's rating counts for upsets and records."""


class ChosenGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A game of a night.

    It is the win over the bot rated furthest above the winner, the win in which one action raised the
    winner's prospects most, or the longest game.
    """

    kind: Literal["upset", "swing", "longest"]
    tournament: str
    match: Ordinal
    text: str

    @property
    def path(self) -> str:
        """The page of its replay on the site."""
        return f"games/{self.tournament}/matches/{self.match}.html"


class NightGames(Struct, frozen=True, forbid_unknown_fields=True):
    """The chosen games of a night."""

    format: Literal["tourney-league-games/1"]
    games: tuple[ChosenGame, ...]


def _path(league: League, night: int) -> Path:
    return league.records / "nights" / f"{night}-games.json"


def keep_games(league: League, night: Night) -> None:
    """Choose the games of a night by the ratings before it, and write them to a file."""
    before = night_table(league, night.number - 1)
    elo = {
        f"{r.author}.{r.bot}.{r.version}": r.elo for r in (before.rows if before else ()) if r.games >= KNOWN
    }
    best: dict[str, tuple[float, ChosenGame]] = {}
    with Database.open(league.database) as opened, opened.snapshot() as database:
        for tournament in night.tournaments:
            for size, game in _games(league, database, tournament.name, elo):
                if size > best.get(game.kind, (0.0, game))[0]:
                    best[game.kind] = size, game
    games = tuple(game for _, (_, game) in sorted(best.items(), reverse=True))
    write_file(
        _path(league, night.number), msgspec.json.encode(NightGames("tourney-league-games/1", games)) + b"\n"
    )


def _games(
    league: League, database: Database, name: str, elo: Mapping[str, float]
) -> Iterator[tuple[float, ChosenGame]]:
    """Yield each game of a tournament by kind, with its size: the winner's deficit or rise, or actions."""
    tournament = database.tournaments.get(name)
    labels = {version.entrant: version.label for version in league.ledger.versions}
    entrants = [entrant.name for entrant in database.tournaments.entrants(tournament.id)]
    matches = {match.number: match for match in database.matches.all(tournament.id, finished=True)}
    for number, record in database.records.all(tournament.id):  # a long night's would fill the memory
        match = matches[number]
        if (result := match.result) is None or result.void:
            continue
        seats = [entrants[entrant] for entrant in match.seats]
        names = [labels[seat] for seat in seats]
        versus = " - ".join(names)
        of_result = highlights_of_result(result, names, [elo.get(seat) for seat in seats])
        for kind, size, text, _ in (*of_result, *turning_point(record, names)):
            if kind == "upset":  # its sentence names both already
                yield size, ChosenGame(kind, name, number, text)
            elif kind in ("longest", "swing"):
                yield size, ChosenGame(kind, name, number, f"{versus}: {text}")


def night_games(league: League, night: int) -> tuple[ChosenGame, ...]:
    """The chosen games of a night; () for a night of an older version. Raises StoreError if damaged."""
    stored = read_kept(_path(league, night), NightGames, "does not hold the games of a night")
    return () if stored is None else stored.games


def write_reports(league: League) -> None:
    """Write the missing reports of the last nights, and remove the reports of older nights."""
    place = league.site / "games"
    ledger = league.ledger
    last = [night for _, night in sorted(ledger.nights.items()) if night.closed is not None][-REPORTS:]
    wanted = {tournament.name for night in last for tournament in night.tournaments if tournament.matches}
    if wanted:
        with Database.open(league.database) as opened, opened.snapshot() as database:
            archives = database.tournaments.archives()
            for name in sorted(wanted):
                stored = database.tournaments.find(name)
                # A report of a closed night never changes, so it is written once.
                if stored is not None and stored.id not in archives and not (place / name).exists():
                    write(site_parts(load(database, stored), Options()), place / name)
    for old in sorted(place.iterdir()) if place.is_dir() else ():
        if old.name not in wanted and old.is_dir():
            shutil.rmtree(old)


def league_records(tables: Mapping[int, NightTable]) -> Iterator[tuple[str, str, str]]:
    """Yield the records of a league: title, the bot as AUTHOR/BOT, and the value."""
    rows = [(night, row) for night, table in tables.items() for row in table.rows if row.place]
    established = [(night, row) for night, row in rows if row.games >= KNOWN]
    # The table says "too few games" instead of the others' Elo.
    rated = [(night, row) for night, row in established if row.high - row.low <= WIDE]
    leads = Counter(row.name for _, row in rows if row.place == 1 and row.division == 1)
    if rated:
        night, row = max(rated, key=lambda row_of_night: (row_of_night[1].elo, -row_of_night[0]))
        yield "highest rating", row.name, f"{row.elo:.0f} Elo, version {row.version}, night {night}"
    if established:
        _, most = max(established, key=lambda row_of_night: (row_of_night[1].games, -row_of_night[0]))
        yield "most games of a version", most.name, f"{most.games:,}, version {most.version}"
    if leads:
        name, count = max(leads.items(), key=lambda leader: (leader[1], leader[0]))
        yield "most nights in the lead", name, f"{count}"


Margins = Mapping[tuple[str, str], int]
"""Of two entrants that met in a night: half points of the first less its games; 0 is an even score."""


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A sentence on the bot AUTHOR/BOT, and the number of the night that made it news."""

    night: int
    bot: str
    text: str


def league_news(league: League, tables: Mapping[int, NightTable]) -> tuple[NewsItem, ...]:
    """The news of all nights with a table, oldest night first; ``tables`` are by night, in their order."""
    new = [version for version in league.ledger.versions if version.author != HOUSE]
    news = [
        NewsItem(version.night, f"{version.author}/{version.bot}", f"{version.label} is new")
        for version in new
    ]
    news += (*_moves(league), *_leaders(tables))
    news += first_wins(league.ledger, _margins(league)) if database_exists(league.database) else ()
    return tuple(item for item in sorted(news, key=lambda item: item.night) if item.night in tables)


def _moves(league: League) -> Iterator[NewsItem]:
    """Yield a piece of news for each bot that begins a season in a new division."""
    ledger = league.ledger
    lowest = league.table.season.divisions
    last = {night.season: night.number for night in ledger.nights.values()}
    bots = sorted(
        {f"{version.author}/{version.bot}" for version in ledger.versions if version.author != HOUSE}
    )
    for number, season in sorted(ledger.seasons.items()):
        before = ledger.seasons.get(number - 1, Season(0, season.opened))
        for bot in bots if before.number in last else ():
            old = before.division_of(bot, lowest)
            new = season.division_of(bot, lowest)
            if old != new:
                how = "rises" if new < old else "falls"
                yield NewsItem(last[before.number], bot, f"{bot} {how} to division {new}")


def _leaders(tables: Mapping[int, NightTable]) -> Iterator[NewsItem]:
    leaders: dict[int, str] = {}
    for number, table in tables.items():
        for row in (row for row in table.rows if row.place == 1):
            # The first leader of a division takes the lead from no other, and makes no news.
            if leaders.get(row.division, row.name) != row.name:
                yield NewsItem(number, row.name, f"{row.name} {row.version} leads division {row.division}")
            leaders[row.division] = row.name


def _margins(league: League) -> Iterator[tuple[int, Margins]]:
    with Database.open(league.database) as opened, opened.snapshot() as database:
        ids = {tournament.name: tournament.id for tournament in database.tournaments.all()}
        for number, night in sorted(league.ledger.nights.items()):
            sums: Counter[tuple[str, str]] = Counter()
            for key in (ids[tournament.name] for tournament in night.tournaments if tournament.name in ids):
                names = [entrant.name for entrant in database.tournaments.entrants(key)]
                for pair in database.totals.standings(key).pairs:
                    sums[names[pair.entrant], names[pair.opponent]] += pair.half_points - pair.games
            yield number, sums


def first_wins(ledger: Ledger, nights: Iterable[tuple[int, Margins]]) -> Iterator[NewsItem]:
    """Yield the first win of a bot against another, by the newest versions, from the nights' margins."""
    versions = {version.entrant: version for version in ledger.versions}
    bot_of = {version.entrant: f"{version.author}/{version.bot}" for version in ledger.versions}
    met = set[tuple[str, str]]()
    won = set[tuple[str, str]]()
    for number, margins in nights:
        for pair in sorted(margins, key=lambda pair: [(-versions[label].number, label) for label in pair]):
            winner, loser = (versions[name] for name in pair)
            bots = bot_of[pair[0]], bot_of[pair[1]]
            if margins[pair] > 0 and bots not in won:
                won.add(bots)
                if bots in met and winner.author != HOUSE:
                    yield NewsItem(number, bots[0], f"{winner.label} beats {loser.label} for the first time")
        met |= {(bot_of[winner], bot_of[loser]) for winner, loser in margins}


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
    ledger = league.ledger
    table = league.table
    site = Layout(table.title or table.name, find_game(table.game).title, measured=True, nav=NAV)
    nights = {number: night for number, night in sorted(ledger.nights.items()) if night.closed is not None}
    tables = {number: rated for number in nights if (rated := night_table(league, number)) is not None}
    latest = tables[max(tables)] if tables else None
    placed = {row.name: row for row in (latest.rows if latest else ()) if row.place}
    values = {"league": table, "ledger": ledger, "house": HOUSE, "nights": nights, "tables": tables}
    values |= {"latest": latest, "placed": placed, "news": league_news(league, tables)}
    values["records"] = tuple(league_records(tables))
    yield from (File(f"assets/{name}", SHIPPED.read(f"static/{name}")) for name in ("style.css", "theme.js"))
    for author, bot in sorted({(version.author, version.bot) for version in ledger.versions}):
        about = values | {"author": author, "bot": bot, "versions": ledger.versions_of(author, bot)}
        yield site.page(f"bots/{author}/{bot}.html", "league_bot.html", **about)
        for kind in () if author == HOUSE else ("rank", "rating"):
            yield site.page(f"bots/{author}/{bot}-{kind}.svg", "league_badge.svg", kind=kind, **about)
    for author in sorted({HOUSE, *ledger.accepted}):
        yield site.page(f"authors/{author}.html", "league_author.html", author=author, **values)
    for number, night in nights.items():
        played = [tournament.name for tournament in night.tournaments]
        about = {"night": night, "games": night_games(league, number)}
        about["reports"] = {name for name in played if (league.site / "games" / name).is_dir()}
        yield site.page(f"nights/{number}.html", "league_night.html", **about, **values)
    for number, file in season_files(league):
        yield File(f"seasons/{number}.json", (league.records / "seasons" / f"{number}.json").read_bytes())
        yield site.page(f"seasons/{number}.html", "league_season.html", closed=number, file=file, **values)
    yield from (site.page(f"{name}.html", f"league_{name}.html", **values) for name in LISTS)
    ids = {n: uuid5(NAMESPACE_URL, f"{table.name}/{ledger.opened.since}/{n}").urn for n in (0, *nights)}
    yield site.page("feed.xml", "league_feed.xml", ids=ids, **values)
    yield site.page("index.html", "league.html", **values)
