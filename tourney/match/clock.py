"""The clocks of a match: integer arithmetic in nanoseconds, without a real clock."""

from collections.abc import Sequence
from typing import Final

from tourney.match.spec import Limits
from tourney.protocol import Go

MS: Final = 1_000_000
"""Nanoseconds of a millisecond."""
NO_LIMIT_MS: Final = 24 * 3_600_000
"""Longest turn where no limit is set, so that a bot that hangs does not block a tournament."""


class Clocks:
    """Each seat's time. A turn's allowance is the smaller of the limit per action and the clock.

    ``margin_ms`` is added to both, and never shown. What a seat takes beyond its clock is a debt, which its
    next increments pay: a clock may be negative, down to ``-margin_ms``, so the time that a seat takes in a
    match never exceeds its clock and its increments by more than the margin. The increment is added after
    each action.
    """

    __slots__ = ("_left", "_limits", "_margin", "_most")

    def __init__(self, limits: Limits, seats: int) -> None:
        self._limits = limits
        self._margin = limits.margin_ms * MS
        self._most = (limits.move_ms or NO_LIMIT_MS) * MS
        self._left = None if limits.clock_ms is None else [limits.clock_ms * MS] * seats

    @property
    def steady(self) -> bool:
        """Whether there is no clock, so that ``go`` and ``allowance`` never change."""
        return self._left is None

    @property
    def left(self) -> tuple[int, ...] | None:
        """Each seat's nanoseconds left, or None where there is no clock."""
        return None if self._left is None else tuple(self._left)

    def restore(self, left: Sequence[int]) -> None:
        """Set each seat's nanoseconds, as ``left`` gave them."""
        self._left = list(left)

    def go(self) -> bytes:
        """Return the ``go`` line: all clocks in whole milliseconds, rounded down, and 0 for a debt."""
        shown = None if self._left is None else [max(0, left // MS) for left in self._left]
        return Go(self._limits.move_ms, shown, self._limits.increment_ms, self._limits.nodes).encode()

    def allowance(self, seat: int) -> int:
        """Return a seat's nanoseconds for this turn, with the margin; 0 if a debt has used it up."""
        time = self._most if self._left is None else min(self._most, self._left[seat - 1])
        return time + self._margin

    def spend(self, seat: int, elapsed: int) -> None:
        """Charge a seat the nanoseconds of an answered turn, its allowance at most; add its increment."""
        if self._left is not None:
            left = max(-self._margin, self._left[seat - 1] - elapsed)
            self._left[seat - 1] = left + self._limits.increment_ms * MS
