"""Waits for several bots at once, so that the output of each is read when it comes."""

import select
from collections.abc import Iterable
from typing import Final

from tourney.bots.channel.interface import Channel

MAX_POLL_MS: Final = 60_000
"""Longest wait of one system call; the caller looks at its clock again after it."""


def poll_ms(nanoseconds: int) -> int:
    """A time for ``select.poll``: whole milliseconds, rounded up, as no wait may end before its deadline."""
    return max(0, min((nanoseconds + 999_999) // 1_000_000, MAX_POLL_MS))


def wait_for_any(channels: Iterable[Channel], nanoseconds: int) -> None:
    """Wait until one of some channels with ``sources`` has something to do, for a time at most.

    Nothing is read or written.
    """
    poll = select.poll()
    longest = poll_ms(nanoseconds)
    for channel in channels:
        for descriptor, events in channel.sources().items():
            poll.register(descriptor, events)
        if (milliseconds := channel.look_ms()) is not None:
            longest = min(longest, milliseconds)
    poll.poll(longest)
