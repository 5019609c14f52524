"""The generic property suite: what holds for every game, tried on one. Behind ``tourney check-game``.

``check_game`` plays games at random and yields a ``Finding`` for each in which a property fails; ``shrink``
makes a finding's history shorter. For third parties' games as well as for the five that ship.
"""

from tourney.games.check.case import Finding, Setting
from tourney.games.check.suite import PROPERTIES, Progress, check_game, shrink, smallest

__all__ = ["PROPERTIES", "Finding", "Progress", "Setting", "check_game", "shrink", "smallest"]
"""The words of this package that others use."""
