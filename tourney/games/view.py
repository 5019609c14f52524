"""The readable view of a position: squares, their ground and what lies on them, by names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from tourney.games.diagrams import Diagram


class DrawnGame(Protocol):
    """What a view needs of its game."""

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """The diagram of a position string or an observation."""


class SquarePiece(NamedTuple):
    """A piece on the board: its square's name, its kind as a word, and its owner's seat (0: no seat's)."""

    square: str
    kind: str
    seat: int


class Placed(Protocol):
    """What lies on a square has at least a square, a kind and an owner."""

    @property
    def square(self) -> str:
        """The square's name."""

    @property
    def kind(self) -> str:
        """The kind as a word."""

    @property
    def seat(self) -> int:
        """The owner's seat, or 0."""


P = TypeVar("P", bound=Placed)


@dataclass(frozen=True, slots=True)
class View(Generic[P]):
    """What is to be seen of a position, also of one with hidden parts; ``print(view)`` shows the board.

    Games derive classes with more from it. This one is made of a game's diagram.
    """

    game: DrawnGame = field(repr=False, compare=False)
    text: str
    """The position string, or the observation of a seat."""
    squares: Mapping[str, str] = field(repr=False, compare=False)
    """The ground of every square, by its name: "plain", or a word of the game."""
    board: Mapping[str, P] = field(repr=False, compare=False)
    """What lies on the squares that are not empty, by their names."""

    def pieces(self, seat: int | None = None, kind: str | None = None) -> tuple[P, ...]:
        """The pieces of a seat, of a kind, or of both, in the order of ``board``."""
        return tuple(
            piece
            for piece in self.board.values()
            if (seat is None or piece.seat == seat) and (kind is None or piece.kind == kind)
        )

    def __str__(self) -> str:
        return board_text(self.game, self.text)


def board_text(game: DrawnGame, text: str) -> str:
    """A position or an observation as a board for terminals, in ASCII where the game's glyphs are."""
    from tourney.games.text_diagram import text_diagram  # noqa: PLC0415 - bots that print nothing need none

    return text_diagram(game.diagram(text)).removesuffix("\n")


def diagram_view(game: DrawnGame, text: str) -> View[SquarePiece]:
    """The view of a position or an observation that the game's diagram shows."""
    diagram = game.diagram(text)
    names = {(cell.x, cell.y): cell.name for cell in diagram.cells if cell.name}
    board = {}
    for piece in diagram.pieces:
        name = names.get((piece.x, piece.y))
        if name is not None and not piece.aside:
            board[name] = SquarePiece(name, piece.kind, piece.side)
    return View(game, text, {cell.name: cell.kind for cell in diagram.cells if cell.name}, board)
