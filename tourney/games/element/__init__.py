"""Element: wall in the sage on your right with stones of fire, water, earth and wind.

The rules are on the page docs/rules/element.md; the names here are the page's words.
"""

from tourney.games.element.game import Element, ElementState

__all__ = ["Element", "ElementState"]
