"""The board of Element: squares, directions, and what may lie on a square.

A square is an int, its name's place in string order (a1, a10, a11, a2, ...), so that a list made in the
order of squares is in the order of its strings. A board is bytes, one code a square.
"""

from operator import add

SIZE = 11
COLUMNS = "abcdefghijk"
SQUARES: tuple[str, ...] = tuple(sorted(f"{column}{row}" for column in COLUMNS for row in range(1, SIZE + 1)))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}
"""The squares by name."""

EMPTY = 0
WHIRLWIND = 4
"""1 to 4 are Winds, as many as the code; 4 is the highest whirlwind."""
FIRE, WATER, EARTH, RANGE_EARTH, MOUNTAIN, SAGE = 5, 6, 7, 8, 9, 10
"""EARTH is one Earth outside every range, RANGE_EARTH one Earth inside; a mountain is always a range."""

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""North and on clockwise, as (columns, rows)."""
COMPASS: dict[str, int] = {"e": 2, "n": 0, "s": 4, "w": 6}
"""The four orthogonal directions by letter, in string order."""


def _place(square: int) -> tuple[int, int]:
    name = SQUARES[square]
    return COLUMNS.index(name[0]), int(name[1:]) - 1


PLACES: tuple[tuple[int, int], ...] = tuple(map(_place, range(SIZE * SIZE)))
"""By square: its column and row, from 0."""
_SQUARE_AT = {place: square for square, place in enumerate(PLACES)}


def _ray(square: int, direction: int) -> tuple[int, ...]:
    column, row = PLACES[square]
    columns, rows = DIRECTIONS[direction]
    ray = []
    while (step := _SQUARE_AT.get((column := column + columns, row := row + rows))) is not None:
        ray.append(step)
    return tuple(ray)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(_ray(square, direction) for direction in range(8)) for square in range(SIZE * SIZE)
)
"""By square and direction: the squares from it (itself left out) to the board's edge."""
ORTHOGONAL: tuple[tuple[int, ...], ...] = tuple(
    tuple(rays[direction][0] for direction in COMPASS.values() if rays[direction]) for rays in RAYS
)
"""By square: its orthogonal neighbours."""
NEIGHBOURS: tuple[tuple[int, ...], ...] = tuple(tuple(ray[0] for ray in rays if ray) for rays in RAYS)
"""By square: its neighbours, up to eight."""
_ACROSS, _ALONG = (
    [bytes(abs(place[axis] - k) for place in PLACES) for k in range(SIZE)] for axis in range(2)
)
DISTANCE: tuple[bytes, ...] = tuple(bytes(map(add, _ACROSS[column], _ALONG[row])) for column, row in PLACES)
"""By two squares: the orthogonal steps from one to the other."""
DIAGONAL: tuple[tuple[tuple[int, int, int], ...], ...] = tuple(
    tuple(
        (rays[direction][0], rays[direction - 1][0], rays[(direction + 1) % 8][0])
        for direction in (1, 3, 5, 7)
        if rays[direction]
    )
    for rays in RAYS
)
"""By square: its diagonal neighbours, each with the two squares that flank the step there."""
JUMPS: tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...] = tuple(
    tuple(
        (ray, () if direction % 2 == 0 else (rays[direction - 1][0], rays[(direction + 1) % 8][0]))
        for direction, ray in enumerate(rays)
        if len(ray) > 1
    )
    for rays in RAYS
)
"""By square: the rays that a jump can follow, each with the two squares that flank its first step, if any."""
