"""The databases and folders of the tests of commands."""

from tests.cli.conftest import record, file, database, finished_cup, db, home, losers

__all__ = ["database", "db", "file", "finished_cup", "home", "losers", "record"]
