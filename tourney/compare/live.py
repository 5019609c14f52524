"""How a comparison stands, said after each batch while it is played."""

from collections.abc import Iterable, Mapping
from typing import Any

from tourney.compare.format import Terms, half_points, judge
from tourney.compare.result import stand_text
from tourney.match.record import Outcome
from tourney.run.monitoring.progress import Listener, Progress
from tourney.schedule.row import ResultRow


class Live(Listener):
    """Hears of matches in whatever order they end, and tells another listener of each batch that is whole.

    ``before``: the results that there were when the run began.
    """

    def __init__(self, listener: Listener, terms: Terms, before: Iterable[ResultRow]) -> None:
        self._listener = listener
        self._terms = terms
        self._points: dict[int, int | None] = {}  # entrant 0's half-points by match number, None if void
        self._batches: list[list[int | None]] = []
        for result in before:
            row = result.row
            number = 2 * ((row.round - 1) * terms.batch + row.repeat - 1) + row.order
            self._points[number] = None if result.void else half_points(result.ranks, row.seats.index(0))
        self._take_batches()

    def note(self, event: str, data: Mapping[str, Any]) -> None:
        """Hear of a match that was stored."""
        if event != "match":
            return
        number = data["match"]
        # Matches are numbered in schedule order: of each pair, entrant 0 sits first in the first match.
        void = "void" in data or Outcome.from_json({**data, "faults": data.get("faults", [])}).void
        self._points[number] = None if void else half_points(data["ranks"], (number - 1) % 2)

    def tick(self, tick: Progress) -> None:  # noqa: ARG002 - what is wanted of it came by ``note``
        """Say how it stands if a batch has ended."""
        if self._take_batches():
            self._listener.say(stand_text(self._terms, judge(self._terms, self._batches)))

    def _take_batches(self) -> bool:
        """Take the batches that are whole now; say whether there is a new one."""
        size = 2 * self._terms.batch
        known = len(self._batches)
        while True:
            first = len(self._batches) * size + 1
            numbers = range(first, first + size)
            if not all(number in self._points for number in numbers):
                return len(self._batches) > known
            self._batches.append([self._pair(number) for number in numbers[::2]])

    def _pair(self, number: int) -> int | None:
        one, other = self._points[number], self._points[number + 1]
        return None if one is None or other is None else one + other
