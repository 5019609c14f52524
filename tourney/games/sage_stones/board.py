"""Squares, dice and lines of captures, actions as ints, and positions, strictly parsed.

A board is the bytes of the field BOARD: columns 3 to 9, nine rows each, separated by ``/``. So a square is
``10 * column + row``, both from 0, and 10 * column + 9 is none. An action is a square, or 70 plus the index
of a roll; both sort like their strings.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Literal, NamedTuple

from tourney.games.core_game import IntAction, action_tables
from tourney.games.position_fields import read_number, refuse, split_fields, wrong_field

COLUMNS = "3456789"
ROWS = "abcdefghi"
WIDTH, HEIGHT = len(COLUMNS), len(ROWS)
STEP = HEIGHT + 1  # the distance from a square to the same row of the next column
EMPTY = ord(".")
EMPTY_BOARD = b"/".join([b"." * HEIGHT] * WIDTH)
SIX = COLUMNS.index("6")  # the column that replaces a full one
SQUARES = tuple(STEP * column + row for column in range(WIDTH) for row in range(HEIGHT))
NAMES = {square: COLUMNS[square // STEP] + ROWS[square % STEP] for square in SQUARES}


def _rays(square: int) -> tuple[tuple[int, ...], ...]:
    """Lines of captures from a square, each from the next square outwards.

    A column is a ring, so its two lines go round it up to the square itself; rows and diagonals end at the
    edge.
    """
    column, row = divmod(square, STEP)
    ring = [STEP * column + (row + k) % HEIGHT for k in range(1, HEIGHT)]
    rays = [tuple(ring), tuple(reversed(ring))]
    for dc in (-1, 1):
        for dr in (-1, 0, 1):
            ends = ((column + dc * k, row + dr * k) for k in range(1, WIDTH))
            rays.append(tuple(STEP * c + r for c, r in ends if 0 <= c < WIDTH and 0 <= r < HEIGHT))
    return tuple(filter(None, rays))


RAYS = {square: _rays(square) for square in SQUARES}


class Roll(NamedTuple):
    """Three dice: ascending faces, number of the 27 rolls with these faces, and effect.

    ``column`` is None for a lost turn; ``again`` grants another turn.
    """

    faces: str
    weight: int
    column: int | None
    again: bool


def _roll(x: int, y: int, z: int) -> Roll:
    kinds = len({x, y, z})
    weight = {1: 1, 2: 3, 3: 6}[kinds]
    column = None if kinds == 3 else COLUMNS.index(str(x + y + z))
    return Roll(f"{x}{y}{z}", weight, column, kinds == 1)


ROLLS = tuple(_roll(x, y, z) for x in (1, 2, 3) for y in range(x, 4) for z in range(y, 4))
ROLL_LIMIT = 500  # the rolls of a game, after which it is over

FIRST_ROLL = STEP * WIDTH
_NAME_OF: dict[int, str] = NAMES | {FIRST_ROLL + k: f"roll-{roll.faces}" for k, roll in enumerate(ROLLS)}
action_string = _NAME_OF.__getitem__  # the string of an action: the square, or ``roll-`` and the faces


class StonesAction(IntAction, text=action_string):
    """A square or a roll."""

    __slots__ = ()


STRINGS, ACTIONS, parse_action = action_tables(
    StonesAction,
    _NAME_OF,
    "sage-stones; write a square as 5d, or a roll as roll-122, its faces ascending",
)


STONES = range(3, 16)
"""The numbers of stones that a colour may begin with."""


class StonesSettings(NamedTuple):
    """The settings of a game. ``single``: each of two seats has one colour."""

    seats: int
    stones: int
    play_on: bool
    single: bool = False

    @property
    def colours(self) -> int:
        """The number of colours: one per seat, or two each for two seats that are not ``single``."""
        return 4 if self.seats == 2 and not self.single else self.seats

    def owner(self, colour: int) -> int:
        """The seat that owns a colour."""
        return (colour - 1) % self.seats + 1

    def __str__(self) -> str:
        play_on = "yes" if self.play_on else "no"
        colours = ",colours=1" if self.single else ""
        return f"seats={self.seats},stones={self.stones},play-on={play_on}{colours}"


Phase = Literal["roll", "place", "over"]


class StonesPosition(NamedTuple):
    """The fields of a position string; no history counts."""

    settings: StonesSettings
    board: bytes
    colour: int
    phase: Phase
    column: int  # in the phase "place": the column, from 0; else -1
    again: bool
    hands: tuple[int, ...]  # the stones in hand by colour, or minus the rank of a finished colour
    rolls: int

    @property
    def is_won(self) -> bool:
        """Whether the placed stones end the game."""
        if self.settings.play_on:
            return sum(hand < 0 for hand in self.hands) >= self.settings.seats - 1
        return 0 in self.hands


def start(settings: StonesSettings) -> StonesPosition:
    """The position at the start of a game."""
    return StonesPosition(
        settings, EMPTY_BOARD, 1, "roll", -1, False, (settings.stones,) * settings.colours, 0
    )


_BOARD = re.compile("/".join([f"[.1-4]{{{HEIGHT}}}"] * WIDTH))
_HAND = re.compile(r"0|[1-9][0-9]?|#[1-4]")
_OPTIONS = re.compile(r"seats=([234]),stones=([1-9][0-9]?),play-on=(yes|no)(,colours=1)?")
PHASES = ("roll", "over", "3+", "4", "5", "6", "6+", "7", "8", "9+")
"""Values of PHASE; a column's ``+`` grants another turn."""


def _read_settings(text: str) -> StonesSettings:
    match = _OPTIONS.fullmatch(text)
    settings = match and StonesSettings(int(match[1]), int(match[2]), match[3] == "yes", match[4] is not None)
    if (
        settings is None
        or settings.stones not in STONES
        or (settings.seats == 2 and settings.play_on)
        or (settings.seats != 2 and settings.single)
    ):
        form = f"write seats=N,stones=N,play-on=no, with {STONES[0]} to {STONES[-1]} stones"
        raise wrong_field(
            "OPTIONS", text, f"{form}; play-on=yes is for 3 or 4 seats, ,colours=1 behind it for 2"
        )
    return settings


def parse_position(text: str) -> StonesPosition:
    """Parse a position string. Raises PositionError for a wrong form or an impossible position."""
    board, colour, phase, hands, rolls, options = split_fields(text, "BOARD COLOUR PHASE HANDS ROLLS OPTIONS")
    settings = _read_settings(options)
    colours = settings.colours
    if _BOARD.fullmatch(board) is None or max(board) > str(colours):
        form = f"write columns 3 to 9 separated by /, each nine of . and the colours 1 to {colours}"
        raise wrong_field("BOARD", board, form)
    if phase not in PHASES:
        raise wrong_field("PHASE", phase, f"write one of {', '.join(PHASES)}")
    position = StonesPosition(
        settings,
        board.encode("ascii"),
        read_number("COLOUR", colour, 1, colours),
        "over" if phase == "over" else "roll" if phase == "roll" else "place",
        COLUMNS.find(phase[0]),
        phase.endswith("+"),
        _read_hands(hands, settings),
        read_number("ROLLS", rolls, 0, ROLL_LIMIT),
    )
    refuse(chain(_contradictions_of_stones(position), _contradictions_of_phase(position)))
    return position


def _read_hands(text: str, settings: StonesSettings) -> tuple[int, ...]:
    words = text.split(",")
    if len(words) != settings.colours or any(_HAND.fullmatch(word) is None for word in words):
        raise wrong_field("HANDS", text, f"write {settings.colours} numbers separated by commas")
    if "#" in text and not settings.play_on:
        raise wrong_field("HANDS", text, "ranks are for play-on=yes only")
    if settings.play_on and "0" in words:
        raise wrong_field("HANDS", text, "with play-on=yes write # and the rank of a finished colour")
    return tuple(-int(word[1:]) if word.startswith("#") else int(word) for word in words)


def _contradictions_of_stones(at: StonesPosition) -> Iterator[str]:
    stones = at.settings.stones
    seats = at.settings.seats
    for colour, hand in enumerate(at.hands, 1):
        placed = at.board.count(b"%d" % colour)
        if hand < 0 and placed > stones:
            yield f"colour {colour} has {placed} stones on the board, more than its {stones}"
        if hand >= 0 and placed + hand != stones:
            yield (
                f"colour {colour} has {placed} stones on the board and {hand} in hand;"
                f" together they must be {stones}"
            )
    if at.hands.count(0) > 1:
        yield "two colours have placed their last stone, but the first one ends the game"
    ranks = sorted(-hand for hand in at.hands if hand < 0)
    if ranks != list(range(1, len(ranks) + 1)) or len(ranks) > seats - 1:
        yield (
            f"the ranks of finished colours are {', '.join(map(str, ranks))};"
            f" they must be 1, 2, ..., at most {seats - 1}"
        )


def _contradictions_of_phase(at: StonesPosition) -> Iterator[str]:
    if at.phase == "over":
        if not at.is_won and at.rolls < ROLL_LIMIT:
            yield "PHASE is over, but the game is not"
        return
    if at.is_won:
        yield "the stones in hand end the game, so PHASE must be over"
    if at.hands[at.colour - 1] < 0:
        yield f"COLOUR is {at.colour}, which has finished, so its turns are skipped"
    if at.phase == "roll":
        if at.rolls == ROLL_LIMIT:
            yield f"after {ROLL_LIMIT} rolls PHASE must be over, or a column"
        return
    name = COLUMNS[at.column]
    start = STEP * at.column
    if b"." not in at.board[start : start + HEIGHT]:
        yield f"PHASE names column {name}, which is full"
    if at.rolls == 0:
        yield f"PHASE names column {name}, but ROLLS is 0"
