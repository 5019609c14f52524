"""Tables for other programs: those that ``tourney export`` writes, and their form as CSV and JSON."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TextIO

from tourney.results.columns import (
    ENTRANT_COLUMNS,
    FAULT_COLUMNS,
    MATCH_COLUMNS,
    PAIR_COLUMNS,
    PLACE,
    SEAT_COLUMNS,
    TIME_COLUMNS,
    Column,
    Row,
    csv_cell,
    rendered,
)
from tourney.results.standings import compute_standings, standing_row, standings_columns
from tourney.schedule.format import ranking_format
from tourney.store.column_reading import unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament, TournamentMatch

_CHUNK: Final = 500
"""Matches whose measurements are read by one query."""


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
        """The table as CSV in UTF-8."""
        buffer = io.StringIO()
        self.write_csv(buffer)
        return buffer.getvalue().encode("utf-8", "replace")

    def json(self) -> bytes:
        """The table as a JSON list of objects, one a line, in ASCII."""
        lines = [json.dumps({c: row[c] for c in self.columns}, allow_nan=False) for row in self.rows]
        return ("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n").encode("ascii")


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of a tournament: its described columns, and its rows, which are read once and lazily."""

    columns: tuple[Column, ...]
    rows: Iterable[Row]

    @property
    def data(self) -> DataTable:
        """The same table for CSV and JSON."""
        return DataTable([column.key for column in self.columns], self.rows)


def _matches(database: Database, tournament: Tournament) -> ResultTable:
    """A row for each match, also for those not played yet."""
    names = entrant_names(database, tournament)
    values = ("reason", "void", "actions", "reproducible", "digest")
    rows = (
        {
            **_place(match),
            "entrants": " ".join(names[number] for number in match.seats),
            "ranks": " ".join(map(str, match.result.ranks)) if match.result else None,
            **{name: getattr(match.result, name) if match.result else None for name in values},
        }
        for match in database.matches.all(tournament.id)
    )
    return ResultTable(MATCH_COLUMNS, rows)


def _seat_rows(database: Database, tournament: Tournament) -> Iterator[dict[str, object]]:
    names = entrant_names(database, tournament)
    for match in database.matches.all(tournament.id, finished=True):
        if match.result is None:
            continue
        columns = zip(match.seats, match.result.ranks, match.result.faults, strict=True)
        for seat, (number, rank, fault) in enumerate(columns, 1):
            own = {"seat": seat, "entrant": names[number], "rank": rank, "fault": fault}
            yield {**_place(match), **own, "void": match.result.void}


def _seats(database: Database, tournament: Tournament) -> ResultTable:
    """A row for each seat of every match that has a result."""
    return ResultTable(SEAT_COLUMNS, _seat_rows(database, tournament))


def _faults(database: Database, tournament: Tournament) -> ResultTable:
    """A row for each seat that was lost by a fault."""
    return ResultTable(
        FAULT_COLUMNS, (row for row in _seat_rows(database, tournament) if row["fault"] is not None)
    )


def _times(database: Database, tournament: Tournament) -> ResultTable:
    """A row for each measured action of a bot."""
    database.tournaments.refuse_archived(tournament.id)

    def rows() -> Iterator[Row]:
        matches = database.matches.all(tournament.id, finished=True)
        while chunk := list(islice(matches, _CHUNK)):
            packed = database.records.parts(tournament.id, [match.number for match in chunk])
            for match in chunk:
                record, _, measured = unpack_parts(packed[match.number], tournament.seats)
                if record is None:  # a void match that the machine prevented
                    continue
                actions = zip(record.actions, measured.times_ms, strict=False)
                for ply, ((seat, _), ms) in enumerate(actions, start=1):
                    if seat and ms is not None:
                        own = {"ply": ply, "seat": seat, "entrant": record.seats[seat - 1].name, "ms": ms}
                        yield {**_place(match), **own}

    return ResultTable(TIME_COLUMNS, rows())


def _pairs(database: Database, tournament: Tournament) -> ResultTable:
    """A row for each entrant and each opponent that it met."""
    names = entrant_names(database, tournament)
    rows = (
        {
            "entrant": names[pair.entrant],
            "opponent": names[pair.opponent],
            "games": pair.games,
            "points": pair.half_points / 2,
        }
        for pair in database.totals.standings(tournament.id).pairs
    )
    return ResultTable(PAIR_COLUMNS, rows)


def _entrants(database: Database, tournament: Tournament) -> ResultTable:
    rows = (
        {
            "name": stored.name,
            "bot": stored.entrant.bot,
            "version": stored.entrant.version,
            "args": " ".join(stored.entrant.args),
            "digest": stored.entrant.digest,
            "joined": stored.joined,
            "left": stored.left,
        }
        for stored in database.tournaments.entrants(tournament.id)
    )
    return ResultTable(ENTRANT_COLUMNS, rows)


def _standings(database: Database, tournament: Tournament) -> ResultTable:
    columns = standings_columns(ranking_format(tournament.plan.format), tournament.seats)
    rows = rendered(map(standing_row, compute_standings(database, tournament.id)), columns, people=False)
    return ResultTable(columns, [{**row, "kinds": " ".join(row["kinds"])} for row in rows])


TABLES: dict[str, Callable[[Database, Tournament], ResultTable]] = {
    "matches": _matches,
    "seats": _seats,
    "pairs": _pairs,
    "entrants": _entrants,
    "standings": _standings,
    "faults": _faults,
    "times": _times,
}
"""The tables that can be exported, by name; matches are in schedule order."""


def entrant_names(database: Database, tournament: Tournament) -> dict[int, str]:
    """The entrants' names by number."""
    return {stored.number: stored.name for stored in database.tournaments.entrants(tournament.id)}


def _place(match: TournamentMatch) -> dict[str, object]:
    return dict(zip((column.key for column in PLACE), (match.number, *match.key), strict=True))
