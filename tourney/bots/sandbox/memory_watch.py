"""Looks whether memory is almost full while a bot plays that no control group bounds.

The referee has to be there before the kernel, which ends the largest process. A bot of many processes, or
with files in memory, would let it end its opponent, and could free its memory before the referee looks.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Final

from tourney.bots.sandbox.machine_memory import MemoryGauge

LOW_BYTES: Final = 64 << 20
"""Memory is almost full if less is available: planned matches leave three times as much."""
FILLED_PER_MS: Final = 8 << 20  # what programs can take in a millisecond, on several processors
SHORTEST_MS: Final = 10
LONGEST_MS: Final = 1_000
_MS: Final = 1_000_000


@cache
def _gauge() -> MemoryGauge:
    """Made once: reading the limits takes a millisecond, and each bot has a watch."""
    return MemoryGauge()


class MemoryWatch:
    """Looks as often as memory could have been filled since the last look, and calls ``look`` then.

    ``available`` gives the bytes that are available now, ``clock`` nanoseconds. If little is available at the
    start, only a quarter of that is little.
    """

    def __init__(
        self,
        look: Callable[[], object],
        available: Callable[[], int] | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._look = look
        self._available = available or _gauge().available
        self._clock = clock
        at_start = self._available()
        self._low = min(LOW_BYTES, at_start // 4)
        self._next = self._after(at_start)

    def due_ms(self) -> int:
        """The milliseconds until the next look, at least 1."""
        return max(1, (self._next - self._clock() + _MS - 1) // _MS)

    def is_low(self) -> bool:
        """Whether memory is almost full, if a look is due."""
        if self._clock() < self._next:
            return False
        available = self._available()
        self._look()
        self._next = self._after(available)
        return available < self._low

    def _after(self, available: int) -> int:
        wait_ms = (available - self._low) // FILLED_PER_MS
        return self._clock() + max(SHORTEST_MS, min(LONGEST_MS, wait_ms)) * _MS
