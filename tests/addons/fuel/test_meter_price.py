"""The meter charges slow instructions and leaves all others as they are."""

import pytest
import wasmtime

from tourney.addons.fuel.library import make_engine, measure
from tourney.addons.fuel.meter import SLOW_FUEL, charged

PARTS = """(module (memory (export "memory") 1) (table $t 2 funcref) (func $f) (elem $e declare func $f)
 (data $d "abc") (func (export "run") (param $k i32) (result i32) (local $x f64) (local $v v128)
  (local i64 i64) {body} (local.get $k)) (func (export "go") (result i32) (call 1 (i32.const 0))))"""
QUICK = """
 (block (block (block (br_table 0 1 2 (local.get $k)))))
 (block (result i32) (br_if 0 (i32.const 64) (i32.const -2139062144))) (drop)
 (drop (select (result i32) (i32.const 68) (i32.const 210) (local.get $k)))
 (local.set $x (f64.const 2.5)) (drop (f32.const 1.5)) (drop (i64.const 0x4040404040404040))
 (i64.store offset=64 align=4 (i32.const 0) (i64.load8_u offset=300 (i32.const 64)))
 (local.set $v (v128.const i32x4 0x40d2fc08 0x404040 0xd2d2 0xfcfc))
 (local.set $v (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 31 (local.get $v) (local.get $v)))
 (local.set $v (v128.load32_lane offset=64 1 (i32.const 0) (local.get $v)))
 (local.set $v (i32x4.replace_lane 2 (i64x2.add (local.get $v) (local.get $v)) (i32.const 64)))
 (v128.store (i32.const 0) (f64x2.convert_low_i32x4_s (v128.load32_zero (i32.const 64))))
 (drop (i32.trunc_sat_f64_u (local.get $x))) (drop (table.size $t)) (drop (memory.size))
 (drop (ref.is_null (table.get $t (i32.const 0)))) (table.set $t (i32.const 0) (ref.null func))"""
SLOW = {
    "ref.func": "(drop (ref.func $f))",
    "memory.grow": "(drop (memory.grow (i32.const 0)))",
    "memory.fill": "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))",
    "memory.copy": "(memory.copy (i32.const 0) (i32.const 0) (i32.const 0))",
    "memory.init": "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 0))",
    "table.grow": "(drop (table.grow $t (ref.null func) (i32.const 0)))",
    "table.fill": "(table.fill $t (i32.const 0) (ref.null func) (i32.const 0))",
    "elem.drop": "(elem.drop $e)",
}


def module(body: str) -> bytes:
    """Return a module that runs these instructions, in a function."""
    return bytes(wasmtime.wat2wasm(PARTS.format(body=body)))


def used(code: bytes) -> int:
    """Return the fuel of a module."""
    return measure(make_engine(metered=True), code, "go")[0]


@pytest.mark.parametrize("text", SLOW.values(), ids=list(SLOW))
def test_slow_instruction_costs_more_each_time(text: str) -> None:
    once, ten = module(text), module(text * 10)
    assert used(charged(once)) - used(once) == SLOW_FUEL
    assert used(charged(ten)) - used(ten) == 10 * SLOW_FUEL


def test_quick_instructions_and_their_numbers_stay() -> None:
    """Bytes of constants and offsets that look like slow instructions are none."""
    code = module(QUICK)
    whole = charged(code)
    assert code.startswith(whole)
    assert code[len(whole) :].startswith(b"\0") or code == whole  # the section of names, which runs nothing
    assert used(code) > 0


def test_long_forms_of_instructions_are_refused() -> None:
    """A number may be written with more bytes than it needs, which would hide an instruction."""
    short, long = b"\xfc\x0b\x00", b"\xfc\x8b\x00\x00"
    body = b"\x00\x41\x00\x41\x00\x41\x00" + long + b"\x0b"
    head = b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\5\3\1\0\1"
    code = head + bytes([10, len(body) + 2, 1, len(body)]) + body
    wasmtime.Module.validate(make_engine(metered=True), code)
    with pytest.raises(ValueError, match="an instruction in an unusual form"):
        charged(code)
    body = body.replace(long, short)
    assert len(charged(head + bytes([10, len(body) + 2, 1, len(body)]) + body)) > len(code)
