"""A row of a schedule, the score of its result, and the tournaments that no schedule fits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tourney.errors import TournamentError
from tourney.match.evidence import NONE, Evidence

if TYPE_CHECKING:
    from tourney.schedule.format import Setup


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """A match to be played: its key (round, table, repeat, order; all from 1) and its entrants.

    ``seats`` holds the entrants' numbers (from 0, in the tournament file's order) in seat order. Schedule
    order is the order of the keys. Rows that share round, table and repeat are one mirrored group: they share
    the match seed, so the dice and the opening, unless the plan has ``mirrored-dice = false``.
    """

    round: int
    table: int
    repeat: int
    order: int
    seats: tuple[int, ...]

    @property
    def key(self) -> "MatchKey":
        """The row's place in the schedule."""
        return MatchKey(self.round, self.table, self.repeat, self.order)

    def result(
        self, ranks: tuple[int, ...], faults: tuple[str | None, ...] = (), *, void: bool = False
    ) -> "ResultRow":
        """This row with its result; without ``faults`` no seat has one."""
        return ResultRow(self.key, self.seats, ranks, faults or (None,) * len(ranks), void)


MAX_ROWS: Final = 2_000_000  # the most matches of a schedule; a plan of more is refused as a mistake


def limit_rows(what: str, rows: int, fewer: str = "fewer entrants, fewer games per pairing") -> None:
    """Raises TournamentError for a tournament (``what``) of more than ``MAX_ROWS`` matches."""
    if rows > MAX_ROWS:
        raise TournamentError(
            f"{what} would have {rows:,} matches, more than {MAX_ROWS:,}: take {fewer}, or another format"
        )


def refuse_few(setup: "Setup", what: str) -> None:
    """Raise TournamentError for a tournament (``what``) with fewer entrants than seats at a table."""
    count = len(setup.participants)
    if count < setup.seats:
        raise TournamentError(
            f"{what} with {setup.seats} seats per table needs at least {setup.seats} entrants, not {count}"
        )


def refuse_late(setup: "Setup", rounds: int) -> None:
    """Raise TournamentError if an entrant would join after the last of a number of rounds."""
    for late in setup.participants:
        if late.joined > rounds:
            raise TournamentError(
                f"{late.name or 'an entrant'} would join in round {late.joined},"
                f" but rounds is {rounds}: set rounds higher"
            )


BY_WIN: Final = "win"
"""The score of tournaments in which rank 1 alone counts, as plans store it."""
_WIN_UNITS: Final = 720_720
"""The score of a win by ``BY_WIN``: ties for first share it in whole units, at up to 16 seats."""


def score_units(ranks: Sequence[int], score: str | None = None) -> tuple[int, ...]:
    """Each seat's match score in units, of which ``units_of_win`` are a win.

    The score is (k - place) / (k - 1), where seats of equal rank share the mean of their places: a win is 1,
    a draw of two seats 1/2, last place 0. The scores of a match add up to k/2. By ``BY_WIN`` the seats of
    rank 1 share one point, and all others have none.
    """
    if score == BY_WIN:
        share = _WIN_UNITS // ranks.count(1)
        return tuple(share if rank == 1 else 0 for rank in ranks)
    seats = len(ranks)
    shared = Counter(ranks)
    return tuple(2 * (seats - rank) - (shared[rank] - 1) for rank in ranks)


def half_points(mine: int, theirs: int) -> int:
    """The half-points of a seat against another, by their ranks: 2 ahead of it, 1 beside it, 0 behind."""
    return (mine < theirs) + (mine <= theirs)


def units_of_win(seats: int, score: str | None = None) -> int:
    """The score of a win in units."""
    return _WIN_UNITS if score == BY_WIN else 2 * (seats - 1)


class MatchKey(NamedTuple):
    """A match's key in its tournament; all count from 1, and their order is the schedule order."""

    round: int
    table: int
    repeat: int
    order: int


class ResultRow(NamedTuple):
    """A finished match for standings, formats and ratings: a plain tuple of integers and strings.

    ``entrants`` (numbers, from 0), ``ranks`` and ``faults`` (a kind or None) are in seat order; () stands for
    no faults. Matches whose keys agree in round, table and repeat are one mirrored group, which shares
    dice and opening by default. A void match counts for nothing. ``number`` counts the stored matches of a
    tournament from 1, or is 0 for a result that is not stored. ``evidence`` is for ratings.
    """

    key: MatchKey
    entrants: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...] = ()
    void: bool = False
    number: int = 0
    evidence: Evidence = NONE

    @property
    def row(self) -> Row:
        """The match as a row of the schedule."""
        return Row(*self.key, self.entrants)
