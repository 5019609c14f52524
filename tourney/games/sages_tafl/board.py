"""Squares, pieces and actions as numbers and strings; positions, strictly parsed.

A square is ``9 * file + rank`` with file and rank from 0, so 0 is a1 and 71 is h9, in the order of the
names. Two places more stand for the towers, which are not squares. A board is 74 bytes, one letter a
place: ``AFS`` Black's apprentice, skyship and sage, ``afs`` Red's, ``.`` nothing.

An action is ``source << 7 | target``. Sources and targets are numbered in the order of their names, so
actions as integers have the order of their strings.
"""

import re
from typing import NamedTuple

from tourney.errors import PositionError
from tourney.games.core_game import IntAction, action_tables

FILES = "abcdefgh"
RANKS = "123456789"
HEIGHT = len(RANKS)
SQUARES = len(FILES) * HEIGHT
NAMES = tuple(file + rank for file in FILES for rank in RANKS)

BLACK_TOWER = SQUARES
RED_TOWER = SQUARES + 1
PLACES = SQUARES + 2

RIVER = 4  # the river's rank, from 0; its banks are the ranks beside it
BANKS = (RIVER - 1, RIVER + 1)

EMPTY = ord(".")
APPRENTICES = (ord("A"), ord("a"))
SAGES = (ord("S"), ord("s"))
LETTERS = (b"AFS", b"afs")  # each side's pieces

SHIFT = 7
TARGET = (1 << SHIFT) - 1  # ``action & TARGET`` is where it goes, ``action >> SHIFT`` where from
OFF = SQUARES  # the target of an escape
FROM_TOWER = SQUARES + 1  # the source of a sage that comes down, of either side

TOWER_SQUARES = (
    tuple(map(NAMES.index, ("d1", "d2", "e1", "e2"))),
    tuple(map(NAMES.index, ("d8", "d9", "e8", "e9"))),
)
"""The four squares at the foot of each side's tower, ascending."""

_PASS = SQUARES << SHIFT
_NAME_OF = {
    **{a << SHIFT | b: f"{NAMES[a]}-{NAMES[b]}" for a in range(SQUARES) for b in range(SQUARES) if a != b},
    **{a << SHIFT | OFF: f"{NAMES[a]}-off" for a in range(RIVER, SQUARES, HEIGHT)},
    **{FROM_TOWER << SHIFT | b: f"tower-{NAMES[b]}" for foot in TOWER_SQUARES for b in foot},
    _PASS: "pass",
}
action_string = _NAME_OF.__getitem__  # the string of an action


class TaflAction(IntAction, text=action_string):
    """An action."""

    __slots__ = ()


PASS = TaflAction(_PASS)
STRINGS, ACTIONS, parse_action = action_tables(
    TaflAction, _NAME_OF, "sages-tafl: write FROM-TO as d2-d4, tower-d2, c5-off or pass"
)


QUIET_LIMIT = 100
PLY_LIMIT = 400
WIN_POINTS = 5  # the points that win the game
SAGE_WORTH = 3

SIDES = ("Black", "Red")
_TOWERS = {"-": (), "T": (BLACK_TOWER,), "t": (RED_TOWER,), "Tt": (BLACK_TOWER, RED_TOWER)}
_RANK = re.compile(r"(?:[AFSafs]|[1-8](?![0-9]))+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")


class TaflPosition(NamedTuple):
    """A position without history: board with towers, seat to move, points by side, counters."""

    board: bytes
    seat: int
    points: tuple[int, int]
    quiet: int
    ply: int


def parse_position(text: str) -> TaflPosition:
    """Parse a position string. Raises PositionError for a wrong form or an impossible position."""
    fields = text.split(" ")
    if len(fields) != 6:
        raise PositionError(
            f"a position of sages-tafl has six fields separated by single blanks,"
            f" BOARD SEAT TOWERS POINTS QUIET PLY, not {len(fields)}"
        )
    board = _read_board(fields[0])
    if fields[1] not in ("1", "2"):
        raise _bad("SEAT", fields[1], "write 1 or 2")
    if fields[2] not in _TOWERS:
        raise _bad("TOWERS", fields[2], "write Tt, T, t or -")
    for tower in _TOWERS[fields[2]]:
        board[tower] = SAGES[tower - SQUARES]
    halves = fields[3].split(":")
    if len(halves) != 2:
        raise _bad("POINTS", fields[3], "write Black's points, a colon and Red's points")
    points = (_read_number("POINTS", halves[0]), _read_number("POINTS", halves[1]))
    position = TaflPosition(
        bytes(board), int(fields[1]), points, _read_number("QUIET", fields[4]), _read_number("PLY", fields[5])
    )
    _check(position)
    return position


def _bad(field: str, value: str, advice: str) -> PositionError:
    return PositionError(f"the field {field} of the position is {value[:40]!r}: {advice}")


def _read_number(field: str, text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise _bad(field, text, "write a whole number of at most four digits, without leading zeros")
    return int(text)


def _read_board(text: str) -> bytearray:
    ranks = text.split("/")
    if len(ranks) != HEIGHT:
        raise _bad("BOARD", text, f"write nine ranks separated by /, not {len(ranks)}")
    board = bytearray([EMPTY]) * PLACES
    for number, word in zip(range(HEIGHT - 1, -1, -1), ranks, strict=True):
        if _RANK.fullmatch(word) is None:
            raise _bad("BOARD", word, f"write rank {number + 1} with AFSafs and each empty run as one digit")
        row = "".join("." * int(c) if c.isdigit() else c for c in word)
        if len(row) != len(FILES):
            raise _bad("BOARD", word, f"rank {number + 1} has {len(row)} squares, write {len(FILES)}")
        board[number:SQUARES:HEIGHT] = row.encode("ascii")
    return board


def _check(at: TaflPosition) -> None:
    """Raise PositionError for an impossible position."""
    for side, name in enumerate(SIDES):
        _check_side(at.board, side, name, at.points[side])
    if min(at.points) >= WIN_POINTS:
        raise PositionError(f"both sides cannot have {WIN_POINTS} points or more: the game ends when one has")
    if at.quiet > QUIET_LIMIT:
        raise PositionError(f"QUIET is {at.quiet}: the game ends when it is {QUIET_LIMIT}")
    if at.ply > PLY_LIMIT:
        raise PositionError(f"PLY is {at.ply}: the game ends when it is {PLY_LIMIT}")
    if at.quiet > at.ply:
        raise PositionError(f"QUIET is {at.quiet}, which is more than all {at.ply} actions of PLY")


def _check_side(board: bytes, side: int, name: str, points: int) -> None:
    apprentices = board.count(APPRENTICES[side])
    sages = board.count(SAGES[side])
    if sages > 1:
        raise PositionError(f"{name} has {sages} sages, on the board and in the tower: a side has one")
    if board.count(LETTERS[side][1]) > 2:
        raise PositionError(f"{name} has more than 2 skyships")
    escaped = points if sages else points - SAGE_WORTH
    if escaped < 0:
        raise PositionError(
            f"{name} has {points} points, but its sage is neither on the board nor in the tower:"
            f" it has escaped, and that is {SAGE_WORTH} of them"
        )
    if apprentices + escaped > 8:
        raise PositionError(
            f"{name} has {apprentices} apprentices on the board and {escaped} points from escaped ones:"
            " together they are 8 at most"
        )


START = parse_position("2aaaa2/f1aaaa1f/8/8/8/8/8/F1AAAA1F/2AAAA2 1 Tt 0:0 0 0")
