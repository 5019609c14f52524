"""The diagram of a position of the Seven Sages."""

from tourney.errors import ActionError
from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece
from tourney.games.seven_sages import board
from tourney.games.seven_sages.board import Position

_SEAT_NAMES = {1: "Red", 2: "Blue"}


def _at(square: int) -> tuple[int, int]:
    file, rank = divmod(square, board.SIZE)
    return 2 * file, 2 * (board.SIZE - 1 - rank)


def _ground(square: int) -> str:
    for seat, city in board.CITIES.items():
        if city >> square & 1:
            return f"city-{seat}"
    return "barbarian" if board.BARBARIAN >> square & 1 else "kingdom"


_CELLS = tuple(Cell(*_at(square), _ground(square), name) for square, name in enumerate(board.SQUARES))
_LABELS = (
    *(Label(2 * file, 2 * board.SIZE, letter) for file, letter in enumerate(board.FILES)),
    *(Label(-2, 2 * (board.SIZE - rank), str(rank)) for rank in range(1, board.SIZE + 1)),
)


def diagram_of(position: Position, last: str | None) -> Diagram:
    """Return the diagram of a position; ``last`` is the last action's string."""
    marks, arrows, notes = _trace(last)
    return Diagram(_CELLS, _pieces(position), marks, arrows, _LABELS, (*_notes(position), *notes))


def _pieces(position: Position) -> tuple[Piece, ...]:
    sages = [
        Piece(*_at(sage), "S", seat, "sage", f"{_SEAT_NAMES[seat]}'s sage on {board.SQUARES[sage]}")
        for seat, side in ((1, position.red), (2, position.blue))
        for sage in side
    ]
    return (*sages, Piece(*_at(position.fool), "F", 0, "fool", f"the fool on {board.SQUARES[position.fool]}"))


def _notes(position: Position) -> tuple[str, ...]:
    red, blue = position.points
    begun = f"begun by {_SEAT_NAMES[position.starter]}"
    turn = "the game is over" if position.is_over else f"{_SEAT_NAMES[position.seat]} to act"
    actions = f"{position.ply} of {board.LAST_PLY} actions"
    return (
        f"points: Red {red}, Blue {blue} ({board.WINNING_POINTS} win)",
        f"round {position.round_} of {board.LAST_ROUND}, {begun}, {actions}; {turn}",
    )


def _trace(last: str | None) -> tuple[tuple[Mark, ...], tuple[Arrow, ...], tuple[str, ...]]:
    """Return the marks and arrows of the last action, and a note."""
    if last is None:
        return (), (), ()
    try:
        action = board.parse_action(last)
    except ActionError:
        return (), (), ()
    notes = (f"last: {last}",)
    if action == board.PASS:
        return (), (), notes
    leaving = _at(board.leaving_square(action))
    if not board.is_oust(action):
        target = _at(board.plain_target(action))
        return (Mark(*leaving, "from"), Mark(*target, "to")), (Arrow(*leaving, *target),), notes
    fool, rest = _at(board.oust_square(action)), _at(board.rest_square(action))
    marks = (Mark(*leaving, "from"), Mark(*fool, "captured"), Mark(*rest, "to"))
    return marks, (Arrow(*leaving, *fool), Arrow(*fool, *rest)), notes
