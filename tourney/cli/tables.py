"""The tables that can be exported: rows of plain values, in schedule order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tourney.cli.output import Format, Row
from tourney.cli.standings import columns, row_of
from tourney.results.standings import compute_standings
from tourney.store.repository import Repository
from tourney.store.values import Match, Tournament

Table = Callable[[Repository, Tournament], Iterator[Row]]


def matches(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row a match, those not played yet too."""
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


def seats(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row a seat of every match that has a result."""
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


def pairs(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row for each entrant and each opponent of it that it met."""
    names = _names(repository, tournament)
    for pair in repository.pair_totals(tournament.id):
        yield {
            "entrant": names[pair.entrant],
            "opponent": names[pair.opponent],
            "games": pair.games,
            "points": pair.half_points / 2,
        }


def entrants(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield a row an entrant."""
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


def standings(repository: Repository, tournament: Tournament) -> Iterator[Row]:
    """Yield the standings."""
    for line in compute_standings(repository, tournament.id):
        row = row_of(line, Format.CSV)
        yield {**row, "kinds": " ".join(row["kinds"])}


KEY = ("match", "round", "table", "repeat", "order")


@dataclass(frozen=True, slots=True)
class Export:
    """A table that can be exported: its rows, and the columns that it has for a tournament."""

    rows: Table
    columns: Callable[[Tournament], tuple[str, ...]]


def _always(*columns: str) -> Callable[[Tournament], tuple[str, ...]]:
    return lambda _: columns


TABLES: dict[str, Export] = {
    "matches": Export(
        matches,
        _always(*KEY, "entrants", "ranks", "reason", "void", "actions", "reproducible", "digest"),
    ),
    "seats": Export(seats, _always(*KEY, "seat", "entrant", "rank", "fault", "void")),
    "pairs": Export(pairs, _always("entrant", "opponent", "games", "points")),
    "entrants": Export(entrants, _always("name", "bot", "version", "args", "digest", "joined", "left")),
    "standings": Export(standings, lambda tournament: tuple(column.key for column in columns(tournament))),
}
"""The tables by name."""


def _names(repository: Repository, tournament: Tournament) -> dict[int, str]:
    return {stored.number: stored.name for stored in repository.entrants(tournament.id)}


def _key(match: Match) -> Row:
    return dict(zip(KEY, (match.number, *match.key), strict=True))
