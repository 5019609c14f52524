"""Bots are admitted as in the tests of the league."""

from tests.addons.league.conftest import admitted

__all__ = ["admitted"]
