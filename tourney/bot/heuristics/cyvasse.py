"""Heuristics of Nine-Tile Cyvasse: pieces, and pieces near the enemy's King; in the set-up, ranks by kind."""

from collections.abc import Hashable, Sequence

from tourney.bot.heuristics.base import Heuristics
from tourney.games.base import AnyState
from tourney.games.cyvasse.board import (
    EMPTY,
    KING,
    LENGTHS,
    OCCUPIED,
    SLOT,
    SQUARES,
    STRIDE,
    WIDTH,
    Masks,
    spread,
)
from tourney.games.cyvasse.state import Play, SetUp
from tourney.games.cyvasse.worth import BEST_ROWS, MISPLACED, NEAR_KING, TOWARD_KING, WORTH


def _side(masks: Masks, own: int, enemy: int) -> int:
    """Return what a side's pieces are worth, and more for those near the enemy's King.

    Near the board's edge the mask of four squares around the King goes on at the other edge, because only two
    spreads fit in the gap between rows. The core has the same mask, and ratings of the ladder were found with
    it, so it stays.
    """
    total = 0
    for kind, worth in enumerate(WORTH):
        total += worth * masks[own + kind].bit_count()
    pieces = masks[own + OCCUPIED] & ~masks[own + KING]
    near = spread(spread(masks[enemy + KING]))
    total += NEAR_KING * (pieces & near).bit_count()
    return total + TOWARD_KING * (pieces & spread(spread(near))).bit_count()


def _set_up(board: bytes) -> int:
    """Return White's advantage by the rows of the pieces laid out so far."""
    total = 0
    for s in SQUARES:
        if board[s] == EMPTY:
            continue
        slot = SLOT[board[s]]
        row = s // STRIDE
        white = slot < WIDTH
        row = row if white else len(LENGTHS) - 1 - row
        bad = MISPLACED * abs(row - BEST_ROWS[slot % WIDTH])
        total += -bad if white else bad
    return total


class CyvasseHeuristics(Heuristics[AnyState]):
    """Values pieces and their nearness to the enemy's King; captures win their worth."""

    informed = True
    gain = 100

    def advantages(self, state: AnyState) -> Sequence[int]:
        """Return the difference of the two sides."""
        if isinstance(state, Play):
            white = _side(state.masks, 0, WIDTH) - _side(state.masks, WIDTH, 0)
        elif isinstance(state, SetUp):
            white = _set_up(state.board)
        else:
            raise TypeError(f"{state!r} is no state of cyvasse")
        return (white, -white)

    def key(self, state: AnyState) -> Hashable:
        """Return pieces, terrain and the first Rabble; turns and repetitions are left out."""
        if isinstance(state, Play):
            return state.board, state.rabble, state.ground.text
        return state.position()
