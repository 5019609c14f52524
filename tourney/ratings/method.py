"""Rating methods: the base class, and all of them by name.

A rating is a function of the results in schedule order and of nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Literal, Protocol

from tourney.errors import UsageError
from tourney.plugins import Registry
from tourney.schedule.row import ResultRow

Forfeits = Literal["loss", "void"]
"""How ratings treat a match with a fault: as a loss, as the ranks say, or not at all."""


class RatingLine(Protocol):
    """A line of a rating table: an entrant's number, its rank and its rated matches.

    Lines have further attributes: those that ``RatingMethod.columns`` names.
    """

    @property
    def rank(self) -> int: ...  # noqa: D102 - described above
    @property
    def entrant(self) -> int: ...  # noqa: D102 - described above
    @property
    def games(self) -> int: ...  # noqa: D102 - described above


class RatingMethod(ABC):
    """A way to rate the entrants of a pool. Pure: the same results always give the same table."""

    name: ClassVar[str]
    """As in ``tourney ratings --method``."""
    columns: ClassVar[tuple[str, ...]]
    """The attributes of a line that the table shows, beside rank, name and games: published numbers."""

    @abstractmethod
    def rate(
        self, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, forfeits: Forfeits = "loss"
    ) -> Sequence[RatingLine]:
        """The table, the best entrant first.

        ``results`` come in any order and may hold void matches, which do not count; ``seats`` is the number
        of seats of every match. Raise ValueError for a result with an entrant that ``entrants`` lacks, or
        with one in two seats.
        """


METHODS: Registry[RatingMethod] = Registry(
    "rating method",
    "rating_methods",
    RatingMethod,
    UsageError,
)


def rated(results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> Iterator[ResultRow]:
    """Yield the results that count: no void ones, and with ``forfeits="void"`` none with a fault."""
    for result in results:
        if not result.void and not (forfeits == "void" and any(result.faults)):
            yield result
