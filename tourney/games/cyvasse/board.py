"""The board: 88 squares in nine rows, a hex grid, with the tables that the rest reads.

A square is a *number*: 13 times its row (a is 0) plus its *column*, 1 to 12. A column runs toward the
north-west, so that each of the six directions is one and the same step of the number everywhere. A set of
squares is a *mask*, an int in which square s is the bit ``1 << (s - 1)``; so ``bit.bit_length()`` is the
number of the square. The board turned by half a circle takes s to ``117 - s``.
"""

from collections.abc import Iterator
from typing import NamedTuple

ROWS = "abcdefghi"
LENGTHS = (8, 9, 10, 11, 12, 11, 10, 9, 8)
STRIDE = 13
SIZE = STRIDE * len(ROWS)
"""One more than the largest number; tables by square have this length, with numbers that are no square."""

WEST, EAST = -1, 1
NORTH_WEST, SOUTH_EAST = STRIDE, -STRIDE
NORTH_EAST, SOUTH_WEST = STRIDE + 1, -STRIDE - 1
DIRECTIONS = (WEST, EAST, NORTH_WEST, SOUTH_EAST, NORTH_EAST, SOUTH_WEST)
"""In pairs of opposites: that of the k-th is the one at ``k ^ 1``."""
FORWARD = {1: (NORTH_WEST, NORTH_EAST), 2: (SOUTH_EAST, SOUTH_WEST)}
"""The two directions toward the enemy's side, by seat."""

REACH = 4
"""The longest straight distance that any rule asks for."""


def square(row: int, i: int) -> int:
    """Return the number of square ``i`` (from 1 at the west) of row ``row`` (a is 0)."""
    return STRIDE * row + i + max(0, row - 4)


def turned(s: int) -> int:
    """Return the square that ``s`` becomes when the board is turned by half a circle."""
    return SIZE - s


NUMBER = {f"{ROWS[row]}{i}": square(row, i) for row in range(9) for i in range(1, LENGTHS[row] + 1)}
"""The squares by name, from a1 eastwards and northwards."""
SQUARES = tuple(NUMBER.values())
"""All squares, ascending."""
NAMES = tuple(map({s: name for name, s in NUMBER.items()}.get, range(SIZE), [""] * SIZE))
"""The squares' names; "" for a number that is no square."""
BIT = tuple(1 << s - 1 if NAMES[s] else 0 for s in range(SIZE))
ALL = sum(BIT)

BY_RANK = tuple(NUMBER[name] for name in sorted(NUMBER))
"""The squares in the order of their names as strings."""
RANK = tuple(BY_RANK.index(s) if NAMES[s] else -1 for s in range(SIZE))

ROW_SLICES = tuple(slice(square(row, 1), square(row, LENGTHS[row]) + 1) for row in reversed(range(9)))
"""Where rows i to a lie in a ``bytes`` of one byte a square."""

SIDE = {
    1: sum(BIT[s] for s in SQUARES if s < square(4, 1)),
    2: sum(BIT[s] for s in SQUARES if s >= square(5, 1)),
}
"""Each seat's own side."""


def squares_of(mask: int) -> Iterator[int]:
    """Yield the squares of a mask, ascending."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit.bit_length()


def mask_of(squares: Iterator[int] | tuple[int, ...]) -> int:
    """Return the mask of some squares."""
    mask = 0
    for s in squares:
        mask |= BIT[s]
    return mask


def spread(mask: int) -> int:
    """Return a mask and all that neighbours it; bits beside the board may be set in it too."""
    west = mask | mask >> 1
    east = mask | mask << 1
    return west | east | east << STRIDE | west >> STRIDE


def ray(s: int, direction: int) -> tuple[int, ...]:
    """Return the squares from ``s`` in one direction, nearest first, to the edge."""
    found = []
    s += direction
    while 0 < s < SIZE and NAMES[s]:
        found.append(s)
        s += direction
    return tuple(found)


RAYS = tuple(tuple(ray(s, d) for d in DIRECTIONS) if NAMES[s] else () for s in range(SIZE))


def _at(distance: int) -> tuple[int, ...]:
    return tuple(mask_of(tuple(r[distance - 1] for r in rays if len(r) >= distance)) for rays in RAYS)


AT = ((0,) * SIZE, *(_at(distance) for distance in range(1, REACH + 1)))
"""``AT[k][s]``: the squares at distance k from s on a straight path."""
NEAR = AT[1]
"""The neighbours of a square."""
STAR = tuple(
    tuple(sum(AT[k][s] for k in range(limit + 1)) for s in range(SIZE)) for limit in range(REACH + 1)
)
"""``STAR[k][s]``: the squares at most k from s on straight paths."""

BETWEEN = tuple({t: mask_of(r[:k]) for r in rays for k, t in enumerate(r[:REACH])} for rays in RAYS)
"""``BETWEEN[s][t]``: the squares strictly between two that lie straight, at most ``REACH`` apart."""

BEYOND = {
    limit: tuple({t: r[k + 1 : limit] for r in rays for k, t in enumerate(r[:limit])} for rays in RAYS)
    for limit in (2, 3)
}
"""``BEYOND[limit][s][t]``: the squares past t on the straight path from s, at most ``limit`` from s.

For the limits of the Heavy and the Light Horse, who alone ride on.
"""

BEHIND = tuple(
    {t: next(iter(rays[d ^ 1]), 0) for d, r in enumerate(rays) for t in r[:REACH]} for rays in RAYS
)
"""``BEHIND[s][t]``: the neighbour of s straight away from t, or 0 where the board ends."""


def _front(seat: int) -> tuple[int, ...]:
    steps = [ray(s, d)[:1] if NAMES[s] else () for s in range(SIZE) for d in FORWARD[seat]]
    return tuple(mask_of(left + right) for left, right in zip(steps[::2], steps[1::2], strict=True))


FRONT = {1: _front(1), 2: _front(2)}
"""``FRONT[seat][s]``: the neighbours of s in the next row toward the enemy's side."""


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


Masks = tuple[int, ...]

SEAT_NAMES = ("White", "Black")


class Kind(NamedTuple):
    """A kind of piece, as the rules' table has it."""

    code: str
    name: str
    number: int
    armour: int
    """How many enemy pieces must engage it for it to be captured."""
    move: int
    engages: tuple[int, ...]
    """The distances at which it engages."""


_NONE, _LIGHT, _HEAVY = 0, 1, 2

KINDS = (
    Kind("R", "Rabble", 6, _LIGHT, 1, (1,)),
    Kind("S", "Spears", 3, _LIGHT, 1, (1,)),
    Kind("L", "Light Horse", 3, _LIGHT, 3, (1,)),
    Kind("H", "Heavy Horse", 2, _HEAVY, 2, (1,)),
    Kind("E", "Elephant", 2, _HEAVY, 1, (1, 2)),
    Kind("C", "Crossbows", 2, _NONE, 2, (1, 2, 3)),
    Kind("T", "Trebuchet", 1, _NONE, 1, (2, 3, 4)),
    Kind("D", "Dragon", 1, _HEAVY, 4, (1, 2)),
    Kind("W", "Tower", 2, _HEAVY, 0, (1,)),
    Kind("K", "King", 1, _LIGHT, 1, (1,)),
)
CODES = "".join(kind.code for kind in KINDS)
RABBLE, SPEARS, LIGHT_HORSE, HEAVY_HORSE, ELEPHANT, CROSSBOWS, TREBUCHET, DRAGON, TOWER, KING = range(10)
"""Where each kind stands in ``KINDS``, and its mask within a seat's."""
OCCUPIED = 10
"""Where the mask of all the seat's pieces stands within a seat's."""
WIDTH = 11
"""How many masks a seat has."""

PUT_ORDER = "".join(kind.code * kind.number for kind in KINDS if kind.code != "K")
"""The pieces in the order in which they are put on the board, after the King."""

EMPTY = ord(".")
SLOT: dict[int, int] = {
    **{ord(code): k for k, code in enumerate(CODES)},
    **{ord(code.lower()): WIDTH + k for k, code in enumerate(CODES)},
}
"""Where the mask of a piece stands in ``Masks``, by its code on the board."""

NO_PIECES = bytes(EMPTY if NAMES[s] else ord(" ") for s in range(SIZE))


def own_code(seat: int, code: str) -> str:
    """Return a kind's code as a seat's pieces carry it: White's in capitals, Black's in small letters."""
    return code if seat == 1 else code.lower()


def masks_of(board: bytes) -> Masks:
    """Return the masks of a board."""
    masks = [0] * (2 * WIDTH)
    for s in SQUARES:
        if board[s] != EMPTY:
            slot = SLOT[board[s]]
            masks[slot] |= BIT[s]
            masks[slot - slot % WIDTH + OCCUPIED] |= BIT[s]
    return tuple(masks)


def of_seat(masks: Masks, seat: int) -> Masks:
    """Return the masks with a seat's own first, then the enemy's."""
    return masks if seat == 1 else masks[WIDTH:] + masks[:WIDTH]


def pieces_text(board: bytes) -> str:
    """Return the field ``PIECES`` of the position string: rows i to a, west to east."""
    return b"/".join([board[row] for row in ROW_SLICES]).decode("ascii")
