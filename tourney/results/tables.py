"""Tables for other programs: the tables of ``tourney export``, and their form as CSV and JSON."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TextIO

from tourney.results.columns import (
    ENTRANT_COLUMNS,
    FAULT_COLUMNS,
    MATCH_COLUMNS,
    PAIR_COLUMNS,
    SEAT_COLUMNS,
    TIME_COLUMNS,
    Column,
    Row,
    csv_cell,
    rendered,
)
from tourney.results.luck import shows_luck
from tourney.results.positions import each_part
from tourney.results.standings import (
    Ranking,
    compute_standings,
    standing_row,
    standings_columns,
)
from tourney.store.column_reading import unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: its columns, and rows of strings, integers, floats, booleans and None.

    Rows may be lazy, and then can be read only once.
    """

    columns: Sequence[Column]
    rows: Iterable[Row]

    @classmethod
    def of(cls, columns: str | Sequence[Column], rows: Iterable[Sequence[object]]) -> "DataTable":
        """The table of rows with a value for each column, in order; ``columns`` may be names."""
        described = tuple(map(Column, columns.split())) if isinstance(columns, str) else columns
        keys = [column.key for column in described]
        return cls(described, (dict(zip(keys, row, strict=True)) for row in rows))

    def write_csv(self, file: TextIO) -> None:
        """Write the table as CSV with a header line.

        A text that a spreadsheet would read as a formula gets an apostrophe; JSON does not.
        """
        keys = [column.key for column in self.columns]
        writer = csv.writer(file, lineterminator="\n")
        # Lazily: a table of times may have more rows than fit into memory.
        cells = ([csv_cell(row[key]) for key in keys] for row in self.rows)
        first = list(islice(cells, 1))  # before the header: what refuses the rows refuses the whole table
        writer.writerows([keys, *first])
        writer.writerows(cells)

    def csv(self) -> bytes:
        """The table as CSV in UTF-8."""
        buffer = io.StringIO()
        self.write_csv(buffer)
        # Names of imported results may hold lone surrogates, which UTF-8 cannot encode.
        return buffer.getvalue().encode("utf-8", "replace")

    def json(self) -> bytes:
        """The table as a JSON list of objects, one a line, in ASCII."""
        keys = [column.key for column in self.columns]
        lines = [json.dumps({key: row[key] for key in keys}, allow_nan=False) for row in self.rows]
        return ("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n").encode("ascii")


def _matches(database: Database, tournament: Tournament) -> DataTable:
    """A row for each match, also for those not played yet."""
    names = entrant_names(database, tournament)

    def rows() -> Iterator[Sequence[object]]:
        for match in database.matches.all(tournament.id):
            entrants = " ".join(names[number] for number in match.seats)
            end = match.result
            if end is None:
                yield match.number, *match.key, entrants, *[None] * 6
            else:
                ranks = " ".join(map(str, end.ranks))
                values = (end.reason, end.void, end.actions, end.reproducible, end.digest)
                yield match.number, *match.key, entrants, ranks, *values

    return DataTable.of(MATCH_COLUMNS, rows())


def _seats(database: Database, tournament: Tournament) -> DataTable:
    names = entrant_names(database, tournament)
    rows = (
        (match.number, *match.key, seat, names[number], end.ranks[seat - 1], end.faults[seat - 1], end.void)
        for match in database.matches.all(tournament.id, finished=True)
        for end in (match.result,)
        if end is not None
        for seat, number in enumerate(match.seats, 1)
    )
    return DataTable.of(SEAT_COLUMNS, rows)


def _faults(database: Database, tournament: Tournament) -> DataTable:
    rows = _seats(database, tournament).rows
    return DataTable(FAULT_COLUMNS, (row for row in rows if row["fault"] is not None))


def _times(database: Database, tournament: Tournament) -> DataTable:
    database.tournaments.refuse_archived(tournament.id)

    def rows() -> Iterator[Sequence[object]]:
        matches = database.matches.all(tournament.id, finished=True)
        for match, parts in each_part(matches, partial(database.records.parts, tournament.id)):
            record, _, measured = unpack_parts(parts, tournament.seats)
            if record is None:  # a void match that the machine prevented
                continue
            actions = zip(record.actions, measured.times_ms, strict=False)
            for ply, ((seat, _), ms) in enumerate(actions, start=1):
                if seat and ms is not None:
                    yield match.number, *match.key, ply, seat, record.seats[seat - 1].name, ms

    return DataTable.of(TIME_COLUMNS, rows())


def _pairs(database: Database, tournament: Tournament) -> DataTable:
    names = entrant_names(database, tournament)
    pairs = database.totals.standings(tournament.id).pairs
    rows = ((names[pair.entrant], names[pair.opponent], pair.games, pair.half_points / 2) for pair in pairs)
    return DataTable.of(PAIR_COLUMNS, rows)


def _entrants(database: Database, tournament: Tournament) -> DataTable:
    rows = (
        (stored.name, bot.bot, bot.version, " ".join(bot.args), bot.digest, stored.joined, stored.left)
        for stored in database.tournaments.entrants(tournament.id)
        for bot in (stored.entrant,)
    )
    return DataTable.of(ENTRANT_COLUMNS, rows)


def _standings(database: Database, tournament: Tournament) -> DataTable:
    columns = standings_columns(Ranking.of(tournament.plan), luck=shows_luck(tournament))
    standings = compute_standings(database, tournament.id, luck=True)
    rows = rendered(map(standing_row, standings), columns, people=False)
    return DataTable(columns, [{**row, "kinds": " ".join(row["kinds"])} for row in rows])


TABLES: dict[str, Callable[[Database, Tournament], DataTable]] = {
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
