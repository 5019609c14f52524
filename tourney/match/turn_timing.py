"""The time of a request and of a seat: the charged part, its end, and the bots that are frozen.

Time in which a bot could run but had no processor is not charged, and neither is time in which the referee
itself waited for one. A bot is always charged at least the processor time that it used, so it gains nothing
by making itself or the referee wait.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from tourney.bots.channel.interface import Channel, Event, Reading
from tourney.errors import OverloadError
from tourney.match.player import MS, Player
from tourney.match.result import MatchLog, SeatMeasurements
from tourney.match.spec import Entrant

GRACE_NS: Final = 1_000_000
"""Time of a request before anything is measured and other bots are frozen; it is charged as it is."""
LATE_NS: Final = 2 * GRACE_NS  # an answer within this time is charged as it is, and nothing is measured
MOST_FACTOR: Final = 4
MOST_EXTRA_NS: Final = 10_000_000_000
"""A request lasts at most MOST_FACTOR times its limit and MOST_EXTRA_NS; then the match has no result."""
SAMPLE_NS: Final = 250_000_000  # between two counts of a waiting bot's rivals
SHARES: Final = 2
"""A bot that has waited to the end is at fault if its fair share was this many times its limit."""
OVERLOADED_NS: Final = 10_000_000
OVERLOADED_PART: Final = 10
"""A request is overloaded if more than OVERLOADED_NS and one in OVERLOADED_PART of its time was waiting."""
RESTLESS_NS: Final = 5_000_000
"""A bot that used more than this while it should have waited is restless, even if others used more."""


def own_delay_ns() -> int:
    """The time in which this thread has waited for a processor so far; 0 if that is not known."""
    with suppress(OSError, ValueError, IndexError):
        fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(fd, 100).split()[1])
        finally:
            os.close(fd)
    return 0


class Timing:
    """The time of a request from ``sent`` on, in nanoseconds of ``clock``.

    ``limit`` is the most that may be charged. ``used`` is the processor time that the bot can have used
    before the request, ``who`` its name. ``hold`` is called when the limit is extended, and freezes what
    competes with the bot; by default nothing.

    ``slow``: the grace is over; ``late``: the time from its end to the referee's first look. After
    ``finish``: ``elapsed``, ``waited`` (the part that is not charged) and ``reading`` (the last one, None if
    the bot answered within the grace).
    """

    def __init__(
        self,
        channel: Channel,
        clock: Callable[[], int],
        sent: int,
        limit: int,
        *,
        used: int = 0,
        who: str = "",
    ) -> None:
        self._channel = channel
        self._clock = clock
        self._sent = sent
        self._limit = limit
        self._deadline = sent + limit
        self._used = used
        self._who = who
        self.hold: Callable[[], None] = lambda: None
        self._mark: Reading | None = None
        self.late = self._delay = 0
        self._counts: list[int] = []
        self._counted = 0
        self._fault: Event | None = None
        self.reading: Reading | None = None
        self.slow = False
        self.elapsed = self.waited = 0

    @property
    def due(self) -> int:
        """When the next stage begins if no answer comes: the grace ends, or the time is used up."""
        return self._deadline if self.slow else self.grace_ends

    @property
    def grace_ends(self) -> int:
        """The end of the grace, or of the limit if that is shorter or the channel waits only once."""
        return self._sent + (min(GRACE_NS, self._limit) if self._channel.resumes else self._limit)

    def begin_measuring(self) -> None:
        """End the grace: from now on the time that the bot waits is known."""
        self.slow = True
        # The referee meant to look when the grace was over; all time after that is its own delay.
        self.late = max(0, self._clock() - self._sent - GRACE_NS)
        self._mark = self._channel.reading()
        self._delay = own_delay_ns()

    def hear(self, until: int | None = None) -> Event | None:
        """The bot's next event, ``timeout`` if its time is used up, or None at ``until``.

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
                return None  # only ``until`` has passed
            if not self._extended():
                return self._channel.time_out(self._fault or event)

    def finish(self, now: int | None = None) -> None:
        """End the request: the bot has answered (``now``: when), or its time is used up."""
        now = self._clock() if now is None else now
        if not self.slow and now - self._sent > LATE_NS:
            # The answer may have come within the grace: the referee was late to look.
            self.begin_measuring()
        self._measure(now)

    def _measure(self, now: int) -> None:
        self.elapsed = now - self._sent
        if self._mark is None:
            return
        reading = self._channel.reading() or self._mark
        self.reading = reading
        delay = own_delay_ns() - self._delay
        waited = self.late + max(0, reading.waited - self._mark.waited) + max(0, delay)
        # The processor time that the bot used is always charged, whatever else was going on.
        self.waited = max(0, min(waited, self.elapsed - max(0, reading.cpu - self._used)))

    def _extended(self) -> bool:
        """Put off the deadline by the time that is not charged; whether the bot has any time left."""
        if self._mark is None:
            return False
        self._measure(self._clock())
        left = self._limit - (self.elapsed - self.waited)
        if left <= 0:
            return False
        most = MOST_FACTOR * self._limit + MOST_EXTRA_NS
        # Counting reads all of /proc, so it is done a few times a second at most.
        if self.elapsed >= most or not self._counts or self.elapsed - self._counted >= SAMPLE_NS:
            rivals = self._channel.rivals()
            if rivals is not None:
                self._counts.append(rivals)
                self._counted = self.elapsed
        if self.elapsed >= most:
            self._judge_waiting()
            return False
        self._deadline = self._sent + min(self.elapsed + left, most)
        self.hold()
        return True

    def _judge_waiting(self) -> None:
        """Decide whether the bot or the machine is at fault that it had no processor for so long.

        A bot can wait on purpose: it lowers its priority, or gives up its turn again and again. So its rivals
        were counted. With N of them a bot that needs a processor has one for a share of 1 / (N + 1) of the
        time. If that share is SHARES times its limit, it has avoided the processor, and has timed out.
        Otherwise the machine is at fault: raises OverloadError.
        """
        waited = self.waited // 1_000_000
        elapsed = self.elapsed // 1_000_000
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
        """The time that the bot is charged."""
        return self.elapsed - self.waited

    @property
    def overloaded(self) -> bool:
        """Whether waiting was a considerable part of the request."""
        return self.waited > OVERLOADED_NS and self.waited * OVERLOADED_PART > self.elapsed


class SeatTimes:
    """Freezes waiting bots, and adds up each seat's times.

    ``freeze``: waiting bots are frozen as soon as a request takes longer than the grace. Until then, many
    working processes of a waiting bot can keep the referee itself from running. So a bot that has done that
    is restless: it is frozen before each request to another bot.

    ``frozen`` has the seats that are frozen now, ``restless`` those of restless bots. ``wall`` (nanoseconds)
    and ``turns`` have an item for each seat, from 1.
    """

    def __init__(
        self,
        players: Mapping[int, Player],
        entrants: Sequence[Entrant],
        clock: Callable[[], int],
        log: MatchLog,
        *,
        freeze: bool,
    ) -> None:
        self._players = players
        self._entrants = entrants
        self._clock = clock
        self._log = log
        self.freeze = freeze
        self.frozen = set[int]()
        self.restless = (
            {seat for seat, player in players.items() if player.restless} if freeze else set[int]()
        )
        self.wall = [0] * (len(players) + 1)
        self.turns = [0] * (len(players) + 1)
        self._waited = [0] * (len(players) + 1)
        self._overloaded = [0] * (len(players) + 1)
        self._started = [0] * (len(players) + 1)
        self._since = [0] * (len(players) + 1)  # the part of ``wall`` that is in the players' ``spent``

    def timing(self, seat: int, sent: int, limit: int, hold: Callable[[], None] | None = None) -> Timing:
        """The timing of a request to a seat.

        ``hold`` freezes the other bots if its limit must be extended; by default all of them.
        """
        player = self._players[seat]
        used = player.used + self._spent(seat)
        who = self._entrants[seat - 1].name
        timing = Timing(player.channel, self._clock, sent, limit, used=used, who=who)
        timing.hold = hold or (lambda: self.hold(self._players.keys() - {seat}))
        return timing

    def count(self, seat: int, timing: Timing, ply: int | None = None) -> None:
        """Count a finished request: the turn at ``ply``, or without it a part of the start."""
        self._waited[seat] += timing.waited
        if ply is None:
            self._players[seat].spent += timing.elapsed
            self._started[seat] += timing.elapsed
        if timing.reading is not None:
            self._read(seat, timing.reading, timing.late, 0 if ply is None else timing.elapsed)
        if self.freeze and ply is not None and timing.late > GRACE_NS:
            for rival, player in self._players.items():
                reading = None if rival == seat or player.lost else player.channel.reading()
                if reading is not None:
                    self._read(rival, reading, timing.late)
        if timing.overloaded:
            self._overloaded[seat] += ply is not None
            waited = timing.waited // MS
            elapsed = timing.elapsed // MS
            what = "start" if ply is None else "turn"
            self._log.note(
                ply or 0,
                seat,
                f"the machine was overloaded: {waited} of the {elapsed} ms of this {what} were spent waiting"
                " for a processor and are not charged",
            )

    def _spent(self, seat: int) -> int:
        """The time of a bot's own requests since its last reading."""
        return self._players[seat].spent + self.wall[seat] - self._since[seat]

    def _read(self, seat: int, reading: Reading, late: int, turn: int = 0) -> None:
        """Take a bot's reading; ``turn`` is the time of a request that is not in ``wall`` yet.

        A bot is restless if it worked for half of the referee's delay, or for RESTLESS_NS.
        """
        player = self._players[seat]
        # Work within the bot's own requests does not count.
        work = reading.cpu - player.used - self._spent(seat) - turn
        if self.freeze and late > GRACE_NS and work > min(late // 2, RESTLESS_NS):
            player.restless = True
            self.restless.add(seat)
        player.used = reading.cpu
        player.spent = 0
        self._since[seat] = self.wall[seat] + turn

    def end(self) -> None:
        """Hand over to each player, for its next match, the time of its requests since its last reading."""
        for seat, player in self._players.items():
            player.spent = self._spent(seat)
            self._since[seat] = self.wall[seat]

    def prepare(self, seat: int) -> None:
        """Freeze the restless bots of other seats before a request to this one, and thaw its own."""
        self.hold(self.restless - {seat})
        self.thaw(seat)

    def hold(self, seats: Iterable[int]) -> None:
        """Freeze the bots of these seats until their own requests."""
        for seat in seats:
            player = self._players[seat]
            if seat not in self.frozen and not player.lost:
                self.frozen.add(seat)
                player.channel.freeze()

    def thaw(self, seat: int) -> None:
        """Let a seat's bot go on if it was frozen."""
        if seat in self.frozen:
            self.frozen.discard(seat)
            self._players[seat].channel.thaw()

    def measured(self, seat: int) -> SeatMeasurements:
        """The measurements of a seat."""
        return SeatMeasurements(
            wall_ms=self.wall[seat] // MS,
            cpu_ms=self._players[seat].cpu_ms(),
            turns=self.turns[seat],
            overloaded_turns=self._overloaded[seat],
            waited_ms=self._waited[seat] // MS,
            start_ms=self._started[seat] // MS,
        )
