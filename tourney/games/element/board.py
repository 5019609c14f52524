"""The board of Element: squares, directions, and what may lie on a square.

A square is an int, its name's place in string order (a1, a10, a11, a2, ...), so that a list made in the
order of squares is in the order of its strings. A board is bytes, one code a square.
"""

from collections.abc import Iterator
from operator import add

from tourney.errors import ActionError

SIZE = 11
COLUMNS = "abcdefghijk"
SQUARES: tuple[str, ...] = tuple(sorted(f"{column}{row}" for column in COLUMNS for row in range(1, SIZE + 1)))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}
"""The squares by name."""

EMPTY = 0
WHIRLWIND = 4
"""1 to 4 are Winds, as many as the code; 4 is the highest whirlwind."""
FIRE, WATER, EARTH, RANGE_EARTH, MOUNTAIN, SAGE = 5, 6, 7, 8, 9, 10
"""EARTH is one Earth outside every range, RANGE_EARTH one Earth inside; a mountain is always a range."""

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""North and on clockwise, as (columns, rows)."""
COMPASS: dict[str, int] = {"e": 2, "n": 0, "s": 4, "w": 6}
"""The four orthogonal directions by letter, in string order."""


def _place(square: int) -> tuple[int, int]:
    name = SQUARES[square]
    return COLUMNS.index(name[0]), int(name[1:]) - 1


PLACES: tuple[tuple[int, int], ...] = tuple(map(_place, range(SIZE * SIZE)))
"""By square: its column and row, from 0."""
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
"""By square and direction: the squares from it (itself left out) to the board's edge."""
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
"""By two squares: the orthogonal steps from one to the other."""
DIAGONAL: tuple[tuple[tuple[int, int, int], ...], ...] = tuple(
    tuple(
        (rays[direction][0], rays[direction - 1][0], rays[(direction + 1) % 8][0])
        for direction in (1, 3, 5, 7)
        if rays[direction]
    )
    for rays in RAYS
)
"""By square: its diagonal neighbours, each with the two squares that flank the step there."""
JUMPS: tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...] = tuple(
    tuple(
        (ray, () if direction % 2 == 0 else (rays[direction - 1][0], rays[(direction + 1) % 8][0]))
        for direction, ray in enumerate(rays)
        if len(ray) > 1
    )
    for rays in RAYS
)
"""By square: the rays that a jump can follow, each with the two squares that flank its first step, if any."""


def is_range(code: int) -> bool:
    """Say whether a square of that code is range."""
    return code in (RANGE_EARTH, MOUNTAIN)


def spread_range(board: bytearray, square: int) -> None:
    """Make range of all Earth that is linked to a range square."""
    open_ = [square]
    while open_:
        for neighbour in NEIGHBOURS[open_.pop()]:
            if board[neighbour] == EARTH:
                board[neighbour] = RANGE_EARTH
                open_.append(neighbour)


def add_earth(board: bytearray, square: int) -> None:
    """Put an Earth on a square: a mountain if one lies there already. Carry out what becomes range."""
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
    """Return the squares to which a sage can step."""
    found = [square for square in ORTHOGONAL[sage] if not board[square]]
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            found.append(square)
    return found


def jumps(board: Board, sage: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield a sage's jumps as the landing square and the run of Wind jumped, used Wind or not."""
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
    """Say whether a sage could make no step and no jump, whatever steps are left and Wind is used."""
    for square in ORTHOGONAL[sage]:
        if not board[square]:
            return False
    for square, one, two in DIAGONAL[sage]:
        if not board[square] and not (is_range(board[one]) and is_range(board[two])):
            return False
    return next(jumps(board, sage), None) is None


def ways_out(board: Board, sage: int) -> set[int]:
    """Return the squares that a sage could reach by one step or one jump, used Wind or not."""
    return {*steps(board, sage), *(landing for landing, _ in jumps(board, sage))}


ELEMENTS = "AEFW"
"""Air (wind), Earth, Fire and Water, in the order of hands and bags."""
MOST_DRAWN = 4

_BLOCK = 128
PLACE: dict[str, int] = {letter: k * _BLOCK for k, letter in enumerate(ELEMENTS)}
"""By letter: the placement's int, to which the square is added."""
DRAW_0 = 4 * _BLOCK
"""The int of ``draw-0``, to which the number is added."""
END = DRAW_0 + MOST_DRAWN + 1
FLOW_TO: dict[str, int] = {letter: END + 1 + k for k, letter in enumerate(COMPASS)}
JUMP = 5 * _BLOCK
"""To which the landing square is added."""
RIVER_TO: dict[str, int] = {letter: 6 * _BLOCK + k for k, letter in enumerate(COMPASS)}
STEP = 7 * _BLOCK
"""To which the square is added."""
_STONES = 8 * _BLOCK


def _hands(size: int, letters: str = ELEMENTS) -> Iterator[str]:
    """Yield the hands of a size, each sorted, in string order."""
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
"""By hand, sorted ``A E F W``: the int of its being drawn."""
HANDS: dict[int, str] = {action: hand for hand, action in STONES.items()}
"""The hands that chance gives, by int."""

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
_ACTIONS = {text: action for action, text in _STRINGS.items()}


def action_string(action: int) -> str:
    """Return an action's string."""
    return _STRINGS[action]


def parse_action(text: str) -> int:
    """Return the action that a string names. Raises ActionError; whether it is legal is not asked."""
    action = _ACTIONS.get(text)
    if action is None:
        raise ActionError(
            f"{text!r} is no action of element; one is draw-N, stones-XXXX (sorted A E F W), X-SQUARE with X"
            " in A E F W, step-SQUARE, jump-SQUARE, river-D, flow-D with D in e n s w, or end"
        )
    return action


def placed_letter(action: int) -> str:
    """Return the letter of the stone that a placement's int places."""
    return ELEMENTS[action // _BLOCK]


def named_square(action: int) -> int:
    """Return the square that a placement, a step or a jump names."""
    return action % _BLOCK
