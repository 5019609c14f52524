"""The board of Element, actions as ints, and the fields of a position.

A square is the index of its name in string order (a1, a10, a11, a2, ...), so lists in the order of squares
are in the order of their strings. A board is bytes, one code per square. Actions are ints that sort like
their strings.

A *range* is Earth that is linked to a mountain, neighbour by neighbour. Range squares are never replaced, so
a range only grows; the board has separate codes for them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations_with_replacement
from typing import NamedTuple

from tourney.games.core_game import IntAction, action_tables

SIZE = 11
COLUMNS = "abcdefghijk"
SQUARES: tuple[str, ...] = tuple(sorted(f"{column}{row}" for column in COLUMNS for row in range(1, SIZE + 1)))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}  # the squares by name

EMPTY = 0
WHIRLWIND = 4  # the codes 1 to 4 are the numbers of Winds; 4 is the highest whirlwind
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
"""The column and row of each square, from 0: squares sort by it as people read them."""
_SQUARE_AT = {place: square for square, place in enumerate(PLACES)}


def neighbour(square: int, direction: int) -> int | None:
    """The next square in a direction, or None at the edge."""
    column, row = PLACES[square]
    columns, rows = DIRECTIONS[direction]
    return _SQUARE_AT.get((column + columns, row + rows))


ELEMENTS = "AEFW"  # air (wind), Earth, Fire and Water, in the order of hands and bags
MOST_DRAWN = 4

_BLOCK = 128
PLACE: dict[str, int] = {letter: k * _BLOCK for k, letter in enumerate(ELEMENTS)}
"""By letter: the base of a placement; add the square."""
DRAW_0 = 4 * _BLOCK  # ``draw-0``; add the number of stones
END = DRAW_0 + MOST_DRAWN + 1
FLOW_TO: dict[str, int] = {letter: END + 1 + k for k, letter in enumerate(COMPASS)}
JUMP = 5 * _BLOCK  # the base of jumps; add the landing square
RIVER_TO: dict[str, int] = {letter: 6 * _BLOCK + k for k, letter in enumerate(COMPASS)}
STEP = 7 * _BLOCK  # the base of steps; add the square
_STONES = 8 * _BLOCK


_hands = (combinations_with_replacement(ELEMENTS, size) for size in range(1, MOST_DRAWN + 1))
STONES = {hand: _STONES + k for k, hand in enumerate(sorted(map("".join, chain(*_hands))))}
"""By hand, sorted ``A E F W``: the chance outcome."""
HANDS: dict[int, str] = {action: hand for hand, action in STONES.items()}  # the hands of the chance outcomes


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


_STRING_OF = dict(_all_strings())

action_string = _STRING_OF.__getitem__  # the string of an action


class ElementAction(IntAction, text=action_string):
    """An action or an outcome of chance."""

    __slots__ = ()


STRINGS, ACTIONS, parse_action = action_tables(
    ElementAction,
    _STRING_OF,
    "element; write draw-N, stones-XXXX (sorted A E F W), X-SQUARE with X in A E F W, step-SQUARE,"
    " jump-SQUARE, river-D, flow-D with D in e n s w, or end",
)


NAMES = {"A": "Wind", "E": "Earth", "F": "Fire", "W": "Water"}
"""The stones by their letters."""
_WORDS = {**NAMES, "e": "east", "n": "north", "s": "south", "w": "west"}


@cache
def action_words(text: str) -> str:
    """An action of a string in words, with no-break spaces."""
    kind, _, what = text.partition("-")
    if kind == "stones":
        return "\u00a0".join(NAMES[letter] for letter in what)
    return "\u00a0".join(_WORDS.get(word, word) for word in (kind, what) if word)


OF_A_KIND = 30
MOST_STEPS = 5  # the steps of a turn without stones; each stone drawn costs one
LAST_TURN = 200  # the number of turns in a game
START_SQUARES: dict[int, tuple[str, ...]] = {
    2: ("f5", "f7"),
    3: ("c3", "i3", "i9"),
    4: ("c3", "i3", "i9", "c9"),
}
"""By number of seats: the start squares of the sages."""

PHASES = DRAW, CHANCE, ACT, RIVER, FLOW = "draw", "chance", "act", "river", "flow"

STONE_LETTERS = ".1234FWEEM."  # by code: the letter in a position string


class ElementPosition(NamedTuple):
    """The fields of a position string; no history counts."""

    board: bytes  # a code per square; SAGE for the sages' squares
    sages: tuple[int, ...]
    seat: int  # the seat whose turn it is, also at chance
    phase: str
    hand: str  # letters, sorted
    steps: int  # steps left
    used: frozenset[int]
    bag: tuple[int, int, int, int]  # counts of stones, in the order of ``ELEMENTS``
    turn: int  # turns completed
    drawn: int = 0  # the number of stones to draw, at chance
    head: int = 0  # the headwater's square, in ``river`` and ``flow``
    direction: str = ""  # the river's direction, in ``flow``
    path: tuple[int, ...] = ()  # the squares of the flow so far
    river: tuple[int, ...] = ()  # the squares of the river that flows
    captured: tuple[int, ...] = ()  # the captured seats other than the mover; only the phase ``act`` has any


def start(seats: int) -> ElementPosition:
    """The start of a game."""
    sages = tuple(SQUARE[name] for name in START_SQUARES[seats])
    board = bytes(SAGE if square in sages else EMPTY for square in range(SIZE * SIZE))
    bag = (OF_A_KIND, OF_A_KIND, OF_A_KIND, OF_A_KIND)
    return ElementPosition(board, sages, 1, DRAW, "", 0, frozenset(), bag, 0)
