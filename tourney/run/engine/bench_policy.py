"""Benching and ``--max-faults``: decided after batches of fixed size, in the order of play.

A decision about a row uses all results of the whole batches in the first half of the rows before it, and no
others. So it is the same with one worker or forty, and after any interruption. Half of the rows is enough to
notice early a bot that never starts, and leaves many workers enough matches that need not wait. At most
``AHEAD`` rows are left out.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.schedule.format import ranking_format
from tourney.schedule.player_history import MAX_STARTUP_FAILURES, startup_failures
from tourney.schedule.row import Row
from tourney.store.values import MatchResult, StoredEntrant, Tournament

BATCH: Final = 8  # rows of the schedule in a batch
AHEAD: Final = 128  # the most rows between the results that decide and the row that they decide about

Unfinished = Sequence[tuple[int, Sequence[int]]]
"""Rows in play, which were handed out and have no result yet: their numbers and entrants."""


@dataclass(frozen=True, slots=True)
class BenchDecision:
    """The decision about a row.

    ``play`` it; ``wait`` for results in play; ``hold`` it, as it is void or the last once the rows before it
    are decided; it is void, as ``entrant`` is ``benched`` by its failed starts in ``matches``, or (none) as
    its bot is broken; or ``stop`` the run before it, as there were too many faults up to the match
    ``matches[0]`` or (no ``matches``) no bot has started.
    """

    kind: Literal["play", "wait", "hold", "benched", "stop"]
    entrant: int = -1
    matches: tuple[int, ...] = ()


PLAY = BenchDecision("play")
WAIT = BenchDecision("wait")


class PlayOrder:
    """The order in which a tournament's matches are played; their numbers go by the schedule.

    With ``breadth_first`` all first repeats of a draw come first, then all second ones; rounds drawn later,
    for entrants that ``joined`` then, come after all of those before. So a match keeps its place for good.
    """

    def __init__(self, *, breadth_first: bool = False, joined: Iterable[int] = ()) -> None:
        self._breadth_first = breadth_first
        self._joined = sorted(set(joined))
        self._numbers: list[int] = []  # by place, if these differ
        self._places: dict[int, int] = {}

    @classmethod
    def of(cls, tournament: Tournament, entrants: Iterable[StoredEntrant]) -> "PlayOrder":
        """The order of a tournament, without its rows."""
        joined = (entrant.joined for entrant in entrants)
        return cls(breadth_first=tournament.run.breadth_first, joined=joined)

    def add(self, rows: Iterable[tuple[int, Row]]) -> None:
        """Add the rows of rounds, with their numbers; those of later rounds come later."""
        if self._breadth_first:
            for number, _ in self.sorted(rows):
                self._numbers.append(number)
                self._places[number] = len(self._numbers)

    def sorted(self, rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
        """Rows in the order of play."""

        def key(item: tuple[int, Row]) -> tuple[int, int, int]:
            number, row = item
            return bisect_right(self._joined, row.round), row.repeat, number

        return sorted(rows, key=key) if self._breadth_first else list(rows)

    def place(self, number: int) -> int:
        """The place of a match, from 1."""
        return self._places.get(number, number)

    def number(self, place: int) -> int:
        """The number of the match at a place."""
        return self._numbers[place - 1] if self._breadth_first else place


class BenchPolicy:
    """Decides about rows in the order of play from results that come in any order.

    No worker waits for a decision: a row is handed out undecided where results in play might bench an entrant
    of it. Its result counts once ``settle`` has decided to play it. The entrants that are ``broken`` are
    benched from the start. ``order`` has all rows; without one it is that of the numbers.
    """

    def __init__(
        self, max_faults: int | None = None, broken: Collection[int] = (), order: PlayOrder | None = None
    ) -> None:
        self._order = order or PlayOrder()
        self._max_faults = max_faults
        self._broken = frozenset(broken)
        self._failed_starts: dict[int, list[int]] = {}  # places of matches by entrant, sorted
        self._faults: list[int] = []  # the place of a match for each fault, sorted; kept if they are limited
        self._unstarted: set[int] = set()  # places of the first batch at which no bot started
        # Rows that were handed out or held before they are decided, with the results that have come; by their
        # numbers, in the order of play.
        self._undecided: dict[int, tuple[Row, MatchResult | None]] = {}

    @property
    def undecided(self) -> int:
        """The number of rows that were handed out or held and are not decided."""
        return len(self._undecided)

    def count(self, number: int, entrants: Sequence[int], faults: Sequence[str | None]) -> None:
        """Count a result: the entrants of the match in seat order, and each seat's fault or None."""
        if not any(faults):
            return
        place = self._order.place(number)
        if place <= BATCH and none_started(faults):
            self._unstarted.add(place)
        if self._max_faults is not None:
            for _ in filter(None, faults):
                insort(self._faults, place)
        for entrant in startup_failures(entrants, faults):
            insort(self._failed_starts.setdefault(entrant, []), place)

    def decide(self, number: int, entrants: Sequence[int], unfinished: Unfinished) -> BenchDecision:
        """Decide about a row, after all rows before it; ``wait`` only if a row in play bears on it."""
        for entrant in entrants:
            if entrant in self._broken:
                return BenchDecision("benched", entrant)
        limit = last_deciding(self._order.place(number))
        if not limit:
            return PLAY
        if len(self._unstarted) == BATCH:
            return BenchDecision("stop")
        if self._unstarted:
            # Matches of the first batch that are in play may end without a start too.
            first = sum(self._order.place(row) <= BATCH for row, _ in unfinished)
            if len(self._unstarted) + first >= BATCH:
                return WAIT
        # Each seat of these may still have a fault, each entrant one more failed start.
        before = [seated for row, seated in unfinished if self._order.place(row) <= limit]
        if self._max_faults is not None:
            faults_so_far = bisect_right(self._faults, limit)
            if faults_so_far >= self._max_faults:
                return BenchDecision("stop", matches=(self._order.number(limit),))
            if faults_so_far + sum(map(len, before)) >= self._max_faults:
                return WAIT
        for entrant in entrants:
            failed = self._failed_starts.get(entrant, [])
            count = bisect_right(failed, limit)
            if count >= MAX_STARTUP_FAILURES:
                matches = tuple(map(self._order.number, failed[:MAX_STARTUP_FAILURES]))
                return BenchDecision("benched", entrant, matches)
            if count + sum(entrant in seated for seated in before) >= MAX_STARTUP_FAILURES:
                return WAIT
        return PLAY

    def hand_out(self, number: int, row: Row, unfinished: Unfinished) -> BenchDecision:
        """Decide about the next row of the schedule, and keep it if it is not decided.

        ``play`` may mean an undecided row. ``stop`` comes only when no row is undecided, until then ``wait``.
        """
        decision = self.decide(number, row.seats, (*unfinished, *self._held_results()))
        if decision.kind == "play" or not (decision.kind == "wait" or self._undecided):
            return decision
        if decision.kind == "stop":
            return WAIT  # rows before this one are undecided, and a run stops in the order of play
        self._undecided[number] = row, None
        return BenchDecision("play" if decision.kind == "wait" else "hold")

    def finish(self, result: MatchResult, row: Row) -> bool:
        """Take a result, and return whether it counts now; otherwise ``settle`` brings it later."""
        if result.number not in self._undecided:
            self._count_result(result, row)
            return True
        self._undecided[result.number] = row, result
        return False

    def settle(
        self, unfinished: Callable[[], Unfinished]
    ) -> Iterator[tuple[int, Row, BenchDecision, MatchResult | None]]:
        """Yield the rows decided now, in schedule order: number, row, decision, and the result or None.

        A result counts when it is yielded with ``play``; with another decision it is discarded.
        ``unfinished`` is called again for each row.
        """
        while self._undecided:
            number, (row, result) = next(iter(self._undecided.items()))
            decision = self.decide(number, row.seats, (*unfinished(), *self._held_results()))
            if decision.kind == "wait":
                return
            del self._undecided[number]
            if decision.kind == "play" and result is not None:
                self._count_result(result, row)
            yield number, row, decision, result

    def clear(self) -> tuple[int, ...]:
        """Forget all undecided rows and return their numbers."""
        numbers = tuple(self._undecided)
        self._undecided.clear()
        return numbers

    def _held_results(self) -> Unfinished:
        """The rows whose results have come but do not count yet."""
        return [(number, row.seats) for number, (row, result) in self._undecided.items() if result]

    def _count_result(self, result: MatchResult, row: Row) -> None:
        if result.played is not None:
            self.count(result.number, row.seats, result.played.outcome.seat_faults)


def last_deciding(place: int) -> int:
    """The place of the last match whose result bears on a row; 0 for none."""
    before = place - 1
    return (before - min(AHEAD, before // 2)) // BATCH * BATCH


def none_started(faults: Sequence[str | None]) -> bool:
    """Whether every bot of a match failed at start-up."""
    return bool(faults) and all(fault == "startup" for fault in faults)


def again_text(tournament: Tournament, name: str) -> str:
    """How to play a tournament again once a benched bot starts."""
    if ranking_format(tournament.plan.format).asks_question:  # its command has no --unbench
        return f"remove this result by `tourney db remove {tournament.name}` and run the command again"
    return f"run again with --unbench {name}"


def bench_text(tournament: Tournament, name: str, number: int, decision: BenchDecision) -> str:
    """The message that an entrant is benched from a match on."""
    matches = ", ".join(map(str, decision.matches))
    return (
        f"{name} is benched: it failed at start-up {MAX_STARTUP_FAILURES} times (matches {matches});"
        f" its matches from {number} on, in the order of play, are void;"
        f" fix the bot and {again_text(tournament, name)}"
    )


def stop_text(decision: BenchDecision) -> str:
    """The message that there are too many faults, or that nothing starts."""
    if not decision.matches:
        return "no bot has started: stopping"
    return (
        f"too many faults by match {decision.matches[0]}: stopping; see `tourney status`, then run again"
        " with a higher --max-faults, or without it"
    )
