"""Sage Stones: dice name a column, the first colour to place its last stone wins.

The rules are docs/rules/sage-stones.md.
"""

from tourney.games.sage_stones.game import SageStones

__all__ = ["SageStones"]
