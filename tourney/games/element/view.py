"""The readable view of a position of Element."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from tourney.games.base import AnyGame
from tourney.games.element.board import (
    EARTH,
    ELEMENTS,
    EMPTY,
    FIRE,
    MOUNTAIN,
    RANGE_EARTH,
    SAGE,
    SQUARES,
    WATER,
    WHIRLWIND,
    is_range,
)
from tourney.games.element.position import CHANCE, DRAW, FLOW, RIVER, Position, position_string
from tourney.games.view import View


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


_GROUND = MappingProxyType(dict.fromkeys(SQUARES, "plain"))
_STONES = {
    FIRE: ("fire", 1),
    WATER: ("water", 1),
    EARTH: ("earth", 1),
    RANGE_EARTH: ("earth", 1),
    MOUNTAIN: ("mountain", 2),
    **{number: ("wind", number) for number in range(1, WHIRLWIND + 1)},
}


@dataclass(frozen=True, slots=True)
class ElementView(View[Lying]):
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


def view_of(game: AnyGame, at: Position) -> ElementView:
    """Return the view of a position."""
    seats = {square: seat for seat, square in enumerate(at.sages, 1)}
    board = {}
    for square, code in enumerate(at.board):
        if code == SAGE:
            board[SQUARES[square]] = Lying(SQUARES[square], "sage", seats[square])
        elif code != EMPTY:
            kind, count = _STONES[code]
            board[SQUARES[square]] = Lying(SQUARES[square], kind, 0, count, is_range(code))
    flows = at.phase == FLOW
    return ElementView(
        game, position_string(at), _GROUND, MappingProxyType(board), at.seat, at.phase,
        _names(at.sages), at.hand, 0 if at.phase in (DRAW, CHANCE) else at.steps, frozenset(_names(at.used)),
        MappingProxyType(dict(zip(ELEMENTS, at.bag, strict=True))), at.turn, at.drawn,
        SQUARES[at.head] if at.phase in (RIVER, FLOW) else "", _names(at.river) if flows else (),
        _names(at.path_squares) if flows else (),
    )  # fmt: skip


def _names(squares: tuple[int, ...] | frozenset[int]) -> tuple[str, ...]:
    return tuple(SQUARES[square] for square in squares)
