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

    ``margin_ms`` is added to each allowance; it is never shown, and its use is not carried over as debt. The
    increment is added after each action.
    """

    __slots__ = ("_fixed_ns", "_go", "_increment_ms", "_increment_ns", "_left", "_limits", "_margin_ns")

    def __init__(self, limits: Limits, seats: int) -> None:
        self._limits = limits
        self._margin_ns = limits.margin_ms * MS
        self._fixed_ns = (NO_LIMIT_MS if limits.move_ms is None else limits.move_ms) * MS
        self._increment_ms = limits.increment_ms
        self._increment_ns = limits.increment_ms * MS
        self._left: list[int] | None = None
        self._go: bytes | None = None
        if limits.clock_ms is None:
            self._go = Go(limits.move_ms, nodes=limits.nodes).encode()
        else:
            self._left = [limits.clock_ms * MS] * seats

    @property
    def steady(self) -> bool:
        """Whether there is no clock, so that ``go`` and ``allowance`` never change."""
        return self._left is None

    def go(self) -> bytes:
        """Return the ``go`` line, with all seats' clocks in whole milliseconds, rounded down."""
        if self._left is None:
            assert self._go is not None  # noqa: S101 - one of the two is always there
            return self._go
        shown = [left // MS for left in self._left]
        return Go(self._limits.move_ms, shown, self._increment_ms, self._limits.nodes).encode()

    def allowance(self, seat: int) -> int:
        """Return a seat's nanoseconds for this turn, with the margin."""
        if self._left is None:
            return self._fixed_ns + self._margin_ns
        return min(self._fixed_ns, self._left[seat - 1]) + self._margin_ns

    def spend(self, seat: int, elapsed: int) -> None:
        """Charge a seat the nanoseconds of an answered turn, and add its increment."""
        if self._left is not None:
            self._left[seat - 1] = max(0, self._left[seat - 1] - elapsed) + self._increment_ns

    def left_ms(self, seat: int) -> int | None:
        """Return a seat's clock in whole milliseconds; None without a clock."""
        return None if self._left is None else self._left[seat - 1] // MS
