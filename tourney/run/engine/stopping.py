"""What ends a run before all is played: a deadline (``--until``, ``--budget``) and signals.

The first SIGINT, SIGTERM or SIGHUP lets the run finish the matches in progress; a second SIGINT or SIGTERM
stops it at once.
"""

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import FrameType

from tourney.errors import UsageError

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_SPAN = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?", re.ASCII)
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
        """Return whether another match fits."""
        return self.end is None or now + self.longest < self.end


def seconds_left(until: str | None, budget: str | None, now: datetime) -> float | None:
    """Return the seconds from ``now`` to the earlier end of ``--until`` and ``--budget``; None without both.

    ``now`` is aware, in the local zone. Clock changes in the night are allowed for. Raises UsageError.
    """
    spans: list[timedelta] = []
    if until is not None:
        shown = parse_until(until, now).replace(tzinfo=None)
        spans += [then - now for fold in (0, 1) if (then := shown.replace(fold=fold).astimezone()) > now][:1]
    if budget is not None:
        spans.append(parse_span("--budget", budget))
    return min(spans).total_seconds() if spans else None


def parse_until(text: str, now: datetime) -> datetime:
    """Return the next moment at which a clock in the zone of ``now`` shows HH:MM. Raises UsageError."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise UsageError(f"--until {text!r} is no time of day; write it as 07:30")
    then = now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
    return then if then > now else then + timedelta(days=1)


def parse_span(option: str, text: str) -> timedelta:
    """Return a time span such as ``8h``, ``90m``, ``1h30m`` or ``45s``. Raises UsageError."""
    match = _SPAN.fullmatch(text)
    if match is None or not any(match.groups()):
        raise UsageError(f"{option} {text!r} is no time span; write it as 8h, 90m or 1h30m")
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    span = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if not span:
        raise UsageError(f"{option} {text!r} leaves no time at all")
    return span


@contextmanager
def catch_signals(handle: Callable[[int], None]) -> Iterator[None]:
    """Call ``handle`` with the number of each signal; restore the old handlers at the end.

    ``handle`` runs between any two steps of the main thread, so it may only queue the number. A hangup that
    ``nohup`` ignores stays ignored. Outside the main thread nothing is caught.
    """
    with _handling(handle, [number for number in _SIGNALS if not _under_nohup(number)]):
        yield


@contextmanager
def ignore_hangups() -> Iterator[None]:
    """Ignore SIGHUP until the end: a closed terminal may send it more than once."""
    with _handling(lambda _number: None, [] if _under_nohup(signal.SIGHUP) else [signal.SIGHUP]):
        yield


def _under_nohup(number: int) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN


@contextmanager
def _handling(handle: Callable[[int], None], numbers: list[signal.Signals]) -> Iterator[None]:
    def handler(number: int, _frame: FrameType | None) -> None:
        handle(number)

    before = {}
    with suppress(ValueError):  # not the main thread
        for number in numbers:
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
