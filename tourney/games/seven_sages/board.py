"""The board of the Seven Sages: squares, directions, ground, cities and the start layout.

A square is an int: 15 times its file plus its rank, both from 0; so ints are ordered as position strings
order squares. A set of squares is a mask: an int with one bit a square.
"""

from collections.abc import Iterable

SIZE = 15
FILES = "abcdefghijklmno"
SQUARES: tuple[str, ...] = tuple(f"{file}{rank}" for file in FILES for rank in range(1, SIZE + 1))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}
"""The squares by name."""

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""North and on clockwise, as (files, ranks); squares' ints rise in the first four and fall in the others."""
NORTH, NORTH_EAST, EAST, SOUTH_EAST, SOUTH, SOUTH_WEST, WEST, NORTH_WEST = range(8)
RISING = 4
"""Squares' ints rise in the directions below this one."""

SEATS = (1, 2)
RED, BLUE = SEATS


def other(seat: int) -> int:
    """Return the other seat."""
    return 3 - seat


def mask_of(squares: Iterable[int]) -> int:
    """Return the mask of some squares."""
    mask = 0
    for square in squares:
        mask |= 1 << square
    return mask


def _ray(square: int, direction: int) -> tuple[int, ...]:
    file, rank = divmod(square, SIZE)
    files, ranks = DIRECTIONS[direction]
    ray = []
    while 0 <= (file := file + files) < SIZE and 0 <= (rank := rank + ranks) < SIZE:
        ray.append(SIZE * file + rank)
    return tuple(ray)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(_ray(square, direction) for square in range(SIZE * SIZE)) for direction in range(8)
)
"""By direction and square: the squares from it (itself left out) to the board's edge."""

CITIES: dict[int, int] = {
    RED: mask_of(SQUARE[name] for name in ("f1", "g1", "h1", "i1", "j1")),
    BLUE: mask_of(SQUARE[name] for name in ("f15", "g15", "h15", "i15", "j15")),
}
"""By seat: the mask of its city."""
KINGDOM = mask_of(SIZE * file + rank for file in range(1, SIZE - 1) for rank in range(1, SIZE - 1))
"""The mask of the inner 13 by 13 squares."""
BARBARIAN = mask_of(range(SIZE * SIZE)) & ~(KINGDOM | CITIES[RED] | CITIES[BLUE])
"""The mask of the outermost ring without the cities."""

START_FOOL = SQUARE["h8"]
_START_RED = tuple(SQUARE[name] for name in ("c5", "e4", "g3", "h1", "i3", "k4", "m5"))
_ACROSS_RANK_8 = (SIZE * (square // SIZE) + SIZE - 1 - square % SIZE for square in _START_RED)
START_SAGES: tuple[tuple[int, ...], tuple[int, ...]] = (_START_RED, tuple(sorted(_ACROSS_RANK_8)))
"""Red's sages and Blue's at the start of a round, each sorted."""
