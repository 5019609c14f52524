"""Time management: how much of its time a bot gives to one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

RESERVE_MS = 50
"""Kept back from every limit for the way to the referee and for a last step of a search."""
ACTIONS_LEFT = 30
"""The actions that the clock must still last for, as a rule."""


class Limited(Protocol):
    """What ``allot`` reads of a turn."""

    @property
    def seat(self) -> int:
        """The bot's seat, 1..n."""

    @property
    def move_ms(self) -> int | None:
        """The limit of this turn, or None."""

    @property
    def clocks(self) -> Sequence[int]:
        """All seats' clocks in seat order, or empty."""

    @property
    def increment_ms(self) -> int:
        """What is added to the clock after the action."""


def allot(turn: Limited, actions_left: int = ACTIONS_LEFT) -> int | None:
    """Return the milliseconds to use for a turn, counted from its start, or None without a limit.

    Of a clock it is a share: what is left divided by ``actions_left``, and three quarters of the increment,
    but at most half of the clock. Of a move limit it is all. RESERVE_MS, or a sixth where that is more, is
    kept back from both, so the result is less than every limit, and 0 if the limit is not above the reserve.
    It depends on the limits only.
    """
    if actions_left < 1:
        raise ValueError(f"actions_left is {actions_left}, but must be at least 1")
    shares = []
    if turn.move_ms is not None:
        shares.append(_usable(turn.move_ms))
    if turn.clocks:
        clock = turn.clocks[turn.seat - 1]
        usable = _usable(clock)
        share = usable // actions_left + turn.increment_ms * 3 // 4
        shares.append(min(share, usable, max(clock, 0) // 2))
    return min(shares) if shares else None


def _usable(limit: int) -> int:
    return max(0, limit - max(RESERVE_MS, limit // 6))
