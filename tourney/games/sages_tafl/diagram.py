"""A drawing of a position of Sages Tafl."""

from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece
from tourney.games.sages_tafl import board
from tourney.games.sages_tafl.board import (
    BANKS,
    BLACK_TOWER,
    EMPTY,
    FILES,
    FROM_TOWER,
    HEIGHT,
    LETTERS,
    NAMES,
    OFF,
    PASS,
    PLY_LIMIT,
    QUIET_LIMIT,
    RANKS,
    RED_TOWER,
    RIVER,
    SHIFT,
    SIDES,
    SQUARES,
    TARGET,
    WIN,
    parse_action,
)
from tourney.games.sages_tafl.game import TaflState

_KINDS = ("apprentice", "skyship", "sage")
_BOTTOM = 2 * (HEIGHT - 1)


def _xy(place: int) -> tuple[int, int]:
    """Return the centre of a square or a tower; rank 1, Black's, is at the bottom."""
    if place == BLACK_TOWER:
        return 7, _BOTTOM - 1
    if place == RED_TOWER:
        return 7, 1
    file, rank = divmod(place, HEIGHT)
    return 2 * file, _BOTTOM - 2 * rank


def _ground(rank: int) -> str:
    if rank == RIVER:
        return "river"
    return "bank" if rank in BANKS else "plain"


_CELLS = (
    *(Cell(*_xy(place), _ground(place % HEIGHT), NAMES[place]) for place in range(SQUARES)),
    *(Cell(*_xy(tower), "tower", "tower", "point") for tower in (BLACK_TOWER, RED_TOWER)),
)
_LABELS = (
    *(Label(2 * file, _BOTTOM + 2, name) for file, name in enumerate(FILES)),
    *(Label(-2, _BOTTOM - 2 * rank, name) for rank, name in enumerate(RANKS)),
)


def _piece(place: int, letter: int) -> Piece:
    side = 0 if letter in LETTERS[0] else 1
    kind = _KINDS[LETTERS[side].index(letter)]
    where = NAMES[place] if place < SQUARES else "in the tower"
    return Piece(*_xy(place), chr(letter), side + 1, kind, f"{SIDES[side]} {kind} {where}")


def _last(text: str, mover: int) -> tuple[tuple[Mark, ...], tuple[Arrow, ...]]:
    """Mark the source and the target of the last action; its captures are not in the position."""
    action = parse_action(text)
    if action == PASS:
        return (), ()
    source, target = action >> SHIFT, action & TARGET
    start = _xy(SQUARES + mover - 1 if source == FROM_TOWER else source)
    if target == OFF:
        return (Mark(*start, "from"),), ()
    return (Mark(*start, "from"), Mark(*_xy(target), "to")), (Arrow(*start, *_xy(target)),)


def diagram_of(view: str, last: str | None) -> Diagram:
    """Return the diagram of a position string, with the last action marked."""
    fields = board.parse_position(view)
    over = TaflState.standing(fields).reason()
    marks, arrows = _last(last, 3 - fields.seat) if last else ((), ())
    notes = (
        f"over: {over}" if over else f"{SIDES[fields.seat - 1]} to move",
        f"points: Black {fields.points[0]}, Red {fields.points[1]} ({WIN} win)",
        f"quiet actions: {fields.quiet} of {QUIET_LIMIT}; actions: {fields.ply} of {PLY_LIMIT}",
        *((f"last: {last}",) if last else ()),
    )
    pieces = tuple(_piece(place, letter) for place, letter in enumerate(fields.board) if letter != EMPTY)
    return Diagram(_CELLS, pieces, marks, arrows, _LABELS, notes)
