"""Games of a night that a rule chooses, the reports with their replays, and the records of a league."""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from tourney.errors import StoreError
from tourney.files import write_file
from tourney.league.league_folder import League
from tourney.league.league_tables import NightTable, night_table
from tourney.league.ledger import Night
from tourney.match.luck import largest_rise
from tourney.report.output.layout import Options
from tourney.report.output.write import write
from tourney.report.site import site_parts
from tourney.report.source import load
from tourney.schema import SchemaError, read
from tourney.store.database import Database
from tourney.store.values import Ordinal

REPORTS: Final = 30
"""The last nights whose reports are on the site."""
KNOWN: Final = 20
"""Games from which a version's rating can make an upset, or a record."""


class ChosenGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A game of a night.

    It is the win over the bot rated furthest above the winner, the one in which one action raised the
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
        for one in night.tournaments:
            for size, game in _games(league, database, one.name, elo):
                if size > best.get(game.kind, (0.0, game))[0]:
                    best[game.kind] = size, game
    games = tuple(game for _, (_, game) in sorted(best.items(), reverse=True))
    write_file(
        _path(league, night.number), msgspec.json.encode(NightGames("tourney-league-games/1", games)) + b"\n"
    )


def _games(
    league: League, database: Database, name: str, elo: Mapping[str, float]
) -> Iterator[tuple[float, ChosenGame]]:
    """Yield each game of a tournament by kind, with how far the winner was below or came, or its actions."""
    tournament = database.tournaments.get(name)
    labels = {one.entrant: one.label for one in league.ledger.versions}
    names = [one.name for one in database.tournaments.entrants(tournament.id)]
    matches = {match.number: match for match in database.matches.all(tournament.id, finished=True)}
    for number, record in database.records.all(tournament.id):  # a long night's would fill the memory
        match = matches[number]
        if (result := match.result) is None or result.void:
            continue
        seats = [names[number] for number in match.seats]
        said = " - ".join(labels[seat] for seat in seats)
        yield result.actions, ChosenGame("longest", name, match.number, f"{said}, {result.actions} actions")
        (first, *others) = (seat for _, seat in sorted(zip(result.ranks, seats, strict=True)))
        if sorted(result.ranks)[1] == 1:
            continue
        if rise := largest_rise(record, result.ranks.index(1) + 1):
            change = f"from {100 * rise.before:.0f} % of the points to {100 * rise.after:.0f} %"
            text = f"{labels[first]} comes {change} with action {rise.ply + 1}, {record.actions[rise.ply][1]}"
            yield rise.after - rise.before, ChosenGame("swing", name, match.number, f"{said}: {text}")
        if {first, *others} <= elo.keys():
            above = max(others, key=lambda seat: elo[seat])
            gap = elo[above] - elo[first]
            text = f"{labels[first]} beats {labels[above]}, which was rated {gap:.0f} Elo above it"
            yield gap, ChosenGame("upset", name, match.number, text)


def night_games(league: League, night: int) -> tuple[ChosenGame, ...]:
    """The chosen games of a night; () for a night of an older version. Raises StoreError if damaged."""
    path = _path(league, night)
    try:
        return read(msgspec.json.decode(path.read_bytes()), NightGames).games
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.DecodeError, SchemaError) as error:
        raise StoreError(f"{path} does not hold the games of a night ({error}): restore a backup") from error


def write_reports(league: League) -> None:
    """Write the reports of the last nights that are missing, and remove those of older nights."""
    place, ledger = league.site / "games", league.ledger
    last = [night for _, night in sorted(ledger.nights.items()) if night.closed is not None][-REPORTS:]
    wanted = {one.name for night in last for one in night.tournaments if one.matches}
    if wanted:
        with Database.open(league.database) as opened, opened.snapshot() as database:
            archives = database.tournaments.archives()
            for name in sorted(wanted):
                one = database.tournaments.find(name)
                if one is not None and one.id not in archives and not (place / name).exists():
                    write(site_parts(load(database, one), Options()), place / name)
    for old in sorted(place.iterdir()) if place.is_dir() else ():
        if old.name not in wanted and old.is_dir():
            shutil.rmtree(old)


def league_records(tables: Mapping[int, NightTable]) -> Iterator[tuple[str, str, str]]:
    """Yield the records of a league: what, the bot as AUTHOR/BOT, and the value."""
    rows = [(night, row) for night, table in tables.items() for row in table.rows if row.place]
    known = [(night, row) for night, row in rows if row.games >= KNOWN]
    leads = Counter(row.name for _, row in rows if row.place == 1 and row.division == 1)
    if known:
        night, row = max(known, key=lambda one: (one[1].elo, -one[0]))
        yield "highest rating", row.name, f"{row.elo:.0f} Elo, version {row.version}, night {night}"
        _, most = max(known, key=lambda one: (one[1].games, -one[0]))
        yield "most games of a version", most.name, f"{most.games:,}, version {most.version}"
    if leads:
        name, count = max(leads.items(), key=lambda one: (one[1], one[0]))
        yield "most nights in the lead", name, f"{count}"
