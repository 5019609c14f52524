"""Benching and ``--max-faults``: decided after batches of a fixed size, in schedule order.

What is decided about a match rests on the results of the whole batches in the first half of what comes before
it, all of them, and on no other results: so it is the same with one worker or forty, and after any
interruption. Half, so that a bot that never starts is noticed early, while later many workers have enough to
play that does not wait; and never more than ``AHEAD`` rows back.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.schedule.player_history import MAX_STARTUP_FAILURES, startup_failures
from tourney.schedule.row import Row
from tourney.store.values import MatchResult

BATCH: Final = 8
"""How many rows of the schedule make a batch."""
AHEAD: Final = 128
"""At most so many rows lie between the results that decide and the row that they decide about."""

Open = Sequence[tuple[int, Sequence[int]]]
"""Rows that were handed out and have no result yet: their numbers and their entrants."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a row: it is played, it waits for results, it is void, or the run stops before it.

    ``kept`` is the docket's word: it will be void, once those before it are decided.

    ``entrant`` is who is benched; ``matches`` those that decided it, or how far faults were counted.
    """

    kind: Literal["play", "wait", "kept", "benched", "stop"]
    entrant: int = -1
    matches: tuple[int, ...] = ()


PLAY = Decision("play")
WAIT = Decision("wait")


class BenchPolicy:
    """Counts faults as results come, in any order, and calls rows in schedule order.

    A row may be called once all rows before it were handed out; those still open are told with it.
    """

    def __init__(self, max_faults: int | None = None) -> None:
        self._max_faults = max_faults
        self._strikes: dict[int, list[int]] = {}  # match numbers by entrant, sorted
        self._faults: list[int] = []  # a match number for each fault, sorted; kept if they are limited

    def note(self, number: int, seats: Sequence[int], faults: Sequence[str | None]) -> None:
        """Note a result: who sat in the match, and each seat's fault or None."""
        if not any(faults):
            return
        if self._max_faults is not None:
            for _ in filter(None, faults):
                insort(self._faults, number)
        for entrant in startup_failures(seats, faults):
            insort(self._strikes.setdefault(entrant, []), number)

    def call(self, number: int, seats: Sequence[int], open_: Open) -> Decision:
        """Say what becomes of a row; ``wait`` only if a row that it must wait for is among the open ones."""
        limit = decided_by(number)
        if not limit:
            return PLAY
        before = [entrants for row, entrants in open_ if row <= limit]
        if self._max_faults is not None:
            known = bisect_right(self._faults, limit)
            if known >= self._max_faults:
                return Decision("stop", matches=(limit,))
            if known + sum(map(len, before)) >= self._max_faults:
                return WAIT
        for entrant in seats:
            strikes = self._strikes.get(entrant, [])
            count = bisect_right(strikes, limit)
            if count >= MAX_STARTUP_FAILURES:
                return Decision("benched", entrant, tuple(strikes[:MAX_STARTUP_FAILURES]))
            if count + sum(entrant in entrants for entrants in before) >= MAX_STARTUP_FAILURES:
                return WAIT
        return PLAY


def decided_by(number: int) -> int:
    """Return the last match whose result bears on a row (0: none does)."""
    before = number - 1
    return (before - min(AHEAD, before // 2)) // BATCH * BATCH


def startup_failures_of(
    results: Iterable[tuple[int, Sequence[int], Sequence[str | None]]],
) -> dict[int, tuple[int, ...]]:
    """Return the matches, of those given, that count as strikes, by entrant."""
    umpire = BenchPolicy()
    for number, seats, faults in results:
        umpire.note(number, seats, faults)
    return {entrant: tuple(numbers) for entrant, numbers in sorted(umpire._strikes.items())}  # noqa: SLF001 - its own


@dataclass(slots=True)
class _Entry:
    """An undecided row, and its result if that has come."""

    row: Row
    finished: MatchResult | None = None


class UndecidedRows:
    """Asks the umpire about rows in schedule order, and keeps those that it cannot decide yet."""

    def __init__(self, umpire: BenchPolicy) -> None:
        self._umpire = umpire
        self._entries: dict[int, _Entry] = {}  # in schedule order

    def __len__(self) -> int:
        """Return how many rows are undecided."""
        return len(self._entries)

    def call(self, number: int, row: Row, open_: Open) -> Decision:
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
        return Decision("play" if call.kind == "wait" else "kept")

    def take(self, finished: MatchResult, row: Row) -> bool:
        """Take a result; say whether it counts by now. If not it is kept until ``decide`` brings it."""
        entry = self._entries.get(finished.number)
        if entry is None:
            self._note(finished, row)
            return True
        entry.finished = finished
        return False

    def decide(self, open_: Callable[[], Open]) -> Iterator[tuple[int, Row, Decision, MatchResult | None]]:
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

    def _note(self, finished: MatchResult, row: Row) -> None:
        if finished.played is not None:
            self._umpire.note(finished.number, row.seats, finished.played.outcome.seat_faults)


def bench_text(name: str, number: int, call: Decision) -> str:
    """Say that an entrant is benched from a match on, and what brings it back."""
    matches = ", ".join(map(str, call.matches))
    return (
        f"{name} is benched: it failed at start-up {MAX_STARTUP_FAILURES} times"
        f" (matches {matches}); its matches from"
        f" {number} on are void; mend what ails it, and run with --unbench {name}"
    )


def stop_text(call: Decision) -> str:
    """Say that there are too many faults, and what goes on nevertheless."""
    return (
        f"too many faults by match {call.matches[0]}: stopping; see `tourney status`, and run again"
        " with a higher --max-faults, or without"
    )
