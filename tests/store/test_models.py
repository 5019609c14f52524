"""Rows of the tables as objects of SQLModel, for programs that want them."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import Session, select

from tests.store.test_database import play_all
from tests.support.tournaments import begin
from tourney.errors import UsageError
from tourney.store.database import Database
from tourney.store.engine import opened
from tourney.store.models import row_class
from tourney.store.tables import METADATA


def test_rows_of_every_table_can_be_read_as_objects(repository: Database, database: Path) -> None:
    play_all(repository, begin(repository))
    with opened(str(database)) as engine, Session(engine) as session:
        counts = {name: len(session.exec(select(row_class(name))).all()) for name in METADATA.tables}
        match = session.exec(select(row_class("match"))).first()
    assert match is not None
    assert (counts["tournament"], counts["match"], counts["seat"]) == (1, 6, 12)
    assert match.model_dump(include={"id", "ranks", "void_reason"}) == {
        "id": 1,
        "ranks": match.model_dump()["ranks"],
        "void_reason": None,
    }


def test_unknown_table_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no table 'games'; choose one of analysis, archive, "):
        row_class("games")


def test_database_loads_neither_sqlmodel_nor_objects() -> None:
    """Reading and writing need the tables only; SQLModel took longer to load than most commands take."""
    source = (
        "import sys, tourney.store.database\n"
        "heavy = {'sqlmodel', 'pydantic', 'sqlalchemy.orm', 'sqlalchemy.dialects.postgresql', 'alembic'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == ""
