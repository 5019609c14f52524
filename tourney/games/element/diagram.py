"""The diagram of a position of Element."""

from collections.abc import Iterator
from itertools import pairwise

from tourney.errors import ActionError
from tourney.games.diagram import Arrow, Cell, Diagram, Label, Mark, Piece, tray
from tourney.games.element import board
from tourney.games.element.position import (
    CHANCE,
    FLOW,
    LAST_TURN,
    RIVER,
    Position,
    board_order,
    phase_string,
)

_SHAPES: dict[int, tuple[str, str, str]] = {
    board.FIRE: ("F", "fire", "Fire"),
    board.WATER: ("W", "water", "Water"),
    board.EARTH: ("E", "earth", "Earth"),
    board.RANGE_EARTH: ("E", "range", "Earth of a range"),
    board.MOUNTAIN: ("M", "mountain", "a mountain"),
    1: ("1", "wind", "Wind"),
    **{
        winds: (str(winds), "whirlwind", f"a whirlwind of {winds}") for winds in range(2, board.WHIRLWIND + 1)
    },
}
"""By code: glyph, kind and title."""


def _at(square: int) -> tuple[int, int]:
    column, row = board.PLACES[square]
    return 2 * column, 2 * (board.SIZE - 1 - row)


_IN_ORDER = sorted(range(board.SIZE * board.SIZE), key=board_order)
_CELLS = tuple(Cell(*_at(square), "plain", board.SQUARES[square]) for square in _IN_ORDER)
_LABELS = (
    *(Label(2 * column, 2 * board.SIZE, letter) for column, letter in enumerate(board.COLUMNS)),
    *(Label(-2, 2 * (board.SIZE - row), str(row)) for row in range(1, board.SIZE + 1)),
)


def diagram_of(position: Position, last: str | None) -> Diagram:
    """Return the diagram of a position; ``last`` is the last action's string."""
    marks = [Mark(*_at(square), "used") for square in sorted(position.used, key=board_order)]
    arrows: list[Arrow] = []
    if position.phase in (RIVER, FLOW):
        way = (position.head, *position.path_squares)
        marks.append(Mark(*_at(position.head), "from"))
        marks += [Mark(*_at(square), "to") for square in way[1:]]
        arrows += [Arrow(*_at(one), *_at(two)) for one, two in pairwise(way)]
    notes = _notes(position)
    if last is not None:
        notes = (*notes, f"last: {last}")
        square = _square_of(last)
        if square is not None and not arrows and position.phase != RIVER:
            marks.append(Mark(*_at(square), "to"))
    return Diagram(_CELLS, _pieces(position), tuple(marks), tuple(arrows), _LABELS, notes)


def _square_of(text: str) -> int | None:
    """Return the square that an action's string names, or None."""
    try:
        action = board.parse_action(text)
    except ActionError:
        return None
    if (
        board.DRAW_0 <= action <= board.END
        or action in board.FLOW_LETTER
        or action in board.RIVER_LETTER
        or action in board.HANDS
    ):
        return None
    return board.named_square(action)


def _pieces(position: Position) -> tuple[Piece, ...]:
    codes = position.board
    stones = []
    for square in _IN_ORDER:
        if codes[square] not in (board.EMPTY, board.SAGE):
            glyph, kind, title = _SHAPES[codes[square]]
            stones.append(Piece(*_at(square), glyph, 0, kind, f"{title} on {board.SQUARES[square]}"))
    sages = [
        Piece(*_at(sage), f"S{seat}", seat, "sage", f"the sage of seat {seat} on {board.SQUARES[sage]}")
        for seat, sage in enumerate(position.sages, 1)
    ]
    return (*stones, *sages, *_aside(position))


_ASIDE = 2 * board.SIZE + 1
"""The x of hand and bag, right of the board."""


def _aside(position: Position) -> Iterator[Piece]:
    """Yield the stones in hand and in the bag, beside the board."""
    yield Piece(_ASIDE, 0, "hand", 0, "caption", aside=True)
    for place, letter in enumerate(position.hand):
        glyph, kind, title = _SHAPES[_STONES[letter]]
        yield Piece(_ASIDE, 2 + 2 * place, glyph, 0, kind, f"{title} in hand", aside=True)
    yield Piece(_ASIDE, 12, "bag", 0, "caption", aside=True)
    for place, (letter, count) in enumerate(zip(board.ELEMENTS, position.bag, strict=True)):
        glyph, kind, title = _SHAPES[_STONES[letter]]
        yield from tray(_ASIDE, 14 + 2 * place, Piece(0, 0, glyph, 0, kind, f"{title} in the bag"), count)


_STONES = {"A": 1, "E": board.EARTH, "F": board.FIRE, "W": board.WATER}
"""The code of a single stone by its letter."""


def _notes(position: Position) -> tuple[str, ...]:
    bag = ", ".join(f"{letter} {count}" for letter, count in zip(board.ELEMENTS, position.bag, strict=True))
    captured = position.captured()
    if captured:
        who = "captured: " + ", ".join(f"seat {seat}" for seat in captured)
    elif position.turn == LAST_TURN:
        who = "the game is over"
    elif position.phase == CHANCE:
        who = f"chance draws {position.drawn} for seat {position.seat}"
    else:
        who = f"seat {position.seat} to act: {phase_string(position)}"
    return (
        f"turn {position.turn} of {LAST_TURN} completed; {who}",
        f"hand: {' '.join(position.hand) or 'none'}; steps left: {position.steps}",
        f"bag: {bag}",
    )
