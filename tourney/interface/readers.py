"""Read access to a database: its tournaments, and their tables as pandas DataFrames."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from tourney.results.columns import TOURNAMENT_COLUMNS, Row, data_frame
from tourney.results.luck import shows_luck
from tourney.results.standings import (
    Ranking,
    Standing,
    compute_standings,
    interim_sentence,
    standing_row,
    standings_columns,
    state_of,
)
from tourney.results.tables import TABLES, DataTable
from tourney.store.database import Database
from tourney.store.values import Tournament

if TYPE_CHECKING:
    import pandas as pd

    from tourney.interface.found_match import FoundMatch
    from tourney.ratings.method import Forfeits
    from tourney.run.status import TournamentStatus


class TournamentReader:
    """One tournament of an open database.

    Each method reads the present state, in one transaction. Rows are in schedule order, and the same database
    gives the same frames. ``docs/reference/python.md`` lists the columns.
    """

    def __init__(self, database: Database, stored: Tournament) -> None:
        self.database = database
        self.stored = stored

    @property
    def name(self) -> str:
        """The name, unique in the database."""
        return self.stored.name

    def __repr__(self) -> str:
        return f"<tournament {self.name}: {self.stored.game}, {self.stored.plan.format}>"

    def _repr_html_(self) -> str:
        """The name, the state and the standings, for notebooks."""
        from html import escape  # noqa: PLC0415 - notebooks alone need it

        note = self.interim() or "Finished."
        head = f"{escape(self.name)}: {escape(self.stored.game)}, {escape(self.stored.plan.format)}"
        table = self.standings().to_html(index=False, na_rep="", float_format=lambda value: f"{value:g}")
        return f"<p><b>{head}</b><br>{escape(note)}</p>\n{table}"

    def table(self, name: str) -> DataTable:
        """A table by its name in ``tourney export --what``; its rows are read lazily, and only once."""
        return TABLES[name](self.database, self.stored)

    def _frame(self, name: str) -> "pd.DataFrame":
        with self.database.snapshot() as moment:
            table = TABLES[name](moment, self.stored)
            return data_frame(table.columns, table.rows)

    def entrants(self) -> "pd.DataFrame":
        """A row for each entrant, in the order of the tournament file."""
        return self._frame("entrants")

    def matches(self) -> "pd.DataFrame":
        """A row for each match, with or without a result; the seats are columns, such as white and black."""
        from tourney.interface.frames import match_frame  # noqa: PLC0415 - commands use no frame

        with self.database.snapshot() as moment:
            return match_frame(moment, self.stored)

    def seats(self) -> "pd.DataFrame":
        """A row for each seat of each match with a result."""
        return self._frame("seats")

    def pairs(self) -> "pd.DataFrame":
        """A row for each entrant and each opponent that it met."""
        return self._frame("pairs")

    def faults(self) -> "pd.DataFrame":
        """A row for each seat that was lost by a fault."""
        return self._frame("faults")

    def think_times(self) -> "pd.DataFrame":
        """A row for each measured action of a bot. Raises UsageError if the records are in an archive."""
        return self._frame("times")

    def standings(self) -> "pd.DataFrame":
        """A row for each entrant, best first; the columns of the tie-breaks depend on the format."""
        columns = standings_columns(Ranking.of(self.stored.plan), luck=shows_luck(self.stored))
        return data_frame(columns, map(standing_row, self.standing_lines()))

    def crosstable(self) -> "pd.DataFrame":
        """The points of each entrant against each other one, both in the order of the standings."""
        from tourney.interface.frames import crosstable  # noqa: PLC0415 - as above

        return crosstable(self.pairs(), self.standings()["name"].to_list())

    def history(self) -> "pd.DataFrame":
        """A row for each round and entrant: its rank, its points and its TrueSkill after the round."""
        from tourney.interface.frames import history_frame  # noqa: PLC0415 - as above

        with self.database.snapshot() as moment:
            return history_frame(moment, self.stored)

    def analysis(self) -> "pd.DataFrame":
        """A row for each action that `tourney analyze` valued; without an analysis there is none."""
        from tourney.interface.frames import analysis_frame  # noqa: PLC0415 - as above

        with self.database.snapshot() as moment:
            return analysis_frame(moment, self.stored)

    def standing_lines(self) -> tuple[Standing, ...]:
        """The standings as exact values, best first."""
        return compute_standings(self.database, self.stored.id, luck=True)

    def interim(self) -> str:
        """A sentence on the matches still to play; "" for a finished tournament."""
        return interim_sentence(self.stored.complete, self.database.schedules.progress(self.stored.id))

    def status(self) -> "TournamentStatus":
        """The present state, as ``tourney status`` prints it."""
        from tourney.run.status import status_of  # noqa: PLC0415 - imports much of the runs

        with self.database.snapshot() as moment:
            return status_of(moment, self.stored, time.time())

    def ratings(
        self,
        method: str = "batch",
        forfeits: "Forfeits" = "loss",
        anchors: Mapping[str, float] = MappingProxyType({}),
    ) -> "pd.DataFrame":
        """A row for each entrant, best first, as ``tourney ratings`` prints them.

        ``method`` is ``batch``, ``trueskill`` or that of a plugin; its measures are columns. ``forfeits``:
        whether a match lost by a fault counts as a ``loss`` or is ``void``. ``anchors`` are the Elo of
        entrants by name: all others follow, and of several the mean is fixed. Raises UsageError for an
        unknown method or anchor and for other forfeits.
        """
        from tourney.interface.found_match import check_argument  # noqa: PLC0415 - it imports boards
        from tourney.results.ratings import rating_table  # noqa: PLC0415 - numpy and trueskill import slowly

        check_argument("forfeits", forfeits, forfeits in {"loss", "void"}, '"loss" or "void"')
        with self.database.snapshot() as moment:
            table = rating_table(moment, self.stored, method, forfeits, anchors)
            return data_frame(table.columns, table.rows)

    def match(self, number: int) -> "FoundMatch":
        """A match by its number, with its record. Raises UsageError if there is none."""
        from tourney.interface.found_match import stored_match  # noqa: PLC0415 - as above

        with self.database.snapshot() as moment:
            return stored_match(moment, str(number), self.name)


class DatabaseReader:
    """An open database, for reading. It is a context manager, which closes the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator["DatabaseReader"]:
        """Give a reader whose reads all see one moment, though a run may be writing."""
        with self.database.snapshot() as moment:
            yield DatabaseReader(moment)

    def tournament(self, name: str | None = None) -> TournamentReader:
        """A tournament by name (default: the newest). Raises UsageError if there is none."""
        return TournamentReader(self.database, self.database.tournaments.get(name))

    def all_tournaments(self) -> tuple[TournamentReader, ...]:
        """All tournaments, the oldest first."""
        return tuple(
            TournamentReader(self.database, tournament) for tournament in self.database.tournaments.all()
        )

    def tournaments(self) -> "pd.DataFrame":
        """A row for each tournament, the oldest first."""
        with self.database.snapshot() as moment:
            return data_frame(
                TOURNAMENT_COLUMNS, [_row(moment, tournament) for tournament in moment.tournaments.all()]
            )


def open_database(url: str | Path = "tourney.db") -> DatabaseReader:
    """Open a database for reading, by path or SQLAlchemy URL; a missing file is not created.

    Raises StoreError, in one sentence, for a database that is missing, damaged, or of another version.
    """
    return DatabaseReader(Database.open(str(url)))


def _row(database: Database, tournament: Tournament) -> Row:
    progress = database.schedules.progress(tournament.id)
    return {
        "name": tournament.name,
        "title": database.tournaments.presentation(tournament.id).title or None,
        "game": tournament.game,
        "format": tournament.plan.format,
        "seats": tournament.seats,
        "state": state_of(tournament, progress, database.running(tournament.id)),
        "rounds": progress.rounds,
        "matches": progress.rows,
        "done": progress.done,
        "void_matches": progress.void,
        "created": tournament.created,
        "root": tournament.root,
    }
