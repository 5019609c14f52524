"""The engine that runs modules, and calls of wasmtime's library without its Python package between.

The engine's settings make two runs equal to the bit. A module's every call of WASI goes to functions of the
library's public C interface: the package would turn each value into an object, which takes ten times as long
as the rest of a call.
"""

import ctypes
import platform
import sys
from collections.abc import Callable
from typing import Any, Final

import wasmtime
from wasmtime import _ffi as ffi

from tourney.addons.fuel.meter import charged

STACK_BYTES: Final = 1 << 20
"""The module's part of the machine's stack; a C program's own stack lies in its memory."""
_FEATURES: Final = {"x86_64": ("sse3", "ssse3", "sse41", "sse42", "popcnt")}
"""The same instructions on every machine, so a module overflows its stack at the same depth."""
_PROBE: Final = """(module (memory 1) (global $g (mut i64) (i64.const 0)) (table 2 funcref)
 (func $leaf (param i64) (result i64) (i64.xor (local.get 0) (i64.const 21)))
 (elem (i32.const 0) $leaf $leaf) (type $t (func (param i64) (result i64)))
 (func (export "probe") (result i64) (local $k i32) (local $x f64)
  (memory.fill (i32.const 0) (i32.const 7) (i32.const 1000))
  (memory.copy (i32.const 100) (i32.const 0) (i32.const 500))
  (drop (memory.grow (i32.const 3)))
  (loop $again
   (local.set $x (f64.sqrt (f64.add (local.get $x) (f64.convert_i32_s (local.get $k)))))
   (i64.store (i32.const 8) (i64.div_u (i64.load (i32.const 0)) (i64.extend_i32_u
    (i32.add (local.get $k) (i32.const 1)))))
   (global.set $g (i64.add (global.get $g) (call $leaf (i64.popcnt (i64.load (i32.const 8))))))
   (global.set $g (call_indirect (type $t) (global.get $g) (i32.and (local.get $k) (i32.const 1))))
   (if (i32.and (local.get $k) (i32.const 3)) (then (global.set $g (i64.rotl (global.get $g) (i64.const 3)))
    ) (else (global.set $g (i64.sub (global.get $g) (i64.const 1)))))
   (br_if $again (i32.lt_s (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 100))))
  (i64.xor (global.get $g) (i64.reinterpret_f64 (local.get $x)))))"""


def make_engine(*, metered: bool) -> wasmtime.Engine:
    """An engine with the settings that matches need. Raises WasmtimeError where it does not work."""
    config = wasmtime.Config()
    machine = platform.machine()
    if sys.platform == "linux" and machine in _FEATURES:
        config.target = f"{machine}-unknown-linux-gnu"
        for feature in _FEATURES[machine]:
            config.cranelift_flag_enable(f"has_{feature}")
    config.consume_fuel = metered
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK_BYTES
    config.wasm_multi_value = config.wasm_bulk_memory = config.wasm_reference_types = True
    config.wasm_simd = config.wasm_tail_call = True
    config.wasm_relaxed_simd = config.wasm_threads = config.shared_memory = False
    config.wasm_memory64 = config.wasm_multi_memory = config.wasm_custom_page_sizes = False
    config.wasm_function_references = config.wasm_gc = config.wasm_exceptions = False
    config.wasm_stack_switching = config.wasm_wide_arithmetic = config.wasm_component_model = False
    return wasmtime.Engine(config)


def measure(engine: wasmtime.Engine, code: bytes, name: str) -> tuple[int, int]:
    """The fuel and the result of an exported function of a module."""
    store = wasmtime.Store(engine)
    store.set_fuel(1 << 40)
    instance = wasmtime.Instance(store, wasmtime.Module(engine, code), [])
    function = instance.exports(store)[name]
    assert isinstance(function, wasmtime.Func)  # noqa: S101 - for the type checker
    before = store.get_fuel()
    result = function(store)
    return before - store.get_fuel(), result


def probe() -> list[tuple[int, int]]:
    """The fuel and the result, by each meter, of the program that they are checked by."""
    code = bytes(wasmtime.wat2wasm(_PROBE))
    return [measure(make_engine(metered=True), form, "probe") for form in (code, charged(code))]


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
    _function.argtypes = _types
    _function.restype = _result
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
        """The fuel that is left."""
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
) -> object:
    """Define a function of integers (``i`` 32 bits, ``l`` 64) with one 32-bit result, or none.

    What ``function`` raises ends the module with a trap; it must keep its exception itself. Returns what the
    caller has to keep alive as long as the linker.
    """
    kinds = wasmtime.FuncType(
        [_KINDS[letter]() for letter in letters], [wasmtime.ValType.i32()] if result else []
    )
    wide = [letter == "l" for letter in letters]

    @ffi.wasmtime_func_callback_t  # type: ignore[untyped-decorator]  # a type of ctypes
    def callback(_env: object, _caller: object, args: Any, _count: int, results: Any, _results: int) -> int:
        try:
            values = [args[k].of.i64 if long else args[k].of.i32 for k, long in enumerate(wide)]
            returned = function(*values)
            if result:
                results[0].kind = 0
                results[0].of.i32 = returned
        except BaseException:  # noqa: BLE001 - nothing may pass through the library's own frames
            return int(ctypes.cast(ffi.wasmtime_trap_new(b"ended", 5), ctypes.c_void_p).value or 0)
        return 0

    module_name = module.encode()
    own_name = name.encode()
    # No finalizer: the caller keeps the callback alive.
    nothing = ctypes.cast(0, ctypes.CFUNCTYPE(None, ctypes.c_void_p))
    error = ffi.wasmtime_linker_define_func(
        *(linker.ptr(), module_name, len(module_name), own_name, len(own_name)),
        *(kinds.ptr(), callback, None, nothing),
    )
    if error is not None and ctypes.cast(error, ctypes.c_void_p).value:
        raise wasmtime.WasmtimeError(f"{name} cannot be defined")
    handle: object = callback
    return handle
