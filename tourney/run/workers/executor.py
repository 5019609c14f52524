"""The executor of a run: plays matches somewhere and answers with futures; the seam for other kinds.

Matches go to it as ``MatchTask``, results come back as ``WorkerReply``: plain values that can be sent to
another process or host.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Final, Literal, NamedTuple

from tourney.errors import UsageError
from tourney.match.guided_channel import FollowedRecord
from tourney.match.match_memory import MatchMemory
from tourney.match.result import Cause, PlayedMatch, Playing, machine_of
from tourney.match.spec import Limits, MatchSpec
from tourney.plugins import Registry
from tourney.schema import SandboxLevel


@dataclass(frozen=True, slots=True)
class MatchTask:
    """A match to play: its number in the tournament, its spec, and how to run its bots.

    ``bots`` is the folder of the bot store; the spec names each bot by its digest. After ``start_by``
    (``time.monotonic()``, seconds) the match does not start any more; None: at any time.
    With a ``guide``, which only workers of this machine get, the seats follow it. The bots of ``absent``
    entrants are not started, for the reasons given. ``floor``: the degrees of the protections below which the
    match must not be played; other entrants have none. With ``luck`` the worker also computes the luck of the
    match (``PlayedMatch.find_luck``), because pairings depend on it; a host of a cluster does not, since its
    luck could not be trusted.
    """

    number: int
    spec: MatchSpec
    bots: str
    sandbox: Literal["strict", "auto", "off"]
    reuse: bool
    start_by: float | None = None
    guide: FollowedRecord | None = None
    absent: Mapping[str, str] = field(default_factory=dict)
    floor: tuple[tuple[str, str], ...] = ()
    luck: bool = False


class Blame(NamedTuple):
    """The entrant whose bot used the most of a full memory; ``proven``: more than its limit."""

    entrant: str
    proven: bool


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """The answer to a task: the match as played, or why the machine could not play it.

    Both None: the match was not started, as the executor drains or ``start_by`` has passed. ``cause``
    belongs to a failure, and ``blame`` to the cause ``memory``. ``plays``: how many plays failed.
    """

    number: int
    played: PlayedMatch | None = None
    failure: str | None = None
    cause: Cause = "machine"
    plays: int = 1
    blame: Blame | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The facts about a run that an executor gets before the first match.

    ``seed`` is the tournament's; it never leaves this machine. ``bots`` is the folder of the bot store, and
    ``digests`` names the bots that play. ``say`` prints a message. ``refused`` are the machines that get no
    match, with the reason. ``seats`` are those of a match; ``modules``: a bot is a WebAssembly module;
    ``reuse``: bots are kept from match to match. ``floor``: as that of a match, for hosts; empty before the
    first match is stored, when the first hosts set it, and None if there is none. ``patience`` are the
    seconds to wait for workers or a scheduler that are lost; an executor may need more.
    """

    seed: int
    game: str
    limits: Limits
    sandbox: SandboxLevel
    bots: str
    digests: tuple[str, ...]
    say: Callable[[str], None]
    refused: Mapping[str, str] = field(default_factory=dict)
    seats: int = 2
    modules: bool = False
    reuse: bool = False
    floor: Mapping[str, str] | None = field(default_factory=dict)
    patience: float = 0.0

    @property
    def memory(self) -> MatchMemory:
        """The memory that the bots of a match may use."""
        return MatchMemory.of(self.limits, self.seats, modules=self.modules, reuse=self.reuse)


def plays_here(make: Callable[..., "MatchExecutor"]) -> bool:
    """Whether the executor that this makes plays on this machine, as far as that can be seen."""
    kind = getattr(make, "func", make)
    address = getattr(make, "keywords", {}).get("address", "")
    return not (getattr(kind, "remote", False) and address)


MAX_FAILURES: Final = 3
"""After this many failures of the machine a match is given up."""


def played_on(played: PlayedMatch | None) -> str:
    """The machine on which a match was played; "" where that is not known, or none was played."""
    return "" if played is None else machine_of(played.measured.host)


class MatchExecutor(ABC):
    """Plays ``workers`` matches at a time.

    A future's exception is an InputError for a bot or spec that cannot be used, or a BrokenExecutor where a
    worker was lost, and with it every match that was submitted and has no reply.
    """

    name: ClassVar[str] = ""
    """The executor's name for ``tourney run --executor``, for kinds that are registered."""
    remote: ClassVar[bool] = False
    """Whether it plays on other hosts. Then it also takes ``address``, ``recheck`` and ``allow_mixed``."""

    def __init__(self, workers: int, *, cpus: int = 1) -> None:  # noqa: ARG002 - for kinds that pin workers
        """Start ``workers`` workers, each pinned to ``cpus`` processors (0: to none)."""
        self.workers = workers

    @property
    def capacity(self) -> int:
        """The number of matches to submit before replies come, so that no worker waits for its next one."""
        return 2 * self.workers

    def running(self) -> tuple[Playing, ...]:
        """The matches being played, by number, as far as they are known."""
        return ()

    def paused(self) -> str:
        """Why no reply can come now, in words, or ""."""
        return ""

    def begin(self, run: Run) -> None:  # noqa: B027 - a kind may need no preparation
        """Prepare the workers; called once, before the first match.

        ``workers`` is afterwards what is played at a time, which may be fewer than were asked for. Raises
        UsageError for workers that do not fit each other, WorkerError without any that can play, and
        SandboxError for matches that do not fit into memory.
        """

    def caught(self) -> Mapping[str, str]:
        """The machines that were caught forging results in this run, each with the reason in words.

        They get no more matches, and no result of theirs counts. Beside a record its machine follows the last
        "/" of its host.
        """
        return {}

    @abstractmethod
    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match. Raises BrokenExecutor where a worker was lost; then ``restart``."""

    def flush(self) -> None:  # noqa: B027 - most kinds hold nothing back
        """Send the submitted matches that are held back. Raises BrokenExecutor as ``submit`` does."""

    @abstractmethod
    def restart(self) -> None:
        """Replace the workers after one was lost; all submitted matches are lost."""

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
    kind="executors",
    base=MatchExecutor,
    error=UsageError,
)
"""The executors by name; each is made with the number of workers and ``cpus``."""

DEFAULT_RECHECK: Final = 200
"""The number of 10,000 matches of other hosts that a second host replays: 2 %."""


def is_remote(text: str) -> bool:
    """Whether the executor of a name, or of ``NAME://ADDRESS``, plays on other hosts. Raises UsageError."""
    return EXECUTORS.find_class(text.partition("://")[0]).remote


def find_executor(
    text: str, *, recheck: int | None = None, allow_mixed: bool = False
) -> Callable[..., MatchExecutor]:
    """The maker of the executor that a name, or ``NAME://ADDRESS``, means.

    ``recheck`` (of 10,000) and ``allow_mixed`` are for executors on other hosts. Raises UsageError for an
    unknown name, and for an address or a setting that the executor does not take.
    """
    name, colon, address = text.partition("://")
    kind = EXECUTORS.find_class(name)
    if kind.remote:
        if colon and not address:
            raise UsageError(f"the executor {text!r} lacks the address after ://, as in {name}://HOST:PORT")
        share = DEFAULT_RECHECK if recheck is None else recheck
        make: Callable[..., MatchExecutor] = kind
        return partial(make, address=address, recheck=share, allow_mixed=allow_mixed)
    if colon:
        raise UsageError(f"the executor {name} plays on this machine and takes no address: write {name}")
    if recheck is not None or allow_mixed:
        option = "--allow-mixed" if allow_mixed else "--recheck"
        raise UsageError(f"{option} is for executors on other hosts, as dask://HOST:PORT, not for {name}")
    return kind
