"""The frames between the referee and the host of a module under fuel. Pure; imported on both sides.

The host alone reads and writes them. What the module writes is a part of a frame, so no module can make one.
"""

import struct
from typing import Final, NamedTuple

METER: Final = "wasmtime-fuel-1"
"""The meter of this version, by its name in records: see ``tourney.bots.wasm.meter``."""

HOST_MB: Final = 512
"""Memory of the host process of a module, beside the module's."""
HOST_ADDRESS_MB: Final = 16 << 10
"""Its address space, beside the size of the module's memory: most of it is reserved and never used."""

_ASKED: Final = struct.Struct("<cQQQI")
_TOLD: Final = struct.Struct("<cQIII")
ASKED_SIZE: Final = _ASKED.size
TOLD_SIZE: Final = _TOLD.size
MAX_WORDS: Final = 1_000


class Order(NamedTuple):
    """A frame of the referee.

    ``R``: go on; ``first`` is the budget, ``size`` the bytes of input that follow. ``N``: a new instance;
    ``first`` is the bot's seed, ``second`` the fuel of a millisecond, ``third`` the bytes of memory.
    """

    kind: bytes
    first: int
    second: int
    third: int
    size: int


class Report(NamedTuple):
    """The head of a host's frame: why the module stands still, its fuel since the order, and sizes.

    ``kind``: ``H`` (it has not begun), ``L`` (it wrote a line), ``W`` (it waits for input), ``F`` (it is out
    of fuel), ``X`` (it ended) or ``M`` (the machine failed). ``used`` is the fuel; the sizes are those of its
    output, its standard error, and the words on its end, which follow.
    """

    kind: bytes
    used: int
    output: int
    errors: int
    words: int


def instance_order(seed: int, fuel_per_ms: int, memory: int) -> bytes:
    """Return the order for a new instance."""
    return _ASKED.pack(b"N", seed, fuel_per_ms, memory, 0)


def run_order(budget: int, data: bytes) -> bytes:
    """Return the order to go on with these lines."""
    return _ASKED.pack(b"R", budget, 0, 0, len(data)) + data


def read_order(head: bytes) -> Order:
    """Return the order of a frame's first ASKED_SIZE bytes."""
    return Order(*_ASKED.unpack(head))


def report(kind: bytes, used: int, output: bytes = b"", errors: bytes = b"", words: str = "") -> bytes:
    """Return a frame of the host."""
    why = words.encode("utf-8", "replace")[:MAX_WORDS]
    return _TOLD.pack(kind, used, len(output), len(errors), len(why)) + output + errors + why


def read_report(head: bytes) -> Report:
    """Return the head of a report from a frame's first TOLD_SIZE bytes."""
    return Report(*_TOLD.unpack(head))
