"""The Seven Sages: seven sages a side drive one fool, by reflections, into the other side's city.

The rules and their terms are on the page ``docs/rules/seven-sages.md``.
"""

from __future__ import annotations

from tourney.games.base import GoldenMatch, OpeningBook
from tourney.games.core_game import CoreGame
from tourney.games.seven_sages import board
from tourney.games.seven_sages.board import LAST_PLY, LAST_ROUND, SevenSagesPosition


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
    package = __name__
    core_class = "SevenSagesCore"
    action = board.SevenSagesAction
    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)
    start = board.START
    read = staticmethod(board.parse_position)
