"""Parses positions of Element strictly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.compiled import core
from tourney.games.element.board import (
    ACT,
    CHANCE,
    COLUMNS,
    COMPASS,
    DRAW,
    EARTH,
    ELEMENTS,
    EMPTY,
    FIRE,
    FLOW,
    LAST_TURN,
    MOST_DRAWN,
    MOST_STEPS,
    MOUNTAIN,
    OF_A_KIND,
    RIVER,
    SAGE,
    SIZE,
    SQUARE,
    SQUARES,
    START_SQUARES,
    STONE_LETTERS,
    WATER,
    WHIRLWIND,
    ElementPosition,
    board_order,
    neighbour,
)

if TYPE_CHECKING:
    from tourney.games.element.core import ElementCore

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


def seats_of(text: str) -> int:
    """The number of sages in a position string. Raises PositionError."""
    seats = text.split(" ")[1].count(",") + 1 if " " in text else 0
    if seats not in START_SQUARES:
        raise PositionError(f"a position of element has 2 to 4 sages in its second field, not {seats}")
    return seats


def parse_position(text: str, seats: int) -> ElementPosition:
    """Parse a position string for a number of seats. Raises PositionError."""
    fields = text.split(" ")
    if len(fields) != len(_FIELDS):
        raise PositionError(
            f"a position has the {len(_FIELDS)} fields {' '.join(_FIELDS)}, not {len(fields)}"
        )
    rows, places, seat, phase, hand, steps, used, bag, turn = fields
    sages = _read_sages(places, seats)
    at = ElementPosition(
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
    at, path = _with_phase(at, phase)
    if at.phase in (DRAW, CHANCE):
        if (hand, steps, used) != ("-", "-", "-"):
            raise PositionError(f"in PHASE {phase} HAND, STEPS and USED are -, not {hand} {steps} {used}")
    else:
        at = at._replace(steps=_read_number("STEPS", steps, 0, MOST_STEPS))
    position: ElementCore = core("element").ElementCore()
    position.load(at)
    _check(at, position)
    if at.phase in (RIVER, FLOW):
        at = _check_river(at, path, position)
    captured = [k for k in range(1, seats + 1) if at.phase == ACT and position.is_captured(k)]
    return at._replace(board=position.codes(), captured=tuple(captured))


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
    if used != sorted(set(used), key=board_order):
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
            f"PHASE {text!r} is none of draw, chance-N with N from 1 to {MOST_DRAWN}, act, river-SQUARE and"
            " flow-SQUARE-D-PATH"
        )
    if match["word"]:
        return at._replace(phase=match["word"]), ""
    if match["drawn"]:
        return at._replace(phase=CHANCE, drawn=int(match["drawn"])), ""
    if match["river"]:
        return at._replace(phase=RIVER, head=_read_square("PHASE", match["river"])), ""
    head = _read_square("PHASE", match["flow"])
    path = "" if match["path"] == "-" else match["path"]
    return at._replace(phase=FLOW, head=head, direction=match["direction"]), path


def _check(at: ElementPosition, position: ElementCore) -> None:
    """Raise PositionError for well-formed fields that contradict each other."""
    board, seat, phase = at.board, at.seat, at.phase
    seats = len(at.sages)
    if seat != at.turn % seats + 1:
        raise PositionError(f"SEAT {seat} does not fit TURN {at.turn}: seat {at.turn % seats + 1} acts then")
    if at.turn == LAST_TURN and phase != DRAW:
        raise PositionError(f"TURN {LAST_TURN} ends the game, so PHASE is draw, not {phase}")
    _check_stones(at)
    if phase == CHANCE and at.drawn > sum(at.bag):
        raise PositionError(f"PHASE is chance-{at.drawn}, but the bag holds {sum(at.bag)}")
    for square in at.used:
        if not EMPTY < board[square] <= WHIRLWIND:
            raise PositionError(f"USED names {SQUARES[square]}, which holds no Wind")
    if phase in (DRAW, CHANCE):
        for captured in range(1, seats + 1):
            if position.is_captured(captured):
                raise PositionError(f"the sage of seat {captured} is captured, so PHASE cannot be {phase}")
    elif phase == ACT and position.is_captured(seat):
        raise PositionError(f"the sage of seat {seat}, which acts, is captured")


def _check_stones(at: ElementPosition) -> None:
    board, phase, hand, steps = at.board, at.phase, at.hand, at.steps
    lying = (
        sum(code for code in board if code <= WHIRLWIND),
        board.count(EARTH) + 2 * board.count(MOUNTAIN),
        board.count(FIRE),
        board.count(WATER),
    )
    for letter, on_board, in_bag in zip(ELEMENTS, lying, at.bag, strict=True):
        total = on_board + hand.count(letter) + in_bag
        if total != OF_A_KIND:
            raise PositionError(f"board, hand and bag hold {total} stones {letter}, not {OF_A_KIND}")
    held = len(hand) + (phase in (RIVER, FLOW))
    being = ", including the Water being placed" if phase in (RIVER, FLOW) else ""
    if held > MOST_DRAWN:
        raise PositionError(f"HAND has {held} stones{being}, more than {MOST_DRAWN}")
    if held + steps > MOST_STEPS:
        raise PositionError(f"HAND and STEPS add up to {held + steps}{being}, more than {MOST_STEPS}")


def _check_river(at: ElementPosition, letters: str, position: ElementCore) -> ElementPosition:
    """Check a river against the board; return the position with the squares of river and path."""
    board, name = at.board, SQUARES[at.head]
    if board[at.head] != WATER:
        raise PositionError(f"there is no Water on {name}, the headwater's square")
    if at.phase == RIVER:
        count = len(position.actions())
        if count < 2:
            raise PositionError(f"the river at {name} has {count} open directions, fewer than 2")
        return at
    river, path = position.river(), _path(at.head, letters)
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
