"""Heuristics of Sages Tafl: points, pieces, and how near apprentices and sages are to leaving the board."""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import Heuristics
from tourney.games.sages_tafl.game import TaflState
from tourney.games.sages_tafl.moves import TOWER
from tourney.games.sages_tafl.worth import POINT, worth


def _worth(piece: int) -> int:
    """Return what a piece on its square is worth; see ``worth``."""
    return 0 if piece == TOWER else worth(piece % 3, piece // 3)


_WORTH = tuple(map(_worth, range(TOWER + 1)))
"""By piece, as ``TaflState.own`` lists them."""


class TaflHeuristics(Heuristics[TaflState]):
    """Values points and pieces; escapes and captures win their worth."""

    informed = True
    gain = 300

    def advantages(self, state: TaflState) -> Sequence[int]:
        """Return the difference of points, pieces and progress."""
        worth = _WORTH
        own = POINT * (state.own_points - state.foe_points)
        for piece in state.own:
            own += worth[piece]
        for piece in state.foe:
            own -= worth[piece]
        return (own, -own) if state.seat == 1 else (-own, own)

    def key(self, state: TaflState) -> Hashable:
        """Return the board with towers and the points; the limits of plies and repetition are left out."""
        return state.board, state.own_points, state.foe_points
