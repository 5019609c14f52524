"""Tables for other programs: those that ``tourney export`` writes, and their form as CSV and JSON."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from tourney.results.columns import Row, csv_cell, rendered, standings_columns
from tourney.results.standings import compute_standings, standing_row
from tourney.schedule.format import ranking_format
from tourney.store.repository import Repository
from tourney.store.values import Match, Tournament

KEY = ("match", "round", "table", "repeat", "order")
"""The columns that place a match in its schedule."""


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: its columns' names, and rows of strings, integers, floats, booleans and None."""

    columns: Sequence[str]
    rows: Iterable[Row]

    def write_csv(self, file: TextIO) -> None:
        """Write the table as CSV with a header line.

        A text that a spreadsheet would take for a formula has an apostrophe before it; the JSON has not.
        """
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([csv_cell(row[column]) for column in self.columns] for row in self.rows)

    def csv(self) -> bytes:
        """Return the table as CSV in UTF-8."""
        buffer = io.StringIO()
        self.write_csv(buffer)
        return buffer.getvalue().encode("utf-8", "replace")

    def json(self) -> bytes:
        """Return the table as a JSON list of objects, one a line, in ASCII."""
        lines = [json.dumps({c: row[c] for c in self.columns}, allow_nan=False) for row in self.rows]
        return ("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n").encode("ascii")


def _matches(repository: Repository, tournament: Tournament) -> DataTable:
    """Return a row for each match, also for those not played yet."""
    names = _names(repository, tournament)
    values = ("reason", "void", "actions", "reproducible", "digest")
    rows = (
        {
            **_key(match),
            "entrants": " ".join(names[number] for number in match.seats),
            "ranks": " ".join(map(str, match.result.ranks)) if match.result else None,
            **{name: getattr(match.result, name) if match.result else None for name in values},
        }
        for match in repository.matches(tournament.id)
    )
    return DataTable((*KEY, "entrants", "ranks", *values), rows)


def _seats(repository: Repository, tournament: Tournament) -> DataTable:
    """Return a row for each seat of every match that has a result."""
    names = _names(repository, tournament)

    def rows() -> Iterator[Row]:
        for match in repository.matches(tournament.id, finished=True):
            if match.result is None:
                continue
            columns = zip(match.seats, match.result.ranks, match.result.faults, strict=True)
            for seat, (number, rank, fault) in enumerate(columns, 1):
                own = {"seat": seat, "entrant": names[number], "rank": rank, "fault": fault}
                yield {**_key(match), **own, "void": match.result.void}

    return DataTable((*KEY, "seat", "entrant", "rank", "fault", "void"), rows())


def _pairs(repository: Repository, tournament: Tournament) -> DataTable:
    """Return a row for each entrant and each opponent that it met."""
    names = _names(repository, tournament)
    columns = ("entrant", "opponent", "games", "points")
    rows = (
        (names[pair.entrant], names[pair.opponent], pair.games, pair.half_points / 2)
        for pair in repository.pair_totals(tournament.id)
    )
    return DataTable(columns, (dict(zip(columns, row, strict=True)) for row in rows))


def _entrants(repository: Repository, tournament: Tournament) -> DataTable:
    """Return a row for each entrant."""
    columns = ("name", "bot", "version", "args", "digest", "joined", "left")
    rows = (
        (
            stored.name,
            stored.entrant.bot,
            stored.entrant.version,
            " ".join(stored.entrant.args),
            stored.entrant.digest,
            stored.joined,
            stored.left,
        )
        for stored in repository.entrants(tournament.id)
    )
    return DataTable(columns, (dict(zip(columns, row, strict=True)) for row in rows))


def _standings(repository: Repository, tournament: Tournament) -> DataTable:
    columns = standings_columns(ranking_format(tournament.plan.format), tournament.seats)
    rows = rendered(map(standing_row, compute_standings(repository, tournament.id)), columns, people=False)
    return DataTable(
        [column.key for column in columns], [{**row, "kinds": " ".join(row["kinds"])} for row in rows]
    )


TABLES: dict[str, Callable[[Repository, Tournament], DataTable]] = {
    "matches": _matches,
    "seats": _seats,
    "pairs": _pairs,
    "entrants": _entrants,
    "standings": _standings,
}
"""The tables that can be exported, by name; matches are in schedule order."""


def _names(repository: Repository, tournament: Tournament) -> dict[int, str]:
    return {stored.number: stored.name for stored in repository.entrants(tournament.id)}


def _key(match: Match) -> Row:
    return dict(zip(KEY, (match.number, *match.key), strict=True))
