"""For any value in any column, readers give values or one error, and the check finds misfits."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.store.test_derived_analyses import analysis
from tests.support import genuine
from tests.support.tournaments import stored
from tourney.check.database import check_database, check_parts
from tourney.errors import TourneyError
from tourney.match.record import Outcome
from tourney.results.standings import compute_standings, load_history, load_setup
from tourney.schedule.row import Row
from tourney.store.baselines import Promotion
from tourney.store.database import Database
from tourney.store.derived import Checkpoint, DrawProbability
from tourney.store.presentation import Presentation
from tourney.store.tables import MATCH, METADATA, SCHEDULE, SEAT
from tourney.store.tournaments import Archive
from tourney.store.values import CHOSEN, Plan, RunSettings

BYTES = b"\xff"
"""Values that fit no column, including columns of bytes, which hold compressed JSON."""

NONSENSE = ("x", 2**62, BYTES)

READERS: tuple[Callable[[Database, int], object], ...] = (
    compute_standings,
    lambda repository, t: compute_standings(repository, t, luck=True),
    load_history,
    load_setup,
    lambda repository, t: repository.schedules.progress(t),
    lambda repository, t: repository.schedules.settled(t),
    lambda repository, t: repository.matches.faulty(t),
    lambda repository, t: repository.totals.benched(t),
    lambda repository, t: repository.matches.replaced(t),
    lambda repository, t: repository.hosts.refused(t),
    lambda repository, t: repository.totals.overload(t),
    lambda repository, t: repository.totals.overloaded(t),
    lambda repository, t: repository.totals.void_matches(t),
    lambda repository, t: repository.totals.distinct(t),
    lambda repository, t: list(repository.matches.digests(t)),
    lambda repository, t: repository.schedules.pending(t),
    lambda repository, t: list(repository.matches.all(t)),
    lambda repository, t: list(repository.matches.all(t, luck=True)),
    lambda repository, t: list(repository.matches.results(t, luck=True)),
    lambda repository, t: list(repository.records.all(t)),
    lambda repository, t: [(one.match(), one.measured()) for one in chain(*repository.records.stored(t, 2))],
    lambda repository, t: [repository.records.log(t, number) for number in range(1, 7)],
    lambda repository, t: [repository.records.measured(t, number) for number in range(1, 7)],
    lambda repository, t: repository.records.recent_seconds(t, 9),
    lambda repository, t: [repository.analyses.of(t, number) for number in range(1, 7)],
    lambda repository, t: repository.ratings.draw_probability("sage-stones", 2),
    lambda repository, t: repository.ratings.checkpoint(t, "plain"),
    lambda repository, t: repository.tournaments.verdict(t),
    lambda repository, t: repository.tournaments.presentation(t),
    lambda repository, _: repository.baselines.all(),
    lambda repository, _: repository.tournaments.archives(),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with a row in every table, as bytes."""
    path = tmp_path_factory.mktemp("sound") / "tourney.db"
    with Database.open(str(path), create=True) as repository:
        tournament = genuine.begin(repository)
        genuine.play_all(repository, tournament, void=(6,))
        repository.matches.take_back(tournament.id, [5])
        genuine.play_all(repository, tournament)
        for number in (1, 2, 3):
            repository.analyses.keep(
                tournament.id, number, analysis(repository.records.get(tournament.id, number).digest)
            )
        repository.tournaments.keep_root(tournament.id, "5" * 64)
        repository.hosts.refuse(tournament.id, "studio-3", "its record 2 does not verify")
        repository.tournaments.keep_verdict(tournament.id, {"ended": True})
        repository.tournaments.keep_presentation(tournament.id, Presentation(title="Cup"))
        promotion = Promotion("greedy", "1.0", (), "2026-11-22")
        repository.baselines.promote("sage-stones", "greedy", "5" * 64, promotion)
        repository.ratings.keep_checkpoint(tournament.id, "plain", Checkpoint(3, {"skills": []}))
        repository.ratings.keep_draw_probability("sage-stones", 2, DrawProbability(0.25, "cup", 5))
        other = genuine.begin(repository, ("drawn-1", "drawn-2"), name="archived")
        genuine.play_all(repository, other)
        repository.records.move_out(other.id, Archive("archived.jsonl.gz", "5" * 64, "2026-11-22"))
        plan = Plan("results", "sage-stones", "1", (), "results", 2, 2)
        faulty = repository.tournaments.add(
            plan, seed=1, origin=CHOSEN, run=RunSettings(), entrants=stored(2), created="2026-11-22"
        )
        with repository.transaction() as writer:
            writer.matches.add_outcomes(
                faulty.id, [(Row(1, 1, 1, 1, (0, 1)), Outcome.of_result((2, 1), "fault", ("crash", None)))]
            )
        for reader in READERS:
            reader(repository, tournament.id)
    assert check_database(str(path)) == ()
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("column", [c for table in METADATA.sorted_tables for c in table.c], ids=str)
def test_no_column_is_trusted(sound: bytes, tmp_path: Path, column: sa.Column[Any]) -> None:
    for number, value in enumerate(NONSENSE):
        path = tmp_path / f"{number}.db"
        path.write_bytes(sound)
        with closing(sqlite3.connect(path)) as connection:
            try:
                # A row in the middle: readers also read the rows before and after it.
                rows = f'SELECT min(2, max(rowid)) FROM "{column.table.name}"'  # noqa: S608 - our own names
                connection.execute(
                    f'UPDATE "{column.table.name}" SET "{column.name}" = ? WHERE rowid = ({rows})',  # noqa: S608 - likewise
                    (value,),
                )
                connection.commit()
            except sqlite3.Error:
                continue  # the database refuses the value, or the column is the row's own number
        said = []
        with Database.open(str(path)) as repository:
            for reader in READERS:
                try:
                    reader(repository, 1)
                except TourneyError as error:
                    said.append(str(error))
        assert all("\n" not in sentence for sentence in said)
        found = check_database(str(path))
        assert found or value is not BYTES
        assert found or not said, (value, said)
        if column.table in (SCHEDULE, MATCH, SEAT):
            results, beside = check_parts(str(path), every_match=False)
            assert found or not beside, (value, beside)
            assert found or not results, (value, results)
