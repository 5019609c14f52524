"""Calls of wasmtime's library that a module's every call of WASI needs, without its Python package between.

The package turns each value into an object, which takes ten times as long as the rest of a call. These are
functions of the library's public C interface.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final

import wasmtime
from wasmtime import _ffi as ffi

Function = Callable[..., int | None]

_library: Final = ctypes.CDLL(ffi.dll._name)  # noqa: SLF001 - where the package has found it
_get_fuel: Final = _library.wasmtime_context_get_fuel
_set_fuel: Final = _library.wasmtime_context_set_fuel
_memory_data: Final = _library.wasmtime_memory_data
_memory_size: Final = _library.wasmtime_memory_data_size
for _function, _types, _result in (
    (_get_fuel, (ctypes.c_void_p, ctypes.c_void_p), ctypes.c_void_p),
    (_set_fuel, (ctypes.c_void_p, ctypes.c_uint64), ctypes.c_void_p),
    (_memory_data, (ctypes.c_void_p, ctypes.c_void_p), ctypes.c_void_p),
    (_memory_size, (ctypes.c_void_p, ctypes.c_void_p), ctypes.c_size_t),
):
    _function.argtypes, _function.restype = _types, _result
_KINDS: Final = {"i": wasmtime.ValType.i32, "l": wasmtime.ValType.i64}


def _context_of(store: wasmtime.Store) -> int | None:
    return ctypes.cast(store._context(), ctypes.c_void_p).value  # noqa: SLF001 - the package keeps it so


class StoreFuel:
    """The fuel of a store that counts it."""

    def __init__(self, store: wasmtime.Store) -> None:
        self._context = _context_of(store)
        self._cell = ctypes.c_uint64()
        self._to = ctypes.addressof(self._cell)

    def get(self) -> int:
        """Return the fuel that is left."""
        _get_fuel(self._context, self._to)
        return self._cell.value

    def set(self, fuel: int) -> None:
        """Set the fuel that is left."""
        _set_fuel(self._context, fuel)


class StoreMemory:
    """A memory of a store: its ``address`` and ``size`` change when it grows."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        self._context = _context_of(store)
        self._kept = memory
        self._memory = ctypes.addressof(memory._memory)  # noqa: SLF001 - as in _context_of

    @property
    def address(self) -> int:
        """The place of its first byte in this process."""
        return int(_memory_data(self._context, self._memory) or 0)

    @property
    def size(self) -> int:
        """Its bytes."""
        return int(_memory_size(self._context, self._memory))


def define(
    linker: wasmtime.Linker, module: str, name: str, letters: str, function: Function, *, result: bool
) -> Any:
    """Define a function of integers (``i`` 32 bits, ``l`` 64) with one 32-bit result, or none.

    What ``function`` raises ends the module with a trap; it must keep its exception itself. Returns what the
    caller has to keep alive as long as the linker.
    """
    kinds = wasmtime.FuncType([_KINDS[one]() for one in letters], [wasmtime.ValType.i32()] if result else [])
    wide = [one == "l" for one in letters]

    @ffi.wasmtime_func_callback_t  # type: ignore[untyped-decorator]  # a type of ctypes
    def callback(_env: Any, _caller: Any, args: Any, _count: Any, results: Any, _results: Any) -> int:
        try:
            values = [args[k].of.i64 if long else args[k].of.i32 for k, long in enumerate(wide)]
            given = function(*values)
            if result:
                results[0].kind = 0
                results[0].of.i32 = given
        except BaseException:  # noqa: BLE001 - nothing may pass through the library's own frames
            return int(ctypes.cast(ffi.wasmtime_trap_new(b"ended", 5), ctypes.c_void_p).value or 0)
        return 0

    module_name, own_name = module.encode(), name.encode()
    nothing = ctypes.cast(0, ctypes.CFUNCTYPE(None, ctypes.c_void_p))
    error = ffi.wasmtime_linker_define_func(
        *(linker.ptr(), module_name, len(module_name), own_name, len(own_name)),
        *(kinds.ptr(), callback, None, nothing),
    )
    if error is not None and ctypes.cast(error, ctypes.c_void_p).value:
        raise wasmtime.WasmtimeError(f"{name} cannot be defined")
    return callback
