"""The diagram and the readable view of a position of Element."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from tourney.games import view as views
from tourney.games.base import AnyGame
from tourney.games.diagrams import Arrow, Cell, Diagram, Mark, Piece, square_labels, tray
from tourney.games.element import board
from tourney.games.element.board import ElementPosition


class Lying(NamedTuple):
    """A sage, or the stones on a square.

    ``kind`` is "sage", "fire", "water", "earth", "mountain" (two Earths) or "wind"; ``number`` says how many
    stones, 1 to 4 Winds. ``in_range`` says whether an Earth or a mountain is part of a range.
    """

    square: str
    kind: str
    seat: int
    number: int = 1
    in_range: bool = False


_SHAPES: dict[int, tuple[str, str, str]] = {
    board.FIRE: ("F", "fire", "Fire"),
    board.WATER: ("W", "water", "Water"),
    board.EARTH: ("E", "earth", "Earth"),
    board.RANGE_EARTH: ("E", "range", "Earth of a range"),
    board.MOUNTAIN: ("M", "mountain", "a mountain"),
    1: ("1", "wind", "Wind"),
    **{
        winds: (str(winds), "whirlwind", f"a whirlwind of {winds}") for winds in range(2, board.WHIRLWIND + 1)
    },
}
"""By code: glyph, kind and title."""
_VIEWED = {"range": "earth", "whirlwind": "wind"}
"""Kinds of diagrams that a view tells apart by ``in_range`` and ``number``."""
_GROUND = MappingProxyType(dict.fromkeys(board.SQUARES, "plain"))


@dataclass(frozen=True, slots=True)
class ElementView(views.View[Lying]):
    """All squares are "plain": what lies on them is on ``board``."""

    seat: int
    """The seat whose turn it is, also while chance draws."""
    phase: str
    """"draw", "chance", "act", "river" (its direction is next) or "flow"."""
    sages: tuple[str, ...]
    """The squares of the sages, in seat order."""
    hand: str
    """The letters of the stones in hand, sorted ``A E F W``."""
    steps: int
    """Steps left; 0 before the stones are drawn."""
    used: frozenset[str]
    """The squares whose Wind was jumped in this turn."""
    bag: Mapping[str, int] = field(hash=False)
    """The stones in the bag, by letter."""
    turn: int
    """Turns completed."""
    drawn: int
    """The stones that chance draws now, else 0."""
    head: str
    """The headwater's square in "river" and "flow", else ""."""
    river: tuple[str, ...]
    """The squares of the river that flows, else empty."""
    path: tuple[str, ...]
    """The squares that it has flowed over so far."""

    @property
    def own(self) -> str:
        """The square of the sage of the seat whose turn it is."""
        return self.sages[self.seat - 1]

    @property
    def prey(self) -> str:
        """The square of the sage that this seat hunts."""
        return self.sages[self.seat % len(self.sages)]


def view_of(game: AnyGame, text: str) -> ElementView:
    """The view of a position string. Raises PositionError."""
    at = board.parse_position(text)
    seats = {square: seat for seat, square in enumerate(at.sages, 1)}
    lying = {}
    for square, (name, code) in enumerate(zip(board.SQUARES, at.board, strict=True)):
        if code == board.SAGE:
            lying[name] = Lying(name, "sage", seats[square])
        elif code != board.EMPTY:
            kind = _SHAPES[code][1]
            number = code if code <= board.WHIRLWIND else 2 if code == board.MOUNTAIN else 1
            in_range = code in (board.RANGE_EARTH, board.MOUNTAIN)
            lying[name] = Lying(name, _VIEWED.get(kind, kind), 0, number, in_range)
    steps = 0 if at.phase in (board.DRAW, board.CHANCE) else at.steps
    head = board.SQUARES[at.head] if at.phase in (board.RIVER, board.FLOW) else ""
    bag = MappingProxyType(dict(zip(board.ELEMENTS, at.bag, strict=True)))
    return ElementView(
        game, text, _GROUND, MappingProxyType(lying), at.seat, at.phase, _names(at.sages), at.hand, steps,
        frozenset(_names(at.used)), bag, at.turn, at.drawn, head, _names(at.river), _names(at.path),
    )  # fmt: skip


def _names(squares: tuple[int, ...] | frozenset[int]) -> tuple[str, ...]:
    return tuple(board.SQUARES[square] for square in squares)


def _at(square: int) -> tuple[int, int]:
    column, row = board.PLACES[square]
    return 2 * column, 2 * (board.SIZE - 1 - row)


_IN_ORDER = sorted(range(board.SIZE * board.SIZE), key=board.PLACES.__getitem__)
_CELLS = tuple(Cell(*_at(square), "plain", board.SQUARES[square]) for square in _IN_ORDER)
_LABELS = square_labels(board.COLUMNS, [str(row) for row in range(1, board.SIZE + 1)])


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a position string; ``last`` is the last action's string. Raises PositionError."""
    position = board.parse_position(view)
    marks = [Mark(*_at(square), "used") for square in sorted(position.used, key=board.PLACES.__getitem__)]
    arrows: list[Arrow] = []
    if position.phase in (board.RIVER, board.FLOW):
        way = (position.head, *position.path)
        marks.append(Mark(*_at(position.head), "from"))
        marks += [Mark(*_at(square), "to") for square in way[1:]]
        arrows += [Arrow(*_at(start), *_at(end)) for start, end in pairwise(way)]
    notes = _notes(position, view.split(" ")[3])
    if last is not None:
        notes = (*notes, f"last: {last}")
        placed = _PLACED.fullmatch(last)
        if placed and placed[1] in board.SQUARE and not arrows and position.phase != board.RIVER:
            marks.append(Mark(*_at(board.SQUARE[placed[1]]), "to"))
    return Diagram(_CELLS, _pieces(position), tuple(marks), tuple(arrows), _LABELS, notes)


_PLACED = re.compile("(?:[AEFW]|step|jump)-(.*)")


def _pieces(position: ElementPosition) -> tuple[Piece, ...]:
    codes = position.board
    stones = []
    for square in _IN_ORDER:
        if codes[square] not in (board.EMPTY, board.SAGE):
            glyph, kind, title = _SHAPES[codes[square]]
            stones.append(Piece(*_at(square), glyph, 0, kind, f"{title} on {board.SQUARES[square]}"))
    sages = [
        Piece(*_at(sage), f"S{seat}", seat, "sage", f"the sage of seat {seat} on {board.SQUARES[sage]}")
        for seat, sage in enumerate(position.sages, 1)
    ]
    return (*stones, *sages, *_aside(position))


_ASIDE = 2 * board.SIZE + 1  # the x of hand and bag, right of the board


def _aside(position: ElementPosition) -> Iterator[Piece]:
    """Yield the stones in hand and in the bag, beside the board."""
    yield Piece(_ASIDE, 0, "hand", 0, "caption", aside=True)
    for place, letter in enumerate(position.hand):
        glyph, kind, title = _SHAPES[_STONES[letter]]
        yield Piece(_ASIDE, 2 + 2 * place, glyph, 0, kind, f"{title} in hand", aside=True)
    yield Piece(_ASIDE, 12, "bag", 0, "caption", aside=True)
    for place, (letter, count) in enumerate(zip(board.ELEMENTS, position.bag, strict=True)):
        glyph, kind, title = _SHAPES[_STONES[letter]]
        yield from tray(_ASIDE, 14 + 2 * place, Piece(0, 0, glyph, 0, kind, f"{title} in the bag"), count)


_STONES = {"A": 1, "E": board.EARTH, "F": board.FIRE, "W": board.WATER}
"""The code of a single stone by its letter."""


def _notes(position: ElementPosition, phase: str) -> tuple[str, ...]:
    counts = zip(board.NAMES.values(), position.bag, strict=True)
    bag = ", ".join(f"{name} {count}" for name, count in counts)
    hand = ", ".join(board.NAMES[letter] for letter in position.hand)
    if position.captured:
        who = "captured: " + ", ".join(f"seat {seat}" for seat in position.captured)
    elif position.turn == board.LAST_TURN:
        who = "the game is over"
    elif position.phase == board.CHANCE:
        who = f"chance draws {position.drawn} for seat {position.seat}"
    else:
        who = f"seat {position.seat} to act: {phase}"
    return (
        f"turn {position.turn} of {board.LAST_TURN} completed; {who}",
        f"hand: {hand or 'none'}; steps left: {position.steps}",
        f"bag: {bag}",
    )
