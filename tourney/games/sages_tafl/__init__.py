"""Sages Tafl: two sages race their apprentices to the river and off the board.

The rules and their terms are on the page ``docs/rules/sages-tafl.md``.
"""

from tourney.games.sages_tafl.game import SagesTafl

__all__ = ["SagesTafl"]
