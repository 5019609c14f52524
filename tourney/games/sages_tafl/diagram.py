"""A drawing of a position of Sages Tafl."""

from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece
from tourney.games.sages_tafl import board
from tourney.games.sages_tafl.game import TaflState

_KINDS = ("apprentice", "skyship", "sage")
_BOTTOM = 2 * (board.HEIGHT - 1)


def _xy(place: int) -> tuple[int, int]:
    """Return the centre of a square or a tower; rank 1, Black's, is at the bottom."""
    if place == board.BLACK_TOWER:
        return 7, _BOTTOM - 1
    if place == board.RED_TOWER:
        return 7, 1
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


def _piece(place: int, letter: int) -> Piece:
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


def diagram_of(view: str, last: str | None) -> Diagram:
    """Return the diagram of a position string, with the last action marked."""
    fields = board.parse_position(view)
    over = TaflState.standing(fields).reason()
    marks, arrows = _last(last, 3 - fields.seat) if last else ((), ())
    notes = (
        f"over: {over}" if over else f"{board.SIDES[fields.seat - 1]} to move",
        f"points: Black {fields.points[0]}, Red {fields.points[1]} ({board.WIN} win)",
        f"quiet actions: {fields.quiet} of {board.QUIET_LIMIT}; actions: {fields.ply} of {board.PLY_LIMIT}",
        *((f"last: {last}",) if last else ()),
    )
    occupied = [(place, letter) for place, letter in enumerate(fields.board) if letter != board.EMPTY]
    pieces = tuple(_piece(*each) for each in occupied)
    return Diagram(_CELLS, pieces, marks, arrows, _LABELS, notes)
