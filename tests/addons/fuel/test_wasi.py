"""What a module under fuel can see and do, and its costs."""

import atexit
from collections.abc import Sequence

import pytest

from tests.addons.fuel.wasm import binary, module, start, wasmtime
from tourney.addons.fuel.host import Program, _unfit
from tourney.addons.fuel.library import make_engine, measure
from tourney.addons.fuel.meter import BYTE_FUEL, CALL_FUEL, ITEM_FUEL, HostOrder
from tourney.addons.fuel.wasi import World
from tourney.seeds import derive

PER_MS = 1_000_000
MEMORY = 4 << 20
ENGINE = make_engine(metered=True)
atexit.register(ENGINE.close)  # before Python takes down the modules that its end needs


class _EndError(BaseException):
    """The script is over."""


Seen = list[tuple[bytes, int, bytes, str]]
"""The reports: kind, fuel, output, words."""


def program(text: str, *words: str) -> Program:
    return Program(ENGINE, wasmtime.Module(ENGINE, binary(text)), words or ("bot.wasm",))


def played(
    text: str, *runs: tuple[int, bytes], seed: int = 7, words: Sequence[str] = (), memory: int = MEMORY
) -> Seen:
    """Return the reports of a module that is given these budgets and lines."""
    left, seen = list(runs), Seen()

    def stop(world: World, kind: bytes, why: str) -> bytes:
        seen.append((kind, world.used, world.take()[0], why))
        if not left:
            raise _EndError
        budget, data = left.pop(0)
        world.refuel(budget)
        return data

    with pytest.raises(_EndError):
        program(text, *words).play(HostOrder(b"N", seed, PER_MS, memory), stop)
    return seen[1:]


def number(text: str, *, seed: int = 7, memory: int = MEMORY) -> int:
    """Return the 64-bit number that a module with SHOW writes."""
    return int.from_bytes(played(text, (10**8, b""), seed=seed, memory=memory)[0][2][5:13], "little")


PRINT = "(i32.store (i32.const 1019) (i32.const 0x6f666e69)) (i32.store8 (i32.const 1023) (i32.const 32))"
"""Puts ``info`` before what stands at 1024."""
SHOW = f"{PRINT} (i32.store8 (i32.const 1032) (i32.const 10)) (call $say (i32.const 1019) (i32.const 14))"


def test_module_stops_at_each_line_but_info() -> None:
    text = start(
        "(call $say (i32.const 1024) (i32.const 12)) (call $say (i32.const 1036) (i32.const 5))"
        " (call $say (i32.const 1041) (i32.const 6))"
    ).replace("(func $say", '(data (i32.const 1024) "info depth 1\\nabc\\nrest\\n") (func $say')
    reports = played(text, *[(10**6, b"")] * 3)
    assert [(kind, out) for kind, _, out, _ in reports] == [
        (b"L", b"info depth 1\nabc\n"),
        (b"L", b"rest\n"),
        (b"X", b""),
    ]


def test_same_module_takes_same_fuel() -> None:
    text = start(
        "(loop $l (drop (call $listen (i32.const 1024))) (call $say (i32.const 1024) (i32.const 3)) (br $l))"
    )
    runs = [(10**6, b"abc"), (10**6, b"go\n"), (10**6, b"no\n")]
    once = played(text, *runs)
    assert once == played(text, *runs)
    assert [kind for kind, *_ in once] == [b"W", b"L", b"L"]


def test_calls_cost_what_is_written_down() -> None:
    [(kind, used, _, _)] = played(
        start("(call $say (i32.const 1024) (i32.const 4))").replace(
            "(func $say", '(data (i32.const 1024) "abc\\n") (func $say'
        ),
        (10**6, b""),
    )
    assert kind == b"L"
    assert 0 < used - (CALL_FUEL + ITEM_FUEL + 4 * BYTE_FUEL) < 30


def test_endless_loop_is_out_of_fuel() -> None:
    assert played(start("(loop $l (br $l))"), (10**6, b"")) == [(b"F", 10**6, b"", "trap: out of fuel")]


def test_line_within_fuel_is_out_and_later_one_is_not() -> None:
    text = start("(call $say (i32.const 1024) (i32.const 4)) (loop $l (br $l))").replace(
        "(func $say", '(data (i32.const 1024) "abc\\n") (func $say'
    )
    need = played(text, (10**6, b""))[0][1]
    assert played(text, (need, b""))[0][:3] == (b"L", need, b"abc\n")
    assert played(text, (need - 1, b""))[0][:3] == (b"F", need - 1, b"")


def test_new_budget_does_not_add_to_old_one() -> None:
    text = start(
        "(drop (call $listen (i32.const 1024))) (drop (call $listen (i32.const 1024))) (loop $l (br $l))"
    )
    reports = played(text, (10**9, b""), (10**9, b"a"), (50_000, b"b"))
    assert [(kind, used) for kind, used, _, _ in reports][-1] == (b"F", 50_000)


def test_clock_shows_own_work_over_all_runs() -> None:
    text = start(
        f"(drop (call $listen (i32.const 2048))) (i64.store (i32.const 1024) (call $now)) {SHOW}"
        f" (drop (call $listen (i32.const 2048)))"
    )
    first, second = played(text, (10**7, b""), (10**7, b"x"))
    shown = int.from_bytes(second[2][5:13], "little")
    assert 0 < shown - (first[1] + CALL_FUEL) * 1_000_000 // PER_MS < 100


def test_sleep_advances_clock_and_costs_fuel() -> None:
    sleep = (
        "(i32.store8 (i32.const 2056) (i32.const 0)) (i32.store (i32.const 2064) (i32.const 1))"
        " (i64.store (i32.const 2072) (i64.const 5000000))"
        " (drop (call $poll (i32.const 2048) (i32.const 3072) (i32.const 1) (i32.const 12)))"
    )
    slept = start(
        f"(local.set $t (call $now)) {sleep}"
        f" (i64.store (i32.const 1024) (i64.sub (call $now) (local.get $t))) {SHOW}"
    )
    assert 5_000_000 < number(slept) < 5_000_000 + 3 * CALL_FUEL
    assert played(slept, (4 * PER_MS, b""))[0][:2] == (b"F", 4 * PER_MS)


def test_random_bytes_come_from_seed() -> None:
    text = start(f"(drop (call $random (i32.const 1024) (i32.const 8))) {SHOW}")
    assert number(text) == int.from_bytes(derive(7, "random", 0).to_bytes(8, "big"), "little")
    assert number(text, seed=8) != number(text)


@pytest.mark.parametrize(("mib", "grown"), [(1, 15), (4, 63)])
def test_memory_grows_to_its_bound_exactly(mib: int, grown: int) -> None:
    text = start(
        "(loop $l (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then"
        f" (local.set $k (i32.add (local.get $k) (i32.const 1))) (br $l))))"
        f" (i64.store (i32.const 1024) (i64.extend_i32_u (local.get $k))) {SHOW}",
        "1",
    )
    assert number(text, memory=mib << 20) == grown


def test_nan_has_one_form() -> None:
    text = start(
        "(f64.store (i32.const 1024) (f64.div (f64.const 0) (f64.const -0)))"
        " (f64.store (i32.const 1024) (f64.sqrt (f64.add (f64.load (i32.const 1024)) (f64.const nan:0xf00))))"
        + SHOW
    )
    assert number(text) == 0x7FF8 << 48


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("unreachable", "trap: unreachable"),
        ("(drop (i32.div_u (i32.const 1) (local.get $k)))", "trap: integer division by zero"),
        ("(drop (i32.load (i32.const -1)))", "trap: memory out of bounds"),
        ("(call $exit (i32.const 9))", "exited with code 9"),
        ("(memory.fill (i32.const 0) (i32.const 1) (i32.const -1))", "trap: memory out of bounds"),
    ],
)
def test_trap_or_exit_ends_module(body: str, words: str) -> None:
    [(kind, _, _, why)] = played(start(body), (10**10, b""))
    assert (kind, why) == (b"X", words)


def test_endless_recursion_is_a_trap() -> None:
    [(kind, _, _, why)] = played(
        module('(func $f (call $f) (call $f)) (func (export "_start") (call $f))'), (10**9, b"")
    )
    assert (kind, why) == (b"X", "trap: stack overflow")


def test_bulk_operations_cost_their_size() -> None:
    fill = "(memory.fill (i32.const 0) (i32.const 1) (i32.const {size}))"
    used = [played(start(fill.format(size=size)), (10**7, b""))[0][1] for size in (0, 100_000)]
    assert used[1] - used[0] == 100_000
    assert played(start(f"(loop $l {fill.format(size=100_000)} (br $l))"), (10**6, b""))[0][0] == b"F"


def test_output_without_end_stops_module() -> None:
    [(kind, _, out, _)] = played(
        start("(loop $l (call $say (i32.const 1024) (i32.const 1000)) (br $l))").replace(
            "(func $say", f'(data (i32.const 1024) "{"x" * 1000}") (func $say'
        ),
        (10**9, b""),
    )
    assert (kind, len(out)) == (b"L", 5_000)


def test_module_larger_than_its_bound_ends_at_once() -> None:
    [(kind, used, _, why)] = played(start("", "100"), (10**6, b""))
    assert (kind, used) == (b"X", 0)
    assert "6 MiB" in why


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("(table 50000000 funcref)", b"X"),
        ("(table 1 funcref) (table 1 funcref) " * 5, b"X"),
        ("(start $f) (func $f (loop $l (br $l)))", b"F"),
        ("(start $f) (func $f (call $say (i32.const 1024) (i32.const 5)))", b"X"),
        ("(start $f) (func $f unreachable)", b"X"),
    ],
)
def test_instance_that_cannot_begin_is_at_fault(body: str, kind: bytes) -> None:
    assert played(module(f'{body} (func (export "_start"))'), (10**7, b""))[0][0] == kind


def test_table_grows_to_its_bound() -> None:
    text = module(
        f"""(table $t 1 funcref) (func (export "_start")
        (i64.store (i32.const 1024) (i64.extend_i32_s (table.grow $t (ref.null func) (i32.const 1000000))))
        {SHOW})"""
    )
    assert number(text) == 2**64 - 1


def test_places_outside_memory_give_an_error() -> None:
    text = start(
        "(i64.store (i32.const 1024) (i64.extend_i32_u (call $random (i32.const -4) (i32.const 8))))" + SHOW
    )
    assert number(text) == 21


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('(module (import "env" "f" (func)) (memory (export "memory") 1) (func (export "_start")))', "env.f"),
        ('(module (import "wasi_snapshot_preview1" "fd_spy" (func)))', "wasi_snapshot_preview1.fd_spy"),
        ('(module (memory (export "memory") 1))', "no function _start"),
        ('(module (memory (export "memory") 1) (func (export "_start") (param i32)))', "no function _start"),
        ('(module (func (export "_start")))', "no memory"),
    ],
)
def test_module_that_is_no_command_is_named(text: str, why: str) -> None:
    assert why in _unfit(wasmtime.Module(ENGINE, binary(text)))


@pytest.mark.parametrize(
    "text",
    [
        "(module (memory 1 2 shared) (func (drop (i32.atomic.load (i32.const 0)))))",
        "(module (memory i64 1))",
        (
            "(module (func (param v128) (result v128)"
            " (f32x4.relaxed_madd (local.get 0) (local.get 0) (local.get 0))))"
        ),
        "(module (memory 1) (memory 1))",
    ],
)
def test_engine_refuses_what_need_not_repeat(text: str) -> None:
    with pytest.raises(wasmtime.WasmtimeError):
        wasmtime.Module(ENGINE, binary(text))


@pytest.mark.parametrize(
    ("body", "fuel"),
    [
        ("(i64.const 1)", 2),
        ("(i64.add (i64.const 1) (i64.const 2))", 4),
        (
            (
                "(local $k i64) (loop $l (br_if $l (i64.ne (i64.const 100)"
                " (local.tee $k (i64.add (local.get $k) (i64.const 1)))))) (local.get $k)"
            ),
            702,
        ),
        ("(memory.fill (i32.const 0) (i32.const 0) (i32.const 1000)) (i64.const 1)", 1_006),
        ("(memory.copy (i32.const 0) (i32.const 9) (i32.const 1000)) (i64.const 1)", 1_006),
        ("(drop (memory.grow (i32.const 10))) (i64.const 1)", 14),
        ("(drop (i64.popcnt (i64.const 1))) (nop) (block (nop)) (i64.const 1)", 4),
        ("(if (result i64) (i32.const 1) (then (i64.const 1)) (else (i64.const 2)))", 4),
        ("(drop (f64.sqrt (f64.div (f64.const 1) (f64.const 3)))) (i64.const 1)", 6),
        ("(i64x2.extract_lane 0 (i64x2.add (v128.const i64x2 1 2) (v128.const i64x2 1 2)))", 5),
    ],
)
def test_meter_counts_known_programs(body: str, fuel: int) -> None:
    text = f'(module (memory 4) (func (export "f") (result i64) {body}))'
    assert measure(ENGINE, binary(text), "f")[0] == fuel
