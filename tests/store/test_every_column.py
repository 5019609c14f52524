"""For any value in any column, readers give values or one error, and the check finds misfits."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests import genuine
from tests.tournaments import stored
from tourney.errors import TourneyError
from tourney.results.standings import compute_standings, load_history, load_setup
from tourney.schedule.row import Row
from tourney.store.baselines import Promotion
from tourney.store.maintenance import check_database, check_parts
from tourney.store.models import MATCH, METADATA, SCHEDULE, SEAT
from tourney.store.presentation import Presentation
from tourney.store.repository import Repository
from tourney.store.values import RESULTS, Archive, Checkpoint, DrawProbability, Outcome, Plan, RunSettings

BYTES = b"\xff"
"""Values that fit no column, including columns of bytes, which hold compressed JSON."""

NONSENSE = ("x", 2**62, BYTES)

READERS: tuple[Callable[[Repository, int], object], ...] = (
    compute_standings,
    load_history,
    load_setup,
    lambda repository, t: repository.progress(t),
    lambda repository, t: repository.settled(t),
    lambda repository, t: repository.faulty_matches(t),
    lambda repository, t: repository.benched(t),
    lambda repository, t: repository.replaced(t),
    lambda repository, t: repository.overload(t),
    lambda repository, t: repository.overloaded_matches(t),
    lambda repository, t: repository.void_matches(t),
    lambda repository, t: list(repository.match_counts(t)),
    lambda repository, t: list(repository.digests(t)),
    lambda repository, t: repository.pending(t),
    lambda repository, t: list(repository.group_counts(t)),
    lambda repository, t: list(repository.matches(t)),
    lambda repository, t: list(repository.records(t)),
    lambda repository, t: [(one.match(), one.measured()) for one in chain(*repository.stored_matches(t, 2))],
    lambda repository, t: [repository.log(t, number) for number in range(1, 7)],
    lambda repository, t: [repository.measured(t, number) for number in range(1, 7)],
    lambda repository, t: repository.recent_seconds(t, 9),
    lambda repository, t: repository.draw_probability("sage-stones", 2),
    lambda repository, t: repository.checkpoint(t, "plain"),
    lambda repository, t: repository.verdict(t),
    lambda repository, t: repository.presentation(t),
    lambda repository, _: repository.baselines(),
    lambda repository, _: repository.archives(),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with a row in every table, as bytes."""
    path = tmp_path_factory.mktemp("sound") / "tourney.db"
    with Repository.open(str(path), create=True) as repository:
        tournament = genuine.begin(repository)
        genuine.play_all(repository, tournament, void=(6,))
        repository.take_back(tournament.id, [5])
        genuine.play_all(repository, tournament)
        repository.keep_root(tournament.id, "5" * 64)
        repository.keep_verdict(tournament.id, {"ended": True})
        repository.keep_presentation(tournament.id, Presentation(title="Cup"))
        promotion = Promotion("greedy", "1.0", (), "2026-11-22")
        repository.promote("sage-stones", "greedy", "5" * 64, promotion)
        repository.keep_checkpoint(tournament.id, "plain", Checkpoint(3, {"skills": []}))
        repository.keep_draw_probability("sage-stones", 2, DrawProbability(0.25, "cup", 5))
        other = genuine.begin(repository, ("drawn-1", "drawn-2"), name="archived")
        genuine.play_all(repository, other)
        repository.move_out(other.id, Archive("archived.jsonl.gz", "5" * 64, "2026-11-22"))
        plan = Plan("results", "sage-stones", "1", (), RESULTS, 2, 2)
        faulty = repository.begin(
            plan, seed=1, seed_chosen=True, run=RunSettings(), entrants=stored(2), created="2026-11-22"
        )
        with repository.transaction() as writer:
            writer.add_outcomes(
                faulty.id, [Outcome(Row(1, 1, 1, 1, (0, 1)), (2, 1), ("crash", None), "fault")]
            )
        for reader in READERS:
            reader(repository, tournament.id)
    assert check_database(str(path)) == ()
    return path.read_bytes()


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
        with Repository.open(str(path)) as repository:
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
            assert not beside
            assert found or not results, (value, results)
