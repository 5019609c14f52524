"""Constants of modules that records and limits depend on, with or without the add-on that runs modules.

A meter is a name for what every instruction costs. It imports nothing, because each host process imports it.
"""

from typing import Final

PLAIN_METER: Final = "wasmtime-fuel-1"
"""The engine's own count, of which older records are."""
METER: Final = "wasmtime-fuel-2"
"""The meter of new matches, by its name in records: slow instructions cost more."""
METERS: Final = (PLAIN_METER, METER)

HOST_MB: Final = 512
"""Memory of the host process of a module, beside the module's."""
HOST_ADDRESS_MB: Final = 16 << 10
"""Its address space, beside the size of the module's memory: most of it is reserved and never used."""
