"""The game The Seven Sages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import GoldenMatch, OpeningBook
from tourney.games.core_game import CoreGame, CoreState
from tourney.games.seven_sages import board
from tourney.games.seven_sages.board import LAST_PLY, LAST_ROUND, SevenSagesPosition

if TYPE_CHECKING:
    from collections.abc import Mapping


class SevenSagesState(CoreState):
    """A state of The Seven Sages."""

    __slots__ = ()


class SevenSages(CoreGame[SevenSagesPosition]):
    """Seven sages a side drive one fool into the other side's city."""

    name = "seven-sages"
    title = "The Seven Sages"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("Red", "Blue")
    diagram_plies = 14
    golden_match = GoldenMatch(("greedy", "random"), 4)
    opening_book = OpeningBook("abcdefghijklmno", points=4, pieces=(0, 1))
    max_actions = LAST_ROUND * LAST_PLY
    package, core_class = "seven_sages", "SevenSagesCore"
    state, action = SevenSagesState, board.SevenSagesAction
    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)
    read = staticmethod(board.parse_position)

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - the start is always the same
        """The start of the first round."""
        return self.state_at(board.START)


SevenSagesState.game = SevenSages()
