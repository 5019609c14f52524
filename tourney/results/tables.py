"""The tables that can be exported: rows of plain values, in schedule order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tourney.results.columns import Row, rendered, standings_columns
from tourney.results.standings import compute_standings, standing_row
from tourney.schedule.format import ranking_format
from tourney.store.repository import Repository
from tourney.store.values import Match, Tournament


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table that can be exported: its rows, and its columns for a tournament."""

    rows: Callable[[Repository, Tournament], Iterator[Row]]
    columns: Callable[[Tournament], tuple[str, ...]]


KEY = ("match", "round", "table", "repeat", "order")


def _matches(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row for each match, also for those not played yet."""
    names = _names(repository, tournament)
    for match in repository.matches(tournament.id):
        result = match.result
        yield {
            **_key(match),
            "entrants": " ".join(names[number] for number in match.seats),
            "ranks": " ".join(map(str, result.ranks)) if result else None,
            "reason": result.reason if result else None,
            "void": result.void if result else None,
            "actions": result.actions if result else None,
            "reproducible": result.reproducible if result else None,
            "digest": result.digest if result else None,
        }


def _seats(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row for each seat of every match that has a result."""
    names = _names(repository, tournament)
    for match in repository.matches(tournament.id, finished=True):
        if match.result is None:
            continue
        columns = zip(match.seats, match.result.ranks, match.result.faults, strict=True)
        for seat, (number, rank, fault) in enumerate(columns, 1):
            yield {
                **_key(match),
                "seat": seat,
                "entrant": names[number],
                "rank": rank,
                "fault": fault,
                "void": match.result.void,
            }


def _pairs(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row for each entrant and each opponent that it met."""
    names = _names(repository, tournament)
    for pair in repository.pair_totals(tournament.id):
        yield {
            "entrant": names[pair.entrant],
            "opponent": names[pair.opponent],
            "games": pair.games,
            "points": pair.half_points / 2,
        }


def _entrants(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row for each entrant."""
    for stored in repository.entrants(tournament.id):
        yield {
            "name": stored.name,
            "bot": stored.entrant.bot,
            "version": stored.entrant.version,
            "args": " ".join(stored.entrant.args),
            "digest": stored.entrant.digest,
            "joined": stored.joined,
            "left": stored.left,
        }


def _standings(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    columns = standings_columns(ranking_format(tournament.plan.format), tournament.seats)
    rows = map(standing_row, compute_standings(repository, tournament.id))
    for row in rendered(rows, columns, people=False):
        yield {**row, "kinds": " ".join(row["kinds"])}


def _standings_keys(tournament: Tournament) -> tuple[str, ...]:
    columns = standings_columns(ranking_format(tournament.plan.format), tournament.seats)
    return tuple(column.key for column in columns)


def _fixed(*columns: str) -> Callable[[Tournament], tuple[str, ...]]:
    return lambda _: columns


TABLES: dict[str, ExportTable] = {
    "matches": ExportTable(
        _matches,
        _fixed(*KEY, "entrants", "ranks", "reason", "void", "actions", "reproducible", "digest"),
    ),
    "seats": ExportTable(_seats, _fixed(*KEY, "seat", "entrant", "rank", "fault", "void")),
    "pairs": ExportTable(_pairs, _fixed("entrant", "opponent", "games", "points")),
    "entrants": ExportTable(_entrants, _fixed("name", "bot", "version", "args", "digest", "joined", "left")),
    "standings": ExportTable(_standings, _standings_keys),
}
"""The tables by name."""


def _names(repository: Repository, tournament: Tournament) -> dict[int, str]:
    return {stored.number: stored.name for stored in repository.entrants(tournament.id)}


def _key(match: Match) -> Row:
    return dict(zip(KEY, (match.number, *match.key), strict=True))
