"""The ground: what each square is, which never changes once both sides are laid."""

from typing import NamedTuple

from tourney.games.cyvasse.board import ALL, NAMES, ROW_SLICES, SIZE, SQUARES, mask_of, square

PLAIN, MOUNTAIN, WATER, UNLAID = ".", "M", "W", "?"

BARE = "".join(
    PLAIN if square(4, 1) <= s <= square(4, 12) else UNLAID if NAMES[s] else " " for s in range(SIZE)
)
"""The ground before anything is laid, a character a square number: only row e is there."""


class Ground(NamedTuple):
    """A whole ground, as masks and as text."""

    mountains: int
    water: int
    open: int
    """All squares that are no mountain."""
    text: str
    """The field ``TERRAIN`` of the position string."""


def ground_text(squares: str) -> str:
    """Return the field ``TERRAIN``: rows i to a, west to east."""
    return "/".join([squares[row] for row in ROW_SLICES])


def finished(squares: str) -> Ground:
    """Return the ground that is played on, once nothing is unlaid."""
    mountains = mask_of(tuple(s for s in SQUARES if squares[s] == MOUNTAIN))
    water = mask_of(tuple(s for s in SQUARES if squares[s] == WATER))
    return Ground(mountains, water, ALL ^ mountains, ground_text(squares))
