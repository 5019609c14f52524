"""Hostile WebAssembly modules, in the text format, and what becomes of each."""

from dataclasses import dataclass
from typing import Final

HOST: Final = "wasi_snapshot_preview1"
BOT: Final = """\
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  @IMPORTS@
  (memory (export "memory") @PAGES@)
  ;; 0: address and length of a transfer, 8: bytes done, 512: the first legal action, 1024: a line
  (data (i32.const 64) "bot wants=legal\\nready\\nmove \\ninfo ")
  (global $first (mut i32) (i32.const 0))
  @PARTS@
  (func $say (param $address i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $address))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $tell (param $value i64) (local $k i32) (local $digit i32)
    ;; say `info HEX`, with sixteen digits
    (i64.store (i32.const 200) (i64.load (i32.const 92)))
    (local.set $k (i32.const 15))
    (loop $next
      (local.set $digit (i32.and (i32.wrap_i64 (local.get $value)) (i32.const 15)))
      (i32.store8 (i32.add (i32.const 205) (local.get $k))
        (i32.add (local.get $digit)
          (select (i32.const 87) (i32.const 48) (i32.gt_u (local.get $digit) (i32.const 9)))))
      (local.set $value (i64.shr_u (local.get $value) (i64.const 4)))
      (local.set $k (i32.sub (local.get $k) (i32.const 1)))
      (br_if $next (i32.ge_s (local.get $k) (i32.const 0))))
    (i32.store8 (i32.const 221) (i32.const 10))
    (call $say (i32.const 200) (i32.const 22)))
  (func $attack @LOCALS@
    @ATTACK@)
  (func $begin
    @BEGIN@)
  (func $handle (param $length i32) (local $byte i32) (local $k i32)
    (local.set $byte (i32.load8_u (i32.const 1024)))
    (if (i32.eq (local.get $byte) (i32.const 116)) ;; t: tourney
      (then (call $say (i32.const 64) (i32.const 16))))
    (if (i32.eq (local.get $byte) (i32.const 113)) ;; q: quit
      (then (call $proc_exit (i32.const 0))))
    (if (i32.eq (local.get $byte) (i32.const 108)) ;; l: legal ACTION ...
      (then
        (local.set $k (i32.const 6))
        (loop $next
          (local.set $byte (i32.load8_u (i32.add (i32.const 1024) (local.get $k))))
          (i32.store8 (i32.add (i32.const 506) (local.get $k)) (local.get $byte))
          (if (i32.and
            (i32.ne (local.get $byte) (i32.const 32)) (i32.lt_u (local.get $k) (local.get $length)))
            (then (local.set $k (i32.add (local.get $k) (i32.const 1))) (br $next))))
        (global.set $first (i32.sub (local.get $k) (i32.const 6)))
        (return)))
    (if (i32.eq (local.get $byte) (i32.const 103)) ;; g: game or go
      (then
        (if (i32.eq (i32.load8_u (i32.const 1025)) (i32.const 97))
          (then (call $say (i32.const 80) (i32.const 6)) (return)))
        (call $attack)
        (call $say (i32.const 86) (i32.const 5))
        (call $say (i32.const 512) (global.get $first))
        (call $say (i32.const 91) (i32.const 1)))))
  (func (export "_start") (local $length i32)
    (call $begin)
    (loop $next
      (i32.store (i32.const 0) (i32.add (i32.const 1024) (local.get $length)))
      (i32.store (i32.const 4) (i32.const 1))
      (if (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then (return)))
      (if (i32.eqz (i32.load (i32.const 8))) (then (return)))
      (if (i32.eq (i32.load8_u (i32.add (i32.const 1024) (local.get $length))) (i32.const 10))
        (then (call $handle (local.get $length)) (local.set $length (i32.const 0)))
        (else (local.set $length (i32.add (local.get $length) (i32.const 1)))))
      (br $next))))
"""
"""A bot that plays the first legal action; ``@ATTACK@`` runs at each `go`, ``@BEGIN@`` before all lines."""


def bot(
    attack: str = "",
    *,
    begin: str = "",
    parts: str = "",
    imports: str = "",
    pages: str = "4",
    local: str = "",
) -> str:
    """Return a bot in the text format."""
    marks = {
        "IMPORTS": imports,
        "PAGES": pages,
        "PARTS": parts,
        "LOCALS": local,
        "ATTACK": attack,
        "BEGIN": begin,
    }
    text = BOT
    for mark, value in marks.items():
        text = text.replace(f"@{mark}@", value)
    return text


def host(name: str, parameters: str) -> str:
    """Return the import of a function of WASI, all of which return an error number."""
    return f'(import "{HOST}" "{name}" (func ${name} (param {parameters}) (result i32)))'


@dataclass(frozen=True, slots=True)
class Module:
    """A hostile module.

    ``fault`` is what the record says of its seat, None for a match without a fault; ``refused`` is a module
    that no match begins with. ``note`` is a part of the referee's or the refusal's words. ``seen`` holds
    what the module has to say of itself.
    """

    name: str
    does: str
    text: str
    fault: str | None
    note: str = ""
    seen: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """The outcome in words, for the page that lists these modules."""
        if self.fault == "refused":
            return "refused before a match"
        return f"fault `{self.fault}`" if self.fault else "plays on, and gains nothing"


def _tell(value: str) -> str:
    """Say the result of a 32-bit expression."""
    return f"(call $tell (i64.extend_i32_u {value}))"


def _report(*values: int) -> tuple[str, ...]:
    return tuple(f"{value:016x}" for value in values)


def _ever(body: str) -> str:
    return f"(loop $ever {body} (br $ever))"


_CLOCK: Final = host("clock_time_get", "i32 i64 i32")
_RANDOM: Final = host("random_get", "i32 i32")
_POLL: Final = host("poll_oneoff", "i32 i32 i32 i32")
_OPEN: Final = host("path_open", "i32 i32 i32 i32 i32 i64 i64 i32 i32")
_SIZES: Final = host("environ_sizes_get", "i32 i32") + host("fd_prestat_get", "i32 i32")
_READ_CLOCK: Final = "(drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 232)))"
_SLEEP: Final = """
    (i64.store (i32.const 300) (i64.const 0)) (i64.store (i32.const 308) (i64.const 0))
    (i32.store (i32.const 316) (i32.const 1)) (i64.store (i32.const 324) (i64.const 3600000000000))
    (drop (call $poll_oneoff (i32.const 300) (i32.const 400) (i32.const 1) (i32.const 8)))"""

MODULES: Final = (
    Module("endless-loop", "loops for ever", bot("(loop $ever (br $ever))"), "timeout"),
    Module(
        "endless-start",
        "loops for ever in its start function, before any line",
        bot(parts="(func $ever (loop $again (br $again))) (start $ever)"),
        "startup",
    ),
    Module(
        "memory",
        "grows its memory for ever, page by page, and touches each page",
        bot(
            "(loop $more (local.set $page (memory.grow (i32.const 1)))"
            " (if (i32.ne (local.get $page) (i32.const -1)) (then"
            "  (i32.store8 (i32.mul (local.get $page) (i32.const 65536)) (i32.const 1)) (br $more))))"
            + _tell("(memory.size)"),
            local="(local $page i32)",
        ),
        None,
        seen=_report(4096),
    ),
    Module("large-memory", "requests 4 GiB from the beginning", bot(pages="65536"), "startup", "memory"),
    Module(
        "recursion",
        "calls itself for ever",
        bot("(call $down)", parts="(func $down (call $down))"),
        "crash",
        "stack",
    ),
    Module(
        "large-frames",
        "calls itself for ever, with 40,000 locals",
        bot("(call $down)", parts=f"(func $down (local {'i64 ' * 40_000}) (call $down))"),
        "crash",
        "stack",
    ),
    Module(
        "flood",
        "writes `info` for ever",
        bot(_ever("(call $tell (i64.const 1))")),
        "overflow",
    ),
    Module(
        "long-line",
        "writes a line that never ends",
        bot(_ever("(call $say (i32.const 4096) (i32.const 4096))")),
        "protocol",
    ),
    Module(
        "wide-write",
        "writes its whole memory 1,024 times in one call",
        bot(
            "(local.set $k (i32.const 4100)) (loop $next (i32.store (local.get $k) (i32.const 67108864))"
            " (local.set $k (i32.add (local.get $k) (i32.const 8)))"
            " (br_if $next (i32.lt_u (local.get $k) (i32.const 12292))))"
            + _ever("(drop (call $fd_write (i32.const 1) (i32.const 4096) (i32.const 1024) (i32.const 8)))"),
            pages="1024",
            local="(local $k i32)",
        ),
        "protocol",
    ),
    Module("trap", "executes `unreachable`", bot("(unreachable)"), "crash", "unreachable"),
    Module(
        "division", "divides by zero", bot("(drop (i32.div_u (i32.const 1) (i32.const 0)))"), "crash", "zero"
    ),
    Module(
        "out-of-bounds", "reads beyond its memory", bot("(drop (i32.load (i32.const -4)))"), "crash", "bounds"
    ),
    Module(
        "wild-pointers",
        "gives the host addresses outside its memory",
        bot(_tell("(call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const -4))")),
        None,
        seen=_report(21),
    ),
    Module(
        "missing-import",
        "imports a function that does not exist",
        bot(imports='(import "env" "gettimeofday" (func (param i32 i32) (result i32)))'),
        "refused",
        "env.gettimeofday",
    ),
    Module(
        "exit-at-start",
        "exits before its first line",
        bot(begin="(call $proc_exit (i32.const 0))"),
        "startup",
        "exited",
    ),
    Module("exit-at-turn", "exits at its turn", bot("(call $proc_exit (i32.const 0))"), "crash", "exited"),
    Module(
        "reads-on",
        "reads at its turn instead of answering",
        bot(
            _ever(
                "(i32.store (i32.const 0) (i32.const 300)) (i32.store (i32.const 4) (i32.const 1))"
                " (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))"
            )
        ),
        "timeout",
    ),
    Module(
        "other-files",
        "writes to all files but its own, as the channel on which fuel is reported",
        bot(
            "(i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 16))"
            " (local.set $file (i32.const 3))"
            "(loop $next (local.set $worked (i32.add (local.get $worked)"
            " (i32.eqz (call $fd_write (local.get $file) (i32.const 0) (i32.const 1) (i32.const 8)))))"
            " (local.set $file (i32.add (local.get $file) (i32.const 1)))"
            " (br_if $next (i32.lt_u (local.get $file) (i32.const 100))))" + _tell("(local.get $worked)"),
            local="(local $file i32) (local $worked i32)",
        ),
        None,
        seen=_report(0),
    ),
    Module(
        "files",
        "opens a file, and asks for folders and the environment",
        bot(
            _tell(
                "(call $path_open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 3) (i32.const 0)"
                " (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 232))"
            )
            + _tell("(call $fd_prestat_get (i32.const 3) (i32.const 232))")
            + "(drop (call $environ_sizes_get (i32.const 232) (i32.const 236)))"
            + _tell("(i32.load (i32.const 232))"),
            imports=_OPEN + _SIZES,
        ),
        None,
        seen=_report(8, 8, 0),
    ),
    Module("clock-loop", "reads the clock for ever", bot(_ever(_READ_CLOCK), imports=_CLOCK), "timeout"),
    Module("sleep", "sleeps for an hour", bot(_SLEEP, imports=_POLL), "timeout"),
    Module(
        "random-loop",
        "draws a megabyte of random bytes for ever",
        bot(
            _ever("(drop (call $random_get (i32.const 65536) (i32.const 1048576)))"),
            imports=_RANDOM,
            pages="32",
        ),
        "timeout",
    ),
    Module(
        "fill-and-copy",
        "fills and copies 32 MiB for ever: few instructions, much work",
        bot(
            _ever(
                "(memory.fill (i32.const 65536) (i32.const 1) (i32.const 33554432))"
                " (memory.copy (i32.const 65536) (i32.const 131072) (i32.const 33554432))"
            ),
            pages="1024",
        ),
        "timeout",
    ),
    Module(
        "grow-loop",
        "asks for no more memory for ever: an instruction that is slow",
        bot(_ever("(drop (memory.grow (i32.const 0)))")),
        "timeout",
    ),
    Module(
        "unrolled-references",
        "makes 200 references to a function in a row, for ever: the slowest instruction",
        bot(_ever("(drop (ref.func $say))" * 200), parts="(elem declare func $say)"),
        "timeout",
    ),
    Module(
        "unrolled-fills",
        "fills 0 bytes 200 times in a row, for ever",
        bot(_ever("(memory.fill (i32.const 0) (i32.const 0) (global.get $first))" * 200)),
        "timeout",
    ),
    Module(
        "tables",
        "grows a table for ever",
        bot(
            "(loop $more"
            " (br_if $more (i32.ge_s (table.grow $cells (ref.null func) (i32.const 10000)) (i32.const 0))))"
            + _tell("(i32.gt_u (table.size $cells) (i32.const 1000000))"),
            parts="(table $cells 1 funcref)",
        ),
        None,
        seen=_report(0),
    ),
    Module(
        "threads",
        "requests shared memory",
        bot().replace('(export "memory") 4', '(export "memory") 4 8 shared'),
        "refused",
        "threads must be enabled",
    ),
    Module(
        "relaxed-simd",
        "uses instructions whose results differ from processor to processor",
        bot("(drop (i8x16.relaxed_swizzle (v128.const i64x2 1 2) (v128.const i64x2 3 4)))"),
        "refused",
        "relaxed SIMD support is not enabled",
    ),
    Module(
        "nans",
        "looks at the bits of NaNs that it computes",
        bot(
            "(call $tell (i64.reinterpret_f64"
            " (f64.div (f64.load (i32.const 232)) (f64.load (i32.const 240)))))"
            "(call $tell (i64.reinterpret_f64 (f64.sqrt (f64.const -1))))"
        ),
        None,
        seen=("7ff8000000000000", "7ff8000000000000"),
    ),
)
"""Each is a bot but for one thing that it does."""
PROBES: Final = (
    Module(
        "clock",
        "reads the clock twice",
        bot((_READ_CLOCK + "(call $tell (i64.load (i32.const 232)))") * 2, imports=_CLOCK),
        None,
    ),
    Module(
        "random",
        "draws random bytes",
        bot(
            "(drop (call $random_get (i32.const 232) (i32.const 8)))(call $tell (i64.load (i32.const 232)))",
            imports=_RANDOM,
        ),
        None,
    ),
)
"""Modules that look for something that differs from run to run."""


def slow_to_compile(size: int) -> str:
    """Return a module whose compilation takes time and memory by the square of its size.

    One function has this number of variables, and as many branches after each of which any of them may
    have changed.
    """
    parts = "".join(
        f"(if (local.get {k}) (then (local.set {k * 7 % size}"
        f" (i32.add (local.get {k * 3 % size}) (local.get {k * 5 % size})))))"
        for k in range(size)
    )
    return bot(parts=f"(func (local {'i32 ' * size}) (loop $again {parts} (br_if $again (local.get 0))))")
