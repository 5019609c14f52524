"""JSON and TOML from outside: values that Tourney cannot hold are refused in plain words.

Files may be compressed with gzip or Zstandard: they are read as their first bytes say, and written as their
names say. Zstandard needs the extra ``zstd``. What is written depends on the content alone: no date, no name.
"""

import gzip
import io
import json
import re
import sys
import tomllib
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn, Protocol, cast

import msgspec

from tourney.errors import InputError, RecordError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_WINDOW: Final = 1 << 27
"""Memory that a Zstandard file may ask for, in bytes: the limit of the program ``zstd``."""
MAX_READ: Final = 1 << 20
BLANKS: Final = b" \t\r\n\v\f\x1a"
"""Bytes at an end of a line that say nothing, among them the mark that ends a file of DOS."""
_PIECE: Final = 2048
"""Compressed bytes that are unpacked at a time: at most 32 MiB come out of them."""
_GZIP: Final = b"\x1f\x8b"
_GZIP_HEADERS: Final = 31
"""The value of ``wbits`` with which zlib reads gzip's headers."""
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""Bytes 1 to 3 of a Zstandard frame that holds no content."""


class Readable(Protocol):
    """The interface of a source for ``unpacked``."""

    def read(self, size: int, /) -> bytes:
        """Give at most ``size`` further bytes; none at the end."""


class DamagedError(Exception):
    """Compressed data cannot be read any further: ``form`` names their format."""

    def __init__(self, form: str, why: str) -> None:
        super().__init__(why)
        self.form = form


def is_compressed(first: bytes) -> bool:
    """Whether a file that begins so is compressed in a way that ``unpacked`` knows."""
    return first.startswith((_GZIP, _ZSTD)) or first[1:4] == _SKIPPABLE


def unpacked(file: Readable, name: str) -> Iterator[bytes]:
    """Yield the content of a file, compressed or not, in blocks of at most some MiB.

    Raises DamagedError after all that can be read of damaged data, and UsageError without the extra that the
    file needs.
    """
    first = file.read(_PIECE)
    if first.startswith(_GZIP):
        member = partial(zlib.decompressobj, _GZIP_HEADERS)
        yield from _joined(_decompressed(file, first, "gzip", member, zlib.error, b"\0"))
    elif is_compressed(first):
        zstandard = _zstandard(f"{name} is compressed with Zstandard")
        frame = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj
        yield from _joined(_decompressed(file, first, "zstd", frame, zstandard.ZstdError, b""))
    else:
        while first:
            yield first
            first = file.read(MAX_READ)


def _joined(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Join small blocks: a reader that looks at each from the start of a game on would take minutes."""
    parts: list[bytes] = []
    size = 0
    try:
        for block in blocks:
            parts.append(block)
            size += len(block)
            if size >= MAX_READ:
                yield b"".join(parts)
                parts, size = [], 0
    except DamagedError:
        yield b"".join(parts)
        raise
    yield b"".join(parts)


def utf8_of(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a text as UTF-8 without a byte order mark, which tells UTF-16; other texts stay as they are."""
    first = next(blocks, b"")
    encoding = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}.get(first[:2])
    if encoding is None:
        yield first.removeprefix(BOM_UTF8)
        yield from blocks
        return
    decoder = getincrementaldecoder(encoding)("replace")
    for block in chain([first[2:]], blocks):
        yield decoder.decode(block).encode("utf-8", "replace")


def _decompressed(
    file: Readable, data: bytes, form: str, new: Callable[[], Any], problem: type[Exception], padding: bytes
) -> Iterator[bytes]:
    """Yield the content of frames, each read by an object that ``new`` makes."""
    # The libraries' own readers of files would drop what they have read of a frame that ends early; and only
    # an object of its own says whether its frame came to its end.
    frame = new()
    try:
        while data or (data := file.read(_PIECE)):
            if frame.eof:
                if not (data := data.lstrip(padding)):
                    continue
                frame = new()
            block = frame.decompress(data)
            data = frame.unused_data if frame.eof else b""
            if block:
                yield block
    except problem as error:
        raise DamagedError(form, str(error)) from error
    if not frame.eof:
        raise DamagedError(form, "the data ends in the middle")


@contextmanager
def reading(path: Path, name: str = "") -> Iterator[BinaryIO]:
    """Give the content of a file; ``name`` is its name in messages (default: its path).

    Raises InputError for compressed data that are damaged or break off, also from reads within the block, and
    OSError for a file that cannot be read.
    """
    name = name or str(path)
    with path.open("rb") as file:
        first = file.read(4)
        file.seek(0)
        if not is_compressed(first):
            yield file
            return
        if first == _ZSTD:
            _zstandard(f"{name} is compressed with Zstandard")
        try:
            with file_of(unpacked(file, name)) as content:
                yield content
        except DamagedError as error:
            raise InputError(f"{name} is damaged: {error}") from error


class _Blocks(io.RawIOBase):
    """A file whose content comes in blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: "WriteableBuffer") -> int:
        view = memoryview(into).cast("B")
        self._rest = self._rest or next(self._blocks, b"")
        part = self._rest[: len(view)]
        view[: len(part)] = part
        self._rest = self._rest[len(part) :]
        return len(part)


def file_of(blocks: Iterable[bytes]) -> io.BufferedReader:
    """A file that reads from an iterator of blocks."""
    # An empty block would be the end of the file, and what follows it, also an error, would be lost.
    return io.BufferedReader(_Blocks(filter(None, blocks)), MAX_READ)


@contextmanager
def compressing(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Give a file whose content reaches ``file`` as the end of ``name`` says: .gz, .zst or plain.

    Raises UsageError without the extra that .zst needs, before anything is written.
    """
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            yield cast("BinaryIO", packed)
    elif name.endswith(".zst"):
        writer = _zstandard(f"{name} is to be compressed with Zstandard").ZstdCompressor(write_checksum=True)
        with io.BufferedWriter(writer.stream_writer(file, closefd=False), MAX_READ) as packed:
            yield packed
    else:
        yield file


def _zstandard(why: str) -> ModuleType:
    try:
        import zstandard  # noqa: PLC0415 - an extra: only this kind of file needs it
    except ImportError:
        raise UsageError(f"{why}: run `pip install 'tourney[zstd]'`, or use gzip") from None
    return zstandard


JsonObject = dict[str, Any]
"""A JSON object of keys that its reader knows."""

MAX_DEPTH: Final = 32
"""Lists, objects and tables within each other; Tourney's own data is less than ten levels deep."""
MAX_BITS: Final = 512
"""Bits of an integer in TOML: twice what any key allows, so that a value that is too large can be printed."""

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of the longest record that is read."""

_GOES_ON = (b"{", b"[", b",", b":")
"""How a first line ends whose value goes on in the next; JSON by itself ends with none of them."""


def read_text(path: Path, most: int, data: bytes | None = None) -> str:
    """The UTF-8 text of a file of at most ``most`` bytes; ``data`` is its content, if it was read already.

    Raises ValueError with a phrase that goes on after the file's name.
    """
    if data is None:
        try:
            with path.open("rb") as file:
                data = file.read(most + 1)
        except OSError as error:
            raise ValueError(f"cannot be read: {error.strerror}") from error
    if len(data) > most:
        raise ValueError(f"is larger than {most:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text: byte {error.start} cannot be read") from error


def parse_json(data: bytes | str, *, unique: bool = False) -> object:
    """The value of a JSON text; bytes must be UTF-8. With ``unique`` no object may repeat a key.

    Raises ValueError with a phrase that says what is wrong, also for what Python reads but JSON does not know
    (NaN, Infinity), for numbers of thousands of digits, and for nesting beyond ``MAX_DEPTH``.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_unique if unique else None
        )
    except RecursionError:
        raise ValueError(_too_deep("objects")) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unexpected UTF-8 BOM"):
            raise ValueError("it begins with a byte order mark, which JSON does not have") from None
        raise ValueError(str(error)) from None
    except _PhraseError:
        raise
    except ValueError:
        raise ValueError(_too_long()) from None
    if depth_exceeds(value):
        raise ValueError(_too_deep("objects"))
    return value


_TYPOGRAPHIC: Final = re.compile("[\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]")


def toml_text(data: bytes) -> str:
    """The text of a TOML file: UTF-8, also with a byte order mark, or UTF-16 as PowerShell writes it.

    Raises ValueError with words that continue the file's name.
    """
    try:
        return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8: {error.reason}; save it as UTF-8") from None


def parse_toml(text: str) -> dict[str, object]:
    """The tables of a TOML text.

    Raises ValueError with a phrase that says what is wrong, also for nesting beyond ``MAX_DEPTH`` and for
    integers of more than ``MAX_BITS`` bits.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_too_deep("tables")) from None
    except tomllib.TOMLDecodeError as error:
        hint = ""
        if _TYPOGRAPHIC.search(text):  # text processors replace what is typed
            hint = '; it has typographic quotation marks: write " in a plain text editor'
        elif text.lstrip().startswith("{"):
            hint = '; it looks like JSON: write a line for each key, as name = "a"'
        raise ValueError(f"{error}{hint}") from None
    except ValueError:
        raise ValueError(_too_long()) from None
    if depth_exceeds(data):
        raise ValueError(_too_deep("tables"))
    _check_bits(data)
    return data


def read_json_lines(path: Path, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield the JSON values of a file with their places, as ``FILE line N``; empty lines are passed over.

    A file that holds one value over many lines gives that value; it may be compressed (.gz, .zst). ``name``
    is the file's name in places (default: its path). Raises RecordError for what is not JSON, InputError for
    a damaged compressed file, and OSError where the file cannot be read.
    """
    name = name or str(path)
    with reading(path, name) as file:
        first = file.readline(MAX_LINE + 1)
        if first.rstrip().endswith(_GOES_ON):
            yield name, _parse_line(first + file.read(MAX_LINE + 1 - len(first)), name)
            return
        number = 1
        line = first
        while line:
            if line.strip():
                where = f"{name} line {number}"
                yield where, _parse_line(line.rstrip(), where)
            number = number + 1
            line = file.readline(MAX_LINE + 1)


def read_json_value(path: Path) -> object:
    """The JSON value of a file that holds exactly one. Raises RecordError, OSError."""
    values = [value for _, value in islice(read_json_lines(path), 2)]
    if len(values) != 1:
        raise RecordError(
            f"{path} holds {'more than one record' if values else 'no record'}; exactly one is needed here"
        )
    return values[0]


def _parse_line(data: bytes, where: str) -> object:
    if len(data) > MAX_LINE:
        raise RecordError(f"{where} is longer than {MAX_LINE >> 20} MiB: this is not a record")
    # Quick for the usual line; whatever it refuses, the strict parser below explains.
    with suppress(msgspec.MsgspecError, UnicodeError, OverflowError, RecursionError):
        value = msgspec.json.decode(data)
        # What it is written as again has each key once, and nothing else that JSON does not know.
        if msgspec.json.encode(value, order="sorted") == data and (
            is_shallow(data) or not depth_exceeds(value)
        ):
            return value
    try:
        return parse_json(data, unique=True)
    except ValueError as error:
        raise RecordError(f"{where} is not JSON: {error}") from error


class _PhraseError(ValueError):
    """Raised by the hooks of the JSON parser; its text needs no rewording."""


def _too_deep(containers: str) -> str:
    return f"lists or {containers} are nested more than {MAX_DEPTH} deep"


def _too_long() -> str:
    # The only other ValueError of the parsers: the interpreter converts no longer numbers.
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"


def _refuse_constant(name: str) -> NoReturn:
    raise _PhraseError(f"{name} is not a number of JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise _PhraseError(f"the key {ascii(twice)[:60]} is there twice in one object")
    return mapping


def depth_exceeds(value: object) -> bool:
    """Whether lists and objects are nested beyond ``MAX_DEPTH``."""
    level: list[list[object] | dict[str, object]] = [value] if isinstance(value, (list, dict)) else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, (list, dict))
        ]
    return bool(level)


_PLAIN: Final = bytes(set(range(256)) - set(b"[]{}"))


def is_shallow(text: bytes) -> bool:
    """Whether a valid JSON text is certainly not nested beyond ``MAX_DEPTH``: in less time.

    False if a string in it has a backslash; ``depth_exceeds`` then says.
    """
    if b"\\" in text:
        return False
    brackets = b"".join(text.split(b'"')[::2]).translate(None, _PLAIN)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets


def _check_bits(value: object) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError(f"a number has more than {MAX_BITS} bits")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_bits(item)
