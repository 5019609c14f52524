"""Squares, pieces and actions as numbers and strings; positions, strictly parsed.

A square is ``9 * file + rank`` with file and rank from 0, so 0 is a1 and 71 is h9, in the order of the
names. Two places more stand for the towers, which are not squares. A board is 74 bytes, one letter a
place: ``AFS`` Black's apprentice, skyship and sage, ``afs`` Red's, ``.`` nothing.

An action is ``source << 7 | target``. Sources and targets are numbered in the order of their names, so
actions as integers have the order of their strings.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tourney.games.core_game import IntAction, action_tables
from tourney.games.position_fields import read_number, refuse, split_fields, wrong_field

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

PASS = SQUARES << SHIFT
_NAME_OF = {
    **{a << SHIFT | b: f"{NAMES[a]}-{NAMES[b]}" for a in range(SQUARES) for b in range(SQUARES) if a != b},
    **{a << SHIFT | OFF: f"{NAMES[a]}-off" for a in range(RIVER, SQUARES, HEIGHT)},
    **{FROM_TOWER << SHIFT | b: f"tower-{NAMES[b]}" for foot in TOWER_SQUARES for b in foot},
    PASS: "pass",
}
action_string = _NAME_OF.__getitem__  # the string of an action


class TaflAction(IntAction, text=action_string):
    """An action."""

    __slots__ = ()


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
_MOST_POINTS = 8 + SAGE_WORTH  # of eight apprentices and the sage


class TaflPosition(NamedTuple):
    """A position without history: board with towers, seat to move, points by side, counters."""

    board: bytes
    seat: int
    points: tuple[int, int]
    quiet: int
    ply: int


def parse_position(text: str) -> TaflPosition:
    """Parse a position string. Raises PositionError for a wrong form or an impossible position."""
    ranks, seat, towers, points, quiet, ply = split_fields(text, "BOARD SEAT TOWERS POINTS QUIET PLY")
    board = _read_board(ranks)
    if towers not in _TOWERS:
        raise wrong_field("TOWERS", towers, "write Tt, T, t or -")
    for tower in _TOWERS[towers]:
        board[tower] = SAGES[tower - SQUARES]
    black, colon, red = points.partition(":")
    if not colon:
        raise wrong_field("POINTS", points, "write Black's points, a colon and Red's points")
    position = TaflPosition(
        bytes(board),
        read_number("SEAT", seat, 1, 2),
        (read_number("POINTS", black, 0, _MOST_POINTS), read_number("POINTS", red, 0, _MOST_POINTS)),
        read_number("QUIET", quiet, 0, QUIET_LIMIT),
        read_number("PLY", ply, 0, PLY_LIMIT),
    )
    refuse(_contradictions(position))
    return position


def _read_board(text: str) -> bytearray:
    ranks = text.split("/")
    if len(ranks) != HEIGHT:
        raise wrong_field("BOARD", text, f"write nine ranks separated by /, not {len(ranks)}")
    board = bytearray([EMPTY]) * PLACES
    for number, word in zip(range(HEIGHT - 1, -1, -1), ranks, strict=True):
        if _RANK.fullmatch(word) is None:
            advice = f"write rank {number + 1} with AFSafs and each empty run as one digit"
            raise wrong_field("BOARD", word, advice)
        row = "".join("." * int(c) if c.isdigit() else c for c in word)
        if len(row) != len(FILES):
            advice = f"rank {number + 1} has {len(row)} squares, write {len(FILES)}"
            raise wrong_field("BOARD", word, advice)
        board[number:SQUARES:HEIGHT] = row.encode("ascii")
    return board


def _contradictions(at: TaflPosition) -> Iterator[str]:
    for side, name in enumerate(SIDES):
        apprentices, skyships, sages = map(at.board.count, LETTERS[side])
        if sages > 1:
            yield f"{name} has {sages} sages, on the board and in the tower: a side has one"
        if skyships > 2:
            yield f"{name} has more than 2 skyships"
        points = at.points[side]
        escaped = points if sages else points - SAGE_WORTH
        if escaped < 0:
            yield (
                f"{name} has {points} points, but its sage is neither on the board nor in the tower:"
                f" it has escaped, and that is {SAGE_WORTH} of them"
            )
        if apprentices + escaped > 8:
            yield (
                f"{name} has {apprentices} apprentices on the board and {escaped} points from escaped ones:"
                " together they are 8 at most"
            )
    if min(at.points) >= WIN_POINTS:
        yield f"both sides cannot have {WIN_POINTS} points or more: the game ends when one has"
    if at.quiet > at.ply:
        yield f"QUIET is {at.quiet}, which is more than all {at.ply} actions of PLY"


START = parse_position("2aaaa2/f1aaaa1f/8/8/8/8/8/F1AAAA1F/2AAAA2 1 Tt 0:0 0 0")
