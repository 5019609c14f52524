"""The diagram of a position or of an observation."""

from collections.abc import Iterator
from dataclasses import replace

from tourney.games.cyvasse import actions
from tourney.games.cyvasse.board import (
    BEHIND,
    CODES,
    EMPTY,
    KINDS,
    LENGTHS,
    MOUNTAIN,
    NAMES,
    NUMBER,
    PLAIN,
    PLANS,
    PUT_ORDER,
    ROWS,
    SEAT_NAMES,
    SQUARES,
    UNLAID,
    WATER,
    finished,
    own_code,
)
from tourney.games.cyvasse.position import Position, parse_fields
from tourney.games.cyvasse.state import QUIET_LIMIT, TURN_LIMIT, Play
from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece, tray

_KIND_OF_CELL = {PLAIN: "plain", MOUNTAIN: "mountain", WATER: "water", UNLAID: "hidden"}
_NAME_OF = {kind.code: kind.name for kind in KINDS}

Place = tuple[int, int]


def _place(row: int, i: int) -> Place:
    """Return the centre of square i of a row; rows are centred, with row i at the top."""
    return 2 * i + max(LENGTHS) - LENGTHS[row], 2 * (len(ROWS) - row)


_PLACES = {
    NUMBER[f"{ROWS[row]}{i}"]: _place(row, i) for row in range(len(ROWS)) for i in range(1, LENGTHS[row] + 1)
}


def _labels() -> tuple[Label, ...]:
    """Return row names in the west, row lengths in the east, and the square numbers of rows a and i."""
    labels = []
    for row, length in enumerate(LENGTHS):
        (west, y), (east, _) = _place(row, 1), _place(row, length)
        labels += [Label(west - 2, y, ROWS[row]), Label(east + 2, y, str(length))]
    for row, down in ((0, 2), (len(ROWS) - 1, -2)):
        for i in range(1, LENGTHS[row] + 1):
            x, y = _place(row, i)
            labels.append(Label(x, y + down, str(i)))
    return tuple(labels)


_LABELS = _labels()


def diagram_of(view: str, last: str | None) -> Diagram:
    """Return the diagram of a position string or an observation, with the last action marked.

    A hidden last action, ``?``, leaves no mark. Raises PositionError and ActionError.
    """
    fields = parse_fields(view)
    cells = tuple(Cell(*_PLACES[s], _KIND_OF_CELL[fields.ground[s]], NAMES[s], "hex") for s in SQUARES)
    pieces = tuple(_piece(s, chr(fields.board[s])) for s in SQUARES if fields.board[s] != EMPTY)
    pieces += tuple(_captured(fields))
    marks, arrows = _last_action(fields, last) if last and last != "?" else ((), ())
    return Diagram(cells, pieces, marks, arrows, _LABELS, _notes(fields, last))


def _piece(s: int, code: str) -> Piece:
    side = 1 if code in CODES else 2
    name = _NAME_OF[code.upper()]
    kind = name.lower().replace(" ", "-")
    return Piece(*_PLACES[s], code, side, kind, f"{SEAT_NAMES[side - 1]} {name} on {NAMES[s]}")


def _captured(fields: Position) -> Iterator[Piece]:
    """Yield the pieces that each side has captured, beside the board on its own side."""
    if fields.phase.word not in {"play", "rabble"}:
        return
    letters = bytes(fields.board[s] for s in SQUARES).decode()
    for side, y in ((2, 22), (1, -2)):
        x = 4
        for kind in KINDS:
            code = own_code(side, kind.code)
            lost = kind.number - letters.count(code)
            if lost:
                title = f"{SEAT_NAMES[side - 1]} {kind.name}, captured"
                yield from tray(x, y, replace(_piece(SQUARES[0], code), title=title), lost)
                x += 3


def _last_action(fields: Position, last: str) -> tuple[tuple[Mark, ...], tuple[Arrow, ...]]:
    action = actions.parse_action(last)
    if last == "done":
        return (), ()
    word = last.partition("-")[0]
    if word in {"king", "put"}:
        s = actions.king_square(action) if word == "king" else actions.put_square(action)
        return (Mark(*_PLACES[s], "to"),), ()
    if word == "tile":
        return tuple(Mark(*_PLACES[s], "to") for s in _block_laid_last(fields)), ()
    start, captures = actions.origin(action)
    named = actions.target(action)
    end = actions.ride_to(action) or named
    marks = [Mark(*_PLACES[start], "from")]
    if captures:
        marks.append(Mark(*_PLACES[named], "captured"))
        if end == named and fields.board[named] == EMPTY:  # a Trebuchet stepped back instead
            end = BEHIND[start].get(named, 0) or start
    if not captures or end != named:
        marks.append(Mark(*_PLACES[end], "to"))
    return tuple(marks), (Arrow(*_PLACES[start], *_PLACES[end]),)


def _block_laid_last(fields: Position) -> tuple[int, ...]:
    """Return the squares of the latest block, if the view shows them."""
    for seat in (1, 2):
        for plan in PLANS[seat]:
            if chr(fields.board[plan.king]) in "Kk":
                laid = [block.squares for block in plan.blocks if fields.ground[block.squares[0]] != UNLAID]
                if laid and seat == fields.seat:
                    return laid[-1]
    return ()


def _over(fields: Position) -> str:
    """Return who won and why, as far as a position without its history says; "" while a game goes on."""
    name, other = SEAT_NAMES[fields.seat - 1], SEAT_NAMES[2 - fields.seat]
    ground = finished(fields.ground)
    reason = Play.at(ground, fields.board, fields.seat, 0, fields.quiet, fields.turn).reason()
    return {
        "": "",
        "king": f"over: {other} won, as {name}'s King was captured",
        "no-action": f"over: {other} won, as {name} cannot act",
        "quiet": f"over: a draw after {QUIET_LIMIT} turns without a capture",
        "length": f"over: a draw after {TURN_LIMIT} turns",
    }[reason]


def _notes(fields: Position, last: str | None) -> tuple[str, ...]:
    name = SEAT_NAMES[fields.seat - 1]
    phase = fields.phase
    if phase.word == "king":
        now = f"{name} lays the king tile"
    elif phase.word == "tile":
        now = f"{name} lays a tile; still to lay: {' '.join(map(str, phase.left))}"
    elif phase.word == "put":
        piece = _NAME_OF[PUT_ORDER[phase.placed]]
        now = f"{name} puts a piece, {piece}; {phase.placed} of {len(PUT_ORDER)} stand"
    elif phase.word == "hidden":
        now = f"{name} lays out its side, unseen"
    elif phase.word == "rabble":
        now = f"{name} may move a second Rabble, not that on {NAMES[phase.rabble]}"
    else:
        now = _over(fields) or f"{name} to move"
    notes = [now]
    if phase.word in {"play", "rabble"}:
        notes.append(f"turns: {fields.turn}, since the last capture: {fields.quiet}")
    if last:
        notes.append(f"last: {last}")
    return tuple(notes)
