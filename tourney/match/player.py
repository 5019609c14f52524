"""A bot in a match: its channel, its handshake and its end; and the clocks of all seats."""

import time
from collections.abc import Sequence
from typing import Final

from tourney.bots.channel.interface import Channel, Event, Withheld
from tourney.bots.channel.waiting import wait_for_any
from tourney.match.spec import Limits
from tourney.protocol import QUIT, Go, Greeting, Info, decode_bot, shown

MOST_IDENTITY: Final = 100  # characters of a name, version or author that are kept
QUIT_SECONDS: Final = 0.5  # a bot's time for its exit after ``quit``; then it is killed, which is not a fault
LATE_MS: Final = 500  # that a bot without an answer has to write it when its input ends
FLUSH: Final = "write a newline and flush after each line, as print(..., flush=True) or fflush(stdout)"
"""Advice for a bot that wrote an answer, but not as a line in time."""
MS: Final = 1_000_000  # nanoseconds of a millisecond
NO_LIMIT_MS: Final = 24 * 3_600_000
"""Longest turn where no limit is set, so that a bot that hangs does not block a tournament."""


class Player:
    """A bot in a match: its channel and its handshake.

    ``greeting`` is its answer to the handshake, None before; a bot that plays several matches is greeted
    once. ``reuse``: it may have played before. ``lost``: it was at fault and its channel is closed.
    ``used`` is the CPU time that its channel gave with the last reading, and ``spent`` the time that its own
    requests have taken since then, both in nanoseconds. ``restless``: it worked while it should have waited.
    """

    __slots__ = ("_cpu_ms", "channel", "greeting", "lost", "restless", "reuse", "spent", "used")

    def __init__(self, channel: Channel, *, reuse: bool = False) -> None:
        self.channel = channel
        self.greeting: Greeting | None = None
        self.reuse = reuse
        self.lost = False
        self.used = self.spent = 0
        self.restless = False
        self._cpu_ms = 0

    def fault_words(self, event: Event, allowance: int) -> str:
        """A fault in words, for the log; ``allowance`` is the bot's time in nanoseconds.

        The commonest cause of a time-out is an answer that the bot has not flushed. So its input is closed,
        and what it writes then is named: nothing follows but ``cut``.
        """
        if event.kind != "timeout":
            return event.text or event.kind
        words = event.text or f"no answer within {allowance // MS} ms"
        withheld = self.channel.withheld(LATE_MS)
        return words if withheld is None else f"{words}; {_withheld_words(withheld)}"

    @property
    def identity(self) -> str:
        """How the bot introduced itself: ``NAME VERSION by AUTHOR`` as far as it did, or ""."""
        pairs = dict(self.greeting.pairs) if self.greeting else {}
        name, version, author = (
            " ".join(pairs.get(key, "").split())[:MOST_IDENTITY] for key in ("name", "version", "author")
        )
        words = f"{name} {version}".strip()
        return f"{words} by {author}" if words and author else words

    def cut(self) -> None:
        """End a bot that was at fault, at once."""
        self.lost = True
        self.channel.close(0)

    def cpu_ms(self) -> int | None:
        """The CPU time since the last call (first: since the bot's start), or None."""
        now = self.channel.cpu_ms()
        if now is None:
            return None
        used = max(0, now - self._cpu_ms)
        self._cpu_ms = max(now, self._cpu_ms)
        return used

    def quiet(self) -> bool:
        """Whether the bot sent nothing but ``info`` since its last answer; drop those lines."""
        return not self.lost and all(
            event.kind == "line" and isinstance(decode_bot(event.text), Info)
            for event in self.channel.pending()
        )


def _withheld_words(withheld: Withheld) -> str:
    text = shown(withheld.text)
    if withheld.why:
        return withheld.why
    if withheld.whole and not withheld.at_end:
        return f"its line {text} was not understood"
    if not withheld.at_end:
        return f"{text} came without a newline: {FLUSH}"
    if not withheld.whole:
        return f"{text} came only once its input ended, without a newline: {FLUSH}"
    # So answers a program that reads its input in blocks, as mawk does, and perhaps one that thinks too long.
    return f"{text} came only once its input ended: {FLUSH}, read each line as it comes, or answer sooner"


def dismiss(players: Sequence[Player]) -> None:
    """Send ``quit`` to all players, then end them; each has the whole time for its exit."""
    staying = [player.channel for player in players if not player.lost]
    for channel in staying:
        channel.send(QUIT)
    deadline = time.monotonic_ns() + int(QUIT_SECONDS * 1e9)
    # One that hangs must not keep another's last lines and the end of its input from it.
    leaving = [channel for channel in staying if channel.sources()]
    while leaving := [channel for channel in leaving if not channel.leave()]:
        left = deadline - time.monotonic_ns()
        if left <= 0:
            break
        wait_for_any(leaving, left)
    for channel in staying:
        channel.close(max(0, deadline - time.monotonic_ns()) / 1e9)


class Clocks:
    """Each seat's time, in integer nanoseconds. A turn's allowance is the smaller of its limit and the clock.

    ``margin_ms`` is added to both, and never shown. Time beyond a seat's clock is a debt, which its
    next increments pay: a clock may be negative, down to ``-margin_ms``, so the time that a seat takes in a
    match never exceeds its clock and its increments by more than the margin. The increment is added after
    each action, and the time of the clock again after each ``clock_moves`` actions. ``entrants`` are the
    names of the seats, some of which may have limits of their own. ``steady``: there is no clock and all
    limits are alike, so ``go`` and ``allowance`` never change.
    """

    __slots__ = ("_after", "_before", "_left", "_limits", "_margin", "_most", "_moves", "steady")

    def __init__(self, limits: Limits, seats: int, entrants: Sequence[str] = ()) -> None:
        self._limits = [limits.of(name) for name in entrants] or [limits] * seats
        self._margin = limits.margin_ms * MS
        self._most = [(seat_limits.move_ms or NO_LIMIT_MS) * MS for seat_limits in self._limits]
        times = [seat_limits.clock_ms for seat_limits in self._limits]
        self.steady = times == [None] * seats and self._limits.count(self._limits[0]) == seats
        # A seat without a clock has a number here for the others to see: the time of an action.
        self._left = [
            most if milliseconds is None else milliseconds * MS
            for milliseconds, most in zip(times, self._most, strict=True)
        ]
        self._moves = [seat_limits.clock_moves or 0 for seat_limits in self._limits]
        # The line is needed once a move, so only its clocks are formatted each time.
        self._before: list[bytes] = []
        self._after: list[bytes] = []
        for seat_limits in self._limits:
            shown = None if seat_limits.clock_ms is None else [0] * seats
            line = Go(
                seat_limits.move_ms,
                shown,
                seat_limits.increment_ms or 0,
                seat_limits.nodes,
                seat_limits.depth,
                seat_limits.clock_moves,
            ).encode()
            before, clocks, after = line.partition(b"clocks=" + b",".join([b"0"] * seats))
            self._before.append(before + clocks[:7])
            self._after.append(after)

    @property
    def left(self) -> tuple[int, ...] | None:
        """Each seat's nanoseconds left; without a clock those of an action, or None if no seat has one."""
        return (
            tuple(self._left)
            if any(seat_limits.clock_ms is not None for seat_limits in self._limits)
            else None
        )

    def go(self, seat: int = 1) -> bytes:
        """The ``go`` line of a seat: all clocks in whole milliseconds, rounded down, and 0 for a debt."""
        seat_limits = self._limits[seat - 1]
        if seat_limits.clock_ms is None:
            return self._before[seat - 1]
        shown = b",".join([b"%d" % (left // MS if left > 0 else 0) for left in self._left])
        after = self._after[seat - 1]
        if seat_limits.clock_moves:
            after = after.replace(
                b" moves=%d" % seat_limits.clock_moves, b" moves=%d" % self._moves[seat - 1], 1
            )
        return self._before[seat - 1] + shown + after

    def allowance(self, seat: int) -> int:
        """A seat's nanoseconds for this turn, with the margin; 0 if a debt has used it up."""
        return min(self._most[seat - 1], self._left[seat - 1]) + self._margin

    def spend(self, seat: int, elapsed: int) -> None:
        """Charge a seat the nanoseconds of an answered turn, its allowance at most; add its increment."""
        seat_limits = self._limits[seat - 1]
        if seat_limits.clock_ms is None:
            return
        left = max(-self._margin, self._left[seat - 1] - elapsed) + (seat_limits.increment_ms or 0) * MS
        if seat_limits.clock_moves:
            self._moves[seat - 1] -= 1
            if not self._moves[seat - 1]:
                self._moves[seat - 1] = seat_limits.clock_moves
                left += seat_limits.clock_ms * MS
        self._left[seat - 1] = left
