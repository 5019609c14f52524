"""How much of a run was overloaded, and how many workers the machine can serve."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tourney.match.result import SeatLoad

MOST_OVERLOADED: Final = 0.01
"""The share of overloaded turns above which a run asks for fewer workers.

A turn counts if more than a tenth of it was spent waiting, which a machine with a processor for each match
shows in a few turns of a thousand: the system's own work. With twice as many matches as processors most turns
count.
"""
ENOUGH: Final = 500
"""Turns before a run says so while it goes on."""


@dataclass(slots=True)
class RunLoad:
    """The turns of a run's matches: how many, how many were overloaded, and the milliseconds of both kinds.

    ``wall_ms``: of all turns; ``waited_ms``: of that, what was spent waiting for a processor and not charged.
    ``matches``: those with an overloaded turn.
    """

    turns: int = 0
    overloaded: int = 0
    wall_ms: int = 0
    waited_ms: int = 0
    matches: int = 0

    def add(self, seats: Iterable[SeatLoad]) -> None:
        """Add a match."""
        before = self.overloaded
        for seat in seats:
            self.turns += seat.turns
            self.overloaded += seat.overloaded
            self.wall_ms += seat.wall_ms
            self.waited_ms += seat.waited_ms
        self.matches += self.overloaded > before

    @property
    def too_much(self) -> bool:
        """Whether more turns were overloaded than a run should have."""
        return self.overloaded > MOST_OVERLOADED * self.turns

    def fewer_workers(self, workers: int) -> int:
        """Return the number of workers at which no bot would have waited.

        If bots spend a share of their turns waiting, the processors serve that share of the matches less. At
        least 1, and fewer than ``workers`` if these are more.
        """
        waiting = min(1.0, self.waited_ms / self.wall_ms) if self.wall_ms else 0.0
        return max(1, min(workers - 1, int(workers * (1 - waiting))))

    def advice(self, workers: int) -> str:
        """Return what to do about overload; "" if there was little."""
        if not self.too_much:
            return ""
        share = f"{100 * self.overloaded / self.turns:.1f} % of {self.turns:,} turns were overloaded"
        if workers == 1:
            return f"{share}: other programs take the processors of the one worker; let it have one alone"
        fewer = self.fewer_workers(workers)
        return (
            f"{share}: run with fewer workers (--workers {fewer} instead of {workers};"
            " on a cluster, with fewer match slots)"
        )
