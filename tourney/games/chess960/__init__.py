"""The game ``chess960`` (Fischer random chess), on the rules of ``tourney.games.chess``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tourney.errors import ActionError
from tourney.games.chess.game import STARTS, Chess, Move, rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.base import State

_NUMBERS = {f"sp{number}": number for number in range(960)}


class Chess960(Chess):
    """Chess960: chance draws the starting position; castling is written as king takes own rook."""

    name = "chess960"
    title = "Chess960"
    has_chance = True
    chess960 = True

    def initial(self, seats: int, options: Mapping[str, str]) -> State[Move]:  # noqa: ARG002 - there are none
        """Return the position before the draw."""
        state: State[Move] = rules().DRAW
        return state

    def action_string(self, action: Move) -> str:
        """Return the UCI move, or ``spN`` for the draw of the start."""
        if isinstance(action, int) and action >= STARTS:
            return f"sp{action - STARTS}"
        return super().action_string(action)

    def parse_action(self, text: str) -> Move:
        """Return the code of a UCI move or of a start. Raises ActionError."""
        if text.startswith("sp"):
            if text in _NUMBERS:
                return STARTS + _NUMBERS[text]
            raise ActionError(f"{text[:20]!r} is no starting position: write sp0 to sp959")
        return super().parse_action(text)
