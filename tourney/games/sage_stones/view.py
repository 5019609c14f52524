"""The readable view of a position of Sage Stones."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from tourney.games.base import OVER
from tourney.games.sage_stones.board import COLUMNS, EMPTY, ROWS, SQUARES, STEP
from tourney.games.view import View

if TYPE_CHECKING:
    from tourney.games.base import AnyGame
    from tourney.games.sage_stones.game import StonesState

Phase = Literal["roll", "place", "over"]


class Stone(NamedTuple):
    """A stone: its square's name, its colour, from 1, and the colour's seat. Its kind is "stone"."""

    square: str
    colour: int
    seat: int
    kind: str = "stone"


_NAMES = {square: COLUMNS[square // STEP] + ROWS[square % STEP] for square in SQUARES}
_GROUND = MappingProxyType(dict.fromkeys(_NAMES.values(), "plain"))


@dataclass(frozen=True, slots=True)
class StonesView(View[Stone]):
    """All squares are "plain". With two seats, seat 1 has the colours 1 and 3, seat 2 has 2 and 4."""

    seat: int
    """The seat whose turn it is, also while the dice are next."""
    colour: int
    """The colour whose turn it is, from 1."""
    phase: Phase
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
        """Return the squares with stones of a colour."""
        return tuple(stone.square for stone in self.board.values() if stone.colour == colour)


def view_of(game: AnyGame, state: StonesState) -> StonesView:
    """Return the view of a state."""
    table, letters = state.table, state.board
    board = {}
    for square, name in _NAMES.items():
        if letters[square] != EMPTY:
            colour = letters[square] - ord("0")
            board[name] = Stone(name, colour, table.owner(colour))
    phase: Phase = "over" if state.actor == OVER else "roll" if state.column is None else "place"
    ranked = sorted((-hand, colour) for colour, hand in enumerate(state.hands, 1) if hand < 0)
    return StonesView(
        game, state.position(), _GROUND, MappingProxyType(board), table.owner(state.colour), state.colour,
        phase,
        "" if state.column is None else COLUMNS[state.column], state.again,
        tuple(max(hand, 0) for hand in state.hands), tuple(colour for _, colour in ranked), state.rolls,
        table.stones, table.play_on,
    )  # fmt: skip
