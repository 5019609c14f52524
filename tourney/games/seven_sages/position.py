"""Positions of the Seven Sages, printed and strictly parsed."""

import re
from typing import NamedTuple

from tourney.errors import PositionError
from tourney.games.seven_sages.board import BARBARIAN, CITIES, SQUARE, SQUARES, START_FOOL, START_SAGES, other

WINNING_POINTS = 5
LAST_ROUND = 12
LAST_PLY = 120
"""The maximum number of actions in a round."""
MOST_POINTS = WINNING_POINTS + 1
"""The most points of a seat at the end: 4 and the 2 of its last score."""

_SAGES = 7
_SEAT = re.compile(r"[12]")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")
_FORM = "RED BLUE FOOL SEAT POINTS ROUND PLY STARTER"


class Position(NamedTuple):
    """A position, without history."""

    red: tuple[int, ...]
    """Red's sages, sorted."""
    blue: tuple[int, ...]
    """Blue's sages, sorted."""
    fool: int
    seat: int
    """The seat to act; when the game is over, the seat that did not act last."""
    points: tuple[int, int]
    round_: int
    ply: int
    """The number of actions in this round."""
    starter: int
    """The first seat of this round."""

    @property
    def is_over(self) -> bool:
        """Whether the game is over; only then is the fool in a city."""
        return self.scored or (self.round_ == LAST_ROUND and self.ply == LAST_PLY)

    @property
    def scored(self) -> bool:
        """Whether the fool is in a city."""
        return bool((CITIES[1] | CITIES[2]) >> self.fool & 1)


def new_round(points: tuple[int, int], round_: int, starter: int) -> Position:
    """Return the start of a round."""
    red, blue = START_SAGES
    return Position(red, blue, START_FOOL, starter, points, round_, 0, starter)


def position_string(position: Position) -> str:
    """Return the string of a position."""
    red, blue, fool, seat, points, round_, ply, starter = position
    reds = ",".join([SQUARES[sage] for sage in red])
    blues = ",".join([SQUARES[sage] for sage in blue])
    return f"{reds} {blues} {SQUARES[fool]} {seat} {points[0]}:{points[1]} {round_} {ply} {starter}"


def parse_position(text: str) -> Position:
    """Return the position of a string. Raises PositionError."""
    fields = text.split(" ")
    if len(fields) != len(Position._fields):
        raise PositionError(f"a position has the {len(Position._fields)} fields {_FORM}, not {len(fields)}")
    red, blue, fool, seat, points, round_, ply, starter = fields
    reds, colon, blues = points.partition(":")
    if not colon:
        raise PositionError(f"POINTS {points!r} are not of the form 0:0")
    position = Position(
        _read_sages("RED", red),
        _read_sages("BLUE", blue),
        _read_square("FOOL", fool),
        _read_seat("SEAT", seat),
        (_read_number("POINTS", reds, 0, MOST_POINTS), _read_number("POINTS", blues, 0, MOST_POINTS)),
        _read_number("ROUND", round_, 1, LAST_ROUND),
        _read_number("PLY", ply, 0, LAST_PLY),
        _read_seat("STARTER", starter),
    )
    _check(position)
    return position


def _read_square(field: str, text: str) -> int:
    square = SQUARE.get(text)
    if square is None:
        raise PositionError(f"{field} names {text!r}, which is not a square of a1 to o15")
    return square


def _read_sages(field: str, text: str) -> tuple[int, ...]:
    sages = tuple(_read_square(field, name) for name in text.split(","))
    if list(sages) != sorted(sages):
        raise PositionError(f"{field} {text} is not sorted by file letter, then by rank")
    if len(set(sages)) != _SAGES or len(sages) != _SAGES:
        raise PositionError(f"{field} {text} is not {_SAGES} different squares")
    return sages


def _read_seat(field: str, text: str) -> int:
    if _SEAT.fullmatch(text) is None:
        raise PositionError(f"{field} {text!r} is neither 1 nor 2")
    return int(text)


def _read_number(field: str, text: str, low: int, high: int) -> int:
    if _NUMBER.fullmatch(text) is None or not low <= int(text) <= high:
        raise PositionError(f"{field} {text!r} is not a number from {low} to {high}")
    return int(text)


def _check(position: Position) -> None:
    """Raise PositionError for well-formed fields that contradict each other."""
    red, blue, fool, seat, points, _, ply, starter = position
    name = SQUARES[fool]
    shared = sorted(set(red) & set(blue))
    if shared:
        raise PositionError(f"RED and BLUE both have a sage on {SQUARES[shared[0]]}")
    if fool in red or fool in blue:
        raise PositionError(f"the fool and a sage are both on {name}")
    if BARBARIAN >> fool & 1:
        raise PositionError(f"the fool is in barbarian country, on {name}")
    if min(points) >= WINNING_POINTS:
        raise PositionError(f"both seats have {WINNING_POINTS} points or more")
    won = max(points) >= WINNING_POINTS
    if position.scored:
        if not won and position.round_ != LAST_ROUND:
            raise PositionError(f"the fool is in a city, on {name}, but the game is not over")
        if not CITIES[seat] >> fool & 1:
            raise PositionError(f"the fool is on {name}, not in the city of seat {seat}, which acts")
    elif won:
        raise PositionError(f"a seat has {WINNING_POINTS} points or more, but the fool is in no city")
    if seat != (starter if ply % 2 == 0 else other(starter)):
        raise PositionError(f"SEAT {seat} does not fit PLY {ply} and STARTER {starter}: the seats take turns")
    if ply == LAST_PLY and not position.is_over:
        raise PositionError(f"PLY is {LAST_PLY}, but the game is not over")
