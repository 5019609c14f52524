"""Element as a game of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tourney.errors import PositionError
from tourney.games.base import Game, GoldenMatch
from tourney.games.element import actions
from tourney.games.element.parsing import parse_position
from tourney.games.element.positions import LAST_TURN, START_SQUARES, start
from tourney.games.element.state import ElementState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw

MOST_ACTIONS_OF_A_TURN = 90
"""A bound: draw, chance and end; 4 Waters, each with ``river-D`` and the flow of 11 at most; 1 step; and a
jump for each of the 30 Winds and the 1 square that can lose its Wind and have one again."""


class Element(Game[int]):
    """Wall in the sage on your right with stones of fire, water, earth and wind."""

    name: ClassVar[str] = "element"
    title: ClassVar[str] = "Element"
    rules: ClassVar[str] = "1"
    seat_counts: ClassVar[tuple[int, ...]] = tuple(START_SQUARES)
    seat_names: ClassVar[tuple[str, ...]] = ("Sage 1", "Sage 2", "Sage 3", "Sage 4")
    has_chance: ClassVar[bool] = True
    diagram_plies: ClassVar[int] = 130
    golden_match: ClassVar[GoldenMatch] = GoldenMatch(("greedy", "random", "pebble"), 4)
    max_actions: ClassVar[int] = LAST_TURN * MOST_ACTIONS_OF_A_TURN

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - in every setting
        """Say yes: the first sage to wall in its neighbour wins."""
        return True

    def initial(self, seats: int, options: Mapping[str, str]) -> ElementState:  # noqa: ARG002 - it has no options
        """Return the start of a game."""
        return ElementState(start(seats))

    def action_string(self, action: int) -> str:
        """Return an action's string."""
        return actions.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action that a string names. Raises ActionError."""
        return actions.parse_action(text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> ElementState:  # noqa: ARG002 - it has no options
        """Return the state that a position string names. Raises PositionError."""
        return ElementState(parse_position(text, seats))

    def sample(self, observation: str, seat: int, draw: Draw) -> ElementState:  # noqa: ARG002 - nothing is hidden
        """Return the position itself, chance still to come undrawn. Raises PositionError."""
        return ElementState(parse_position(observation, _seats_of(observation)))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position, with the last action marked. Raises PositionError."""
        from tourney.games.element.diagram import draw  # noqa: PLC0415 - bots draw nothing

        return draw(parse_position(view, _seats_of(view)), last)


def _seats_of(text: str) -> int:
    """Return the number of sages in a position string."""
    seats = text.split(" ")[1].count(",") + 1 if " " in text else 0
    if seats not in START_SQUARES:
        raise PositionError(f"a position of element has 2 to 4 sages in its second field, not {seats}")
    return seats
