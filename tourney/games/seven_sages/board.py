"""The board of the Seven Sages, its terrain, actions as ints, and positions, strictly parsed.

A square is 15 times its file plus its rank, both from 0, which is the order of squares in position strings. A
set of squares is a mask, an int with one bit per square.

An action is written ``FROM-`` or ``FROMx``, then ``TO`` for a plain move, ``F>`` and ``REST`` for an oust. No
such prefix is the prefix of another. So an int of their indices in string order, with a byte for each square
after the first, sorts like the strings.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tourney.errors import ActionError
from tourney.games.core_game import IntAction
from tourney.games.position_fields import read_number, read_square, refuse, split_fields, wrong_field

SIZE = 15
FILES = "abcdefghijklmno"
SQUARES: tuple[str, ...] = tuple(f"{file}{rank}" for file in FILES for rank in range(1, SIZE + 1))
"""The squares' names."""
SQUARE: dict[str, int] = {name: square for square, name in enumerate(SQUARES)}  # the squares by name

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Clockwise from north, as (files, ranks); squares rise in the first four and fall in the others."""
RED, BLUE = 1, 2


def mask_of(squares: Iterable[int]) -> int:
    """The mask of some squares."""
    return sum(1 << square for square in set(squares))


CITIES: dict[int, int] = {
    RED: mask_of(SQUARE[f"{file}1"] for file in "fghij"),
    BLUE: mask_of(SQUARE[f"{file}15"] for file in "fghij"),
}
"""By seat: the mask of its city."""
_INNER = range(1, SIZE - 1)
_KINGDOM = mask_of(SIZE * file + rank for file in _INNER for rank in _INNER)
BARBARIAN = mask_of(range(SIZE * SIZE)) & ~(_KINGDOM | CITIES[RED] | CITIES[BLUE])
"""The mask of the outermost ring without the cities."""

START_FOOL = SQUARE["h8"]
_START_RED = tuple(SQUARE[name] for name in ("c5", "e4", "g3", "h1", "i3", "k4", "m5"))
_ACROSS_RANK_8 = (SIZE * (square // SIZE) + SIZE - 1 - square % SIZE for square in _START_RED)
START_SAGES: tuple[tuple[int, ...], tuple[int, ...]] = (_START_RED, tuple(sorted(_ACROSS_RANK_8)))
"""Red's sages and Blue's at the start of a round, each sorted."""

HEADS = sorted(name + sign for name in SQUARES for sign in "-x")
FOOLS = sorted(name + ">" for name in SQUARES)
NAMES = sorted(SQUARES)
"""The parts of actions in string order, by whose indices actions are ints."""
_HEAD, _FOOL, _NAME = ({text: place for place, text in enumerate(part)} for part in (HEADS, FOOLS, NAMES))

PASS = len(HEADS) << 16
FORM = re.compile(r"([a-o][0-9]{1,2})(?:-([a-o][0-9]{1,2})|x([a-o][0-9]{1,2})>([a-o][0-9]{1,2}))")


@lru_cache(16384)
def action_string(action: int) -> str:
    """The string of an action."""
    if action == PASS:
        return "pass"
    head = HEADS[action >> 16]
    if head.endswith("x"):
        return head + FOOLS[action >> 8 & 255] + NAMES[action & 255]
    return head + NAMES[action >> 8 & 255]


class SevenSagesAction(IntAction, text=action_string):
    """An action."""

    __slots__ = ()


@lru_cache(16384)
def parse_action(text: str) -> SevenSagesAction:
    """The action of a string, legal or not. Raises ActionError."""
    if text == "pass":
        return SevenSagesAction(PASS)
    match = FORM.fullmatch(text)
    if match is None:
        raise ActionError(f"{text!r} is not an action of seven-sages; write c5-c9, h3xh8>e11 or pass")
    for name in match.groups():
        if name is not None and name not in SQUARE:
            raise ActionError(f"{text!r} names {name}, which is not on the board of a1 to o15")
    leaving, target, fool, rest = match.groups()
    if target is not None:
        return SevenSagesAction(_HEAD[f"{leaving}-"] << 16 | _NAME[target] << 8)
    return SevenSagesAction(_HEAD[f"{leaving}x"] << 16 | _FOOL[f"{fool}>"] << 8 | _NAME[rest])


OWN_TOUCH = 2  # the points if the fool last touched one of the mover's sages
OTHER_TOUCH = 1  # the points if the fool last touched one of the other side's sages
WINNING_POINTS = 5
LAST_ROUND = 12
LAST_PLY = 120  # the maximum number of actions in a round, unless the option says another
ROUND_ACTIONS = (60, 80, 100, LAST_PLY)  # the values of the option ``round-actions``
MOST_POINTS = WINNING_POINTS + 1  # the most points of a seat at the end: 4 and the 2 of its last score

_SAGES = 7
_FIELDS = "RED BLUE FOOL SEAT POINTS ROUND PLY STARTER"
_OPTION = " round-actions="
"""What begins the last field of a position whose rounds have another length than ``LAST_PLY``."""


class SevenSagesPosition(NamedTuple):
    """A position, without history."""

    red: tuple[int, ...]  # Red's sages, sorted
    blue: tuple[int, ...]  # Blue's sages, sorted
    fool: int
    seat: int  # the seat to act; when the game is over, the seat that did not act last
    points: tuple[int, int]
    round_: int
    ply: int  # the number of actions in this round
    starter: int  # the first seat of this round
    round_actions: int = LAST_PLY  # the maximum number of actions in a round

    @property
    def is_over(self) -> bool:
        """Whether the game is over; only then is the fool in a city."""
        return self.scored or (self.round_ == LAST_ROUND and self.ply == self.round_actions)

    @property
    def scored(self) -> bool:
        """Whether the fool is in a city."""
        return bool((CITIES[1] | CITIES[2]) >> self.fool & 1)


START = SevenSagesPosition(*START_SAGES, START_FOOL, RED, (0, 0), 1, 0, RED)


def parse_position(text: str) -> SevenSagesPosition:
    """The position of a string. Raises PositionError."""
    fields, option, actions = text.partition(_OPTION)
    red, blue, fool, seat, points, round_, ply, starter = split_fields(fields, _FIELDS)
    round_actions = _read_round_actions(actions) if option else LAST_PLY
    reds, colon, blues = points.partition(":")
    if not colon:
        raise wrong_field("POINTS", points, "write Red's points, a colon and Blue's points")
    position = SevenSagesPosition(
        _read_sages("RED", red),
        _read_sages("BLUE", blue),
        read_square("FOOL", fool, SQUARE),
        read_number("SEAT", seat, 1, 2),
        (read_number("POINTS", reds, 0, MOST_POINTS), read_number("POINTS", blues, 0, MOST_POINTS)),
        read_number("ROUND", round_, 1, LAST_ROUND),
        read_number("PLY", ply, 0, round_actions),
        read_number("STARTER", starter, 1, 2),
        round_actions,
    )
    refuse(_contradictions(position))
    return position


def _read_round_actions(text: str) -> int:
    values = [str(actions) for actions in ROUND_ACTIONS if actions != LAST_PLY]
    if text not in values:
        raise wrong_field(
            "OPTIONS",
            _OPTION.lstrip() + text,
            f"write round-actions={', '.join(values[:-1])} or {values[-1]}, or nothing for {LAST_PLY}",
        )
    return int(text)


def _read_sages(field: str, text: str) -> tuple[int, ...]:
    sages = tuple(read_square(field, name, SQUARE) for name in text.split(","))
    if len(sages) != _SAGES or list(sages) != sorted(set(sages)):
        raise wrong_field(
            field, text, f"write {_SAGES} different squares, sorted by file letter, then by rank"
        )
    return sages


def _contradictions(position: SevenSagesPosition) -> Iterator[str]:
    red, blue, fool, seat, points, _, ply, starter, round_actions = position
    name = SQUARES[fool]
    shared = sorted(set(red) & set(blue))
    if shared:
        yield f"RED and BLUE both have a sage on {SQUARES[shared[0]]}"
    if fool in red or fool in blue:
        yield f"the fool and a sage are both on {name}"
    if BARBARIAN >> fool & 1:
        yield f"the fool is in barbarian country, on {name}"
    if min(points) >= WINNING_POINTS:
        yield f"both seats have {WINNING_POINTS} points or more"
    won = max(points) >= WINNING_POINTS
    if position.scored:
        if not won and position.round_ != LAST_ROUND:
            yield f"the fool is in a city, on {name}, but the game is not over"
        if not CITIES[seat] >> fool & 1:
            yield f"the fool is on {name}, not in the city of seat {seat}, which acts"
    elif won:
        yield f"a seat has {WINNING_POINTS} points or more, but the fool is in no city"
    if seat != (starter if ply % 2 == 0 else 3 - starter):
        yield f"SEAT {seat} does not fit PLY {ply} and STARTER {starter}: the seats take turns"
    if ply == round_actions and not position.is_over:
        yield f"PLY is {round_actions}, but the game is not over"
