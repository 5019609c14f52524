"""Files compressed with gzip or Zstandard: read as their first bytes say, written as their names say.

Zstandard needs the extra ``zstd``. What is written depends on the content alone: no date, no name.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, cast

from tourney.errors import InputError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_WINDOW: Final = 1 << 27
"""Memory that a Zstandard file may ask for, in bytes: the limit of the program ``zstd``."""
MAX_READ: Final = 1 << 20
_PIECE: Final = 2048
"""Compressed bytes given to Zstandard at a time: at most 32 MiB come out of them."""
_GZIP: Final = b"\x1f\x8b"
_GZIP_HEADERS: Final = 31
"""What makes zlib read gzip's headers."""
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""Bytes 1 to 3 of a Zstandard frame that holds no content."""


class Readable(Protocol):
    """What ``unpacked`` reads from."""

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
        yield from _of_gzip(file, first)
    elif is_compressed(first):
        yield from _of_zstandard(file, first, _zstandard(f"{name} is compressed with Zstandard"))
    else:
        while first:
            yield first
            first = file.read(MAX_READ)


def _of_gzip(file: Readable, data: bytes) -> Iterator[bytes]:
    # The module gzip would drop what it has read of a member that ends early.
    member = zlib.decompressobj(_GZIP_HEADERS)
    try:
        while data or (data := file.read(MAX_READ)):
            if member.eof:
                data = data.lstrip(b"\0")  # padding between members
                member = zlib.decompressobj(_GZIP_HEADERS)
                continue
            block = member.decompress(data, MAX_READ)
            data = member.unused_data if member.eof else member.unconsumed_tail
            if block:
                yield block
        while block := member.decompress(b"", MAX_READ):
            yield block
    except zlib.error as error:
        raise DamagedError("gzip", str(error)) from error
    if not member.eof:
        raise DamagedError("gzip", "the data ends in the middle")


def _of_zstandard(file: Readable, data: bytes, zstandard: ModuleType) -> Iterator[bytes]:
    # An object for each frame, because only it says whether its frame came to its end.
    new = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj
    frame = new()
    try:
        while data or (data := file.read(_PIECE)):
            if frame.eof:
                frame = new()
            block = frame.decompress(data)
            data = frame.unused_data if frame.eof else b""
            if block:
                yield block
    except zstandard.ZstdError as error:
        raise DamagedError("zstd", str(error)) from error
    if not frame.eof:
        raise DamagedError("zstd", "the data ends in the middle")


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
            with io.BufferedReader(_Blocks(unpacked(file, name)), MAX_READ) as content:
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
