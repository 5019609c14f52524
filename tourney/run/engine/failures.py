"""What the machine fails at: a match that could not be played is nobody's loss, and is tried again."""

from collections import Counter
from collections.abc import Collection

from tourney.errors import WorkerError

MAX_FAILURES = 3
"""After so many failures of the infrastructure a match is void."""
MAX_FAILURES_IN_A_ROW = 12
"""After so many at the first attempt, with no match played in between, it is the machine: the run stops."""


class MatchRetries:
    """Counts failures by match and in a row. ``before``: whether a match of the tournament is stored."""

    def __init__(self, *, before: bool) -> None:
        self._any_played = before
        self._by_match: Counter[int] = Counter()
        self._in_a_row = 0

    def played(self) -> None:
        """Note that a match was played."""
        self._any_played = True
        self._in_a_row = 0

    def note(self, number: int, why: str) -> bool:
        """Note that a match could not be played; say whether it is to be tried again.

        Raises WorkerError where it is the machine that fails, not the match.
        """
        if not self._by_match[number]:
            self._count(why)
        return self._again(number, why)

    def note_lost(self, numbers: Collection[int], why: str) -> frozenset[int]:
        """Note that matches were lost together, by one failure; return those to be tried again.

        Raises WorkerError as ``note`` does.
        """
        first = any(not self._by_match[number] for number in numbers)
        again = frozenset(number for number in numbers if self._again(number, why))
        if first:
            self._count(why)
        return again

    def _again(self, number: int, why: str) -> bool:
        self._by_match[number] += 1
        if self._by_match[number] < MAX_FAILURES:
            return True
        if not self._any_played:
            raise WorkerError(
                f"match {number} failed {MAX_FAILURES} times and no other was played: {why};"
                " see to it, and run again"
            )
        return False

    def _count(self, why: str) -> None:
        self._in_a_row += 1
        if self._in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise WorkerError(
                f"{self._in_a_row} times in a row a match could not be played: {why};"
                " see to it, and run again: nothing that was stored is lost"
            )
