"""The diagram and the readable view of a position or an observation of Nine-Tile Cyvasse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tourney.games import view as views
from tourney.games.base import AnyGame
from tourney.games.compiled import core
from tourney.games.cyvasse import board as cyvasse
from tourney.games.cyvasse.position import parse_fields
from tourney.games.diagrams import Arrow, Cell, Diagram, Label, Mark, Piece, tray

_GROUND_WORDS = dict(zip(cyvasse.GROUNDS, ("plain", "mountain", "water", "hidden"), strict=True))
_WORDS = {kind.code: kind.name.lower().replace(" ", "-") for kind in cyvasse.KINDS}


@dataclass(frozen=True, slots=True)
class CyvasseView(views.View[views.SquarePiece]):
    """Grounds are "plain", "mountain", "water" and "hidden": not laid yet, or hidden from the seat.

    Kinds are "rabble", "spears", "light-horse", "heavy-horse", "elephant", "crossbows", "trebuchet",
    "dragon", "tower" and "king".
    """

    seat: int
    """The seat that acts."""
    phase: str
    """"king", "tile" or "put" in the set-up, "play", "rabble" (a second Rabble may move), or "hidden": the
    other seat lays out its side."""
    tiles_left: tuple[int, ...]
    """In the phase "tile": the tiles still to lay."""
    placed: int
    """In the phase "put": the pieces placed so far, of 22."""
    next_kind: str
    """In the phase "put": the kind of the piece to place, else ""."""
    rabble: str
    """In the phase "rabble": the square of the Rabble that has moved, else ""."""
    quiet: int
    """Turns since the last capture."""
    turn: int
    """Turns completed since the set-up."""


def view_of(game: AnyGame, text: str) -> CyvasseView:
    """The view of a position string or an observation. Raises PositionError."""
    at = parse_fields(text)
    shown = views.diagram_view(game, text)
    word, left, placed, rabble = at.phase
    return CyvasseView(
        game, text, shown.squares, shown.board, at.seat, word, left, placed,
        _WORDS[cyvasse.PUT_ORDER[placed]] if word == "put" else "", cyvasse.NAMES[rabble] if rabble else "",
        at.quiet, at.turn,
    )  # fmt: skip


Place = tuple[int, int]


def _place(row: int, i: int) -> Place:
    """The centre of square i of a row; rows are centred, with row i at the top."""
    return 2 * i + max(cyvasse.LENGTHS) - cyvasse.LENGTHS[row], 2 * (len(cyvasse.ROWS) - row)


_PLACES = {
    cyvasse.NUMBER[f"{cyvasse.ROWS[row]}{i}"]: _place(row, i)
    for row in range(len(cyvasse.ROWS))
    for i in range(1, cyvasse.LENGTHS[row] + 1)
}


def _labels() -> tuple[Label, ...]:
    """Row names in the west, row lengths in the east, and the square numbers of rows a and i."""
    labels = []
    for row, length in enumerate(cyvasse.LENGTHS):
        (west, y), (east, _) = _place(row, 1), _place(row, length)
        labels += [Label(west - 2, y, cyvasse.ROWS[row]), Label(east + 2, y, str(length))]
    for row, down in ((0, 2), (len(cyvasse.ROWS) - 1, -2)):
        for i in range(1, cyvasse.LENGTHS[row] + 1):
            x, y = _place(row, i)
            labels.append(Label(x, y + down, str(i)))
    return tuple(labels)


_LABELS = _labels()


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a position string or an observation, with the last action marked.

    A hidden last action, ``?``, leaves no mark. Raises PositionError and ActionError.
    """
    fields = parse_fields(view)
    cells = tuple(
        Cell(*_PLACES[s], _GROUND_WORDS[fields.ground[s]], cyvasse.NAMES[s], "hex") for s in cyvasse.SQUARES
    )
    pieces = tuple(
        _piece(s, chr(fields.board[s])) for s in cyvasse.SQUARES if fields.board[s] != cyvasse.EMPTY
    )
    pieces += tuple(_captured(fields))
    marks, arrows = _last_action(fields, last) if last and last != "?" else ((), ())
    return Diagram(cells, pieces, marks, arrows, _LABELS, _notes(fields, last))


def _piece(s: int, code: str) -> Piece:
    side = 1 if code in cyvasse.CODES else 2
    title = f"{cyvasse.SEAT_NAMES[side - 1]} {cyvasse.NAME_OF[code.upper()]} on {cyvasse.NAMES[s]}"
    return Piece(*_PLACES[s], code, side, _WORDS[code.upper()], title)


def _captured(fields: cyvasse.CyvassePosition) -> Iterator[Piece]:
    """Yield the pieces that each side has captured, beside the board on its own side."""
    if not fields.in_play:
        return
    letters = bytes(fields.board[s] for s in cyvasse.SQUARES).decode()
    for side, y in ((2, 22), (1, -2)):
        x = 4
        for kind in cyvasse.KINDS:
            code = cyvasse.own_code(side, kind.code)
            lost = kind.number - letters.count(code)
            if lost:
                title = f"{cyvasse.SEAT_NAMES[side - 1]} {kind.name}, captured"
                yield from tray(x, y, replace(_piece(cyvasse.SQUARES[0], code), title=title), lost)
                x += 3


def _last_action(fields: cyvasse.CyvassePosition, last: str) -> tuple[tuple[Mark, ...], tuple[Arrow, ...]]:
    cyvasse.parse_action(last)
    word, *squares = re.split("[-x]", last)
    if word == "done":
        return (), ()
    if word == "tile":
        return tuple(Mark(*_PLACES[s], "to") for s in _block_laid_last(fields)), ()
    named = cyvasse.NUMBER[squares[0]]
    end = cyvasse.NUMBER[squares[-1]]
    if word in {"king", "put"}:
        return (Mark(*_PLACES[named], "to"),), ()
    start = cyvasse.NUMBER[word]
    captures = "x" in last
    marks = [Mark(*_PLACES[start], "from")]
    if captures:
        marks.append(Mark(*_PLACES[named], "captured"))
        if end == named and fields.board[named] == cyvasse.EMPTY:  # a Trebuchet stepped back instead
            end = cyvasse.behind(start, named)
    if not captures or end != named:
        marks.append(Mark(*_PLACES[end], "to"))
    return tuple(marks), (Arrow(*_PLACES[start], *_PLACES[end]),)


def _block_laid_last(fields: cyvasse.CyvassePosition) -> tuple[int, ...]:
    """The squares of the latest block, if the view shows them."""
    for plan in cyvasse.PLANS[fields.seat]:
        if chr(fields.board[plan.king]) in "Kk":
            blocks = [block.squares for block in plan.blocks]
            laid = [squares for squares in blocks if fields.ground[squares[0]] != cyvasse.UNLAID]
            return laid[-1] if laid else ()
    return ()


def _over(fields: cyvasse.CyvassePosition) -> str:
    """Who won and why, as far as a position without its history says; "" while a game goes on."""
    loser, winner = cyvasse.SEAT_NAMES[fields.seat - 1], cyvasse.SEAT_NAMES[2 - fields.seat]
    position = core("cyvasse").CyvasseCore()
    position.load(fields)
    return {
        "": "",
        "king": f"over: {winner} won, as {loser}'s King was captured",
        "no-action": f"over: {winner} won, as {loser} cannot act",
        "quiet": f"over: a draw after {cyvasse.QUIET_LIMIT} turns without a capture",
        "length": f"over: a draw after {cyvasse.TURN_LIMIT} turns",
    }[position.reason()]


def _notes(fields: cyvasse.CyvassePosition, last: str | None) -> tuple[str, ...]:
    name = cyvasse.SEAT_NAMES[fields.seat - 1]
    phase = fields.phase
    if phase.word == "king":
        now = f"{name} lays the king tile"
    elif phase.word == "tile":
        now = f"{name} lays a tile; still to lay: {' '.join(map(str, phase.left))}"
    elif phase.word == "put":
        piece = cyvasse.NAME_OF[cyvasse.PUT_ORDER[phase.placed]]
        now = f"{name} puts a piece, {piece}; {phase.placed} of {len(cyvasse.PUT_ORDER)} stand"
    elif phase.word == "hidden":
        now = f"{name} lays out its side, unseen"
    elif phase.word == "rabble":
        now = f"{name} may move a second Rabble, not that on {cyvasse.NAMES[phase.rabble]}"
    else:
        now = _over(fields) or f"{name} to move"
    notes = [now]
    if fields.in_play:
        notes.append(f"turns: {fields.turn}, since the last capture: {fields.quiet}")
    if last:
        notes.append(f"last: {last}")
    return tuple(notes)
