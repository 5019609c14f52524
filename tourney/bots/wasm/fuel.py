"""Fuel: the meter that counts the work of modules, and the frames between the referee and a module's host.

A meter is a name for what every instruction costs. Records name it, so an engine that counts otherwise must
not play or repeat their matches: ``check_meter`` measures a program whose cost is known. The host alone reads
and writes frames; what the module writes is a part of a frame, so no module can make one.
"""

import struct
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final, NamedTuple

from tourney.errors import UsageError

PLAIN_METER: Final = "wasmtime-fuel-1"
"""The engine's own count, of which older records are."""
METER: Final = "wasmtime-fuel-2"
"""The meter of new matches, by its name in records: slow instructions cost more (see ``charging``)."""
METERS: Final = (PLAIN_METER, METER)

HOST_MB: Final = 512
"""Memory of the host process of a module, beside the module's."""
HOST_ADDRESS_MB: Final = 16 << 10
"""Its address space, beside the size of the module's memory: most of it is reserved and never used."""

_ASKED: Final = struct.Struct("<cQQQI")
_TOLD: Final = struct.Struct("<cQIII")
ASKED_SIZE: Final = _ASKED.size
TOLD_SIZE: Final = _TOLD.size
MAX_WORDS: Final = 1_000


class HostOrder(NamedTuple):
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
    """The order for a new instance."""
    return _ASKED.pack(b"N", seed, fuel_per_ms, memory, 0)


def run_order(budget: int, data: bytes) -> bytes:
    """The order to go on with these lines."""
    return _ASKED.pack(b"R", budget, 0, 0, len(data)) + data


def read_order(head: bytes) -> HostOrder:
    """The order of a frame's first ASKED_SIZE bytes."""
    return HostOrder(*_ASKED.unpack(head))


def report(kind: bytes, used: int, output: bytes = b"", errors: bytes = b"", words: str = "") -> bytes:
    """A frame of the host."""
    why = words.encode("utf-8", "replace")[:MAX_WORDS]
    return _TOLD.pack(kind, used, len(output), len(errors), len(why)) + output + errors + why


def read_report(head: bytes) -> Report:
    """The head of a report from a frame's first TOLD_SIZE bytes."""
    return Report(*_TOLD.unpack(head))


CALL_FUEL: Final = 20_000
"""What a call of a WASI function costs."""
BYTE_FUEL: Final = 10
"""Cost of a byte that a WASI function reads or writes; a buffer of a list costs ITEM_FUEL."""
ITEM_FUEL: Final = 5_000
RANDOM_FUEL: Final = 1_000
"""Cost of a random byte."""

MAX_MODULE: Final = 64 << 20
"""Bytes of the largest module."""
MAX_TABLE: Final = 1_000_000
"""Most elements of a table: they are not in the memory that ``memory-mb`` bounds."""
FORM: Final = 2
"""Raise it when the engine's settings change: compiled modules are kept under it."""

_PROBED: Final = (6_618, 6_678)
"""The fuel that PROBE takes by each meter."""
_RESULT: Final = -8_673_300_740_149_522_261


def wasmtime_version() -> str:
    """The version of wasmtime. Raises UsageError, saying what to install, if there is none."""
    try:
        if find_spec("wasmtime") is not None:
            return version("wasmtime")
    except PackageNotFoundError:
        pass
    raise UsageError("bots that are WebAssembly modules need wasmtime: pip install 'tourney[wasm]'")


@cache
def meter_fault() -> str:
    """Reason why this machine's wasmtime must not be used as METER, or "". Raises UsageError without it."""
    found = wasmtime_version()
    try:
        counted = import_module("tourney.bots.wasm.library").probe()
    except Exception as error:  # noqa: BLE001 - whatever its settings or its compiler refuse
        return f"wasmtime {found} does not work here: {str(error).splitlines()[0]}"
    for meter, fuel, (used, result) in zip(METERS, _PROBED, counted, strict=True):
        if (used, result) != (fuel, _RESULT):
            return (
                f"wasmtime {found} counts otherwise than the meter {meter}: {used:,} instead of {fuel:,}"
                " for a known program; install a version that Tourney names in its extra wasm"
            )
    return ""


def refuse_unknown(meter: str | None) -> None:
    """Raise UsageError for a meter that this version does not have."""
    if meter not in METERS:
        raise UsageError(f"there is no meter {meter}; this version of Tourney has {' and '.join(METERS)}")


def check_meter(meter: str | None) -> None:
    """Raise UsageError if matches of a meter cannot be played with this machine's wasmtime."""
    refuse_unknown(meter)
    if fault := meter_fault():
        raise UsageError(fault)
