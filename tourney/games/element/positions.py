"""Positions of Element as values, and their strings."""

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from tourney.games.element.actions import ELEMENTS
from tourney.games.element.board import COLUMNS, PLACES, SAGE, SIZE, SQUARE, SQUARES
from tourney.games.element.movement import is_captured
from tourney.games.element.placing import Bag
from tourney.games.element.rivers import path_squares, river_squares

OF_A_KIND = 30
MOST_STEPS = 5
"""The steps of a turn without stones; every stone drawn costs one."""
LAST_TURN = 200
"""The turns after which the game is over."""
START_SQUARES: dict[int, tuple[str, ...]] = {
    2: ("f5", "f7"),
    3: ("c3", "i3", "i9"),
    4: ("c3", "i3", "i9", "c9"),
}
"""By number of seats: where the sages start."""

DRAW, CHANCE, ACT, RIVER, FLOW = "draw", "chance", "act", "river", "flow"
"""The phases' words."""

STONE_LETTERS = ".1234FWEEM."
"""By code: the board's letters in a position string."""


class Position(NamedTuple):
    """All that matters for the rest of the game."""

    board: bytes
    """A code a square; the sages' squares hold SAGE."""
    sages: tuple[int, ...]
    seat: int
    """Who acts, also while chance draws."""
    phase: str
    hand: str
    """Letters, sorted."""
    steps: int
    """Steps left."""
    used: frozenset[int]
    bag: Bag
    turn: int
    """Turns completed."""
    drawn: int = 0
    """The stones that chance is to give."""
    head: int = 0
    """The headwater's square, in ``river`` and ``flow``."""
    direction: str = ""
    """The river's direction, in ``flow``."""
    path: str = ""
    """The flow so far, as letters."""

    @property
    def own(self) -> int:
        """The square of the acting seat's sage."""
        return self.sages[self.seat - 1]

    @property
    def river(self) -> tuple[int, ...]:
        """The squares of the river that flows."""
        return river_squares(self.board, self.head, self.direction)

    @property
    def path_squares(self) -> tuple[int, ...]:
        """The squares of the flow so far; they are on the board in every position that was let in."""
        return path_squares(self.head, self.path) or ()

    def captured(self) -> list[int]:
        """Return the seats other than the mover whose sage is captured, where that is judged: in ``act``."""
        if self.phase != ACT:
            return []
        board, seat = self.board, self.seat
        return [k for k, sage in enumerate(self.sages, 1) if k != seat and is_captured(board, sage)]


def start(seats: int) -> Position:
    """Return the start of a game."""
    sages = tuple(SQUARE[name] for name in START_SQUARES[seats])
    board = bytes(SAGE if square in sages else 0 for square in range(SIZE * SIZE))
    bag = (OF_A_KIND, OF_A_KIND, OF_A_KIND, OF_A_KIND)
    return Position(board, sages, 1, DRAW, "", 0, frozenset(), bag, 0)


def board_order(square: int) -> tuple[int, int]:
    """Return what sorts squares by column letter, then by row as a number."""
    return PLACES[square]


_LETTERS = bytes(ord(STONE_LETTERS[code]) if code < len(STONE_LETTERS) else 0 for code in range(256))
_SLASH = SIZE * SIZE
_READING_ORDER = [
    _SLASH if column == SIZE else SQUARE[f"{COLUMNS[column]}{row}"]
    for row in range(SIZE, 0, -1)
    for column in range(SIZE + 1)
][:-1]
_read_out = itemgetter(*_READING_ORDER)


def board_string(board: bytes) -> str:
    """Return the rows 11 to 1, parted by ``/``."""
    return bytes(_read_out(board.translate(_LETTERS) + b"/")).decode("ascii")


def squares_string(squares: Sequence[int] | frozenset[int]) -> str:
    """Return squares sorted by column letter, then by row as a number, or ``-`` for none."""
    return ",".join([SQUARES[square] for square in sorted(squares, key=board_order)]) or "-"


def phase_string(position: Position) -> str:
    """Return PHASE."""
    phase = position.phase
    if phase == CHANCE:
        return f"{phase}-{position.drawn}"
    if phase == RIVER:
        return f"{phase}-{SQUARES[position.head]}"
    if phase == FLOW:
        return f"{phase}-{SQUARES[position.head]}-{position.direction}-{position.path or '-'}"
    return phase


def position_string(position: Position) -> str:
    """Return the string of a position."""
    board, sages, seat, phase, hand, steps, used, bag, turn = position[:9]
    places = ",".join([SQUARES[sage] for sage in sages])
    left = "-" if phase in (DRAW, CHANCE) else str(steps)
    counts = ",".join([f"{letter}{count}" for letter, count in zip(ELEMENTS, bag, strict=True)])
    return (
        f"{board_string(board)} {places} {seat} {phase_string(position)} {hand or '-'} {left}"
        f" {squares_string(used)} {counts} {turn}"
    )
