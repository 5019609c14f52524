"""The rules of games: immutable states, read and written as strings.

This package exports what bot authors need: the SDK imports nothing else of Tourney.
"""

from tourney.errors import ActionError, GameError, OptionError, PositionError, TourneyError
from tourney.games.base import CHANCE, OVER, Action, Game, Option, State
from tourney.games.registry import all_games, find_game
from tourney.seeds import RandBelow, derive, stream, uniform

__all__ = [
    "CHANCE",
    "OVER",
    "Action",
    "ActionError",
    "Game",
    "GameError",
    "Option",
    "OptionError",
    "PositionError",
    "RandBelow",
    "State",
    "TourneyError",
    "all_games",
    "derive",
    "find_game",
    "stream",
    "uniform",
]
