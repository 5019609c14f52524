"""Families of games: many games of one origin, each made on request from the text behind ``FAMILY:``."""

from abc import ABC, abstractmethod
from typing import ClassVar

from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.plugins import Registry


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
        """Return the game ``FAMILY:text``. Raises GameError, also where an extra is missing.

        The game's ``name`` is its one canonical form and begins with ``FAMILY:``; ``make`` may accept others.
        What this returns for one text always has the same rules.
        """

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the full names of the games worth listing, sorted. Raises GameError as ``make`` does."""


FAMILIES: Registry[GameFamily] = Registry(
    "game family",
    "tourney.game_families",
    GameFamily,
    {"fairy": "tourney.games.fairy:Fairy", "openspiel": "tourney.games.openspiel:OpenSpiel"},
    GameError,
    plural="game families",
)
