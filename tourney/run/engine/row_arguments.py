"""The arguments that a tournament's format gives to bots at its tables, beside those of their entrants."""

from collections.abc import Mapping

from tourney.results.standings import setup_of
from tourney.schedule.format import Format, History, SeatArguments, TablePlace, find_format
from tourney.schedule.row import Row
from tourney.store.database import Database
from tourney.store.values import Tournament


class RowArguments:
    """Asks the format, by the stored results of the rounds before a row; most formats give no arguments."""

    def __init__(self, database: Database, tournament: Tournament) -> None:
        self._database = database
        self._tournament = tournament
        self._format = find_format(tournament.plan.format)
        self.given = type(self._format).arguments is not Format.arguments
        self._history = History()
        self._known: Mapping[TablePlace, SeatArguments] = {}

    def of(self, row: Row) -> SeatArguments:
        """Those at the table of a row, all of whose earlier rounds are stored; () for none."""
        if not self.given:
            return ()
        place = (row.round, row.table)
        if place not in self._known:
            last = self._history.results[-1].number if self._history.results else 0
            stored = self._database.matches.results(self._tournament.id, after=last)
            new = [result for result in stored if result.key.round < row.round]
            self._history.extend((result.row for result in new), new)
            entrants = self._database.tournaments.entrants(self._tournament.id)
            setup = setup_of(self._tournament.plan, self._tournament.seed, entrants)
            self._known = self._format.arguments(setup, self._history)
        return self._known.get(place, ())
