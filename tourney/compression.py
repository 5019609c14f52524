"""Files compressed with gzip or Zstandard: read as their first bytes say, written as their names say.

Zstandard needs the extra ``zstd``. What is written depends on the content alone: no date, no name.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from tourney.errors import InputError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_WINDOW: Final = 1 << 27
"""Memory that a Zstandard file may ask for, in bytes: the limit of the program ``zstd``."""
MAX_READ: Final = 1 << 20
_PIECE: Final = 2048
"""Compressed bytes given to Zstandard at a time: at most 32 MiB come out of them."""
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


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
        try:
            if first.startswith(_GZIP):
                with gzip.open(file) as unpacked:
                    yield cast("BinaryIO", unpacked)
            elif first == _ZSTD:
                with io.BufferedReader(_Unpacked(file, name), MAX_READ) as unpacked:
                    yield unpacked
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, _DamagedError) as error:
            raise InputError(f"{name} is damaged: {error}") from error


class _DamagedError(Exception):
    """Compressed data cannot be read any further."""


class _Unpacked(io.RawIOBase):
    """The content of a Zstandard file, of all its frames."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._zstandard = _zstandard(f"{name} is compressed with Zstandard")
        self._new = self._zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj
        self._frame = self._new()
        self._input, self._output = b"", b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: "WriteableBuffer") -> int:
        view = memoryview(into).cast("B")
        while not self._output and self._more():
            if self._frame.eof:
                self._frame = self._new()
            try:
                self._output = self._frame.decompress(self._input)
            except self._zstandard.ZstdError as error:
                raise _DamagedError(str(error)) from error
            self._input = self._frame.unused_data if self._frame.eof else b""
        part = self._output[: len(view)]
        view[: len(part)] = part
        self._output = self._output[len(part) :]
        return len(part)

    def _more(self) -> bool:
        """Have compressed bytes at hand; say whether there are any."""
        self._input = self._input or self._file.read(_PIECE)
        if not self._input and not self._frame.eof:
            raise _DamagedError("its compressed data break off")
        return bool(self._input)


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


def _zstandard(why: str) -> Any:
    try:
        import zstandard  # noqa: PLC0415 - an extra: only this kind of file needs it
    except ImportError:
        raise UsageError(f"{why}: run `pip install 'tourney[zstd]'`, or use gzip") from None
    return zstandard
