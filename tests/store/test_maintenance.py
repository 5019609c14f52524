"""Backups, copies and checks of a database."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from tests.tournaments import begin, digests, played, refused
from tourney.errors import EnvironmentFailure, StoreError, UsageError
from tourney.run.engine.recorder import spec_of
from tourney.store import maintenance
from tourney.store.models import METADATA
from tourney.store.repository import Repository
from tourney.store.values import MatchResult


@pytest.fixture
def full(repository: Repository) -> Repository:
    """A repository of two tournaments, of which the first is finished."""
    tournament = begin(repository, 4)
    entrants = repository.entrants(tournament.id)
    repository.record_results(
        tournament.id,
        [
            MatchResult(number, played(spec_of(tournament, entrants, row)))
            for number, row in repository.pending(tournament.id)
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


def test_backup_during_a_run_is_complete(full: Repository, database: Path, tmp_path: Path) -> None:
    with full.run_lock(full.tournament(), since=0.0):
        maintenance.backup_database(str(database), tmp_path / "backup.db")
    assert everything(tmp_path / "backup.db") == everything(database)
    assert maintenance.check_database(str(tmp_path / "backup.db")) == ()
    with Repository.open(str(tmp_path / "backup.db"), write=True) as copy:
        assert digests(copy, 1) == digests(full, 1)
    with refused(UsageError, "backup.db is there already"):
        maintenance.backup_database(str(database), tmp_path / "backup.db")
    with refused(EnvironmentFailure, "x/backup.db cannot be written: there is no folder"):
        maintenance.backup_database(str(database), tmp_path / "x" / "backup.db")


def test_copy_has_all_rows_and_continues_numbering(full: Repository, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    count = maintenance.copy_database(str(database), str(target))
    assert everything(target) == everything(database)
    assert count == sum(len(rows) for rows in everything(target).values())
    with refused(StoreError, "copy.db is not empty"):
        maintenance.copy_database(str(database), str(target))
    with refused(UsageError, "is both source and target"):
        maintenance.copy_database(str(database), str(database))
    with Repository.open(str(target)) as copy:
        assert begin(copy, 2, name="third").id == 3


def test_sound_database_has_no_findings(full: Repository, database: Path) -> None:
    assert full.progress(1).done == 12
    assert maintenance.check_database(str(database)) == ()


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("DELETE FROM schedule WHERE id = 15", "next: 1 rows of the schedule are missing"),
        ("DELETE FROM seat WHERE match_id = 3 AND seat = 2", "match cup/3 has 1 seats stored, not 2"),
        ("DELETE FROM match WHERE id = 5", "refers to a row of match that is missing"),
    ],
)
def test_check_finds_missing_rows(full: Repository, database: Path, statement: str, finding: str) -> None:
    full.close()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute(statement)
        connection.commit()
    findings = maintenance.check_database(str(database))
    assert finding in findings[0]


def test_statements_compile_for_postgresql(full: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL is the only other supported database."""
    compiled = []

    def note(_connection: object, statement: sa.sql.ClauseElement, *_rest: object) -> None:
        compiled.append(str(statement.compile(dialect=postgresql.dialect())))  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy

    sa.event.listen(full._engine, "before_execute", note)
    tournament = full.tournament("cup").id
    for reader in (
        full.standings_totals,
        full.recount,
        full.faults,
        full.progress,
        full.pending,
        full.entrants,
    ):
        reader(tournament)
    for many in (full.results, full.matches, full.records, full.rows):
        list(many(tournament))
    full.log(tournament, 1)
    full.measured(tournament, 1)
    with full.snapshot() as moment:
        list(moment.matches(tournament, entrant=1))
    begin(full, 3, name="third")
    assert len(compiled) > 20
    tables = sa.schema.CreateTable(METADATA.tables["match"]).compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy
    assert "BYTEA" in str(tables)
