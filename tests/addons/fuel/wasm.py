"""WebAssembly modules for tests, as text: no compiler but wasmtime's own is needed.

Tests that import this are skipped where wasmtime is missing.
"""

from pathlib import Path

import pytest

wasmtime = pytest.importorskip("wasmtime")

IMPORTS = """
 (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
 (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
 (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
 (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
 (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
 (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
"""
"""The functions of WASI that the modules here call."""

HELPERS = """
 (func $say (param $at i32) (param $size i32)
  (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $size))
  (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
 (func $listen (param $at i32) (result i32)
  (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (i32.const 32768))
  (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8))) (i32.load (i32.const 8)))
 (func $now (result i64)
  (drop (call $clock (i32.const 1) (i64.const 1) (i32.const 16))) (i64.load (i32.const 16)))
"""
"""``$say`` writes bytes, ``$listen`` reads some and returns their number, ``$now`` is the time in ns."""


def module(body: str, memory: str = "4") -> str:
    """Return a command of WASI with these functions, of which ``_start`` is one."""
    return f'(module {IMPORTS} (memory (export "memory") {memory}) {HELPERS} {body})'


def start(body: str, memory: str = "4") -> str:
    """Return a command of WASI that does this."""
    return module(f'(func (export "_start") (local $k i32) (local $t i64) {body})', memory)


def binary(text: str) -> bytes:
    """Return a module's binary form."""
    return bytes(wasmtime.wat2wasm(text))


def write_module(path: Path, text: str) -> Path:
    """Write a module to a file and return its path."""
    path.write_bytes(binary(text))
    return path


def searcher(budget_us: int, spread_us: int = 0, state: int = 1) -> str:
    """Return a bot of any game that searches by the clock, and plays what the count of its nodes chooses.

    It takes ``budget_us`` and something up to ``spread_us`` more, which differs from turn to turn.
    """
    return module(
        f"""
 (data (i32.const 1024) "bot wants=legal\\n") (data (i32.const 1056) "ready\\n")
 (data (i32.const 1072) "move ")
 (global $from (mut i32) (i32.const 65536)) (global $end (mut i32) (i32.const 65536))
 (global $stop (mut i32) (i32.const 0)) (global $size (mut i32) (i32.const 0))
 (global $state (mut i64) (i64.const {state}))
 (func $next (result i32) (local $p i32) (local $start i32)
  (if (i32.eq (global.get $from) (global.get $end))
   (then (global.set $from (i32.const 65536)) (global.set $end (i32.const 65536))))
  (local.set $p (local.tee $start (global.get $from)))
  (loop $scan
   (if (i32.eq (local.get $p) (global.get $end)) (then
    (if (i32.eqz (call $listen (global.get $end))) (then (call $exit (i32.const 0))))
    (global.set $end (i32.add (global.get $end) (i32.load (i32.const 8)))) (br $scan)))
   (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 10))
    (then (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $scan))))
  (global.set $stop (local.get $p)) (global.set $from (i32.add (local.get $p) (i32.const 1)))
  (local.get $start))
 (func $think (local $until i64) (local $k i32)
  (global.set $state (i64.xor (global.get $state) (i64.shl (i64.load (i32.const 196608)) (i64.const 9))))
  (local.set $until (i64.add (call $now) (i64.add (i64.const {budget_us * 1000})
   (i64.rem_u (i64.shr_u (global.get $state) (i64.const 20)) (i64.const {spread_us * 1000 + 1})))))
  (loop $search (local.set $k (i32.const 0))
   (loop $node (global.set $state (i64.mul (i64.xor (global.get $state) (i64.extend_i32_u (local.get $k)))
     (i64.const 1099511628211)))
    (br_if $node (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 500))))
   (br_if $search (i64.lt_u (call $now) (local.get $until)))))
 (func $choose (local $p i32) (local $n i32) (local $to i32) (local $last i32)
  (local.set $last (i32.add (i32.const 196608) (global.get $size)))
  (local.set $n (i32.const 1)) (local.set $p (i32.const 196608))
  (loop $count (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 32))
    (then (local.set $n (i32.add (local.get $n) (i32.const 1)))))
   (br_if $count (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 1))) (local.get $last))))
  (local.set $n (i32.wrap_i64 (i64.rem_u (i64.shr_u (global.get $state) (i64.const 33))
   (i64.extend_i32_u (local.get $n)))))
  (local.set $p (i32.const 196608)) (local.set $to (i32.const 1077))
  (loop $skip (if (local.get $n) (then
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 32))
     (then (local.set $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $skip))))
  (loop $copy (if (i32.and (i32.lt_u (local.get $p) (local.get $last))
     (i32.ne (i32.load8_u (local.get $p)) (i32.const 32)))
    (then (i32.store8 (local.get $to) (i32.load8_u (local.get $p)))
     (local.set $p (i32.add (local.get $p) (i32.const 1)))
     (local.set $to (i32.add (local.get $to) (i32.const 1))) (br $copy))))
  (i32.store8 (local.get $to) (i32.const 10))
  (call $say (i32.const 1072) (i32.sub (local.get $to) (i32.const 1071))))
 (func (export "_start") (local $at i32) (local $word i32)
  (loop $main
   (local.set $word (i32.load (local.tee $at (call $next))))
   (if (i32.eq (local.get $word) (i32.const 0x72756f74)) (then (call $say (i32.const 1024) (i32.const 16))))
   (if (i32.eq (local.get $word) (i32.const 0x656d6167)) (then (call $say (i32.const 1056) (i32.const 6))))
   (if (i32.eq (local.get $word) (i32.const 0x6167656c)) (then
    (global.set $size (i32.sub (i32.sub (global.get $stop) (local.get $at)) (i32.const 6)))
    (memory.copy (i32.const 196608) (i32.add (local.get $at) (i32.const 6)) (global.get $size))))
   (if (i32.eq (i32.and (local.get $word) (i32.const 0xffff)) (i32.const 0x6f67))
    (then (call $think) (call $choose)))
   (br $main)))"""
    )
