"""Reading position strings of Element: strict, and refusing all that the rules refuse."""

import re

from tourney.errors import PositionError
from tourney.games.element.actions import ELEMENTS, MOST_DRAWN
from tourney.games.element.board import (
    COLUMNS,
    EARTH,
    EMPTY,
    FIRE,
    MOUNTAIN,
    RANGE_EARTH,
    SAGE,
    SIZE,
    SQUARE,
    SQUARES,
    WATER,
    WHIRLWIND,
)
from tourney.games.element.movement import is_captured
from tourney.games.element.placing import Bag
from tourney.games.element.positions import (
    ACT,
    CHANCE,
    DRAW,
    FLOW,
    LAST_TURN,
    MOST_STEPS,
    OF_A_KIND,
    RIVER,
    STONE_LETTERS,
    Position,
    squares_string,
)
from tourney.games.element.ranges import spread_range
from tourney.games.element.rivers import flow_directions, is_path, open_directions, path_squares

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
    """Return the position that a string names, for a number of seats. Raises PositionError."""
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
        raise PositionError(f"{field} names {name!r}, which is no square of a1 to k11")
    return square


def _read_number(field: str, text: str, low: int, high: int) -> int:
    if _SMALL.fullmatch(text) is None or not low <= int(text) <= high:
        raise PositionError(f"{field} {text!r} is no number from {low} to {high}")
    return int(text)


def _read_sages(text: str, seats: int) -> tuple[int, ...]:
    sages = tuple(_read_square("SAGES", name) for name in text.split(","))
    if len(sages) != seats:
        raise PositionError(f"SAGES {text} are {len(sages)}, and there are {seats} seats")
    if len(set(sages)) != seats:
        raise PositionError(f"SAGES {text} are not all on different squares")
    return sages


def _read_board(text: str, sages: tuple[int, ...]) -> bytes:
    rows = text.split("/")
    if len(rows) != SIZE:
        raise PositionError(f"BOARD has {len(rows)} rows, not {SIZE}")
    board = bytearray(SIZE * SIZE)
    for number, row in zip(range(SIZE, 0, -1), rows, strict=True):
        if _ROW.fullmatch(row) is None:
            raise PositionError(f"row {number} of BOARD, {row!r}, is not {SIZE} of F W E M 1 2 3 4 .")
        for column, letter in zip(COLUMNS, row, strict=True):
            board[SQUARE[f"{column}{number}"]] = STONE_LETTERS.index(letter)
    for sage in sages:
        if board[sage] != EMPTY:
            raise PositionError(f"the sage on {SQUARES[sage]} stands on a stone")
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
    """Return the position with PHASE read; what it names is checked by ``_check``."""
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
    """Raise PositionError where the fields, each well formed, do not go together."""
    board, _, seat, phase, _, _, used, bag, turn = position[:9]
    seats = len(position.sages)
    if seat != turn % seats + 1:
        raise PositionError(f"SEAT {seat} does not fit TURN {turn}: seat {turn % seats + 1} acts then")
    if turn == LAST_TURN and phase != DRAW:
        raise PositionError(f"TURN {LAST_TURN} ends the game, so PHASE is draw, not {phase}")
    _check_stones(position)
    if phase == CHANCE and position.drawn > sum(bag):
        raise PositionError(f"chance is to give {position.drawn} stones, and the bag holds {sum(bag)}")
    for square in used:
        if not EMPTY < board[square] <= WHIRLWIND:
            raise PositionError(f"USED names {SQUARES[square]}, where no Wind lies")
    if phase in (DRAW, CHANCE):
        for captured in range(1, seats + 1):
            if is_captured(board, position.sages[captured - 1]):
                raise PositionError(f"the sage of seat {captured} is captured, so nobody draws")
    elif phase == ACT:
        if is_captured(board, position.own):
            raise PositionError(f"the sage of seat {seat}, which is to act, is captured")
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
            raise PositionError(f"board, hand and bag hold {total} of {letter} together, not {OF_A_KIND}")
    held = len(hand) + (phase in (RIVER, FLOW))
    being = ", the Water being placed among them" if phase in (RIVER, FLOW) else ""
    if held > MOST_DRAWN:
        raise PositionError(f"HAND has {held} stones{being}, more than {MOST_DRAWN}")
    if held + steps > MOST_STEPS:
        raise PositionError(f"HAND and STEPS are {held + steps} together{being}, more than {MOST_STEPS}")


def _check_river(position: Position) -> None:
    board, head = position.board, position.head
    name = SQUARES[head]
    if board[head] != WATER:
        raise PositionError(f"no Water lies on {name}, the headwater's square")
    if position.phase == RIVER:
        found = open_directions(board, position.own, head)
        if len(found) < 2:
            raise PositionError(f"the river at {name} has {len(found)} open directions, fewer than 2")
        return
    river = position.river
    path = path_squares(head, position.path)
    if len(river) < 2:
        raise PositionError(f"no Water lies beside {name} in the direction {position.direction}")
    if path is None or not is_path(board, path):
        raise PositionError(f"the flow {position.path} from {name} leaves the board, or its clear squares")
    if len(path) >= len(river):
        raise PositionError(f"the flow {position.path} of the {len(river)} stones at {name} is complete")
    if not flow_directions(board, position.own, river, path):
        raise PositionError(f"the flow from {name} to {position.direction} cannot be completed")
