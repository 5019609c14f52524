"""Positions of Element, printed and strictly parsed."""

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from tourney.errors import PositionError
from tourney.games.element.board import (
    COLUMNS,
    EARTH,
    ELEMENTS,
    EMPTY,
    FIRE,
    MOST_DRAWN,
    MOUNTAIN,
    PLACES,
    RANGE_EARTH,
    SAGE,
    SIZE,
    SQUARE,
    SQUARES,
    WATER,
    WHIRLWIND,
    is_captured,
    spread_range,
)
from tourney.games.element.placing import (
    Bag,
    flow_directions,
    is_path,
    open_directions,
    path_squares,
    river_squares,
)

OF_A_KIND = 30
MOST_STEPS = 5
"""The steps of a turn without stones; each stone drawn costs one."""
LAST_TURN = 200
"""The number of turns in a game."""
START_SQUARES: dict[int, tuple[str, ...]] = {
    2: ("f5", "f7"),
    3: ("c3", "i3", "i9"),
    4: ("c3", "i3", "i9", "c9"),
}
"""By number of seats: the start squares of the sages."""

DRAW, CHANCE, ACT, RIVER, FLOW = "draw", "chance", "act", "river", "flow"
"""The phases."""

STONE_LETTERS = ".1234FWEEM."
"""By code: the letter in a position string."""


class Position(NamedTuple):
    """A position, without history."""

    board: bytes
    """A code per square; SAGE for the sages' squares."""
    sages: tuple[int, ...]
    seat: int
    """The seat whose turn it is, also at chance."""
    phase: str
    hand: str
    """Letters, sorted."""
    steps: int
    """Steps left."""
    used: frozenset[int]
    bag: Bag
    turn: int
    """Turns completed."""
    drawn: int = 0
    """The number of stones to draw, at chance."""
    head: int = 0
    """The headwater's square, in ``river`` and ``flow``."""
    direction: str = ""
    """The river's direction, in ``flow``."""
    path: str = ""
    """The flow so far, as letters."""

    @property
    def own(self) -> int:
        """The square of the acting seat's sage."""
        return self.sages[self.seat - 1]

    @property
    def river(self) -> tuple[int, ...]:
        """The squares of the river that flows."""
        return river_squares(self.board, self.head, self.direction)

    @property
    def path_squares(self) -> tuple[int, ...]:
        """The squares of the flow so far."""
        return path_squares(self.head, self.path) or ()

    def captured(self) -> list[int]:
        """Return the captured seats other than the mover; only phase ``act`` has any."""
        if self.phase != ACT:
            return []
        board, seat = self.board, self.seat
        return [k for k, sage in enumerate(self.sages, 1) if k != seat and is_captured(board, sage)]


def start(seats: int) -> Position:
    """Return the start of a game."""
    sages = tuple(SQUARE[name] for name in START_SQUARES[seats])
    board = bytes(SAGE if square in sages else 0 for square in range(SIZE * SIZE))
    bag = (OF_A_KIND, OF_A_KIND, OF_A_KIND, OF_A_KIND)
    return Position(board, sages, 1, DRAW, "", 0, frozenset(), bag, 0)


def board_order(square: int) -> tuple[int, int]:
    """Return a sort key: by column letter, then by row as a number."""
    return PLACES[square]


_LETTERS = bytes(ord(STONE_LETTERS[code]) if code < len(STONE_LETTERS) else 0 for code in range(256))
_SLASH = SIZE * SIZE
_READING_ORDER = [
    _SLASH if column == SIZE else SQUARE[f"{COLUMNS[column]}{row}"]
    for row in range(SIZE, 0, -1)
    for column in range(SIZE + 1)
][:-1]
_read_out = itemgetter(*_READING_ORDER)


def board_string(board: bytes) -> str:
    """Return the rows 11 to 1, separated by ``/``."""
    return bytes(_read_out(board.translate(_LETTERS) + b"/")).decode("ascii")


def squares_string(squares: Sequence[int] | frozenset[int]) -> str:
    """Return squares sorted by column, then by row, or ``-`` for none."""
    return ",".join([SQUARES[square] for square in sorted(squares, key=board_order)]) or "-"


def phase_string(position: Position) -> str:
    """Return PHASE."""
    phase = position.phase
    if phase == CHANCE:
        return f"{phase}-{position.drawn}"
    if phase == RIVER:
        return f"{phase}-{SQUARES[position.head]}"
    if phase == FLOW:
        return f"{phase}-{SQUARES[position.head]}-{position.direction}-{position.path or '-'}"
    return phase


def position_string(position: Position) -> str:
    """Return the string of a position."""
    board, sages, seat, phase, hand, steps, used, bag, turn = position[:9]
    places = ",".join([SQUARES[sage] for sage in sages])
    left = "-" if phase in (DRAW, CHANCE) else str(steps)
    counts = ",".join([f"{letter}{count}" for letter, count in zip(ELEMENTS, bag, strict=True)])
    return (
        f"{board_string(board)} {places} {seat} {phase_string(position)} {hand or '-'} {left}"
        f" {squares_string(used)} {counts} {turn}"
    )


_FIELDS = ("BOARD", "SAGES", "SEAT", "PHASE", "HAND", "STEPS", "USED", "BAG", "TURN")
_ROW = re.compile(rf"[FWEM1-4.]{{{SIZE}}}")
_HAND = re.compile("A*E*F*W*")
_BAG = re.compile(",".join(f"{letter}(0|[1-9][0-9]?)" for letter in ELEMENTS))
_SMALL = re.compile("0|[1-9][0-9]{0,2}")
_PHASE = re.compile(
    rf"(?P<word>{DRAW}|{ACT})"
    rf"|{CHANCE}-(?P<drawn>[1-{MOST_DRAWN}])"
    rf"|{RIVER}-(?P<river>[a-k][0-9]+)"
    rf"|{FLOW}-(?P<flow>[a-k][0-9]+)-(?P<direction>[ensw])-(?P<path>-|[ensw]+)"
)


def parse_position(text: str, seats: int) -> Position:
    """Return the position of a string, for a number of seats. Raises PositionError."""
    fields = text.split(" ")
    if len(fields) != len(_FIELDS):
        raise PositionError(
            f"a position has the {len(_FIELDS)} fields {' '.join(_FIELDS)}, not {len(fields)}"
        )
    rows, places, seat, phase, hand, steps, used, bag, turn = fields
    sages = _read_sages(places, seats)
    position = Position(
        board=_read_board(rows, sages),
        sages=sages,
        seat=_read_number("SEAT", seat, 1, seats),
        phase=DRAW,
        hand=_read_hand(hand),
        steps=0,
        used=frozenset(_read_used(used)),
        bag=_read_bag(bag),
        turn=_read_number("TURN", turn, 0, LAST_TURN),
    )
    position = _with_phase(position, phase)
    if position.phase in (DRAW, CHANCE):
        if (hand, steps, used) != ("-", "-", "-"):
            raise PositionError(f"in PHASE {phase} HAND, STEPS and USED are -, not {hand} {steps} {used}")
    else:
        position = position._replace(steps=_read_number("STEPS", steps, 0, MOST_STEPS))
    _check(position)
    return position


def _read_square(field: str, name: str) -> int:
    square = SQUARE.get(name)
    if square is None:
        raise PositionError(f"{field} names {name!r}, which is not a square of a1 to k11")
    return square


def _read_number(field: str, text: str, low: int, high: int) -> int:
    if _SMALL.fullmatch(text) is None or not low <= int(text) <= high:
        raise PositionError(f"{field} {text!r} is not a number from {low} to {high}")
    return int(text)


def _read_sages(text: str, seats: int) -> tuple[int, ...]:
    sages = tuple(_read_square("SAGES", name) for name in text.split(","))
    if len(sages) != seats:
        raise PositionError(f"SAGES {text} names {len(sages)} squares for {seats} seats")
    if len(set(sages)) != seats:
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
    for square in range(SIZE * SIZE):
        if board[square] == MOUNTAIN:
            spread_range(board, square)
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
    used = [_read_square("USED", name) for name in text.split(",")]
    if squares_string(frozenset(used)) != text:
        raise PositionError(f"USED {text} is not sorted by column, then by row, or names a square twice")
    return used


def _read_bag(text: str) -> Bag:
    match = _BAG.fullmatch(text)
    if match is None:
        raise PositionError(f"BAG {text!r} is not of the form A30,E30,F30,W30")
    a, e, f, w = map(int, match.groups())
    return a, e, f, w


def _with_phase(position: Position, text: str) -> Position:
    """Return the position with PHASE parsed but not checked against other fields."""
    match = _PHASE.fullmatch(text)
    if match is None:
        raise PositionError(
            f"PHASE {text!r} is none of draw, chance-N with N from 1 to {MOST_DRAWN}, act, river-SQUARE and"
            " flow-SQUARE-D-PATH"
        )
    if match["word"]:
        return position._replace(phase=match["word"])
    if match["drawn"]:
        return position._replace(phase=CHANCE, drawn=int(match["drawn"]))
    if match["river"]:
        return position._replace(phase=RIVER, head=_read_square("PHASE", match["river"]))
    return position._replace(
        phase=FLOW,
        head=_read_square("PHASE", match["flow"]),
        direction=match["direction"],
        path="" if match["path"] == "-" else match["path"],
    )


def _check(position: Position) -> None:
    """Raise PositionError for well-formed fields that contradict each other."""
    board, _, seat, phase, _, _, used, bag, turn = position[:9]
    seats = len(position.sages)
    if seat != turn % seats + 1:
        raise PositionError(f"SEAT {seat} does not fit TURN {turn}: seat {turn % seats + 1} acts then")
    if turn == LAST_TURN and phase != DRAW:
        raise PositionError(f"TURN {LAST_TURN} ends the game, so PHASE is draw, not {phase}")
    _check_stones(position)
    if phase == CHANCE and position.drawn > sum(bag):
        raise PositionError(f"PHASE is chance-{position.drawn}, but the bag holds {sum(bag)}")
    for square in used:
        if not EMPTY < board[square] <= WHIRLWIND:
            raise PositionError(f"USED names {SQUARES[square]}, which holds no Wind")
    if phase in (DRAW, CHANCE):
        for captured in range(1, seats + 1):
            if is_captured(board, position.sages[captured - 1]):
                raise PositionError(f"the sage of seat {captured} is captured, so PHASE cannot be {phase}")
    elif phase == ACT:
        if is_captured(board, position.own):
            raise PositionError(f"the sage of seat {seat}, which acts, is captured")
    else:
        _check_river(position)


def _check_stones(position: Position) -> None:
    board, _, _, phase, hand, steps, _, bag, _ = position[:9]
    lying = (
        sum(code for code in board if code <= WHIRLWIND),
        board.count(EARTH) + board.count(RANGE_EARTH) + 2 * board.count(MOUNTAIN),
        board.count(FIRE),
        board.count(WATER),
    )
    for letter, on_board, in_bag in zip(ELEMENTS, lying, bag, strict=True):
        total = on_board + hand.count(letter) + in_bag
        if total != OF_A_KIND:
            raise PositionError(f"board, hand and bag hold {total} stones {letter}, not {OF_A_KIND}")
    held = len(hand) + (phase in (RIVER, FLOW))
    being = ", including the Water being placed" if phase in (RIVER, FLOW) else ""
    if held > MOST_DRAWN:
        raise PositionError(f"HAND has {held} stones{being}, more than {MOST_DRAWN}")
    if held + steps > MOST_STEPS:
        raise PositionError(f"HAND and STEPS add up to {held + steps}{being}, more than {MOST_STEPS}")


def _check_river(position: Position) -> None:
    board, head = position.board, position.head
    name = SQUARES[head]
    if board[head] != WATER:
        raise PositionError(f"there is no Water on {name}, the headwater's square")
    if position.phase == RIVER:
        found = open_directions(board, position.own, head)
        if len(found) < 2:
            raise PositionError(f"the river at {name} has {len(found)} open directions, fewer than 2")
        return
    river = position.river
    path = path_squares(head, position.path)
    if len(river) < 2:
        raise PositionError(f"there is no Water next to {name} in the direction {position.direction}")
    if path is None or not is_path(board, path):
        raise PositionError(f"the flow {position.path} from {name} leaves the board or its clear squares")
    if len(path) >= len(river):
        raise PositionError(f"the flow {position.path} of the {len(river)} stones at {name} is complete")
    if not flow_directions(board, position.own, river, path):
        raise PositionError(f"the flow from {name} to {position.direction} cannot be completed")
