"""A drawing of a position of Sages Tafl."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from tourney.games.diagram import LAST, Arrow, Cell, Diagram, Label, Mark, Piece, field, fill, join, tray
from tourney.games.sages_tafl import board
from tourney.games.sages_tafl.game import standing_end

_KINDS = ("apprentice", "skyship", "sage")
_BOTTOM = 2 * (board.HEIGHT - 1)
_TOWER_X = 7


def _xy(place: int) -> tuple[int, int]:
    """Return the centre of a square or a tower; rank 1, Black's, is at the bottom."""
    if place == board.BLACK_TOWER:
        return _TOWER_X, _BOTTOM - 1
    if place == board.RED_TOWER:
        return _TOWER_X, 1
    file, rank = divmod(place, board.HEIGHT)
    return 2 * file, _BOTTOM - 2 * rank


def _ground(rank: int) -> str:
    if rank == board.RIVER:
        return "river"
    return "bank" if rank in board.BANKS else "plain"


_CELLS = (
    *(Cell(*_xy(place), _ground(place % board.HEIGHT), board.NAMES[place]) for place in range(board.SQUARES)),
    *(Cell(*_xy(tower), "tower", "tower", "point") for tower in (board.BLACK_TOWER, board.RED_TOWER)),
)
_LABELS = (
    *(Label(2 * file, _BOTTOM + 2, name) for file, name in enumerate(board.FILES)),
    *(Label(-2, _BOTTOM - 2 * rank, name) for rank, name in enumerate(board.RANKS)),
)


@cache
def _piece(place: int, letter: int) -> Piece:
    """Return a piece at a place: one value for each of these, so that what is drawn is found quickly."""
    side = 0 if letter in board.LETTERS[0] else 1
    kind = _KINDS[board.LETTERS[side].index(letter)]
    where = board.NAMES[place] if place < board.SQUARES else "in the tower"
    return Piece(*_xy(place), chr(letter), side + 1, kind, f"{board.SIDES[side]} {kind} {where}")


def _last(text: str, mover: int) -> tuple[tuple[Mark, ...], tuple[Arrow, ...]]:
    """Mark the source and the target of the last action; its captures are not in the position."""
    action = board.parse_action(text)
    if action == board.PASS:
        return (), ()
    source, target = action >> board.SHIFT, action & board.TARGET
    start = _xy(board.SQUARES + mover - 1 if source == board.FROM_TOWER else source)
    if target == board.OFF:
        return (Mark(*start, "from"),), ()
    return (Mark(*start, "from"), Mark(*_xy(target), "to")), (Arrow(*start, *_xy(target)),)


_GROUND = Diagram(_CELLS, labels=_LABELS)
_TOWERS, _TURN, _GONE = 10, 11, 12
"""Indices of parts: the ground, the ranks from the highest, towers, turn, lost pieces, last action."""
_TOLD = (
    f"points: Black {field(3, 0)}, Red {field(3, 1)} ({board.WIN} win)",
    f"quiet actions: {field(4)} of {board.QUIET_LIMIT}; actions: {field(5)} of {board.PLY_LIMIT}",
)


def parts_of(view: str, last: str | None) -> tuple[Hashable, ...]:
    """Return the parts of a diagram, for ``part_of``: strings, the material, the last action and its seat."""
    ranks, seat, towers, points, quiet, ply = view.split(" ")
    count = ranks.count
    material = count("A"), count("F"), count("S"), count("a"), count("f"), count("s"), towers, points
    over = _over(material, quiet == _QUIET, ply == _PLY)
    return ("", *ranks.split("/"), towers, over or seat, material, (last, seat))


Material = tuple[int, int, int, int, int, int, str, str]
"""Black's apprentices, skyships and sages on the squares, Red's, the towers and the points."""
_QUIET, _PLY = str(board.QUIET_LIMIT), str(board.PLY_LIMIT)


@lru_cache(4096)
def _over(material: Material, quiet: bool, long: bool) -> str:
    """Return why the game is over, as far as a position without its history says, or ""."""
    *counts, towers, points = material
    letters = "".join(letter * count for letter, count in zip("AFSafs", counts, strict=True))
    letters += towers.replace("T", "S").replace("t", "s")
    black, red = map(int, points.split(":"))
    return standing_end(letters.encode(), (black, red), board.QUIET_LIMIT * quiet, board.PLY_LIMIT * long)


def _gone(material: Material) -> tuple[int, ...]:
    """Return for each side its captured apprentices and skyships, its escaped apprentices and sages."""
    *counts, towers, points = material
    found: list[int] = []
    for side, scored in enumerate(points.split(":")):
        apprentices, skyships, sages = counts[3 * side : 3 * side + 3]
        gone = int(not sages and "Tt"[side] not in towers)
        escaped = int(scored) - board.SAGE_WORTH * gone
        found += [_APPRENTICES - apprentices - escaped, _SKYSHIPS - skyships, escaped, gone]
    return tuple(found)


def _aside(counts: tuple[int, ...]) -> Iterator[Piece]:
    """Yield captured pieces beyond the other side's edge, and escaped ones beside the river's east end."""
    for side, (y, step) in enumerate(((-3, -2), (_BOTTOM + 4, 2))):
        letters = (0, 1, 0, 2)
        for place, (letter, count) in enumerate(zip(letters, counts[4 * side : 4 * side + 4], strict=True)):
            if count:
                kind, glyph = _KINDS[letter], chr(board.LETTERS[side][letter])
                fate = "captured" if place < _ESCAPED else "escaped"
                piece = Piece(0, 0, glyph, side + 1, kind, f"{board.SIDES[side]} {kind}, {fate}")
                off = place - _ESCAPED
                x, at = (3 * place, y) if off < 0 else (_EAST, _RIVER_Y - step * (1 + off))
                yield from tray(x, at, piece, count)


_APPRENTICES, _SKYSHIPS = 8, 2
_ESCAPED = 2
"""The index of the first count of escaped pieces of a side."""
_EAST, _RIVER_Y = 2 * len(board.FILES) + 1, _BOTTOM - 2 * board.RIVER


def part_of(index: int, part: Any) -> Diagram:
    """Return a part of a diagram."""
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
        return Diagram(notes=(now, *_TOLD))
    if index == _GONE:
        return Diagram(pieces=tuple(_aside(_gone(part))))
    last, seat = part
    if not last:
        return Diagram()
    marks, arrows = _last(last, 3 - int(seat))
    return Diagram(marks=marks, arrows=arrows, notes=(f"last: {LAST}",))


_RUN = re.compile("[0-9]")


def diagram_of(view: str, last: str | None) -> Diagram:
    """Return the diagram of a position string, with the last action marked."""
    board.parse_position(view)
    drawn = join(part_of(index, part) for index, part in enumerate(parts_of(view, last)))
    pieces = sorted(drawn.pieces, key=lambda piece: (piece.x == _TOWER_X, piece.x, -piece.y))
    return replace(drawn, pieces=tuple(pieces), notes=fill(drawn.notes, view, last))
