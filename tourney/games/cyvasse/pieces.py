"""The pieces: the ten kinds, and how the pieces on the board are held.

The board is ``bytes``, an ASCII code a square number; beside it goes the same as masks, ``Masks``: for
White, then for Black, one mask a kind in the order of ``CODES`` and one of all the seat's pieces.
"""

from typing import NamedTuple

from tourney.games.cyvasse.board import BIT, NAMES, ROW_SLICES, SIZE, SQUARES

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
