"""The generic property suite behind ``tourney check-game``.

``check_game`` plays random games and yields a ``Finding`` for each game in which a property fails; ``shrink``
shortens a finding's history.
"""

from tourney.games.check.case import Finding, Setting
from tourney.games.check.suite import PROPERTIES, Progress, check_game, shrink, smallest

__all__ = ["PROPERTIES", "Finding", "Progress", "Setting", "check_game", "shrink", "smallest"]
