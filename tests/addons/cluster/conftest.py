"""The database and the tournament of the tests of workers."""

from tests.run.conftest import repository
from tests.run.workers.conftest import case, cup

__all__ = ["case", "cup", "repository"]
