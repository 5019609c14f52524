"""The meter that counts the work of modules, and whether this machine's wasmtime has it.

A meter is a name for what every instruction costs. Records name it, so an engine that counts otherwise must
not play or repeat their matches: ``check_meter`` measures a program whose cost is known.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from tourney.bots.wasm.frames import METER
from tourney.errors import UsageError

CALL_FUEL: Final = 20_000
"""What a call of a WASI function costs."""
BYTE_FUEL: Final = 10
"""What a byte costs that a WASI function reads or writes; a buffer of a list costs ITEM_FUEL."""
ITEM_FUEL: Final = 5_000
RANDOM_FUEL: Final = 1_000
"""What a random byte costs."""

MAX_MODULE: Final = 64 << 20
"""Bytes of the largest module."""
MAX_TABLE: Final = 1_000_000
"""Most elements of a table: they are not in the memory that ``memory-mb`` bounds."""
FORM: Final = 1
"""Raise it when the engine's settings change: compiled modules are kept under it."""

_PROBED: Final = (6_618, -8_673_300_740_149_522_261)
"""The fuel that PROBE takes, and its result."""


def wasmtime_version() -> str:
    """Return the version of wasmtime. Raises UsageError, saying what to install, if there is none."""
    try:
        if find_spec("wasmtime") is not None:
            return version("wasmtime")
    except PackageNotFoundError:
        pass
    raise UsageError("bots that are WebAssembly modules need wasmtime: pip install 'tourney[wasm]'")


@cache
def meter_fault() -> str:
    """Return why this machine's wasmtime must not be used as METER, or "". Raises UsageError without it."""
    found = wasmtime_version()
    try:
        counted = import_module("tourney.bots.wasm.engine").probe()
    except Exception as error:  # noqa: BLE001 - whatever its settings or its compiler refuse
        return f"wasmtime {found} does not work here: {str(error).splitlines()[0]}"
    if counted != _PROBED:
        return (
            f"wasmtime {found} counts otherwise than the meter {METER}: {counted[0]:,} instead of"
            f" {_PROBED[0]:,} for a known program; install a version that Tourney names in its extra wasm"
        )
    return ""


def check_meter(meter: str | None) -> None:
    """Raise UsageError if matches of a meter cannot be played with this machine's wasmtime."""
    if meter != METER:
        raise UsageError(f"there is no meter {meter}; this version of Tourney has {METER}")
    if fault := meter_fault():
        raise UsageError(fault)
