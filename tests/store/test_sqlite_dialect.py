"""A statement is compiled once for all databases of a process."""

from pathlib import Path

from sqlalchemy.dialects.sqlite import dialect

from tourney.store.database import Database
from tourney.store.sqlite import COMPILED, Dialect


def test_second_database_compiles_nothing(tmp_path: Path) -> None:
    for name in ("one.db", "two.db"):
        Database.open(str(tmp_path / name), create=True).close()
    COMPILED.clear()
    found = []
    for name in ("one.db", "two.db"):
        with Database.open(str(tmp_path / name)) as database:
            assert database.tournaments.all() == ()
        found.append(len(COMPILED))
    assert found[0] == found[1] > 0


def test_instances_are_equal_and_no_other_dialect_is() -> None:
    assert Dialect() == Dialect()
    assert hash(Dialect()) == hash(Dialect())
    assert Dialect() != dialect()
