"""Parses position strings, ``TERRAIN PIECES SEAT PHASE QUIET TURN``, and refuses impossible positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tourney.errors import PositionError
from tourney.games.compiled import core
from tourney.games.cyvasse import board as cyvasse
from tourney.games.position_fields import read_number, refuse, split_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tourney.games.cyvasse.core import CyvasseCore

_ROW_E = frozenset(cyvasse.SQUARES) - frozenset(cyvasse.SIDE[1] + cyvasse.SIDE[2])
_SEATS = tuple(enumerate(cyvasse.SEAT_NAMES, 1))
_PHASE = re.compile(
    r"(?P<word>king|play|hidden)|tile-(?P<laid>[0-7]):(?P<left>[1-8]{1,8})|put-(?P<put>0|[1-9][0-9]?)"
    r"|rabble-(?P<rabble>[a-i][1-9][0-9]?)",
    re.ASCII,
)


def parse_fields(text: str) -> cyvasse.CyvassePosition:
    """Parse a position string or an observation, field by field. Raises PositionError."""
    terrain, pieces, seat, phase, quiet, turn = split_fields(text, "TERRAIN PIECES SEAT PHASE QUIET TURN")
    return cyvasse.CyvassePosition(
        _read_squares("TERRAIN", terrain, cyvasse.GROUNDS),
        _read_squares("PIECES", pieces, cyvasse.PIECES).encode("ascii"),
        read_number("SEAT", seat, 1, 2),
        _read_phase(phase),
        read_number("QUIET", quiet, 0, cyvasse.QUIET_LIMIT),
        read_number("TURN", turn, 0, cyvasse.TURN_LIMIT),
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
    refuse(_contradictions_in_play(fields) if fields.in_play else _contradictions_in_set_up(fields))


def _contradictions_in_play(fields: cyvasse.CyvassePosition) -> Iterator[str]:
    for seat, name in _SEATS:
        if not any(cyvasse.can_be_laid(plan, fields.ground) for plan in cyvasse.PLANS[seat]):
            yield f"the nine tiles cannot produce the TERRAIN of {name}'s side"
    yield from _contradictions_of_squares(fields)
    for seat, name in _SEATS:
        for kind in cyvasse.KINDS:
            count = fields.board.count(ord(cyvasse.own_code(seat, kind.code)))
            if count > kind.number:
                yield f"{name} has {count} {kind.name}; a set has {kind.number}"
        tower = ord(cyvasse.own_code(seat, "W"))
        for s in cyvasse.SQUARES:
            if fields.board[s] == tower and s not in cyvasse.SIDE[seat]:
                yield f"{name}'s Tower on {cyvasse.NAMES[s]} is off its own side; Towers never move"
    if fields.quiet > fields.turn:
        yield f"QUIET, {fields.quiet}, is over TURN, {fields.turn}"
    if fields.seat != 1 + fields.turn % 2:
        yield f"SEAT is {fields.seat} at TURN {fields.turn}; White, seat 1, acts at even ones"
    # A King may be missing if it was captured just now, which ends the game.
    captured = fields.quiet == 0 and fields.turn > 0 and fields.phase.word == "play"
    for seat, name in _SEATS:
        there = ord(cyvasse.own_code(seat, "K")) in fields.board
        if not there and not (captured and seat == fields.seat):
            yield (
                f"{name}'s King is missing; only that of the seat to act may be, when the last turn"
                " captured it: PHASE play, QUIET 0, TURN over 0"
            )
    if fields.phase.word == "rabble":
        yield from _contradictions_of_rabble(fields)


def _contradictions_of_squares(fields: cyvasse.CyvassePosition) -> Iterator[str]:
    for s in cyvasse.SQUARES:
        name = cyvasse.NAMES[s]
        ground = fields.ground[s]
        piece = fields.board[s]
        if s in _ROW_E and ground != cyvasse.PLAIN:
            yield f"row e is plain, but TERRAIN holds {ground!r} on {name}"
        if piece != cyvasse.EMPTY and ground in {cyvasse.MOUNTAIN, cyvasse.UNLAID}:
            yield f"a piece, {chr(piece)!r}, stands on {name}, where TERRAIN holds {ground!r}"


def _contradictions_of_rabble(fields: cyvasse.CyvassePosition) -> Iterator[str]:
    first = cyvasse.NAMES[fields.phase.rabble]
    seat = cyvasse.SEAT_NAMES[fields.seat - 1]
    if fields.board[fields.phase.rabble] != ord(cyvasse.own_code(fields.seat, "R")):
        yield f"PHASE names {first}, where no Rabble of {seat} stands"
    position: CyvasseCore = core("cyvasse").CyvasseCore()
    position.load(fields)
    if not position.can_move_second_rabble():
        yield f"no Rabble of {seat} but that on {first} can move, so the turn is over"


def _contradictions_in_set_up(fields: cyvasse.CyvassePosition) -> Iterator[str]:
    seat = fields.seat
    phase = fields.phase
    if fields.quiet or fields.turn:
        yield "QUIET and TURN are 0 during the set-up"
    yield from _contradictions_of_squares(fields)
    for s in sorted(_ROW_E):
        if fields.board[s] != cyvasse.EMPTY:
            yield f"a piece stands on {cyvasse.NAMES[s]}, in row e, during the set-up"
    if seat == 1:
        yield from _contradictions_of_bare_side(fields, 2)
    else:
        yield from _contradictions_of_side(fields, 1, len(cyvasse.PUT_ORDER))
    if phase.word == "king":
        yield from _contradictions_of_bare_side(fields, seat)
    else:
        yield from _contradictions_of_side(fields, seat, phase.placed)


def _contradictions_of_bare_side(fields: cyvasse.CyvassePosition, seat: int) -> Iterator[str]:
    for s in cyvasse.SIDE[seat]:
        if fields.ground[s] != cyvasse.UNLAID or fields.board[s] != cyvasse.EMPTY:
            yield (
                f"{cyvasse.SEAT_NAMES[seat - 1]} has not started its set-up, but {cyvasse.NAMES[s]} holds"
                f" {fields.ground[s]!r} in TERRAIN and {chr(fields.board[s])!r} in PIECES"
            )


def _contradictions_of_side(fields: cyvasse.CyvassePosition, seat: int, placed: int) -> Iterator[str]:
    """Of a side in the set-up with its King and ``placed`` other pieces: tiles may be left to lay."""
    name = cyvasse.SEAT_NAMES[seat - 1]
    pieces = sorted(fields.board[s] for s in cyvasse.SIDE[seat] if fields.board[s] != cyvasse.EMPTY)
    wanted = cyvasse.own_code(seat, "K" + cyvasse.PUT_ORDER[:placed])
    if pieces != sorted(wanted.encode("ascii")):
        yield (
            f"{name}'s side holds the pieces {bytes(pieces).decode('ascii')!r}; at this stage of the"
            f" set-up it holds {''.join(sorted(wanted))!r}"
        )
    king = fields.board.index(ord(cyvasse.own_code(seat, "K")))
    plans = {plan.king: plan for plan in cyvasse.PLANS[seat]}
    if king not in plans:
        squares = ", ".join(cyvasse.NAMES[square] for square in plans)
        yield f"{name}'s King stands on {cyvasse.NAMES[king]} in the set-up; its squares are {squares}"
    plan = plans[king]  # a King elsewhere was refused just now
    if seat != fields.seat or fields.phase.word != "tile":
        if not cyvasse.can_be_laid(plan, fields.ground):
            yield (
                f"the nine tiles with the King on {cyvasse.NAMES[king]} cannot produce the TERRAIN of"
                f" {name}'s side"
            )
        return
    laid = frozenset(cyvasse.TILES) - frozenset(fields.phase.left)
    for block in plan.blocks[len(laid) :]:
        for s in block.squares:
            if fields.ground[s] != cyvasse.UNLAID:
                yield (
                    f"there is no tile on {cyvasse.NAMES[s]} yet,"
                    f" but TERRAIN holds {fields.ground[s]!r} there"
                )
    if not cyvasse.shows_king_tile(plan, fields.ground) or laid not in cyvasse.laid_tiles(
        plan, fields.ground, len(laid)
    ):
        tiles = "".join(map(str, sorted(laid))) or "none"
        yield (
            f"the king tile on {cyvasse.NAMES[king]} and the tiles {tiles} cannot produce the TERRAIN of"
            f" {name}'s side"
        )
