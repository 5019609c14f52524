"""Time management: how much of its time a bot gives to one turn, and how long a search may go on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """The milliseconds to use for a turn, counted from its start, or None without a limit.

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


DEFAULT_NODES = 1_000
"""The nodes of a turn without any limit."""


class Timed(Limited, Protocol):
    """What ``Budget.of`` reads of a turn."""

    @property
    def nodes(self) -> int | None:
        """The tournament's limit of nodes, or None."""

    def elapsed_ms(self) -> int:
        """The milliseconds since the turn began."""


class Budget:
    """Counts nodes, and says when to stop.

    ``nodes`` is the number of nodes (None: no limit). ``deadline`` is the time at which to stop, as ``clock``
    shows it. Give one of them: only a search that is limited by nodes alone decides the same everywhere.
    """

    __slots__ = ("_clock", "_deadline", "_nodes", "spent")

    def __init__(
        self,
        nodes: int | None = None,
        deadline: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if nodes is None and deadline is None:
            raise ValueError("a budget needs a number of nodes or a deadline")
        self._nodes = nodes
        self._deadline = deadline
        self._clock = clock
        self.spent = 0

    @classmethod
    def of(cls, turn: Timed, nodes: int | None = None) -> Budget:
        """The budget of a turn.

        ``nodes`` (an argument of the bot) comes first, then the tournament's ``nodes``, then a share of the
        clock by ``allot``, and without any limit DEFAULT_NODES. A number of nodes ignores the clock.
        """
        nodes = turn.nodes if nodes is None else nodes
        if nodes is not None:
            return cls(nodes)
        share = allot(turn)
        if share is None:
            return cls(DEFAULT_NODES)
        return cls(None, share, turn.elapsed_ms)

    def out(self) -> bool:
        """Whether the budget is spent."""
        if self._nodes is not None and self.spent >= self._nodes:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

    def spend(self) -> bool:
        """Count a node, and return True; return False without counting it if the budget is spent."""
        if self.out():
            return False
        self.spent += 1
        return True
