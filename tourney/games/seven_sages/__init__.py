"""The Seven Sages: seven sages a side drive one fool, by reflections, into the other side's city.

The rules and their terms are on the page ``docs/rules/seven-sages.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import GoldenMatch, OpeningBook, Option
from tourney.games.core_game import CoreGame
from tourney.games.position_fields import wrong_field
from tourney.games.seven_sages import board
from tourney.games.seven_sages.board import LAST_PLY, LAST_ROUND, ROUND_ACTIONS, SevenSagesPosition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.core_game import CoreState


class SevenSages(CoreGame[SevenSagesPosition]):
    """Seven sages a side drive one fool into the other side's city."""

    name = "seven-sages"
    title = "The Seven Sages"
    rules = "1"
    seat_counts = (2,)
    seat_names = ("Red", "Blue")
    options = (
        Option(
            "round-actions",
            str(LAST_PLY),
            tuple(map(str, ROUND_ACTIONS)),
            "the most actions of a round; without a score it ends with none",
            later=True,
        ),
    )
    diagram_plies = 14
    golden_match = GoldenMatch(("greedy", "random"), 4)
    opening_book = OpeningBook("abcdefghijklmno", points=4, pieces=(0, 1))
    max_actions = LAST_ROUND * LAST_PLY
    package = __name__
    core_class = "SevenSagesCore"
    action = board.SevenSagesAction
    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)
    read = staticmethod(board.parse_position)

    def initial(self, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - two seats always
        return self.state_at(board.START._replace(round_actions=_round_actions(options)))

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> CoreState:  # noqa: ARG002 - likewise
        at = self.read(text)
        actions = _round_actions(options)
        if at.round_actions != actions:
            raise wrong_field(
                "OPTIONS", f"round-actions={at.round_actions}", f"this game has round-actions={actions}"
            )
        return self.state_at(at)


def _round_actions(options: Mapping[str, str]) -> int:
    return int(options.get("round-actions", LAST_PLY))
