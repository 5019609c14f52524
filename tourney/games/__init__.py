"""The rules of games: states as immutable values, strings at the border, nothing of tournaments.

What a bot's author needs is exported here; so the SDK imports this package and nothing else of Tourney.
"""

from tourney.errors import ActionError, GameError, OptionError, PositionError, TourneyError
from tourney.games.base import CHANCE, OVER, Action, Game, Option, State
from tourney.games.registry import all_games, find_game
from tourney.seeds import Draw, derive, stream, uniform

__all__ = [
    "CHANCE",
    "OVER",
    "Action",
    "ActionError",
    "Draw",
    "Game",
    "GameError",
    "Option",
    "OptionError",
    "PositionError",
    "State",
    "TourneyError",
    "all_games",
    "derive",
    "find_game",
    "stream",
    "uniform",
]
