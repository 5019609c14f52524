"""Sages Tafl: two sages race their apprentices to the river and off the board.

The rules and their terms are on the page ``docs/rules/sages-tafl.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import GoldenMatch, OpeningBook
from tourney.games.core_game import CoreGame, CoreState
from tourney.games.sages_tafl import board
from tourney.games.sages_tafl.board import PLY_LIMIT, SIDES, TaflPosition

if TYPE_CHECKING:
    from tourney.games.sages_tafl.core import TaflCore


class TaflState(CoreState):
    """A state of Sages Tafl."""

    __slots__ = ()

    core: TaflCore

    @property
    def points(self) -> tuple[int, int]:
        """Black's and Red's points."""
        return self.core.points()


class SagesTafl(CoreGame[TaflPosition]):
    """Two seats, no chance, nothing hidden; five points win."""

    name = "sages-tafl"
    title = "Sages Tafl"
    rules = "1"
    seat_counts = (2,)
    seat_names = SIDES
    diagram_plies = 30
    golden_match = GoldenMatch(("greedy", "random"), 4)
    opening_book = OpeningBook("abcdefgh", points=3, pieces=(0, 2))
    max_actions = PLY_LIMIT
    package = __name__
    core_class = "TaflCore"
    state = TaflState
    action = board.TaflAction
    actions = board.ACTIONS
    strings = board.STRINGS
    action_string = staticmethod(board.action_string)  # type: ignore[assignment] # quicker than a function
    parse_action = staticmethod(board.parse_action)  # type: ignore[assignment] # likewise
    start = board.START
    read = staticmethod(board.parse_position)
