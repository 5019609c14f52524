"""What every tournament format is: a pure function from entrants, seed and results so far to the next rounds.

A round that was drawn is stored and never drawn again, so a format sees all rounds drawn before and only
adds to them. What a draw may depend on is the results of *whole* rounds and of nothing else: the caller
hands in the results of rounds up to ``last drawn - lag``, no more, so that what finished first decides
nothing. A format that learns from results while matches still run (adaptive) has a lag of one round or
more, its rounds being batches of a fixed size.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from tourney.match.seeds import seat_orders
from tourney.schedule.row import Row


@dataclass(frozen=True, slots=True)
class Player:
    """An entrant as a format sees it.

    ``number`` counts from 0 in the order of the tournament file. ``joined`` is the first round drawn with it
    (1 from the start on); ``left`` the first round drawn without it, or None. ``rating`` is in whole
    hundredths of Elo, for formats that are seeded by rating, or None.
    """

    number: int
    joined: int = 1
    left: int | None = None
    rating: int | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """What a tournament is played with: all that a draw may depend on, results apart.

    ``repeats`` is the number of mirrored groups per pairing; ``rounds`` what the tournament file asks for, or
    None. ``extra`` holds a format's own settings, sorted by name. ``seed`` is the tournament's: draws that
    need chance derive from it.
    """

    players: tuple[Player, ...]
    seats: int
    seed: int
    repeats: int = 1
    rounds: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row with its result: each seat's rank and fault (a kind or None). Void: it counts for nothing."""

    row: Row
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    void: bool


@dataclass(frozen=True, slots=True)
class History:
    """What happened so far: every row drawn, and the results of the rounds that may be looked at.

    Both in schedule order. ``rounds`` is the last round drawn (0 before the first). An entrant that had
    joined, had not left and sits on no row of a round had a bye in it.
    """

    rows: tuple[Row, ...] = ()
    results: tuple[RowResult, ...] = ()

    @property
    def rounds(self) -> int:
        """The last round drawn, or 0."""
        return self.rows[-1].round if self.rows else 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of the next rounds, in schedule order; ``complete``: no round comes after them.

    No rows and not complete would wait for ever: a format never answers that.
    """

    rows: tuple[Row, ...]
    complete: bool


class Format(ABC):
    """A tournament format. Pure: the same setup and history always give the same draw."""

    name: ClassVar[str]
    """As in a tournament file."""
    lag: ClassVar[int] = 0
    """A draw sees the results of rounds up to ``last drawn - lag``, all of them finished."""
    takes_entrants: ClassVar[bool] = False
    """Whether entrants may be added once it has begun."""
    rounds_key: ClassVar[Literal["refused", "optional", "required"]] = "refused"
    """What ``rounds`` is in a tournament file; where it is not refused a later file may change it."""
    extra_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of its own that it takes from the top of a tournament file; ``check`` judges their values."""

    @abstractmethod
    def check(self, setup: Setup) -> None:
        """Raise TournamentError, with the reason, for a tournament that cannot be drawn."""

    @abstractmethod
    def draw(self, setup: Setup, history: History) -> Drawn:
        """Return the rounds to add to those drawn.

        Called at the start and whenever the round ``last drawn - lag`` is finished, until it answers that the
        schedule is complete; and again when entrants or rounds were added.
        """


def rows_of(setup: Setup, round_: int, table: int, group: Sequence[int]) -> tuple[Row, ...]:
    """Return the rows of one pairing: ``setup.repeats`` mirrored groups of the entrants in ``group``.

    The order of ``group`` matters: the first entrant sits first in the first row.
    """
    return tuple(
        Row(round_, table, repeat, order, tuple(group[index] for index in seating))
        for repeat in range(1, setup.repeats + 1)
        for order, seating in enumerate(seat_orders(setup.seats, repeat), 1)
    )


def group_size(seats: int) -> int:
    """Return how many matches a mirrored group holds. Raises ValueError beyond 4 seats."""
    return len(seat_orders(seats, 1))
