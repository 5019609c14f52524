"""The empty database of the tests of the store."""

from tests.store.conftest import database, repository

__all__ = ["database", "repository"]
