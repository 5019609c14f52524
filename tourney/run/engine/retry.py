"""What the machine fails at: a match that could not be played is nobody's loss, and is tried again."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from tourney.errors import StoreUnavailable, WorkerError
from tourney.run.monitoring.progress import span_text

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


PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds from one attempt to the next; the last is repeated."""


class WriteRetry:
    """Keeps a run's pauses: ``count`` so far, ``total`` seconds of those that are over, ``why`` there is one.

    ``seconds`` of failure on end are borne, none with 0; ``say`` tells a person.
    """

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float],
        say: Callable[[str], None],
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._say = say
        self._pauses = pauses
        self._since: float | None = None
        self._attempts = 0
        self._next = 0.0
        self.why = ""
        self.count = 0
        self.total = 0.0

    @property
    def paused(self) -> bool:
        """Whether the last attempt failed."""
        return self._since is not None

    @property
    def due_in(self) -> float | None:
        """Seconds until the next attempt, 0 or more; None where there is no pause."""
        return None if self._since is None else max(0.0, self._next - self._clock())

    def may_try(self, *, at_once: bool = False) -> bool:
        """Say whether it is time to try: always, except between the attempts of a pause."""
        return at_once or not self.due_in

    def fail(self, error: StoreUnavailable, where: str) -> None:
        """Begin the pause or go on with it; raise the error when it has lasted too long.

        ``where`` says where the results are meanwhile.
        """
        now = self._clock()
        if self._since is None:
            if not self._seconds:
                raise StoreUnavailable(f"{error}; {where}") from error
            self._since = now
            self.count += 1
            self._attempts = 0
            self.why = str(error)
            self._say(f"paused: {error}; {where}; trying again for {span_text(self._seconds)}")
        elif now - self._since >= self._seconds:
            raise StoreUnavailable(f"{error}; {where}") from error
        self._next = now + self._pauses[min(self._attempts, len(self._pauses) - 1)]
        self._attempts += 1

    def succeed(self) -> None:
        """End the pause."""
        if self._since is not None:
            lasted = self._clock() - self._since
            self._since = None
            self.total += lasted
            self.why = ""
            self._say(f"going on: the database can be written again after {span_text(lasted)}")
