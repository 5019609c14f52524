"""Arguments of rows: from the results of the rounds before them, for formats that give any."""

from pathlib import Path

from tests.compare.test_tuning import TERMS, ask, play
from tourney.run.engine.row_arguments import RowArguments
from tourney.store.database import Database


def test_rows_have_the_arguments_of_their_records(tmp_path: Path) -> None:
    """In schedule order, and for a row far down asked for at once."""
    result = ask(tmp_path, play).result
    with Database.open(str(tmp_path / "t.db")) as database:
        tournament = database.tournaments.get(result.tuning)
        rows = [(number, row) for number, row in database.schedules.rows(tournament.id)]
        known = RowArguments(database, tournament)
        assert known.given
        for number, row in (*rows[::9], rows[3]):
            record = database.records.stored_match(tournament.id, number).record()
            given = known.of(row)
            assert [tuple(given[entrant]) for entrant in row.seats] == [s.args for s in record.spec.seats]
            assert RowArguments(database, tournament).of(row) == given
    assert TERMS.names[0] in given[0][0]
