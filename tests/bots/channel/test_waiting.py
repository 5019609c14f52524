"""A wait for several bots ends when any of them has something to do; pipes take the place of the bots."""

import os
import select
from collections.abc import Iterator, Mapping

import pytest

from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.waiting import MAX_POLL_MS, poll_ms, wait_for_any

FAR = 60 * 10**9


class Pipe(Channel):
    """A channel that can be waited for, and is not read."""

    def __init__(self) -> None:
        self.reads, self.writes = os.pipe()

    def send(self, data: bytes) -> None:
        os.write(self.writes, data)

    def wait(self, deadline: int) -> Event:
        return Event("timeout")

    def sources(self) -> Mapping[int, int]:
        return {self.reads: select.POLLIN}

    def close(self, grace: float) -> None:
        os.close(self.reads)
        os.close(self.writes)


@pytest.fixture
def pipes() -> Iterator[tuple[Pipe, Pipe]]:
    made = Pipe(), Pipe()
    yield made
    for pipe in made:
        pipe.close(0)


@pytest.mark.parametrize("writer", [0, 1])
def test_wait_ends_when_any_channel_is_ready(pipes: tuple[Pipe, Pipe], writer: int) -> None:
    """What is there stays there."""
    pipes[writer].send(b"x")
    wait_for_any(pipes, FAR)
    assert os.read(pipes[writer].reads, 10) == b"x"


@pytest.mark.parametrize("nanoseconds", [-FAR, 0, 1])
def test_wait_ends_in_time_without_any(pipes: tuple[Pipe, Pipe], nanoseconds: int) -> None:
    wait_for_any(pipes, nanoseconds)


@pytest.mark.parametrize(
    ("nanoseconds", "milliseconds"),
    [(-1, 0), (0, 0), (1, 1), (10**6, 1), (10**6 + 1, 2), (10**18, MAX_POLL_MS)],
)
def test_time_of_a_poll_is_rounded_up(nanoseconds: int, milliseconds: int) -> None:
    """A poll that ends before its deadline would be repeated."""
    assert poll_ms(nanoseconds) == milliseconds
