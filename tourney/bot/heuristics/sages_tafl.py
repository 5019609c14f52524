"""Heuristics of Sages Tafl: points, pieces, and how near apprentices and sages are to leaving the board."""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import Heuristics
from tourney.games.sages_tafl.board import HEIGHT, RIVER, SQUARES
from tourney.games.sages_tafl.game import TaflState
from tourney.games.sages_tafl.moves import APPRENTICE, SKYSHIP, TOWER

POINT = 700
_FILES = SQUARES // HEIGHT


def _worth(piece: int) -> int:
    """Return what a piece on its square is worth.

    An apprentice is worth part of a point, more of it on a bank and in the river. A sage is worth three
    points when it leaves, so each of its steps nearer to an end of the river counts.
    """
    if piece == TOWER:
        return 0
    square, kind = divmod(piece, 3)
    file, rank = divmod(square, HEIGHT)
    from_river, from_end = abs(rank - RIVER), min(file, _FILES - 1 - file)
    if kind == SKYSHIP:
        return 250
    if kind == APPRENTICE:
        return 350 + (60 - 10 * from_end if from_river == 0 else 30 if from_river == 1 else 0)
    return 250 * (6 - max(from_river, from_end)) + (100 if from_river == 0 else 0)


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
