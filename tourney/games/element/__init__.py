"""Element: wall in the sage on your right with stones of fire, water, earth and wind.

The rules and their terms are on the page ``docs/rules/element.md``.
"""

from tourney.games.element.game import Element, ElementState

__all__ = ["Element", "ElementState"]
