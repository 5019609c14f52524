"""The clocks of a match: integer arithmetic in nanoseconds, without a real clock."""

from typing import Final

from tourney.match.spec import Limits
from tourney.protocol import Go

MS: Final = 1_000_000
"""Nanoseconds of a millisecond."""
NO_LIMIT_MS: Final = 24 * 3_600_000
"""Longest turn where no limit is set, so that a bot that hangs does not block a tournament."""


class Clocks:
    """Each seat's time. A turn's allowance is the smaller of the limit per action and the clock.

    ``margin_ms`` is added to both, and never shown. Time beyond a seat's clock is a debt, which its
    next increments pay: a clock may be negative, down to ``-margin_ms``, so the time that a seat takes in a
    match never exceeds its clock and its increments by more than the margin. The increment is added after
    each action.
    """

    __slots__ = ("_after", "_before", "_increment", "_left", "_margin", "_most")

    def __init__(self, limits: Limits, seats: int) -> None:
        self._increment = (limits.increment_ms or 0) * MS
        self._margin = limits.margin_ms * MS
        self._most = (limits.move_ms or NO_LIMIT_MS) * MS
        self._left = None if limits.clock_ms is None else [limits.clock_ms * MS] * seats
        shown = None if self._left is None else [0] * seats
        line = Go(limits.move_ms, shown, limits.increment_ms or 0, limits.nodes).encode()
        # The line is needed once a move, so only its clocks are formatted each time.
        before, clocks, self._after = line.partition(b"clocks=" + b",".join([b"0"] * seats))
        self._before = before + clocks[:7]

    @property
    def steady(self) -> bool:
        """Whether there is no clock, so that ``go`` and ``allowance`` never change."""
        return self._left is None

    @property
    def left(self) -> tuple[int, ...] | None:
        """Each seat's nanoseconds left, or None where there is no clock."""
        return None if self._left is None else tuple(self._left)

    def go(self) -> bytes:
        """The ``go`` line: all clocks in whole milliseconds, rounded down, and 0 for a debt."""
        if self._left is None:
            return self._before
        shown = b",".join([b"%d" % (left // MS if left > 0 else 0) for left in self._left])
        return self._before + shown + self._after

    def allowance(self, seat: int) -> int:
        """A seat's nanoseconds for this turn, with the margin; 0 if a debt has used it up."""
        time = self._most if self._left is None else min(self._most, self._left[seat - 1])
        return time + self._margin

    def spend(self, seat: int, elapsed: int) -> None:
        """Charge a seat the nanoseconds of an answered turn, its allowance at most; add its increment."""
        if self._left is not None:
            left = max(-self._margin, self._left[seat - 1] - elapsed)
            self._left[seat - 1] = left + self._increment
