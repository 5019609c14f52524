"""The watch over memory, on a clock and a machine that a test makes up."""

import pytest

from tourney.bots.sandbox.memory_watch import FILLED_PER_MS, LONGEST_MS, LOW_BYTES, SHORTEST_MS, MemoryWatch

MS = 1_000_000
GIB = 1 << 30


class Machine:
    """A clock and a memory; ``looks`` counts the readings, ``seen`` those after the first."""

    def __init__(self, available: int) -> None:
        self.available, self.now, self.looks, self.seen = available, 0, 0, 0

    def read(self) -> int:
        self.looks += 1
        return self.available

    def watch(self) -> MemoryWatch:
        return MemoryWatch(self.look, self.read, lambda: self.now)

    def look(self) -> None:
        self.seen += 1


def test_memory_cannot_be_filled_between_two_looks() -> None:
    machine = Machine(4 * GIB)
    watch = machine.watch()
    assert watch.due_ms() * FILLED_PER_MS <= 4 * GIB - LOW_BYTES
    assert not watch.is_low()
    assert machine.looks == 1, "the second look is not due"
    machine.now += watch.due_ms() * MS
    machine.available = LOW_BYTES - 1
    assert watch.is_low()
    assert (machine.looks, machine.seen, watch.due_ms()) == (2, 1, SHORTEST_MS)


def test_large_machine_is_looked_at_seldom() -> None:
    assert Machine(64 * GIB).watch().due_ms() == LONGEST_MS


@pytest.mark.parametrize(
    ("at_start", "left", "low"), [(100 << 20, 30 << 20, False), (100 << 20, 20 << 20, True)]
)
def test_little_memory_at_the_start_is_not_almost_full(at_start: int, left: int, low: bool) -> None:
    """Other programs may use the rest, and the match is played anyway."""
    machine = Machine(at_start)
    watch = machine.watch()
    machine.now += LONGEST_MS * MS
    machine.available = left
    assert watch.is_low() is low
