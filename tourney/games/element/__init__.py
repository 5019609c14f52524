"""Element: wall in the sage on your right with stones of fire, water, earth and wind.

The rules and their terms are on the page ``docs/rules/element.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import GoldenMatch
from tourney.games.core_game import CoreGame
from tourney.games.element import board
from tourney.games.element.board import LAST_TURN, START_SQUARES, ElementPosition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tourney.games.core_game import CoreState

MOST_ACTIONS_OF_A_TURN = 90
"""An upper bound: draw, chance and end; 4 Waters, each with ``river-D`` and a flow of 11; 1 step; and a jump
for each of the 30 Winds and for the 1 square that can lose its Wind and get another."""


class Element(CoreGame[ElementPosition]):
    """Wall in the sage on your right with stones of fire, water, earth and wind."""

    name = "element"
    title = "Element"
    rules = "1"
    seat_counts = tuple(START_SQUARES)
    seat_names = ("Sage 1", "Sage 2", "Sage 3", "Sage 4")
    has_chance = True
    subtracts_luck = False  # it takes away 1 to 2 % of the variance, and costs as much time as a fast match
    diagram_plies = 130
    golden_match = GoldenMatch(("greedy", "random", "pebble"), 4)
    max_actions = LAST_TURN * MOST_ACTIONS_OF_A_TURN
    package = __name__
    core_class = "ElementCore"
    action = board.ElementAction
    actions = board.ACTIONS
    strings = board.STRINGS
    action_string = staticmethod(board.action_string)  # type: ignore[assignment] # quicker than a function
    parse_action = staticmethod(board.parse_action)  # type: ignore[assignment] # likewise
    read = staticmethod(board.parse_position)

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - in every setting
        """Whether the first sage to wall in its neighbour wins: yes."""
        return True

    def notation(self, actions: Sequence[str], seats: int, options: Mapping[str, str]) -> Sequence[str]:  # noqa: ARG002 - of all games
        """The actions in words: a stone's name is one word everywhere."""
        return list(map(board.action_words, actions))

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - it has no options
        return self.state_at(board.start(seats))
