"""Retries: of matches that the machine failed to play, and of writes to a database that fails."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final

from tourney.errors import StoreUnavailable, WorkerError
from tourney.match.again import Again, Kept
from tourney.run.monitoring.progress import span_text
from tourney.run.workers.executor import Cause

MAX_FAILURES: Final = 3
"""A match that the infrastructure failed this often is void."""
MAX_FAILURES_IN_A_ROW: Final = 12
"""This many failed first attempts, with no match played in between, stop the run."""
PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to write; the last one repeats."""


class MatchRetries:
    """Counts the failures of each match and those in a row, and says how to play a match again.

    ``any_played``: whether the tournament has a stored match. ``total`` counts the plays that failed, by
    their cause.

    A match is played three times at most. A bot that was killed may have done it itself: where it was killed
    before in the same match, the third play judges it, so it gains nothing. The counts rest on the match
    alone, so they are the same with any number of workers; a run that starts again counts anew.
    """

    def __init__(self, *, any_played: bool) -> None:
        self._any_played = any_played
        self._failures: Counter[int] = Counter()
        self._overloads: Counter[int] = Counter()
        self._killed: dict[int, set[int]] = {}
        self._kept: dict[int, Kept] = {}
        self._in_a_row = 0
        self.total: Counter[Cause] = Counter()

    def played(self, number: int) -> None:
        """Count a match that was played."""
        self._any_played = True
        self._in_a_row = 0
        self._kept.pop(number, None)

    def again(self, number: int) -> Again:
        """Return how to play a match, after the failures so far."""
        last = self._failures[number] >= MAX_FAILURES - 1
        judged = frozenset(self._killed.get(number, ())) if last else frozenset[int]()
        return Again(judged, self._kept.get(number))

    def killed(self, number: int, seat: int) -> None:
        """Note that the bot on a seat was killed, perhaps by itself."""
        self._killed.setdefault(number, set()).add(seat)

    def keep(self, number: int, kept: Kept | None) -> None:
        """Note what is kept of a match that ended early."""
        if kept is not None:
            self._kept[number] = kept

    def overloaded(self, number: int) -> bool:
        """Return whether every failure of a match was an overload."""
        return 0 < self._failures[number] == self._overloads[number]

    def failed(
        self, numbers: Collection[int], why: str, cause: Cause = "machine", plays: int = 1
    ) -> frozenset[int]:
        """Count matches that one failure, of so many plays, stopped, and return those to try again.

        Raises WorkerError where the machine is at fault, not the matches. Neither overload nor a killed bot
        shows that: the former passes, and the latter may be the bot's own doing.
        """
        first = cause == "machine" and any(not self._failures[number] for number in numbers)
        self._failures.update(dict.fromkeys(numbers, plays))
        self.total[cause] += plays * len(numbers)
        if cause == "overload":
            self._overloads.update(dict.fromkeys(numbers, plays))
        final = [number for number in numbers if self._failures[number] >= MAX_FAILURES]
        if final and cause == "machine" and not self._any_played:
            raise WorkerError(
                f"match {final[0]} failed {MAX_FAILURES} times and no other was played: {why};"
                " fix the cause and run again"
            )
        self._in_a_row += first
        if first and self._in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise WorkerError(
                f"{self._in_a_row} times in a row a match could not be played: {why};"
                " fix the cause and run again: all stored results are kept"
            )
        for number in final:
            self._kept.pop(number, None)
        return frozenset(numbers) - frozenset(final)


class WriteRetry:
    """Retries writes to the database for ``seconds`` from the first failure; with 0 the first one is final.

    While writes fail the run is paused. ``count``: pauses so far; ``total``: seconds of those that are over;
    ``why``: the error of the current pause, or "".
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
        """Seconds until the next attempt, at least 0; None without a pause."""
        return None if self._since is None else max(0.0, self._next - self._clock())

    def may_try(self, *, at_once: bool = False) -> bool:
        """Return whether a write may be tried now: always, except between the attempts of a pause."""
        return at_once or not self.due_in

    def failed(self, error: StoreUnavailable, where: str) -> None:
        """Start or continue the pause. Raises the error when the pause has lasted too long.

        ``where`` says where the unstored results are.
        """
        now = self._clock()
        if self._since is None:
            if not self._seconds:
                raise StoreUnavailable(f"{error}; {where}") from error
            self._since = now
            self.count += 1
            self._attempts = 0
            self.why = str(error)
            self._say(f"paused: {error}; {where}; retrying for {span_text(self._seconds)}")
        elif now - self._since >= self._seconds:
            raise StoreUnavailable(f"{error}; {where}") from error
        self._next = now + self._pauses[min(self._attempts, len(self._pauses) - 1)]
        self._attempts += 1

    def succeeded(self) -> None:
        """End the pause."""
        if self._since is not None:
            lasted = self._clock() - self._since
            self._since = None
            self.total += lasted
            self.why = ""
            self._say(f"resumed: the database can be written again after {span_text(lasted)}")
