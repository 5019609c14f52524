"""Position strings, read into their fields: ``TERRAIN PIECES SEAT PHASE QUIET TURN``.

Each field is held to its own form here; how they fit together is ``reading``'s.
"""

import re
from typing import NamedTuple

from tourney.errors import PositionError
from tourney.games.cyvasse.board import LENGTHS, NUMBER, ROW_SLICES, ROWS
from tourney.games.cyvasse.ground import BARE, MOUNTAIN, PLAIN, UNLAID, WATER
from tourney.games.cyvasse.pieces import CODES, EMPTY, PUT_ORDER
from tourney.games.cyvasse.tiles import TILES

_GROUNDS = PLAIN + MOUNTAIN + WATER + UNLAID
_PIECES = chr(EMPTY) + CODES + CODES.lower()
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
_PHASE = re.compile(
    r"(?P<word>king|play|hidden)|tile-(?P<laid>[0-7]):(?P<left>[1-8]{1,8})|put-(?P<put>0|[1-9][0-9]?)"
    r"|rabble-(?P<rabble>[a-i][1-9][0-9]?)",
    re.ASCII,
)


class Phase(NamedTuple):
    """What is done next: ``word`` is king, tile, put, play, rabble, or hidden in an observation."""

    word: str
    left: tuple[int, ...] = ()
    """The tiles still to lay; of the word tile."""
    placed: int = 0
    """How many of the 22 pieces are put; of the word put."""
    rabble: int = 0
    """The square of the Rabble moved first; of the word rabble."""


class Fields(NamedTuple):
    """The six fields; ground and board as the states hold them, an item a square number."""

    ground: str
    board: bytes
    seat: int
    phase: Phase
    quiet: int
    turn: int


def read_fields(text: str) -> Fields:
    """Return the fields of a position string or of an observation. Raises PositionError."""
    words = text.split(" ")
    if len(words) != 6:
        raise PositionError(
            "a position has six fields, TERRAIN PIECES SEAT PHASE QUIET TURN, parted by one blank each;"
            f" here are {len(words)}"
        )
    terrain, pieces, seat, phase, quiet, turn = words
    if seat not in {"1", "2"}:
        raise PositionError(f"SEAT is 1 or 2, not {seat!r}")
    return Fields(
        _read_squares("TERRAIN", terrain, _GROUNDS),
        _read_squares("PIECES", pieces, _PIECES).encode("ascii"),
        int(seat),
        _read_phase(phase),
        _read_number("QUIET", quiet),
        _read_number("TURN", turn),
    )


def _read_squares(field: str, text: str, allowed: str) -> str:
    rows = text.split("/")
    if len(rows) != len(ROWS):
        raise PositionError(f"{field} has nine rows, i to a, parted by /; here are {len(rows)}")
    squares = [" "] * len(BARE)
    for row, letter, length, where in zip(rows, ROWS[::-1], LENGTHS[::-1], ROW_SLICES, strict=True):
        if len(row) != length:
            raise PositionError(f"row {letter} of {field} has {length} squares; here are {len(row)}")
        for i, code in enumerate(row, 1):
            if code not in allowed:
                raise PositionError(f"{field} holds {code!r} on {letter}{i}; it may hold {allowed}")
        squares[where] = row
    return "".join(squares)


def _read_number(field: str, text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise PositionError(f"{field} is a small number without leading zeros, not {text!r}")
    return int(text)


def _read_phase(text: str) -> Phase:
    match = _PHASE.fullmatch(text)
    if match is not None:
        word, laid, left, put, rabble = match.group("word", "laid", "left", "put", "rabble")
        if word:
            return Phase(word)
        if laid:
            tiles = tuple(map(int, left))
            if tiles == tuple(sorted(set(tiles))) and len(tiles) == len(TILES) - int(laid):
                return Phase("tile", left=tiles)
        elif put:
            if int(put) < len(PUT_ORDER):
                return Phase("put", placed=int(put))
        elif rabble in NUMBER:
            return Phase("rabble", rabble=NUMBER[rabble])
    raise PositionError(
        "PHASE is king, tile-N:TILES (the 8 - N tiles still to lay, ascending), put-N (N at most 21), play or"
        f" rabble-SQUARE, not {text!r}"
    )
