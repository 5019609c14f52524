"""CPU contention: whether other load delayed a bot in a long turn.

The kernel counts for each thread how long it was ready to run but did not (run delay). This changes no time
that is charged: it only explains a long turn in the log.
"""

from typing import Final, NamedTuple

SLOW_NS: Final = 100_000_000
"""Shorter turns are not examined."""


class Reading(NamedTuple):
    """Nanoseconds: the wall clock, a bot's CPU time, and how long its threads waited for a processor."""

    at: int
    cpu: int
    waited: int


def contention(before: Reading, after: Reading) -> str:
    """Return a sentence if other load delayed a bot between two readings, otherwise "".

    It did if the bot ran for less than half of the time and waited for a processor for a quarter or more.
    """
    wall, cpu, waited = (late - early for early, late in zip(before, after, strict=True))
    if wall < SLOW_NS // 2 or 2 * cpu >= wall or 4 * waited < wall:
        return ""
    return (
        f"the machine was overloaded: in the last {wall // 1_000_000} ms of this turn the bot ran for"
        f" {cpu // 1_000_000} ms, and its threads waited {waited // 1_000_000} ms for a processor"
    )
