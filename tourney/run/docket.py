"""The docket: rows that are played before it is decided whether they count.

What becomes of a row is decided by results of rows before it (``tourney.run.umpire``), which may be out
still. A worker need not wait for them: the row is played, its result is kept back until all that decides is
known, and dropped if the row is void then. So what is stored is the same as if everybody had waited.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tourney.run.umpire import WAIT, Call, Open, Umpire
from tourney.schedule.row import Row
from tourney.store.values import Finished


@dataclass(slots=True)
class _Entry:
    """An undecided row, and its result if that has come."""

    row: Row
    finished: Finished | None = None


class Docket:
    """Asks the umpire about rows in schedule order, and keeps those that it cannot decide yet."""

    def __init__(self, umpire: Umpire) -> None:
        self._umpire = umpire
        self._entries: dict[int, _Entry] = {}  # in schedule order

    def __len__(self) -> int:
        """Return how many rows are undecided."""
        return len(self._entries)

    def call(self, number: int, row: Row, open_: Open) -> Call:
        """Say what becomes of the next row; ``open_`` are the rows that were handed out and have no result.

        ``play``: now, and it is entered here if it is not decided. ``kept``: it is entered here, and not to
        be played. ``stop`` comes only when nothing is undecided, until then ``wait``.
        """
        call = self._umpire.call(number, row.seats, (*open_, *self._kept()))
        if call.kind == "play" or not (call.kind == "wait" or self._entries):
            return call
        if call.kind == "stop":
            return WAIT
        self._entries[number] = _Entry(row)
        return Call("play" if call.kind == "wait" else "kept")

    def take(self, finished: Finished, row: Row) -> bool:
        """Take a result; say whether it counts by now. If not it is kept until ``decide`` brings it."""
        entry = self._entries.get(finished.number)
        if entry is None:
            self._note(finished, row)
            return True
        entry.finished = finished
        return False

    def decide(self, open_: Callable[[], Open]) -> Iterator[tuple[int, Row, Call, Finished | None]]:
        """Yield what is decided now, in schedule order: number, row, call, and the result if it has come.

        A result is noted when it is yielded as ``play``; of a row that is void or that the run stops before
        it is no more than what was played in vain. ``open_`` is asked anew for each row.
        """
        while self._entries:
            number, entry = next(iter(self._entries.items()))
            call = self._umpire.call(number, entry.row.seats, (*open_(), *self._kept()))
            if call.kind == "wait":
                return
            del self._entries[number]
            if call.kind == "play" and entry.finished is not None:
                self._note(entry.finished, entry.row)
            yield number, entry.row, call, entry.finished

    def clear(self) -> tuple[int, ...]:
        """Forget all that is undecided; return the numbers."""
        numbers = tuple(self._entries)
        self._entries.clear()
        return numbers

    def _kept(self) -> Sequence[tuple[int, Sequence[int]]]:
        """Return the rows whose results are here: no longer out, and not noted either."""
        return [(n, entry.row.seats) for n, entry in self._entries.items() if entry.finished is not None]

    def _note(self, finished: Finished, row: Row) -> None:
        if finished.played is not None:
            self._umpire.note(finished.number, row.seats, finished.played.outcome.seat_faults)
