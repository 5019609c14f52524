"""The hex board of 88 squares in nine rows, its terrain (``Ground``), its tiles and its pieces.

A square is a *number*: 13 times its row (a is 0) plus its *column*, 1 to 12. Columns run north-west, so each
of the six directions is a constant difference of numbers. A set of squares is a *mask*, an int in which
square s is the bit ``1 << (s - 1)``; so ``bit.bit_length()`` is the square. Rotation of the board by 180
degrees maps s to ``117 - s``.

The pieces are ``bytes``, an ASCII code per square number, and also ``Masks``: for White, then for Black, one
mask per kind in the order of ``CODES`` and one of all the seat's pieces.

A *pattern* is the four squares of a block, NW, NE, SW, SE, as ``.`` plain, ``M`` mountain, ``W`` water. So a
turned tile (180 degrees) has the reversed pattern.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

ROWS = "abcdefghi"
LENGTHS = (8, 9, 10, 11, 12, 11, 10, 9, 8)
STRIDE = 13
SIZE = STRIDE * len(ROWS)
"""One more than the largest number: the length of tables by square, which include unused numbers."""

WEST, EAST = -1, 1
NORTH_WEST, SOUTH_EAST = STRIDE, -STRIDE
NORTH_EAST, SOUTH_WEST = STRIDE + 1, -STRIDE - 1
DIRECTIONS = (WEST, EAST, NORTH_WEST, SOUTH_EAST, NORTH_EAST, SOUTH_WEST)
"""In pairs of opposites: the opposite of the k-th is at ``k ^ 1``."""
FORWARD = {1: (NORTH_WEST, NORTH_EAST), 2: (SOUTH_EAST, SOUTH_WEST)}
"""The two directions toward the enemy's side, by seat."""

REACH = 4
"""The longest straight distance in the rules."""


def square(row: int, i: int) -> int:
    """Return the number of square ``i`` (from 1 at the west) of row ``row`` (a is 0)."""
    return STRIDE * row + i + max(0, row - 4)


def turned(s: int) -> int:
    """Return the image of ``s`` when the board is rotated by 180 degrees."""
    return SIZE - s


NUMBER = {f"{ROWS[row]}{i}": square(row, i) for row in range(9) for i in range(1, LENGTHS[row] + 1)}
"""The squares by name, from a1 east and north."""
SQUARES = tuple(NUMBER.values())
"""All squares, ascending."""
NAMES = tuple(map({s: name for name, s in NUMBER.items()}.get, range(SIZE), [""] * SIZE))
"""The squares' names; "" for a number that is no square."""
BIT = tuple(1 << s - 1 if NAMES[s] else 0 for s in range(SIZE))
ALL = sum(BIT)

BY_RANK = tuple(NUMBER[name] for name in sorted(NUMBER))
"""The squares in the order of their names."""
RANK = tuple(BY_RANK.index(s) if NAMES[s] else -1 for s in range(SIZE))

ROW_SLICES = tuple(slice(square(row, 1), square(row, LENGTHS[row]) + 1) for row in reversed(range(9)))
"""The slices of rows i to a in a sequence by square number."""

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
    """Return a mask with all neighbours of its squares; bits outside the board may be set too."""
    west = mask | mask >> 1
    east = mask | mask << 1
    return west | east | east << STRIDE | west >> STRIDE


def ray(s: int, direction: int) -> tuple[int, ...]:
    """Return the squares from ``s`` to the edge in one direction, nearest first."""
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
"""``BETWEEN[s][t]``: the squares strictly between two squares on a line, at most ``REACH`` apart."""

BEYOND = {
    limit: tuple({t: r[k + 1 : limit] for r in rays for k, t in enumerate(r[:limit])} for rays in RAYS)
    for limit in (2, 3)
}
"""``BEYOND[limit][s][t]``: the squares past t on the line from s, at most ``limit`` from s.

The limits are those of the Heavy and the Light Horse, the only kinds that ride on.
"""

BEHIND = tuple(
    {t: next(iter(rays[d ^ 1]), 0) for d, r in enumerate(rays) for t in r[:REACH]} for rays in RAYS
)
"""``BEHIND[s][t]``: the neighbour of s in the direction away from t, or 0 outside the board."""


def _front(seat: int) -> tuple[int, ...]:
    steps = [ray(s, d)[:1] if NAMES[s] else () for s in range(SIZE) for d in FORWARD[seat]]
    return tuple(mask_of(left + right) for left, right in zip(steps[::2], steps[1::2], strict=True))


FRONT = {1: _front(1), 2: _front(2)}
"""``FRONT[seat][s]``: the neighbours of s in the next row toward the enemy."""


PLAIN, MOUNTAIN, WATER, UNLAID = ".", "M", "W", "?"

BARE = "".join(
    PLAIN if square(4, 1) <= s <= square(4, 12) else UNLAID if NAMES[s] else " " for s in range(SIZE)
)
"""The terrain at the start, a character per square number: only row e is known."""


class Ground(NamedTuple):
    """The complete terrain, as masks and as text."""

    mountains: int
    water: int
    open: int
    """All squares but mountains."""
    text: str
    """The field ``TERRAIN`` of the position string."""


def ground_text(squares: str) -> str:
    """Return the field ``TERRAIN``: rows i to a, west to east."""
    return "/".join([squares[row] for row in ROW_SLICES])


def finished(squares: str) -> Ground:
    """Return the terrain after the set-up."""
    mountains = mask_of(tuple(s for s in SQUARES if squares[s] == MOUNTAIN))
    water = mask_of(tuple(s for s in SQUARES if squares[s] == WATER))
    return Ground(mountains, water, ALL ^ mountains, ground_text(squares))


Masks = tuple[int, ...]

SEAT_NAMES = ("White", "Black")


class Kind(NamedTuple):
    """A kind of piece, as in the table of the rules page."""

    code: str
    name: str
    number: int
    armour: int
    """The number of engaging enemy pieces that a capture needs."""
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
"""The index of each kind in ``KINDS``, and of its mask within a seat's masks."""
OCCUPIED = 10
"""The index of the mask of all pieces within a seat's masks."""
WIDTH = 11
"""The number of masks per seat."""

PUT_ORDER = "".join(kind.code * kind.number for kind in KINDS if kind.code != "K")
"""The pieces in the order of their placement, after the King."""

EMPTY = ord(".")
SLOT: dict[int, int] = {
    **{ord(code): k for k, code in enumerate(CODES)},
    **{ord(code.lower()): WIDTH + k for k, code in enumerate(CODES)},
}
"""The index in ``Masks`` of a piece's mask, by its code on the board."""

NO_PIECES = bytes(EMPTY if NAMES[s] else ord(" ") for s in range(SIZE))


def own_code(seat: int, code: str) -> str:
    """Return a seat's code of a kind: a capital for White, a small letter for Black."""
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


Shape = Literal["L", "R"]

TILES = (1, 2, 3, 4, 5, 6, 7, 8)
FACES: dict[Shape, tuple[str, ...]] = {
    "L": ("M..M", "WW..", "M...", ".W..", "M...", ".W..", "....", "...."),
    "R": (".M..", "W...", "W...", ".M..", "....", "....", "....", "...."),
}
"""The patterns of tiles 1 to 8, by the shape of the block."""


class Block(NamedTuple):
    """The place of a tile: its shape and its squares NW, NE, SW, SE from the seat's own view."""

    shape: Shape
    squares: tuple[int, int, int, int]


class Plan(NamedTuple):
    """The layout that a king tile determines: its king square, all its squares, and the eight blocks."""

    king: int
    covers: tuple[int, ...]
    blocks: tuple[Block, ...]


def _left(n: int, upper: int) -> Block:
    i = 2 * n - 1
    return Block(
        "L", (square(upper, i), square(upper, i + 1), square(upper - 1, i), square(upper - 1, i + 1))
    )


def _right(n: int, upper: int) -> Block:
    i = 2 * n + 2 + (upper == _D) * 2
    return Block(
        "R", (square(upper, i), square(upper, i + 1), square(upper - 1, i - 1), square(upper - 1, i))
    )


_D, _B = 3, 1
"""The upper rows of the upper and of the lower blocks."""


def _plan(king: str, covers: str, left: int) -> Plan:
    blocks = [
        block
        for upper in (_D, _B)
        for block in (
            *(_left(n, upper) for n in range(1, left + 1)),
            *(_right(n, upper) for n in range(left, 4)),
        )
    ]
    return Plan(NUMBER[king], tuple(NUMBER[name] for name in covers.split()), tuple(blocks))


def _turned_plan(plan: Plan) -> Plan:
    blocks = []
    for block in plan.blocks:
        nw, ne, sw, se = map(turned, block.squares)
        blocks.append(Block(block.shape, (nw, ne, sw, se)))
    return Plan(turned(plan.king), tuple(map(turned, plan.covers)), tuple(blocks))


_WHITE = (
    _plan("b3", "d3 d4 d5 c3 c4 b3", 1),
    _plan("b5", "d5 d6 d7 c5 c6 b5", 2),
    _plan("b7", "d7 d8 d9 c7 c8 b7", 3),
)
PLANS: dict[int, tuple[Plan, ...]] = {
    1: _WHITE,
    2: tuple(sorted(map(_turned_plan, _WHITE), key=lambda plan: plan.king)),
}
"""The three plans of each seat, in the order of their king squares."""


def offers(shape: Shape, tile: int) -> tuple[str, ...]:
    """Return the patterns of a tile on a block: unturned and, if different, turned."""
    face = FACES[shape][tile - 1]
    return (face,) if face == face[::-1] else (face, face[::-1])


def laid_tiles(plan: Plan, ground: str, blocks: int) -> frozenset[frozenset[int]]:
    """Return the sets of tiles that can produce the terrain of the first ``blocks`` blocks of a plan.

    The squares of the king tile are ignored.
    """
    sets = frozenset([frozenset[int]()])
    for block in plan.blocks[:blocks]:
        pattern = "".join(ground[s] for s in block.squares)
        fitting = [tile for tile in TILES if pattern in offers(block.shape, tile)]
        sets = frozenset(used | {tile} for used in sets for tile in fitting if tile not in used)
    return sets


def shows_king_tile(plan: Plan, ground: str) -> bool:
    """Say whether the terrain is plain under the king tile."""
    return all(ground[s] == PLAIN for s in plan.covers)


def can_be_laid(plan: Plan, ground: str) -> bool:
    """Say whether the nine tiles can produce the terrain with this plan."""
    return shows_king_tile(plan, ground) and bool(laid_tiles(plan, ground, len(plan.blocks)))


def side_can_be_laid(seat: int, ground: str) -> bool:
    """Say whether the nine tiles can produce the terrain of a seat's side with any plan."""
    return any(can_be_laid(plan, ground) for plan in PLANS[seat])
