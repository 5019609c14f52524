"""Sage Stones: dice choose a column, and the first colour to place its last stone wins.

The rules and their terms are on the page ``docs/rules/sage-stones.md``.
"""

from tourney.games.sage_stones.game import SageStones

__all__ = ["SageStones"]
