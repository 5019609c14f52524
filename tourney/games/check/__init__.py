"""The generic property suite behind ``tourney check-game``.

``check_game`` plays random games and yields a ``PropertyFailure`` for each game in which a property fails;
``shrink`` shortens its history.
"""

from tourney.games.check.case import PropertyFailure, TableSetting
from tourney.games.check.suite import PROPERTIES, CheckProgress, check_game, shrink, smallest

__all__ = [
    "PROPERTIES",
    "CheckProgress",
    "PropertyFailure",
    "TableSetting",
    "check_game",
    "shrink",
    "smallest",
]
