"""Modules of strangers: ``tests.support.parsers`` lists them."""

import contextlib
from typing import Final

from tourney.addons.fuel.library import make_engine
from tourney.addons.fuel.meter import charged


def read_module(data: bytes) -> None:
    """Validate a module, and then with its charges."""
    import wasmtime

    engine = make_engine(metered=False)
    try:
        wasmtime.Module.validate(engine, data)
    except wasmtime.WasmtimeError:
        return
    with contextlib.suppress(ValueError):  # as the compiler of modules does: a form that no compiler writes
        wasmtime.Module.validate(engine, charged(data))


TARGETS: Final = {"wasm": read_module}
EXTRAS: Final = {"wasm": "wasmtime"}
"""The package that each needs."""
