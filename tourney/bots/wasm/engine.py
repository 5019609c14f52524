"""The engine that runs modules: wasmtime with the settings that make two runs equal to the bit."""

import platform
import sys
from typing import Final

import wasmtime

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
    """Return an engine with the settings that matches need. Raises WasmtimeError where it does not work."""
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


def measure(engine: wasmtime.Engine, text: str, name: str) -> tuple[int, int]:
    """Return the fuel and the result of an exported function of a module given as text."""
    store = wasmtime.Store(engine)
    store.set_fuel(1 << 40)
    instance = wasmtime.Instance(store, wasmtime.Module(engine, bytes(wasmtime.wat2wasm(text))), [])
    function = instance.exports(store)[name]
    assert isinstance(function, wasmtime.Func)  # noqa: S101 - for the type checker
    before = store.get_fuel()
    result = function(store)
    return before - store.get_fuel(), result


def probe() -> tuple[int, int]:
    """Return the fuel and the result of the program that the meter is checked by."""
    return measure(make_engine(metered=True), _PROBE, "probe")
