"""The end, pauses and repeats of a run: retries, a deadline (``--stop-at``, ``--stop-after``), signals."""

import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import FrameType
from typing import Final

from tourney.errors import StoreUnavailable, UsageError, WorkerError
from tourney.match.result import Cause
from tourney.run.engine.spool import Spool
from tourney.run.listeners import Listener
from tourney.run.summary import span_text
from tourney.run.workers.executor import MAX_FAILURES, Blame

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_SPAN = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?", re.ASCII)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Deadline:
    """When a run must be over, in seconds of a monotonic clock; None: never.

    A match starts only if one as long as the longest so far would end in time.
    """

    end: float | None = None
    longest: float = field(default=0.0, init=False)

    def add(self, seconds: float) -> None:
        """Take the length of a match into account."""
        self.longest = max(self.longest, seconds)

    @property
    def start_by(self) -> float | None:
        """The latest time at which a match may start, or None."""
        return None if self.end is None else self.end - self.longest

    def fits(self, now: float) -> bool:
        """Whether another match fits."""
        return self.end is None or now + self.longest < self.end


def seconds_left(at: str | None, after: str | None, now: datetime) -> float | None:
    """The seconds from ``now`` to the earlier end of ``--stop-at`` and ``--stop-after``; None without both.

    ``now`` is aware, in the local zone. Clock changes in the night are allowed for. Raises UsageError.
    """
    spans: list[timedelta] = []
    if at is not None:
        shown = parse_until(at, now).replace(tzinfo=None)
        # Where a clock change lets the time of day come twice, the first that is still to come counts.
        spans += [then - now for fold in (0, 1) if (then := shown.replace(fold=fold).astimezone()) > now][:1]
    if after is not None:
        spans.append(parse_span("--stop-after", after))
    return min(spans).total_seconds() if spans else None


def parse_until(text: str, now: datetime) -> datetime:
    """The next moment at which a clock in the zone of ``now`` shows HH:MM. Raises UsageError."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise UsageError(f"--stop-at {text!r} is not a time of day; write it as 07:30")
    then = now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
    return then if then > now else then + timedelta(days=1)


def parse_span(option: str, text: str) -> timedelta:
    """A time span such as ``7d``, ``8h``, ``90m``, ``1h30m`` or ``45s``. Raises UsageError."""
    match = _SPAN.fullmatch(text)
    if match is None or not any(match.groups()):
        raise UsageError(f"{option} {text!r} is not a time span; write it as 8h, 90m or 1h30m")
    days, hours, minutes, seconds = (int(group or 0) for group in match.groups())
    span = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if not span:
        raise UsageError(f"{option} {text!r} leaves no time at all")
    return span


@contextmanager
def catch_signals(
    handle: Callable[[int], None], numbers: Iterable[signal.Signals] = _SIGNALS
) -> Iterator[None]:
    """Call ``handle`` with the number of each signal; restore the old handlers at the end.

    ``handle`` runs between any two steps of the main thread, so it may only queue the number. A hangup that
    ``nohup`` ignores stays ignored. Outside the main thread nothing is caught.
    """

    def handler(number: int, _frame: FrameType | None) -> None:
        handle(number)

    before = {}
    with suppress(ValueError):  # not the main thread
        for number in numbers:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def ignore_hangups() -> AbstractContextManager[None]:
    """Ignore SIGHUP until the end: a closed terminal may send it more than once."""
    return catch_signals(lambda _number: None, [signal.SIGHUP])


PROOFS: Final = 2  # plays that show that a bot used more memory than its limit, before that counts
MAX_FAILURES_IN_A_ROW: Final = 12  # failed first attempts, with no match played in between, stop the run
PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0)  # seconds between attempts to write; the last one repeats


class MatchRetries:
    """Counts the failures of each match and those in a row; a match is played MAX_FAILURES times at most.

    Where memory was full, a bot was to blame each time, which used the most of it. It is ``proven`` to have
    used more than its limit if two plays that nothing else disturbed show that.

    ``any_played``: whether the tournament has a stored match. ``total`` counts the plays that failed, by
    their cause. The counts rest on the match alone, so they are the same with any number of workers; a run
    that starts again counts from zero.
    """

    def __init__(self, *, any_played: bool) -> None:
        self._any_played = any_played
        self._failures: Counter[int] = Counter()
        self._overloads: Counter[int] = Counter()
        self._blamed: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._proofs: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._in_a_row = 0
        self.total: Counter[Cause] = Counter()

    def played(self) -> None:
        """Note that a match was played."""
        self._any_played = True
        self._in_a_row = 0

    def overloaded(self, number: int) -> bool:
        """Whether every failure of a match was an overload."""
        return 0 < self._failures[number] == self._overloads[number]

    def blame(self, number: int, blame: Blame, *, alone: bool) -> None:
        """Note which bot filled memory in a play of a match; ``alone``: no other was played meanwhile."""
        self._blamed[number][blame.entrant] += 1
        self._proofs[number][blame.entrant] += alone and blame.proven

    def blamed(self, number: int) -> str:
        """The bot that is to blame for most of the plays of a match, or ""."""
        return next((name for name, _ in self._blamed[number].most_common(1)), "")

    def proven(self, number: int) -> bool:
        """Whether that bot is proven to have used more memory than its limit."""
        return self._proofs[number][self.blamed(number)] >= PROOFS

    def failed(
        self, numbers: Collection[int], why: str, cause: Cause = "machine", plays: int = 1
    ) -> frozenset[int]:
        """Count matches that one failure stopped after ``plays`` plays, and return those to try again.

        Raises WorkerError where the machine is at fault, not the matches. Overload does not show that: it
        passes. Neither does a full memory: a bot may fill it.
        """
        # A match that fails again and again says nothing about the machine; many that fail at first do.
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
        return frozenset(numbers) - frozenset(final)


class WriteRetry:
    """Retries writes to the database for ``seconds`` from the first failure on (0: not at all).

    While writes fail the run is paused. ``count``: pauses so far; ``total``: seconds of those that are over;
    ``why``: the error of the current pause, or "".
    """

    def __init__(self, seconds: float, clock: Callable[[], float], say: Callable[[str], None]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._say = say
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
        """Whether a write may be tried now: always, except between the attempts of a pause."""
        return at_once or not self.due_in

    def failed(self, error: StoreUnavailable, where: str) -> None:
        """Start or continue the pause. Raises the error when the pause has lasted too long.

        ``where`` says where the unstored results are.
        """
        now = self._clock()
        if self._since is None:
            if not self._seconds:  # --patience 0
                raise StoreUnavailable(f"{error}; {where}") from error
            self._since = now
            self.count += 1
            self._attempts = 0
            self.why = str(error)
            self._say(f"paused: {error}; {where}; retrying for {span_text(self._seconds)}")
        elif now - self._since >= self._seconds:
            raise StoreUnavailable(f"{error}; {where}") from error
        self._next = now + PAUSES[min(self._attempts, len(PAUSES) - 1)]
        self._attempts += 1

    def succeeded(self) -> None:
        """End the pause."""
        if self._since is not None:
            lasted = self._clock() - self._since
            self._since = None
            self.total += lasted
            self.why = ""
            self._say(f"resumed: the database can be written again after {span_text(lasted)}")


@dataclass(frozen=True, slots=True)
class RunControl:
    """The limits, retries and listener of a run.

    It stops after ``max_faults`` faults, and in time for the ``deadline``. Failing writes are tried again for
    ``retry_seconds``; meanwhile results wait in the ``spool``. No match counts that was played below the
    ``floor``: degrees of protections.
    """

    listener: Listener = field(default_factory=Listener)
    deadline: Deadline = field(default_factory=Deadline)
    max_faults: int | None = None
    retry_seconds: float = 0.0
    spool: Spool | None = None
    floor: Mapping[str, str] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
