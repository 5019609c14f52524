"""The diagram of a position of Sage Stones."""

from collections.abc import Iterator

from tourney.games.base import OVER
from tourney.games.diagram import Cell, Diagram, Label, Mark, Piece, tray
from tourney.games.sage_stones.board import (
    COLUMNS,
    EMPTY,
    FIRST_ROLL,
    HEIGHT,
    ROWS,
    SQUARES,
    STEP,
    parse_action,
)
from tourney.games.sage_stones.game import ROLL_LIMIT, StonesState, parse_position, parse_settings

_BOTTOM = 2 * (HEIGHT - 1)


def _xy(square: int) -> tuple[int, int]:
    """Return a square's centre: column 3 is on the left, row a at the bottom."""
    column, row = divmod(square, STEP)
    return 2 * column, _BOTTOM - 2 * row


_CELLS = tuple(Cell(*_xy(square), name=COLUMNS[square // STEP] + ROWS[square % STEP]) for square in SQUARES)
_LABELS = (
    *(Label(2 * column, _BOTTOM + 2, name) for column, name in enumerate(COLUMNS)),
    *(Label(-2, _BOTTOM - 2 * row, name) for row, name in enumerate(ROWS)),
)


_ASIDE = 2 * len(COLUMNS) + 1
"""The x of dice and hands, right of the board."""


def _kind(colour: int, seat: int) -> str:
    return "stone" if colour == seat else "second-stone"


def _piece(fields: StonesState, square: int) -> Piece:
    """Return a stone; its glyph is the number of its colour, since with two seats each owns two colours."""
    colour = fields.board[square] - ord("0")
    seat = fields.table.owner(colour)
    kind = _kind(colour, seat)
    where = COLUMNS[square // STEP] + ROWS[square % STEP]
    return Piece(*_xy(square), str(colour), seat, kind, f"stone of colour {colour} (seat {seat}) on {where}")


def _dice(last: str | None) -> Iterator[Piece]:
    """Yield the dice of a roll beside the board."""
    if last and last.startswith("roll-"):
        for place, face in enumerate(last.removeprefix("roll-")):
            yield Piece(_ASIDE, 2 * place, face, 0, "die", f"a die with {face}", aside=True)


def _hands(fields: StonesState) -> Iterator[Piece]:
    """Yield a stone of each colour beside the board, with the number in hand."""
    for colour in range(1, fields.table.colours + 1):
        if fields.hands[colour - 1] >= 0:
            seat = fields.table.owner(colour)
            stone = Piece(0, 0, str(colour), seat, _kind(colour, seat), f"stones of colour {colour} in hand")
            yield from tray(_ASIDE, 6 + 2 * colour, stone, fields.hands[colour - 1])


def _turn(fields: StonesState) -> str:
    who = f"colour {fields.colour} (seat {fields.table.owner(fields.colour)})"
    if fields.actor == OVER:
        return f"over; last turn: {who}"
    if fields.column is None:
        return f"{who} rolls"
    again = ", then another turn" if fields.again else ""
    return f"{who} places in column {COLUMNS[fields.column]}{again}"


def _hand(fields: StonesState, colour: int) -> str:
    hand = fields.hands[colour - 1]
    return f"{colour}: {hand}" if hand >= 0 else f"{colour}: done, rank {-hand}"


def diagram_of(view: str, last: str | None) -> Diagram:
    """Return the diagram of a position string, with the squares to choose from and the last action marked.

    Raises PositionError and ActionError.
    """
    fields = parse_position(view, parse_settings(view))
    marks = []
    if fields.column is not None:
        start = STEP * fields.column
        marks = [Mark(*_xy(s), "used") for s in range(start, start + HEIGHT) if fields.board[s] == EMPTY]
    notes = [
        _turn(fields),
        "in hand, by colour: " + ", ".join(_hand(fields, c) for c in range(1, fields.table.colours + 1)),
        f"rolls: {fields.rolls} of {ROLL_LIMIT}",
    ]
    if last:
        action = parse_action(last)
        if action < FIRST_ROLL:
            marks.append(Mark(*_xy(action), "to"))
            notes.append(f"last: {last}")
        else:
            notes.append(f"dice: {'-'.join(last.removeprefix('roll-'))}")
    pieces = tuple(_piece(fields, square) for square in SQUARES if fields.board[square] != EMPTY)
    pieces += (*_dice(last), *_hands(fields))
    return Diagram(_CELLS, pieces, tuple(marks), (), _LABELS, tuple(notes))
