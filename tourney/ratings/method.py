"""Rating methods: the base class, and all of them by name.

A rating is a function of the results in schedule order and of nothing else. A method says about itself what
commands and pages ask of it: the numbers of its table, and the options that set it.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, Self

from tourney.errors import UsageError
from tourney.plugins import Registry
from tourney.schedule.row import ResultRow

Forfeits = Literal["loss", "void"]
"""How ratings treat a match with a fault: as a loss, as the ranks say, or not at all."""
DEFAULT_METHOD: Final = "batch"
"""The method of commands and of the report, unless a person names another one."""


class Measure(NamedTuple):
    """A number of a rating table: an attribute of its lines, and the words and decimals of its column.

    ``title`` heads the column for people (default: the name); ``digits`` are the decimals that they see.
    """

    name: str
    help: str
    title: str = ""
    unit: str = ""
    digits: int | None = None


class RatingLine(Protocol):
    """A line of a rating table: an entrant's number, its rank and its rated matches.

    Lines have further attributes: those that ``RatingMethod.measures`` names.
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
    measures: ClassVar[tuple[Measure, ...]]
    """The numbers that the table shows beside rank, name and games: published, so they are rounded."""
    options: ClassVar[frozenset[str]] = frozenset()
    """The options of ``tourney ratings`` and ``tourney rate`` that not every method has, such as ``tau``."""

    @abstractmethod
    def rate(
        self, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, forfeits: Forfeits = "loss"
    ) -> Sequence[RatingLine]:
        """The table, the best entrant first.

        ``results`` come in any order and may hold void matches, which do not count; ``seats`` is the number
        of seats of every match. Raise ValueError for a result with an entrant that ``entrants`` lacks, or
        with one in two seats.
        """

    def rate_sorted(
        self, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, forfeits: Forfeits = "loss"
    ) -> Sequence[RatingLine]:
        """The table, as ``rate`` gives it, of results that come in schedule order."""
        return self.rate(results, entrants, seats, forfeits)

    def shown(self, lines: Sequence[RatingLine], seats: int) -> Sequence[RatingLine]:  # noqa: ARG002 - most change nothing
        """The table as people see it, of matches with this number of seats."""
        return lines


class OrderedPool(Protocol):
    """What an ``OrderedMethod`` knows after some matches: a value, which results extend to a new one."""

    def after(self, results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> Self:
        """The pool after more results, which come in schedule order and are read one by one."""

    def table(self) -> Sequence[RatingLine]:
        """The table, the best entrant first."""


class OrderedMethod(RatingMethod):
    """A method that rates match after match in schedule order, so that it can go on where it stopped.

    A long tournament keeps its pool as a checkpoint, which is valid for equal ``settings`` only.
    """

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, float]:
        """All numbers on which its ratings depend, by name."""

    @property
    @abstractmethod
    def note(self) -> str:
        """A sentence that names the settings, to stand below its table."""

    @abstractmethod
    def configured(self, **settings: float) -> Self:
        """The method with some other settings. Raises UsageError, or TypeError for one that it lacks."""

    @abstractmethod
    def begin(self, entrants: Iterable[int]) -> OrderedPool:
        """The pool before the first match."""

    @abstractmethod
    def dump(self, pool: Any) -> object:
        """A pool as JSON data, to the last bit."""

    @abstractmethod
    def load(self, state: object, entrants: Iterable[int]) -> OrderedPool | None:
        """The pool that ``dump`` gave, with new entrants added; None for malformed data."""

    def key(self, forfeits: Forfeits) -> str:
        """The method with its settings as canonical JSON, by which its checkpoints are stored."""
        data = {"method": self.name, "forfeits": forfeits, **self.settings}
        return json.dumps(data, sort_keys=True, separators=(",", ":"))

    def rate(
        self,
        results: Iterable[ResultRow],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> Sequence[RatingLine]:
        """The table, best first. Raise ValueError as the pool does."""
        return self.rate_sorted(sorted(results, key=attrgetter("key")), entrants, seats, forfeits)

    def rate_sorted(
        self,
        results: Iterable[ResultRow],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> Sequence[RatingLine]:
        """The table; the results are read one by one."""
        return self.shown(self.begin(entrants).after(results, forfeits).table(), seats)


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
