"""The board of Element, actions as ints, and positions, strictly parsed.

A square is the index of its name in string order (a1, a10, a11, a2, ...), so lists in the order of squares
are in the order of their strings. A board is bytes, one code per square. Actions are ints that sort like
their strings.

A *range* is Earth that is linked to a mountain, neighbour by neighbour. Range squares are never replaced, so
a range only grows; the board has separate codes for them.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

from tourney.errors import PositionError
from tourney.games.compiled import core
from tourney.games.core_game import IntAction, action_tables
from tourney.games.position_fields import read_number, read_square, refuse, split_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tourney.games.element.core import ElementCore

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


_FIELDS = "BOARD SAGES SEAT PHASE HAND STEPS USED BAG TURN"
_ROW = re.compile(rf"[FWEM1-4.]{{{SIZE}}}")
_HAND = re.compile("A*E*F*W*")
_BAG = re.compile(",".join(f"{letter}(0|[1-9][0-9]?)" for letter in ELEMENTS))
_PHASE = re.compile(
    rf"(?P<word>{DRAW}|{ACT})"
    rf"|{CHANCE}-(?P<drawn>[1-{MOST_DRAWN}])"
    rf"|{RIVER}-(?P<river>[a-k][0-9]+)"
    rf"|{FLOW}-(?P<flow>[a-k][0-9]+)-(?P<direction>[ensw])-(?P<path>-|[ensw]+)"
)


def parse_position(text: str) -> ElementPosition:
    """Parse a position string, with as many seats as it has sages. Raises PositionError."""
    rows, places, seat, phase, hand, steps, used, bag, turn = split_fields(text, _FIELDS)
    sages = _read_sages(places)
    seats = len(sages)
    at = ElementPosition(
        board=_read_board(rows, sages),
        sages=sages,
        seat=read_number("SEAT", seat, 1, seats),
        phase=DRAW,
        hand=_read_hand(hand),
        steps=0,
        used=frozenset(_read_used(used)),
        bag=_read_bag(bag),
        turn=read_number("TURN", turn, 0, LAST_TURN),
    )
    at, path = _with_phase(at, phase)
    if at.phase in (DRAW, CHANCE):
        if (hand, steps, used) != ("-", "-", "-"):
            raise PositionError(f"in PHASE {phase} HAND, STEPS and USED are -, not {hand} {steps} {used}")
    else:
        at = at._replace(steps=read_number("STEPS", steps, 0, MOST_STEPS))
    position: ElementCore = core("element").ElementCore()
    position.load(at)
    refuse(chain(_contradictions(at, position), _contradictions_of_stones(at)))
    if at.phase in (RIVER, FLOW):
        at = _check_river(at, path, position)
    captured = [k for k in range(1, seats + 1) if at.phase == ACT and position.is_captured(k)]
    return at._replace(board=position.codes(), captured=tuple(captured))


def _read_sages(text: str) -> tuple[int, ...]:
    sages = tuple(read_square("SAGES", name, SQUARE) for name in text.split(","))
    if len(sages) not in START_SQUARES:
        raise PositionError(f"SAGES {text} names {len(sages)} squares; a game has 2 to 4 sages")
    if len(set(sages)) != len(sages):
        raise PositionError(f"SAGES {text} names a square twice")
    return sages


def _read_board(text: str, sages: tuple[int, ...]) -> bytes:
    rows = text.split("/")
    if len(rows) != SIZE:
        raise PositionError(f"BOARD has {len(rows)} rows, not {SIZE}")
    board = bytearray(SIZE * SIZE)
    for number, row in zip(range(SIZE, 0, -1), rows, strict=True):
        if _ROW.fullmatch(row) is None:
            raise PositionError(
                f"row {number} of BOARD, {row!r}, is not {SIZE} characters of F W E M 1 2 3 4 ."
            )
        for column, letter in zip(COLUMNS, row, strict=True):
            board[SQUARE[f"{column}{number}"]] = STONE_LETTERS.index(letter)
    for sage in sages:
        if board[sage] != EMPTY:
            raise PositionError(f"there is a stone under the sage on {SQUARES[sage]}")
        board[sage] = SAGE
    return bytes(board)


def _read_hand(text: str) -> str:
    if text == "-":
        return ""
    if not text or _HAND.fullmatch(text) is None:
        raise PositionError(f"HAND {text!r} is neither - nor letters sorted A E F W")
    return text


def _read_used(text: str) -> list[int]:
    if text == "-":
        return []
    used = [read_square("USED", name, SQUARE) for name in text.split(",")]
    if used != sorted(set(used), key=PLACES.__getitem__):
        raise PositionError(f"USED {text} is not sorted by column, then by row, or names a square twice")
    return used


def _read_bag(text: str) -> tuple[int, int, int, int]:
    match = _BAG.fullmatch(text)
    if match is None:
        raise PositionError(f"BAG {text!r} is not of the form A30,E30,F30,W30")
    a, e, f, w = map(int, match.groups())
    return a, e, f, w


def _with_phase(at: ElementPosition, text: str) -> tuple[ElementPosition, str]:
    """Parse PHASE, without a check against other fields; return the path as letters too."""
    match = _PHASE.fullmatch(text)
    if match is None:
        raise PositionError(
            f"PHASE {text!r} is none of draw, chance-N with N from 1 to {MOST_DRAWN}, act,"
            " river-SQUARE and flow-SQUARE-D-PATH"
        )
    if match["word"]:
        return at._replace(phase=match["word"]), ""
    if match["drawn"]:
        return at._replace(phase=CHANCE, drawn=int(match["drawn"])), ""
    if match["river"]:
        return at._replace(phase=RIVER, head=read_square("PHASE", match["river"], SQUARE)), ""
    head = read_square("PHASE", match["flow"], SQUARE)
    path = "" if match["path"] == "-" else match["path"]
    return at._replace(phase=FLOW, head=head, direction=match["direction"]), path


def _contradictions(at: ElementPosition, position: ElementCore) -> Iterator[str]:
    board = at.board
    seat = at.seat
    phase = at.phase
    seats = len(at.sages)
    if seat != at.turn % seats + 1:
        yield f"SEAT {seat} does not fit TURN {at.turn}: seat {at.turn % seats + 1} acts then"
    if at.turn == LAST_TURN and phase != DRAW:
        yield f"TURN {LAST_TURN} ends the game, so PHASE is draw, not {phase}"
    if phase == CHANCE and at.drawn > sum(at.bag):
        yield f"PHASE is chance-{at.drawn}, but the bag holds {sum(at.bag)}"
    for square in at.used:
        if not EMPTY < board[square] <= WHIRLWIND:
            yield f"USED names {SQUARES[square]}, which holds no Wind"
    if phase in (DRAW, CHANCE):
        for captured in range(1, seats + 1):
            if position.is_captured(captured):
                yield f"the sage of seat {captured} is captured, so PHASE cannot be {phase}"
    elif phase == ACT and position.is_captured(seat):
        yield f"the sage of seat {seat}, which acts, is captured"


def _contradictions_of_stones(at: ElementPosition) -> Iterator[str]:
    board = at.board
    hand = at.hand
    steps = at.steps
    lying = (
        sum(code for code in board if code <= WHIRLWIND),
        board.count(EARTH) + 2 * board.count(MOUNTAIN),
        board.count(FIRE),
        board.count(WATER),
    )
    for letter, on_board, in_bag in zip(ELEMENTS, lying, at.bag, strict=True):
        total = on_board + hand.count(letter) + in_bag
        if total != OF_A_KIND:
            yield f"board, hand and bag hold {total} stones {letter}, not {OF_A_KIND}"
    placing = at.phase in (RIVER, FLOW)
    held = len(hand) + placing
    being = ", including the Water being placed" if placing else ""
    if held > MOST_DRAWN:
        yield f"HAND has {held} stones{being}, more than {MOST_DRAWN}"
    if held + steps > MOST_STEPS:
        yield f"HAND and STEPS add up to {held + steps}{being}, more than {MOST_STEPS}"


def _check_river(at: ElementPosition, letters: str, position: ElementCore) -> ElementPosition:
    """Check a river against the board; return the position with the squares of river and path."""
    board = at.board
    name = SQUARES[at.head]
    if board[at.head] != WATER:
        raise PositionError(f"there is no Water on {name}, the headwater's square")
    if at.phase == RIVER:
        count = len(position.actions())
        if count < 2:
            raise PositionError(f"the river at {name} has {count} open directions, fewer than 2")
        return at
    river = position.river()
    path = _path(at.head, letters)
    if len(river) < 2:
        raise PositionError(f"there is no Water next to {name} in the direction {at.direction}")
    if path is None or len(set(path)) < len(path) or any(board[s] not in (EMPTY, FIRE) for s in path):
        raise PositionError(f"the flow {letters} from {name} leaves the board or its clear squares")
    if len(path) >= len(river):
        raise PositionError(f"the flow {letters} of the {len(river)} stones at {name} is complete")
    at = at._replace(path=path, river=river)
    position.load(at)
    if not position.actions():
        raise PositionError(f"the flow from {name} to {at.direction} cannot be completed")
    return at


def _path(square: int, letters: str) -> tuple[int, ...] | None:
    """The squares of a path of letters, or None if it leaves the board."""
    path = []
    for letter in letters:
        step = neighbour(square, COMPASS[letter])
        if step is None:
            return None
        path.append(step)
        square = step
    return tuple(path)
