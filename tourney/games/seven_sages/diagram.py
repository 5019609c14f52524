"""The diagram of a position of the Seven Sages."""

from tourney.errors import ActionError
from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece
from tourney.games.seven_sages.board import (
    BARBARIAN,
    CITIES,
    FILES,
    LAST_PLY,
    LAST_ROUND,
    PASS,
    SIZE,
    SQUARES,
    WINNING_POINTS,
    Position,
    is_oust,
    leaving_square,
    oust_square,
    parse_action,
    plain_target,
    rest_square,
)

_SEAT_NAMES = {1: "Red", 2: "Blue"}


def _at(square: int) -> tuple[int, int]:
    file, rank = divmod(square, SIZE)
    return 2 * file, 2 * (SIZE - 1 - rank)


def _ground(square: int) -> str:
    for seat, city in CITIES.items():
        if city >> square & 1:
            return f"city-{seat}"
    return "barbarian" if BARBARIAN >> square & 1 else "kingdom"


_CELLS = tuple(Cell(*_at(square), _ground(square), name) for square, name in enumerate(SQUARES))
_LABELS = (
    *(Label(2 * file, 2 * SIZE, letter) for file, letter in enumerate(FILES)),
    *(Label(-2, 2 * (SIZE - rank), str(rank)) for rank in range(1, SIZE + 1)),
)


def diagram_of(position: Position, last: str | None) -> Diagram:
    """Return the diagram of a position; ``last`` is the last action's string."""
    marks, arrows, notes = _trace(last)
    return Diagram(_CELLS, _pieces(position), marks, arrows, _LABELS, (*_notes(position), *notes))


def _pieces(position: Position) -> tuple[Piece, ...]:
    sages = [
        Piece(*_at(sage), "S", seat, "sage", f"{_SEAT_NAMES[seat]}'s sage on {SQUARES[sage]}")
        for seat, side in ((1, position.red), (2, position.blue))
        for sage in side
    ]
    return (*sages, Piece(*_at(position.fool), "F", 0, "fool", f"the fool on {SQUARES[position.fool]}"))


def _notes(position: Position) -> tuple[str, ...]:
    red, blue = position.points
    begun = f"begun by {_SEAT_NAMES[position.starter]}"
    turn = "the game is over" if position.is_over else f"{_SEAT_NAMES[position.seat]} to act"
    return (
        f"points: Red {red}, Blue {blue} ({WINNING_POINTS} win)",
        f"round {position.round_} of {LAST_ROUND}, {begun}, {position.ply} of {LAST_PLY} actions; {turn}",
    )


def _trace(last: str | None) -> tuple[tuple[Mark, ...], tuple[Arrow, ...], tuple[str, ...]]:
    """Return the marks and arrows of the last action, and a note."""
    if last is None:
        return (), (), ()
    try:
        action = parse_action(last)
    except ActionError:
        return (), (), ()
    notes = (f"last: {last}",)
    if action == PASS:
        return (), (), notes
    leaving = _at(leaving_square(action))
    if not is_oust(action):
        target = _at(plain_target(action))
        return (Mark(*leaving, "from"), Mark(*target, "to")), (Arrow(*leaving, *target),), notes
    fool, rest = _at(oust_square(action)), _at(rest_square(action))
    marks = (Mark(*leaving, "from"), Mark(*fool, "captured"), Mark(*rest, "to"))
    return marks, (Arrow(*leaving, *fool), Arrow(*fool, *rest)), notes
