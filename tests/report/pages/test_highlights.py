"""The games worth seeing on the first page: what their boards are drawn of."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.tournaments import begin, played
from tourney.match.record import Outcome
from tourney.report.pages.highlights import up_to
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("ply", "actions", "faults", "resigned"),
    [(None, 2, ((1, "crash", 1),), ((2, 2),)), (1, 1, ((1, "crash", 1),), ()), (0, 0, (), ())],
)
def test_position_before_a_fault_or_resignation_can_be_drawn(
    database: Database,
    ply: int | None,
    actions: int,
    faults: tuple[tuple[int, str, int], ...],
    resigned: tuple[tuple[int, int], ...],
) -> None:
    """A record does not hold a withdrawal after its last action."""
    tournament = begin(database)
    [(_, row), *_] = database.schedules.rows(tournament.id)
    record = played(spec_of(tournament, database.tournaments.entrants(tournament.id), row)).record
    outcome = Outcome((1, 2), "points", ((1, "crash", 1),), ((2, 2),))
    short = up_to(structs.replace(record, outcome=outcome), ply)
    assert len(short.actions) == actions
    assert (short.outcome.faults, short.outcome.resigned) == (faults, resigned)
