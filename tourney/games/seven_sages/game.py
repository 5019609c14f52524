"""The Seven Sages as a game of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tourney.games.base import Game, GoldenMatch, OpeningBook
from tourney.games.seven_sages import actions
from tourney.games.seven_sages.board import RED
from tourney.games.seven_sages.positions import LAST_PLY, LAST_ROUND, new_round, parse_position
from tourney.games.seven_sages.state import SevenSagesState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw


class SevenSages(Game[int]):
    """Seven sages a side drive one fool into the other side's city."""

    name: ClassVar[str] = "seven-sages"
    title: ClassVar[str] = "The Seven Sages"
    rules: ClassVar[str] = "1"
    seat_counts: ClassVar[tuple[int, ...]] = (2,)
    seat_names: ClassVar[tuple[str, ...]] = ("Red", "Blue")
    diagram_plies: ClassVar[int] = 14
    golden_match: ClassVar[GoldenMatch] = GoldenMatch(("greedy", "random"), 4)
    opening_book: ClassVar[OpeningBook] = OpeningBook("abcdefghijklmno", points=4, pieces=(0, 1))
    max_actions: ClassVar[int] = LAST_ROUND * LAST_PLY

    def initial(self, seats: int, options: Mapping[str, str]) -> SevenSagesState:  # noqa: ARG002 - two seats, no options
        """Return the start of the first round."""
        return SevenSagesState(new_round((0, 0), 1, RED))

    def action_string(self, action: int) -> str:
        """Return an action's string."""
        return actions.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action that a string names. Raises ActionError."""
        return actions.parse_action(text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> SevenSagesState:  # noqa: ARG002 - two seats, no options
        """Return the state that a position string names. Raises PositionError."""
        return SevenSagesState(parse_position(text))

    def sample(self, observation: str, seat: int, draw: Draw) -> SevenSagesState:  # noqa: ARG002 - nothing is hidden
        """Return the state itself: a seat sees all of it. Raises PositionError."""
        return SevenSagesState(parse_position(observation))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position, with the last action marked. Raises PositionError."""
        from tourney.games.seven_sages.diagram import draw  # noqa: PLC0415 - bots draw nothing

        return draw(parse_position(view), last)
