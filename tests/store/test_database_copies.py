"""Backups, copies and checks of a database."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from tests.support.tournaments import begin, digests, played, refused
from tourney.check.database import check_database
from tourney.errors import EnvironmentFailure, StoreError, UsageError
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database, backup_database, copy_database
from tourney.store.tables import METADATA
from tourney.store.values import MatchResult


@pytest.fixture
def full(repository: Database) -> Database:
    """A repository of two tournaments, of which the first is finished."""
    tournament = begin(repository, 4)
    entrants = repository.tournaments.entrants(tournament.id)
    repository.matches.add(
        tournament.id,
        [
            MatchResult(number, played(spec_of(tournament, entrants, row)))
            for number, row in repository.schedules.pending(tournament.id)
        ],
    )
    begin(repository, 5, name="next")
    return repository


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()  # noqa: S608 - our own names
            for table in METADATA.tables
        }


def test_backup_during_a_run_is_complete(full: Database, database: Path, tmp_path: Path) -> None:
    with full.run_lock(full.tournaments.get(), since=0.0):
        backup_database(str(database), tmp_path / "backup.db")
    assert everything(tmp_path / "backup.db") == everything(database)
    assert check_database(str(tmp_path / "backup.db")) == ()
    with Database.open(str(tmp_path / "backup.db"), write=True) as copy:
        assert digests(copy, 1) == digests(full, 1)
    with refused(UsageError, "backup.db is there already"):
        backup_database(str(database), tmp_path / "backup.db")
    with refused(EnvironmentFailure, "x/backup.db cannot be written: there is no folder"):
        backup_database(str(database), tmp_path / "x" / "backup.db")


def test_copy_has_all_rows_and_continues_numbering(full: Database, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    count = copy_database(str(database), str(target))
    assert everything(target) == everything(database)
    assert count == sum(len(rows) for rows in everything(target).values())
    with refused(StoreError, "copy.db is not empty"):
        copy_database(str(database), str(target))
    with refused(UsageError, "is both source and target"):
        copy_database(str(database), str(database))
    with Database.open(str(target)) as copy:
        assert begin(copy, 2, name="third").id == 3


def test_sound_database_has_no_findings(full: Database, database: Path) -> None:
    assert full.schedules.progress(1).done == 12
    assert check_database(str(database)) == ()


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("DELETE FROM schedule WHERE id = 15", "next: 1 rows of the schedule are missing"),
        ("DELETE FROM seat WHERE match_id = 3 AND seat = 2", "match cup/3 has 1 seats stored, not 2"),
        ("DELETE FROM match WHERE id = 5", "refers to a row of match that is missing"),
    ],
)
def test_check_finds_missing_rows(full: Database, database: Path, statement: str, finding: str) -> None:
    full.close()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute(statement)
        connection.commit()
    findings = check_database(str(database))
    assert finding in findings[0]


def test_statements_compile_for_postgresql(full: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL is the only other supported database."""
    compiled = []

    def note(_connection: object, statement: sa.sql.ClauseElement, *_rest: object) -> None:
        compiled.append(str(statement.compile(dialect=postgresql.dialect())))  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy

    sa.event.listen(full._access.engine, "before_execute", note)
    tournament = full.tournaments.get("cup").id
    for reader in (
        full.totals.standings,
        full.totals.overload,
        full.totals.faults,
        full.schedules.progress,
        full.schedules.pending,
        full.tournaments.entrants,
    ):
        reader(tournament)
    for many in (full.matches.results, full.matches.all, full.records.all, full.schedules.rows):
        list(many(tournament))
    full.records.log(tournament, 1)
    full.records.measured(tournament, 1)
    with full.snapshot() as moment:
        list(moment.matches.all(tournament, entrant=1))
    begin(full, 3, name="third")
    assert len(compiled) > 20
    tables = sa.schema.CreateTable(METADATA.tables["match"]).compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy
    assert "BYTEA" in str(tables)
