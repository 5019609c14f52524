"""The diagram and the readable view of a position of Sage Stones."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from tourney.games.base import AnyGame
from tourney.games.diagrams import Cell, Diagram, Mark, Piece, square_labels, tray
from tourney.games.sage_stones import board as stones
from tourney.games.view import View


class Stone(NamedTuple):
    """A stone: its square's name, its colour, from 1, and the colour's seat. Its kind is "stone"."""

    square: str
    colour: int
    seat: int
    kind: str = "stone"


_GROUND = MappingProxyType(dict.fromkeys(stones.NAMES.values(), "plain"))


@dataclass(frozen=True, slots=True)
class StonesView(View[Stone]):
    """All squares are "plain". Of four colours, seat 1 of two has 1 and 3, seat 2 has 2 and 4."""

    seat: int
    """The seat whose turn it is, also while the dice are next."""
    colour: int
    """The colour whose turn it is, from 1."""
    phase: stones.Phase
    """Whether the dice are next ("roll"), a stone ("place"), or the game is over."""
    column: str
    """The column to place in, as "5", or "" if no stone is next."""
    again: bool
    """Whether another turn of the same colour follows."""
    hands: tuple[int, ...]
    """The stones in hand by colour; 0 for one that has placed its last."""
    finished: tuple[int, ...]
    """With ``play_on``: the colours that have placed their last stone, in that order."""
    rolls: int
    """Rolls so far."""
    stones: int
    """The stones that each colour begins with."""
    play_on: bool

    def stones_of(self, colour: int) -> tuple[str, ...]:
        """The squares with stones of a colour."""
        return tuple(stone.square for stone in self.board.values() if stone.colour == colour)


def view_of(game: AnyGame, text: str) -> StonesView:
    """The view of a position string. Raises PositionError."""
    at = stones.parse_position(text)
    settings = at.settings
    board = {}
    for square, name in stones.NAMES.items():
        if at.board[square] != stones.EMPTY:
            colour = at.board[square] - ord("0")
            board[name] = Stone(name, colour, settings.owner(colour))
    ranked = sorted((-hand, colour) for colour, hand in enumerate(at.hands, 1) if hand < 0)
    return StonesView(
        game, text, _GROUND, MappingProxyType(board), settings.owner(at.colour), at.colour, at.phase,
        "" if at.phase != "place" else stones.COLUMNS[at.column], at.again,
        tuple(max(hand, 0) for hand in at.hands), tuple(colour for _, colour in ranked), at.rolls,
        settings.stones, settings.play_on,
    )  # fmt: skip


_BOTTOM = 2 * (stones.HEIGHT - 1)


def _xy(square: int) -> tuple[int, int]:
    """A square's centre: column 3 is on the left, row a at the bottom."""
    column, row = divmod(square, stones.STEP)
    return 2 * column, _BOTTOM - 2 * row


_CELLS = tuple(Cell(*_xy(square), name=stones.NAMES[square]) for square in stones.SQUARES)
_LABELS = square_labels(stones.COLUMNS, stones.ROWS)

_ASIDE = 2 * len(stones.COLUMNS) + 1  # the x of dice and hands, right of the board


def _kind(colour: int, seat: int) -> str:
    return "stone" if colour == seat else "second-stone"


def _piece(at: stones.StonesPosition, square: int) -> Piece:
    """A stone; its glyph is the number of its colour, since with two seats each owns two colours."""
    colour = at.board[square] - ord("0")
    seat = at.settings.owner(colour)
    title = f"stone of colour {colour} (seat {seat}) on {stones.NAMES[square]}"
    return Piece(*_xy(square), str(colour), seat, _kind(colour, seat), title)


def _dice(last: str | None) -> Iterator[Piece]:
    """Yield the dice of a roll beside the board."""
    if last and last.startswith("roll-"):
        for place, face in enumerate(last.removeprefix("roll-")):
            yield Piece(_ASIDE, 2 * place, face, 0, "die", f"a die with {face}", aside=True)


def _hands(at: stones.StonesPosition) -> Iterator[Piece]:
    """Yield a stone of each colour beside the board, with the number in hand."""
    for colour in range(1, at.settings.colours + 1):
        if at.hands[colour - 1] >= 0:
            seat = at.settings.owner(colour)
            stone = Piece(0, 0, str(colour), seat, _kind(colour, seat), f"stones of colour {colour} in hand")
            yield from tray(_ASIDE, 6 + 2 * colour, stone, at.hands[colour - 1])


def _turn(at: stones.StonesPosition) -> str:
    who = f"colour {at.colour} (seat {at.settings.owner(at.colour)})"
    if at.phase == "over":
        return f"over; last turn: {who}"
    if at.phase == "roll":
        return f"{who} rolls"
    again = ", then another turn" if at.again else ""
    return f"{who} places in column {stones.COLUMNS[at.column]}{again}"


def _hand(at: stones.StonesPosition, colour: int) -> str:
    hand = at.hands[colour - 1]
    return f"{colour}: {hand}" if hand >= 0 else f"{colour}: done, rank {-hand}"


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a position string, with the squares to choose from and the last action marked.

    Raises PositionError and ActionError.
    """
    at = stones.parse_position(view)
    marks = []
    if at.phase == "place":
        start = stones.STEP * at.column
        marks = [
            Mark(*_xy(s), "used") for s in range(start, start + stones.HEIGHT) if at.board[s] == stones.EMPTY
        ]
    notes = [
        _turn(at),
        "in hand, by colour: " + ", ".join(_hand(at, c) for c in range(1, at.settings.colours + 1)),
        f"rolls: {at.rolls} of {stones.ROLL_LIMIT}",
    ]
    if last:
        action = stones.parse_action(last)
        if action < stones.FIRST_ROLL:
            marks.append(Mark(*_xy(action), "to"))
            notes.append(f"last: {last}")
        else:
            notes.append(f"dice: {'-'.join(last.removeprefix('roll-'))}")
    pieces = tuple(_piece(at, square) for square in stones.SQUARES if at.board[square] != stones.EMPTY)
    pieces += (*_dice(last), *_hands(at))
    return Diagram(_CELLS, pieces, tuple(marks), (), _LABELS, tuple(notes))
