"""The Seven Sages: seven sages a side drive one fool, by reflections, into the other side's city.

The rules and their terms are on the page ``docs/rules/seven-sages.md``.
"""

from tourney.games.seven_sages.game import SevenSages, SevenSagesState

__all__ = ["SevenSages", "SevenSagesState"]
