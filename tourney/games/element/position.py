"""Parses positions of Element strictly."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.compiled import core
from tourney.games.element import board as element
from tourney.games.position_fields import read_number, read_square, refuse, split_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tourney.games.element.core import ElementCore

_FIELDS = "BOARD SAGES SEAT PHASE HAND STEPS USED BAG TURN"
_ROW = re.compile(rf"[FWEM1-4.]{{{element.SIZE}}}")
_HAND = re.compile("A*E*F*W*")
_BAG = re.compile(",".join(f"{letter}(0|[1-9][0-9]?)" for letter in element.ELEMENTS))
_PHASE = re.compile(
    rf"(?P<word>{element.DRAW}|{element.ACT})"
    rf"|{element.CHANCE}-(?P<drawn>[1-{element.MOST_DRAWN}])"
    rf"|{element.RIVER}-(?P<river>[a-k][0-9]+)"
    rf"|{element.FLOW}-(?P<flow>[a-k][0-9]+)-(?P<direction>[ensw])-(?P<path>-|[ensw]+)"
)


def parse_position(text: str) -> element.ElementPosition:
    """Parse a position string, with as many seats as it has sages. Raises PositionError."""
    rows, places, seat, phase, hand, steps, used, bag, turn = split_fields(text, _FIELDS)
    sages = _read_sages(places)
    seats = len(sages)
    at = element.ElementPosition(
        board=_read_board(rows, sages),
        sages=sages,
        seat=read_number("SEAT", seat, 1, seats),
        phase=element.DRAW,
        hand=_read_hand(hand),
        steps=0,
        used=frozenset(_read_used(used)),
        bag=_read_bag(bag),
        turn=read_number("TURN", turn, 0, element.LAST_TURN),
    )
    at, path = _with_phase(at, phase)
    if at.phase in (element.DRAW, element.CHANCE):
        if (hand, steps, used) != ("-", "-", "-"):
            raise PositionError(f"in PHASE {phase} HAND, STEPS and USED are -, not {hand} {steps} {used}")
    else:
        at = at._replace(steps=read_number("STEPS", steps, 0, element.MOST_STEPS))
    position: ElementCore = core("element").ElementCore()
    position.load(at)
    refuse(chain(_contradictions(at, position), _contradictions_of_stones(at)))
    if at.phase in (element.RIVER, element.FLOW):
        at = _check_river(at, path, position)
    captured = [k for k in range(1, seats + 1) if at.phase == element.ACT and position.is_captured(k)]
    return at._replace(board=position.codes(), captured=tuple(captured))


def _read_sages(text: str) -> tuple[int, ...]:
    sages = tuple(read_square("SAGES", name, element.SQUARE) for name in text.split(","))
    if len(sages) not in element.START_SQUARES:
        raise PositionError(f"SAGES {text} names {len(sages)} squares; a game has 2 to 4 sages")
    if len(set(sages)) != len(sages):
        raise PositionError(f"SAGES {text} names a square twice")
    return sages


def _read_board(text: str, sages: tuple[int, ...]) -> bytes:
    rows = text.split("/")
    if len(rows) != element.SIZE:
        raise PositionError(f"BOARD has {len(rows)} rows, not {element.SIZE}")
    board = bytearray(element.SIZE * element.SIZE)
    for number, row in zip(range(element.SIZE, 0, -1), rows, strict=True):
        if _ROW.fullmatch(row) is None:
            raise PositionError(
                f"row {number} of BOARD, {row!r}, is not {element.SIZE} characters of F W E M 1 2 3 4 ."
            )
        for column, letter in zip(element.COLUMNS, row, strict=True):
            board[element.SQUARE[f"{column}{number}"]] = element.STONE_LETTERS.index(letter)
    for sage in sages:
        if board[sage] != element.EMPTY:
            raise PositionError(f"there is a stone under the sage on {element.SQUARES[sage]}")
        board[sage] = element.SAGE
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
    used = [read_square("USED", name, element.SQUARE) for name in text.split(",")]
    if used != sorted(set(used), key=element.PLACES.__getitem__):
        raise PositionError(f"USED {text} is not sorted by column, then by row, or names a square twice")
    return used


def _read_bag(text: str) -> tuple[int, int, int, int]:
    match = _BAG.fullmatch(text)
    if match is None:
        raise PositionError(f"BAG {text!r} is not of the form A30,E30,F30,W30")
    a, e, f, w = map(int, match.groups())
    return a, e, f, w


def _with_phase(at: element.ElementPosition, text: str) -> tuple[element.ElementPosition, str]:
    """Parse PHASE, without a check against other fields; return the path as letters too."""
    match = _PHASE.fullmatch(text)
    if match is None:
        raise PositionError(
            f"PHASE {text!r} is none of draw, chance-N with N from 1 to {element.MOST_DRAWN}, act,"
            " river-SQUARE and flow-SQUARE-D-PATH"
        )
    if match["word"]:
        return at._replace(phase=match["word"]), ""
    if match["drawn"]:
        return at._replace(phase=element.CHANCE, drawn=int(match["drawn"])), ""
    if match["river"]:
        return at._replace(phase=element.RIVER, head=read_square("PHASE", match["river"], element.SQUARE)), ""
    head = read_square("PHASE", match["flow"], element.SQUARE)
    path = "" if match["path"] == "-" else match["path"]
    return at._replace(phase=element.FLOW, head=head, direction=match["direction"]), path


def _contradictions(at: element.ElementPosition, position: ElementCore) -> Iterator[str]:
    board, seat, phase = at.board, at.seat, at.phase
    seats = len(at.sages)
    if seat != at.turn % seats + 1:
        yield f"SEAT {seat} does not fit TURN {at.turn}: seat {at.turn % seats + 1} acts then"
    if at.turn == element.LAST_TURN and phase != element.DRAW:
        yield f"TURN {element.LAST_TURN} ends the game, so PHASE is draw, not {phase}"
    if phase == element.CHANCE and at.drawn > sum(at.bag):
        yield f"PHASE is chance-{at.drawn}, but the bag holds {sum(at.bag)}"
    for square in at.used:
        if not element.EMPTY < board[square] <= element.WHIRLWIND:
            yield f"USED names {element.SQUARES[square]}, which holds no Wind"
    if phase in (element.DRAW, element.CHANCE):
        for captured in range(1, seats + 1):
            if position.is_captured(captured):
                yield f"the sage of seat {captured} is captured, so PHASE cannot be {phase}"
    elif phase == element.ACT and position.is_captured(seat):
        yield f"the sage of seat {seat}, which acts, is captured"


def _contradictions_of_stones(at: element.ElementPosition) -> Iterator[str]:
    board, hand, steps = at.board, at.hand, at.steps
    lying = (
        sum(code for code in board if code <= element.WHIRLWIND),
        board.count(element.EARTH) + 2 * board.count(element.MOUNTAIN),
        board.count(element.FIRE),
        board.count(element.WATER),
    )
    for letter, on_board, in_bag in zip(element.ELEMENTS, lying, at.bag, strict=True):
        total = on_board + hand.count(letter) + in_bag
        if total != element.OF_A_KIND:
            yield f"board, hand and bag hold {total} stones {letter}, not {element.OF_A_KIND}"
    placing = at.phase in (element.RIVER, element.FLOW)
    held = len(hand) + placing
    being = ", including the Water being placed" if placing else ""
    if held > element.MOST_DRAWN:
        yield f"HAND has {held} stones{being}, more than {element.MOST_DRAWN}"
    if held + steps > element.MOST_STEPS:
        yield f"HAND and STEPS add up to {held + steps}{being}, more than {element.MOST_STEPS}"


def _check_river(at: element.ElementPosition, letters: str, position: ElementCore) -> element.ElementPosition:
    """Check a river against the board; return the position with the squares of river and path."""
    board, name = at.board, element.SQUARES[at.head]
    if board[at.head] != element.WATER:
        raise PositionError(f"there is no Water on {name}, the headwater's square")
    if at.phase == element.RIVER:
        count = len(position.actions())
        if count < 2:
            raise PositionError(f"the river at {name} has {count} open directions, fewer than 2")
        return at
    river, path = position.river(), _path(at.head, letters)
    if len(river) < 2:
        raise PositionError(f"there is no Water next to {name} in the direction {at.direction}")
    if (
        path is None
        or len(set(path)) < len(path)
        or any(board[s] not in (element.EMPTY, element.FIRE) for s in path)
    ):
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
        step = element.neighbour(square, element.COMPASS[letter])
        if step is None:
            return None
        path.append(step)
        square = step
    return tuple(path)
