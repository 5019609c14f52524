"""Benching and ``--max-faults``: decided after batches of fixed size, in schedule order.

A decision about a row uses all results of the whole batches in the first half of the rows before it, and no
others. So it is the same with one worker or forty, and after any interruption. Half of the rows is enough to
notice early a bot that never starts, and leaves many workers enough matches that need not wait. At most
``AHEAD`` rows are left out.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.schedule.player_history import MAX_STARTUP_FAILURES, startup_failures
from tourney.schedule.row import Row
from tourney.store.values import MatchResult

BATCH: Final = 8
"""Rows of the schedule in a batch."""
AHEAD: Final = 128
"""The most rows between the results that decide and the row that they decide about."""

Unfinished = Sequence[tuple[int, Sequence[int]]]
"""Rows in play, which were handed out and have no result yet: their numbers and entrants."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to a row.

    ``play`` it; ``wait`` for results in play; ``hold`` it, as it is void or the last once the rows before it
    are decided; it is void, as ``entrant`` is ``benched`` by its failed starts in ``matches``, or (none) as
    its bot is broken; or ``stop`` the run before it, as there were too many faults up to the match
    ``matches[0]``.
    """

    kind: Literal["play", "wait", "hold", "benched", "stop"]
    entrant: int = -1
    matches: tuple[int, ...] = ()


PLAY = Decision("play")
WAIT = Decision("wait")


@dataclass(slots=True)
class _Undecided:
    """A row that was handed out before it is decided, and its result if that has come."""

    row: Row
    result: MatchResult | None = None


class BenchPolicy:
    """Decides about rows in schedule order from results that come in any order.

    No worker waits for a decision: a row is handed out undecided where results in play might bench an entrant
    of it. Its result counts once ``settle`` has decided to play it. The entrants that are ``broken`` are
    benched from the start.
    """

    def __init__(self, max_faults: int | None = None, broken: Collection[int] = ()) -> None:
        self._max_faults = max_faults
        self._broken = frozenset(broken)
        self._failed_starts: dict[int, list[int]] = {}  # match numbers by entrant, sorted
        self._faults: list[int] = []  # a match number for each fault, sorted; kept if they are limited
        self._undecided: dict[int, _Undecided] = {}  # by number, in schedule order

    @property
    def undecided(self) -> int:
        """The number of rows that were handed out or held and are not decided."""
        return len(self._undecided)

    def count(self, number: int, entrants: Sequence[int], faults: Sequence[str | None]) -> None:
        """Count a result: the entrants of the match in seat order, and each seat's fault or None."""
        if not any(faults):
            return
        if self._max_faults is not None:
            for _ in filter(None, faults):
                insort(self._faults, number)
        for entrant in startup_failures(entrants, faults):
            insort(self._failed_starts.setdefault(entrant, []), number)

    def decide(self, number: int, entrants: Sequence[int], unfinished: Unfinished) -> Decision:
        """Decide about a row, after all rows before it; ``wait`` only if a row in play bears on it."""
        for entrant in entrants:
            if entrant in self._broken:
                return Decision("benched", entrant)
        limit = last_deciding(number)
        if not limit:
            return PLAY
        before = [seated for row, seated in unfinished if row <= limit]
        if self._max_faults is not None:
            known = bisect_right(self._faults, limit)
            if known >= self._max_faults:
                return Decision("stop", matches=(limit,))
            if known + sum(map(len, before)) >= self._max_faults:
                return WAIT
        for entrant in entrants:
            failed = self._failed_starts.get(entrant, [])
            count = bisect_right(failed, limit)
            if count >= MAX_STARTUP_FAILURES:
                return Decision("benched", entrant, tuple(failed[:MAX_STARTUP_FAILURES]))
            if count + sum(entrant in seated for seated in before) >= MAX_STARTUP_FAILURES:
                return WAIT
        return PLAY

    def hand_out(self, number: int, row: Row, unfinished: Unfinished) -> Decision:
        """Decide about the next row of the schedule, and keep it if it is not decided.

        ``play`` may mean an undecided row. ``stop`` comes only when no row is undecided, until then ``wait``.
        """
        decision = self.decide(number, row.seats, (*unfinished, *self._held_results()))
        if decision.kind == "play" or not (decision.kind == "wait" or self._undecided):
            return decision
        if decision.kind == "stop":
            return WAIT
        self._undecided[number] = _Undecided(row)
        return Decision("play" if decision.kind == "wait" else "hold")

    def finish(self, result: MatchResult, row: Row) -> bool:
        """Take a result, and return whether it counts now; otherwise ``settle`` brings it later."""
        undecided = self._undecided.get(result.number)
        if undecided is None:
            self._count_result(result, row)
            return True
        undecided.result = result
        return False

    def settle(
        self, unfinished: Callable[[], Unfinished]
    ) -> Iterator[tuple[int, Row, Decision, MatchResult | None]]:
        """Yield the rows decided now, in schedule order: number, row, decision, and the result or None.

        A result counts when it is yielded with ``play``; with another decision it is discarded.
        ``unfinished`` is called anew for each row.
        """
        while self._undecided:
            number, undecided = next(iter(self._undecided.items()))
            decision = self.decide(number, undecided.row.seats, (*unfinished(), *self._held_results()))
            if decision.kind == "wait":
                return
            del self._undecided[number]
            if decision.kind == "play" and undecided.result is not None:
                self._count_result(undecided.result, undecided.row)
            yield number, undecided.row, decision, undecided.result

    def clear(self) -> tuple[int, ...]:
        """Forget all undecided rows and return their numbers."""
        numbers = tuple(self._undecided)
        self._undecided.clear()
        return numbers

    def _held_results(self) -> Unfinished:
        """Return the rows whose results have come but do not count yet."""
        return [(n, undecided.row.seats) for n, undecided in self._undecided.items() if undecided.result]

    def _count_result(self, result: MatchResult, row: Row) -> None:
        if result.played is not None:
            self.count(result.number, row.seats, result.played.outcome.seat_faults)


def last_deciding(number: int) -> int:
    """Return the last match whose result bears on a row; 0 for none."""
    before = number - 1
    return (before - min(AHEAD, before // 2)) // BATCH * BATCH


def failed_starts_of(
    results: Iterable[tuple[int, Sequence[int], Sequence[str | None]]],
) -> dict[int, tuple[int, ...]]:
    """Return the matches, of those given, in which an entrant failed at start-up, by entrant."""
    found: dict[int, tuple[int, ...]] = {}
    for number, entrants, faults in sorted(results, key=lambda result: result[0]):
        for entrant in startup_failures(entrants, faults):
            found[entrant] = (*found.get(entrant, ()), number)
    return found


def bench_text(name: str, number: int, decision: Decision) -> str:
    """Return the message that an entrant is benched from a match on."""
    matches = ", ".join(map(str, decision.matches))
    return (
        f"{name} is benched: it failed at start-up {MAX_STARTUP_FAILURES} times (matches {matches});"
        f" its matches from {number} on are void; fix the bot and run again with --unbench {name}"
    )


def stop_text(decision: Decision) -> str:
    """Return the message that there are too many faults."""
    return (
        f"too many faults by match {decision.matches[0]}: stopping; see `tourney status`, then run again"
        " with a higher --max-faults, or without it"
    )
