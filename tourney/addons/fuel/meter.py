"""Fuel: the meter that counts the work of modules, and the frames between the referee and a module's host.

A meter is a name for the costs of all instructions. Records name it, so an engine that counts otherwise must
not play or repeat their matches: ``check_meter`` measures a program whose cost is known. The host alone reads
and writes frames; what the module writes is a part of a frame, so no module can make one.

The engine counts every instruction as one unit, but some instructions call into the engine and take up to
1,600 times as long. What ``charged`` puts before them does nothing: the compiler counts it, and
removes it.
"""

import re
import struct
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final, NamedTuple, Self

from tourney.bots.metering import METERS
from tourney.errors import UsageError

MS: Final = 1_000_000  # nanoseconds of a millisecond

_ASKED: Final = struct.Struct("<cQQQI")
_HEAD: Final = struct.Struct("<cQIII")
MAX_WORDS: Final = 1_000  # bytes of the words in a report


class HostOrder(NamedTuple):
    """A frame of the referee.

    ``R``: go on; ``first`` is the budget, ``data`` the input. ``N``: a new instance; ``first`` is the bot's
    seed, ``second`` the fuel of a millisecond, ``third`` the bytes of memory.
    """

    kind: bytes
    first: int
    second: int = 0
    third: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        """The frame."""
        return _ASKED.pack(*self[:-1], len(self.data)) + self.data

    @classmethod
    def read(cls, take: Callable[[int], bytes]) -> Self:
        """The order of a frame; ``take`` returns the given number of further bytes."""
        kind, first, second, third, size = _ASKED.unpack(take(_ASKED.size))
        return cls(kind, first, second, third, take(size))


class HostReport(NamedTuple):
    """A frame of the host: why the module stands still, its fuel since the order, and what it wrote.

    ``kind``: ``H`` (it has not begun), ``L`` (it wrote a line), ``W`` (it waits for input), ``F`` (it is out
    of fuel), ``X`` (it ended) or ``M`` (the machine failed). ``words`` are on its end.
    """

    kind: bytes
    used: int
    output: bytes = b""
    errors: bytes = b""
    words: str = ""

    def encode(self) -> bytes:
        """The frame."""
        parts = self.output, self.errors, self.words.encode("utf-8", "replace")[:MAX_WORDS]
        return _HEAD.pack(self.kind, self.used, *map(len, parts)) + b"".join(parts)

    @classmethod
    def read(cls, take: Callable[[int], bytes]) -> Self:
        """The report of a frame; ``take`` returns the given number of further bytes."""
        kind, used, *sizes = _HEAD.unpack(take(_HEAD.size))
        output, errors, words = map(take, sizes)
        return cls(kind, used, output, errors, words.decode("utf-8", "replace"))


CALL_FUEL: Final = 20_000  # what a call of a WASI function costs
BYTE_FUEL: Final = 10
"""Cost of a byte that a WASI function reads or writes; a buffer of a list costs ITEM_FUEL."""
ITEM_FUEL: Final = 5_000
RANDOM_FUEL: Final = 1_000  # cost of a random byte

MAX_MODULE: Final = 64 << 20  # bytes of the largest module
MAX_TABLE: Final = 1_000_000  # most elements of a table: they are not in the memory that memory-mb bounds
FORM: Final = 2  # raise it when the engine's settings change: compiled modules are kept under it

_PROBED: Final = (6_618, 6_678)  # the fuel that PROBE takes by each meter
_RESULT: Final = -8_673_300_740_149_522_261


def wasmtime_version() -> str:
    """The version of wasmtime. Raises UsageError, saying what to install, if there is none."""
    try:
        if find_spec("wasmtime") is not None:
            return version("wasmtime")
    except PackageNotFoundError:
        pass
    raise UsageError("bots that are WebAssembly modules need wasmtime: pip install 'tourney[wasm]'")


@cache
def meter_fault() -> str:
    """Reason why this machine's wasmtime must not be used as METER, or "". Raises UsageError without it."""
    version = wasmtime_version()
    try:
        counted = import_module("tourney.addons.fuel.library").probe()
    except Exception as error:  # noqa: BLE001 - whatever its settings or its compiler refuse
        return f"wasmtime {version} does not work here: {str(error).splitlines()[0]}"
    for meter, fuel, (used, result) in zip(METERS, _PROBED, counted, strict=True):
        if (used, result) != (fuel, _RESULT):
            return (
                f"wasmtime {version} counts otherwise than the meter {meter}: {used:,} instead of {fuel:,}"
                " for a known program; install a version that Tourney names in its extra wasm"
            )
    return ""


def refuse_unknown(meter: str | None) -> None:
    """Raise UsageError for a meter that this version does not have."""
    if meter not in METERS:
        raise UsageError(f"there is no meter {meter}; this version of Tourney has {' and '.join(METERS)}")


def check_meter(meter: str | None) -> None:
    """Raise UsageError if matches of a meter cannot be played with this machine's wasmtime."""
    refuse_unknown(meter)
    if fault := meter_fault():
        raise UsageError(fault)


# -- the price of slow instructions ------------------------------------------------------------------------

SLOW_FUEL: Final = 20  # the price of a slow instruction, beside its own unit
_CHARGE: Final = b"\x41\x00" + b"\x45" * (SLOW_FUEL - 1) + b"\x1a"
"""i32.const 0, i32.eqz again and again, drop, which is free."""
_CODE_SECTION: Final = 10
_BR_TABLE: Final = 0x0E


def _pattern(text: bytes) -> re.Pattern[bytes]:
    """A pattern of binary code in which ``~`` is a number (LEB128)."""
    return re.compile(text.replace(b"~", rb"[\x80-\xff]*+[\x00-\x7f]").replace(b" ", b""), re.DOTALL)


_NUMBER: Final = _pattern(rb"~")
_PLAIN: Final = _pattern(
    rb"(?: [\x00\x01\x05\x0b\x0f\x1a\x1b\xd1\x45-\xc4]"
    rb"| [\x02-\x04\x0c\x0d\x10\x12\x20-\x26\x3f\x41\x42\xd0]~ | [\x11\x13\x28-\x3e]~~"
    rb"| \x1c\x01. | \x43.{4} | \x44.{8} | \xfc[\x00-\x07] | \xfc\x10~ | \xfd(?:"
    rb"[\x00-\x0b\x5c\x5d]~~ | [\x0c\x0d].{16} | [\x15-\x22]. | [\x54-\x5b]~~."
    rb"| [\x0e-\x14\x23-\x53\x5e-\x7f] | [\x80-\xff]\x01) )*+"
)
"""A run of instructions that are quick for their fuel, with what follows each."""
_SLOW: Final = _pattern(rb"\xd2~ | \x40\x00 | \xfc(?: [\x08\x0a\x0c\x0e]~~ | [\x09\x0b\x0d\x0f\x11]~ )")
"""ref.func, memory.grow, and the operations on memories, tables and segments but table.size."""


def charged(module: bytes) -> bytes:
    """A valid module with a charge before each slow instruction, and without sections that run nothing.

    Raises ValueError for instructions in a form that no compiler writes.
    """
    parts = [module[:8]]
    for kind, section, body in sections(module):
        if kind == _CODE_SECTION:
            code = b"".join(_bodies(body))
            parts += [bytes([kind]), leb(len(code)), code]
        elif kind:
            parts.append(section)
    return b"".join(parts)


def sections(module: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the kind of each section of a module, its whole, and its body."""
    at = 8
    while at < len(module):
        size, start = _number(module, at + 1)
        yield module[at], module[at : start + size], module[start : start + size]
        at = start + size


def _bodies(code: bytes) -> Iterator[bytes]:
    """Yield the parts of a new code section: the number of functions, and each with its size."""
    count, at = _number(code, 0)
    yield leb(count)
    for _ in range(count):
        size, start = _number(code, at)
        at = start + size
        body = b"".join(_charged_body(code[start:at]))
        yield leb(len(body)) + body


def _charged_body(body: bytes) -> Iterator[bytes]:
    groups, at = _number(body, 0)
    for _ in range(groups):
        at = _number(body, at)[1] + 1  # a count and a type
    yield body[:at]
    while at < len(body):
        start = at
        plain = _PLAIN.match(body, at)
        at = plain.end() if plain else at
        yield body[start:at]
        if slow := _SLOW.match(body, at):
            yield _CHARGE + slow[0]
            at = slow.end()
        elif at < len(body):
            if body[at] != _BR_TABLE:
                raise ValueError(f"it has an instruction in an unusual form ({body[at : at + 4].hex()})")
            start = at
            labels, at = _number(body, at + 1)
            for _ in range(labels + 1):
                at = _number(body, at)[1]
            yield body[start:at]


def _number(data: bytes, at: int) -> tuple[int, int]:
    match = _NUMBER.match(data, at)
    if match is None:
        raise ValueError("it ends too early")
    return sum((byte & 0x7F) << 7 * k for k, byte in enumerate(match[0])), match.end()


def leb(number: int, *, signed: bool = False) -> bytes:
    """A number, 0 or more, in LEB128."""
    parts = bytearray()
    while number > (0x3F if signed else 0x7F):
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
