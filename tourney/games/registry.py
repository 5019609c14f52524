"""The games: Tourney's own by name, others by the entry-point group ``tourney.games``."""

from tourney.errors import GameError
from tourney.games.base import AnyGame, Game
from tourney.plugins import Registry

GAMES: Registry[AnyGame] = Registry(
    "game",
    "tourney.games",
    Game,
    {
        "cyvasse": "tourney.games.cyvasse:Cyvasse",
        "element": "tourney.games.element:Element",
        "sage-stones": "tourney.games.sage_stones:SageStones",
        "sages-tafl": "tourney.games.sages_tafl:SagesTafl",
        "seven-sages": "tourney.games.seven_sages:SevenSages",
    },
    GameError,
)

find_game = GAMES.find
all_games = GAMES.all
