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
from fractions import Fraction
from typing import ClassVar, Literal

from tourney.match.seeds import seat_orders
from tourney.schedule.row import ResultRow, Row

RoundsKey = Literal["refused", "optional", "required"]

BY_POINTS = ("direct-encounter", "wins", "sonneborn-berger")
"""The tie-breaks of tournaments that are ranked by points alone."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a format's own.

    Its value is kept as an integer or a string: ``flag`` (true or false) as 1 or 0, ``integer`` from ``low``
    to ``high``, ``choice`` as one of ``words``, ``names`` (a list of entrants' names) as the names joined by
    commas. A key that is not given is not kept.
    """

    name: str
    kind: Literal["flag", "integer", "choice", "names"]
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()


SEEDING = Key("seeding", "choice", words=("file", "rating"))
"""Whose turn is first: the order of the file, or ratings from the tournaments before in the same database."""


def joined(names: tuple[str, ...]) -> str:
    """Return names as they are kept: no name holds a comma."""
    return ",".join(names)


def parted(value: int | str | None) -> tuple[str, ...]:
    """Return what ``joined`` was given; nothing for a key that was not given."""
    return tuple(str(value).split(",")) if value else ()


@dataclass(frozen=True, slots=True)
class RankedEntrant:
    """An entrant's place.

    ``rank`` is 1 + the number of entrants that are better; equal ones share it. ``points`` are those by which
    it ranks, ``awarded`` the part of them that no match gave (byes). ``values`` holds the tie-breaks in the
    order in which they are applied, None where one says nothing of this entrant.
    """

    rank: int
    number: int
    points: Fraction
    awarded: Fraction
    values: tuple[tuple[str, Fraction | None], ...]


@dataclass(frozen=True, slots=True)
class Player:
    """An entrant as a format sees it.

    ``number`` counts from 0 in the order of the tournament file. ``name`` is for keys that name entrants.
    ``joined`` is the first round drawn with it (1 from the start on); ``left`` the first round drawn without
    it, or None. ``rating`` and its standard error ``deviation`` are in whole hundredths of Elo, or None: what
    was known of it when it was entered, for formats that are seeded by rating.
    """

    number: int
    name: str = ""
    joined: int = 1
    left: int | None = None
    rating: int | None = None
    deviation: int | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """What a tournament is played with: all that a draw may depend on, results apart.

    ``repeats`` is the number of mirrored groups per pairing; ``rounds`` what the tournament file asks for, or
    None. ``extra`` holds a format's own settings, sorted by name (see ``tourney.schedule.format``).
    ``seed`` is
    the tournament's: draws that need chance derive from it.
    """

    players: tuple[Player, ...]
    seats: int
    seed: int
    repeats: int = 1
    rounds: int | None = None
    extra: tuple[tuple[str, int | str], ...] = ()

    @property
    def games(self) -> int:
        """How many matches an entrant plays in a pairing."""
        return self.repeats * group_size(self.seats)

    def setting(self, name: str, default: int | str | None = None) -> int | str | None:
        """Return a setting of the format's own, or the default where the file does not give it."""
        return dict(self.extra).get(name, default)

    def seeded(self) -> tuple[Player, ...]:
        """Return the players in seeding order.

        With ``seeding = "rating"`` the best rated first, those without a rating last; else, and among
        equals, in the order of the file.
        """
        if self.setting("seeding") != "rating":
            return self.players
        return tuple(sorted(self.players, key=lambda p: (p.rating is None, -(p.rating or 0), p.number)))


@dataclass(frozen=True, slots=True)
class History:
    """What happened so far: every row drawn, and the results of the rounds that may be looked at.

    Both in schedule order. ``rounds`` is the last round drawn (0 before the first). An entrant that had
    joined, had not left and sits on no row of a round had a bye in it.
    """

    rows: tuple[Row, ...] = ()
    results: tuple[ResultRow, ...] = ()

    @property
    def rounds(self) -> int:
        """The last round drawn, or 0."""
        return self.rows[-1].round if self.rows else 0


@dataclass(frozen=True, slots=True)
class Pairings:
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
    takes_withdrawals: ClassVar[bool] = False
    """Whether an entrant may be withdrawn: whether rounds are drawn one by one, so that it matters."""
    ranks: ClassVar[bool] = False
    """Whether ``table`` ranks; else it is done by points, then by what ``tie_breaks`` names here."""
    by_mean: ClassVar[bool] = False
    """Whether the standings go by points per match, as some play more matches than others."""
    keys: ClassVar[tuple[Key, ...]] = ()
    """The keys of its own that it takes from the top of a tournament file; ``check`` judges their values."""

    def rounds_key(self, seats: int) -> RoundsKey:  # noqa: ARG002 - for some formats it depends on the seats
        """Say what ``rounds`` is in a tournament file; where it is not refused a later file may change it."""
        return "refused"

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - likewise
        """Name the tie-breaks of the standings, in the order in which they are applied."""
        return BY_POINTS

    def table(self, setup: Setup, history: History) -> tuple[RankedEntrant, ...] | None:  # noqa: ARG002 - see below
        """Rank the entrants by what has been played; only asked of a format that ``ranks`` itself.

        Here ``history`` holds all results that there are, of rounds that are not finished too.
        """
        return None

    @abstractmethod
    def check(self, setup: Setup) -> None:
        """Raise TournamentError, with the reason, for a tournament that cannot be drawn."""

    @abstractmethod
    def draw(self, setup: Setup, history: History) -> Pairings:
        """Return the rounds to add to those drawn.

        Called at the start and whenever the round ``last drawn - lag`` is finished, until it answers that the
        schedule is complete; and again when entrants or rounds were added.
        """


def rows_of(
    setup: Setup, round_: int, table: int, group: Sequence[int], repeats: int | None = None
) -> tuple[Row, ...]:
    """Return the rows of one pairing: mirrored groups of its entrants, by default ``setup.repeats`` of them.

    The order of ``group`` matters: the first entrant sits first in the first row.
    """
    return tuple(
        Row(round_, table, repeat, order, tuple(group[index] for index in seating))
        for repeat in range(1, (setup.repeats if repeats is None else repeats) + 1)
        for order, seating in enumerate(seat_orders(setup.seats, repeat), 1)
    )


def group_size(seats: int) -> int:
    """Return how many matches a mirrored group holds. Raises ValueError beyond 4 seats."""
    return len(seat_orders(seats, 1))
