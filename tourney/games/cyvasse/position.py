"""Parses position strings, ``TERRAIN PIECES SEAT PHASE QUIET TURN``, and refuses impossible positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.compiled import core
from tourney.games.cyvasse import board as cyvasse

if TYPE_CHECKING:
    from tourney.games.cyvasse.core import CyvasseCore

_GROUNDS = cyvasse.PLAIN + cyvasse.MOUNTAIN + cyvasse.WATER + cyvasse.UNLAID
_PIECES = chr(cyvasse.EMPTY) + cyvasse.CODES + cyvasse.CODES.lower()
_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
_PHASE = re.compile(
    r"(?P<word>king|play|hidden)|tile-(?P<laid>[0-7]):(?P<left>[1-8]{1,8})|put-(?P<put>0|[1-9][0-9]?)"
    r"|rabble-(?P<rabble>[a-i][1-9][0-9]?)",
    re.ASCII,
)


def parse_fields(text: str) -> cyvasse.CyvassePosition:
    """Parse a position string or an observation, field by field. Raises PositionError."""
    words = text.split(" ")
    if len(words) != 6:
        raise PositionError(
            "a position has six fields, TERRAIN PIECES SEAT PHASE QUIET TURN, separated by single blanks,"
            f" not {len(words)}"
        )
    terrain, pieces, seat, phase, quiet, turn = words
    if seat not in {"1", "2"}:
        raise PositionError(f"SEAT is 1 or 2, not {seat!r}")
    return cyvasse.CyvassePosition(
        _read_squares("TERRAIN", terrain, _GROUNDS),
        _read_squares("PIECES", pieces, _PIECES).encode("ascii"),
        int(seat),
        _read_phase(phase),
        _read_number("QUIET", quiet),
        _read_number("TURN", turn),
    )


def _read_squares(field: str, text: str, allowed: str) -> str:
    rows = text.split("/")
    if len(rows) != len(cyvasse.ROWS):
        raise PositionError(f"{field} has nine rows, i to a, separated by /, not {len(rows)}")
    squares = [" "] * len(cyvasse.BARE)
    for row, letter, length, where in zip(
        rows, cyvasse.ROWS[::-1], cyvasse.LENGTHS[::-1], cyvasse.ROW_SLICES, strict=True
    ):
        if len(row) != length:
            raise PositionError(f"row {letter} of {field} has {length} squares, not {len(row)}")
        for i, code in enumerate(row, 1):
            if code not in allowed:
                raise PositionError(f"{field} holds {code!r} on {letter}{i}; it may hold {allowed}")
        squares[where] = row
    return "".join(squares)


def _read_number(field: str, text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise PositionError(f"{field} is a number of at most 6 digits without leading zeros, not {text!r}")
    return int(text)


def _read_phase(text: str) -> cyvasse.Phase:
    match = _PHASE.fullmatch(text)
    if match is not None:
        word, laid, left, put, rabble = match.group("word", "laid", "left", "put", "rabble")
        if word:
            return cyvasse.Phase(word)
        if laid:
            tiles = tuple(map(int, left))
            if tiles == tuple(sorted(set(tiles))) and len(tiles) == len(cyvasse.TILES) - int(laid):
                return cyvasse.Phase("tile", left=tiles)
        elif put:
            if int(put) < len(cyvasse.PUT_ORDER):
                return cyvasse.Phase("put", placed=int(put))
        elif rabble in cyvasse.NUMBER:
            return cyvasse.Phase("rabble", rabble=cyvasse.NUMBER[rabble])
    raise PositionError(
        "PHASE is king, tile-N:TILES (the 8 - N tiles still to lay, ascending), put-N (N at most 21), play or"
        f" rabble-SQUARE, not {text!r}"
    )


def parse_position(text: str) -> cyvasse.CyvassePosition:
    """Parse a position string. Raises PositionError for a wrong form or an impossible position."""
    at = parse_fields(text)
    check(at)
    return at


def check(fields: cyvasse.CyvassePosition) -> None:
    """Raise PositionError for parsed fields that make no possible position."""
    if fields.phase.word == "hidden":
        raise PositionError(
            "PHASE hidden is for observations; in a position PHASE gives the step of the set-up"
        )
    if fields.in_play:
        _check_play(fields)
    else:
        _check_set_up(fields)


def _check_play(fields: cyvasse.CyvassePosition) -> None:
    for seat in (1, 2):
        if not cyvasse.side_can_be_laid(seat, fields.ground):
            raise PositionError(f"the nine tiles cannot produce the TERRAIN of {_name(seat)}'s side")
    _check_middle_ground(fields)
    _check_pieces_in_play(fields)
    _check_counters(fields)
    _check_kings(fields)
    if fields.phase.word == "rabble":
        _check_rabble(fields)


def _check_middle_ground(fields: cyvasse.CyvassePosition) -> None:
    for s in cyvasse.SQUARES:
        if s not in cyvasse.SIDE[1] + cyvasse.SIDE[2] and fields.ground[s] != cyvasse.BARE[s]:
            raise PositionError(
                f"row e is plain, but TERRAIN holds {fields.ground[s]!r} on {cyvasse.NAMES[s]}"
            )


def _check_off_mountains(fields: cyvasse.CyvassePosition) -> None:
    for s in cyvasse.SQUARES:
        if fields.board[s] != cyvasse.EMPTY and fields.ground[s] in {cyvasse.MOUNTAIN, cyvasse.UNLAID}:
            raise PositionError(
                f"a piece, {chr(fields.board[s])!r}, stands on {cyvasse.NAMES[s]}, where TERRAIN holds"
                f" {fields.ground[s]!r}"
            )


def _check_pieces_in_play(fields: cyvasse.CyvassePosition) -> None:
    _check_off_mountains(fields)
    for seat in (1, 2):
        for kind in cyvasse.KINDS:
            code = ord(cyvasse.own_code(seat, kind.code))
            if fields.board.count(code) > kind.number:
                raise PositionError(
                    f"{_name(seat)} has {fields.board.count(code)} {kind.name}; a set has {kind.number}"
                )
        tower = ord(cyvasse.own_code(seat, "W"))
        for s in cyvasse.SQUARES:
            if fields.board[s] == tower and s not in cyvasse.SIDE[seat]:
                raise PositionError(
                    f"{_name(seat)}'s Tower on {cyvasse.NAMES[s]} is off its own side; Towers never move"
                )


def _check_counters(fields: cyvasse.CyvassePosition) -> None:
    if fields.quiet > cyvasse.QUIET_LIMIT:
        raise PositionError(
            f"QUIET is {fields.quiet}; after {cyvasse.QUIET_LIMIT} turns without a capture a game is over"
        )
    if fields.turn > cyvasse.TURN_LIMIT:
        raise PositionError(f"TURN is {fields.turn}; after {cyvasse.TURN_LIMIT} turns a game is over")
    if fields.quiet > fields.turn:
        raise PositionError(f"QUIET, {fields.quiet}, is over TURN, {fields.turn}")
    if fields.seat != 1 + fields.turn % 2:
        raise PositionError(f"SEAT is {fields.seat} at TURN {fields.turn}; White, seat 1, acts at even ones")


def _check_kings(fields: cyvasse.CyvassePosition) -> None:
    """Check that no King is missing, but one that was captured just now, which ends the game."""
    for seat in (1, 2):
        if ord(cyvasse.own_code(seat, "K")) in fields.board:
            continue
        captured = (
            seat == fields.seat and fields.quiet == 0 and fields.turn > 0 and fields.phase.word == "play"
        )
        if not captured:
            raise PositionError(
                f"{_name(seat)}'s King is missing; only that of the seat to act may be, when the last turn"
                " captured it: PHASE play, QUIET 0, TURN over 0"
            )


def _check_rabble(fields: cyvasse.CyvassePosition) -> None:
    first = fields.phase.rabble
    if fields.board[first] != ord(cyvasse.own_code(fields.seat, "R")):
        raise PositionError(
            f"PHASE names {cyvasse.NAMES[first]}, where no Rabble of {_name(fields.seat)} stands"
        )
    position: CyvasseCore = core("cyvasse").CyvasseCore()
    position.load(fields)
    if not position.can_move_second_rabble():
        raise PositionError(
            f"no Rabble of {_name(fields.seat)} but that on {cyvasse.NAMES[first]} can move,"
            " so the turn is over"
        )


def _check_set_up(fields: cyvasse.CyvassePosition) -> None:
    seat, phase = fields.seat, fields.phase
    if fields.quiet or fields.turn:
        raise PositionError("QUIET and TURN are 0 during the set-up")
    _check_middle_ground(fields)
    _check_off_mountains(fields)
    for s in cyvasse.SQUARES:
        if fields.board[s] != cyvasse.EMPTY and s not in cyvasse.SIDE[1] + cyvasse.SIDE[2]:
            raise PositionError(f"a piece stands on {cyvasse.NAMES[s]}, in row e, during the set-up")
    if seat == 1:
        _check_bare(fields, 2)
    else:
        _check_laid(fields, 1, _plan_put(fields, 1, len(cyvasse.PUT_ORDER)))
    if phase.word == "king":
        _check_bare(fields, seat)
        return
    plan = _plan_put(fields, seat, phase.placed)
    if phase.word == "tile":
        _check_partly_laid(fields, seat, plan)
    else:
        _check_laid(fields, seat, plan)


def _check_bare(fields: cyvasse.CyvassePosition, seat: int) -> None:
    for s in cyvasse.SIDE[seat]:
        if fields.ground[s] != cyvasse.UNLAID or fields.board[s] != cyvasse.EMPTY:
            raise PositionError(
                f"{_name(seat)} has not started its set-up, but {cyvasse.NAMES[s]} holds"
                f" {fields.ground[s]!r} in TERRAIN and {chr(fields.board[s])!r} in PIECES"
            )


def _plan_put(fields: cyvasse.CyvassePosition, seat: int, placed: int) -> cyvasse.KingPlan:
    """Check that a side has its King, on a king square, and its first pieces; return the King's plan."""
    found = sorted(fields.board[s] for s in cyvasse.SIDE[seat] if fields.board[s] != cyvasse.EMPTY)
    wanted = cyvasse.own_code(seat, "K" + cyvasse.PUT_ORDER[:placed])
    if found != sorted(wanted.encode("ascii")):
        raise PositionError(
            f"{_name(seat)}'s side holds the pieces {bytes(found).decode('ascii')!r}; at this stage of the"
            f" set-up it holds {''.join(sorted(wanted))!r}"
        )
    king = fields.board.index(cyvasse.own_code(seat, "K").encode("ascii"))
    for plan in cyvasse.PLANS[seat]:
        if plan.king == king:
            return plan
    squares = ", ".join(cyvasse.NAMES[plan.king] for plan in cyvasse.PLANS[seat])
    raise PositionError(
        f"{_name(seat)}'s King stands on {cyvasse.NAMES[king]} in the set-up; its squares are {squares}"
    )


def _check_laid(fields: cyvasse.CyvassePosition, seat: int, plan: cyvasse.KingPlan) -> None:
    if not cyvasse.can_be_laid(plan, fields.ground):
        raise PositionError(
            f"the nine tiles with the King on {cyvasse.NAMES[plan.king]} cannot produce the TERRAIN of"
            f" {_name(seat)}'s side"
        )


def _check_partly_laid(fields: cyvasse.CyvassePosition, seat: int, plan: cyvasse.KingPlan) -> None:
    left = fields.phase.left
    laid = frozenset(cyvasse.TILES) - frozenset(left)
    for block in plan.blocks[len(laid) :]:
        for s in block.squares:
            if fields.ground[s] != cyvasse.UNLAID:
                raise PositionError(
                    f"there is no tile on {cyvasse.NAMES[s]} yet,"
                    f" but TERRAIN holds {fields.ground[s]!r} there"
                )
    if not cyvasse.shows_king_tile(plan, fields.ground) or laid not in cyvasse.laid_tiles(
        plan, fields.ground, len(laid)
    ):
        tiles = "".join(map(str, sorted(laid))) or "none"
        raise PositionError(
            f"the king tile on {cyvasse.NAMES[plan.king]} and the tiles {tiles} cannot produce the TERRAIN of"
            f" {_name(seat)}'s side"
        )


def _name(seat: int) -> str:
    return cyvasse.SEAT_NAMES[seat - 1]
