"""Nine-Tile Cyvasse: two armies on a board that both players lay out in secret.

The rules and their terms are on the page ``docs/rules/cyvasse.md``.
"""

from tourney.games.cyvasse.game import Cyvasse

__all__ = ["Cyvasse"]
