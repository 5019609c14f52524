"""Bots are admitted as in the tests of the league."""

from tests.league.conftest import admitted

__all__ = ["admitted"]
