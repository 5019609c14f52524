"""``--until`` and ``--budget``: when a run ends, and whether another match still fits."""

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import FrameType

from tourney.errors import UsageError

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_SPAN = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?", re.ASCII)


def parse_until(text: str, now: datetime) -> datetime:
    """Return the next moment at which a clock in the zone of ``now`` shows HH:MM. Raises UsageError."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise UsageError(f"--until {text!r} is no time of day, as 07:30")
    then = now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
    return then if then > now else then + timedelta(days=1)


def seconds_left(until: str | None, budget: str | None, now: datetime) -> float | None:
    """Return the seconds from ``now`` to the earlier end of ``--until`` and ``--budget``; None without both.

    ``now`` is aware, of the local zone. Clocks that are put forward or back in the night are allowed for.
    """
    spans: list[timedelta] = []
    if until is not None:
        shown = parse_until(until, now).replace(tzinfo=None)
        spans += [then - now for fold in (0, 1) if (then := shown.replace(fold=fold).astimezone()) > now][:1]
    if budget is not None:
        spans.append(parse_budget(budget))
    return min(spans).total_seconds() if spans else None


def parse_budget(text: str) -> timedelta:
    """Return the span of ``--budget``. Raises UsageError."""
    return parse_span("--budget", text)


def parse_span(option: str, text: str) -> timedelta:
    """Return a span such as ``8h``, ``90m``, ``1h30m`` or ``45s``, given to an option. Raises UsageError."""
    match = _SPAN.fullmatch(text)
    if match is None or not any(match.groups()):
        raise UsageError(f"{option} {text!r} is no span of time, as 8h, 90m or 1h30m")
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    span = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if not span:
        raise UsageError(f"{option} {text!r} leaves no time at all")
    return span


@dataclass
class Deadline:
    """When a run must be over, in seconds of a monotonic clock; None: when all is played.

    A match is begun only if one as long as the longest so far would end in time.
    """

    end: float | None = None
    longest: float = field(default=0.0, init=False)

    def note(self, seconds: float) -> None:
        """Note how long a match took."""
        self.longest = max(self.longest, seconds)

    @property
    def begin_by(self) -> float | None:
        """The latest time at which a match may begin, or None."""
        return None if self.end is None else self.end - self.longest

    def fits(self, now: float) -> bool:
        """Say whether another match fits."""
        return self.end is None or now + self.longest < self.end


CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def catch_signals(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of each signal that comes, until the end; then the old handlers are back.

    ``tell`` is called between any two steps of the main thread, so it may do no more than note it. A hangup
    that is ignored (by ``nohup``) stays ignored. Outside of the main thread nothing is caught: signals are
    not its business.
    """
    with _handling(tell, [number for number in CAUGHT if not _nohup(number)]):
        yield


@contextmanager
def ignore_hangups() -> Iterator[None]:
    """Let no hangup end this process until the end: a closed terminal may send one more than once."""
    with _handling(lambda _number: None, [] if _nohup(signal.SIGHUP) else [signal.SIGHUP]):
        yield


def _nohup(number: int) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN


@contextmanager
def _handling(tell: Callable[[int], None], numbers: list[signal.Signals]) -> Iterator[None]:
    def handle(number: int, _frame: FrameType | None) -> None:
        tell(number)

    before = {}
    try:
        for number in numbers:
            before[number] = signal.signal(number, handle)
    except ValueError:  # not the main thread
        before = {}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
