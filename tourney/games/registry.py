"""The games: Tourney's own by name, others by the entry-point group ``tourney.games``, or of a family.

A family is many games of one origin, each made on request from the text behind ``FAMILY:``.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from tourney.errors import GameError, TourneyError
from tourney.games.base import GAME_PATTERN, AnyGame, Game
from tourney.plugins import Registry

EXTERNAL = "external"
"""A game that is found by its name and not listed: an outside referee plays it."""


class GameFamily(ABC):
    """A family of games, named by an entry point of the group ``tourney.game_families``.

    It is constructed without arguments, and must not import an extra before ``make`` or ``names`` is called.
    """

    name: ClassVar[str]
    """``[a-z][a-z0-9-]*``, equal to the name of its entry point."""
    title: ClassVar[str]
    """One line for people: what the games of this family are."""

    @abstractmethod
    def make(self, text: str) -> AnyGame:
        """The game ``FAMILY:text``. Raises GameError, also if an extra is missing.

        The game's ``name`` is its one canonical form and begins with ``FAMILY:``; ``make`` may accept others.
        What this returns for one text always has the same rules.
        """

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The full names of the games worth listing, sorted. Raises GameError as ``make`` does."""


FAMILIES: Registry[GameFamily] = Registry(
    "game family",
    "game_families",
    GameFamily,
    GameError,
    plural="game families",
)


class GameRegistry(Registry[AnyGame]):
    """All games by name. ``FAMILY:TEXT`` names a game that a family makes."""

    def find(self, name: str) -> AnyGame:
        if name == EXTERNAL and name not in self._loaded:
            from tourney.games.external import External  # noqa: PLC0415 - few tournaments have it

            self._loaded[name] = External()
        if ":" not in name or name in self._loaded:
            return super().find(name)
        if GAME_PATTERN.fullmatch(name) is None:
            raise GameError(
                f"{name[:60]!r} names no game: after FAMILY: come letters, digits and _ . , = ( ) + -"
            )
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
        # Under both names, the one asked for and the canonical one, the same game.
        return self._loaded.setdefault(name, self._loaded.setdefault(game.name, game))

    def knows(self, name: str) -> bool:
        family, colon, _ = name.partition(":")
        if not colon:
            return name == EXTERNAL or super().knows(name)
        return GAME_PATTERN.fullmatch(name) is not None and FAMILIES.knows(family)


GAMES = GameRegistry(
    "game",
    "games",
    Game,
    GameError,
)

find_game = GAMES.find
all_games = GAMES.all


def known_game(name: str) -> AnyGame | None:
    """A game, or None if it is not installed, broken, or an outside referee's."""
    try:
        game = find_game(name)
    except GameError:
        return None
    return None if game.outside else game
