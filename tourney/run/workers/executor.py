"""What goes to a worker and what comes back: plain values that can be sent to another process or host."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Literal, Protocol

from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.run.monitoring.progress import Playing


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to be played: its number in the tournament, its spec, and how to run its bots.

    ``bots`` is the folder of the bot store; the spec names each bot by its digest. ``begin_by``: after this
    time (``time.monotonic()``, seconds) it is not begun any more; None: at any time.
    """

    number: int
    spec: MatchSpec
    bots: str
    sandbox: Literal["strict", "auto", "off"]
    reuse: bool
    begin_by: float | None = None


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """What came of a task: a match as played, or why the machine could not play it.

    Both None: the worker was told to begin nothing new, or it was too late.
    """

    number: int
    played: PlayedMatch | None = None
    failure: str | None = None


class MatchExecutor(Protocol):
    """What the coordinator needs of whoever plays matches."""

    @property
    def workers(self) -> int:
        """How many matches are played at the same time."""

    def running(self) -> tuple[Playing, ...]:
        """Return what is being played now, by number, as far as it is known."""

    @property
    def ahead(self) -> int:
        """How many matches may be handed in and not answered, so that no worker waits for the next one."""

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hand in a match. Raises BrokenExecutor where a worker was lost; then ``replace`` it."""

    def hand_over(self) -> None:
        """Begin what was handed in and held back, to be sent together. Raises BrokenExecutor likewise."""

    def replace(self) -> None:
        """Put a new pool in the place of one that broke; what was handed in is lost."""

    def drain(self) -> None:
        """Begin no further match, those handed in included; they are answered as not begun."""

    def close(self) -> None:
        """Wait for what is being played, and end the workers."""

    def stop(self) -> None:
        """End the workers and their bots at once."""


class FuturesExecutor:
    """Any executor of the standard library's kind, for tests and for players in this very process.

    ``play`` answers a task; ``make`` makes an executor, once at the start and once for each replacement.
    """

    def __init__(
        self, make: Callable[[], Executor], play: Callable[[MatchTask], WorkerReply], workers: int = 1
    ) -> None:
        self.workers = workers
        self._make = make
        self._play = play
        self._draining = False
        self._executor = make()

    def running(self) -> tuple[Playing, ...]:
        """Return nothing: what these executors play is not watched."""
        return ()

    @property
    def ahead(self) -> int:
        """Two a worker."""
        return 2 * self.workers

    def hand_over(self) -> None:
        """Do nothing: nothing is held back."""

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hand in a match."""
        return self._executor.submit(self._answer, task)

    def replace(self) -> None:
        """Make a new executor."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()

    def drain(self) -> None:
        """Begin no further match."""
        self._draining = True

    def close(self) -> None:
        """Wait for what is being played."""
        self._executor.shutdown(wait=True)

    def stop(self) -> None:
        """Wait for what is being played: there is nobody to kill."""
        self._draining = True
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _answer(self, task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number) if self._draining else self._play(task)
