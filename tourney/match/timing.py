"""The time of one request to a bot: what is charged, when it is used up, and what the machine took.

Time in which a bot could run but had no processor is not charged, and neither is time in which the referee
itself waited for one. A bot is always charged at least the processor time that it used, so it gains nothing
by keeping itself or the referee waiting.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from tourney.bots.channel.base import Channel, Event, Reading
from tourney.errors import OverloadError

GRACE_NS: Final = 1_000_000
"""Time of a request before anything is measured and other bots are frozen; it is charged as it is."""
LATE_NS: Final = 2 * GRACE_NS
"""An answer within this time is charged as it is, without a look at any figure."""
MOST_FACTOR: Final = 4
MOST_EXTRA_NS: Final = 10_000_000_000
"""A request lasts at most MOST_FACTOR times its limit and MOST_EXTRA_NS; then the match has no result."""
SAMPLE_NS: Final = 250_000_000
"""Time between two counts of a waiting bot's rivals."""
SHARES: Final = 2
"""A bot that has waited to the end is at fault if it would have had its limit this many times over."""
OVERLOADED_NS: Final = 10_000_000
OVERLOADED_PART: Final = 10
"""A request is overloaded if more than OVERLOADED_NS and one in OVERLOADED_PART of its time was waiting."""


def own_delay_ns() -> int:
    """Return how long this thread has waited for a processor so far; 0 where that is not known."""
    with suppress(OSError, ValueError, IndexError):
        fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(fd, 100).split()[1])
        finally:
            os.close(fd)
    return 0


class Timing:
    """The time of a request from ``sent`` on, in nanoseconds of ``clock``.

    ``limit`` is what may be charged. ``used`` is the processor time that the bot can have used before the
    request, ``who`` its name. ``hold`` is called when the limit is extended: nothing of this match may then
    compete with the bot.

    ``slow``: the grace is over; ``late``: the time from its end to the referee's first look. After
    ``finish``: ``elapsed``, ``waited`` (the part that is not charged) and ``reading`` (the last one, None if
    the bot answered within the grace).
    """

    __slots__ = (
        *("_channel", "_clock", "_counted", "_counts", "_deadline", "_delay", "_fault", "_hold"),
        *("_limit", "_mark", "_sent", "_used", "_who"),
        *("elapsed", "late", "reading", "slow", "waited"),
    )

    def __init__(
        self,
        channel: Channel,
        clock: Callable[[], int],
        sent: int,
        limit: int,
        *,
        used: int = 0,
        who: str = "",
        hold: Callable[[], None] = lambda: None,
    ) -> None:
        self._channel = channel
        self._clock = clock
        self._sent = sent
        self._limit = limit
        self._deadline = sent + limit
        self._used = used
        self._who = who
        self._hold = hold
        self._mark: Reading | None = None
        self.late = self._delay = 0
        self._counts: list[int] = []
        self._counted = 0
        self._fault: Event | None = None
        self.reading: Reading | None = None
        self.slow = False
        self.elapsed = self.waited = 0

    @property
    def grace_ends(self) -> int:
        """The end of the grace, or of the limit if that is shorter or the channel waits only once."""
        return self._sent + (min(GRACE_NS, self._limit) if self._channel.resumes else self._limit)

    def begin_measuring(self) -> None:
        """End the grace: from now on the bot's waiting is known.

        The referee wanted to look when the grace was over; what came later is its own delay.
        """
        self.slow = True
        self.late = max(0, self._clock() - self._sent - GRACE_NS)
        self._mark = self._channel.reading()
        self._delay = own_delay_ns()

    def hear(self, until: int | None = None) -> Event | None:
        """Return the bot's next event, ``timeout`` if its time is used up, or None at ``until``.

        Raises OverloadError if the bot has waited too long for a processor.
        """
        while True:
            end = self._deadline
            if until is not None and self._channel.resumes:
                end = min(until, end)
            event = self._channel.wait(end)
            if event.kind != "timeout":
                return event
            if end < self._deadline:
                return None
            if not self._extended():
                return self._fault or event

    def finish(self) -> None:
        """End the request: the bot has answered, or its time is used up."""
        now = self._clock()
        if not self.slow and now - self._sent > LATE_NS:
            # The bot answered within the grace as far as the referee can know, but the referee was late.
            self.begin_measuring()
        self._measure(now)

    def _measure(self, now: int) -> None:
        """Find what has not to be charged until now."""
        self.elapsed = now - self._sent
        if self._mark is None:
            return
        reading = self._channel.reading() or self._mark
        self.reading = reading
        delay = own_delay_ns() - self._delay
        waited = self.late + max(0, reading.waited - self._mark.waited) + max(0, delay)
        self.waited = max(0, min(waited, self.elapsed - max(0, reading.cpu - self._used)))

    def _extended(self) -> bool:
        """Put off the deadline by the time that is not charged; return whether there is any left."""
        if self._mark is None:
            return False
        self._measure(self._clock())
        left = self._limit - (self.elapsed - self.waited)
        if left <= 0:
            return False
        most = MOST_FACTOR * self._limit + MOST_EXTRA_NS
        self._count_rivals(at_the_end=self.elapsed >= most)
        if self.elapsed >= most:
            self._judge_waiting()
            return False
        self._deadline = self._sent + min(self.elapsed + left, most)
        self._hold()
        return True

    def _count_rivals(self, *, at_the_end: bool) -> None:
        """Count who competes with the bot, now and then."""
        if at_the_end or not self._counts or self.elapsed - self._counted >= SAMPLE_NS:
            rivals = self._channel.rivals()
            if rivals is not None:
                self._counts.append(rivals)
                self._counted = self.elapsed

    def _judge_waiting(self) -> None:
        """Find whose fault it is that the bot got no processor for so long.

        A bot can wait on purpose: it lowers its priority, or gives its turn away again and again. So its
        rivals were counted. With N of them a bot that wants a processor has it for one part in N + 1 of the
        time; one that would have had its limit SHARES times over did not want it. Otherwise the machine is at
        fault: raises OverloadError.
        """
        waited, elapsed = self.waited // 1_000_000, self.elapsed // 1_000_000
        counts = len(self._counts)
        share = self.elapsed * counts // (counts + sum(self._counts)) if counts else 0
        if share < SHARES * self._limit:
            raise OverloadError(
                f"{self._who} waited {waited:,} of {elapsed:,} ms for a processor before it answered, so the"
                " match has no result; use fewer workers",
                bot=self._who,
            )
        words = (
            f"no answer in {elapsed} ms, in which it could have had a processor for {share // 1_000_000} ms"
        )
        self._fault = Event("timeout", words)

    @property
    def charged(self) -> int:
        """What the request costs the bot."""
        return self.elapsed - self.waited

    @property
    def overloaded(self) -> bool:
        """Whether waiting was a plain part of the request."""
        return self.waited > OVERLOADED_NS and self.waited * OVERLOADED_PART > self.elapsed
