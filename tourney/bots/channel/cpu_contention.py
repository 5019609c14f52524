"""Whether a bot had its share of a busy machine: what its processes waited for a processor in a long turn.

The kernel counts for each thread how long it was ready to run and did not (run delay). Nothing here changes
what a turn costs: it only explains, in the log, a turn that the wall clock made longer than the bot did.
"""

from typing import Final, NamedTuple

SLOW_NS: Final = 100_000_000
"""Turns shorter than this are not looked at."""


class Reading(NamedTuple):
    """Nanoseconds: the wall clock, a bot's CPU time, and how long its threads waited for a processor."""

    at: int
    cpu: int
    waited: int


def contention(before: Reading, after: Reading) -> str:
    """Say that a bot waited for the machine between two readings, or "" if it did not.

    So it is if there is something to go by, it ran for less than half of the time, and it waited for a
    processor for a quarter of it or more.
    """
    wall, cpu, waited = (late - early for early, late in zip(before, after, strict=True))
    if wall < SLOW_NS // 2 or 2 * cpu >= wall or 4 * waited < wall:
        return ""
    return (
        f"the machine was overloaded: in the last {wall // 1_000_000} ms of this turn the bot ran for"
        f" {cpu // 1_000_000} ms, and its threads waited {waited // 1_000_000} ms for a processor"
    )
