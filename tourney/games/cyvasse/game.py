"""Nine-Tile Cyvasse as a game of Tourney's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import Game, GoldenMatch, State
from tourney.games.cyvasse import actions
from tourney.games.cyvasse.pieces import SEAT_NAMES
from tourney.games.cyvasse.play import TURN_LIMIT
from tourney.games.cyvasse.reading import read_position
from tourney.games.cyvasse.sample import sample_state
from tourney.games.cyvasse.setup import STEPS, SetUp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw


class Cyvasse(Game[int]):
    """Two armies of 23 pieces on a board that each player lays out in secret."""

    name = "cyvasse"
    title = "Nine-Tile Cyvasse"
    rules = "1"
    seat_counts = (2,)
    seat_names = SEAT_NAMES
    has_hidden_actions = True
    diagram_plies = 74
    golden_match = GoldenMatch(("greedy", "random"), 4)
    max_actions = 2 * STEPS + 2 * TURN_LIMIT

    def initial(self, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - there is one table only
        """Return the empty board, before White's king tile."""
        return SetUp.begin()

    def action_string(self, action: int) -> str:
        """Return an action's string."""
        return actions.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action that a string names, or raise ActionError."""
        return actions.parse_action(text)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> State[int]:  # noqa: ARG002 - likewise
        """Return the state that a position string names, without history, or raise PositionError."""
        return read_position(text)

    def sample(self, observation: str, seat: int, draw: Draw) -> State[int]:
        """Return a full state that fits what a seat sees, drawn by ``draw``. Raises PositionError."""
        return sample_state(observation, seat, draw)

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position string or an observation, with the last action marked."""
        from tourney.games.cyvasse.diagram import picture  # noqa: PLC0415 - bots draw nothing

        return picture(view, last)
