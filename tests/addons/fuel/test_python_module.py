"""The module of a Python bot is CPython's with another memory."""

import pytest

from tourney.addons.fuel.python_module import with_memory

wasmtime = pytest.importorskip("wasmtime")

SUM = """(module (memory (export "memory") 2) (global (mut i32) (i32.const 9)) (data (i32.const 3) "abc")
 (func (export "at") (param i32) (result i32) (i32.load8_u (local.get 0)))
 (func (export "size") (result i32) (memory.size)))"""


def test_new_module_begins_with_the_given_memory() -> None:
    """Bytes between long rows of zeros, at both ends and of every length, and the size of the memory."""
    memory = bytearray(3 * 65_536)
    for at, length in ((0, 1), (70, 63), (200, 64), (70_000, 20_000), (3 * 65_536 - 2, 2)):
        memory[at : at + length] = bytes(k % 255 + 1 for k in range(length))
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    made = wasmtime.Module(engine, with_memory(bytes(wasmtime.wat2wasm(SUM)), bytes(memory)))
    exports = wasmtime.Instance(store, made, []).exports(store)
    assert exports["size"](store) == 3
    assert bytes(exports["memory"].read(store, 0, len(memory))) == bytes(memory)
    assert exports["at"](store, 70_000 + 254) == 255


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(module (memory 1) (global (mut i32) (i32.const 0)) (global (mut i32) (i32.const 0)))", "global"),
        ('(module (memory 1) (data $later "x") (func (data.drop $later)))', "loads later"),
    ],
)
def test_module_with_more_than_its_memory_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        with_memory(bytes(wasmtime.wat2wasm(text)), bytes(65_536))
