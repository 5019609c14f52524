"""Where each kind of piece may go: the section "Moves" of the rules, and tables of its answers.

What a piece may do depends on a few bits of the board only. The board's ``ground`` is one integer:

- bit ``square``: something stands there;
- bit ``72 + square``: a skyship stands there;
- bit ``144 + file``: a Black piece stands in the river on that file; ``152 + file``: a Red one.

``REACH[side][piece]`` is a pair: the mask of the bits that matter to a piece on its square, and a table
from ``ground & mask`` to its actions, ascending. A table is filled as it is asked.

A piece is one byte, ``3 * square + kind``, or ``TOWER`` for a sage in its tower; so the sorted bytes of a
side list its pieces in the order of their actions.
"""

from collections.abc import Callable, Iterable
from itertools import chain

from tourney.games.sages_tafl.board import (
    BANKS,
    EMPTY,
    FILES,
    FROM_TOWER,
    HEIGHT,
    LETTERS,
    OFF,
    PLACES,
    RIVER,
    SHIFT,
    SQUARES,
    TOWER_SQUARES,
    TaflAction,
)

_WIDTH = len(FILES)
_SHIPS = SQUARES
_RIVER_OF = (2 * SQUARES, 2 * SQUARES + _WIDTH)

APPRENTICE, SKYSHIP, SAGE = range(3)
TOWER = 3 * SQUARES

_MOST = 2048
"""Answers kept per piece and square; a table that is fuller is begun anew, so memory is bounded."""

Targets = Callable[[int], list[int]]
"""From a ground to the targets of one piece on one square."""


def _at(file: int, rank: int) -> int:
    """Return the square, or -1 off the board."""
    return HEIGHT * file + rank if 0 <= file < _WIDTH and 0 <= rank < HEIGHT else -1


def _ray(start: int, df: int, dr: int) -> tuple[int, ...]:
    file, rank = divmod(start, HEIGHT)
    ray = []
    while (square := _at(file := file + df, rank := rank + dr)) >= 0:
        ray.append(square)
    return tuple(ray)


_RAYS = {
    (df, dr): tuple(_ray(start, df, dr) for start in range(SQUARES))
    for df in (-1, 0, 1)
    for dr in (-1, 0, 1)
    if df or dr
}
_DIAGONALS = tuple(
    tuple(square for df in (-1, 1) for dr in (-1, 1) for square in _RAYS[df, dr][start][:1])
    for start in range(SQUARES)
)
"""By square, the squares diagonally next to it."""


def _line(start: int, df: int, dr: int, steps: int) -> tuple[int, ...]:
    return _RAYS[df, dr][start][:steps]


def _slide(ground: int, line: tuple[int, ...]) -> list[int]:
    """Return the squares of a line before the first that is occupied."""
    free = []
    for square in line:
        if ground >> square & 1:
            break
        free.append(square)
    return free


def _to_bank(start: int, dr: int) -> tuple[int, ...]:
    """Return the squares ahead along a file that an apprentice outside the river may slide over."""
    rank = start % HEIGHT
    if (rank < RIVER) == (dr > 0):
        return _line(start, 0, dr, max(abs(RIVER - rank) - 1, 1))
    return _line(start, 0, dr, HEIGHT)


def _hop(start: int, side: int) -> tuple[int, Targets]:
    """From a bank over a friend in the river on the same file to the other bank."""
    file, rank = divmod(start, HEIGHT)
    if rank not in BANKS:
        return 0, lambda _: []
    friend, target = 1 << _RIVER_OF[side] + file, _at(file, 2 * RIVER - rank)

    def targets(ground: int) -> list[int]:
        return [target] if ground & friend and not ground >> target & 1 else []

    return friend | 1 << target, targets


def _bits(squares: Iterable[int]) -> int:
    bits = 0
    for square in squares:
        bits |= 1 << square
    return bits


def _apprentice(start: int, side: int) -> tuple[int, Targets]:
    """Any number of squares along rank or file, into the river by one step from a bank, out by one step."""
    in_river = start % HEIGHT == RIVER
    across = [_line(start, df, 0, _WIDTH) for df in (-1, 1)]
    along = [_line(start, 0, dr, 1) if in_river else _to_bank(start, dr) for dr in (-1, 1)]
    lines = across + along
    hop_mask, hop = _hop(start, side)

    def targets(ground: int) -> list[int]:
        found = [square for line in lines for square in _slide(ground, line)]
        if in_river and any(len(_slide(ground, line)) == len(line) for line in across):
            found.append(OFF)
        return found + hop(ground)

    return _bits(chain(*lines)) | hop_mask, targets


def _sage(start: int, side: int) -> tuple[int, Targets]:
    """One square in any direction, a hop over a friend in the river, or off from either end of it."""
    near = [s for df in (-1, 0, 1) for dr in (-1, 0, 1) if df or dr for s in _line(start, df, dr, 1)]
    hop_mask, hop = _hop(start, side)
    off = [OFF] if start in (_at(0, RIVER), _at(_WIDTH - 1, RIVER)) else []

    def targets(ground: int) -> list[int]:
        return [square for square in near if not ground >> square & 1] + off + hop(ground)

    return _bits(near) | hop_mask, targets


def _skyship(start: int, side: int) -> tuple[int, Targets]:  # noqa: ARG001 - the kinds share a signature
    """One or two diagonal steps over anything but a skyship, to an empty square other than the first."""
    ways = [(first, [s for s in _DIAGONALS[first] if s != start]) for first in _DIAGONALS[start]]

    def targets(ground: int) -> list[int]:
        found = {first for first, _ in ways}
        found.update(s for first, seconds in ways if not ground >> _SHIPS + first & 1 for s in seconds)
        return [square for square in found if not ground >> square & 1]

    firsts = _bits(_DIAGONALS[start])
    seconds = _bits(chain.from_iterable(seconds for _, seconds in ways))
    return firsts | seconds | firsts << _SHIPS, targets


def _tower(side: int) -> tuple[int, Targets]:
    """One of the tower's four squares."""
    foot = list(TOWER_SQUARES[side])
    return _bits(foot), lambda ground: [square for square in foot if not ground >> square & 1]


class Reach(dict[int, tuple[int, ...]]):
    """The actions of one piece on one square, by the bits of the ground that matter to it."""

    __slots__ = ("_source", "_targets")

    def __init__(self, source: int, targets: Targets) -> None:
        super().__init__()
        self._source = source << SHIFT
        self._targets = targets

    def __missing__(self, seen: int) -> tuple[int, ...]:
        if len(self) >= _MOST:
            self.clear()
        source = self._source
        found = self[seen] = tuple(TaflAction(source | target) for target in sorted(self._targets(seen)))
        return found


def _reach(side: int) -> tuple[tuple[int, Reach], ...]:
    pieces = []
    for start in range(SQUARES):
        for kind in (_apprentice, _skyship, _sage):
            mask, targets = kind(start, side)
            pieces.append((mask, Reach(start, targets)))
    mask, targets = _tower(side)
    return (*pieces, (mask, Reach(FROM_TOWER, targets)))


REACH = (_reach(0), _reach(1))
"""For each side, by piece: the mask of what matters to it, and its actions by ``ground & mask``."""


def _ground(side: int, kind: int) -> tuple[int, ...]:
    bits = []
    for place in range(SQUARES):
        file, rank = divmod(place, HEIGHT)
        bit = 1 << place
        if kind == SKYSHIP:
            bit |= 1 << _SHIPS + place
        if rank == RIVER:
            bit |= 1 << _RIVER_OF[side] + file
        bits.append(bit)
    return (*bits, 0, 0)


_KINDS = [(LETTERS[side][kind], side, kind) for side in (0, 1) for kind in (APPRENTICE, SKYSHIP, SAGE)]

GROUND = {letter: _ground(side, kind) for letter, side, kind in _KINDS}
"""By letter and place, the bits of the ground that a piece there sets; a tower has none."""

PIECE = {
    letter: tuple(bytes([3 * place + kind if place < SQUARES else TOWER]) for place in range(PLACES))
    for letter, _, kind in _KINDS
}
"""By letter and place, the piece's byte."""


def ground_of(board: bytes) -> int:
    """Return the ground of a board."""
    return sum(GROUND[letter][place] for place, letter in enumerate(board) if letter != EMPTY)


def pieces_of(board: bytes, side: int) -> bytes:
    """Return a side's pieces on a board, ascending."""
    mine = LETTERS[side]
    return b"".join(PIECE[letter][place] for place, letter in enumerate(board) if letter in mine)


def _lines_of_capture(start: int) -> tuple[tuple[int, int], ...]:
    lines = (_line(start, df, dr, 2) for df, dr in ((-1, 0), (0, -1), (0, 1), (1, 0)))
    return tuple((line[0], line[1]) for line in lines if len(line) == 2)


CAPTURES = tuple(_lines_of_capture(start) for start in range(SQUARES))
"""By square, in each orthogonal direction: the next square and the one after it, where both are squares."""
NEAR = tuple(_bits([near for near, _ in lines]) for lines in CAPTURES)
"""By square, the bits of the ground where a piece could be captured from it."""
