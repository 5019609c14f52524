"""Open a file of results: plain, gzip or Zstandard, as its first bytes say, in bounded memory.

A compressed file may expand a thousandfold: a file of games expands ten to a hundred times, so what expands
more is refused before it takes the machine's time.
"""

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from tourney.errors import InputError
from tourney.outcomes.problems import Problems

CHUNK: Final = 1 << 20
MAX_RATIO: Final = 1000
"""Bytes out of each byte of a compressed file, beyond the first ``FREE`` bytes."""
FREE: Final = 64 << 20
MAX_WINDOW: Final = 1 << 27
"""Memory that a Zstandard file may ask for, in bytes: the limit of the program ``zstd``."""
_GZIP: Final = 31
"""What makes zlib read gzip's headers."""
_PIECE: Final = 2048
"""Compressed bytes given to Zstandard at a time: at most 32 MiB come out of them."""

_REFUSED: Final = {
    b"PK\x03\x04": "a zip archive: unpack it, or compress the file with gzip or zstd",
    b"BZh": "compressed with bzip2: unpack it, or compress it with gzip or zstd",
    b"\xfd7zXZ": "compressed with xz: unpack it, or compress it with gzip or zstd",
    b"7z\xbc\xaf": "a 7z archive: unpack it, or compress the file with gzip or zstd",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"SQLite format 3": "a database: name it by --db, as in `tourney ratings --db FILE`",
}


def is_compressed(first: bytes) -> bool:
    """Return whether a file that begins so is compressed in a way that ``chunks`` knows."""
    return first.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")) or first[1:4] == b"\x2a\x4d\x18"


def label_of(path: Path) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def chunks(path: Path, problems: Problems, label: str = "") -> Iterator[Iterator[bytes]]:
    """Give the content of a file (``-``: standard input) in blocks of at most some MiB.

    ``label`` is the file's name in messages (default: its path).

    A compressed file that is damaged or ends early gives what can be read, and is a problem of the kind
    ``file``. Raises InputError for a file that cannot be read, or cannot be one of results.
    """
    label = label or label_of(path)
    try:
        if str(path) == "-":
            yield _content(sys.stdin.buffer, label, problems)
        else:
            with path.open("rb") as file:
                yield _content(file, label, problems)
    except OSError as error:
        raise InputError(f"{label} cannot be read: {error.strerror or error}") from error


def _content(file: BinaryIO, label: str, problems: Problems) -> Iterator[bytes]:
    first = file.read(CHUNK)
    for magic, why in _REFUSED.items():
        if first.startswith(magic):
            raise InputError(f"{label} is {why}")
    plain = _Counted(first, file)
    if first.startswith(b"\x1f\x8b"):
        yield from _bounded(_gzip(plain, label, problems), plain, label)
    elif is_compressed(first):
        yield from _bounded(_zstandard(plain, label, problems), plain, label)
    else:
        while block := plain.read(CHUNK):
            yield block


class _Counted:
    """A file whose first bytes were read already, with the number of bytes that were taken."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first = first
        self._file = file
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        if self._first:
            data, self._first = (self._first[:size], self._first[size:]) if size >= 0 else (self._first, b"")
        else:
            data = self._file.read(size)
        self.taken += len(data)
        return data


def _bounded(blocks: Iterator[bytes], source: _Counted, label: str) -> Iterator[bytes]:
    total = 0
    for block in blocks:
        total += len(block)
        if total > FREE + MAX_RATIO * source.taken:
            raise InputError(
                f"{label} expands more than {MAX_RATIO:,} times: it is no compressed file of games"
            )
        yield block


def _gzip(source: _Counted, label: str, problems: Problems) -> Iterator[bytes]:
    # The module gzip would drop what it has read of a member that ends early.
    member = zlib.decompressobj(_GZIP)
    rest = b""
    try:
        while rest or (rest := source.read(CHUNK)):
            if member.eof:
                rest = rest.lstrip(b"\0")  # padding between members
                member = zlib.decompressobj(_GZIP)
                continue
            block = member.decompress(rest, CHUNK)
            rest = member.unused_data if member.eof else member.unconsumed_tail
            if block:
                yield block
        while block := member.decompress(b"", CHUNK):
            yield block
        if not member.eof:
            problems.add("file", label, 0, "gzip: the data ends in the middle")
    except zlib.error as error:
        problems.add("file", label, 0, f"gzip: {error}")


def _zstandard(source: _Counted, label: str, problems: Problems) -> Iterator[bytes]:
    try:
        import zstandard  # noqa: PLC0415 - an extra: only this kind of file needs it
    except ImportError:
        raise InputError(
            f"{label} is compressed with Zstandard: unpack it, or run `pip install 'tourney[zstd]'`"
        ) from None
    # An object for each frame, because only it says whether its frame came to its end.
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    frame = decompressor.decompressobj()
    begun = False
    rest = b""
    try:
        while rest or (rest := source.read(_PIECE)):
            if frame.eof:
                frame = decompressor.decompressobj()
            begun = True
            block = frame.decompress(rest)
            rest = frame.unused_data if frame.eof else b""
            if block:
                yield block
        if begun and not frame.eof:
            problems.add("file", label, 0, "zstd: the data ends in the middle")
    except zstandard.ZstdError as error:
        problems.add("file", label, 0, f"zstd: {error}")
