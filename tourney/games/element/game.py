"""The game Element and its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.base import CHANCE as CHANCE_ACTS
from tourney.games.base import OVER, Game, GoldenMatch, State
from tourney.games.element import board, turn
from tourney.games.element.position import (
    CHANCE,
    LAST_TURN,
    START_SQUARES,
    Position,
    parse_position,
    position_string,
    start,
)
from tourney.games.element.turn import after

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.games.element.view import ElementView
    from tourney.games.scratch import Scratch
    from tourney.seeds import RandBelow


class ElementState(State[int]):
    """A position of Element. No history counts."""

    __slots__ = ("_captured", "_legal", "_position", "actor")

    game: Element
    actor: int
    """The seat to act, CHANCE or OVER."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._captured = position.captured()
        self._legal: Sequence[int] | None = None
        if self._captured or position.turn == LAST_TURN:
            self.actor = OVER
        else:
            self.actor = CHANCE_ACTS if position.phase == CHANCE else position.seat

    @property
    def seats(self) -> int:
        """Two, three or four."""
        return len(self._position.sages)

    @property
    def fields(self) -> Position:
        """The position: board, sages, hand, bag and counters."""
        return self._position

    def legal_actions(self) -> Sequence[int]:
        """List the legal actions or the outcomes of chance, sorted."""
        if self._legal is None:
            self._legal = () if self.actor == OVER else turn.legal_actions(self._position)
        return self._legal

    def play(self, action: int) -> ElementState:
        """Return the state after a legal action."""
        return ElementState(after(self._position, action))

    def ranks(self) -> tuple[int, ...] | None:
        """Return rank 1 for each seat whose prey is captured, or for all seats after the last turn."""
        if self.actor != OVER:
            return None
        if not self._captured:
            return (1,) * self.seats
        winners = [(seat - 2) % self.seats + 1 for seat in self._captured]
        return tuple(1 if seat in winners else 1 + len(winners) for seat in range(1, self.seats + 1))

    def reason(self) -> str:
        """Return "capture", or "length" after the last turn."""
        if self.actor != OVER:
            return ""
        return "capture" if self._captured else "length"

    def position(self) -> str:
        """Return the position string."""
        return position_string(self._position)

    def view(self, seat: int | None = None) -> ElementView:  # noqa: ARG002 - nothing is hidden
        """Return the position by names."""
        from tourney.games.element.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self.game, self._position)

    def chance_weights(self) -> Sequence[int]:
        """Return the number of ways to draw each outcome. Raises ValueError."""
        if self.actor != CHANCE_ACTS:
            return super().chance_weights()
        return [weight for _, weight in turn.chance_outcomes(self._position)]


MOST_ACTIONS_OF_A_TURN = 90
"""An upper bound: draw, chance and end; 4 Waters, each with ``river-D`` and a flow of 11; 1 step; and a jump
for each of the 30 Winds and for the 1 square that can lose its Wind and get another."""


class Element(Game[int]):
    """Wall in the sage on your right with stones of fire, water, earth and wind."""

    name = "element"
    title = "Element"
    rules = "1"
    seat_counts = tuple(START_SQUARES)
    seat_names = ("Sage 1", "Sage 2", "Sage 3", "Sage 4")
    has_chance = True
    diagram_plies = 130
    golden_match = GoldenMatch(("greedy", "random", "pebble"), 4)
    max_actions = LAST_TURN * MOST_ACTIONS_OF_A_TURN

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - in every setting
        """Say yes: the first sage to wall in its neighbour wins."""
        return True

    def initial(self, seats: int, options: Mapping[str, str]) -> ElementState:  # noqa: ARG002 - it has no options
        """Return the start of a game."""
        return ElementState(start(seats))

    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> ElementState:  # noqa: ARG002 - it has no options
        """Return the state of a position string. Raises PositionError."""
        return ElementState(parse_position(text, seats))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> ElementState:  # noqa: ARG002 - nothing is hidden
        """Return the observed position: nothing is hidden. Raises PositionError."""
        return ElementState(parse_position(observation, _seats_of(observation)))

    def scratch(self, state: State[int]) -> Scratch:
        """Return a new mutable copy of a state for search and playouts."""
        from tourney.games.compiled import core  # noqa: PLC0415 - only search needs it

        made: Scratch = core("element").ElementScratch()
        made.load(state)
        return made

    def view(self, text: str) -> ElementView:
        """Return the readable view of a position string. Raises PositionError."""
        from tourney.games.element.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self, parse_position(text, _seats_of(text)))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position, with the last action marked. Raises PositionError."""
        from tourney.games.element.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(parse_position(view, _seats_of(view)), last)


ElementState.game = Element()


def _seats_of(text: str) -> int:
    """Return the number of sages in a position string."""
    seats = text.split(" ")[1].count(",") + 1 if " " in text else 0
    if seats not in START_SQUARES:
        raise PositionError(f"a position of element has 2 to 4 sages in its second field, not {seats}")
    return seats
