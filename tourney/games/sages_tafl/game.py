"""Sages Tafl as a game: its name, its strings, its first state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.games.base import Game, GoldenMatch, OpeningBook
from tourney.games.sages_tafl import notation, squares
from tourney.games.sages_tafl.notation import PLY_LIMIT, SIDES
from tourney.games.sages_tafl.state import TaflState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import Draw


class SagesTafl(Game[int]):
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

    def initial(self, seats: int, options: Mapping[str, str]) -> TaflState:  # noqa: ARG002 - it has one start
        """Return the start."""
        return TaflState.standing(notation.read(squares.START))

    def action_string(self, action: int) -> str:
        """Return ``FROM-TO``, ``tower-TO``, ``FROM-off`` or ``pass``."""
        return squares.action_string(action)

    def parse_action(self, text: str) -> int:
        """Return the action of a string, or raise ActionError."""
        return squares.parse_action(text)

    def parse_position(
        self,
        text: str,
        seats: int,  # noqa: ARG002 - it has one number of seats
        options: Mapping[str, str],  # noqa: ARG002 - and no options
    ) -> TaflState:
        """Return the state of a position string, without history, or raise PositionError."""
        return TaflState.standing(notation.read(text))

    def sample(self, observation: str, seat: int, draw: Draw) -> TaflState:  # noqa: ARG002 - nothing is hidden
        """Return the position that was observed: a seat sees all of it."""
        return TaflState.standing(notation.read(observation))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Draw a position string, with the last action marked."""
        from tourney.games.sages_tafl.diagram import draw  # noqa: PLC0415 - bots draw nothing

        return draw(view, last)
