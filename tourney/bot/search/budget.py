"""How long a search may go on: a number of nodes, or until a clock shows a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from tourney.bot.timing import Limited, allot

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_NODES = 1_000
"""The nodes of a turn without any limit."""


class Timed(Limited, Protocol):
    """What ``Budget.of`` reads of a turn."""

    @property
    def nodes(self) -> int | None:
        """The tournament's limit of nodes, or None."""

    def elapsed_ms(self) -> int:
        """Return the milliseconds since the turn began."""


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
        """Return the budget of a turn.

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
        """Say whether the budget is spent."""
        if self._nodes is not None and self.spent >= self._nodes:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

    def spend(self) -> bool:
        """Count a node, and return True; return False without counting it if the budget is spent."""
        if self.out():
            return False
        self.spent += 1
        return True
