"""The meter's price of slow instructions: a module with plain instructions before each of them.

The engine counts every instruction as one unit, and some of them are calls into it, which take up to 1,600
times as long as their unit. What is put before them does nothing: the compiler counts it, and removes it.
"""

import re
from collections.abc import Iterator
from typing import Final

SLOW_FUEL: Final = 20
"""The price of a slow instruction, beside its own unit."""
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
    parts, at = [module[:8]], 8
    while at < len(module):
        size, start = _number(module, at + 1)
        end = start + size
        if module[at] == _CODE_SECTION:
            code = b"".join(_bodies(module[start:end]))
            parts += [bytes([_CODE_SECTION]), _leb(len(code)), code]
        elif module[at]:
            parts.append(module[at:end])
        at = end
    return b"".join(parts)


def _bodies(code: bytes) -> Iterator[bytes]:
    """Yield the parts of a new code section: the number of functions, and each with its size."""
    count, at = _number(code, 0)
    yield _leb(count)
    for _ in range(count):
        size, start = _number(code, at)
        at = start + size
        body = b"".join(_charged_body(code[start:at]))
        yield _leb(len(body)) + body


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
    """The number at a place, and the place after it."""
    found = _NUMBER.match(data, at)
    if found is None:
        raise ValueError("it ends too early")
    return sum((byte & 0x7F) << 7 * k for k, byte in enumerate(found[0])), found.end()


def _leb(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
