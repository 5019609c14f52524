"""Squares, dice and captures, and actions as ints.

A board is the bytes of the field BOARD: columns 3 to 9, nine rows each, separated by ``/``. So a square is
``10 * column + row``, both from 0, and 10 * column + 9 is none. An action is a square, or 70 plus the index
of a roll; both sort like their strings.
"""

from typing import NamedTuple

from tourney.errors import ActionError
from tourney.games.actions import IntAction

COLUMNS = "3456789"
ROWS = "abcdefghi"
WIDTH, HEIGHT = len(COLUMNS), len(ROWS)
STEP = HEIGHT + 1
"""The distance from a square to the same row of the next column."""
EMPTY = ord(".")
EMPTY_BOARD = b"/".join([b"." * HEIGHT] * WIDTH)
SIX = COLUMNS.index("6")
"""The column that replaces a full one."""


class StonesAction(IntAction):
    """A square or a roll; ``str`` gives its string."""

    __slots__ = ()

    def __str__(self) -> str:
        return _NAME_OF[self]


SQUARES = tuple(STEP * column + row for column in range(WIDTH) for row in range(HEIGHT))
FIRST_ROLL = STEP * WIDTH


class Roll(NamedTuple):
    """Three dice: ascending faces, number of the 27 rolls with these faces, and effect.

    ``column`` is None for a lost turn; ``again`` grants another turn.
    """

    faces: str
    weight: int
    column: int | None
    again: bool


def _roll(x: int, y: int, z: int) -> Roll:
    kinds = len({x, y, z})
    weight = {1: 1, 2: 3, 3: 6}[kinds]
    column = None if kinds == 3 else COLUMNS.index(str(x + y + z))
    return Roll(f"{x}{y}{z}", weight, column, kinds == 1)


ROLLS = tuple(_roll(x, y, z) for x in (1, 2, 3) for y in range(x, 4) for z in range(y, 4))
ROLL_ACTIONS = tuple(map(StonesAction, range(FIRST_ROLL, FIRST_ROLL + len(ROLLS))))
WEIGHTS = tuple(roll.weight for roll in ROLLS)

_NAME_OF: dict[int, str] = {
    **{square: COLUMNS[square // STEP] + ROWS[square % STEP] for square in SQUARES},
    **{action: f"roll-{roll.faces}" for action, roll in zip(ROLL_ACTIONS, ROLLS, strict=True)},
}
_BY_NAME = {name: StonesAction(action) for action, name in _NAME_OF.items()}


def action_string(action: int) -> str:
    """Return the string of an action: the square, or ``roll-`` and the faces."""
    return _NAME_OF[action]


def parse_action(text: str) -> int:
    """Return the action of a string, legal or not. Raises ActionError."""
    action = _BY_NAME.get(text)
    if action is None:
        raise ActionError(
            f"{text[:40]!r} is no action of sage-stones; write a square as 5d, or a roll as roll-122,"
            " its faces ascending"
        )
    return action


_OCCUPIED = bytes(EMPTY if letter == EMPTY else ord("x") for letter in range(256))


class _Places(dict[bytes, tuple[int, ...]]):
    """The empty squares of a column, ascending, by its occupied rows."""

    def __init__(self, column: int) -> None:
        super().__init__()
        self._start = STEP * column

    def __missing__(self, rows: bytes) -> tuple[int, ...]:
        found = self[rows] = tuple(
            StonesAction(self._start + row) for row in range(HEIGHT) if rows[row] == EMPTY
        )
        return found


_PLACES = tuple(_Places(column) for column in range(WIDTH))


def places(board: bytes, column: int) -> tuple[int, ...]:
    """Return the empty squares of a column, ascending."""
    start = STEP * column
    return _PLACES[column][board[start : start + HEIGHT].translate(_OCCUPIED)]


def is_full(board: bytes, column: int) -> bool:
    """Say whether a column has no empty square."""
    start = STEP * column
    return board.find(b".", start, start + HEIGHT) < 0


def _rays(square: int) -> tuple[tuple[int, ...], ...]:
    """Return the lines of captures from a square, each from the next square outwards.

    A column is a ring, so its two lines go round it up to the square itself; rows and diagonals end at the
    edge. Lines of one square are left out: they have no room for a run and a stone behind it.
    """
    column, row = divmod(square, STEP)
    ring = [STEP * column + (row + k) % HEIGHT for k in range(1, HEIGHT)]
    rays = [tuple(ring), tuple(reversed(ring))]
    for dc in (-1, 1):
        for dr in (-1, 0, 1):
            ends = ((column + dc * k, row + dr * k) for k in range(1, WIDTH))
            rays.append(tuple(STEP * c + r for c, r in ends if 0 <= c < WIDTH and 0 <= r < HEIGHT))
    return tuple(ray for ray in rays if len(ray) > 1)


RAYS = {square: _rays(square) for square in SQUARES}


def captured(board: bytes | bytearray, square: int) -> list[int]:
    """Return the squares of all runs that the new stone on a square captures, without repetition."""
    own = board[square]
    taken: list[int] = []
    for ray in RAYS[square]:
        first = board[ray[0]]
        if first == EMPTY or first == own:  # noqa: SIM109 - `in` would build a tuple per ray
            continue
        for length, place in enumerate(ray):
            stone = board[place]
            if stone == own:
                taken += ray[:length]
                break
            if stone == EMPTY:
                break
    return taken
