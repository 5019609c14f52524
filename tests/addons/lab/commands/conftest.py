"""The databases and folders of the tests of commands."""

from tests.cli.conftest import database, db, file, finished_cup, home, losers, record

__all__ = ["database", "db", "file", "finished_cup", "home", "losers", "record"]
