"""The game Sage Stones: states, and positions ``BOARD COLOUR PHASE HANDS ROLLS OPTIONS``, strictly parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tourney.errors import OptionError, PositionError
from tourney.games.base import CHANCE, OVER, Game, GoldenMatch, Option, State
from tourney.games.sage_stones import board
from tourney.games.sage_stones.board import (
    COLUMNS,
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tourney.games.diagram import Diagram
    from tourney.games.sage_stones.view import StonesView
    from tourney.games.scratch import Scratch
    from tourney.seeds import RandBelow

ROLL_LIMIT = 500
FEWEST, MOST = 3, 15
"""Bounds of the option ``stones``."""

_PLACING = tuple((roll.column, roll.again) for roll in ROLLS)
_ONES = ord("0")
"""A stone on the board is this plus its colour."""


class Settings(NamedTuple):
    """The settings of a game: seats, stones per colour, and play-on."""

    seats: int
    stones: int
    play_on: bool

    @property
    def colours(self) -> int:
        """The number of colours: one per seat, or two each for two seats."""
        return 4 if self.seats == 2 else self.seats

    def owner(self, colour: int) -> int:
        """Return the seat that owns a colour."""
        return (colour - 1) % self.seats + 1

    def __str__(self) -> str:
        return f"seats={self.seats},stones={self.stones},play-on={'yes' if self.play_on else 'no'}"


def is_won(table: Settings, hands: tuple[int, ...]) -> bool:
    """Say whether the placed stones end the game."""
    if table.play_on:
        return sum(hand < 0 for hand in hands) >= table.seats - 1
    return 0 in hands


class StonesState(State[int]):
    """A state; no history counts.

    ``actor`` is the seat that places a stone, CHANCE or OVER; only for a seat ``column`` is set, from 0.
    ``hands`` are the stones in hand by colour, or minus the rank of a finished colour.
    """

    __slots__ = ("actor", "again", "board", "colour", "column", "hands", "rolls", "table")

    game: SageStones
    actor: int

    def __init__(
        self, table: Settings, board: bytes, actor: int, colour: int, column: int | None, again: bool,
        hands: tuple[int, ...], rolls: int,
    ) -> None:  # fmt: skip
        self.table = table
        self.board = board
        self.actor = actor
        self.colour = colour
        self.column = column
        self.again = again
        self.hands = hands
        self.rolls = rolls

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
        if self.column is not None:
            phase = COLUMNS[self.column] + ("+" if self.again else "")
        else:
            phase = "over" if self.actor == OVER else "roll"
        hands = ",".join(str(hand) if hand >= 0 else f"#{-hand}" for hand in self.hands)
        return f"{self.board.decode('ascii')} {self.colour} {phase} {hands} {self.rolls} {self.table}"

    def view(self, seat: int | None = None) -> StonesView:  # noqa: ARG002 - nothing is hidden
        """Return the position by names."""
        from tourney.games.sage_stones.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self.game, self)


def _standing(hand: int) -> tuple[int, int]:
    """Return the sort key of a colour, best first."""
    return (0, -hand) if hand < 0 else (1, hand)


_BOARD = re.compile("/".join([f"[.1-4]{{{HEIGHT}}}"] * len(COLUMNS)))
_HAND = re.compile(r"0|[1-9][0-9]?|#[1-4]")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_OPTIONS = re.compile(r"seats=([234]),stones=([1-9][0-9]?),play-on=(yes|no)")
_PHASES = ("roll", "over", "3+", "4", "5", "6", "6+", "7", "8", "9+")


def parse_settings(text: str) -> Settings:
    """Parse the settings, the last field of a position string. Raises PositionError."""
    field = text.rpartition(" ")[2]
    match = _OPTIONS.fullmatch(field)
    if match is None:
        raise _bad("OPTIONS", field, "write seats=N,stones=N,play-on=no")
    return Settings(int(match[1]), int(match[2]), match[3] == "yes")


def parse_position(text: str, table: Settings) -> StonesState:
    """Parse a position string. Raises PositionError for a wrong form or an impossible position."""
    words = text.split(" ")
    if len(words) != 6:
        raise PositionError(
            f"a position of sage-stones has six fields separated by single blanks,"
            f" BOARD COLOUR PHASE HANDS ROLLS OPTIONS, not {len(words)}"
        )
    board, colour, phase, hands, rolls, options = words
    if options != str(table):
        raise _bad("OPTIONS", options, f"this game has {table}")
    if _BOARD.fullmatch(board) is None or max(board) > str(table.colours):
        form = f"write columns 3 to 9 separated by /, each nine of . and the colours 1 to {table.colours}"
        raise _bad("BOARD", board, form)
    if len(colour) != 1 or colour not in "1234"[: table.colours]:
        raise _bad("COLOUR", colour, f"write 1 to {table.colours}")
    if phase not in _PHASES:
        raise _bad("PHASE", phase, f"write one of {', '.join(_PHASES)}")
    if _NUMBER.fullmatch(rolls) is None or int(rolls) > ROLL_LIMIT:
        raise _bad("ROLLS", rolls, f"write a number from 0 to {ROLL_LIMIT}, without leading zeros")
    fields = StonesState(
        table,
        board.encode("ascii"),
        {"over": OVER, "roll": CHANCE}.get(phase, table.owner(int(colour))),
        int(colour),
        COLUMNS.index(phase[0]) if phase[0] in COLUMNS else None,
        phase.endswith("+"),
        _read_hands(hands, table),
        int(rolls),
    )
    _check_stones(fields)
    _check_phase(fields)
    return fields


def _bad(field: str, value: str, advice: str) -> PositionError:
    return PositionError(f"the field {field} of the position is {value[:80]!r}: {advice}")


def _read_hands(text: str, table: Settings) -> tuple[int, ...]:
    words = text.split(",")
    if len(words) != table.colours or any(_HAND.fullmatch(word) is None for word in words):
        raise _bad("HANDS", text, f"write {table.colours} numbers separated by commas")
    if "#" in text and not table.play_on:
        raise _bad("HANDS", text, "ranks are for play-on=yes only")
    if table.play_on and "0" in words:
        raise _bad("HANDS", text, "with play-on=yes write # and the rank of a finished colour")
    return tuple(-int(word[1:]) if word.startswith("#") else int(word) for word in words)


def _check_stones(fields: StonesState) -> None:
    """Raise PositionError for impossible numbers of stones."""
    stones = fields.table.stones
    for colour, hand in enumerate(fields.hands, 1):
        placed = fields.board.count(b"%d" % colour)
        if hand < 0 and placed > stones:
            raise PositionError(f"colour {colour} has {placed} stones on the board, more than its {stones}")
        if hand >= 0 and placed + hand != stones:
            raise PositionError(
                f"colour {colour} has {placed} stones on the board and {hand} in hand;"
                f" together they must be {stones}"
            )
    if fields.hands.count(0) > 1:
        raise PositionError("two colours have placed their last stone, but the first one ends the game")
    ranks = sorted(-hand for hand in fields.hands if hand < 0)
    if ranks != list(range(1, len(ranks) + 1)) or len(ranks) > fields.table.seats - 1:
        raise PositionError(
            f"the ranks of finished colours are {', '.join(map(str, ranks))};"
            f" they must be 1, 2, ..., at most {fields.table.seats - 1}"
        )


def _check_phase(fields: StonesState) -> None:
    """Raise PositionError for a phase that contradicts the other fields."""
    won = is_won(fields.table, fields.hands)
    if fields.actor == OVER:
        if not won and fields.rolls < ROLL_LIMIT:
            raise PositionError("PHASE is over, but the game is not")
        return
    if won:
        raise PositionError("the stones in hand end the game, so PHASE must be over")
    if fields.hands[fields.colour - 1] < 0:
        raise PositionError(f"COLOUR is {fields.colour}, which has finished, so its turns are skipped")
    if fields.column is None:
        if fields.rolls == ROLL_LIMIT:
            raise PositionError(f"after {ROLL_LIMIT} rolls PHASE must be over, or a column")
        return
    name = COLUMNS[fields.column]
    if is_full(fields.board, fields.column):
        raise PositionError(f"PHASE names column {name}, which is full")
    if fields.rolls == 0:
        raise PositionError(f"PHASE names column {name}, but ROLLS is 0")


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
        table = _table(seats, options)
        hands = (table.stones,) * table.colours
        return StonesState(table, EMPTY_BOARD, CHANCE, 1, None, False, hands, 0)

    action_string = staticmethod(board.action_string)
    parse_action = staticmethod(board.parse_action)

    def parse_position(self, text: str, seats: int, options: Mapping[str, str]) -> StonesState:
        """Return the state of a position string. Raises PositionError."""
        return parse_position(text, _table(seats, options))

    def sample(self, observation: str, seat: int, randbelow: RandBelow) -> StonesState:  # noqa: ARG002 - nothing is hidden
        """Return the observed position: nothing is hidden. Raises PositionError."""
        return self._read(observation)

    def _read(self, text: str) -> StonesState:
        """Return the state of a position string by the settings in it. Raises PositionError."""
        table = parse_settings(text)
        options = {"stones": str(table.stones), "play-on": "yes" if table.play_on else "no"}
        try:
            self.settings(table.seats, options)
        except OptionError as error:
            raise PositionError(f"the field OPTIONS of the position is impossible: {error}") from error
        return parse_position(text, table)

    def scratch(self, state: State[int]) -> Scratch:
        """Return a new mutable copy of a state for search and playouts."""
        from tourney.games.compiled import core  # noqa: PLC0415 - only search needs it

        made: Scratch = core("sage_stones").SageStonesScratch()
        made.load(state)
        return made

    def view(self, text: str) -> StonesView:
        """Return the readable view of a position string. Raises PositionError."""
        from tourney.games.sage_stones.view import view_of  # noqa: PLC0415 - most bots need no views

        return view_of(self, self._read(text))

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        """Return the diagram of a position string, with the last action marked."""
        from tourney.games.sage_stones.diagram import diagram_of  # noqa: PLC0415 - bots need no diagrams

        return diagram_of(view, last)


StonesState.game = SageStones()


def _table(seats: int, options: Mapping[str, str]) -> Settings:
    return Settings(seats, int(options["stones"]), options["play-on"] == "yes")
