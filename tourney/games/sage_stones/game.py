"""The game Sage Stones and its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tourney.errors import OptionError, PositionError
from tourney.games.base import CHANCE, OVER, Game, GoldenMatch, Option, State
from tourney.games.sage_stones import board, position
from tourney.games.sage_stones.board import (
    EMPTY,
    EMPTY_BOARD,
    FIRST_ROLL,
    HEIGHT,
    ROLL_ACTIONS,
    ROLLS,
    SIX,
    STEP,
    WEIGHTS,
    captured,
    is_full,
    places,
)
from tourney.games.sage_stones.position import FEWEST, MOST, ROLL_LIMIT, Position, Settings, is_won

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.seeds import RandBelow

_PLACING = tuple((roll.column, roll.again) for roll in ROLLS)
_ONES = ord("0")
"""A stone on the board is this plus its colour."""


class StonesState(State[int]):
    """A state; its attributes are those of ``Position``, without ``over``, and ``actor``."""

    __slots__ = ("actor", "again", "board", "colour", "column", "hands", "rolls", "table")

    actor: int
    """The seat that places a stone, CHANCE or OVER."""

    def __init__(
        self,
        table: Settings,
        board: bytes,
        actor: int,
        colour: int,
        column: int | None,
        again: bool,
        hands: tuple[int, ...],
        rolls: int,
    ) -> None:
        self.table = table
        self.board = board
        self.actor = actor
        self.colour = colour
        self.column = column
        self.again = again
        self.hands = hands
        self.rolls = rolls

    @classmethod
    def standing(cls, fields: Position) -> StonesState:
        """Return the state of a position."""
        if fields.over:
            actor = OVER
        elif fields.column is None:
            actor = CHANCE
        else:
            actor = fields.table.owner(fields.colour)
        return cls(
            fields.table,
            fields.board,
            actor,
            fields.colour,
            fields.column,
            fields.again,
            fields.hands,
            fields.rolls,
        )

    @property
    def seats(self) -> int:
        """Two, three or four."""
        return self.table.seats

    def legal_actions(self) -> Sequence[int]:
        """List the ten rolls, or the empty squares of the column."""
        if self.column is not None:
            return places(self.board, self.column)
        return () if self.actor == OVER else ROLL_ACTIONS

    def is_legal(self, action: int) -> bool:
        """Say whether an action is legal here."""
        if self.column is None:
            return self.actor == CHANCE and action in ROLL_ACTIONS
        return 0 <= action - STEP * self.column < HEIGHT and self.board[action] == EMPTY

    def chance_weights(self) -> Sequence[int]:
        """Return how many of the 27 rolls have each outcome. Raises ValueError."""
        if self.actor != CHANCE:
            return super().chance_weights()
        return WEIGHTS

    def play(self, action: int) -> StonesState:
        """Return the state after a roll or a placement."""
        return self._roll(action) if action >= FIRST_ROLL else self._place(action)

    def _roll(self, action: int) -> StonesState:
        """Choose the column: column 6 replaces a full one; if both are full, clear the board."""
        column, again = _PLACING[action - FIRST_ROLL]
        rolls = self.rolls + 1
        if column is None:
            return self._next_turn(self.board, self.hands, rolls)
        board, colour, table = self.board, self.colour, self.table
        if is_full(board, column):
            if is_full(board, SIX):
                return self._wipe(rolls)
            column, again = SIX, False
        seat = (colour - 1) % table.seats + 1
        return StonesState(table, board, seat, colour, column, again, self.hands, rolls)

    def _wipe(self, rolls: int) -> StonesState:
        """Return all stones to the hands, except those of finished colours."""
        hands = tuple(hand if hand < 0 else self.table.stones for hand in self.hands)
        return self._next_turn(EMPTY_BOARD, hands, rolls)

    def _place(self, square: int) -> StonesState:
        colour = self.colour
        board = bytearray(self.board)
        board[square] = _ONES + colour
        hands = list(self.hands)
        hands[colour - 1] -= 1
        if hands[colour - 1] == 0:
            return self._last_stone(bytes(board), hands)
        for place in captured(board, square):
            owner = board[place] - _ONES - 1
            board[place] = EMPTY
            if hands[owner] >= 0:
                hands[owner] += 1
        if self.again and self.rolls < ROLL_LIMIT:
            return StonesState(
                self.table, bytes(board), CHANCE, colour, None, False, tuple(hands), self.rolls
            )
        return self._next_turn(bytes(board), tuple(hands), self.rolls)

    def _last_stone(self, board: bytes, hands: list[int]) -> StonesState:
        """End the game or, with play-on, rank the colour and continue while two are left."""
        if self.table.play_on:
            hands[self.colour - 1] = -1 - sum(hand < 0 for hand in hands)
        done = tuple(hands)
        if is_won(self.table, done):
            return self._over(board, done, self.rolls)
        return self._next_turn(board, done, self.rolls)

    def _next_turn(self, board: bytes, hands: tuple[int, ...], rolls: int) -> StonesState:
        """Let the next unfinished colour roll, or end the game after the last roll."""
        if rolls >= ROLL_LIMIT:
            return self._over(board, hands, rolls)
        colour = self.colour % len(hands) + 1
        while hands[colour - 1] < 0:
            colour = colour % len(hands) + 1
        return StonesState(self.table, board, CHANCE, colour, None, False, hands, rolls)

    def _over(self, board: bytes, hands: tuple[int, ...], rolls: int) -> StonesState:
        return StonesState(self.table, board, OVER, self.colour, None, False, hands, rolls)

    def ranks(self) -> tuple[int, ...] | None:
        """Rank finished colours in their order, then seats by the fewest stones in a hand.

        Without play-on all seats but the winner's share rank 2.
        """
        if self.actor != OVER:
            return None
        table, hands = self.table, self.hands
        if 0 in hands:
            winner = table.owner(hands.index(0) + 1)
            return tuple(1 if seat == winner else 2 for seat in range(1, table.seats + 1))
        best = [min(_standing(hand) for hand in hands[seat :: table.seats]) for seat in range(table.seats)]
        return tuple(1 + sum(other < own for other in best) for own in best)

    def reason(self) -> str:
        """Return "last-stone" or "rolls", or "" while not over."""
        if self.actor != OVER:
            return ""
        return "last-stone" if is_won(self.table, self.hands) else "rolls"

    def position(self) -> str:
        """Return ``BOARD COLOUR PHASE HANDS ROLLS OPTIONS``."""
        return position.position_string(
            Position(
                self.table,
                self.board,
                self.colour,
                self.column,
                self.again,
                self.actor == OVER,
                self.hands,
                self.rolls,
            )
        )


def _standing(hand: int) -> tuple[int, int]:
    """Return the sort key of a colour, best first."""
    return (0, -hand) if hand < 0 else (1, hand)


class SageStones(Game[int]):
    """Two to four seats and three dice, nothing hidden; the first colour out of stones wins."""

    name = "sage-stones"
    title = "Sage Stones"
    rules = "1"
    seat_counts = (2, 3, 4)
    seat_names = ("First", "Second", "Third", "Fourth")
    options = (
        Option("stones", "10", tuple(map(str, range(FEWEST, MOST + 1))), "stones a colour has in hand"),
        Option("play-on", "no", ("no", "yes"), "whether the others play on for the next ranks; 3 or 4 seats"),
    )
    has_chance = True
    diagram_plies = 50
    golden_match = GoldenMatch(("greedy", "random", "pebble", "greedy"), 5, (("play-on", "yes"),))
    max_actions = 2 * ROLL_LIMIT

    def check_settings(self, seats: int, options: Mapping[str, str]) -> None:
        """Refuse play-on with two seats. Raises OptionError."""
        if seats == 2 and options["play-on"] == "yes":
            raise OptionError("option play-on=yes of sage-stones is for 3 or 4 seats, not 2")

    def has_single_winner(self, seats: int, options: Mapping[str, str]) -> bool:  # noqa: ARG002 - the same for all seats
        """Say yes unless the other seats play on for the next ranks."""
        return options["play-on"] == "no"

    def initial(self, seats: int, options: Mapping[str, str]) -> StonesState:
        """Return the start."""
        return StonesState.standing(position.start(_table(seats, options)))

    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> StonesState:
        """Return the state of a position string. Raises PositionError."""
        return StonesState.standing(position.parse_position(text, _table(seats, options)))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> StonesState:  # noqa: ARG002 - nothing is hidden
        """Return the observed position: nothing is hidden. Raises PositionError."""
        table = position.parse_settings(observation)
        options = {"stones": str(table.stones), "play-on": "yes" if table.play_on else "no"}
        try:
            self.settings(table.seats, options)
        except OptionError as error:
            raise PositionError(f"the field OPTIONS of the position is impossible: {error}") from error
        return StonesState.standing(position.parse_position(observation, table))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position string, with the last action marked."""
        from tourney.games.sage_stones.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)


def _table(seats: int, options: Mapping[str, str]) -> Settings:
    return Settings(seats, int(options["stones"]), options["play-on"] == "yes")
