"""The diagram and the readable view of a position of Sages Tafl."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import starmap
from types import MappingProxyType
from typing import Any

from tourney.games import view as views
from tourney.games.base import AnyGame
from tourney.games.compiled import core
from tourney.games.diagrams import (
    LAST,
    Arrow,
    Cell,
    Diagram,
    Mark,
    Piece,
    field,
    joined,
    square_labels,
    tray,
)
from tourney.games.sages_tafl import board

_KINDS = ("apprentice", "skyship", "sage")


def _ground(rank: int) -> str:
    if rank == board.RIVER:
        return "river"
    return "bank" if rank in board.BANKS else "plain"


_GROUND_OF = MappingProxyType({name: _ground(k % board.HEIGHT) for k, name in enumerate(board.NAMES)})
_SEEN = {
    letter: tuple(views.SquarePiece(name, kind, seat) for name in board.NAMES)
    for seat, letters in enumerate(board.LETTERS, 1)
    for kind, letter in zip(_KINDS, letters, strict=True)
}


@dataclass(frozen=True, slots=True)
class TaflView(views.View[views.SquarePiece]):
    """Grounds are "plain", "bank" and "river"; kinds "apprentice", "skyship" and "sage"."""

    seat: int
    """The seat to move."""
    points: tuple[int, int]
    """Black's and Red's."""
    sages: tuple[str, str]
    """The places of Black's and Red's sages: a square's name, "tower" or "escaped"."""
    quiet: int
    """Actions since the last capture or escape."""
    ply: int
    """Actions so far."""


def view_of(game: AnyGame, text: str) -> TaflView:
    """The view of a position string. Raises PositionError."""
    letters, seat, points, quiet, ply = board.parse_position(text)
    pieces = {
        board.NAMES[square]: _SEEN[letter][square]
        for square, letter in enumerate(letters[: board.SQUARES])
        if letter != board.EMPTY
    }
    sages = (_sage(letters, 0), _sage(letters, 1))
    return TaflView(game, text, _GROUND_OF, MappingProxyType(pieces), seat, points, sages, quiet, ply)


def _sage(letters: bytes, side: int) -> str:
    place = letters.find(board.SAGES[side])
    if place < 0:
        return "escaped"
    return "tower" if place == board.BLACK_TOWER + side else board.NAMES[place]


_BOTTOM = 2 * (board.HEIGHT - 1)
_TOWER_X = 7


def _xy(place: int) -> tuple[int, int]:
    """The centre of a square or a tower; rank 1, Black's, is at the bottom."""
    if place == board.BLACK_TOWER:
        return _TOWER_X, _BOTTOM - 1
    if place == board.RED_TOWER:
        return _TOWER_X, 1
    file, rank = divmod(place, board.HEIGHT)
    return 2 * file, _BOTTOM - 2 * rank


_CELLS = (
    *(Cell(*_xy(place), _ground(place % board.HEIGHT), board.NAMES[place]) for place in range(board.SQUARES)),
    *(Cell(*_xy(tower), "tower", "tower", "point") for tower in (board.BLACK_TOWER, board.RED_TOWER)),
)


@cache
def _piece(place: int, letter: int) -> Piece:
    """A piece at a place: one value for each of these, so that what is drawn is found quickly."""
    side = 0 if letter in board.LETTERS[0] else 1
    kind = _KINDS[board.LETTERS[side].index(letter)]
    where = board.NAMES[place] if place < board.SQUARES else "in the tower"
    return Piece(*_xy(place), chr(letter), side + 1, kind, f"{board.SIDES[side]} {kind} {where}")


def _last(text: str, mover: int) -> tuple[tuple[Mark, ...], tuple[Arrow, ...]]:
    """Mark the source and the target of the last action; its captures are not in the position."""
    action = board.parse_action(text)
    if action == board.PASS:
        return (), ()
    source = action >> board.SHIFT
    target = action & board.TARGET
    start = _xy(board.SQUARES + mover - 1 if source == board.FROM_TOWER else source)
    if target == board.OFF:
        return (Mark(*start, "from"),), ()
    return (Mark(*start, "from"), Mark(*_xy(target), "to")), (Arrow(*start, *_xy(target)),)


_GROUND = Diagram(_CELLS, labels=square_labels(board.FILES, board.RANKS))
_TOWERS = 10
_TURN = 11
_GONE = 12
"""Indices of parts: the ground, the ranks from the highest, towers, turn, lost pieces, last action."""
_COUNT_NOTES = (
    f"points: Black {field(3, 0)}, Red {field(3, 1)} ({board.WIN_POINTS} points win)",
    f"quiet actions: {field(4)} of {board.QUIET_LIMIT}; actions: {field(5)} of {board.PLY_LIMIT}",
)


def parts_of(view: str, last: str | None) -> tuple[Hashable, ...]:
    """The parts of a diagram, for ``part_of``: strings, the material, the last action and its seat."""
    ranks, seat, towers, points, quiet, ply = view.split(" ")
    material = "".join(sorted(filter(str.isalpha, ranks))), towers, points
    over = _over(material, quiet == _QUIET, ply == _PLY)
    return ("", *ranks.split("/"), towers, over or seat, material, (last, seat))


Material = tuple[str, str, str]
"""The pieces on the squares by their letters, sorted; the towers and the points."""
_QUIET = str(board.QUIET_LIMIT)
_PLY = str(board.PLY_LIMIT)


@lru_cache(4096)
def _over(material: Material, quiet: bool, long: bool) -> str:
    """Why the game is over, as far as a position without its history says, or ""."""
    pieces, towers, points = material
    # Where the pieces stand does not matter for it.
    letters = f"{pieces:.<{board.SQUARES}}{'S' if 'T' in towers else '.'}{'s' if 't' in towers else '.'}"
    black, red = map(int, points.split(":"))
    limits = board.QUIET_LIMIT * quiet, board.PLY_LIMIT * long
    position = core("sages_tafl").TaflCore()
    position.load(board.TaflPosition(letters.encode(), 1, (black, red), *limits))
    reason: str = position.reason()
    return reason


def _aside(material: Material) -> Iterator[Piece]:
    """Yield captured pieces beyond the other side's edge, and escaped ones beside the river's east end."""
    pieces, towers, points = material
    for side, (scored, y, step) in enumerate(zip(points.split(":"), (-3, _BOTTOM + 4), (-2, 2), strict=True)):
        apprentices, skyships, sages = map(pieces.encode().count, board.LETTERS[side])
        gone = int(not sages and "Tt"[side] not in towers)
        escaped = int(scored) - board.SAGE_WORTH * gone
        for kind, count, fate, x, at in (
            (0, _APPRENTICES - apprentices - escaped, "captured", 0, y),
            (1, _SKYSHIPS - skyships, "captured", 3, y),
            (0, escaped, "escaped", _EAST, _RIVER_Y - step),
            (2, gone, "escaped", _EAST, _RIVER_Y - 2 * step),
        ):
            if count:
                title = f"{board.SIDES[side]} {_KINDS[kind]}, {fate}"
                piece = Piece(0, 0, chr(board.LETTERS[side][kind]), side + 1, _KINDS[kind], title)
                yield from tray(x, at, piece, count)


_APPRENTICES = 8
_SKYSHIPS = 2
_EAST = 2 * len(board.FILES) + 1
_RIVER_Y = _BOTTOM - 2 * board.RIVER


def part_of(index: int, part: Any) -> Diagram:
    """A part of a diagram."""
    if index == 0:
        return _GROUND
    if index < _TOWERS:
        row = _RUN.sub(lambda run: "." * int(run[0]), part)
        places = range(_TOWERS - 1 - index, board.SQUARES, board.HEIGHT)
        occupied = [(p, ord(letter)) for p, letter in zip(places, row, strict=True) if letter != "."]
        return Diagram(pieces=tuple(_piece(*each) for each in occupied))
    if index == _TOWERS:
        sides = [side for side, letter in enumerate("Tt") if letter in part]
        return Diagram(pieces=tuple(_piece(board.SQUARES + side, board.SAGES[side]) for side in sides))
    if index == _TURN:
        now = f"{board.SIDES[int(part) - 1]} to move" if part.isdecimal() else f"over: {part}"
        return Diagram(notes=(now, *_COUNT_NOTES))
    if index == _GONE:
        return Diagram(pieces=tuple(_aside(part)))
    last, seat = part
    if not last:
        return Diagram()
    marks, arrows = _last(last, 3 - int(seat))
    return Diagram(marks=marks, arrows=arrows, notes=(f"last: {LAST}",))


_RUN = re.compile("[0-9]")


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a position string, with the last action marked."""
    board.parse_position(view)
    return joined(starmap(part_of, enumerate(parts_of(view, last))), view, last)
