"""Processors of bots: a processor of its own for each seat, and the start of a process on some of them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

Processors = tuple[int, ...]
"""The numbers of processors, ascending; () for any."""


def free_processors() -> Processors:
    """Return the processors that this thread may use; () where the platform cannot tell."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except AttributeError:  # not Linux
        return ()


def seat_processors(given: Sequence[int], seats: int) -> tuple[Processors, ...]:
    """Return each seat's own processors, equally many, or () for all where there are fewer than seats."""
    each = len(given) // seats
    if not each:
        return ((),) * seats
    return tuple(tuple(given[seat * each : (seat + 1) * each]) for seat in range(seats))


@contextmanager
def started_on(processors: Processors) -> Iterator[None]:
    """Let the processes that this thread starts inside use these processors only; () changes nothing."""
    before = free_processors() if processors else ()
    if not before:
        yield
        return
    with suppress(OSError):
        os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)
