"""Positions of Sage Stones, ``BOARD COLOUR PHASE HANDS ROLLS OPTIONS``, printed and strictly parsed."""

import re
from typing import NamedTuple

from tourney.errors import PositionError
from tourney.games.sage_stones.board import COLUMNS, EMPTY_BOARD, HEIGHT, is_full

ROLL_LIMIT = 500
FEWEST, MOST = 3, 15
"""Bounds of the option ``stones``."""

_BOARD = re.compile("/".join([f"[.1-4]{{{HEIGHT}}}"] * len(COLUMNS)))
_HAND = re.compile(r"0|[1-9][0-9]?|#[1-4]")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_OPTIONS = re.compile(r"seats=([234]),stones=([1-9][0-9]?),play-on=(yes|no)")
_PHASES = ("roll", "over", "3+", "4", "5", "6", "6+", "7", "8", "9+")


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


class Position(NamedTuple):
    """A position without history.

    ``column`` is from 0, or None in the phases ``roll`` and ``over``. ``hands`` are the stones in hand by
    colour, or minus the rank of a finished colour.
    """

    table: Settings
    board: bytes
    colour: int
    column: int | None
    again: bool
    over: bool
    hands: tuple[int, ...]
    rolls: int


def is_won(table: Settings, hands: tuple[int, ...]) -> bool:
    """Say whether the placed stones end the game."""
    if table.play_on:
        return sum(hand < 0 for hand in hands) >= table.seats - 1
    return 0 in hands


def position_string(fields: Position) -> str:
    """Return the position string."""
    if fields.over:
        phase = "over"
    elif fields.column is None:
        phase = "roll"
    else:
        phase = COLUMNS[fields.column] + ("+" if fields.again else "")
    hands = ",".join(str(hand) if hand >= 0 else f"#{-hand}" for hand in fields.hands)
    return f"{fields.board.decode('ascii')} {fields.colour} {phase} {hands} {fields.rolls} {fields.table}"


def parse_settings(text: str) -> Settings:
    """Parse the settings, the last field of a position string. Raises PositionError."""
    field = text.rpartition(" ")[2]
    match = _OPTIONS.fullmatch(field)
    if match is None:
        raise _bad("OPTIONS", field, "write seats=N,stones=N,play-on=no")
    return Settings(int(match[1]), int(match[2]), match[3] == "yes")


def parse_position(text: str, table: Settings) -> Position:
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
    fields = Position(
        table,
        board.encode("ascii"),
        int(colour),
        COLUMNS.index(phase[0]) if phase[0] in COLUMNS else None,
        phase.endswith("+"),
        phase == "over",
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


def _check_stones(fields: Position) -> None:
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


def _check_phase(fields: Position) -> None:
    """Raise PositionError for a phase that contradicts the other fields."""
    won = is_won(fields.table, fields.hands)
    if fields.over:
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


def start(table: Settings) -> Position:
    """Return the start."""
    return Position(table, EMPTY_BOARD, 1, None, False, False, (table.stones,) * table.colours, 0)
