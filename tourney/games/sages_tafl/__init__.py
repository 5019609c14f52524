"""Sages Tafl: two sages race their apprentices to the river and off the board.

The rules are docs/rules/sages-tafl.md.
"""

from tourney.games.sages_tafl.game import SagesTafl

__all__ = ["SagesTafl"]
