"""The executor of a run: plays matches somewhere and answers with futures; the seam for other kinds.

Matches go to it as ``MatchTask``, results come back as ``WorkerReply``: plain values that can be sent to
another process or host.
"""

from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from tourney.errors import UsageError
from tourney.match.again import FIRST, Again, Kept
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.plugins import Registry


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play: its number in the tournament, its spec, and how to run its bots.

    ``bots`` is the folder of the bot store; the spec names each bot by its digest. After ``start_by``
    (``time.monotonic()``, seconds) the match does not start any more; None: at any time. ``again`` says what
    plays before left that the machine ended.
    """

    number: int
    spec: MatchSpec
    bots: str
    sandbox: Literal["strict", "auto", "off"]
    reuse: bool
    start_by: float | None = None
    again: Again = FIRST


Cause = Literal["machine", "overload", "killed"]
"""Why a match could not be played: the machine failed, was overloaded, or a bot was killed."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """The answer to a task: the match as played, or why the machine could not play it.

    Both None: the match was not started, as the executor drains or ``start_by`` has passed. ``cause`` and
    ``seat`` belong to a failure; ``seat`` is that of a bot which was ``killed``, perhaps by itself.
    ``kept`` is what was played before a bot was killed or waited too long.
    """

    number: int
    played: PlayedMatch | None = None
    failure: str | None = None
    cause: Cause = "machine"
    seat: int = 0
    kept: Kept | None = None


class Playing(NamedTuple):
    """A match being played: its number and its start (seconds since the epoch)."""

    number: int
    since: float


class MatchExecutor(ABC):
    """Plays ``workers`` matches at a time.

    A future's exception is an InputError for a bot or spec that cannot be used, or a BrokenExecutor where a
    worker was lost, and with it every match that was submitted and has no reply.
    """

    name: ClassVar[str] = ""
    """The executor's name for ``tourney run --executor``, for kinds that are registered."""

    def __init__(self, workers: int, *, cpus: int = 1) -> None:  # noqa: ARG002 - for kinds that pin workers
        """Start ``workers`` workers, each pinned to ``cpus`` processors (0: to none)."""
        self.workers = workers

    @property
    def capacity(self) -> int:
        """The number of matches to submit before replies come, so that no worker waits for its next one."""
        return 2 * self.workers

    def running(self) -> tuple[Playing, ...]:
        """Return the matches being played, by number, as far as they are known."""
        return ()

    @abstractmethod
    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match. Raises BrokenExecutor where a worker was lost; then ``restart``."""

    def flush(self) -> None:  # noqa: B027 - most kinds hold nothing back
        """Send the submitted matches that are held back. Raises BrokenExecutor as ``submit`` does."""

    @abstractmethod
    def restart(self) -> None:
        """Replace the workers after one was lost; what was submitted is lost."""

    @abstractmethod
    def drain(self) -> None:
        """Start no further match; those submitted are answered as not started."""

    @abstractmethod
    def close(self) -> None:
        """Wait for the matches being played, and end the workers."""

    @abstractmethod
    def stop(self) -> None:
        """End the workers and their bots at once."""


EXECUTORS: Registry[MatchExecutor] = Registry(
    noun="executor",
    group="tourney.executors",
    base=MatchExecutor,
    own={"local": "tourney.run.workers.local:LocalExecutor"},
    error=UsageError,
)
"""The executors by name; each is made with the number of workers and ``cpus``."""
