"""Patience with a database that cannot be written now: pause, say so, try again, and give up in the end."""

from collections.abc import Callable, Sequence

from tourney.errors import StoreUnavailable
from tourney.run.monitoring.progress import span_text

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
