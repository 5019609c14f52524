"""The games: Tourney's own by name, others by the entry-point group ``tourney.games``, or of a family."""

from tourney.errors import GameError, TourneyError
from tourney.games.base import GAME_PATTERN, AnyGame, Game
from tourney.plugins import Registry

EXTERNAL = "external"
"""A game that is found by its name and not listed: an outside referee plays it."""


class GameRegistry(Registry[AnyGame]):
    """All games by name. ``FAMILY:TEXT`` names a game that a family makes (``tourney.games.family``)."""

    def find(self, name: str) -> AnyGame:
        """Return the game of that name, made once. Raise GameError for an unknown name or a broken plugin."""
        if name == EXTERNAL and name not in self._found:
            from tourney.games.external import External  # noqa: PLC0415 - few tournaments have it

            self._found[name] = External()
        if ":" not in name or name in self._found:
            return super().find(name)
        if GAME_PATTERN.fullmatch(name) is None:
            raise GameError(
                f"{name[:60]!r} names no game: after FAMILY: come letters, digits and _ . , = ( ) + -"
            )
        from tourney.games.family import FAMILIES  # noqa: PLC0415 - bots of other games start without it

        family, _, text = name.partition(":")
        maker = FAMILIES.find(family)
        try:
            game = maker.make(text)
        except TourneyError:
            raise
        except Exception as error:
            raise GameError(f"the game family {family} is broken: {type(error).__name__}: {error}") from error
        if not isinstance(game, Game) or not game.name.startswith(f"{family}:"):
            raise GameError(f"the game family {family} is broken: it makes no game for {name}")
        return self._found.setdefault(name, self._found.setdefault(game.name, game))

    def knows(self, name: str) -> bool:
        """Return whether anything is offered under that name, broken or not; of a family, whether it is."""
        family, colon, _ = name.partition(":")
        if not colon:
            return name == EXTERNAL or super().knows(name)
        from tourney.games.family import FAMILIES  # noqa: PLC0415 - as in find

        return GAME_PATTERN.fullmatch(name) is not None and FAMILIES.knows(family)


GAMES = GameRegistry(
    "game",
    "tourney.games",
    Game,
    {
        "chess": "tourney.games.chess:Chess",
        "chess960": "tourney.games.chess960:Chess960",
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
