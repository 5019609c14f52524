"""The board of Element, ranges, the movement of sages, and actions as ints.

A square is the index of its name in string order (a1, a10, a11, a2, ...), so lists in the order of squares
are in the order of their strings. A board is bytes, one code per square. Actions are ints that sort like
their strings.

A *range* is Earth that is linked to a mountain, neighbour by neighbour. Range squares are never replaced, so
a range only grows; the board has separate codes for them.
"""

from collections.abc import Iterator
from operator import add

from tourney.errors import ActionError
from tourney.games.actions import IntAction

SIZE = 11
COLUMNS = "abcdefghijk"
SQUARES: tuple[str, ...] = tuple(sorted(f"{column}{row}" for column in COLUMNS for row in range(1, SIZE + 1)))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}
"""The squares by name."""

EMPTY = 0
WHIRLWIND = 4
"""The codes 1 to 4 are the numbers of Winds; 4 is the highest whirlwind."""
FIRE, WATER, EARTH, RANGE_EARTH, MOUNTAIN, SAGE = 5, 6, 7, 8, 9, 10
"""EARTH is a single Earth outside every range, RANGE_EARTH one inside; a mountain is always in a range."""

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Clockwise from north, as (columns, rows)."""
COMPASS: dict[str, int] = {"e": 2, "n": 0, "s": 4, "w": 6}
"""The four orthogonal directions by letter, in string order."""


def _place(square: int) -> tuple[int, int]:
    name = SQUARES[square]
    return COLUMNS.index(name[0]), int(name[1:]) - 1


PLACES: tuple[tuple[int, int], ...] = tuple(map(_place, range(SIZE * SIZE)))
"""The column and row of each square, from 0."""
_SQUARE_AT = {place: square for square, place in enumerate(PLACES)}


def _ray(square: int, direction: int) -> tuple[int, ...]:
    column, row = PLACES[square]
    columns, rows = DIRECTIONS[direction]
    ray = []
    while (step := _SQUARE_AT.get((column := column + columns, row := row + rows))) is not None:
        ray.append(step)
    return tuple(ray)


RAYS: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(_ray(square, direction) for direction in range(8)) for square in range(SIZE * SIZE)
)
"""By square and direction: the squares beyond it up to the edge."""
ORTHOGONAL: tuple[tuple[int, ...], ...] = tuple(
    tuple(rays[direction][0] for direction in COMPASS.values() if rays[direction]) for rays in RAYS
)
"""By square: its orthogonal neighbours."""
NEIGHBOURS: tuple[tuple[int, ...], ...] = tuple(tuple(ray[0] for ray in rays if ray) for rays in RAYS)
"""By square: its neighbours, up to eight."""
_ACROSS, _ALONG = (
    [bytes(abs(place[axis] - k) for place in PLACES) for k in range(SIZE)] for axis in range(2)
)
DISTANCE: tuple[bytes, ...] = tuple(bytes(map(add, _ACROSS[column], _ALONG[row])) for column, row in PLACES)
"""By two squares: the number of orthogonal steps between them."""
DIAGONAL: tuple[tuple[tuple[int, int, int], ...], ...] = tuple(
    tuple(
        (rays[direction][0], rays[direction - 1][0], rays[(direction + 1) % 8][0])
        for direction in (1, 3, 5, 7)
        if rays[direction]
    )
    for rays in RAYS
)
"""By square: its diagonal neighbours, each with the two squares that flank the step."""
JUMPS: tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...] = tuple(
    tuple(
        (ray, () if direction % 2 == 0 else (rays[direction - 1][0], rays[(direction + 1) % 8][0]))
        for direction, ray in enumerate(rays)
        if len(ray) > 1
    )
    for rays in RAYS
)
"""By square: the rays of possible jumps, each with the two squares that flank a diagonal first step."""


def is_range(code: int) -> bool:
    """Say whether a code belongs to a range."""
    return code in (RANGE_EARTH, MOUNTAIN)


def spread_range(board: bytearray, square: int) -> None:
    """Add all Earth linked to a range square to its range."""
    open_ = [square]
    while open_:
        for neighbour in NEIGHBOURS[open_.pop()]:
            if board[neighbour] == EARTH:
                board[neighbour] = RANGE_EARTH
                open_.append(neighbour)


def add_earth(board: bytearray, square: int) -> None:
    """Put an Earth on a square, which makes a mountain of an Earth there, and update the ranges."""
    if board[square] in (EARTH, RANGE_EARTH):
        board[square] = MOUNTAIN
    elif any(is_range(board[neighbour]) for neighbour in NEIGHBOURS[square]):
        board[square] = RANGE_EARTH
    else:
        board[square] = EARTH
        return
    spread_range(board, square)


Board = bytes | bytearray


def steps(board: Board, sage: int) -> list[int]:
    """Return the squares that a sage can step to."""
    found = [square for square in ORTHOGONAL[sage] if not board[square]]
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            found.append(square)
    return found


def jumps(board: Board, sage: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield a sage's jumps over used or unused Wind: the landing square and the Winds jumped."""
    for ray, flanks in JUMPS[sage]:
        if not EMPTY < board[ray[0]] <= WHIRLWIND:
            continue
        if flanks and is_range(board[flanks[0]]) and is_range(board[flanks[1]]):
            continue
        winds = 0
        for length, square in enumerate(ray):
            code = board[square]
            if not EMPTY < code <= WHIRLWIND:
                if winds < len(ray) and not board[ray[winds]]:
                    yield ray[winds], ray[:length]
                break
            winds += code


def is_captured(board: Board, sage: int) -> bool:
    """Say whether a sage has no step and no jump, regardless of steps left and used Wind."""
    for square in ORTHOGONAL[sage]:
        if not board[square]:
            return False
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            return False
    return next(jumps(board, sage), None) is None


def ways_out(board: Board, sage: int) -> set[int]:
    """Return the squares within one step or one jump of a sage, over used or unused Wind."""
    return {*steps(board, sage), *(landing for landing, _ in jumps(board, sage))}


ELEMENTS = "AEFW"
"""Air (wind), Earth, Fire and Water, in the order of hands and bags."""
MOST_DRAWN = 4

_BLOCK = 128
PLACE: dict[str, int] = {letter: k * _BLOCK for k, letter in enumerate(ELEMENTS)}
"""By letter: the base of a placement; add the square."""
DRAW_0 = 4 * _BLOCK
"""``draw-0``; add the number of stones."""
END = DRAW_0 + MOST_DRAWN + 1
FLOW_TO: dict[str, int] = {letter: END + 1 + k for k, letter in enumerate(COMPASS)}
JUMP = 5 * _BLOCK
"""The base of jumps; add the landing square."""
RIVER_TO: dict[str, int] = {letter: 6 * _BLOCK + k for k, letter in enumerate(COMPASS)}
STEP = 7 * _BLOCK
"""The base of steps; add the square."""
_STONES = 8 * _BLOCK


def _hands(size: int, letters: str = ELEMENTS) -> Iterator[str]:
    """Yield the sorted hands of a size, in string order."""
    if size == 0:
        yield ""
        return
    for k, letter in enumerate(letters):
        for rest in _hands(size - 1, letters[k:]):
            yield letter + rest


STONES: dict[str, int] = {
    hand: _STONES + k
    for k, hand in enumerate(sorted(hand for size in range(1, MOST_DRAWN + 1) for hand in _hands(size)))
}
"""By hand, sorted ``A E F W``: the chance outcome."""
HANDS: dict[int, str] = {action: hand for hand, action in STONES.items()}
"""The hands of the chance outcomes."""

FLOW_LETTER: dict[int, str] = {action: letter for letter, action in FLOW_TO.items()}
RIVER_LETTER: dict[int, str] = {action: letter for letter, action in RIVER_TO.items()}


def _all_strings() -> Iterator[tuple[int, str]]:
    for square, name in enumerate(SQUARES):
        for letter, base in PLACE.items():
            yield base + square, f"{letter}-{name}"
        yield JUMP + square, f"jump-{name}"
        yield STEP + square, f"step-{name}"
    for number in range(MOST_DRAWN + 1):
        yield DRAW_0 + number, f"draw-{number}"
    yield END, "end"
    for letter in COMPASS:
        yield FLOW_TO[letter], f"flow-{letter}"
        yield RIVER_TO[letter], f"river-{letter}"
    for hand, action in STONES.items():
        yield action, f"stones-{hand}"


_STRINGS = dict(_all_strings())


class ElementAction(IntAction):
    """An action or an outcome of chance; ``str`` gives its string."""

    __slots__ = ()

    def __str__(self) -> str:
        return _STRINGS[self]


ACTIONS: dict[int, ElementAction] = {action: ElementAction(action) for action in _STRINGS}
"""The actions by their numbers."""
_BY_STRING = {text: ACTIONS[action] for action, text in _STRINGS.items()}


def action_string(action: int) -> str:
    """Return the string of an action."""
    return _STRINGS[action]


def parse_action(text: str) -> int:
    """Return the action of a string, legal or not. Raises ActionError."""
    action = _BY_STRING.get(text)
    if action is None:
        raise ActionError(
            f"{text!r} is no action of element; write draw-N, stones-XXXX (sorted A E F W), X-SQUARE with X"
            " in A E F W, step-SQUARE, jump-SQUARE, river-D, flow-D with D in e n s w, or end"
        )
    return action


def placed_letter(action: int) -> str:
    """Return the letter of the stone that a placement places."""
    return ELEMENTS[action // _BLOCK]


def named_square(action: int) -> int:
    """Return the square of a placement, a step or a jump."""
    return action % _BLOCK
